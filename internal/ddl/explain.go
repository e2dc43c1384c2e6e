package ddl

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
)

// explainTruncate returns the plan of a query that reads all rows of the table, in place of a plan
// for TRUNCATE.
func (x *Statement) explainTruncate(words string) (sqlquery.Rows, error) {
	x.Reader.Accept("TRUNCATE")
	x.Reader.Accept("TABLE")
	t, err := x.NamedTable()
	if err != nil {
		return nil, err
	}
	return x.Planner.Select(x.Ctx, sqlquery.Request{SQL: words + "SELECT * FROM " + t.QuotedName(), Database: x.Request.Database})
}

// explainCatalog returns the plan of a statement that changes only the catalog. It explains a
// similar statement on a temporary table, because DuckDB's own catalog is empty. The plan always
// has one step.
func (x *Statement) explainCatalog(words string) (sqlquery.Rows, error) {
	c := x.Reader
	like := "CREATE TEMP TABLE " + tempTable + " (c INTEGER)"
	switch {
	case c.Peek("CREATE", "SCHEMA"), c.Peek("CREATE", "DATABASE"):
		like = "CREATE SCHEMA " + tempTable
	case c.Accept("ALTER", "TABLE"):
		like = "ALTER TABLE IF EXISTS temp." + tempTable + " ADD COLUMN c INTEGER"
	case c.Accept("DROP", "TABLE"), c.Peek("DROP"):
		like = "DROP TABLE IF EXISTS temp." + tempTable
	}
	if c.At > 0 && !c.Accept("IF", "EXISTS") {
		if _, err := x.NamedTable(); err != nil {
			return nil, err
		}
	}
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return nil, err
	}
	defer x.Pool.Release(conn)
	plan, err := statement.Texts(x.Ctx, conn, words+like)
	if err != nil {
		return nil, clause.WithoutPosition(err)
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

// Explain returns the plan of the statement. The argument words has EXPLAIN and its options.
func (x *Statement) Explain(words string) (sqlquery.Rows, error) {
	s := x.Reader.Statement
	switch {
	case clause.IsSource(s) || clause.IsExport(s):
		return nil, base.Errorf(base.Invalid, "EXPLAIN of %s %s is not supported: DuckDB has no such statement", s.Verb(), strings.ToUpper(s.Tokens[1].Text()))
	case s.Verb() == "TRUNCATE":
		return x.explainTruncate(words)
	case clause.DefiningQuery(s) == 0:
		return x.explainCatalog(words)
	}
	q := &clause.Query{}
	q.Write(words)
	end, _ := queryEnd(x)
	q.Copy(x.Reader, clause.DefiningQuery(s), end)
	rows, err := x.Planner.Select(x.Ctx, x.Selects(q))
	return rows, q.WithPosition(err)
}
