package mutate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// foundColumn is true where a row of MERGE's join has a source, else NULL.
const foundColumn = "scoter_found"

// mergeClause is one WHEN of a MERGE: when it applies, and what it does.
type mergeClause struct {
	when      string // in words, for errors
	target    bool   // there is a row of the table
	source    bool   // there is a row of the source
	condition []sqltoken.Token
	action    int              // of the plan, -1 for none
	message   []sqltoken.Token // of an ERROR, if given
	values    map[base.ColumnID]func(*composition)
}

// merge plans MERGE INTO t [AS a] USING source ON condition | USING (columns), and WHEN clauses,
// [RETURNING list].
func (x *execution) merge() (*rowPlan, error) {
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
	source, join := mergeJoin(c.until("WHEN"))
	if len(join) == 0 {
		return nil, c.unexpected("ON or USING")
	}
	p := &rowPlan{verb: "MERGE INTO", table: target.table, once: true, readsAll: true, transient: x.transient}
	m := &mergeSource{execution: x, tokens: source}
	var when []*mergeClause
	for c.accept("WHEN") {
		w, err := x.mergeClause(p, m)
		if err != nil {
			return nil, err
		}
		when = append(when, w)
	}
	p.returning = c.returning(target.alias)
	if err := c.end(); err != nil {
		return nil, err
	}
	if p.pending, err = x.pendingColumns(target.table); err != nil {
		return nil, err
	}
	p.chooseColumns()
	p.write(x, target, func(q *composition) {
		writeMergeAction(q, c, when, &target)
		q.write(" AS ", actionColumn)
		if p.fails {
			q.write(", ")
			writeMergeMessage(q, c, when)
			q.write(" AS ", messageColumn)
		}
	}, func(q *composition, col schema.Column) {
		writeMergeValue(q, c, when, &target, col)
	}, func(q *composition) {
		p.writeTarget(q, x, target)
		writeMergeJoin(q, c, when, source, join)
		q.write(" WHERE ", actionColumn, " IS NOT NULL")
	})
	return p, nil
}

// mergeJoin cuts what stands behind MERGE's USING into the source and its join with the table.
func mergeJoin(tokens []sqltoken.Token) (source, join []sqltoken.Token) {
	for i := len(tokens) - 1; i > 0; i-- {
		if t := tokens[i]; t.Depth == 0 && (t.Is("ON") || t.Is("USING")) {
			return tokens[:i], tokens[i:]
		}
	}
	return tokens, nil
}

// mergeClause reads what stands behind WHEN.
func (x *execution) mergeClause(p *rowPlan, m *mergeSource) (*mergeClause, error) {
	c, from := x.c, x.c.at
	w := &mergeClause{target: true, source: true, action: -1, values: map[base.ColumnID]func(*composition){}}
	if c.accept("NOT") {
		w.target = false
	}
	if !c.accept("MATCHED") {
		return nil, c.unexpected("MATCHED")
	}
	switch {
	case w.target:
	case c.accept("BY", "SOURCE"):
		w.target, w.source = true, false
	default:
		c.accept("BY", "TARGET")
	}
	w.when = strings.ToUpper(c.textOf(c.tokens()[from:c.at]))
	if c.accept("AND") {
		w.condition = c.until("THEN")
	}
	if !c.accept("THEN") {
		return nil, c.unexpected("THEN")
	}
	switch {
	case c.accept("DO", "NOTHING"):
		return w, nil
	}
	w.action = len(p.actions)
	var err error
	var a rowAction
	switch {
	case c.accept("ERROR"):
		w.message = c.until("WHEN", "RETURNING")
		p.fails = true
		a = rowAction{kind: failRow, name: w.when}
	case c.accept("DELETE"):
		a = rowAction{kind: deleteRow, name: "DELETE"}
	case c.accept("UPDATE"):
		a = rowAction{kind: updateRow, name: "UPDATE"}
		a.set, err = x.mergeUpdate(p, w, m)
	case c.accept("INSERT"):
		a = rowAction{kind: insertRow, name: "INSERT"}
		err = x.mergeInsert(p, w, m)
	default:
		err = c.unexpected("UPDATE, DELETE, INSERT, DO NOTHING or ERROR")
	}
	if err == nil && !w.target && (a.kind == updateRow || a.kind == deleteRow) {
		err = base.Errorf(base.Invalid, "WHEN %s cannot %s", w.when, a.name).At(c.tokens()[from].Start + 1)
	}
	p.actions = append(p.actions, a)
	return w, err
}

// mergeUpdate reads what stands behind UPDATE: SET with a list or *, or BY NAME or BY POSITION, which
// take the source's columns.
func (x *execution) mergeUpdate(p *rowPlan, w *mergeClause, m *mergeSource) (set []base.ColumnID, err error) {
	c := x.c
	if c.accept("SET") && !c.accept("*") {
		assignments, err := x.assignments(p.table, c.until("WHEN", "RETURNING"))
		for _, a := range assignments {
			set = append(set, a.column.ID)
			w.values[a.column.ID] = func(q *composition) { x.writeValue(q, a.value, a.column) }
		}
		return set, err
	}
	columns, err := m.columnsFor(p.table, w)
	for _, col := range columns {
		set = append(set, col.ID)
	}
	return set, err
}

// mergeInsert reads what stands behind INSERT: [(columns)] VALUES (values), DEFAULT VALUES, or * and its like,
// which take the source's columns.
func (x *execution) mergeInsert(p *rowPlan, w *mergeClause, m *mergeSource) error {
	c := x.c
	for _, col := range p.table.Columns {
		w.values[col.ID] = func(q *composition) { q.write("CAST(", defaultOf(col), " AS ", col.Type.String(), ")") }
	}
	if c.accept("DEFAULT", "VALUES") {
		return nil
	}
	targets := p.table.Columns
	if c.peek("(") {
		names, err := c.brackets()
		if err != nil {
			return err
		}
		if targets, err = columnsNamed(p.table, names); err != nil {
			return err
		}
	}
	if !c.accept("VALUES") {
		_, err := m.columnsFor(p.table, w)
		return err
	}
	at := c.at
	inner, err := c.brackets()
	if err != nil {
		return err
	}
	values := list(inner)
	if len(values) != len(targets) {
		return c.placed(base.Errorf(base.Invalid, "table %s takes %d values, %d are given", p.table.QualifiedName(), len(targets), len(values)), at)
	}
	for i, col := range targets {
		w.values[col.ID] = func(q *composition) { x.writeValue(q, values[i], col) }
	}
	return nil
}

// mergeSource is the table, query or function behind MERGE's USING.
type mergeSource struct {
	*execution
	tokens  []sqltoken.Token
	columns []string // once asked for
}

// columnsFor makes the source's columns the values of the table's, by position or by name, as the
// statement says next, and returns these.
func (m *mergeSource) columnsFor(t schema.Table, w *mergeClause) ([]schema.Column, error) {
	c := m.c
	at := c.at
	byName := c.accept("BY", "NAME")
	_ = byName || c.accept("BY", "POSITION")
	c.accept("*")
	if m.columns == nil {
		var q composition
		q.copy(c, 0, c.statement.VerbIndex())
		q.write(" SELECT * FROM ")
		q.copyTokens(c, m.tokens)
		var err error
		if m.columns, err = m.planner.Columns(m.ctx, m.selects(&q)); err != nil {
			return nil, q.placed(err)
		}
	}
	columns := t.Columns
	if byName {
		var err error
		if columns, err = columnsCalled(t, m.columns); err != nil {
			return nil, err
		}
	} else if len(columns) != len(m.columns) {
		return nil, c.placed(base.Errorf(base.Invalid, "table %s takes %d values, the source has %d columns", t.QualifiedName(), len(columns), len(m.columns)), at-1)
	}
	alias := sourceAlias(m.tokens)
	for i, col := range columns {
		w.values[col.ID] = func(q *composition) {
			q.write("CAST(", schema.Quote(alias), ".", schema.Quote(m.columns[i]), " AS ", col.Type.String(), ")")
		}
	}
	return columns, nil
}

// sourceAlias returns the name by which a table, query or function behind FROM is called.
func sourceAlias(tokens []sqltoken.Token) string {
	c := clauses{statement: sqltoken.Statement{Tokens: tokens}}
	name := ""
	if parts, next := sqltoken.QualifiedName(tokens, 0); next > 0 {
		name, c.at = parts[len(parts)-1], next
	}
	if c.peek("(") {
		if end := sqltoken.Next(tokens, c.at+1, tokens[c.at].Depth, ")"); end > 0 {
			c.at = end + 1
		}
	}
	c.accept("AS")
	if !c.done() && c.tokens()[c.at].IsName() {
		name = c.tokens()[c.at].Name()
	}
	return name
}

// writeMergeAction appends the number of the action that applies to a row. An update to a lower version does not.
func writeMergeAction(q *composition, c *clauses, when []*mergeClause, t *target) {
	q.write("CASE")
	for _, w := range when {
		q.write(" WHEN ", sourceColumn, " IS ")
		if w.target {
			q.write("NOT ")
		}
		q.write("NULL")
		if bySource(when) {
			q.write(" AND ", foundColumn, " IS ")
			if w.source {
				q.write("NOT ")
			}
			q.write("NULL")
		}
		if len(w.condition) > 0 {
			q.write(" AND (")
			q.copyTokens(c, w.condition)
			q.write(")")
		}
		version := w.values[t.table.RowVersion]
		switch {
		case w.action < 0:
			q.write(" THEN NULL")
		case version != nil && w.target:
			q.write(" THEN CASE WHEN ")
			there := t.table.Columns[t.table.ColumnByID(t.table.RowVersion)]
			writeOlder(q, version, func(q *composition) { t.writeColumn(q, c, there) })
			q.write(" THEN NULL ELSE ", strconv.Itoa(w.action), " END")
		default:
			q.write(" THEN ", strconv.Itoa(w.action))
		}
	}
	q.write(" END")
}

// writeMergeMessage appends what the statement fails with for a row.
func writeMergeMessage(q *composition, c *clauses, when []*mergeClause) {
	q.write("CASE ", actionColumn)
	for _, w := range when {
		if len(w.message) > 0 {
			q.write(" WHEN ", strconv.Itoa(w.action), " THEN CAST((")
			q.copyTokens(c, w.message)
			q.write(") AS VARCHAR)")
		}
	}
	q.write(" WHEN -1 THEN '' END")
}

// writeMergeValue appends what a column's value is with the action that applies. Where that sets none
// it is the old one.
func writeMergeValue(q *composition, c *clauses, when []*mergeClause, t *target, col schema.Column) {
	given := slices.ContainsFunc(when, func(w *mergeClause) bool { return w.values[col.ID] != nil })
	if given {
		q.write("CASE ", actionColumn)
	}
	for _, w := range when {
		if value := w.values[col.ID]; value != nil {
			q.write(" WHEN ", strconv.Itoa(w.action), " THEN ")
			value(q)
		}
	}
	if given {
		q.write(" ELSE ")
	}
	t.writeColumn(q, c, col)
	if given {
		q.write(" END")
	}
}

func bySource(when []*mergeClause) bool {
	return slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.source })
}

func writeMergeJoin(q *composition, c *clauses, when []*mergeClause, source, join []sqltoken.Token) {
	unmatched := slices.ContainsFunc(when, func(w *mergeClause) bool { return !w.target })
	switch {
	case unmatched && bySource(when):
		q.write(" FULL JOIN ")
	case unmatched:
		q.write(" RIGHT JOIN ")
	case bySource(when):
		q.write(" LEFT JOIN ")
	default:
		q.write(" JOIN ")
	}
	if bySource(when) {
		q.write("(")
	}
	q.copyTokens(c, source)
	if bySource(when) {
		q.write(" CROSS JOIN (SELECT TRUE AS ", foundColumn, ") AS scoter_marker)")
	}
	q.write(" ")
	q.copyTokens(c, join)
}
