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

// Explains reports whether a statement is one that Explain explains.
func Explains(s sqltoken.Statement) bool {
	return ChangesRows(s) || s.Verb() == "CREATE" && definingQuery(s) > 0
}

// definingQuery returns the index of the first token of the query in CREATE TABLE or VIEW ... AS query; 0 if there is none.
func definingQuery(s sqltoken.Statement) int {
	c := clauses{statement: s}
	if as := c.find("AS"); as < len(s.Tokens)-1 {
		return as + 1
	}
	return 0
}

// Explain gives DuckDB's plan of the query by which a statement finds the rows that it changes and their new values, or the rows that it
// inserts; of a statement that makes a table or view of a query, that of the query. The words before the statement, EXPLAIN and maybe options, say in which form. Nothing changes.
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
	if s.Verb() == "CREATE" {
		q := &composition{}
		q.write(words)
		end, _ := x.queryEnd()
		q.copy(x.c, definingQuery(s), end)
		rows, err := x.planner.Select(ctx, x.selects(q))
		return rows, q.placed(err)
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
