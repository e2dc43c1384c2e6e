package incoming

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// SplitDeletions splits the rows of a request into deletions (rows that delete the row of their
// key) and others (rows that replace the row of their key).
func SplitDeletions(rows engine.TableRows) (others, deletions engine.TableRows) {
	others, deletions = rows, rows
	others.Batches, others.Numbers, deletions.Batches, deletions.Numbers = nil, nil, nil, nil
	for i, rec := range rows.Batches {
		to := &others
		if rows.Deleting[i] {
			to = &deletions
		}
		to.Batches, to.Numbers = append(to.Batches, rec), append(to.Numbers, rows.Numbers[i])
	}
	return others, deletions
}

// Tombstones makes tombstones for table t from the rows of a request that delete rows.
func Tombstones(t schema.Table, rows engine.TableRows) (out []arrow.RecordBatch, err error) {
	sub := t
	sub.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) && c.ID != t.RowVersion
	})
	for _, rec := range rows.Batches {
		one := sub
		one.Columns = GivenBy(engine.TableRows{Batches: []arrow.RecordBatch{rec}}, sub)
		if _, err := KeyColumns(one, nil); err != nil {
			return out, err
		}
		// In a deletion, NULL in the version column means that the deletion has no version.
		for i, c := range one.Columns {
			one.Columns[i].NotNull = c.NotNull && c.ID != t.RowVersion
		}
		conformed, err := batch.Conform(SelectColumns(rec, one.Columns), one, batch.ConformOptions{})
		if err != nil {
			return out, err
		}
		err = CheckKeyValues(one, []arrow.RecordBatch{conformed})
		if err == nil {
			var tombstones arrow.RecordBatch
			if tombstones, err = TombstonesOf(nullable(t, t.RowVersion), one, conformed); err == nil {
				out = append(out, tombstones)
			}
		}
		conformed.Release()
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// nullable returns a copy of the table in which one column may be NULL.
func nullable(t schema.Table, id base.ColumnID) schema.Table {
	if at := t.ColumnByID(id); at >= 0 {
		t.Columns = slices.Clone(t.Columns)
		t.Columns[at].NotNull = false
	}
	return t
}

// NewDeleting returns the rows of some batches as incoming rows. The batches must conform
// to the table. The argument numbers has, for each batch, the numbers of its rows in the request,
// and the result is in the order of these numbers. The argument from says which rows are deletions:
// if the rows are counted across all batches from 0, these are row number from and all later rows.
func NewDeleting(t schema.Table, records []arrow.RecordBatch, numbers [][]int32, from int) (*Rows, error) {
	order := batch.Order(numbers)
	if order == nil {
		for i := range batch.Rows(records) {
			order = append(order, uint32(i))
		}
	}
	all, err := batch.Take(records, order)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	own, err := RowVersionsOf(t, all, t.Columns)
	if err != nil {
		return nil, err
	}
	if own.deleted == nil {
		own.deleted = make([]bool, len(order))
	}
	own.unversionedDeletes, own.keyDeleted = make([]bool, len(order)), make([]bool, len(order))
	for i, row := range order {
		if int(row) < from {
			continue
		}
		own.deleted[i] = true
		own.unversionedDeletes[i] = t.RowVersion == 0 || all.Column(t.ColumnByID(t.RowVersion)).IsNull(i)
	}
	return newAs(t, all, own, t.Columns, ReplaceRow)
}

// TombstonesOf turns rows into tombstones of table t. The rows conform to sub, which has some of
// the columns of t.
func TombstonesOf(t, sub schema.Table, rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	var fields []arrow.Field
	var columns []arrow.Array
	add := func(c schema.Column, values arrow.Array) {
		fields, columns = append(fields, c.Arrow()), append(columns, values)
	}
	for _, c := range t.Columns {
		at := sub.ColumnByID(c.ID)
		switch {
		case c.ID == t.IsDeleted:
			b := array.NewBooleanBuilder(memory.DefaultAllocator)
			b.Append(true)
			values, err := batch.Repeat(b.NewArray(), int(rec.NumRows()))
			if err != nil {
				return nil, err
			}
			defer values.Release()
			add(c, values)
		case at >= 0:
			add(c, rec.Column(at))
		case c.NotNull:
			values, err := batch.Blank(c.Type, int(rec.NumRows()))
			if err != nil {
				return nil, base.Wrap(err, "column %q", c.Name)
			}
			defer values.Release()
			add(c, values)
		}
	}
	own := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
	defer own.Release()
	return batch.Conform(own, t, batch.ConformOptions{})
}
