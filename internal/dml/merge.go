package dml

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// mergeClause is one WHEN clause of a MERGE: its condition and its action.
type mergeClause struct {
	when string // the text after WHEN, for errors
	// target says that the clause is for joined rows that have a row of the table.
	target bool
	// needsInput says that the clause is for joined rows that have a row of the source.
	needsInput bool
	condition  func(*clause.Query) // writes the condition; nil if there is none
	action     int                 // index in the plan's actions; -1 for DO NOTHING
	message    func(*clause.Query) // writes the message of an ERROR; nil if the clause has none
	// evaluation says where in the query the condition, the message and a new version are computed.
	evaluation statement.Evaluation
	values     map[base.ColumnID]func(*clause.Query)
}

// Merge plans MERGE INTO t [AS a] USING source ON condition | USING (columns), with WHEN clauses
// and [RETURNING list].
func (x *Statement) Merge() (*Plan, error) {
	c := x.Reader
	c.At = c.Statement.VerbIndex() + 1
	if !c.Accept("INTO") {
		return nil, c.Unexpected("INTO")
	}
	target, err := x.target("USING")
	if err != nil {
		return nil, err
	}
	if !c.Accept("USING") {
		return nil, c.Unexpected("USING")
	}
	input, join := mergeJoin(c.Until("WHEN"))
	if len(join) == 0 {
		return nil, c.Unexpected("ON or USING")
	}
	if err := x.CheckRowwise(join[1:], "ON"); err != nil {
		return nil, err
	}
	p := &Plan{Verb: "MERGE INTO", Table: target.Table, RejectsDuplicates: true, readsWholeTable: true, Transient: x.Transient}
	m := &mergeInput{Statement: x, target: &target, tokens: input}
	var when []*mergeClause
	for c.Accept("WHEN") {
		w, err := x.mergeClause(p, m)
		if err != nil {
			return nil, err
		}
		when = append(when, w)
	}
	if p.Returning, err = x.returning(target); err != nil {
		return nil, err
	}
	if p.Pending, err = x.pendingColumns(target.Table); err != nil {
		return nil, err
	}
	p.ChooseColumns()
	action := func(q *clause.Query) {
		writeMergeAction(q, c, when, &target)
		q.Write(" AS ", schema.ActionColumn)
	}
	if slices.ContainsFunc(p.Actions, func(a Action) bool { return a.Kind == FailRow }) {
		p.message = func(q *clause.Query) { writeMergeMessage(q, when) }
	}
	p.perRow = m.each
	for _, w := range when {
		p.setEvaluation(w.evaluation, action)
	}
	p.Write(x, target, action, func(q *clause.Query, col schema.Column) {
		writeMergeValue(q, c, when, &target, col)
	}, func(q *clause.Query) {
		p.writeTarget(q, x, target, input)
		writeMergeJoin(q, m, when, join)
		p.writeActionChoice(q)
	})
	return p, nil
}

// mergeJoin splits the tokens behind MERGE's USING into the input and its join condition.
func mergeJoin(tokens []sqltoken.Token) (input, join []sqltoken.Token) {
	for i := len(tokens) - 1; i > 0; i-- {
		if t := tokens[i]; t.Depth == 0 && (t.Is("ON") || t.Is("USING")) && !tokens[i-1].Is(".") {
			return tokens[:i], tokens[i:]
		}
	}
	return tokens, nil
}

// mergeClause parses a WHEN clause of a MERGE, from the token after WHEN on.
func (x *Statement) mergeClause(p *Plan, m *mergeInput) (*mergeClause, error) {
	c, from := x.Reader, x.Reader.At
	w := &mergeClause{target: true, needsInput: true, action: -1, values: map[base.ColumnID]func(*clause.Query){}}
	if c.Accept("NOT") {
		w.target = false
	}
	if !c.Accept("MATCHED") {
		return nil, c.Unexpected("MATCHED")
	}
	switch {
	case w.target:
	case c.Accept("BY", "SOURCE"):
		w.target, w.needsInput = true, false
	default:
		c.Accept("BY", "TARGET")
	}
	w.when = strings.ToUpper(c.TextOf(c.Tokens()[from:c.At]))
	var err error
	if c.Accept("AND") {
		condition := c.Until("THEN")
		if w.condition, err = m.resolveSide(w, condition, true, func(q *clause.Query) { q.CopyTokens(c, condition) }); err != nil {
			return nil, err
		}
	}
	if !c.Accept("THEN") {
		return nil, c.Unexpected("THEN")
	}
	switch {
	case c.Accept("DO", "NOTHING"):
		return w, nil
	}
	if w.action = len(p.Actions); w.action > math.MaxUint8 {
		return nil, base.Errorf(base.Invalid, "MERGE INTO has more than %d actions", math.MaxUint8+1).At(c.Tokens()[from].Start + 1)
	}
	var a Action
	switch {
	case c.Accept("ERROR"):
		if message := c.Until("WHEN", "RETURNING"); len(message) > 0 {
			w.message, err = m.resolveSide(w, message, true, func(q *clause.Query) { q.CopyTokens(c, message) })
		}
		a = Action{Kind: FailRow, Name: w.when}
	case c.Accept("DELETE"):
		a = Action{Kind: DeleteRow, Name: "DELETE"}
	case c.Accept("UPDATE"):
		a = Action{Kind: UpdateRow, Name: "UPDATE"}
		a.Set, err = x.mergeUpdate(p, w, m)
	case c.Accept("INSERT"):
		a = Action{Kind: InsertRow, Name: "INSERT"}
		a.Versioned, err = x.mergeInsert(p, w, m)
	default:
		err = c.Unexpected("UPDATE, DELETE, INSERT, DO NOTHING or ERROR")
	}
	if err == nil && !w.target && (a.Kind == UpdateRow || a.Kind == DeleteRow) {
		err = base.Errorf(base.Invalid, "WHEN %s cannot %s", w.when, a.Name).At(c.Tokens()[from].Start + 1)
	}
	p.Actions = append(p.Actions, a)
	return w, err
}

// mergeUpdate parses the rest of a WHEN clause after UPDATE. It has one of these forms: SET with a
// list of assignments; *; BY NAME; or BY POSITION. The last three forms assign the source's columns
// to the table's columns. The result set has the columns that the update sets.
func (x *Statement) mergeUpdate(p *Plan, w *mergeClause, m *mergeInput) (set []base.ColumnID, err error) {
	c := x.Reader
	if c.Accept("SET") && !c.Accept("*") {
		assignments, err := x.assignments(p.Table, c.Until("WHEN", "RETURNING"))
		for _, a := range assignments {
			set = append(set, a.column.ID)
			if err == nil {
				w.values[a.column.ID], err = m.resolveSide(w, a.value, a.column.ID == p.Table.RowVersion, func(q *clause.Query) { x.writeValue(q, a.value, a.column) })
			}
		}
		return set, err
	}
	columns, err := m.columnsFor(p.Table, w)
	for _, col := range columns {
		set = append(set, col.ID)
	}
	return set, err
}

// mergeInsert parses the rest of a WHEN clause after INSERT. It has one of these forms: [(columns)]
// VALUES (values); DEFAULT VALUES; *; BY NAME; or BY POSITION. The last three forms assign the
// source's columns to the table's columns. versioned says whether the clause gives the inserted
// rows a version.
func (x *Statement) mergeInsert(p *Plan, w *mergeClause, m *mergeInput) (versioned bool, err error) {
	c := x.Reader
	for _, col := range p.Table.Columns {
		w.values[col.ID] = func(q *clause.Query) { q.Write("CAST(", statement.DefaultOf(col), " AS ", col.Type.String(), ")") }
	}
	if c.Accept("DEFAULT", "VALUES") {
		return false, nil
	}
	targets := p.Table.Columns
	if c.Peek("(") {
		names, err := c.Brackets()
		if err != nil {
			return false, err
		}
		if targets, err = columnsNamed(p.Table, names); err != nil {
			return false, err
		}
	}
	if !c.Accept("VALUES") {
		columns, err := m.columnsFor(p.Table, w)
		return schema.Contains(columns, p.Table.RowVersion), err
	}
	at := c.At
	inner, err := c.Brackets()
	if err != nil {
		return false, err
	}
	values := clause.List(inner)
	if len(values) != len(targets) {
		return false, c.WithPosition(base.Errorf(base.Invalid, "table %s takes %d values, but %d are given", p.Table.QualifiedName(), len(targets), len(values)), at)
	}
	for i, col := range targets {
		if w.values[col.ID], err = m.resolveSide(w, values[i], false, func(q *clause.Query) { x.writeValue(q, values[i], col) }); err != nil {
			return false, err
		}
	}
	return schema.Contains(targets, p.Table.RowVersion), nil
}

// writeMergeAction appends a CASE expression for the number of the action that a MERGE applies to a
// row. The number is NULL if no clause applies, or if an update would give the row a lower version.
func writeMergeAction(q *clause.Query, c *clause.Reader, when []*mergeClause, t *Target) {
	q.Write("CASE")
	for _, w := range when {
		q.Write(" WHEN ", schema.RowsetColumn, " IS ")
		if w.target {
			q.Write("NOT ")
		}
		q.Write("NULL")
		if byInput(when) {
			q.Write(" AND ", schema.FoundColumn, " IS ")
			if w.needsInput {
				q.Write("NOT ")
			}
			q.Write("NULL")
		}
		if w.condition != nil {
			q.Write(" AND (")
			w.condition(q)
			q.Write(")")
		}
		version := w.values[t.Table.RowVersion]
		switch {
		case w.action < 0:
			q.Write(" THEN NULL")
		case version != nil && w.target:
			q.Write(" THEN CASE WHEN ")
			there := t.Table.Columns[t.Table.ColumnByID(t.Table.RowVersion)]
			writeIsSuperseded(q, version, func(q *clause.Query) { t.writeColumn(q, c, there) })
			q.Write(" THEN NULL ELSE ", strconv.Itoa(w.action), " END")
		default:
			q.Write(" THEN ", strconv.Itoa(w.action))
		}
	}
	q.Write(" END")
}

// writeMergeMessage appends an expression for the error message of a row for which MERGE raises an
// error (action ERROR).
func writeMergeMessage(q *clause.Query, when []*mergeClause) {
	q.Write("CASE ", schema.ActionColumn)
	for _, w := range when {
		if w.message != nil {
			q.Write(" WHEN ", strconv.Itoa(w.action), " THEN CAST((")
			w.message(q)
			q.Write(") AS VARCHAR)")
		}
	}
	q.Write(" WHEN -1 THEN '' END")
}

// writeMergeValue appends an expression for the new value of a column in a MERGE. The value depends
// on the action for the row. If that action does not set the column, it is the old value.
func writeMergeValue(q *clause.Query, c *clause.Reader, when []*mergeClause, t *Target, col schema.Column) {
	var given []actionValue
	for _, w := range when {
		if value := w.values[col.ID]; value != nil {
			given = append(given, actionValue{w.action, value})
		}
	}
	old := func(q *clause.Query) { t.writeColumn(q, c, col) }
	if given == nil {
		old(q)
		return
	}
	writeValueByAction(q, col.Type, given, old)
}

func byInput(when []*mergeClause) bool {
	return slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.needsInput })
}

func writeMergeJoin(q *clause.Query, m *mergeInput, when []*mergeClause, join []sqltoken.Token) {
	unmatched := slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.target })
	switch {
	case unmatched && byInput(when):
		q.Write(" FULL JOIN ")
	case unmatched:
		q.Write(" RIGHT JOIN ")
	case byInput(when):
		q.Write(" LEFT JOIN ")
	default:
		q.Write(" JOIN ")
	}
	if byInput(when) {
		q.Write("(")
	}
	m.write(q)
	if byInput(when) {
		q.Write(" CROSS JOIN (SELECT TRUE AS ", schema.FoundColumn, ") AS scoter_marker)")
	}
	q.Write(" ")
	q.CopyTokens(m.Reader, join)
}
