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
