package session

import (
	"context"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/ddl"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// Explain returns DuckDB's plan for a statement. It changes nothing. The argument words has EXPLAIN
// and its options, which choose the form of the plan.
//   - For a statement that changes rows, it returns the plan of the query that finds these rows and
//     their new values, or the rows to insert.
//   - For CREATE TABLE or CREATE VIEW ... AS query, it returns the plan of the query.
//   - Other statements change only the catalog. Their plan has one step.
func (m *Statements) Explain(ctx context.Context, words string, s sqltoken.Statement, req statement.Request) (sqlquery.Rows, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	x.Explain = words
	if clause.ChangesRows(s) {
		return m.Writer.Explain(x)
	}
	return (&ddl.Statement{Statement: x.Statement, Tools: m.ddl}).Explain(words)
}
