package mutate

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// If a row of a table with a primary key lacks columns, the existing row keeps its values of them.
// So rows with different columns make different changes. This file splits the rows of a request
// into pieces. All rows of a piece have the same columns.
//
// The pieces are one edit if no piece affects the result of another, and if there are at most
// maxPieces. Otherwise it depends on the format:
//   - The points of a line protocol request, which may have any fields, are written one piece after
//     the other (Mutator.Pieces).
//   - Rows of other formats are refused, and the client has to send them in different requests.

// maxPieces is the maximum number of pieces (groups of rows with the same columns) of a request in
// one edit. Each piece needs its own look-up of keys and its own patches.
const maxPieces = 256

// missingColumns returns the columns that some rows of a request lack, by their case-folded names.
// In the batch these rows have NULL there. Columns that the table does not have yet are included,
// so that the result does not depend on whether the table has them.
//
// missingColumns returns an error if a column that some rows lack is part of the primary key, or if
// another row has NULL as its value of such a column.
func missingColumns(t schema.Table, rows engine.TableRows) (map[string]bool, error) {
	out := map[string]bool{}
	if rows.WholeRows {
		return out, nil
	}
	nulls, left := map[string]int{}, map[string]int{}
	for _, rec := range rows.Batches {
		for i, f := range rec.Schema().Fields() {
			nulls[f.Name] += rec.Column(i).NullN()
			if count, marked := f.Metadata.GetValue(schema.LackingKey); marked {
				n, err := strconv.Atoi(count)
				if err != nil {
					return nil, base.Errorf(base.Internal, "column %q: %w", f.Name, err)
				}
				left[f.Name] += n
			}
		}
	}
	if rows.NullMeansMissing {
		left = nulls
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		at := t.ColumnIndex(name)
		inKey := at >= 0 && slices.Contains(t.PrimaryKey, t.Columns[at].ID)
		switch {
		case left[name] == 0:
		case left[name] == nulls[name] && (rows.NullMeansMissing || !inKey):
			out[schema.Fold(name)] = true
		default:
			return nil, errMissingColumns(name)
		}
	}
	return out, nil
}

const missingColumnsHint = "send rows with different columns in separate requests, or send null for a value that is to be NULL"

func errMissingColumns(column string) error {
	return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: a row without the column would keep the stored value of its key", column).WithHint(missingColumnsHint)
}

// checkSameColumns returns an error if some rows of a request lack columns that other rows have.
func checkSameColumns(rows engine.TableRows, t schema.Table) error {
	columns, err := missingColumns(t, rows)
	if err != nil || len(columns) == 0 {
		return err
	}
	return errMissingColumns(slices.Min(slices.Collect(maps.Keys(columns))))
}

// fitOneEdit reports whether the pieces of a request (groups of rows with the same columns) can be
// one edit. They cannot if a piece might need the result of another piece, a query over existing
// rows, or parts of its own. fitOneEdit assumes that existing rows are found by the table's primary
// key. The argument columns has the columns that some rows lack.
func fitOneEdit(t schema.Table, rows engine.TableRows, columns map[string]bool, chunk int64) bool {
	return hasWholeKey(t, rows, columns) && t.RowVersion == 0 && t.IsDeleted == 0 && t.Condition() == "" && !changesPlacement(t, givenBy(rows, t)) && batch.TotalBytes(rows.Batches) <= chunk
}

// hasWholeKey reports whether all rows have all columns of the primary key. If not, the missing key
// columns get defaults. Then rows that look equal may have different keys, and rows that look
// different may have the same key. columns are the columns that some rows lack.
func hasWholeKey(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return len(keyColumnsOf(t, rows, columns)) == len(t.PrimaryKey)
}

// keyColumnsOf returns the columns of the primary key, except those that some rows of the request
// lack. columns has the names of all columns that some rows lack.
func keyColumnsOf(t schema.Table, rows engine.TableRows, columns map[string]bool) []schema.Column {
	return slices.DeleteFunc(givenBy(rows, t), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) || columns[schema.Fold(c.Name)]
	})
}

// pieces splits the rows of a request, some of which lack columns, into incoming rows. All rows of
// one element of the result have the same columns. No two elements have a key in common. Existing
// rows will be found by the table's primary key.
//
// The rows conform to the table as it is, or as it will be after the evolution that the rows need.
// The result is empty if all rows have the same columns. pieces returns an error if the rows cannot
// be one edit.
func (w *rowsRequest) pieces(t schema.Table) (all []*incomingRows, err error) {
	columns, err := missingColumns(t, w.rows)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	if !fitOneEdit(t, w.rows, columns, w.loads.ChunkBytes()) {
		return nil, checkSameColumns(w.rows, t)
	}
	// The change of the schema (evolution) is planned for all rows together. A single piece (rows
	// with the same columns) does not have all new columns, and would not show the errors of the
	// other pieces.
	if w.mode == Upsert && w.options.Create {
		if t, w.evolution, err = w.store.Plan(w.ctx, w.rows, w.options); err != nil {
			return nil, err
		}
	}
	s, err := setsOf(t, w.rows, columns)
	if err != nil {
		return nil, err
	}
	defer s.release()
	if n := len(s.sets); n > maxPieces {
		return nil, base.Errorf(base.Invalid, "the rows have %d different sets of columns, but one request may have at most %d", n, maxPieces).WithHint(missingColumnsHint)
	}
	pieces, release, err := s.pieces()
	defer release()
	for _, rows := range pieces {
		one := &rowsRequest{Writer: w.Writer, ctx: w.ctx, rows: rows, mode: w.mode, options: w.options}
		var a *incomingRows
		if a, err = one.piece(t); err != nil {
			releaseIncoming(all)
			if base.KindOf(err) == base.Invalid {
				err = w.withPosition(t, columns, err)
			}
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}

// piece returns the rows of w as incoming rows. w must have a single batch, and all its rows must
// have the same columns.
func (w *rowsRequest) piece(t schema.Table) (*incomingRows, error) {
	var records []arrow.RecordBatch
	var err error
	if w.mode == Upsert {
		var rec arrow.RecordBatch
		if rec, err = w.store.ConformBatch(w.ctx, w.rows.Batches[0], t, 0, w.rows.WholeRows); err == nil {
			records = []arrow.RecordBatch{rec}
		}
	} else {
		t, records, err = w.conformed(t)
	}
	if err != nil {
		return nil, err
	}
	defer batch.ReleaseAll(records)
	if _, err := keyColumns(t, nil); err != nil {
		return nil, err
	}
	return w.incoming(t, records)
}

// withPosition replaces an error about a piece of a request (its rows with the same columns) by an
// error about the whole request, because the client knows only the row numbers of the request. If
// the whole request gives no error, withPosition returns err unchanged. The argument columns has
// the columns that some rows lack.
func (w *rowsRequest) withPosition(t schema.Table, columns map[string]bool, err error) error {
	t.Columns = givenBy(w.rows, t)
	for i := range t.Columns {
		t.Columns[i].NotNull = t.Columns[i].NotNull && !columns[schema.Fold(t.Columns[i].Name)]
	}
	records, failed := w.conform(t)
	batch.ReleaseAll(records)
	return cmp.Or(failed, err)
}

// Pieces splits the rows of a line protocol request for a table with a primary key into pieces, in
// which all rows have the same columns. The caller appends the pieces one after the other, because
// Append would refuse the rows as a whole. The result is empty if the rows can be one edit.
//
// The field Numbers of a piece has the number that each of its rows has in the request. If a row
// combines several rows of one key, this is the number of the first of them. A repetition of the
// request gives the same pieces. The caller must call the returned function release, even after an
// error.
func (m *Writer) Pieces(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (pieces []engine.TableRows, release func(), err error) {
	release = func() {}
	t, err := m.names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	// If the lookup fails, nothing is split, because Append returns the same error.
	if !rows.NullMeansMissing || err != nil || len(t.PrimaryKey) == 0 {
		return nil, release, nil
	}
	columns, err := missingColumns(t, rows)
	together := fitOneEdit(t, rows, columns, m.loads.ChunkBytes())
	// With n columns that some rows lack there are at most 2^n sets of columns. So here there are
	// at most maxPieces pieces.
	if err != nil || len(columns) == 0 || together && len(columns) < bits.Len(maxPieces) {
		return nil, release, err
	}
	if o.Create {
		if t, _, err = m.store.Plan(ctx, rows, o); err != nil {
			return nil, release, err
		}
	}
	s, err := setsOf(t, rows, columns)
	if err != nil {
		return nil, release, err
	}
	defer s.release()
	if together && len(s.sets) <= maxPieces {
		return nil, release, nil
	}
	pieces, release, err = s.pieces()
	for i := range pieces {
		pieces[i].Numbers = [][]int32{s.numbers(s.sets[i])}
	}
	return pieces, release, err
}
