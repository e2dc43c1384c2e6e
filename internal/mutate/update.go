package mutate

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// update plans UPDATE t [AS a] SET assignments [FROM tables] [WHERE condition] [RETURNING list].
func (x *dmlStatement) update() (*rowPlan, error) {
	c := x.c
	c.at = c.statement.VerbIndex() + 1
	target, err := x.target("SET")
	if err != nil {
		return nil, err
	}
	if !c.accept("SET") {
		return nil, c.unexpected("SET")
	}
	end := c.find("FROM", "WHERE", "RETURNING")
	assignments, err := x.assignments(target.table, c.tokens()[c.at:end])
	if err != nil {
		return nil, err
	}
	c.at = end
	var tables, where []sqltoken.Token
	if c.accept("FROM") {
		tables = c.until("WHERE", "RETURNING")
	}
	if where, err = x.where(); err != nil {
		return nil, err
	}
	p := &rowPlan{verb: c.statement.Verb(), table: target.table}
	if p.returning, err = x.returning(target); err != nil {
		return nil, err
	}
	if p.pending, err = x.pendingColumns(target.table); err != nil {
		return nil, err
	}
	change := rowAction{kind: updateRow, name: "UPDATE"}
	for _, a := range assignments {
		change.set = append(change.set, a.column.ID)
	}
	p.actions = []rowAction{change}
	p.chooseColumns()
	if len(tables) == 0 {
		p.key = x.keyLookup(target, assignments, where)
	}
	p.write(x, target, onlyAction, func(q *composedQuery, col schema.Column) {
		i := slices.IndexFunc(assignments, func(a assignment) bool { return a.column.ID == col.ID })
		if i < 0 {
			target.writeColumn(q, c, col)
			return
		}
		x.writeValue(q, assignments[i].value, col)
	}, func(q *composedQuery) {
		p.writeTarget(q, x, target, tables)
		if len(tables) > 0 {
			q.write(", ")
			q.copyTokens(c, tables)
		}
		p.writeWhere(q, c, where)
	})
	return p, nil
}

// The method where parses the clause WHERE and returns its condition. If the statement does not
// have the clause, it returns nil.
func (x *dmlStatement) where() (condition []sqltoken.Token, err error) {
	if x.c.accept("WHERE") {
		condition = x.c.until("RETURNING")
	}
	return condition, x.checkRowwise(condition, "WHERE")
}

// onlyAction writes the number of the action as a column, for a statement that has only one action.
// The number is 0.
func onlyAction(q *composedQuery) { q.write("0 AS ", schema.ActionColumn) }

// writeWhere appends the statement's WHERE clause to the query q. If the plan finds the rows by a
// key, through an index, writeWhere leaves out the conditions that compare the key's columns,
// because the index has applied them already.
func (p *rowPlan) writeWhere(q *composedQuery, c *clauses, where []sqltoken.Token) {
	conditions := [][]sqltoken.Token{where}
	if p.key != nil {
		conditions = p.key.others
	}
	word := " WHERE "
	for _, condition := range conditions {
		if len(condition) > 0 {
			q.write(word)
			q.copyTokens(c, condition)
			word = " AND "
		}
	}
}

// delete plans DELETE FROM t [AS a] [USING tables] [WHERE condition] [RETURNING list].
func (x *dmlStatement) delete() (*rowPlan, error) {
	c := x.c
	c.at = c.statement.VerbIndex() + 1
	if !c.accept("FROM") {
		return nil, c.unexpected("FROM")
	}
	target, err := x.target("USING", "WHERE", "RETURNING")
	if err != nil {
		return nil, err
	}
	var tables, where []sqltoken.Token
	if c.accept("USING") {
		tables = c.until("WHERE", "RETURNING")
	}
	if where, err = x.where(); err != nil {
		return nil, err
	}
	p := &rowPlan{verb: c.statement.Verb(), table: target.table}
	if p.returning, err = x.returning(target); err != nil {
		return nil, err
	}
	if p.pending, err = x.pendingColumns(target.table); err != nil {
		return nil, err
	}
	p.actions = []rowAction{{kind: deleteRow, name: "DELETE"}}
	p.chooseColumns()
	if len(tables) == 0 {
		p.key = x.keyLookup(target, nil, where)
	}
	p.write(x, target, onlyAction, func(q *composedQuery, col schema.Column) {
		target.writeColumn(q, c, col)
	}, func(q *composedQuery) {
		p.writeTarget(q, x, target, tables)
		if len(tables) > 0 {
			q.write(", ")
			q.copyTokens(c, tables)
		}
		p.writeWhere(q, c, where)
	})
	return p, nil
}

// target is the table that a statement changes, and the names by which the statement calls it.
type target struct {
	table     schema.Table
	name      []sqltoken.Token
	written   []sqltoken.Token // the tokens of the name, and of the alias if there is one
	aliased   bool
	alias     string           // the name by which expressions call the table
	qualifier []sqltoken.Token // the tokens of the field alias
}

// target parses the name of an existing table, and its alias if there is one. The argument next has
// the keywords that may follow the name, so that they are not read as the alias.
func (x *dmlStatement) target(next ...string) (target, error) {
	c, from := x.c, x.c.at
	t, err := x.table()
	if err != nil {
		return target{}, err
	}
	out := target{table: t, name: c.tokens()[from:c.at]}
	out.qualifier = out.name
	out.alias = out.name[len(out.name)-1].Name()
	as := c.accept("AS")
	if as || !c.done() && c.tokens()[c.at].IsName() && !slices.ContainsFunc(next, func(word string) bool { return c.peek(word) }) {
		at := c.at
		if out.alias, err = c.identifier(); err != nil {
			return target{}, err
		}
		out.qualifier, out.aliased = c.tokens()[at:c.at], true
	}
	out.written = c.tokens()[from:c.at]
	return out, nil
}

// writeColumn appends the value that a column of the target table has before the statement.
func (t *target) writeColumn(q *composedQuery, c *clauses, col schema.Column) {
	q.copyTokens(c, t.qualifier)
	q.write(".", schema.Quote(col.Name))
}

// assignment is one assignment of a SET list: a column and its new value.
type assignment struct {
	column schema.Column
	value  []sqltoken.Token
}

// assignments parses a SET list: column = value and (columns) = (values), separated by commas.
func (x *dmlStatement) assignments(t schema.Table, tokens []sqltoken.Token) ([]assignment, error) {
	var out []assignment
	add := func(name, value []sqltoken.Token) error {
		switch {
		case len(name) == 0 || !name[0].IsName():
			return x.c.unexpectedAt(name, "a column")
		case len(name) > 1:
			return base.Errorf(base.Invalid, "Qualified column names in UPDATE .. SET not supported").At(name[0].Start + 1)
		}
		i := t.ColumnIndex(name[0].Name())
		if i < 0 {
			return base.Errorf(base.Invalid, "Referenced update column %s not found in table %s!", name[0].Text(), t.QualifiedName()).At(name[0].Start + 1)
		}
		if slices.ContainsFunc(out, func(a assignment) bool { return a.column.ID == t.Columns[i].ID }) {
			return base.Errorf(base.Invalid, "Multiple assignments to same column %q", t.Columns[i].Name).At(name[0].Start + 1)
		}
		out = append(out, assignment{t.Columns[i], value})
		return x.checkRowwise(value, "SET")
	}
	for _, item := range list(tokens) {
		equals := slices.IndexFunc(item, func(tok sqltoken.Token) bool { return tok.Depth == item[0].Depth && tok.Is("=") })
		if equals < 0 {
			return nil, x.c.unexpectedAt(item, "column = value")
		}
		left, right := item[:equals], item[equals+1:]
		if !left[0].Is("(") {
			if err := add(left, right); err != nil {
				return nil, err
			}
			continue
		}
		names, values := list(left[1:len(left)-1]), list(rowValues(right))
		if len(values) == 1 && !right[0].Is("ROW") { // one value for all columns
			values = slices.Repeat([][]sqltoken.Token{right}, len(names))
		}
		if len(names) != len(values) {
			return nil, base.Errorf(base.Invalid, "Could not perform assignment, expected %d values, got %d", len(names), len(values)).At(right[0].Start + 1).
				WithHint("write the values in parentheses: (a, b) = (1, 2); a query counts as one value for all columns")
		}
		for i := range names {
			if err := add(names[i], values[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rowValues returns the tokens between the brackets of (a, b) or ROW(a, b). It returns other tokens
// unchanged.
func rowValues(tokens []sqltoken.Token) []sqltoken.Token {
	inner := tokens
	if len(inner) > 0 && inner[0].Is("ROW") {
		inner = inner[1:]
	}
	last := len(inner) - 1
	if last < 1 || !inner[0].Is("(") || sqltoken.Next(inner, 1, inner[0].Depth, ")") != last || beginsQuery(inner[1:]) {
		return tokens
	}
	return inner[1:last]
}
