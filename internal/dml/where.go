package dml

import (
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// The method where parses the clause WHERE and returns its condition. If the statement does not
// have the clause, it returns nil.
func (x *Statement) where() (condition []sqltoken.Token, err error) {
	if x.Reader.Accept("WHERE") {
		condition = x.Reader.Until("RETURNING")
	}
	return condition, x.CheckRowwise(condition, "WHERE")
}

// writeWhere appends the statement's WHERE clause to the query q. If the plan finds the rows by a
// key, through an index, writeWhere leaves out the conditions that compare the key's columns,
// because the index has applied them already.
func (p *Plan) writeWhere(q *clause.Query, c *clause.Reader, where []sqltoken.Token) {
	conditions := [][]sqltoken.Token{where}
	if p.Key != nil {
		conditions = p.Key.others
	}
	word := " WHERE "
	for _, condition := range conditions {
		if len(condition) > 0 {
			q.Write(word)
			q.CopyTokens(c, condition)
			word = " AND "
		}
	}
}
