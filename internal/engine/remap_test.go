package engine

import (
	"maps"
	"testing"

	"github.com/scoterdb/scoter/internal/vfs"
)

// TestRemapsThatNoSnapshotNeedsAreDropped flushes a table that nobody reads, until it has too many
// remaps.
func TestRemapsThatNoSnapshotNeedsAreDropped(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{}}, {1, rowVersion{}}, {2, rowVersion{}}}, AppendOptions{}))
	_, err = readDeduplicated(e, table) // there is a superseded row
	must(t, err)
	moves := e.tables[table.ID].dedup
	for i := range int64(maxDedupRemaps + 2) {
		must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{amount: i}}}, AppendOptions{}))
		must(t, e.Flush(ctx))
		if want := int(i + 1); want <= maxDedupRemaps && len(moves.remaps) != want {
			t.Fatalf("%d moves after %d flushes", len(moves.remaps), want)
		}
	}
	if n := len(moves.remaps); n != 0 || moves.bytes != 0 {
		t.Errorf("%d moves of %d bytes are kept", n, moves.bytes)
	}
	for i := range int64(2) { // later remaps are followed again
		got, err := readDeduplicated(e, table)
		must(t, err)
		if want := map[int64]rowVersion{1: {amount: maxDedupRemaps + 1 + i}, 2: {}}; !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{amount: maxDedupRemaps + 2 + i}}}, AppendOptions{}))
		must(t, e.Flush(ctx))
	}
	if n := len(moves.remaps); n != 1 {
		t.Errorf("%d moves are kept after a reader", n)
	}
	mustEnd(t, e)
}

// TestRemapsOfAllTablesAreBounded flushes two tables that are not read, until their remaps take too
// much memory. Then the table whose remaps take the most memory drops its remaps.
func TestRemapsOfAllTablesAreBounded(t *testing.T) {
	e := openSmall(t, vfs.NewCrashable())
	large, err := createMergeOnRead(e, "large", false)
	must(t, err)
	small, err := createMergeOnRead(e, "small", false)
	must(t, err)
	rows := make([]keyedVersion, 5000)
	want := map[int64]rowVersion{}
	const flushes = 6
	for i := range int64(flushes) {
		for k := range rows {
			rows[k] = keyedVersion{int64(k), rowVersion{amount: i}}
			want[int64(k)] = rows[k].rowVersion
		}
		must(t, appendMergeOnRead(e, large, rows, AppendOptions{}))
		must(t, appendMergeOnRead(e, small, rows[:2], AppendOptions{}))
		must(t, e.Flush(ctx))
		bytes := int64(0)
		for _, of := range e.tables {
			for _, m := range of.dedup.remaps {
				bytes += m.remap.Bytes()
			}
		}
		if bytes > e.remapBytes() {
			t.Errorf("moves of %d bytes are kept", bytes)
		}
	}
	if n := len(e.tables[large.ID].dedup.remaps); n != 0 {
		t.Errorf("%d moves of the large table are kept", n)
	}
	if n := len(e.tables[small.ID].dedup.remaps); n != flushes {
		t.Errorf("%d moves of the small table are kept", n)
	}
	got, err := readDeduplicated(e, large)
	must(t, err)
	if !maps.Equal(got, want) {
		t.Errorf("large: %d rows, want %d", len(got), len(want))
	}
	got, err = readDeduplicated(e, small)
	must(t, err)
	if want := map[int64]rowVersion{0: want[0], 1: want[1]}; !maps.Equal(got, want) {
		t.Errorf("small: %v, want %v", got, want)
	}
	mustEnd(t, e)
}
