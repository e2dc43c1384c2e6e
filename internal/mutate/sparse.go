package mutate

import (
	"context"
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

// lacking returns the first column that some rows have and others lack, or "".
func lacking(batches []arrow.RecordBatch) string {
	for _, rec := range batches {
		for _, f := range rec.Schema().Fields() {
			if f.Metadata.FindKey(schema.LackingKey) >= 0 {
				return f.Name
			}
		}
	}
	return ""
}

// checkSameColumns refuses rows of which some lack columns that others have, if what a row lacks is to stay as it is.
func checkSameColumns(rows engine.TableRows) error {
	if rows.Whole || rows.Sparse {
		return nil
	}
	if name := lacking(rows.Batches); name != "" {
		return base.Errorf(base.Invalid, "some rows lack the column %q, and others have it: what a row lacks stays as it is in the one of its key", name).
			WithHint("send rows of different columns in different requests, or null for a value that is to be NULL")
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

// appendSparse is Append for rows of which some are sparse, and for a table with a primary key. done is false if there is nothing to split.
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
	// What comes last carries the key: rows that a repetition would add once more. That of pieces, where something broke off behind them, does no harm.
	before := engine.AppendOptions{Async: o.Async, Create: o.Create}
	for i, piece := range pieces {
		with := before
		if i == len(pieces)-1 && len(rest) == 0 {
			with = o
		}
		more, err := m.Write(ctx, piece, Upsert, nil, with)
		if err != nil {
			return Counts{}, true, err
		}
		counts = counts.Plus(more)
	}
	if len(rest) > 0 {
		more, err := m.Append(ctx, rest, o)
		if err != nil {
			return Counts{}, true, err
		}
		counts = counts.Plus(more)
	}
	return counts, true, nil
}
