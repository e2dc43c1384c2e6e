package mutate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// What a row of a keyed table lacks stays as it is, so rows of different columns are different changes. They are split into pieces of one set of columns
// each, which are one edit where none has a say in what another does. Elsewhere points of line protocol, which have the fields that they have, go one piece after
// the other (engine.TableRows.Sparse), and rows of other formats are to come in different requests.

// lacking returns the folded names of the columns that some rows lack, where they have NULL. It fails if NULL was sent as well in a column of the table, or if that is one of its
// primary key.
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
		case at >= 0:
			return nil, errLacking(name)
		}
	}
	return out, nil
}

func errLacking(column string) error {
	return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: what a row lacks stays as it is in the one of its key", column).
		WithHint("send rows of different columns in different requests, or null for a value that is to be NULL")
}

// checkSameColumns refuses rows of which some lack columns of a table that others have.
func checkSameColumns(rows engine.TableRows, t schema.Table) error {
	columns, err := lacking(t, rows)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if t.ColumnIndex(name) >= 0 {
			return errLacking(name)
		}
	}
	return nil
}

// together reports whether pieces of rows, whose key is the table's, can be one edit: none may need to see what another does, a query, or parts of its own.
func (m *Mutator) together(t schema.Table, rows engine.TableRows) bool {
	return givesKey(t, rows) && t.RowVersion == 0 && t.IsDeleted == 0 && t.Condition() == "" && !movesRow(t, givenBy(rows, t)) && bytesOf(rows.Batches) <= m.store.ChunkBytes()
}

// givesKey reports whether rows have all columns of the primary key. If not, rows that look alike may have different keys, by their defaults.
func givesKey(t schema.Table, rows engine.TableRows) bool {
	given := givenBy(rows, t)
	return !slices.ContainsFunc(t.PrimaryKey, func(id base.ColumnID) bool { return !contains(given, id) })
}

// pieces returns rows of different columns, whose key is the table's, as arrivals of one set of columns each and of different keys. They are none if all
// rows have the same columns; rows that cannot be one edit are refused.
func (w *write) pieces(t schema.Table) (all []*arrivals, err error) {
	if !w.together(t, w.rows) {
		return nil, checkSameColumns(w.rows, t)
	}
	pieces, release, err := split(t, w.rows)
	defer release()
	for _, rows := range pieces {
		one := &write{Mutator: w.Mutator, ctx: w.ctx, rows: rows, mode: w.mode, options: w.options}
		var a *arrivals
		if a, err = one.piece(t); err != nil {
			releaseArrivals(all)
			return nil, w.placed(t, err)
		}
		all = append(all, a)
	}
	return all, err
}

// piece returns the rows as arrivals.
func (w *write) piece(t schema.Table) (*arrivals, error) {
	t, records, err := w.conformed(t)
	if err != nil {
		return nil, err
	}
	defer releaseAll(records)
	if _, err := keyColumns(t, nil); err != nil {
		return nil, err
	}
	return w.arrivals(t, records)
}

// placed returns what is wrong with the rows as they came, which has their numbers, or else the error of a piece of them.
func (w *write) placed(t schema.Table, err error) error {
	columns, failed := lacking(t, w.rows)
	if failed != nil {
		return failed
	}
	t.Columns = givenBy(w.rows, t)
	for i := range t.Columns {
		t.Columns[i].NotNull = t.Columns[i].NotNull && !columns[schema.Fold(t.Columns[i].Name)]
	}
	records, failed := w.conform(t)
	releaseAll(records)
	return cmp.Or(failed, err)
}

// split returns rows of different columns as rows that have all of theirs, in the order in which they are to be written: of rows of one key none comes before one
// that it came behind, and where a table has no versions, and the rows have their keys, each key comes once. There are none if the rows are so already. release is to be called in any case.
func split(t schema.Table, rows engine.TableRows) (pieces []engine.TableRows, release func(), err error) {
	columns, err := lacking(t, rows)
	if err != nil || len(columns) == 0 {
		return nil, func() {}, err
	}
	all, err := batch.Concat(rows.Batches)
	if err != nil {
		return nil, func() {}, err
	}
	defer all.Release()
	var some []int // columns that not all rows have
	for i, f := range all.Schema().Fields() {
		if columns[schema.Fold(f.Name)] {
			some = append(some, i)
		}
	}
	key, err := keyHashes(t, all)
	if err != nil {
		return nil, func() {}, err
	}
	if t.RowVersion == 0 && t.IsDeleted == 0 && givesKey(t, rows) { // else a row may be left out, or take away what those before it gave
		if all, key, err = fold(all, key, some); err != nil {
			return nil, func() {}, err
		}
	}
	type set struct {
		has  string // which of some
		rows []uint32
	}
	var sets []*set
	at := map[string][]int{}        // where the sets of these columns are
	last := map[batch.KeyHash]int{} // the set of the key's last row
	has := make([]byte, len(some))
	for row := range int(all.NumRows()) {
		for i, column := range some {
			has[i] = 0
			if all.Column(column).IsValid(row) {
				has[i] = 1
			}
		}
		from := last[key[row]]
		i := slices.IndexFunc(at[string(has)], func(i int) bool { return i >= from })
		if i >= 0 {
			i = at[string(has)][i]
		} else {
			i = len(sets)
			sets = append(sets, &set{has: string(has)})
			at[string(has)] = append(at[string(has)], i)
		}
		sets[i].rows, last[key[row]] = append(sets[i].rows, uint32(row)), i
	}
	var taken []arrow.RecordBatch
	release = func() { releaseAll(taken) }
	for _, s := range sets {
		rec, err := batch.Take([]arrow.RecordBatch{all}, s.rows)
		if err != nil {
			return nil, release, err
		}
		taken = append(taken, rec)
		var fields []arrow.Field
		var columns []arrow.Array
		for i, f := range rec.Schema().Fields() {
			if n := slices.Index(some, i); n < 0 || s.has[n] == 1 {
				f.Metadata = arrow.Metadata{}
				fields, columns = append(fields, f), append(columns, rec.Column(i))
			}
		}
		piece := rows
		piece.Batches = []arrow.RecordBatch{array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())}
		taken = append(taken, piece.Batches[0])
		pieces = append(pieces, piece)
	}
	return pieces, release, nil
}

// fold returns rows with one for each key: of every column it has the last value, of some columns the last one that is not lacking.
func fold(all arrow.RecordBatch, key []batch.KeyHash, some []int) (arrow.RecordBatch, []batch.KeyHash, error) {
	numbers, keys := map[batch.KeyHash]int{}, []batch.KeyHash{}
	of := make([]int, len(key)) // which key each row has
	var first []uint32
	for row, k := range key {
		n, known := numbers[k]
		if !known {
			n = len(keys)
			numbers[k], keys, first = n, append(keys, k), append(first, uint32(row))
		}
		of[row] = n
	}
	if len(keys) == len(key) {
		return all, key, nil
	}
	columns := make([]arrow.Array, all.NumCols()) // on Go's heap
	for i, c := range all.Columns() {
		last := slices.Clone(first)
		lacks := slices.Contains(some, i)
		for row, n := range of {
			if !lacks || c.IsValid(row) {
				last[n] = uint32(row)
			}
		}
		var err error
		if columns[i], err = batch.TakeValues(c, last); err != nil {
			return nil, nil, err
		}
	}
	return array.NewRecordBatch(all.Schema(), columns, int64(len(keys))), keys, nil
}

// keyHashes returns hashes of the columns of the primary key that rows have.
func keyHashes(t schema.Table, rec arrow.RecordBatch) ([]batch.KeyHash, error) {
	sub := t
	sub.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return !slices.Contains(t.PrimaryKey, c.ID) })
	rows := engine.TableRows{Batches: []arrow.RecordBatch{rec}}
	if sub.Columns = givenBy(rows, sub); len(sub.Columns) == 0 {
		return make([]batch.KeyHash, rec.NumRows()), nil
	}
	conformed, err := batch.Conform(only(rec, sub.Columns), sub, batch.ConformOptions{})
	if err != nil {
		return nil, err
	}
	defer conformed.Release()
	return batch.KeyHashes(conformed.Columns())
}

// appendSparse is Append for rows of which some are sparse, and for a table of which their pieces are no one edit. done is false if there are none. Each piece is a
// request of its own, with a key of its own if the request has one: a repetition makes the same pieces.
func (m *Mutator) appendSparse(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (counts Counts, done bool, err error) {
	var rest, pieces []engine.TableRows
	for _, rows := range tables {
		t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
		if !rows.Sparse || err != nil || len(t.PrimaryKey) == 0 || m.together(t, rows) {
			rest = append(rest, rows)
			continue
		}
		some, release, err := split(t, rows)
		defer release()
		if err != nil {
			return Counts{}, true, err
		}
		if len(some) == 0 {
			rest = append(rest, rows)
			continue
		}
		pieces = append(pieces, some...)
	}
	if len(pieces) == 0 {
		return Counts{}, false, nil
	}
	if len(rest) > 0 {
		if counts, err = m.Append(ctx, rest, ofPiece(o, len(pieces))); err != nil {
			return Counts{}, true, err
		}
	}
	for i, piece := range pieces {
		more, err := m.Write(ctx, piece, Upsert, nil, ofPiece(o, i))
		if err != nil {
			return Counts{}, true, err
		}
		counts = counts.Plus(more)
	}
	return counts, true, nil
}

// ofPiece returns the options for a piece of a request.
func ofPiece(o engine.AppendOptions, n int) engine.AppendOptions {
	if o.IdempotencyKey != "" {
		o.IdempotencyKey = fmt.Sprintf("sparse-%x", sha256.Sum256(fmt.Appendf(nil, "%s/%d", o.IdempotencyKey, n)))
	}
	return o
}
