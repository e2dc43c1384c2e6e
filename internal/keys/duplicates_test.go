package keys

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// tableOf returns a table of parts that have the given keys, and a Finder that reads them. read
// collects the ids of the parts that are read.
func tableOf(t *testing.T, read *[]base.RowsetID, keys ...[]int64) (*snapshot.Table, *Finder) {
	t.Helper()
	table := schema.Table{ID: 1, Version: 1, Columns: []schema.Column{{ID: 1, Name: "k", Type: schema.Of(schema.BigInt)}}, PrimaryKey: []base.ColumnID{1}}
	s := &snapshot.Table{Schema: table, Versions: map[uint32]schema.Table{1: table}, Patches: map[base.RowsetID]*patch.Set{}}
	for i, k := range keys {
		stats := map[base.ColumnID]schema.ColumnStats{1: {Min: schema.IntValue(slices.Min(k)), Max: schema.IntValue(slices.Max(k))}}
		s.Parts = append(s.Parts, &catalog.Part{ID: base.RowsetID(i + 1), Table: 1, SchemaVersion: 1, Rows: int64(len(k)), Stats: stats})
	}
	return s, NewFinder(ledger.NewAccount("keys", 1<<30), ledger.NewAccount("work", 1<<30), readerOf(func(_ context.Context, _ *snapshot.Table, p *catalog.Part, _ []schema.Column, rows func([]arrow.Array) error) error {
		*read = append(*read, p.ID)
		return rows([]arrow.Array{numbers(keys[p.ID-1]...)})
	}), func(err error) { t.Error(err) })
}

// heldForGood is a Reader.Hold for parts that are never removed.
func heldForGood(*catalog.Part) (release func(), ok bool) { return func() {}, true }

// readerOf returns a reader that only reads whole parts.
func readerOf(read ReadPart) Reader {
	return Reader{Hold: heldForGood, Part: read, Numbers: func(*snapshot.Table, *catalog.Part, []base.ColumnID) (*part.Numbers, bool, error) {
		return nil, false, nil
	}}
}

// TestIndexesOfWhichSomeFitAreOfUse looks up a key in parts that may all have it. There is memory
// for half of their indexes.
func TestIndexesOfWhichSomeFitAreOfUse(t *testing.T) {
	var read []base.RowsetID
	parts := make([][]int64, 10)
	for i := range 10_000 {
		parts[i%10] = append(parts[i%10], int64(2*i))
	}
	table, f := tableOf(t, &read, parts...)
	look := func(f *Finder) {
		columns := []arrow.Array{numbers(9_999)}
		hashes, err := batch.KeyHashes(columns)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := f.Find(t.Context(), table, columns, hashes); err != nil || found[0].Rowset != 0 {
			t.Fatal(found, err)
		}
	}
	look(f)
	_, all := f.Cached()
	if len(read) != 10 || all == 0 {
		t.Fatal(read, all)
	}
	read = nil
	_, f = tableOf(t, &read, parts...)
	f.memory = ledger.NewAccount("keys", all/2)
	for range 100 {
		look(f)
	}
	if _, bytes := f.Cached(); bytes > f.memory.Limit() || len(read) > 750 {
		t.Errorf("%d bytes are kept of %d, and parts were read %d times of 1000", bytes, f.memory.Limit(), len(read))
	}
}

// TestAnIndexThatIsLargerThanTheCacheIsCached looks keys up in a part whose index is too large for
// the cache, and then in another part whose index is small.
func TestAnIndexThatIsLargerThanTheCacheIsCached(t *testing.T) {
	for range 10 {
		var read []base.RowsetID
		large := make([]int64, 1000)
		for i := range large {
			large[i] = int64(i)
		}
		table, f := tableOf(t, &read, large, []int64{5000, 5001})
		f.memory = ledger.NewAccount("keys", 1000*entryBytes/2)
		look := func(key int64) {
			t.Helper()
			columns := []arrow.Array{numbers(key)}
			if found, err := f.Find(t.Context(), table, columns, hashes(t, columns...)); err != nil || found[0].Rowset == 0 {
				t.Fatal(found, err)
			}
		}
		for range 20 {
			look(17)
		}
		if !slices.Equal(read, []base.RowsetID{1}) {
			t.Fatalf("parts %v were read: the first is to be once", read)
		}
		for f.memory.Excess() > 0 { // the small index is cached sooner or later
			look(5001)
		}
		look(17)
		if _, bytes := f.Cached(); bytes < f.memory.Limit() || read[len(read)-1] != 1 {
			t.Errorf("%d bytes are kept, parts %v were read", bytes, read)
		}
	}
}

func TestDuplicatesAreTheKeysThatAnAddedPartShares(t *testing.T) {
	var read []base.RowsetID
	many := make([]int64, 50_000)
	for i := range many {
		many[i] = int64(i) * 7
	}
	table, f := tableOf(t, &read, []int64{-5, -3}, []int64{7, 8, 14, 21}, many, []int64{21, 350, 351, 352}, []int64{1 << 40})
	var err error
	// 14 is deleted
	if table.Patches[2], err = patch.New(2).With(1, roaring.BitmapOf(2)); err != nil {
		t.Fatal(err)
	}
	var found []string
	err = f.Duplicates(t.Context(), table, table.Parts[:2], table.Parts[2:], func(rows []base.RowAddress) error {
		found = append(found, fmt.Sprint(rows))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	want := []string{"[2:0 3:1]", "[2:3 3:3 4:0]", "[3:50 4:1]"}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if !slices.Equal(read, []base.RowsetID{2, 3, 4}) {
		t.Errorf("read parts %v, which is not those that may share keys", read)
	}
	// The indexes of added parts are cached from then on.
	read = nil
	columns := []arrow.Array{numbers(35, 351, 8)}
	at, err := f.Find(t.Context(), table, columns, hashes(t, columns...))
	if err != nil || !slices.Equal(at, []base.RowAddress{{Rowset: 3, Ordinal: 5}, {Rowset: 4, Ordinal: 2}, {Rowset: 2, Ordinal: 1}}) {
		t.Errorf("found %v, %v", at, err)
	}
	if !slices.Equal(read, []base.RowsetID{2}) {
		t.Errorf("read parts %v", read)
	}
}

// TestDuplicatesAreFoundInSeveralPasses has memory for a fraction of the rows.
func TestDuplicatesAreFoundInSeveralPasses(t *testing.T) {
	var read []base.RowsetID
	var first, second []int64
	for i := range int64(3 * leastPassRows) {
		first, second = append(first, 2*i), append(second, 3*i)
	}
	table, f := tableOf(t, &read, first, second)
	f.work = ledger.NewAccount("work", 0)
	keys := map[string]bool{}
	err := f.Duplicates(t.Context(), table, table.Parts[:1], table.Parts[1:], func(rows []base.RowAddress) error {
		if len(rows) != 2 || 2*rows[0].Ordinal != 3*rows[1].Ordinal || f.work.Used() != leastPassRows*passRowBytes {
			t.Errorf("rows %v; %d bytes are charged", rows, f.work.Used())
		}
		keys[fmt.Sprint(rows)] = true
		return nil
	})
	if err != nil || len(keys) != leastPassRows || len(read) != 12 || f.work.Used() != 0 {
		t.Errorf("%d keys, %d reads, %d bytes are charged, %v", len(keys), len(read), f.work.Used(), err)
	}
}

// TestBucketsHoldFewRowsOfAnyPass has rows of one of many passes, whose hashes share many bits.
func TestBucketsHoldFewRowsOfAnyPass(t *testing.T) {
	const passes = 64
	r := rand.New(rand.NewPCG(1, 1))
	for _, pass := range []uint64{0, 17, passes - 1} {
		var rows []keyRow
		for len(rows) < 5000 {
			if high := r.Uint64(); isOfPass(high, pass, passes) {
				rows = append(rows, keyRow{high: high})
			}
		}
		ordered, starts := inBuckets(rows)
		for i, end := range starts[1:] {
			if n := end - starts[i]; n > 6*bucketRows {
				t.Errorf("pass %d: %d rows in a bucket", pass, n)
			}
		}
		if len(ordered) != len(rows) || int(starts[len(starts)-1]) != len(rows) {
			t.Errorf("%d rows in buckets up to row %d", len(ordered), starts[len(starts)-1])
		}
	}
}
