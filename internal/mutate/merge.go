package mutate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// mergeClause is one WHEN clause of a MERGE: its condition and its action.
type mergeClause struct {
	when string // the text after WHEN, for errors
	// target says that the clause is for joined rows that have a row of the table.
	target bool
	// needsInput says that the clause is for joined rows that have a row of the source.
	needsInput bool
	condition  func(*composedQuery) // writes the condition; nil if there is none
	action     int                  // index in the plan's actions; -1 for DO NOTHING
	message    func(*composedQuery) // writes the message of an ERROR; nil if the clause has none
	// evaluation says where in the query the condition, the message and a new version are computed.
	evaluation evaluation
	values     map[base.ColumnID]func(*composedQuery)
}

// merge plans MERGE INTO t [AS a] USING source ON condition | USING (columns), with WHEN clauses
// and [RETURNING list].
func (x *dmlStatement) merge() (*rowPlan, error) {
	c := x.c
	c.at = c.statement.VerbIndex() + 1
	if !c.accept("INTO") {
		return nil, c.unexpected("INTO")
	}
	target, err := x.target("USING")
	if err != nil {
		return nil, err
	}
	if !c.accept("USING") {
		return nil, c.unexpected("USING")
	}
	input, join := mergeJoin(c.until("WHEN"))
	if len(join) == 0 {
		return nil, c.unexpected("ON or USING")
	}
	if err := x.checkRowwise(join[1:], "ON"); err != nil {
		return nil, err
	}
	p := &rowPlan{verb: "MERGE INTO", table: target.table, rejectsDuplicates: true, readsWholeTable: true, transient: x.transient}
	m := &mergeInput{dmlStatement: x, target: &target, tokens: input}
	var when []*mergeClause
	for c.accept("WHEN") {
		w, err := x.mergeClause(p, m)
		if err != nil {
			return nil, err
		}
		when = append(when, w)
	}
	if p.returning, err = x.returning(target); err != nil {
		return nil, err
	}
	if p.pending, err = x.pendingColumns(target.table); err != nil {
		return nil, err
	}
	p.chooseColumns()
	action := func(q *composedQuery) {
		writeMergeAction(q, c, when, &target)
		q.write(" AS ", schema.ActionColumn)
	}
	if slices.ContainsFunc(p.actions, func(a rowAction) bool { return a.kind == failRow }) {
		p.message = func(q *composedQuery) { writeMergeMessage(q, when) }
	}
	p.perRow = m.each
	for _, w := range when {
		p.setEvaluation(w.evaluation, action)
	}
	p.write(x, target, action, func(q *composedQuery, col schema.Column) {
		writeMergeValue(q, c, when, &target, col)
	}, func(q *composedQuery) {
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
func (x *dmlStatement) mergeClause(p *rowPlan, m *mergeInput) (*mergeClause, error) {
	c, from := x.c, x.c.at
	w := &mergeClause{target: true, needsInput: true, action: -1, values: map[base.ColumnID]func(*composedQuery){}}
	if c.accept("NOT") {
		w.target = false
	}
	if !c.accept("MATCHED") {
		return nil, c.unexpected("MATCHED")
	}
	switch {
	case w.target:
	case c.accept("BY", "SOURCE"):
		w.target, w.needsInput = true, false
	default:
		c.accept("BY", "TARGET")
	}
	w.when = strings.ToUpper(c.textOf(c.tokens()[from:c.at]))
	var err error
	if c.accept("AND") {
		condition := c.until("THEN")
		if w.condition, err = m.resolveSide(w, condition, true, func(q *composedQuery) { q.copyTokens(c, condition) }); err != nil {
			return nil, err
		}
	}
	if !c.accept("THEN") {
		return nil, c.unexpected("THEN")
	}
	switch {
	case c.accept("DO", "NOTHING"):
		return w, nil
	}
	if w.action = len(p.actions); w.action > math.MaxUint8 {
		return nil, base.Errorf(base.Invalid, "MERGE INTO has more than %d actions", math.MaxUint8+1).At(c.tokens()[from].Start + 1)
	}
	var a rowAction
	switch {
	case c.accept("ERROR"):
		if message := c.until("WHEN", "RETURNING"); len(message) > 0 {
			w.message, err = m.resolveSide(w, message, true, func(q *composedQuery) { q.copyTokens(c, message) })
		}
		a = rowAction{kind: failRow, name: w.when}
	case c.accept("DELETE"):
		a = rowAction{kind: deleteRow, name: "DELETE"}
	case c.accept("UPDATE"):
		a = rowAction{kind: updateRow, name: "UPDATE"}
		a.set, err = x.mergeUpdate(p, w, m)
	case c.accept("INSERT"):
		a = rowAction{kind: insertRow, name: "INSERT"}
		a.versioned, err = x.mergeInsert(p, w, m)
	default:
		err = c.unexpected("UPDATE, DELETE, INSERT, DO NOTHING or ERROR")
	}
	if err == nil && !w.target && (a.kind == updateRow || a.kind == deleteRow) {
		err = base.Errorf(base.Invalid, "WHEN %s cannot %s", w.when, a.name).At(c.tokens()[from].Start + 1)
	}
	p.actions = append(p.actions, a)
	return w, err
}

// mergeUpdate parses the rest of a WHEN clause after UPDATE. It has one of these forms: SET with a
// list of assignments; *; BY NAME; or BY POSITION. The last three forms assign the source's columns
// to the table's columns. The result set has the columns that the update sets.
func (x *dmlStatement) mergeUpdate(p *rowPlan, w *mergeClause, m *mergeInput) (set []base.ColumnID, err error) {
	c := x.c
	if c.accept("SET") && !c.accept("*") {
		assignments, err := x.assignments(p.table, c.until("WHEN", "RETURNING"))
		for _, a := range assignments {
			set = append(set, a.column.ID)
			if err == nil {
				w.values[a.column.ID], err = m.resolveSide(w, a.value, a.column.ID == p.table.RowVersion, func(q *composedQuery) { x.writeValue(q, a.value, a.column) })
			}
		}
		return set, err
	}
	columns, err := m.columnsFor(p.table, w)
	for _, col := range columns {
		set = append(set, col.ID)
	}
	return set, err
}

// mergeInsert parses the rest of a WHEN clause after INSERT. It has one of these forms: [(columns)]
// VALUES (values); DEFAULT VALUES; *; BY NAME; or BY POSITION. The last three forms assign the
// source's columns to the table's columns. versioned says whether the clause gives the inserted
// rows a version.
func (x *dmlStatement) mergeInsert(p *rowPlan, w *mergeClause, m *mergeInput) (versioned bool, err error) {
	c := x.c
	for _, col := range p.table.Columns {
		w.values[col.ID] = func(q *composedQuery) { q.write("CAST(", defaultOf(col), " AS ", col.Type.String(), ")") }
	}
	if c.accept("DEFAULT", "VALUES") {
		return false, nil
	}
	targets := p.table.Columns
	if c.peek("(") {
		names, err := c.brackets()
		if err != nil {
			return false, err
		}
		if targets, err = columnsNamed(p.table, names); err != nil {
			return false, err
		}
	}
	if !c.accept("VALUES") {
		columns, err := m.columnsFor(p.table, w)
		return schema.Contains(columns, p.table.RowVersion), err
	}
	at := c.at
	inner, err := c.brackets()
	if err != nil {
		return false, err
	}
	values := list(inner)
	if len(values) != len(targets) {
		return false, c.withPosition(base.Errorf(base.Invalid, "table %s takes %d values, but %d are given", p.table.QualifiedName(), len(targets), len(values)), at)
	}
	for i, col := range targets {
		if w.values[col.ID], err = m.resolveSide(w, values[i], false, func(q *composedQuery) { x.writeValue(q, values[i], col) }); err != nil {
			return false, err
		}
	}
	return schema.Contains(targets, p.table.RowVersion), nil
}

// writeMergeAction appends a CASE expression for the number of the action that a MERGE applies to a
// row. The number is NULL if no clause applies, or if an update would give the row a lower version.
func writeMergeAction(q *composedQuery, c *clauses, when []*mergeClause, t *target) {
	q.write("CASE")
	for _, w := range when {
		q.write(" WHEN ", schema.RowsetColumn, " IS ")
		if w.target {
			q.write("NOT ")
		}
		q.write("NULL")
		if byInput(when) {
			q.write(" AND ", schema.FoundColumn, " IS ")
			if w.needsInput {
				q.write("NOT ")
			}
			q.write("NULL")
		}
		if w.condition != nil {
			q.write(" AND (")
			w.condition(q)
			q.write(")")
		}
		version := w.values[t.table.RowVersion]
		switch {
		case w.action < 0:
			q.write(" THEN NULL")
		case version != nil && w.target:
			q.write(" THEN CASE WHEN ")
			there := t.table.Columns[t.table.ColumnByID(t.table.RowVersion)]
			writeIsSuperseded(q, version, func(q *composedQuery) { t.writeColumn(q, c, there) })
			q.write(" THEN NULL ELSE ", strconv.Itoa(w.action), " END")
		default:
			q.write(" THEN ", strconv.Itoa(w.action))
		}
	}
	q.write(" END")
}

// writeMergeMessage appends an expression for the error message of a row for which MERGE raises an
// error (action ERROR).
func writeMergeMessage(q *composedQuery, when []*mergeClause) {
	q.write("CASE ", schema.ActionColumn)
	for _, w := range when {
		if w.message != nil {
			q.write(" WHEN ", strconv.Itoa(w.action), " THEN CAST((")
			w.message(q)
			q.write(") AS VARCHAR)")
		}
	}
	q.write(" WHEN -1 THEN '' END")
}

// writeMergeValue appends an expression for the new value of a column in a MERGE. The value depends
// on the action for the row. If that action does not set the column, it is the old value.
func writeMergeValue(q *composedQuery, c *clauses, when []*mergeClause, t *target, col schema.Column) {
	var given []actionValue
	for _, w := range when {
		if value := w.values[col.ID]; value != nil {
			given = append(given, actionValue{w.action, value})
		}
	}
	old := func(q *composedQuery) { t.writeColumn(q, c, col) }
	if given == nil {
		old(q)
		return
	}
	writeValueByAction(q, col.Type, given, old)
}

func byInput(when []*mergeClause) bool {
	return slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.needsInput })
}

func writeMergeJoin(q *composedQuery, m *mergeInput, when []*mergeClause, join []sqltoken.Token) {
	unmatched := slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.target })
	switch {
	case unmatched && byInput(when):
		q.write(" FULL JOIN ")
	case unmatched:
		q.write(" RIGHT JOIN ")
	case byInput(when):
		q.write(" LEFT JOIN ")
	default:
		q.write(" JOIN ")
	}
	if byInput(when) {
		q.write("(")
	}
	m.write(q)
	if byInput(when) {
		q.write(" CROSS JOIN (SELECT TRUE AS ", schema.FoundColumn, ") AS scoter_marker)")
	}
	q.write(" ")
	q.copyTokens(m.c, join)
}
