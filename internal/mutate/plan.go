package mutate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// actionKind says what an action of a statement does with a row, such as update or delete.
type actionKind uint8

const (
	updateRow actionKind = iota
	deleteRow
	insertRow
	failRow // the statement fails if this action applies to a row (MERGE ... THEN ERROR)
)

// rowAction is one of the actions of a statement, such as an UPDATE of a MERGE. Only MERGE INTO may
// have several.
type rowAction struct {
	kind actionKind
	name string          // the value of merge_action in a RETURNING list
	set  []base.ColumnID // the columns that an update sets
	// versioned says that the action gives inserted rows a version. An inserted row without a
	// version counts as newer than the existing row of its key.
	versioned bool
}

// rowPlan is the plan of a statement that changes rows: a query that finds the rows and computes
// their new values, and the actions to apply to the rows. The query yields the columns that the
// method head lists, then the columns of the field columns. If the table has CHECK constraints, the
// last column says whether the row violates one.
type rowPlan struct {
	verb    string
	table   schema.Table
	query   composedQuery
	target  int // byte offset of the table's name in the query
	actions []rowAction
	columns []schema.Column // the columns whose values the query yields
	// changesPlacement says that an update changes where a row is stored (its partition or
	// position). Then the row is deleted and inserted again.
	changesPlacement bool
	// yieldsKeys says that the query also yields the keys of existing rows. The committer compares
	// these keys with the keys of rows that were inserted since the snapshot. See
	// engine.Change.Keys.
	yieldsKeys bool
	// lateralAction writes an SQL expression for the number of the action for a row. It is set if a
	// lateral sub-query computes the number, and nil if the select list computes it.
	lateralAction func(*composedQuery)
	// perRow says that the lateral sub-query of lateralAction must run for each row. See
	// perRowColumn.
	perRow bool
	// rejectsDuplicates says that it is an error if the statement changes a row twice. If it is
	// false, the first of the changes is applied, and the row counts once.
	rejectsDuplicates bool
	// message writes an expression for the error message of rows with the action failRow. It is nil
	// if no action is failRow.
	message func(*composedQuery)
	// readsWholeTable says that any row inserted since the snapshot could have changed the result
	// of the statement. So each such row is a conflict, whatever its values are.
	readsWholeTable bool
	// readsKeysOnly says that the query read only the keys of the rows that the statement does not
	// change. The committer always compares these keys with inserted rows.
	readsKeysOnly bool
	// conditionColumns are the columns of the table that conditions of actions name (MERGE ... WHEN
	// ... AND). It does not include the columns that decide which rows the query finds.
	conditionColumns []base.ColumnID
	// pending are the columns of the table that expression updates (UPDATEs that are stored as SQL)
	// set, and for which no merge has written the results yet.
	pending   []base.ColumnID
	key       *keyCondition // not nil if the statement looks for the rows of one key
	transient *sqlquery.Transient
	returning returning
}

// head lists the first columns of the query, which come before the values: the row's address (NULL
// for a new row) and the number of the action. In some plans the error message and the key columns
// of existing rows follow.
func (p *rowPlan) head() []string {
	names := []string{schema.RowsetColumn, schema.OrdinalColumn, schema.ActionColumn}
	if p.message != nil {
		names = append(names, schema.MessageColumn)
	}
	for _, c := range p.keyColumns() {
		names = append(names, schema.Quote(schema.TouchedColumn+c.Name))
	}
	return names
}

// keyColumns returns the columns of the key that the query yields for existing rows. If the field
// yieldsKeys is false, there are none.
func (p *rowPlan) keyColumns() []schema.Column {
	if !p.yieldsKeys {
		return nil
	}
	return keys.Columns(p.table, p.table.PrimaryKey)[:len(p.table.PrimaryKey)]
}

// conflictsOnKey reports whether an action conflicts with rows of the same key that were inserted
// since the snapshot.
func (p *rowPlan) conflictsOnKey(a rowAction) bool {
	return p.yieldsKeys && (a.kind == deleteRow || a.kind == updateRow && (p.changesPlacement || slices.Contains(a.set, p.table.RowVersion)))
}

// constantValue returns the value of a column if it is the same for all rows and known without the
// query. The value is an array of length 1. constantValue returns nil if the query yields the
// column's values.
func (p *rowPlan) constantValue(c schema.Column) arrow.Array {
	if p.key == nil {
		return nil
	}
	return p.key.assigned[c.ID]
}

// onlyDeletes reports whether the statement only deletes rows, and needs only the addresses of
// these rows.
func (p *rowPlan) onlyDeletes() bool {
	return len(p.actions) == 1 && p.actions[0].kind == deleteRow && !p.rejectsDuplicates && p.returning.none() && !p.yieldsKeys
}

// chooseColumns decides for which columns the query yields values: the columns that the actions
// set, or all columns if an action needs whole rows. For an update it adds the pending columns
// (with a stored expression that no merge has applied yet).
func (p *rowPlan) chooseColumns() {
	for i := range p.actions {
		for _, id := range p.pending {
			if a := &p.actions[i]; a.kind == updateRow && !slices.Contains(a.set, id) {
				a.set = append(a.set[:len(a.set):len(a.set)], id)
			}
		}
	}
	set := map[base.ColumnID]bool{}
	whole := !p.returning.none()
	for _, a := range p.actions {
		whole = whole || a.kind == insertRow
		for _, id := range a.set {
			set[id] = true
			p.changesPlacement = p.changesPlacement || p.table.InKey(id)
		}
	}
	for _, c := range p.table.Columns {
		if whole || p.changesPlacement || set[c.ID] {
			p.columns = append(p.columns, c)
		}
	}
	p.yieldsKeys = p.table.MergeOnRead && p.table.RowVersion != 0
	p.yieldsKeys = slices.ContainsFunc(p.actions, p.conflictsOnKey)
}

// changesKey reports whether an action of the plan changes the primary key of rows.
func (p *rowPlan) changesKey() bool {
	return slices.ContainsFunc(p.actions, func(a rowAction) bool {
		return slices.ContainsFunc(a.set, func(id base.ColumnID) bool { return slices.Contains(p.table.PrimaryKey, id) })
	})
}

// write composes the query of the plan. It calls functions that append SQL to the query:
//   - action appends the number of the action, as a column with its alias.
//   - value appends the new value of a column, in its declared type.
//   - from appends the text behind FROM, including the target table.
func (p *rowPlan) write(x *dmlStatement, t target, action func(*composedQuery), value func(*composedQuery, schema.Column), from func(*composedQuery)) {
	q, c := &p.query, x.c
	q.write(x.explain)
	q.copy(c, 0, c.statement.VerbIndex()) // CTEs
	q.write(" SELECT ")
	checks := ""
	if slices.ContainsFunc(p.actions, func(a rowAction) bool { return a.kind == updateRow || a.kind == insertRow }) {
		checks = p.table.Condition()
	}
	inner := p.columns
	if checks != "" {
		// The checks are evaluated in a query around the query that computes the values, because
		// they may name any column, in its declared type.
		q.write(strings.Join(p.head(), ", "))
		for _, col := range p.columns {
			q.write(", ", storedExpression(col))
		}
		q.write(", (", checks, ") IS FALSE FROM (SELECT ")
		inner = p.table.Columns
	}
	q.write(schema.RowsetColumn, ", ", schema.OrdinalColumn, ", ")
	if p.lateralAction == nil {
		action(q)
	} else {
		q.write(schema.ActionColumn)
	}
	if p.message != nil {
		q.write(", ")
		p.message(q)
		q.write(" AS ", schema.MessageColumn)
	}
	for _, col := range p.keyColumns() {
		q.write(", CAST(")
		t.writeColumn(q, c, col)
		q.write(" AS ", col.Type.StorageSQL(), ") AS ", schema.Quote(schema.TouchedColumn+col.Name))
	}
	for _, col := range inner {
		if p.constantValue(col) != nil {
			continue
		}
		q.write(", ")
		stored := checks == "" && col.Type.NeedsCast()
		if stored {
			q.write("CAST(")
		}
		value(q, col)
		if stored {
			q.write(" AS ", col.Type.StorageSQL(), ")")
		}
		q.write(" AS ", schema.Quote(col.Name))
	}
	q.write(" FROM ")
	from(q)
	if checks != "" {
		q.write(") AS ", schema.Quote(p.table.Name))
	}
}

// perRowColumn is the name of a column with a list, which makes DuckDB run a lateral sub-query for
// each row. DuckDB (1.5.5) runs a lateral sub-query once for each distinct combination of the outer
// columns that it reads. It cannot compare lists, so with a list among these columns it runs the
// sub-query once for each row.
const perRowColumn = "scoter_each." + schema.EachColumn

// writeActionChoice appends to FROM the lateral sub-query that computes the number of the action
// (the field lateralAction). It also appends a WHERE that drops the rows without an action.
func (p *rowPlan) writeActionChoice(q *composedQuery) {
	if p.perRow {
		q.write(" CROSS JOIN (SELECT [0] AS ", schema.EachColumn, ") AS scoter_each")
	}
	if p.lateralAction != nil {
		q.write(" CROSS JOIN LATERAL (SELECT ")
		p.lateralAction(q)
		if p.perRow {
			q.write(" WHERE ", perRowColumn, " IS NOT NULL")
		}
		q.write(") AS scoter_choice")
	}
	q.write(" WHERE ", schema.ActionColumn, " IS NOT NULL")
}

// evaluation is a position in a plan's query. It says where the query computes an expression that
// decides which action applies to a row.
type evaluation uint8

const (
	// inSelectList: in the select list. Conditions refer to the action by its alias.
	inSelectList evaluation = iota
	// inLateral: in a lateral sub-query. This is for expressions that have a sub-query themselves,
	// because DuckDB (1.5.5) cannot resolve an alias to such an expression.
	inLateral
	// inLateralEach: in a lateral sub-query that runs for each row. This is for expressions that
	// call a volatile function, such as random(). In the select list, each use of the alias would
	// compute the expression again.
	inLateralEach
)

// evaluationOf takes an expression that decides which action applies to a row. It returns the
// position in the query at which the expression must be computed, such as inSelectList.
func (x *statement) evaluationOf(expression []sqltoken.Token) (p evaluation, err error) {
	var known map[string]function
	for i, t := range expression {
		switch {
		case t.Is("SELECT"), t.Is("FROM"), t.Is("VALUES"), t.Is("TABLE"), t.Is("WITH"):
			p = max(p, inLateral)
		case t.IsName() && i+1 < len(expression) && expression[i+1].Is("("):
			if known == nil {
				if known, err = x.functions.of(x.ctx, x.pool); err != nil {
					return p, err
				}
			}
			if known[schema.Fold(t.Name())].volatile {
				p = inLateralEach
			}
		}
	}
	return p, nil
}

// setEvaluation decides where the query computes the number of the action for a row. Each
// expression of an action needs an evaluation (a position in the query). The argument at is the
// largest of these. If it is inSelectList, the select list computes the number, otherwise the
// lateral sub-query of the plan. The function action writes an expression for the number.
func (p *rowPlan) setEvaluation(at evaluation, action func(*composedQuery)) {
	if at != inSelectList {
		p.lateralAction = action
	}
	p.perRow = p.perRow || at == inLateralEach
}

// actionValue is an SQL expression for the value of a column, and the number of the action that
// sets it.
type actionValue struct {
	action int
	value  func(q *composedQuery)
}

// writeValueByAction appends a CASE expression for the new value of a column, which depends on the
// action for the row. The CASE has a branch for each element of the argument values. For all other
// actions, the function other writes the expression.
func writeValueByAction(q *composedQuery, of schema.Type, values []actionValue, other func(q *composedQuery)) {
	before, behind := "CASE "+schema.ActionColumn, " END"
	begin, end := "", ""
	if of.Caseless() {
		before, behind, begin, end = "("+before, behind+")[1]", "[", "]"
	}
	q.write(before)
	for _, v := range values {
		q.write(" WHEN ", strconv.Itoa(v.action), " THEN ", begin)
		v.value(q)
		q.write(end)
	}
	q.write(" ELSE ", begin)
	other(q)
	q.write(end, behind)
}
