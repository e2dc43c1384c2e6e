package dml

import (
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// delete plans DELETE FROM t [AS a] [USING tables] [WHERE condition] [RETURNING list].
func (x *Statement) delete() (*Plan, error) {
	c := x.Reader
	c.At = c.Statement.VerbIndex() + 1
	if !c.Accept("FROM") {
		return nil, c.Unexpected("FROM")
	}
	target, err := x.target("USING", "WHERE", "RETURNING")
	if err != nil {
		return nil, err
	}
	var tables, where []sqltoken.Token
	if c.Accept("USING") {
		tables = c.Until("WHERE", "RETURNING")
	}
	if where, err = x.where(); err != nil {
		return nil, err
	}
	p := &Plan{Verb: c.Statement.Verb(), Table: target.Table}
	if p.Returning, err = x.returning(target); err != nil {
		return nil, err
	}
	if p.Pending, err = x.pendingColumns(target.Table); err != nil {
		return nil, err
	}
	p.Actions = []Action{{Kind: DeleteRow, Name: "DELETE"}}
	p.ChooseColumns()
	if len(tables) == 0 {
		p.Key = x.keyLookup(target, nil, where)
	}
	p.Write(x, target, OnlyAction, func(q *clause.Query, col schema.Column) {
		target.writeColumn(q, c, col)
	}, func(q *clause.Query) {
		p.writeTarget(q, x, target, tables)
		if len(tables) > 0 {
			q.Write(", ")
			q.CopyTokens(c, tables)
		}
		p.writeWhere(q, c, where)
	})
	return p, nil
}
