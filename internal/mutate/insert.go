package mutate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// insertion is the parsed form of an INSERT.
type insertion struct {
	target target
	// columns are the columns for which the statement gives values, in the order of the statement.
	columns   []schema.Column
	byName    bool // whether the INSERT is BY NAME: the columns of its query are matched by name
	query     *composedQuery
	conflict  onConflict
	incoming  string // the name of the incoming row in composed queries
	returning returning
}

// insert runs INSERT [OR REPLACE | OR IGNORE] INTO t [AS a] [(columns)] [BY NAME] query [ON
// CONFLICT ...] [RETURNING list]. CTEs in front of INSERT belong to the query.
func (x *execution) insert() (*Result, error) {
	in, err := x.insertion()
	if err != nil {
		return nil, err
	}
	t := in.target.table
	unseen := appendsWithoutLookup(t, in.columns, false) && !in.conflict.keeps && !in.conflict.update && in.returning.none()
	if len(t.PrimaryKey) > 0 && !unseen {
		return x.insertKeyed(in)
	}
	if in.conflict.given && !unseen {
		return nil, base.Errorf(base.Invalid, "table %s has no primary key, so its rows cannot conflict", t.QualifiedName()).At(in.conflict.position).
			WithHint("MERGE INTO takes any condition")
	}
	var returned *returningRows
	if !in.returning.none() {
		returned = x.newReturningRows(t)
		defer returned.release()
	}
	load, err := x.loads.Load(x.ctx, t, engine.LoadOptions{})
	if err != nil {
		return nil, err
	}
	err = x.runInsertQuery(t, in.columns, in.byName, in.query, func(rec arrow.RecordBatch) error {
		if returned != nil {
			if returned.memtable.Bytes()+batch.Bytes(rec) > x.loads.ChunkBytes() {
				return x.errReturning()
			}
			if err := returned.add(rec); err != nil {
				return err
			}
		}
		return load.Add(x.ctx, rec)
	})
	if err != nil {
		return nil, errors.Join(err, load.Abort())
	}
	result := &Result{}
	if returned != nil {
		// RETURNING is evaluated before the commit, because nothing may be inserted if it has an
		// error.
		all := &sqlquery.Buffered{}
		if err = x.returned(all, returned, in.returning, "INSERT"); err != nil {
			return nil, errors.Join(err, load.Abort())
		}
		result.Rows = all
	}
	if result.Counts.Inserted, err = load.Commit(x.ctx, x.options); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// insertion parses the clauses of an INSERT.
func (x *dmlStatement) insertion() (in insertion, err error) {
	c := x.c
	verb := c.statement.VerbIndex()
	c.at = verb
	c.accept("INSERT")
	in.conflict.position = c.tokens()[c.at].Start + 1
	switch {
	case c.accept("OR", "REPLACE"):
		in.conflict.given = true
	case c.accept("OR", "IGNORE"):
		in.conflict.given, in.conflict.keeps = true, true
	}
	if !c.accept("INTO") {
		return in, c.unexpected("INTO")
	}
	if in.target, err = x.insertTarget(); err != nil {
		return in, err
	}
	t := in.target.table
	in.nameIncoming()
	in.columns = t.Columns
	if c.peek("(") && !x.bracketedQuery() {
		names, err := c.brackets()
		if err != nil {
			return in, err
		}
		if in.columns, err = columnsNamed(t, names); err != nil {
			return in, err
		}
	}
	in.byName = c.accept("BY", "NAME")
	_ = in.byName || c.accept("BY", "POSITION")

	// The query does not end at the word ON alone, because it may have a join with ON conflict.id =
	// ...
	from, end := c.at, c.find("ON CONFLICT (", "ON CONFLICT DO", "ON CONFLICT ON", "RETURNING")
	c.at = end
	if err := x.onConflict(&in); err != nil {
		return in, err
	}
	if in.returning, err = x.returning(in.target); err != nil {
		return in, err
	}
	in.query = &composedQuery{}
	if c.at = from; c.peek("DEFAULT", "VALUES") {
		if in.byName {
			return in, base.Errorf(base.Invalid, "INSERT BY NAME cannot be combined with DEFAULT VALUES").At(c.tokens()[from].Start + 1)
		}
		in.columns = nil
		in.query.write("SELECT 1")
		return in, nil
	}
	in.query.copy(c, 0, verb)
	in.query.write(" ")
	query := clauses{statement: c.statement, at: from}
	for query.accept("(") {
	}
	// The CTEs in front of INSERT are added to the query. If the query has CTEs too, it must be
	// nested, because DuckDB allows only one list of CTEs in a query.
	nested := verb > 0 && query.peek("WITH")
	if nested {
		in.query.write("SELECT * FROM (")
	}
	x.copyInput(in.query, from, end, in.columns, in.byName)
	if nested {
		in.query.write(")")
	}
	if in.byName {
		columns, err := x.planner.Columns(x.ctx, x.selects(in.query))
		if err != nil {
			return in, in.query.withPosition(err)
		}
		if in.columns, err = columnsCalled(t, columns); err != nil {
			return in, err
		}
	}
	return in, nil
}

// insertTarget parses the table name of an INSERT, and its alias. It differs from the function
// target in one point: the alias must follow AS.
func (x *dmlStatement) insertTarget() (target, error) {
	if i := x.c.at; i+1 < len(x.c.tokens()) {
		if _, next := sqltoken.QualifiedName(x.c.tokens(), i); next < len(x.c.tokens()) && !x.c.tokens()[next].Is("AS") {
			return x.target(x.c.tokens()[next].Text())
		}
	}
	return x.target()
}

// bracketedQuery reports whether the next bracket begins a query, as in INSERT INTO t (SELECT ...).
// If it does not, it begins a list of columns.
func (x *dmlStatement) bracketedQuery() bool {
	c := clauses{statement: x.c.statement, at: x.c.at}
	for c.accept("(") {
	}
	return beginsQuery(x.c.tokens()[c.at:])
}

func columnsNamed(t schema.Table, names []sqltoken.Token) ([]schema.Column, error) {
	var out []schema.Column
	for _, item := range list(names) {
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
func (x *dmlStatement) copyInput(q *composedQuery, from, end int, targets []schema.Column, byName bool) {
	c, done := x.c, from
	for _, row := range x.valuesRows(from) {
		at := row.at
		for column, value := range list(row.values) {
			if column < len(targets) && !byName {
				q.copy(c, done, at)
				x.writeValue(q, value, targets[column])
				done = at + len(value)
			}
			at += len(value) + 1
		}
	}
	q.copy(c, done, end)
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
func (x *dmlStatement) valuesRows(from int) (all []valuesRow) {
	c := clauses{statement: x.c.statement, at: from}
	for c.accept("(") {
	}
	depth := c.at - from
	for more := c.accept("VALUES"); more; more = c.accept(",") {
		at := c.at + 1
		values, err := c.brackets()
		if err != nil {
			break // the comma is a trailing comma behind the last row
		}
		all = append(all, valuesRow{at, values})
	}
	// The rows must be followed by as many closing brackets as were opened, and then by the end of
	// the query.
	for ; all != nil; depth-- {
		if c.peek("UNION") || c.peek("INTERSECT") || c.peek("EXCEPT") {
			return nil
		}
		if depth == 0 {
			break
		}
		c.at = sqltoken.Next(c.tokens(), c.at, depth-1, ")") + 1
	}
	return all
}

// writeValue appends an expression as the new value of a column. The value is cast to the column's
// type in the same way as in an assignment of UPDATE.
func (x *dmlStatement) writeValue(q *composedQuery, value []sqltoken.Token, c schema.Column) {
	if len(value) == 1 && value[0].Is("DEFAULT") {
		q.write(" CAST(", defaultOf(c), " AS ", c.Type.String(), ")")
		return
	}
	q.write(" CAST((")
	q.copyTokens(x.c, value)
	q.write(") AS ", c.Type.String(), ")")
}

func defaultOf(c schema.Column) string {
	if c.Default == "" {
		return "NULL"
	}
	return "(" + c.Default + ")"
}

// runInsertQuery runs the query src, turns its rows into rows of table t, and passes batches of
// them to the function add. The query's columns are assigned to the table's columns in targets, by
// position or by name. The other columns of the table get their defaults.
func (x *statement) runInsertQuery(t schema.Table, targets []schema.Column, byName bool, src *composedQuery, add func(arrow.RecordBatch) error) error {
	rows, q, err := x.insertQuery(t, targets, byName, src)
	if err != nil {
		return err
	}
	defer rows.Close()
	first := int64(0)
	return q.withPosition(sqlquery.Each(x.ctx, rows, func(rec arrow.RecordBatch) error {
		own, err := withoutCheck(rec, t, first)
		if err != nil {
			return err
		}
		defer own.Release()
		conformed, err := batch.Conform(own, t, batch.ConformOptions{FirstRow: first})
		if err != nil {
			return err
		}
		defer conformed.Release()
		first += rec.NumRows()
		return add(conformed)
	}))
}

// insertQuery starts the query of runInsertQuery. It returns the query's result, and the composed
// text.
func (x *statement) insertQuery(t schema.Table, targets []schema.Column, byName bool, src *composedQuery) (sqlquery.Rows, *composedQuery, error) {
	names, err := x.planner.Columns(x.ctx, x.selects(src))
	if err != nil {
		return nil, nil, src.withPosition(err)
	}
	if len(names) != len(targets) && targets != nil {
		return nil, nil, base.Errorf(base.Invalid, "table %s takes %d values, but the query returns %d", t.QualifiedName(), len(targets), len(names))
	}
	prefix, suffix := assignmentCast(t, targets, byName)
	q := &composedQuery{}
	q.write(x.explain, prefix)
	q.include(src)
	q.write(suffix)
	rows, err := x.planner.Select(x.ctx, x.selects(q))
	return rows, q, q.withPosition(err)
}

// checkColumn is the name of a column in composed queries. It says whether a row violates a CHECK
// constraint.
const checkColumn = "scoter_violates"

// assignmentCast returns the text before and after the query of an INSERT. The whole text yields
// all columns of the table in their storage types, cast as an INSERT of DuckDB casts. If the table
// has CHECK constraints, one more column says whether the row violates one.
//
// With byName, DuckDB matches the query's columns by name. Scoter cannot use their order, because a
// view in the query may be replaced before the query runs.
func assignmentCast(t schema.Table, targets []schema.Column, byName bool) (prefix, suffix string) {
	var outer, inner []string
	for _, c := range t.Columns {
		value := defaultOf(c)
		if slices.ContainsFunc(targets, func(target schema.Column) bool { return target.ID == c.ID }) {
			value = schema.Quote(c.Name)
		}
		inner = append(inner, fmt.Sprintf("CAST(%s AS %s) AS %s", value, c.Type, schema.Quote(c.Name)))
		outer = append(outer, storedExpression(c))
	}
	names := ""
	if !byName {
		// For DEFAULT VALUES there are no target columns. The caller replaces DEFAULT VALUES by a
		// query with one column, which gets this name and is not used.
		list := []string{"scoter_none"}
		for i, c := range targets {
			list = append(list[:i], schema.Quote(c.Name))
		}
		names = "(" + strings.Join(list, ", ") + ")"
	}
	if checks := t.Condition(); checks != "" {
		outer = append(outer, "("+checks+") IS FALSE AS "+checkColumn)
	}
	prefix = "SELECT " + strings.Join(outer, ", ") + " FROM (SELECT " + strings.Join(inner, ", ") + " FROM ("
	return prefix, ") AS scoter_source" + names + ") AS " + schema.Quote(t.Name)
}

func storedExpression(c schema.Column) string {
	name := schema.Quote(c.Name)
	if c.Type.NeedsCast() {
		return fmt.Sprintf("CAST(%s AS %s) AS %[1]s", name, c.Type.StorageSQL())
	}
	return name
}

// withoutCheck returns an error if a row violates a CHECK constraint. Otherwise it returns the
// batch without its last column, which says whether a row violates one. The argument first is the
// number of the batch's first row in the statement.
func withoutCheck(rec arrow.RecordBatch, t schema.Table, first int64) (arrow.RecordBatch, error) {
	n := len(t.Columns)
	if int(rec.NumCols()) > n {
		if err := checkViolations(rec.Column(n), t, first); err != nil {
			return nil, err
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(rec.Schema().Fields()[:n], nil), rec.Columns()[:n], rec.NumRows()), nil
}
