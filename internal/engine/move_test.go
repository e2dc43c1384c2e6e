package engine

import (
	"maps"
	"testing"

	"github.com/scoterdb/scoter/internal/vfs"
)

// TestMovesThatNobodyFollowsAreNotKept flushes a table that nobody reads, until it has too many
// remaps.
func TestMovesThatNobodyFollowsAreNotKept(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createSettling(e, "t", false)
	must(t, err)
	must(t, appendSettling(e, table, []keyed{{1, held{}}, {1, held{}}, {2, held{}}}, AppendOptions{}))
	_, err = readSettled(e, table) // there is a superseded row
	must(t, err)
	moves := e.tables[table.ID].settling
	for i := range int64(maxRelocations + 2) {
		must(t, appendSettling(e, table, []keyed{{1, held{amount: i}}}, AppendOptions{}))
		must(t, e.Flush(ctx))
		if want := int(i + 1); want <= maxRelocations && len(moves.moves) != want {
			t.Fatalf("%d moves after %d flushes", len(moves.moves), want)
		}
	}
	if n := len(moves.moves); n != 0 || moves.bytes != 0 {
		t.Errorf("%d moves of %d bytes are kept", n, moves.bytes)
	}
	for i := range int64(2) { // later remaps are followed again
		got, err := readSettled(e, table)
		must(t, err)
		if want := map[int64]held{1: {amount: maxRelocations + 1 + i}, 2: {}}; !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		must(t, appendSettling(e, table, []keyed{{1, held{amount: maxRelocations + 2 + i}}}, AppendOptions{}))
		must(t, e.Flush(ctx))
	}
	if n := len(moves.moves); n != 1 {
		t.Errorf("%d moves are kept after a reader", n)
	}
	mustEnd(t, e)
}

// TestMovesOfAllTablesAreBounded flushes two tables that are not read, until their remaps take too
// much memory. Then the table whose remaps take the most memory drops its remaps.
func TestMovesOfAllTablesAreBounded(t *testing.T) {
	e := openSmall(t, vfs.NewCrashable())
	large, err := createSettling(e, "large", false)
	must(t, err)
	small, err := createSettling(e, "small", false)
	must(t, err)
	rows := make([]keyed, 5000)
	want := map[int64]held{}
	const flushes = 6
	for i := range int64(flushes) {
		for k := range rows {
			rows[k] = keyed{int64(k), held{amount: i}}
			want[int64(k)] = rows[k].held
		}
		must(t, appendSettling(e, large, rows, AppendOptions{}))
		must(t, appendSettling(e, small, rows[:2], AppendOptions{}))
		must(t, e.Flush(ctx))
		bytes := int64(0)
		for _, of := range e.tables {
			for _, m := range of.settling.moves {
				bytes += m.move.Bytes()
			}
		}
		if bytes > e.movesBytes() {
			t.Errorf("moves of %d bytes are kept", bytes)
		}
	}
	if n := len(e.tables[large.ID].settling.moves); n != 0 {
		t.Errorf("%d moves of the large table are kept", n)
	}
	if n := len(e.tables[small.ID].settling.moves); n != flushes {
		t.Errorf("%d moves of the small table are kept", n)
	}
	got, err := readSettled(e, large)
	must(t, err)
	if !maps.Equal(got, want) {
		t.Errorf("large: %d rows, want %d", len(got), len(want))
	}
	got, err = readSettled(e, small)
	must(t, err)
	if want := map[int64]held{0: want[0], 1: want[1]}; !maps.Equal(got, want) {
		t.Errorf("small: %v, want %v", got, want)
	}
	mustEnd(t, e)
}
