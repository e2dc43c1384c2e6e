package keys

import (
	"context"
	"errors"
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// groupWorld is a table with the key (a, b) in files.
type groupWorld struct {
	*testing.T
	fs     vfs.FS
	table  *snapshot.Table
	rows   map[base.RowsetID][][2]int64
	of     map[[2]int64][]base.RowAddress // addresses of the rows of each key
	finder *Finder
	opened int // number of footers read
	looked int // number of searches in row groups without cached numbers
	read   int // number of row groups read
	fail   error
	failed int // number of reported failures
}

func newGroupWorld(t *testing.T, maxBytes int64) *groupWorld {
	number := schema.Of(schema.BigInt)
	table := schema.Table{ID: 1, Version: 1, Columns: []schema.Column{{ID: 1, Name: "a", Type: number}, {ID: 2, Name: "b", Type: number}},
		SortKey: []schema.SortField{{Column: 1}, {Column: 2}}}
	w := &groupWorld{T: t, fs: vfs.NewCrashable(), rows: map[base.RowsetID][][2]int64{}, of: map[[2]int64][]base.RowAddress{}}
	descending := table
	descending.Version, descending.SortKey = 2, []schema.SortField{{Column: 1, Descending: true}}
	w.table = &snapshot.Table{Schema: table, Versions: map[uint32]schema.Table{1: table, 2: descending}, Patches: map[base.RowsetID]*patch.Set{}}
	w.finder = NewFinder(ledger.NewAccount("keys", maxBytes), ledger.NewAccount("work", 1<<30), Reader{
		Hold: heldForGood,
		Part: func(context.Context, *snapshot.Table, *catalog.Part, []schema.Column, func([]arrow.Array) error) error {
			t.Error("a whole part is read")
			return errors.New("a whole part")
		},
		Numbers: func(t *snapshot.Table, p *catalog.Part, columns []base.ColumnID) (*part.Numbers, bool, error) {
			w.opened++
			return part.OpenNumbers(blocks.Unchecked(w.fs, w.path(p.ID)), t.Versions[p.SchemaVersion], columns)
		},
		Group: func(n *part.Numbers, group int) ([]part.Integers, error) {
			w.read++
			if w.fail != nil {
				return nil, w.fail
			}
			return n.Read(group)
		},
		Rows: func(n *part.Numbers, group int, values []int64) ([]uint32, error) {
			w.looked++
			if w.fail != nil {
				return nil, w.fail
			}
			return n.Find(group, values)
		},
	}, func(err error) {
		if w.failed++; w.fail == nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.finder.Close)
	return w
}

func (w *groupWorld) path(id base.RowsetID) string { return fmt.Sprintf("/%d", id) }

// add writes a part of a schema version.
func (w *groupWorld) add(version uint32, rows [][2]int64) {
	w.Helper()
	var columns [2][]int64
	id := base.RowsetID(len(w.rows) + 1)
	for i, r := range rows {
		columns[0], columns[1] = append(columns[0], r[0]), append(columns[1], r[1])
		w.of[r] = append(w.of[r], base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(i)})
	}
	rec := array.NewRecordBatch(w.table.Schema.Arrow(), []arrow.Array{numbers(columns[0]...), numbers(columns[1]...)}, int64(len(rows)))
	written, err := part.WriteBatches(w.fs, w.path(id), w.table.Versions[version], []arrow.RecordBatch{rec}, part.Options{Profile: part.Fast})
	if err != nil {
		w.Fatal(err)
	}
	w.rows[id] = rows
	w.table.Parts = append(w.table.Parts, &catalog.Part{ID: id, Table: 1, SchemaVersion: version, Rows: written.Rows, Stats: written.Stats})
}

func (w *groupWorld) delete(row base.RowAddress) {
	set := w.table.Patches[row.Rowset]
	if set == nil {
		set = patch.New(row.Rowset)
	}
	w.table.Patches[row.Rowset], _ = set.With(1, roaring.BitmapOf(uint32(row.Ordinal)))
}

func (w *groupWorld) all(key [2]int64) ([]base.RowAddress, bool, error) {
	return w.finder.All(w.table, []base.ColumnID{1, 2}, []arrow.Array{numbers(key[0]), numbers(key[1])})
}

// check compares what All returns with the rows that were written.
func (w *groupWorld) check(key [2]int64) {
	w.Helper()
	var want []base.RowAddress
	for _, row := range w.of[key] {
		if set := w.table.Patches[row.Rowset]; set == nil || !set.Deleted.Contains(uint32(row.Ordinal)) {
			want = append(want, row)
		}
	}
	if found, ok, err := w.all(key); err != nil || !ok || !slices.Equal(found, want) {
		w.Errorf("key %v: found %v %t %v, want %v", key, found, ok, err, want)
	}
}

func TestRowsOfSortedPartsAreFoundInTheirRowGroups(t *testing.T) {
	w := newGroupWorld(t, 1<<30)
	rng := rand.New(rand.NewPCG(1, 2))
	const rows = 2*part.RowGroupRows + 1000
	for p := range int64(2) { // runs of equal a, some of which span two row groups
		var sorted [][2]int64
		for i := range int64(rows) {
			sorted = append(sorted, [2]int64{p*100_000 + i/7, i % 7})
		}
		w.add(1, sorted)
	}
	var descending [][2]int64
	for i := range int64(1000) {
		descending = append(descending, [2]int64{-i, i % 2})
	}
	w.add(2, descending)
	for n := range 300 {
		p := w.table.Parts[rng.IntN(3)]
		at := rng.IntN(int(p.Rows))
		if n%10 == 0 && p.Rows == rows { // at the boundaries of row groups, and in the last one
			at = []int{part.RowGroupRows - 1, part.RowGroupRows, rows - 1}[n/10%3]
		}
		key := w.rows[p.ID][at]
		if n%5 == 0 {
			w.delete(base.RowAddress{Rowset: p.ID, Ordinal: base.RowOrdinal(at)})
		}
		w.check(key)
		w.check([2]int64{key[0], 9}) // does not exist
	}
	if w.opened != 3 || w.read > 7 || w.read < 5 || w.looked > 7*seldom || w.looked < w.read*seldom {
		t.Errorf("%d footers and %d row groups read, each is to be once, %d looked into", w.opened, w.read, w.looked)
	}
}

func TestCachedRowGroupsAreBounded(t *testing.T) {
	const most = 160 << 10
	w := newGroupWorld(t, most)
	for p := range int64(8) {
		var sorted [][2]int64
		for i := range int64(40_000) {
			sorted = append(sorted, [2]int64{p*40_000 + i, p})
		}
		w.add(1, sorted)
	}
	for range 2 {
		for p := range int64(8) {
			for i := range int64(seldom + 2) {
				w.check([2]int64{p*40_000 + i, p})
			}
			if w.finder.memory.Used() > most {
				t.Errorf("%d bytes are kept", w.finder.memory.Used())
			}
		}
	}
	if w.read <= 8 || w.read > 16 { // the numbers of one part fit
		t.Errorf("%d row groups read", w.read)
	}
	// A footer that does not fit any more evicts something else.
	used := w.finder.memory.Used()
	w.finder.memory = ledger.NewAccount("keys", used)
	w.finder.memory.Charge(used)
	w.add(1, [][2]int64{{500_000, 1}, {500_001, 2}})
	opened, read := w.opened, w.read
	for range 3 * seldom {
		w.check([2]int64{500_001, 2})
	}
	if w.opened != opened+1 || w.read != read+1 {
		t.Errorf("%d footers and %d row groups of one part were read, each is to be once", w.opened-opened, w.read-read)
	}
}

func TestRowGroupsThatAreNotReadAtOnceAreReadInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGroupWorld(t, 1<<30)
		for range 4 {
			w.add(1, [][2]int64{{1, 1}, {2, 2}, {3, 3}})
		}
		key := [2]int64{2, 2}
		if _, ok, err := w.all(key); ok || err != nil {
			t.Errorf("%t %v", ok, err)
		}
		synctest.Wait()
		w.check(key)
		if w.opened != 4 || w.read != 3 || w.looked != 1 {
			t.Errorf("%d footers and %d row groups read, %d looked into", w.opened, w.read, w.looked)
		}
		w.finder.Close()
	})
}

// TestAPartThatFailsIsLeftAloneForAWhileThoughNothingIsCached looks up a key in more parts than All
// reads at once. There is no memory for a cache.
func TestAPartThatFailsIsLeftAloneForAWhileThoughNothingIsCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGroupWorld(t, 1)
		for range 4 {
			w.add(1, [][2]int64{{1, 1}, {2, 2}, {3, 3}})
		}
		w.fail = errors.New("no such disk")
		for range 20 {
			if _, ok, err := w.all([2]int64{2, 2}); ok || err != nil {
				t.Errorf("%t %v", ok, err)
			}
			synctest.Wait()
		}
		if w.failed != 3 { // the first is not read in the background
			t.Errorf("told of %d failures", w.failed)
		}
		time.Sleep(retryAfter)
		if _, ok, err := w.all([2]int64{2, 2}); ok || err != nil {
			t.Errorf("%t %v", ok, err)
		}
		synctest.Wait()
		if w.failed != 6 {
			t.Errorf("told of %d failures", w.failed)
		}
		w.finder.Close()
	})
}

func TestARowGroupThatCannotBeReadIsAnErrorOfTheWaitingStatement(t *testing.T) {
	w := newGroupWorld(t, 1<<30)
	w.add(1, [][2]int64{{1, 1}, {2, 2}, {3, 3}})
	w.fail = errors.New("no such disk")
	if _, ok, err := w.all([2]int64{2, 2}); ok || !errors.Is(err, w.fail) {
		t.Errorf("%t %v", ok, err)
	}
	w.fail = nil
	w.check([2]int64{2, 2})
}
