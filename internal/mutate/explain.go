package mutate

import (
	"context"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// ChangesRows reports whether a statement changes rows of a table: INSERT, UPDATE, DELETE or MERGE.
func ChangesRows(s sqltoken.Statement) bool {
	switch s.Verb() {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}

// CanExplain reports whether Explain supports a statement.
func CanExplain(s sqltoken.Statement) bool {
	switch s.Verb() {
	case "CREATE", "DROP", "ALTER", "TRUNCATE":
		return true
	}
	return ChangesRows(s)
}

// definingQuery returns the index of the first token of the query in CREATE TABLE ... AS query or
// CREATE VIEW ... AS query. It returns 0 if there is none.
func definingQuery(s sqltoken.Statement) int {
	c := clauses{statement: s}
	if as := c.find("AS"); as < len(s.Tokens)-1 {
		return as + 1
	}
	return 0
}

// Explain returns DuckDB's plan for a statement. It changes nothing. The argument words has EXPLAIN
// and its options, which choose the form of the plan.
//   - For a statement that changes rows, it returns the plan of the query that finds these rows and
//     their new values, or the rows to insert.
//   - For CREATE TABLE or CREATE VIEW ... AS query, it returns the plan of the query.
//   - Other statements change only the catalog. Their plan has one step.
func (m *Mutator) Explain(ctx context.Context, words string, s sqltoken.Statement, req Request) (Rows, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	x.explain = words
	if s.Verb() == "INSERT" {
		in, err := x.insertion()
		if err != nil {
			return nil, err
		}
		rows, _, err := x.insertQuery(in.target.table, in.columns, in.byName, in.query)
		return rows, err
	}
	switch {
	case IsSourceStatement(s) || IsExportStatement(s):
		return nil, base.Errorf(base.Invalid, "EXPLAIN of %s %s is not supported: DuckDB has no such statement", s.Verb(), strings.ToUpper(s.Tokens[1].Text()))
	case s.Verb() == "TRUNCATE":
		return x.explainTruncate(words)
	case !ChangesRows(s) && definingQuery(s) == 0:
		return x.explainCatalog(words)
	case s.Verb() == "CREATE":
		q := &composedQuery{}
		q.write(words)
		end, _ := x.queryEnd()
		q.copy(x.c, definingQuery(s), end)
		rows, err := x.planner.Select(ctx, x.selects(q))
		return rows, q.withPosition(err)
	}
	p, err := x.rowPlan()
	if err != nil {
		return nil, err
	}
	return x.find(p, x.rowPlan)
}

// rowPlan plans an UPDATE, DELETE or MERGE INTO.
func (x *execution) rowPlan() (*rowPlan, error) {
	switch x.c.statement.Verb() {
	case "UPDATE":
		return x.update()
	case "DELETE":
		return x.delete()
	default:
		return x.merge()
	}
}

// explainTruncate returns the plan of a query that reads all rows of the table, in place of a plan
// for TRUNCATE.
func (x *execution) explainTruncate(words string) (Rows, error) {
	x.c.accept("TRUNCATE")
	x.c.accept("TABLE")
	t, err := x.table()
	if err != nil {
		return nil, err
	}
	return x.planner.Select(x.ctx, Select{SQL: words + "SELECT * FROM " + t.QuotedName(), Database: x.req.Database})
}

// explainCatalog returns the plan of a statement that changes only the catalog. It explains a
// similar statement on a temporary table, because DuckDB's own catalog is empty. The plan always
// has one step.
func (x *execution) explainCatalog(words string) (Rows, error) {
	c := x.c
	like := "CREATE TEMP TABLE " + tempTable + " (c INTEGER)"
	switch {
	case c.peek("CREATE", "SCHEMA"), c.peek("CREATE", "DATABASE"):
		like = "CREATE SCHEMA " + tempTable
	case c.accept("ALTER", "TABLE"):
		like = "ALTER TABLE IF EXISTS temp." + tempTable + " ADD COLUMN c INTEGER"
	case c.accept("DROP", "TABLE"), c.peek("DROP"):
		like = "DROP TABLE IF EXISTS temp." + tempTable
	}
	if c.at > 0 && !c.accept("IF", "EXISTS") {
		if _, err := x.table(); err != nil {
			return nil, err
		}
	}
	conn, err := x.pool.Acquire(x.ctx)
	if err != nil {
		return nil, err
	}
	defer x.pool.Release(conn)
	plan, err := texts(x.ctx, conn, words+like)
	if err != nil {
		return nil, withoutPosition(err)
	}
	fields := []arrow.Field{{Name: "explain_key", Type: arrow.BinaryTypes.String}, {Name: "explain_value", Type: arrow.BinaryTypes.String}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range plan {
		for i, text := range row {
			b.Field(i).(*array.StringBuilder).Append(text)
		}
	}
	rec := b.NewRecordBatch()
	return &bufferedRows{schema: rec.Schema(), batches: []arrow.RecordBatch{rec}}, nil
}
