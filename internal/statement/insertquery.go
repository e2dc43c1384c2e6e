package statement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// CheckViolations returns an error if a row violates a CHECK constraint of the table. column has a
// Boolean for each row of a batch: true if the row violates a constraint. The argument first is the
// number of the batch's first row in the statement.
func CheckViolations(column arrow.Array, t schema.Table, first int64) error {
	violated := column.(*array.Boolean)
	for i := range violated.Len() {
		if violated.IsValid(i) && violated.Value(i) {
			return engine.ErrViolated(t, first+int64(i))
		}
	}
	return nil
}

// DefaultOf returns the default of a column as an SQL expression. Without a default it is NULL.
func DefaultOf(c schema.Column) string {
	if c.Default == "" {
		return "NULL"
	}
	return "(" + c.Default + ")"
}

// RunInsertQuery runs the query src, turns its rows into rows of table t, and passes batches of
// them to the function add. The query's columns are assigned to the table's columns in targets, by
// position or by name. The other columns of the table get their defaults.
func (x *Statement) RunInsertQuery(t schema.Table, targets []schema.Column, byName bool, src *clause.Query, add func(arrow.RecordBatch) error) error {
	rows, q, err := x.InsertQuery(t, targets, byName, src)
	if err != nil {
		return err
	}
	defer rows.Close()
	first := int64(0)
	return q.WithPosition(sqlquery.Each(x.Ctx, rows, func(rec arrow.RecordBatch) error {
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

// InsertQuery starts the query of RunInsertQuery. It returns the query's result, and the composed
// text.
func (x *Statement) InsertQuery(t schema.Table, targets []schema.Column, byName bool, src *clause.Query) (sqlquery.Rows, *clause.Query, error) {
	names, err := x.Planner.Columns(x.Ctx, x.Selects(src))
	if err != nil {
		return nil, nil, src.WithPosition(err)
	}
	if len(names) != len(targets) && targets != nil {
		return nil, nil, base.Errorf(base.Invalid, "table %s takes %d values, but the query returns %d", t.QualifiedName(), len(targets), len(names))
	}
	prefix, suffix := assignmentCast(t, targets, byName)
	q := &clause.Query{}
	q.Write(x.Explain, prefix)
	q.Include(src)
	q.Write(suffix)
	rows, err := x.Planner.Select(x.Ctx, x.Selects(q))
	return rows, q, q.WithPosition(err)
}

// checkColumn is the name of a column in composed queries. It says whether a row violates a CHECK
// constraint.
const checkColumn = "scoter_violates"

// assignmentCast returns the text before and after the query of an INSERT. The whole text yields
// all columns of the table in their storage types, cast as an INSERT of DuckDB casts. If the table
// has CHECK constraints, one more column says whether the row violates one.
//
// With ByName, DuckDB matches the query's columns by name. Scoter cannot use their order, because a
// view in the query may be replaced before the query runs.
func assignmentCast(t schema.Table, targets []schema.Column, byName bool) (prefix, suffix string) {
	var outer, inner []string
	for _, c := range t.Columns {
		value := DefaultOf(c)
		if slices.ContainsFunc(targets, func(target schema.Column) bool { return target.ID == c.ID }) {
			value = schema.Quote(c.Name)
		}
		inner = append(inner, fmt.Sprintf("CAST(%s AS %s) AS %s", value, c.Type, schema.Quote(c.Name)))
		outer = append(outer, StoredExpression(c))
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

// StoredExpression returns an SQL expression for the values of a column in its storage type, with
// the name of the column.
func StoredExpression(c schema.Column) string {
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
		if err := CheckViolations(rec.Column(n), t, first); err != nil {
			return nil, err
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(rec.Schema().Fields()[:n], nil), rec.Columns()[:n], rec.NumRows()), nil
}
