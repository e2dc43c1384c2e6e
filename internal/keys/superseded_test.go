package keys

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// world is a table that merges on read with random rows, and the expected state of each row.
type world struct {
	*rand.Rand
	t          *testing.T
	finder     *Finder
	table      schema.Table
	seq        base.Seq
	ids        base.RowsetID
	parts      []*catalog.Part
	views      []memtable.View
	sets       map[base.RowsetID]*patch.Set
	rows       map[base.RowsetID][]writtenRow
	superseded Superseded
}

// writtenRow is a row: its key and version, and when it was written.
type writtenRow struct {
	key, version int64
	at           int
	deleted      bool
}

func newWorld(t *testing.T, seed uint64, versions bool) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 5)), t: t, sets: map[base.RowsetID]*patch.Set{}, rows: map[base.RowsetID][]writtenRow{}}
	number := schema.Of(schema.BigInt)
	w.table = schema.Table{ID: 1, Version: 1, Columns: []schema.Column{{ID: 1, Name: "k", Type: number}, {ID: 2, Name: "v", Type: number}},
		PrimaryKey: []base.ColumnID{1}, MergeOnRead: true}
	if versions {
		w.table.RowVersion = 2
	}
	w.finder = NewFinder(ledger.NewAccount("keys", 1<<30), ledger.NewAccount("work", 1<<30), readerOf(func(_ context.Context, _ *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func([]arrow.Array) error) error {
		return rows(w.record(w.rows[p.ID]).Columns()[:len(columns)])
	}), func(err error) { t.Error(err) })
	return w
}

func (w *world) record(rows []writtenRow) arrow.RecordBatch {
	var keys, versions []int64
	for _, r := range rows {
		keys, versions = append(keys, r.key), append(versions, r.version)
	}
	return array.NewRecordBatch(w.table.Arrow(), []arrow.Array{numbers(keys...), numbers(versions...)}, int64(len(rows)))
}

// bring returns new rows. With once, no two of them have the same key.
func (w *world) bring(n int, once bool) (rows []writtenRow) {
	seen := map[int64]bool{}
	for range n {
		r := writtenRow{key: int64(w.IntN(30)), version: int64(w.IntN(5)), at: int(w.seq)*1000 + len(rows)}
		if !once || !seen[r.key] {
			rows, seen[r.key] = append(rows, r), true
		}
	}
	return rows
}

func (w *world) step() {
	w.seq++
	switch n := w.IntN(10); {
	case n < 5: // into the memtable
		if len(w.views) == 0 || w.IntN(4) == 0 {
			w.ids++
			w.views = append(w.views, memtable.View{Rowset: w.ids, Schema: w.table, MinSeq: w.seq})
		}
		v := &w.views[len(w.views)-1]
		rows := w.bring(1+w.IntN(20), false)
		v.Batches = append(v.Batches[:len(v.Batches):len(v.Batches)], memtable.Batch{FirstOrdinal: base.RowOrdinal(v.Rows), Record: w.record(rows)})
		v.Rows += int64(len(rows))
		w.rows[v.Rowset] = append(w.rows[v.Rowset], rows...)
	case n < 7: // a load, which ends the memtable
		w.ids++
		rows := w.bring(1+w.IntN(20), true)
		w.rows[w.ids] = rows
		w.parts = append(w.parts, &catalog.Part{ID: w.ids, Table: 1, SchemaVersion: 1, Rows: int64(len(rows)), MinSeq: w.seq, MaxSeq: w.seq})
		w.ids++
		w.views = append(w.views, memtable.View{Rowset: w.ids, Schema: w.table, MinSeq: w.seq + 1})
	default: // a current row is deleted, with all superseded rows of its key
		holds := w.holds()
		for key := range holds {
			w.delete(holds[key])
			break
		}
		for id, superseded := range w.superseded.Of {
			for it := superseded.Iterator(); it.HasNext(); {
				w.delete(base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(it.Next())})
			}
		}
	}
}

func (w *world) delete(row base.RowAddress) {
	w.rows[row.Rowset][row.Ordinal].deleted = true
	set := w.sets[row.Rowset]
	if set == nil {
		set = patch.New(row.Rowset)
	}
	w.sets[row.Rowset], _ = set.With(w.seq, roaring.BitmapOf(uint32(row.Ordinal)))
}

// holds returns the current row of each key, which it finds by comparing all rows.
func (w *world) holds() map[int64]base.RowAddress {
	holds := map[int64]base.RowAddress{}
	for id, rows := range w.rows {
		for i, r := range rows {
			if r.deleted {
				continue
			}
			there, ok := holds[r.key]
			if ok {
				other := w.rows[there.Rowset][there.Ordinal]
				if w.table.RowVersion != 0 && r.version != other.version {
					ok = r.version < other.version
				} else {
					ok = r.at < other.at
				}
			}
			if !ok {
				holds[r.key] = base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(i)}
			}
		}
	}
	return holds
}

func (w *world) check() {
	w.t.Helper()
	t := &snapshot.Table{Schema: w.table, Versions: map[uint32]schema.Table{1: w.table}, Parts: w.parts, Patches: w.sets}
	for _, v := range w.views {
		if v.Rows > 0 {
			t.Memtables = append(t.Memtables, v)
		}
	}
	var err error
	if w.superseded, err = w.finder.Superseded(w.t.Context(), t, w.seq, w.superseded); err != nil {
		w.t.Fatal(err)
	}
	for from, before := range map[string]Superseded{"step by step": w.superseded, "at once": {}} {
		found, err := w.finder.Superseded(w.t.Context(), t, w.seq, before)
		if err != nil {
			w.t.Fatal(err)
		}
		holds := w.holds()
		for id, rows := range w.rows {
			for i, r := range rows {
				lost := found.Of[id] != nil && found.Of[id].Contains(uint32(i))
				if want := holds[r.key] != (base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(i)}); !r.deleted && lost != want {
					w.t.Fatalf("%s: row %d of source %d, %+v, is a loser: %t", from, i, id, r, lost)
				}
			}
		}
	}
}

func TestSupersededRowsAreAllRowVersionsButOne(t *testing.T) {
	for seed := range uint64(60) {
		w := newWorld(t, seed, seed%2 == 0)
		for range 30 {
			w.step()
			if w.IntN(3) == 0 {
				w.check()
			}
		}
		w.check()
	}
}

func TestRepeatedRowsOfOneSource(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(t, seed, seed%2 == 0)
		rows := w.bring(1+w.IntN(400), false)
		w.rows[1] = rows
		for range w.IntN(5) {
			w.delete(base.RowAddress{Rowset: 1, Ordinal: base.RowOrdinal(w.IntN(len(rows)))})
		}
		cut := w.IntN(len(rows) + 1)
		superseded, err := Repeated(w.table, w.table, []arrow.RecordBatch{w.record(rows[:cut]), w.record(rows[cut:])}, w.sets[1])
		if err != nil {
			t.Fatal(err)
		}
		holds := w.holds()
		for i, r := range rows {
			if want := holds[r.key].Ordinal != base.RowOrdinal(i); !r.deleted && superseded.Contains(uint32(i)) != want {
				t.Fatalf("seed %d: row %d, %+v, is a loser: %t", seed, i, r, !want)
			}
		}
	}
}

func TestAMemtablesRowsAreFoundNewestFirst(t *testing.T) {
	var g growing
	r := rand.New(rand.NewPCG(1, 2))
	of := map[batch.KeyHash][]uint32{}
	for i := range uint32(5000) {
		// many in few buckets
		h := batch.KeyHash{High: uint64(r.IntN(700)) << 54, Low: uint32(r.IntN(3))}
		g.add(h)
		of[h] = append([]uint32{i}, of[h]...)
	}
	for h, want := range of {
		var found []uint32
		g.find(h, func(ordinal uint32) bool { found = append(found, ordinal); return false })
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Fatalf("%v: %v, want %v", h, found, want)
		}
	}
	g.find(batch.KeyHash{High: 1}, func(uint32) bool { t.Error("found what is not there"); return true })
}
