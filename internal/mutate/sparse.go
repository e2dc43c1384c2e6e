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
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// If a row of a table with a primary key lacks columns, the existing row keeps its values of them.
// So rows with different columns are different changes. This file splits the rows of a request into
// pieces, so that all rows of a piece have the same columns.
//
// The pieces are one edit if none of them affects the result of another, and if there are at most
// maxPieces. Otherwise the points of a line protocol request, which may have any fields, are
// written one piece after the other (Mutator.Pieces). Rows of other formats are refused, and the
// client has to send them in different requests.

// maxPieces is the maximum number of pieces in one edit. Each piece is looked up by key, and
// becomes patches, on its own.
const maxPieces = 256

// lacking returns the folded names of the columns that some rows lack. In the batch these rows have
// NULL there. Columns that the table does not have yet are included, so that the result does not
// depend on whether it has them.
//
// lacking returns an error if another row has NULL as a value in such a column, or if the column is
// part of the primary key.
func lacking(t schema.Table, rows engine.TableRows) (map[string]bool, error) {
	out := map[string]bool{}
	if rows.Whole {
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
	if rows.Sparse {
		left = nulls
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		at := t.ColumnIndex(name)
		inKey := at >= 0 && slices.Contains(t.PrimaryKey, t.Columns[at].ID)
		switch {
		case left[name] == 0:
		case left[name] == nulls[name] && (rows.Sparse || !inKey):
			out[schema.Fold(name)] = true
		default:
			return nil, errLacking(name)
		}
	}
	return out, nil
}

const lackingHint = "send rows of different columns in different requests, or null for a value that is to be NULL"

func errLacking(column string) error {
	return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: what a row lacks stays as it is in the one of its key", column).WithHint(lackingHint)
}

// checkSameColumns returns an error if some rows lack columns that others have.
func checkSameColumns(rows engine.TableRows, t schema.Table) error {
	columns, err := lacking(t, rows)
	if err != nil || len(columns) == 0 {
		return err
	}
	return errLacking(slices.Min(slices.Collect(maps.Keys(columns))))
}

// together reports whether the pieces of a request can be one edit. They cannot if a piece might
// need the result of another piece, a query over existing rows, or parts of its own. Existing rows
// are found by the table's primary key. columns are the columns that some rows lack.
func (m *Mutator) together(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return givesKey(t, rows, columns) && t.RowVersion == 0 && t.IsDeleted == 0 && t.Condition() == "" && !movesRow(t, givenBy(rows, t)) && bytesOf(rows.Batches) <= m.store.ChunkBytes()
}

// givesKey reports whether all rows have all columns of the primary key. If not, the missing key
// columns get defaults. Then rows that look equal may have different keys, and rows that look
// different may have the same key. columns are the columns that some rows lack.
func givesKey(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return len(ofKey(t, rows, columns)) == len(t.PrimaryKey)
}

// ofKey returns the columns of the primary key that all rows have. columns are the columns that
// some rows lack.
func ofKey(t schema.Table, rows engine.TableRows, columns map[string]bool) []schema.Column {
	return slices.DeleteFunc(givenBy(rows, t), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) || columns[schema.Fold(c.Name)]
	})
}

// pieces splits the rows of a request, some of which lack columns, into incoming rows with one set
// of columns each. No two pieces have a key in common. Existing rows are found by the table's
// primary key.
//
// The pieces conform to the table as it is, or as it will be after the evolution that the rows
// need. The result is empty if all rows have the same columns. Rows that cannot be one edit are an
// error.
func (w *write) pieces(t schema.Table) (all []*arrivals, err error) {
	columns, err := lacking(t, w.rows)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	if !w.together(t, w.rows, columns) {
		return nil, checkSameColumns(w.rows, t)
	}
	// The evolution is planned for all rows at once: a single piece does not have all new columns,
	// and would not give the errors of other pieces.
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
		return nil, base.Errorf(base.Invalid, "the rows have %d different sets of columns; those of one request may have %d", n, maxPieces).WithHint(lackingHint)
	}
	pieces, release, err := s.pieces()
	defer release()
	for _, rows := range pieces {
		one := &write{Mutator: w.Mutator, ctx: w.ctx, rows: rows, mode: w.mode, options: w.options}
		var a *arrivals
		if a, err = one.piece(t); err != nil {
			releaseArrivals(all)
			if base.KindOf(err) == base.Invalid {
				err = w.placed(t, columns, err)
			}
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}

// piece returns the rows of w, a single batch in which all rows have the same columns, as incoming
// rows.
func (w *write) piece(t schema.Table) (*arrivals, error) {
	var records []arrow.RecordBatch
	var err error
	if w.mode == Upsert {
		var rec arrow.RecordBatch
		if rec, err = w.store.ConformBatch(w.ctx, w.rows.Batches[0], t, 0, w.rows.Whole); err == nil {
			records = []arrow.RecordBatch{rec}
		}
	} else {
		t, records, err = w.conformed(t)
	}
	if err != nil {
		return nil, err
	}
	defer releaseAll(records)
	if _, err := keyColumns(t, nil); err != nil {
		return nil, err
	}
	return w.arrivals(t, records)
}

// placed replaces the error of a piece by the error for the whole request, whose row numbers are
// those that the client knows. If the whole request gives no error, placed returns err. columns are
// the columns that some rows lack.
func (w *write) placed(t schema.Table, columns map[string]bool, err error) error {
	t.Columns = givenBy(w.rows, t)
	for i := range t.Columns {
		t.Columns[i].NotNull = t.Columns[i].NotNull && !columns[schema.Fold(t.Columns[i].Name)]
	}
	records, failed := w.conform(t)
	releaseAll(records)
	return cmp.Or(failed, err)
}

// Pieces splits the rows of a line protocol request for a table with a primary key into pieces. The
// caller appends these one after the other, because Append would refuse the rows as a whole. The
// result is empty if the rows can be one edit.
//
// The field Numbers of a piece has the row numbers of its rows in the request; if a row combines
// several rows of one key, the number of the first of these. A repetition of the request gives the
// same pieces. The caller must call release, even after an error.
func (m *Mutator) Pieces(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (pieces []engine.TableRows, release func(), err error) {
	release = func() {}
	t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	if !rows.Sparse || err != nil || len(t.PrimaryKey) == 0 { // after an error, Append returns it
		return nil, release, nil
	}
	columns, err := lacking(t, rows)
	together := m.together(t, rows, columns)
	// With n columns there are at most 2^n sets of columns, so here at most maxPieces.
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
