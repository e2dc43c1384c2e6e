package dml

import (
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Returning is the RETURNING list of a statement. It is empty if the statement has none. target is
// the table, with the name that the list uses for it.
type Returning struct {
	List   []sqltoken.Token
	Target Target
}

func (r Returning) None() bool { return len(r.List) == 0 }

// returning parses the clause RETURNING list, if the statement has one. The statement must end
// after it.
func (x *Statement) returning(t Target) (Returning, error) {
	c := x.Reader
	if !c.Accept("RETURNING") {
		return Returning{}, c.End()
	}
	r := Returning{c.Tokens()[c.At:], t}
	c.At = len(c.Tokens())
	return r, x.CheckRowwise(r.List, "RETURNING")
}

// CopyReturning appends a RETURNING list to a query. It replaces merge_action by a constant with
// the name of the action, because DuckDB knows merge_action only in MERGE INTO.
func (x *Statement) CopyReturning(q *clause.Query, r Returning, action string) {
	if x.Reader.Statement.Verb() != "MERGE" {
		q.CopyTokens(x.Reader, r.List)
		return
	}
	from := 0
	for i, t := range r.List {
		called := i > 0 && (r.List[i-1].Is(".") || r.List[i-1].Is("AS"))
		if !t.IsName() || schema.Fold(t.Name()) != "merge_action" || called {
			continue
		}
		q.CopyTokens(x.Reader, r.List[from:i])
		q.Write(" ", schema.QuoteString(action))
		from = i + 1
		first, last := i == 0 || r.List[i-1].Is(",") && r.List[i-1].Depth == 0, i+1 == len(r.List) || r.List[i+1].Is(",")
		if first && last && t.Depth == 0 {
			q.Write(" AS merge_action")
		}
		q.Write(" ")
	}
	q.CopyTokens(x.Reader, r.List[from:])
}
