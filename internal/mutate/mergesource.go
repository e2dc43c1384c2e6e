package mutate

import (
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// mergeSource is the source of a MERGE INTO, which follows USING: a table, a query, a function, or
// a join of several of these.
type mergeSource struct {
	*execution
	target  *target
	tokens  []sqltoken.Token
	columns []sourceColumn // nil until they are needed
	// each says that an expression must be computed again for each row of the join, although it is
	// in a sub-query that the function within made.
	each bool
}

// sourceColumn is the name of a column of a MERGE's source, with the name of its table.
type sourceColumn struct{ table, name string }

func (c sourceColumn) write(q *composition) {
	q.write(schema.Quote(c.table), ".", schema.Quote(c.name))
}

// unnamedQuery is the name that DuckDB gives to a query in FROM without an alias.
const unnamedQuery = "unnamed_subquery"

// write appends the source of the MERGE. A query without an alias gets the alias unnamedQuery.
// Without that, DuckDB would number the names of such queries, and the number would depend on the
// queries that replace tables.
func (m *mergeSource) write(q *composition) {
	q.copyTokens(m.c, m.tokens)
	if m.unnamed() {
		q.write(" AS ", unnamedQuery)
	}
}

// unnamed reports whether the source of the MERGE is a single query in brackets, without an alias.
func (m *mergeSource) unnamed() bool {
	tokens := m.tokens
	if len(tokens) > 0 && tokens[0].Is("LATERAL") {
		tokens = tokens[1:]
	}
	last := len(tokens) - 1
	if last < 1 || !tokens[0].Is("(") || sqltoken.Next(tokens, 1, tokens[0].Depth, ")") != last {
		return false
	}
	return beginsQuery(tokens[1:])
}

// sideTable is the name of the one row that an expression sees in a sub-query that the function
// within made.
const sideTable = "scoter_side"

// within returns a function that writes an expression of a WHEN clause.
//
// Some clauses are for rows of the join that have only a row of the table, or only a row of the
// source. In their expressions, a column name that both sides have means the column of that one
// side. To achieve this, within puts the expression into a sub-query over one row with the side's
// columns, which hide the other side's columns.
//
// decides says that the expression decides which action applies, as conditions do.
func (m *mergeSource) within(w *mergeClause, expression []sqltoken.Token, decides bool, write func(*composition)) (func(*composition), error) {
	if err := m.checkRowwise(expression, "MERGE INTO"); err != nil {
		return nil, err
	}
	if w.target && w.source && !decides {
		return write, nil
	}
	placing, err := m.placingOf(expression)
	if err != nil {
		return nil, err
	}
	if decides {
		w.placing = max(w.placing, placing)
	}
	if w.target && w.source {
		return write, nil
	}
	var named []schema.Column
	for i, t := range expression {
		first := t.IsName() && (i == 0 || !expression[i-1].Is(".")) && (i+1 == len(expression) || !expression[i+1].Is("("))
		at := m.target.table.ColumnIndex(t.Name())
		if !first || at < 0 || contains(named, m.target.table.Columns[at].ID) {
			continue
		}
		// The name is a column with a field behind it, or a table with a column behind it.
		if i+1 < len(expression) && expression[i+1].Is(".") {
			table, err := m.hasTable(t.Name())
			if err != nil {
				return nil, err
			}
			if table {
				continue
			}
		}
		named = append(named, m.target.table.Columns[at])
	}
	if len(named) == 0 {
		return write, nil
	}
	if err := m.readColumns(); err != nil {
		return nil, err
	}
	var both []func(*composition)
	for _, col := range named {
		called := func(c sourceColumn) bool { return schema.Fold(c.name) == schema.Fold(col.Name) }
		i := slices.IndexFunc(m.columns, called)
		switch {
		case i < 0:
		case w.target:
			both = append(both, func(q *composition) { m.target.writeColumn(q, m.c, col) })
		// Without this, DuckDB would report that the name is ambiguous.
		case !slices.ContainsFunc(m.columns[i+1:], called):
			both = append(both, m.columns[i].write)
		}
	}
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
		for i, column := range both {
			if i > 0 {
				q.write(", ")
			}
			column(q)
		}
		if placing == besideEach {
			q.write(", ", eachColumn)
		}
		q.write(") AS ", sideTable, ")")
	}, nil
}

// hasTable reports whether the target or a table of the source is called name.
func (m *mergeSource) hasTable(name string) (bool, error) {
	called := func(table string) bool { return schema.Fold(table) == schema.Fold(name) }
	if called(m.target.alias) {
		return true, nil
	}
	tables, err := m.tables()
	return slices.ContainsFunc(tables, called), err
}

// readColumns reads the names of the source's columns, table by table. A column in the USING clause
// of a join is listed for both tables.
func (m *mergeSource) readColumns() error {
	if m.columns != nil {
		return nil
	}
	tables, err := m.tables()
	if err != nil {
		return err
	}
	for _, table := range tables {
		var q composition
		q.copy(m.c, 0, m.c.statement.VerbIndex())
		q.write(" SELECT ", schema.Quote(table), ".* FROM ")
		m.write(&q)
		names, err := m.planner.Columns(m.ctx, m.selects(&q))
		if err != nil {
			return q.placed(err)
		}
		for _, name := range names {
			m.columns = append(m.columns, sourceColumn{table, name})
		}
	}
	return nil
}

// tables returns the names of the source's tables, in the order of the statement.
func (m *mergeSource) tables() ([]string, error) {
	conn, err := m.pool.Acquire(m.ctx)
	if err != nil {
		return nil, err
	}
	defer m.pool.Release(conn)
	var q composition
	q.write("SELECT * FROM ")
	m.write(&q)
	query, err := conn.ParseSelect(q.String())
	if err != nil && !errors.Is(err, duck.ErrNotSelect) {
		return nil, q.placed(err)
	}
	tables, ok := tablesIn(query["from_table"])
	if !ok {
		return nil, base.Errorf(base.Invalid, "not all tables of the source have a name").At(m.tokens[0].Start + 1).WithHint("name queries that it joins: (SELECT ...) AS s")
	}
	return tables, nil
}

// tablesIn returns the names of the tables in a FROM clause whose columns are visible. from is a
// part of DuckDB's syntax tree. It returns false if one of the tables has no name.
func tablesIn(from any) (tables []string, ok bool) {
	node, _ := from.(duck.Node)
	name := textOf(node, "alias")
	switch kind := textOf(node, "type"); {
	case kind == "JOIN":
		if tables, ok = tablesIn(node["left"]); !ok || textOf(node, "join_type") == "SEMI" || textOf(node, "join_type") == "ANTI" {
			return tables, ok
		}
		right, ok := tablesIn(node["right"])
		return append(tables, right...), ok
	case name != "":
	case kind == "BASE_TABLE":
		name = textOf(node, "table_name")
	case kind == "TABLE_FUNCTION":
		function, _ := node["function"].(duck.Node)
		name = textOf(function, "function_name")
	}
	return []string{name}, name != ""
}

// columnsFor parses [BY NAME | BY POSITION] [*], and assigns the source's columns to columns of the
// table by name or by position. It returns these columns of the table.
func (m *mergeSource) columnsFor(t schema.Table, w *mergeClause) ([]schema.Column, error) {
	c := m.c
	at := c.at
	byName := c.accept("BY", "NAME")
	_ = byName || c.accept("BY", "POSITION")
	c.accept("*")
	if err := m.readColumns(); err != nil {
		return nil, err
	}
	columns := t.Columns
	if byName {
		names := make([]string, len(m.columns))
		for i, column := range m.columns {
			names[i] = column.name
		}
		var err error
		if columns, err = columnsCalled(t, names); err != nil {
			return nil, c.placed(err, at)
		}
	} else if len(columns) != len(m.columns) {
		return nil, c.placed(base.Errorf(base.Invalid, "table %s takes %d values, the source has %d columns", t.QualifiedName(), len(columns), len(m.columns)), at-1)
	}
	for i, col := range columns {
		w.values[col.ID] = func(q *composition) {
			q.write("CAST(")
			m.columns[i].write(q)
			q.write(" AS ", col.Type.String(), ")")
		}
	}
	return columns, nil
}
