package dml

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/statement"
)

// Write composes the query of the plan. It calls functions that append SQL to the query:
//   - action appends the number of the action, as a column with its alias.
//   - value appends the new value of a column, in its declared type.
//   - from appends the text behind FROM, including the target table.
func (p *Plan) Write(x *Statement, t Target, action func(*clause.Query), value func(*clause.Query, schema.Column), from func(*clause.Query)) {
	q, c := &p.Query, x.Reader
	q.Write(x.Explain)
	q.Copy(c, 0, c.Statement.VerbIndex()) // CTEs
	q.Write(" SELECT ")
	checks := ""
	if slices.ContainsFunc(p.Actions, func(a Action) bool { return a.Kind == UpdateRow || a.Kind == InsertRow }) {
		checks = p.Table.Condition()
	}
	inner := p.Columns
	if checks != "" {
		// The checks are evaluated in a query around the query that computes the values, because
		// they may name any column, in its declared type.
		q.Write(strings.Join(p.Head(), ", "))
		for _, col := range p.Columns {
			q.Write(", ", statement.StoredExpression(col))
		}
		q.Write(", (", checks, ") IS FALSE FROM (SELECT ")
		inner = p.Table.Columns
	}
	q.Write(schema.RowsetColumn, ", ", schema.OrdinalColumn, ", ")
	if p.lateralAction == nil {
		action(q)
	} else {
		q.Write(schema.ActionColumn)
	}
	if p.message != nil {
		q.Write(", ")
		p.message(q)
		q.Write(" AS ", schema.MessageColumn)
	}
	for _, col := range p.KeyColumns() {
		q.Write(", CAST(")
		t.writeColumn(q, c, col)
		q.Write(" AS ", col.Type.StorageSQL(), ") AS ", schema.Quote(schema.TouchedColumn+col.Name))
	}
	for _, col := range inner {
		if p.ConstantValue(col) != nil {
			continue
		}
		q.Write(", ")
		stored := checks == "" && col.Type.NeedsCast()
		if stored {
			q.Write("CAST(")
		}
		value(q, col)
		if stored {
			q.Write(" AS ", col.Type.StorageSQL(), ")")
		}
		q.Write(" AS ", schema.Quote(col.Name))
	}
	q.Write(" FROM ")
	from(q)
	if checks != "" {
		q.Write(") AS ", schema.Quote(p.Table.Name))
	}
}

// perRowColumn is the name of a column with a list, which makes DuckDB run a lateral sub-query for
// each row. DuckDB (1.5.5) runs a lateral sub-query once for each distinct combination of the outer
// columns that it reads. It cannot compare lists, so with a list among these columns it runs the
// sub-query once for each row.
const perRowColumn = "scoter_each." + schema.EachColumn

// writeActionChoice appends to FROM the lateral sub-query that computes the number of the action
// (the field lateralAction). It also appends a WHERE that drops the rows without an action.
func (p *Plan) writeActionChoice(q *clause.Query) {
	if p.perRow {
		q.Write(" CROSS JOIN (SELECT [0] AS ", schema.EachColumn, ") AS scoter_each")
	}
	if p.lateralAction != nil {
		q.Write(" CROSS JOIN LATERAL (SELECT ")
		p.lateralAction(q)
		if p.perRow {
			q.Write(" WHERE ", perRowColumn, " IS NOT NULL")
		}
		q.Write(") AS scoter_choice")
	}
	q.Write(" WHERE ", schema.ActionColumn, " IS NOT NULL")
}

// setEvaluation decides where the query computes the number of the action for a row. Each
// expression of an action needs an evaluation (a position in the query). The argument at is the
// largest of these. If it is statement.InSelectList, the select list computes the number, otherwise
// the lateral sub-query of the plan. The function action writes an expression for the number.
func (p *Plan) setEvaluation(at statement.Evaluation, action func(*clause.Query)) {
	if at != statement.InSelectList {
		p.lateralAction = action
	}
	p.perRow = p.perRow || at == statement.InLateralEach
}

// actionValue is an SQL expression for the value of a column, and the number of the action that
// sets it.
type actionValue struct {
	action int
	value  func(q *clause.Query)
}

// writeValueByAction appends a CASE expression for the new value of a column, which depends on the
// action for the row. The CASE has a branch for each element of the argument values. For all other
// actions, the function other writes the expression.
func writeValueByAction(q *clause.Query, of schema.Type, values []actionValue, other func(q *clause.Query)) {
	before, behind := "CASE "+schema.ActionColumn, " END"
	begin, end := "", ""
	if of.Caseless() {
		before, behind, begin, end = "("+before, behind+")[1]", "[", "]"
	}
	q.Write(before)
	for _, v := range values {
		q.Write(" WHEN ", strconv.Itoa(v.action), " THEN ", begin)
		v.value(q)
		q.Write(end)
	}
	q.Write(" ELSE ", begin)
	other(q)
	q.Write(end, behind)
}

// writeIsSuperseded appends an SQL condition that is true if the incoming version is lower than the
// existing one. Go code has the same rule in incoming.RowVersions.IsSuperseded. The function
// arriving writes the incoming version, and the function there writes the existing one.
func writeIsSuperseded(q *clause.Query, arriving, there func(*clause.Query)) {
	q.Write("(")
	arriving(q)
	q.Write(" < ")
	there(q)
	q.Write(" OR (")
	arriving(q)
	q.Write(") IS NULL AND ")
	there(q)
	q.Write(" IS NOT NULL)")
}
