package dml

import (
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// mergeInput is the source of MERGE INTO t USING source: a table, a query, a function, or a join
// of several of these.
type mergeInput struct {
	*Statement
	target  *Target
	tokens  []sqltoken.Token
	columns []inputColumn // the columns of the source; nil until they are needed
	// each says that expressions must be computed for each row of the join. If it is false, DuckDB
	// computes the sub-queries that resolveSide makes only once for equal rows.
	each bool
}

// inputColumn names a column of a MERGE's source, and the table that has the column.
type inputColumn struct{ table, name string }

func (c inputColumn) write(q *clause.Query) {
	q.Write(schema.Quote(c.table), ".", schema.Quote(c.name))
}

// unnamedQuery is the name that DuckDB gives to a query in FROM without an alias.
const unnamedQuery = "unnamed_subquery"

// write appends the source of the MERGE. A query without an alias gets the alias unnamedQuery.
// DuckDB would otherwise number such queries to name them, and would count the queries that Scoter
// puts in place of table names too.
func (m *mergeInput) write(q *clause.Query) {
	q.CopyTokens(m.Reader, m.tokens)
	if m.unnamed() {
		q.Write(" AS ", unnamedQuery)
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
	return clause.BeginsQuery(tokens[1:])
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
func (m *mergeInput) resolveSide(w *mergeClause, expression []sqltoken.Token, decides bool, write func(*clause.Query)) (func(*clause.Query), error) {
	if err := m.CheckRowwise(expression, "MERGE INTO"); err != nil {
		return nil, err
	}
	if w.target && w.needsInput && !decides {
		return write, nil
	}
	placing, err := m.EvaluationOf(expression)
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
		at := m.target.Table.ColumnIndex(t.Name())
		if !first || at < 0 || schema.Contains(named, m.target.Table.Columns[at].ID) {
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
		named = append(named, m.target.Table.Columns[at])
	}
	if len(named) == 0 {
		return write, nil
	}
	if err := m.readColumns(); err != nil {
		return nil, err
	}
	var both []func(*clause.Query)
	for _, col := range named {
		called := func(c inputColumn) bool { return schema.Fold(c.name) == schema.Fold(col.Name) }
		i := slices.IndexFunc(m.columns, called)
		switch {
		case i < 0:
		case w.target:
			both = append(both, func(q *clause.Query) { m.target.writeColumn(q, m.Reader, col) })
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
		w.evaluation = max(w.evaluation, statement.InLateral)
	}
	m.each = m.each || placing == statement.InLateralEach
	return func(q *clause.Query) {
		q.Write("(SELECT ")
		write(q)
		q.Write(" FROM (SELECT ")
		for i, column := range both {
			if i > 0 {
				q.Write(", ")
			}
			column(q)
		}
		if placing == statement.InLateralEach {
			q.Write(", ", perRowColumn)
		}
		q.Write(") AS ", sideTable, ")")
	}, nil
}

// hasTable reports whether the target or a table of the source is called name.
func (m *mergeInput) hasTable(name string) (bool, error) {
	called := func(table string) bool { return schema.Fold(table) == schema.Fold(name) }
	if called(m.target.Alias) {
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
		var q clause.Query
		q.Copy(m.Reader, 0, m.Reader.Statement.VerbIndex())
		q.Write(" SELECT ", schema.Quote(table), ".* FROM ")
		m.write(&q)
		names, err := m.Planner.Columns(m.Ctx, m.Selects(&q))
		if err != nil {
			return q.WithPosition(err)
		}
		for _, name := range names {
			m.columns = append(m.columns, inputColumn{table, name})
		}
	}
	return nil
}

// tables returns the names of the source's tables, in the order of the statement.
func (m *mergeInput) tables() ([]string, error) {
	conn, err := m.Pool.Acquire(m.Ctx)
	if err != nil {
		return nil, err
	}
	defer m.Pool.Release(conn)
	var q clause.Query
	q.Write("SELECT * FROM ")
	m.write(&q)
	query, err := conn.ParseSelect(q.String())
	if err != nil && !errors.Is(err, duck.ErrNotSelect) {
		return nil, q.WithPosition(err)
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
	name := statement.TextOf(node, "alias")
	switch kind := statement.TextOf(node, "type"); {
	case kind == "JOIN":
		if tables, ok = tablesIn(node["left"]); !ok || statement.TextOf(node, "join_type") == "SEMI" || statement.TextOf(node, "join_type") == "ANTI" {
			return tables, ok
		}
		right, ok := tablesIn(node["right"])
		return append(tables, right...), ok
	case name != "":
	case kind == "BASE_TABLE":
		name = statement.TextOf(node, "table_name")
	case kind == "TABLE_FUNCTION":
		function, _ := node["function"].(duck.Node)
		name = statement.TextOf(function, "function_name")
	}
	return []string{name}, name != ""
}

// columnsFor parses [BY NAME | BY POSITION] [*]. It assigns the source's columns to the columns of
// the table with the same names, or at the same positions, and returns these columns of the table.
func (m *mergeInput) columnsFor(t schema.Table, w *mergeClause) ([]schema.Column, error) {
	c := m.Reader
	at := c.At
	byName := c.Accept("BY", "NAME")
	_ = byName || c.Accept("BY", "POSITION")
	c.Accept("*")
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
			return nil, c.WithPosition(err, at)
		}
	} else if len(columns) != len(m.columns) {
		return nil, c.WithPosition(base.Errorf(base.Invalid, "table %s takes %d values, but the source has %d columns", t.QualifiedName(), len(columns), len(m.columns)), at-1)
	}
	for i, col := range columns {
		w.values[col.ID] = func(q *clause.Query) {
			q.Write("CAST(")
			m.columns[i].write(q)
			q.Write(" AS ", col.Type.String(), ")")
		}
	}
	return columns, nil
}
