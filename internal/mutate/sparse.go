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

// What a row of a keyed table lacks stays as it is, so rows of different columns are different changes. They are split into pieces of one set of columns
// each, which are one edit where none has a say in what another does, and they are not many. Elsewhere points of line protocol, which have the fields that they have, go one
// piece after the other (Mutator.Pieces), and rows of other formats are to come in different requests.

// maxPieces is how many pieces are one edit: each is looked up, and becomes patches, by itself.
const maxPieces = 256

// lacking returns the folded names of the columns that some rows lack, where they have NULL, those that a table has yet to get among them: what a row says must not
// depend on whether it has. It fails if NULL was sent as well in such a column, or if that is one of the primary key.
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

// checkSameColumns refuses rows of which some lack columns that others have.
func checkSameColumns(rows engine.TableRows, t schema.Table) error {
	columns, err := lacking(t, rows)
	if err != nil || len(columns) == 0 {
		return err
	}
	return errLacking(slices.Min(slices.Collect(maps.Keys(columns))))
}

// together reports whether pieces of rows, whose key is the table's and of which some lack some columns, can be one edit: none may need to see what another does, a
// query, or parts of its own.
func (m *Mutator) together(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return givesKey(t, rows, columns) && t.RowVersion == 0 && t.IsDeleted == 0 && t.Condition() == "" && !movesRow(t, givenBy(rows, t)) && bytesOf(rows.Batches) <= m.store.ChunkBytes()
}

// givesKey reports whether all rows have all columns of the primary key, if some lack some columns. If not, rows that look alike may have different keys, by their
// defaults, and rows that do not the same.
func givesKey(t schema.Table, rows engine.TableRows, columns map[string]bool) bool {
	return len(ofKey(t, rows, columns)) == len(t.PrimaryKey)
}

// ofKey returns the columns of the primary key that all rows have, if some lack some columns.
func ofKey(t schema.Table, rows engine.TableRows, columns map[string]bool) []schema.Column {
	return slices.DeleteFunc(givenBy(rows, t), func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) || columns[schema.Fold(c.Name)]
	})
}

// pieces returns rows of different columns, whose key is the table's, as arrivals of one set of columns each and of different keys, for the table as it is, or becomes
// for these rows. They are none if all rows have the same columns; rows that cannot be one edit are refused.
func (w *write) pieces(t schema.Table) (all []*arrivals, err error) {
	columns, err := lacking(t, w.rows)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	if !w.together(t, w.rows, columns) {
		return nil, checkSameColumns(w.rows, t)
	}
	if w.mode == Upsert && w.options.Create { // at once: a piece says neither all that it takes nor what is wrong with others
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

// piece returns the rows, which are one batch, as arrivals.
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

// placed returns what is wrong with the rows as they came, which has their numbers, or else the error of a piece of them. Some rows lack some columns.
func (w *write) placed(t schema.Table, columns map[string]bool, err error) error {
	t.Columns = givenBy(w.rows, t)
	for i := range t.Columns {
		t.Columns[i].NotNull = t.Columns[i].NotNull && !columns[schema.Fold(t.Columns[i].Name)]
	}
	records, failed := w.conform(t)
	releaseAll(records)
	return cmp.Or(failed, err)
}

// Pieces returns sparse rows for a table with a primary key in the pieces in which they are to be appended, one after the other: Append refuses such rows as a whole.
// They are none if the rows can be one edit. Numbers says which rows those of a piece are, of several with one key the first. A repetition of the request makes the same pieces. release is to be called in any case.
func (m *Mutator) Pieces(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (pieces []engine.TableRows, release func(), err error) {
	release = func() {}
	t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	if !rows.Sparse || err != nil || len(t.PrimaryKey) == 0 { // who appends them says what is wrong
		return nil, release, nil
	}
	columns, err := lacking(t, rows)
	together := m.together(t, rows, columns)
	if err != nil || len(columns) == 0 || together && len(columns) < bits.Len(maxPieces) { // of which there are no more sets
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
