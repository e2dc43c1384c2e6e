package engine

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

func TestAKeyIsInsertedByOneOfTwoThatSawNone(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	defer mustEnd(t, e)
	table, err := createAccounts(e, "t")
	must(t, err)
	insert := func(s *snapshot.Snapshot, from int, keys ...uint64) error {
		rec := accountsBatch(from, 1, 1)
		defer rec.Release()
		_, err := e.Commit(ctx, s, []Change{{Table: table.ID, Inserted: []arrow.RecordBatch{rec}, Keys: keys}}, AppendOptions{})
		return err
	}
	before, err := e.Snapshot(table.ID)
	must(t, err)
	defer before.Release()
	must(t, insert(before, 1, 100, 101))
	must(t, insert(before, 2, 102))
	if err := insert(before, 3, 99, 101); !errors.Is(err, ErrChanged) {
		t.Errorf("a key that was inserted since the snapshot: %v", err)
	}
	must(t, e.Flush(ctx))
	if err := insert(before, 3, 102); !errors.Is(err, ErrChanged) {
		t.Errorf("a key that was inserted and flushed since the snapshot: %v", err)
	}
	after, err := e.Snapshot(table.ID)
	must(t, err)
	defer after.Release()
	must(t, insert(after, 4, 100)) // it saw the key, and says by this what it makes of it
	if got := len(amounts(t, e, table.ID)); got != 3 {
		t.Errorf("%d rows", got)
	}
}

// TestIndexesOfKeysGoWithTheirSources flushes, merges and drops what indexes were made of, with and without a reader that holds it.
func TestIndexesOfKeysGoWithTheirSources(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createSettling(e, "t", false)
	must(t, err)
	want := func(what string, n int) {
		t.Helper()
		if kept, _ := e.keyFinder.Kept(); kept != n {
			t.Fatalf("%s: indexes of %d sources, want %d", what, kept, n)
		}
	}
	bring := func() {
		t.Helper()
		must(t, appendSettling(e, table, []keyed{{id: 1}, {id: 2}, {id: 3}}, AppendOptions{}))
		_, err := readSettled(e, table)
		must(t, err)
	}
	bring()
	want("a memtable", 1)
	held, err := e.Snapshot(table.ID)
	must(t, err)
	must(t, e.Flush(ctx))
	want("a flushed memtable that somebody reads", 1)
	held.Release()
	want("a flushed memtable", 0)
	bring()
	want("a memtable and the part that has its keys", 2)
	must(t, e.Flush(ctx))
	want("that part", 1)
	must(t, rewriteFirst(e, table, func() {}))
	want("that part written anew", 0)
	bring()
	must(t, e.DropTable(ctx, table.ID))
	want("a dropped table", 0)
	mustEnd(t, e)
}
