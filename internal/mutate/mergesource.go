package mutate

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// mergeSource is the table, query or function behind MERGE's USING.
type mergeSource struct {
	*execution
	target  *target
	tokens  []sqltoken.Token
	columns []string // once asked for
	each    bool     // something that within puts into a row is to be computed for each row of the join
}

// sideTable is what within calls the only row that its expression sees.
const sideTable = "scoter_side"

// within returns how to write an expression of a clause. Where a clause has only one side, a name that both have means that side's: such names
// become columns of a row around the expression, which hides the others. decides says that it has a say in which action applies.
func (m *mergeSource) within(w *mergeClause, expression []sqltoken.Token, decides bool, write func(*composition)) (func(*composition), error) {
	placing, err := m.placingOf(expression)
	if err != nil {
		return nil, err
	}
	if decides {
		w.placing = max(w.placing, placing)
	}
	alias := sourceAlias(m.tokens)
	if w.target && w.source || alias == "" {
		return write, nil
	}
	var both []schema.Column
	for i, t := range expression {
		alone := t.IsName() && (i == 0 || !expression[i-1].Is(".")) && (i+1 == len(expression) || !expression[i+1].Is(".") && !expression[i+1].Is("("))
		if at := m.target.table.ColumnIndex(t.Name()); alone && at >= 0 && !contains(both, m.target.table.Columns[at].ID) {
			both = append(both, m.target.table.Columns[at])
		}
	}
	if len(both) == 0 {
		return write, nil
	}
	names, err := m.names()
	if err != nil {
		return nil, err
	}
	both = slices.DeleteFunc(both, func(col schema.Column) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return schema.Fold(name) == schema.Fold(col.Name) })
	})
	if len(both) == 0 {
		return write, nil
	}
	if decides {
		w.placing = max(w.placing, beside)
	}
	m.each = m.each || placing == besideEach
	return func(q *composition) {
		q.write("(SELECT ")
		write(q)
		q.write(" FROM (SELECT ")
		for i, col := range both {
			if i > 0 {
				q.write(", ")
			}
			if w.target {
				m.target.writeColumn(q, m.c, col)
			} else {
				q.write(schema.Quote(alias), ".", schema.Quote(col.Name))
			}
		}
		if placing == besideEach {
			q.write(", ", eachColumn)
		}
		q.write(") AS ", sideTable, ")")
	}, nil
}

// names returns the source's columns.
func (m *mergeSource) names() ([]string, error) {
	if m.columns != nil {
		return m.columns, nil
	}
	var q composition
	q.copy(m.c, 0, m.c.statement.VerbIndex())
	q.write(" SELECT * FROM ")
	q.copyTokens(m.c, m.tokens)
	var err error
	m.columns, err = m.planner.Columns(m.ctx, m.selects(&q))
	return m.columns, q.placed(err)
}

// columnsFor makes the source's columns the values of the table's, by position or by name, as the
// statement says next, and returns these.
func (m *mergeSource) columnsFor(t schema.Table, w *mergeClause) ([]schema.Column, error) {
	c := m.c
	at := c.at
	byName := c.accept("BY", "NAME")
	_ = byName || c.accept("BY", "POSITION")
	c.accept("*")
	if _, err := m.names(); err != nil {
		return nil, err
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
