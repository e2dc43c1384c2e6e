package incoming

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Project returns a batch with only some columns of rec. The argument columns has the indexes of
// these columns.
func Project(rec arrow.RecordBatch, columns []int) arrow.RecordBatch {
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	for i, at := range columns {
		fields[i], arrays[i] = rec.Schema().Field(at), rec.Column(at)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, rec.NumRows())
}

// emptyRows returns a batch with the columns of the table and without rows.
func emptyRows(t schema.Table) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Arrow())
	defer b.Release()
	return b.NewRecordBatch()
}

// GivenBy returns the columns of table t that the rows have.
func GivenBy(rows engine.TableRows, t schema.Table) []schema.Column {
	var out []schema.Column
	for _, c := range t.Columns {
		if slices.ContainsFunc(rows.Batches, func(rec arrow.RecordBatch) bool {
			return slices.ContainsFunc(rec.Schema().Fields(), func(f arrow.Field) bool { return schema.Fold(f.Name) == schema.Fold(c.Name) })
		}) {
			out = append(out, c)
		}
	}
	return out
}

// SelectColumns returns a batch with the columns of rec that are in the list wanted. It shares the
// arrays of rec without a reference of its own, so it must not be released.
func SelectColumns(rec arrow.RecordBatch, wanted []schema.Column) arrow.RecordBatch {
	var at []int
	for i, f := range rec.Schema().Fields() {
		if slices.ContainsFunc(wanted, func(c schema.Column) bool { return schema.Fold(c.Name) == schema.Fold(f.Name) }) {
			at = append(at, i)
		}
	}
	return Project(rec, at)
}
