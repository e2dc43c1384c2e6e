package sqlite

import "strings"

// change finds the types of the parameters of an INSERT, UPDATE or DELETE. It returns the columns
// of the RETURNING clause. env has the queries of its WITH clause.
func (w *walker) change(c *change, env *environment) []output {
	t := w.table(c.schema, c.table)
	if t == nil {
		return nil
	}
	r := &relation{schema: t.schema, table: t.name, alias: c.table, rowid: t.rowid, hidden: t.hidden, merged: map[string]bool{}, coalesced: map[string]value{}}
	if c.alias != "" {
		r.alias = c.alias
	}
	r.columns = append([]output{}, t.columns...)
	if t.view {
		null([]*relation{r}) // an INSTEAD OF trigger may store other values, also NULL
	}
	if c.rows != nil {
		w.insertTypes(c, t)
		w.queryIn(c.rows, nil, env)
	}
	inside := &scope{relations: []*relation{r}, env: env}
	if c.kind == "INSERT" {
		excluded := *r
		excluded.alias = "excluded"
		inside.relations = append(inside.relations, &excluded)
	}
	if c.from != nil {
		others, _ := w.fromItem(c.from, &scope{env: env})
		inside.relations = append(inside.relations, others...)
	}
	for _, s := range c.sets {
		if len(s.columns) == 1 {
			if col := find([]*relation{r}, s.columns[0]); col != nil {
				w.expectType(s.value, col.typ)
			}
		}
		w.value(s.value, inside)
	}
	for _, e := range c.where {
		w.value(e, inside)
	}
	if c.returning == nil {
		return nil
	}
	return w.outputs(c.returning, &scope{relations: []*relation{r}, env: env})
}

// insertTypes finds parameters that are values in inserted rows. It records that each of them has
// the type of its column in the table t.
func (w *walker) insertTypes(c *change, t *tableInfo) {
	column := func(i int) *output {
		if c.columns == nil {
			n := 0
			for j := range t.columns[:len(t.columns)-t.hidden] {
				if t.generated[t.columns[j].name] {
					continue
				}
				if n == i {
					return &t.columns[j]
				}
				n++
			}
			return nil
		}
		if i >= len(c.columns) {
			return nil
		}
		for j := range t.columns {
			if strings.EqualFold(t.columns[j].name, c.columns[i]) {
				return &t.columns[j]
			}
		}
		return nil
	}
	for _, core := range c.rows.cores {
		rows := core.values
		if rows == nil {
			var row []*expr
			for _, r := range core.columns {
				if r.star {
					row = nil
					break
				}
				row = append(row, r.expr)
			}
			rows = [][]*expr{row}
		}
		for _, row := range rows {
			for i, e := range row {
				if col := column(i); col != nil {
					w.expectType(e, col.typ)
				}
			}
		}
	}
}
