package mutate

import (
	"context"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

// ChangesRows reports whether a statement changes rows of a table, which Explain explains.
func ChangesRows(s sqltoken.Statement) bool {
	switch s.Verb() {
	case "INSERT", "UPDATE", "DELETE", "MERGE":
		return true
	}
	return false
}

// Explain gives DuckDB's plan of the query by which a statement finds the rows that it changes and their new values, or the rows that it
// inserts. The words before the statement, EXPLAIN and maybe options, say in which form. Nothing changes.
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
		rows, _, err := x.inserted(in.target.table, in.columns, in.byName, in.source)
		return rows, err
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
