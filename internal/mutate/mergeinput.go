package mutate

import (
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// mergeInput is the source of MERGE INTO t USING source: a table, a query, a function, or a join
// of several of these.
type mergeInput struct {
	*dmlStatement
	target  *target
	tokens  []sqltoken.Token
	columns []inputColumn // the columns of the source; nil until they are needed
	// each says that expressions must be computed for each row of the join. If it is false, DuckDB
	// computes the sub-queries that resolveSide makes only once for equal rows.
	each bool
}

// inputColumn names a column of a MERGE's source, and the table that has the column.
type inputColumn struct{ table, name string }

func (c inputColumn) write(q *composedQuery) {
	q.write(schema.Quote(c.table), ".", schema.Quote(c.name))
}

// unnamedQuery is the name that DuckDB gives to a query in FROM without an alias.
const unnamedQuery = "unnamed_subquery"

// write appends the source of the MERGE. A query without an alias gets the alias unnamedQuery.
// DuckDB would otherwise number such queries to name them, and would count the queries that Scoter
// puts in place of table names too.
func (m *mergeInput) write(q *composedQuery) {
	q.copyTokens(m.c, m.tokens)
	if m.unnamed() {
		q.write(" AS ", unnamedQuery)
	}
}

// unnamed reports whether the source of the MERGE is a single query in brackets, without an alias.
func (m *mergeInput) unnamed() bool {
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

// sideTable is the name of a table with one row, which an expression of a WHEN clause reads in a
// sub-query that resolveSide makes.
const sideTable = "scoter_side"

// resolveSide returns a function that writes an expression of a WHEN clause of a MERGE.
//
// Some clauses are for rows of the join that have a row of only one side: the table or the source.
// In their expressions, a column name that both sides have means the column of that one side. To
// achieve this, resolveSide puts the expression into a sub-query over one row. That row has the
// columns of the one side, which hide those of the other side.
//
// If the argument decides is true, the expression decides which action applies, as conditions do.
func (m *mergeInput) resolveSide(w *mergeClause, expression []sqltoken.Token, decides bool, write func(*composedQuery)) (func(*composedQuery), error) {
	if err := m.checkRowwise(expression, "MERGE INTO"); err != nil {
		return nil, err
	}
	if w.target && w.needsInput && !decides {
		return write, nil
	}
	placing, err := m.evaluationOf(expression)
	if err != nil {
		return nil, err
	}
	if decides {
		w.evaluation = max(w.evaluation, placing)
	}
	if w.target && w.needsInput {
		return write, nil
	}
	var named []schema.Column
	for i, t := range expression {
		first := t.IsName() && (i == 0 || !expression[i-1].Is(".")) && (i+1 == len(expression) || !expression[i+1].Is("("))
		at := m.target.table.ColumnIndex(t.Name())
		if !first || at < 0 || schema.Contains(named, m.target.table.Columns[at].ID) {
			continue
		}
		// A dot follows the name. So the name means either a column with a field after the dot, or
		// a table with a column after the dot.
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
	var both []func(*composedQuery)
	for _, col := range named {
		called := func(c inputColumn) bool { return schema.Fold(c.name) == schema.Fold(col.Name) }
		i := slices.IndexFunc(m.columns, called)
		switch {
		case i < 0:
		case w.target:
			both = append(both, func(q *composedQuery) { m.target.writeColumn(q, m.c, col) })
		// The name means the source's column, because the clause is for rows of the source. If
		// several columns of the source have the name, DuckDB reports that it is ambiguous.
		case !slices.ContainsFunc(m.columns[i+1:], called):
			both = append(both, m.columns[i].write)
		}
	}
	if len(both) == 0 {
		return write, nil
	}
	if decides {
		w.evaluation = max(w.evaluation, inLateral)
	}
	m.each = m.each || placing == inLateralEach
	return func(q *composedQuery) {
		q.write("(SELECT ")
		write(q)
		q.write(" FROM (SELECT ")
		for i, column := range both {
			if i > 0 {
				q.write(", ")
			}
			column(q)
		}
		if placing == inLateralEach {
			q.write(", ", perRowColumn)
		}
		q.write(") AS ", sideTable, ")")
	}, nil
}

// hasTable reports whether the target or a table of the source is called name.
func (m *mergeInput) hasTable(name string) (bool, error) {
	called := func(table string) bool { return schema.Fold(table) == schema.Fold(name) }
	if called(m.target.alias) {
		return true, nil
	}
	tables, err := m.tables()
	return slices.ContainsFunc(tables, called), err
}

// readColumns reads the names of the source's columns, table by table. A column in the USING clause
// of a join is listed for both tables.
func (m *mergeInput) readColumns() error {
	if m.columns != nil {
		return nil
	}
	tables, err := m.tables()
	if err != nil {
		return err
	}
	for _, table := range tables {
		var q composedQuery
		q.copy(m.c, 0, m.c.statement.VerbIndex())
		q.write(" SELECT ", schema.Quote(table), ".* FROM ")
		m.write(&q)
		names, err := m.planner.Columns(m.ctx, m.selects(&q))
		if err != nil {
			return q.withPosition(err)
		}
		for _, name := range names {
			m.columns = append(m.columns, inputColumn{table, name})
		}
	}
	return nil
}

// tables returns the names of the source's tables, in the order of the statement.
func (m *mergeInput) tables() ([]string, error) {
	conn, err := m.pool.Acquire(m.ctx)
	if err != nil {
		return nil, err
	}
	defer m.pool.Release(conn)
	var q composedQuery
	q.write("SELECT * FROM ")
	m.write(&q)
	query, err := conn.ParseSelect(q.String())
	if err != nil && !errors.Is(err, duck.ErrNotSelect) {
		return nil, q.withPosition(err)
	}
	tables, ok := tablesIn(query["from_table"])
	if !ok {
		return nil, base.Errorf(base.Invalid, "not all tables of the source have a name").At(m.tokens[0].Start + 1).WithHint("give each joined query a name: (SELECT ...) AS s")
	}
	return tables, nil
}

// tablesIn returns the names of the tables whose columns are visible in a FROM clause. The argument
// from is the clause in DuckDB's syntax tree. ok is false if one of the tables has no name.
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

// columnsFor parses [BY NAME | BY POSITION] [*]. It assigns the source's columns to the columns of
// the table with the same names, or at the same positions, and returns these columns of the table.
func (m *mergeInput) columnsFor(t schema.Table, w *mergeClause) ([]schema.Column, error) {
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
			return nil, c.withPosition(err, at)
		}
	} else if len(columns) != len(m.columns) {
		return nil, c.withPosition(base.Errorf(base.Invalid, "table %s takes %d values, but the source has %d columns", t.QualifiedName(), len(columns), len(m.columns)), at-1)
	}
	for i, col := range columns {
		w.values[col.ID] = func(q *composedQuery) {
			q.write("CAST(")
			m.columns[i].write(q)
			q.write(" AS ", col.Type.String(), ")")
		}
	}
	return columns, nil
}
