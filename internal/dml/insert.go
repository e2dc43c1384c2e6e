package dml

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// Insertion is the parsed form of an INSERT.
type Insertion struct {
	Target Target
	// Columns are the columns for which the statement gives values, in the order of the statement.
	Columns   []schema.Column
	ByName    bool // whether the INSERT is BY NAME: the columns of its query are matched by name
	Query     *clause.Query
	Conflict  onConflict
	incoming  string // the name of the incoming row in composed queries
	Returning Returning
}

// Insertion parses the clauses of an INSERT.
func (x *Statement) Insertion() (in Insertion, err error) {
	c := x.Reader
	verb := c.Statement.VerbIndex()
	c.At = verb
	c.Accept("INSERT")
	in.Conflict.Position = c.Tokens()[c.At].Start + 1
	switch {
	case c.Accept("OR", "REPLACE"):
		in.Conflict.Given = true
	case c.Accept("OR", "IGNORE"):
		in.Conflict.Given, in.Conflict.Keeps = true, true
	}
	if !c.Accept("INTO") {
		return in, c.Unexpected("INTO")
	}
	if in.Target, err = x.insertTarget(); err != nil {
		return in, err
	}
	t := in.Target.Table
	in.nameIncoming()
	in.Columns = t.Columns
	if c.Peek("(") && !x.bracketedQuery() {
		names, err := c.Brackets()
		if err != nil {
			return in, err
		}
		if in.Columns, err = columnsNamed(t, names); err != nil {
			return in, err
		}
	}
	in.ByName = c.Accept("BY", "NAME")
	_ = in.ByName || c.Accept("BY", "POSITION")

	// The query does not end at the word ON alone, because it may have a join with ON conflict.id =
	// ...
	from, end := c.At, c.Find("ON CONFLICT (", "ON CONFLICT DO", "ON CONFLICT ON", "RETURNING")
	c.At = end
	if err := x.onConflict(&in); err != nil {
		return in, err
	}
	if in.Returning, err = x.returning(in.Target); err != nil {
		return in, err
	}
	in.Query = &clause.Query{}
	if c.At = from; c.Peek("DEFAULT", "VALUES") {
		if in.ByName {
			return in, base.Errorf(base.Invalid, "INSERT BY NAME cannot be combined with DEFAULT VALUES").At(c.Tokens()[from].Start + 1)
		}
		in.Columns = nil
		in.Query.Write("SELECT 1")
		return in, nil
	}
	in.Query.Copy(c, 0, verb)
	in.Query.Write(" ")
	query := clause.Reader{Statement: c.Statement, At: from}
	for query.Accept("(") {
	}
	// The CTEs in front of INSERT are added to the query. If the query has CTEs too, it must be
	// nested, because DuckDB allows only one list of CTEs in a query.
	nested := verb > 0 && query.Peek("WITH")
	if nested {
		in.Query.Write("SELECT * FROM (")
	}
	x.copyInput(in.Query, from, end, in.Columns, in.ByName)
	if nested {
		in.Query.Write(")")
	}
	if in.ByName {
		columns, err := x.Planner.Columns(x.Ctx, x.Selects(in.Query))
		if err != nil {
			return in, in.Query.WithPosition(err)
		}
		if in.Columns, err = columnsCalled(t, columns); err != nil {
			return in, err
		}
	}
	return in, nil
}

// insertTarget parses the table name of an INSERT, and its alias. It differs from the function
// target in one point: the alias must follow AS.
func (x *Statement) insertTarget() (Target, error) {
	if i := x.Reader.At; i+1 < len(x.Reader.Tokens()) {
		if _, next := sqltoken.QualifiedName(x.Reader.Tokens(), i); next < len(x.Reader.Tokens()) && !x.Reader.Tokens()[next].Is("AS") {
			return x.target(x.Reader.Tokens()[next].Text())
		}
	}
	return x.target()
}

// bracketedQuery reports whether the next bracket begins a query, as in INSERT INTO t (SELECT ...).
// If it does not, it begins a list of columns.
func (x *Statement) bracketedQuery() bool {
	c := clause.Reader{Statement: x.Reader.Statement, At: x.Reader.At}
	for c.Accept("(") {
	}
	return clause.BeginsQuery(x.Reader.Tokens()[c.At:])
}

func columnsNamed(t schema.Table, names []sqltoken.Token) ([]schema.Column, error) {
	var out []schema.Column
	for _, item := range clause.List(names) {
		i := t.ColumnIndex(item[0].Name())
		if len(item) != 1 || i < 0 {
			return nil, base.Errorf(base.Invalid, "table %s has no column %s", t.QualifiedName(), item[0].Text()).At(item[0].Start + 1)
		}
		if slices.ContainsFunc(out, func(c schema.Column) bool { return c.ID == t.Columns[i].ID }) {
			return nil, base.Errorf(base.Invalid, "column %s is named twice", item[0].Text()).At(item[0].Start + 1)
		}
		out = append(out, t.Columns[i])
	}
	return out, nil
}

func columnsCalled(t schema.Table, names []string) ([]schema.Column, error) {
	var out []schema.Column
	for _, n := range names {
		i := t.ColumnIndex(n)
		if i < 0 {
			return nil, base.Errorf(base.Invalid, "table %s has no column %q for BY NAME", t.QualifiedName(), n)
		}
		if schema.Contains(out, t.Columns[i].ID) {
			return nil, base.Errorf(base.Invalid, "column %q is listed twice for BY NAME", n)
		}
		out = append(out, t.Columns[i])
	}
	return out, nil
}

// copyInput appends the query of an INSERT to q. The query has the tokens from one index up to the
// other one, which is not included.
//
// In a list of VALUES, copyInput casts every value to the type of its column. Without the casts
// DuckDB would look for one type for all values of a column, and would fail on (1), ('x') or round
// DECIMALs to DOUBLE. The keyword DEFAULT becomes the column's default.
func (x *Statement) copyInput(q *clause.Query, from, end int, targets []schema.Column, byName bool) {
	c, done := x.Reader, from
	for _, row := range x.valuesRows(from) {
		at := row.at
		for column, value := range clause.List(row.values) {
			if column < len(targets) && !byName {
				q.Copy(c, done, at)
				x.writeValue(q, value, targets[column])
				done = at + len(value)
			}
			at += len(value) + 1
		}
	}
	q.Copy(c, done, end)
}

// valuesRow is a row in a list of VALUES: the tokens between its brackets, and the index of the
// first of these tokens in the statement.
type valuesRow struct {
	at     int
	values []sqltoken.Token
}

// valuesRows returns the rows of a list of VALUES, possibly in brackets. The argument from is the
// index of its first token. It returns nil for any other query, and also if VALUES is combined with
// another query (UNION), because DuckDB then finds common types for both.
func (x *Statement) valuesRows(from int) (all []valuesRow) {
	c := clause.Reader{Statement: x.Reader.Statement, At: from}
	for c.Accept("(") {
	}
	depth := c.At - from
	for more := c.Accept("VALUES"); more; more = c.Accept(",") {
		at := c.At + 1
		values, err := c.Brackets()
		if err != nil {
			break // the comma is a trailing comma behind the last row
		}
		all = append(all, valuesRow{at, values})
	}
	// The rows must be followed by as many closing brackets as were opened, and then by the end of
	// the query.
	for ; all != nil; depth-- {
		if c.Peek("UNION") || c.Peek("INTERSECT") || c.Peek("EXCEPT") {
			return nil
		}
		if depth == 0 {
			break
		}
		c.At = sqltoken.Next(c.Tokens(), c.At, depth-1, ")") + 1
	}
	return all
}

// writeValue appends an expression as the new value of a column. The value is cast to the column's
// type in the same way as in an assignment of UPDATE.
func (x *Statement) writeValue(q *clause.Query, value []sqltoken.Token, c schema.Column) {
	if len(value) == 1 && value[0].Is("DEFAULT") {
		q.Write(" CAST(", statement.DefaultOf(c), " AS ", c.Type.String(), ")")
		return
	}
	q.Write(" CAST((")
	q.CopyTokens(x.Reader, value)
	q.Write(") AS ", c.Type.String(), ")")
}
