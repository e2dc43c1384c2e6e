package keys

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// backgroundWorld is a table of parts with a finder. Reads wait for the channel goAhead, if it is
// not nil, and fail with the error fail.
type backgroundWorld struct {
	*testing.T
	table   *snapshot.Table
	keys    [][]int64
	finder  *Finder
	goAhead chan struct{}

	mu       sync.Mutex
	read     []base.RowsetID // guarded by mu
	fail     error           // guarded by mu
	failures []string        // guarded by mu
	held     int             // number of parts that are held; guarded by mu
	gone     bool            // whether the table has none of its parts any more; guarded by mu
}

func newBackgroundWorld(t *testing.T, keys ...[]int64) *backgroundWorld {
	w := &backgroundWorld{T: t, keys: keys}
	w.table, _ = tableOf(t, &w.read, keys...)
	reader := readerOf(w.readPart)
	reader.Hold = w.hold
	w.finder = NewFinder(ledger.NewAccount("keys", 1<<30), ledger.NewAccount("work", 1<<30), reader, func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failures = append(w.failures, err.Error())
	})
	return w
}

func (w *backgroundWorld) hold(*catalog.Part) (release func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return nil, false
	}
	w.held++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.held--
	}, true
}

func (w *backgroundWorld) readPart(ctx context.Context, _ *snapshot.Table, p *catalog.Part, _ []schema.Column, rows func([]arrow.Array) error) error {
	w.mu.Lock()
	w.read = append(w.read, p.ID)
	fail := w.fail
	if w.held == 0 {
		w.Error("a part is read that nobody holds")
	}
	w.mu.Unlock()
	half := len(w.keys[p.ID-1]) / 2
	if err := rows([]arrow.Array{numbers(w.keys[p.ID-1][:half]...)}); err != nil {
		return err
	}
	if w.goAhead != nil {
		select {
		case <-w.goAhead:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if fail != nil {
		return fail
	}
	return rows([]arrow.Array{numbers(w.keys[p.ID-1][half:]...)})
}

func (w *backgroundWorld) all(key int64) ([]base.RowAddress, bool) {
	w.Helper()
	found, ok, err := w.finder.All(w.table, w.table.Schema.PrimaryKey, []arrow.Array{numbers(key)})
	if err != nil {
		w.Error(err)
	}
	return found, ok
}

// expect looks up a key and checks the rows that are found. Without rows, it expects that a query
// is needed.
func (w *backgroundWorld) expect(key int64, want ...base.RowAddress) {
	w.Helper()
	found, ok := w.all(key)
	if ok != (want != nil) || !slices.Equal(found, want) {
		w.Errorf("key %d: found %v %v, want %v", key, found, ok, want)
	}
}

// after checks which parts have been read so far, and how many are held.
func (w *backgroundWorld) after(held int, read ...base.RowsetID) {
	w.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held != held || !slices.Equal(w.read, read) {
		w.Errorf("%d parts held, parts %v read; want %d, %v", w.held, w.read, held, read)
	}
}

func TestIndexesAreBuiltInTheBackgroundFromTheSecondStatementOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newBackgroundWorld(t, []int64{1, 2, 3}, []int64{3, 4, 5}, []int64{100, 101})
		w.goAhead = make(chan struct{})
		w.expect(3)
		w.after(0)
		w.expect(3)
		w.after(1, 1)
		w.expect(3) // while the first is being built
		w.expect(1)
		w.expect(100) // another part is not built in the meantime, even if it is requested twice
		w.expect(100)
		w.after(1, 1)
		w.goAhead <- struct{}{}
		w.after(1, 1, 2)
		w.expect(3)
		w.expect(1, base.RowAddress{Rowset: 1, Ordinal: 0}) // its part has an index
		w.goAhead <- struct{}{}
		w.after(0, 1, 2)
		w.expect(3, base.RowAddress{Rowset: 1, Ordinal: 2}, base.RowAddress{Rowset: 2, Ordinal: 0})
		w.expect(100)
		w.after(1, 1, 2, 3)
		w.goAhead <- struct{}{}
		w.after(0, 1, 2, 3)
		w.expect(101, base.RowAddress{Rowset: 3, Ordinal: 1})
		w.finder.Close()
		if w.failures != nil {
			t.Error(w.failures)
		}
	})
}

func TestCloseEndsWhatMakesIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newBackgroundWorld(t, []int64{1, 2, 3}, []int64{3, 4, 5})
		w.goAhead = make(chan struct{})
		w.expect(3)
		w.after(0)
		w.expect(3)
		w.after(1, 1)
		w.finder.Close()
		w.after(0, 1) // and the second part is not started
		w.expect(3)
		w.after(0, 1)
		w.finder.Close()
		if w.failures != nil {
			t.Errorf("to be closed is no failure: %v", w.failures)
		}
	})
}

func TestAnIndexThatCannotBeMadeIsToldOfAndTriedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newBackgroundWorld(t, []int64{1, 2, 3}, []int64{3, 4, 5})
		defer w.finder.Close()
		w.fail = errors.New("no memory")
		w.expect(2)
		w.after(0)
		for range 5 {
			w.expect(2)
			w.after(0, 1)
		}
		if len(w.failures) != 1 || !strings.Contains(w.failures[0], "part 1: no memory") {
			t.Errorf("failures %q", w.failures)
		}
		w.fail = nil
		w.expect(3) // this needs the other part, for the first time
		w.after(0, 1)
		w.expect(3)
		w.after(0, 1, 2)
		time.Sleep(retryAfter)
		w.expect(2)
		w.after(0, 1, 2, 1)
		w.expect(2, base.RowAddress{Rowset: 1, Ordinal: 1})
		w.expect(3, base.RowAddress{Rowset: 1, Ordinal: 2}, base.RowAddress{Rowset: 2, Ordinal: 0})
	})
}

func TestAnIndexThatFailedHalfwayLeavesNoStatesBehind(t *testing.T) {
	w := newBackgroundWorld(t, []int64{1, 2, 3, 4})
	w.held = 1
	defer w.finder.Close()
	w.table.Schema.Columns = append(w.table.Schema.Columns, schema.Column{ID: 2, Name: "v", Type: schema.Of(schema.BigInt)})
	w.table.Schema.RowVersion = 2
	w.finder.reader.Part = func(ctx context.Context, t *snapshot.Table, p *catalog.Part, c []schema.Column, rows func([]arrow.Array) error) error {
		return w.readPart(ctx, t, p, c, func(columns []arrow.Array) error { return rows(append(columns, columns[0])) })
	}
	w.fail = errors.New("cancelled")
	row := []base.RowAddress{{Rowset: 1, Ordinal: 3}}
	if _, err := w.finder.States(t.Context(), w.table, row); err == nil {
		t.Fatal("no error")
	}
	w.fail = nil
	states, err := w.finder.States(t.Context(), w.table, row)
	if want, _ := Versions(numbers(4)); err != nil || states[0].Version != want[0] {
		t.Errorf("%v, %v", states, err)
	}
}

func TestStatementsAndUpsertsFindTheSameRowsWhileIndexesAreMade(t *testing.T) {
	var parts [][]int64
	for p := range int64(6) {
		keys := make([]int64, 20_000)
		for i := range keys {
			keys[i] = p*20_000 + int64(i)
		}
		parts = append(parts, keys)
	}
	w := newBackgroundWorld(t, parts...)
	var all sync.WaitGroup
	for worker := range int64(4) {
		all.Go(func() {
			for n := range int64(3000) {
				key := (n*7919 + worker*31) % 120_000
				want := base.RowAddress{Rowset: base.RowsetID(key/20_000 + 1), Ordinal: base.RowOrdinal(key % 20_000)}
				if found, ok := w.all(key); ok && !slices.Equal(found, []base.RowAddress{want}) {
					t.Errorf("key %d: found %v, want %v", key, found, want)
				}
				if n%100 == worker {
					columns := []arrow.Array{numbers(key)}
					w.mu.Lock()
					w.held++ // for the read of Find
					w.mu.Unlock()
					found, err := w.finder.Find(t.Context(), w.table, columns, hashes(t, columns...))
					w.mu.Lock()
					w.held--
					w.mu.Unlock()
					if err != nil || found[0] != want {
						t.Errorf("key %d: found %v, want %v, %v", key, found, want, err)
					}
				}
			}
		})
	}
	all.Wait()
	w.finder.Close()
	slices.Sort(w.read)
	if !slices.Equal(w.read, []base.RowsetID{1, 2, 3, 4, 5, 6}) || w.held != 0 || w.failures != nil {
		t.Errorf("parts %v read, each is to be once; %d held; failures %v", w.read, w.held, w.failures)
	}
}

func TestNoIndexIsMadeOfAPartThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newBackgroundWorld(t, []int64{1, 2, 3})
		defer w.finder.Close()
		w.expect(3)
		w.after(0)
		w.gone = true
		w.expect(3)
		w.after(0)
		w.gone = false
		w.expect(3)
		w.after(0, 1)
		if w.failures != nil {
			t.Errorf("to be gone is no failure: %v", w.failures)
		}
	})
}

// TestAKeyThatManyRowsHadIsLookedForAgain has a key with too many rows for All, and then deletes
// one of them.
func TestAKeyThatManyRowsHadIsLookedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newBackgroundWorld(t, append(slices.Repeat([]int64{5}, maxAlike+1), 7))
		defer w.finder.Close()
		seven := base.RowAddress{Rowset: 1, Ordinal: maxAlike + 1}
		w.expect(7)
		w.after(0)
		w.expect(7)
		w.after(0, 1)
		w.expect(7, seven)
		w.expect(5)
		w.expect(7)
		set, err := patch.New(1).With(1, roaring.BitmapOf(3))
		if err != nil {
			t.Fatal(err)
		}
		w.table.Patches[1] = set
		w.expect(7)
		time.Sleep(coarseFor)
		w.expect(7, seven)
		if found, ok := w.all(5); !ok || len(found) != maxAlike {
			t.Errorf("%d rows, %t", len(found), ok)
		}
		if n := len(w.finder.coarse); n != 1 {
			t.Errorf("%d coarse keys", n)
		}
		w.table.Patches[1] = patch.New(1)
		w.table.Schema.ID = 2 // another table
		w.expect(5)
		if n := len(w.finder.coarse); n != 1 {
			t.Errorf("%d coarse keys: one is to be forgotten", n)
		}
	})
}

func TestTheCacheOfARowsetIsDroppedWithIt(t *testing.T) {
	w := newBackgroundWorld(t, []int64{1, 2, 3}, []int64{3, 4, 5})
	w.held = 1
	defer w.finder.Close()
	w.table.Memtables = []memtable.View{{Rowset: 9, Schema: w.table.Schema, Rows: 2, Batches: []memtable.Batch{
		{Record: array.NewRecordBatch(w.table.Schema.Arrow(), []arrow.Array{numbers(8, 9)}, 2)}}}}
	if _, err := w.finder.Find(t.Context(), w.table, []arrow.Array{numbers(3)}, hashes(t, numbers(3))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.finder.Find(t.Context(), w.table, []arrow.Array{numbers(5)}, hashes(t, numbers(5))); err != nil {
		t.Fatal(err)
	}
	w.table.Memtables = nil
	for i, id := range []base.RowsetID{1, 9, 2, 4} {
		if rowsets, _ := w.finder.Cached(); rowsets != max(3-i, 0) {
			t.Errorf("%d sources are kept, want %d", rowsets, max(3-i, 0))
		}
		w.finder.Forget(id)
	}
	if f := w.finder; f.memory.Used() != 0 || len(f.parts) != 0 || slices.ContainsFunc(f.parts[:cap(f.parts)], func(s *rowset) bool { return s != nil }) {
		t.Errorf("%d bytes of %d parts are kept, %v", f.memory.Used(), len(f.parts), f.parts[:cap(f.parts)])
	}
}
