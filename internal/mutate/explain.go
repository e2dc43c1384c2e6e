package mutate

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Explain returns DuckDB's plan for a statement. It changes nothing. The argument words has EXPLAIN
// and its options, which choose the form of the plan.
//   - For a statement that changes rows, it returns the plan of the query that finds these rows and
//     their new values, or the rows to insert.
//   - For CREATE TABLE or CREATE VIEW ... AS query, it returns the plan of the query.
//   - Other statements change only the catalog. Their plan has one step.
func (m *Mutator) Explain(ctx context.Context, words string, s sqltoken.Statement, req Request) (sqlquery.Rows, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	x.explain = words
	if ChangesRows(s) {
		return m.Writer.explain(x)
	}
	return (&ddlStatement{statement: x.statement, ddlTools: m.ddl}).explained(words)
}

// rowPlan plans an UPDATE, DELETE or MERGE INTO.
func (x *dmlStatement) rowPlan() (*rowPlan, error) {
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
func (x *ddlStatement) explainTruncate(words string) (sqlquery.Rows, error) {
	x.c.accept("TRUNCATE")
	x.c.accept("TABLE")
	t, err := x.table()
	if err != nil {
		return nil, err
	}
	return x.planner.Select(x.ctx, sqlquery.Request{SQL: words + "SELECT * FROM " + t.QuotedName(), Database: x.req.Database})
}

// explainCatalog returns the plan of a statement that changes only the catalog. It explains a
// similar statement on a temporary table, because DuckDB's own catalog is empty. The plan always
// has one step.
func (x *ddlStatement) explainCatalog(words string) (sqlquery.Rows, error) {
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
	return sqlquery.NewBuffered(b.NewRecordBatch()), nil
}
