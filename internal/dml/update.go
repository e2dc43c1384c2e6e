package dml

import (
	"slices"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// update plans UPDATE t [AS a] SET assignments [FROM tables] [WHERE condition] [RETURNING list].
func (x *Statement) update() (*Plan, error) {
	c := x.Reader
	c.At = c.Statement.VerbIndex() + 1
	target, err := x.target("SET")
	if err != nil {
		return nil, err
	}
	if !c.Accept("SET") {
		return nil, c.Unexpected("SET")
	}
	end := c.Find("FROM", "WHERE", "RETURNING")
	assignments, err := x.assignments(target.Table, c.Tokens()[c.At:end])
	if err != nil {
		return nil, err
	}
	c.At = end
	var tables, where []sqltoken.Token
	if c.Accept("FROM") {
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
	change := Action{Kind: UpdateRow, Name: "UPDATE"}
	for _, a := range assignments {
		change.Set = append(change.Set, a.column.ID)
	}
	p.Actions = []Action{change}
	p.ChooseColumns()
	if len(tables) == 0 {
		p.Key = x.keyLookup(target, assignments, where)
	}
	p.Write(x, target, OnlyAction, func(q *clause.Query, col schema.Column) {
		i := slices.IndexFunc(assignments, func(a assignment) bool { return a.column.ID == col.ID })
		if i < 0 {
			target.writeColumn(q, c, col)
			return
		}
		x.writeValue(q, assignments[i].value, col)
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

// OnlyAction writes the number of the action as a column, for a statement that has only one action.
// The number is 0.
func OnlyAction(q *clause.Query) { q.Write("0 AS ", schema.ActionColumn) }
