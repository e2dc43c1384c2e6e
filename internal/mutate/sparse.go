package mutate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// What a row of a keyed table lacks stays as it is, so rows of different columns are different changes. Those of most formats are to come in different requests,
// which are applied as a whole; points of line protocol have the fields that they have, and go one set of fields after the other (engine.TableRows.Sparse).

// checkSameColumns refuses rows of which some lack columns of a table that others have, if what a row lacks is to stay as it is.
func checkSameColumns(rows engine.TableRows, t schema.Table) error {
	if rows.Whole || rows.Sparse {
		return nil
	}
	for _, rec := range rows.Batches {
		for _, f := range rec.Schema().Fields() {
			if f.Metadata.FindKey(schema.LackingKey) >= 0 && t.ColumnIndex(f.Name) >= 0 {
				return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: what a row lacks stays as it is in the one of its key", f.Name).
					WithHint("send rows of different columns in different requests, or null for a value that is to be NULL")
			}
		}
	}
	return nil
}

// split returns sparse rows as rows that have all of their columns, in the order in which they are to be written: of rows of one key none comes before one that
// it came behind. There are none if the rows are so already. release is to be called in any case.
func split(t schema.Table, rows engine.TableRows) (pieces []engine.TableRows, release func(), err error) {
	all, err := batch.Concat(rows.Batches)
	if err != nil {
		return nil, func() {}, err
	}
	defer all.Release()
	var some []int // columns that not all rows have
	for i, c := range all.Columns() {
		if c.NullN() > 0 {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return nil, func() {}, nil
	}
	key, err := keyHashes(t, all)
	if err != nil {
		return nil, func() {}, err
	}
	if t.RowVersion == 0 && t.IsDeleted == 0 { // else a row may be left out, or take away what those before it gave
		if all, key, err = fold(all, key); err != nil {
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

// fold returns sparse rows with one for each key: of every column it has the last value.
func fold(all arrow.RecordBatch, key []batch.KeyHash) (arrow.RecordBatch, []batch.KeyHash, error) {
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
		for row, n := range of {
			if c.IsValid(row) {
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

// appendSparse is Append for rows of which some are sparse, and for a table with a primary key. done is false if there is nothing to split. Each piece is a
// request of its own, with a key of its own if the request has one: a repetition makes the same pieces.
func (m *Mutator) appendSparse(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (counts Counts, done bool, err error) {
	var rest, pieces []engine.TableRows
	for _, rows := range tables {
		t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
		if !rows.Sparse || err != nil || len(t.PrimaryKey) == 0 {
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
