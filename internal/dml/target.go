package dml

import (
	"slices"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Target is the table that a statement changes, and the names by which the statement calls it.
type Target struct {
	Table     schema.Table
	name      []sqltoken.Token
	written   []sqltoken.Token // the tokens of the name, and of the alias if there is one
	Aliased   bool
	Alias     string           // the name by which expressions call the table
	qualifier []sqltoken.Token // the tokens of the field alias
}

// target parses the name of an existing table, and its alias if there is one. The argument next has
// the keywords that may follow the name, so that they are not read as the alias.
func (x *Statement) target(next ...string) (Target, error) {
	c, from := x.Reader, x.Reader.At
	t, err := x.NamedTable()
	if err != nil {
		return Target{}, err
	}
	out := Target{Table: t, name: c.Tokens()[from:c.At]}
	out.qualifier = out.name
	out.Alias = out.name[len(out.name)-1].Name()
	as := c.Accept("AS")
	if as || !c.Done() && c.Tokens()[c.At].IsName() && !slices.ContainsFunc(next, func(word string) bool { return c.Peek(word) }) {
		at := c.At
		if out.Alias, err = c.Identifier(); err != nil {
			return Target{}, err
		}
		out.qualifier, out.Aliased = c.Tokens()[at:c.At], true
	}
	out.written = c.Tokens()[from:c.At]
	return out, nil
}

// writeColumn appends the value that a column of the target table has before the statement.
func (t *Target) writeColumn(q *clause.Query, c *clause.Reader, col schema.Column) {
	q.CopyTokens(c, t.qualifier)
	q.Write(".", schema.Quote(col.Name))
}
