package write

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
)

// pieces splits the rows of a request, some of which lack columns, into incoming rows. All rows of
// one element of the result have the same columns. No two elements have a key in common. Existing
// rows will be found by the table's primary key.
//
// The rows conform to the table as it is, or as it will be after the evolution that the rows need.
// The result is empty if all rows have the same columns. pieces returns an error if the rows cannot
// be one edit.
func (w *rowsRequest) pieces(t schema.Table) (all []*incoming.Rows, err error) {
	columns, err := incoming.MissingColumns(t, w.rows)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	if !incoming.FitOneEdit(t, w.rows, columns, w.Loads.ChunkBytes()) {
		return nil, incoming.CheckSameColumns(w.rows, t)
	}
	// The change of the schema (evolution) is planned for all rows together. A single piece (rows
	// with the same columns) does not have all new columns, and would not show the errors of the
	// other pieces.
	if w.mode == Upsert && w.options.Create {
		if t, w.evolution, err = w.Store.Plan(w.ctx, w.rows, w.options); err != nil {
			return nil, err
		}
	}
	s, err := incoming.SetsOf(t, w.rows, columns)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	if n := len(s.Sets); n > incoming.MaxPieces {
		return nil, base.Errorf(base.Invalid, "the rows have %d different sets of columns, but one request may have at most %d", n, incoming.MaxPieces).WithHint(incoming.MissingColumnsHint)
	}
	pieces, release, err := s.Pieces()
	defer release()
	for _, rows := range pieces {
		one := &rowsRequest{Writer: w.Writer, ctx: w.ctx, rows: rows, mode: w.mode, options: w.options}
		var a *incoming.Rows
		if a, err = one.piece(t); err != nil {
			incoming.ReleaseAll(all)
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
func (w *rowsRequest) piece(t schema.Table) (*incoming.Rows, error) {
	var records []arrow.RecordBatch
	var err error
	if w.mode == Upsert {
		var rec arrow.RecordBatch
		if rec, err = w.Store.ConformBatch(w.ctx, w.rows.Batches[0], t, 0, w.rows.WholeRows); err == nil {
			records = []arrow.RecordBatch{rec}
		}
	} else {
		t, records, err = w.conformed(t)
	}
	if err != nil {
		return nil, err
	}
	defer batch.ReleaseAll(records)
	if _, err := incoming.KeyColumns(t, nil); err != nil {
		return nil, err
	}
	return w.incoming(t, records)
}

// withPosition replaces an error about a piece of a request (its rows with the same columns) by an
// error about the whole request, because the client knows only the row numbers of the request. If
// the whole request gives no error, withPosition returns err unchanged. The argument columns has
// the columns that some rows lack.
func (w *rowsRequest) withPosition(t schema.Table, columns map[string]bool, err error) error {
	t.Columns = incoming.GivenBy(w.rows, t)
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
	t, err := m.Names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	// If the lookup fails, nothing is split, because Append returns the same error.
	if !rows.NullMeansMissing || err != nil || len(t.PrimaryKey) == 0 {
		return nil, release, nil
	}
	columns, err := incoming.MissingColumns(t, rows)
	together := incoming.FitOneEdit(t, rows, columns, m.Loads.ChunkBytes())
	// With n columns that some rows lack there are at most 2^n sets of columns. So here there are
	// at most incoming.MaxPieces pieces.
	if err != nil || len(columns) == 0 || together && len(columns) < bits.Len(incoming.MaxPieces) {
		return nil, release, err
	}
	if o.Create {
		if t, _, err = m.Store.Plan(ctx, rows, o); err != nil {
			return nil, release, err
		}
	}
	s, err := incoming.SetsOf(t, rows, columns)
	if err != nil {
		return nil, release, err
	}
	defer s.Release()
	if together && len(s.Sets) <= incoming.MaxPieces {
		return nil, release, nil
	}
	pieces, release, err = s.Pieces()
	for i := range pieces {
		pieces[i].Numbers = [][]int32{s.Numbers(s.Sets[i])}
	}
	return pieces, release, err
}

// mixedRows prepares the rows of a request in which some rows delete the row of their key, and
// the other rows replace it. It returns the rows in the storage types of the table. If the request
// has several rows of a key, the last one counts.
func (w *rowsRequest) mixedRows() (one conformedRows, err error) {
	rows, deletions := incoming.SplitDeletions(w.rows)
	one.table, err = w.Names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	var records []arrow.RecordBatch
	defer func() { batch.ReleaseAll(records) }()
	if err == nil && len(rows.Batches) > 0 {
		one.table, one.evolution, records, err = w.Store.Conform(w.ctx, rows, w.options)
	}
	if err != nil {
		return one, err
	}
	t := one.table
	if len(t.PrimaryKey) == 0 {
		return one, base.Errorf(base.Invalid, "table %s has no primary key by which rows could be deleted", t.QualifiedName())
	}
	if err := incoming.CheckKeyValues(t, records); err != nil {
		return one, base.Wrap(err, "table %s", t.QualifiedName())
	}
	from := batch.Rows(records)
	buried, err := incoming.Tombstones(t, deletions)
	records = append(records, buried...)
	if err != nil {
		return one, base.Wrap(err, "table %s", t.QualifiedName())
	}
	a, err := incoming.NewDeleting(t, records, append(rows.Numbers, deletions.Numbers...), from)
	if err != nil {
		return one, err
	}
	one.keyed = []*incoming.Rows{a}
	return one, nil
}
