package mutate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// mixedRows prepares the rows of a request in which some rows delete the row of their key, and
// the other rows replace it. It returns the rows in the storage types of the table. If the request
// has several rows of a key, the last one counts.
func (w *rowsRequest) mixedRows() (one conformedRows, err error) {
	rows, deletions := splitDeletions(w.rows)
	one.table, err = w.names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	var records []arrow.RecordBatch
	defer func() { batch.ReleaseAll(records) }()
	if err == nil && len(rows.Batches) > 0 {
		one.table, one.evolution, records, err = w.store.Conform(w.ctx, rows, w.options)
	}
	if err != nil {
		return one, err
	}
	t := one.table
	if len(t.PrimaryKey) == 0 {
		return one, base.Errorf(base.Invalid, "table %s has no primary key by which rows could be deleted", t.QualifiedName())
	}
	if err := checkKeyValues(t, records); err != nil {
		return one, base.Wrap(err, "table %s", t.QualifiedName())
	}
	from := batch.Rows(records)
	buried, err := tombstones(t, deletions)
	records = append(records, buried...)
	if err != nil {
		return one, base.Wrap(err, "table %s", t.QualifiedName())
	}
	a, err := newIncomingDeleting(t, records, append(rows.Numbers, deletions.Numbers...), from)
	if err != nil {
		return one, err
	}
	one.keyed = []*incomingRows{a}
	return one, nil
}

// splitDeletions splits the rows of a request into deletions (rows that delete the row of their
// key) and others (rows that replace the row of their key).
func splitDeletions(rows engine.TableRows) (others, deletions engine.TableRows) {
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

// tombstones makes tombstones for table t from the rows of a request that delete rows.
func tombstones(t schema.Table, rows engine.TableRows) (out []arrow.RecordBatch, err error) {
	sub := t
	sub.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) && c.ID != t.RowVersion
	})
	for _, rec := range rows.Batches {
		one := sub
		one.Columns = givenBy(engine.TableRows{Batches: []arrow.RecordBatch{rec}}, sub)
		if _, err := keyColumns(one, nil); err != nil {
			return out, err
		}
		// In a deletion, NULL in the version column means that the deletion has no version.
		for i, c := range one.Columns {
			one.Columns[i].NotNull = c.NotNull && c.ID != t.RowVersion
		}
		conformed, err := batch.Conform(selectColumns(rec, one.Columns), one, batch.ConformOptions{})
		if err != nil {
			return out, err
		}
		err = checkKeyValues(one, []arrow.RecordBatch{conformed})
		if err == nil {
			var tombstones arrow.RecordBatch
			if tombstones, err = tombstonesOf(nullable(t, t.RowVersion), one, conformed); err == nil {
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

// newIncomingDeleting returns the rows of some batches as incoming rows. The batches must conform
// to the table. The argument numbers has, for each batch, the numbers of its rows in the request,
// and the result is in the order of these numbers. The argument from says which rows are deletions:
// if the rows are counted across all batches from 0, these are row number from and all later rows.
func newIncomingDeleting(t schema.Table, records []arrow.RecordBatch, numbers [][]int32, from int) (*incomingRows, error) {
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
	own, err := rowVersionsOf(t, all, t.Columns)
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
	return newIncomingAs(t, all, own, t.Columns, replaceRow)
}
