package engine

import (
	"errors"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestChangesWithoutMemoryAreRefusedUntilPartsAreRewritten uses up the memory for patches, and
// then rewrites parts.
func TestChangesWithoutMemoryAreRefusedUntilPartsAreRewritten(t *testing.T) {
	e, err := Open("/db", manual, Components{Memory: memoryFor(256 << 10), FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 100, 0))
	must(t, e.Flush(ctx))
	var refused error
	for i := int64(1); refused == nil; i++ {
		if i > 100 {
			t.Fatal("changes are never refused")
		}
		refused = noteFirst(e, table, 10*int(min(i, 10)))
	}
	wantKind(t, refused, base.Unavailable)
	if !e.PatchesFull() {
		t.Fatal("merges are not told")
	}
	must(t, e.Flush(ctx))
	must(t, rewriteFirst(e, table, func() {}))
	if n := e.memory.Patches.Used(); n != 0 {
		t.Fatalf("%d bytes of changes after all parts are written anew", n)
	}
	must(t, noteFirst(e, table, 20))
	mustEnd(t, e)
}

// TestARewriteHoldsPartsAndNoMemory flushes the table, and drops it, while one of its parts is
// being rewritten.
func TestARewriteHoldsPartsAndNoMemory(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	must(t, appendAccounts(e, table, 10, 10, 1))
	s, err := e.Snapshot(table.ID)
	must(t, err)
	part := s.Tables[table.ID].Parts[0]
	s.Release()
	r, err := e.Rewrite(table.ID, []base.RowsetID{part.ID})
	must(t, err)
	if now := r.Table(); len(now.Parts) != 1 || len(now.Memtables) != 0 {
		t.Errorf("%d parts, %d memtables", len(now.Parts), len(now.Memtables))
	}
	must(t, e.Flush(ctx))
	if used := e.Status().MemoryBytes; used != 0 {
		t.Errorf("%d bytes in use after the flush", used)
	}
	must(t, e.DropTable(ctx, table.ID))
	must(t, e.CollectGarbage())
	if _, err := disk.Stat(e.PartFile(part).Path()); err != nil {
		t.Errorf("the part went while it is written anew: %v", err)
	}
	r.Close()
	must(t, e.CollectGarbage())
	if _, err := disk.Stat(e.PartFile(part).Path()); err == nil {
		t.Error("the part stays when nobody reads it")
	}
	mustEnd(t, e)
}

// TestRemapsThatASnapshotNeedsAreBounded flushes a table many times while a snapshot of another
// table is held.
func TestRemapsThatASnapshotNeedsAreBounded(t *testing.T) {
	e, err := Open("/db", manual, Components{Memory: memoryFor(1 << 20), FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	read, err := createNumbers(e, "read")
	must(t, err)
	table, err := createAccounts(e, "t")
	must(t, err)
	held, err := e.Snapshot(read.ID)
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	old, err := e.Snapshot(table.ID)
	must(t, err)
	var late *snapshot.Snapshot
	const flushes, rows = 20, 2000
	for i := range flushes {
		must(t, appendAccounts(e, table, 10+i*rows, rows, 1))
		if i == flushes-1 {
			late, err = e.Snapshot(table.ID)
			must(t, err)
		}
		must(t, e.Flush(ctx))
		if e.remaps.bytes > e.remapBytes() || len(e.tables[table.ID].remaps) != len(e.remaps.retained) {
			t.Fatalf("%d moves of %d bytes are kept, %d of the table, after %d flushes", len(e.remaps.retained), e.remaps.bytes, len(e.tables[table.ID].remaps), i+1)
		}
	}
	if n := len(e.remaps.retained); n < 2 || n == flushes {
		t.Errorf("%d moves are kept of %d", n, flushes)
	}
	last := int64(9 + flushes*rows)
	_, err = updateFrom(e, late, table.ID, nil, AppendOptions{}, set(2, last))
	must(t, err)
	if _, err = updateFrom(e, old, table.ID, nil, AppendOptions{}, set(3, 5)); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of rows that went nobody knows where: %v", err)
	}
	if now := amounts(t, e, table.ID); now[last] != 2 || now[5] != 1 {
		t.Errorf("amounts %d and %d", now[last], now[5])
	}
	for _, s := range []*snapshot.Snapshot{old, late, held} {
		s.Release()
	}
	must(t, e.Flush(ctx))
	if len(e.remaps.retained) > 0 || e.remaps.bytes != 0 || len(e.tables[table.ID].remaps) > 0 {
		t.Errorf("%d moves of %d bytes are kept for nobody", len(e.remaps.retained), e.remaps.bytes)
	}
	mustEnd(t, e)
}

// TestRemapsSinceATableLockAreRetained flushes a locked table until its remaps take far more memory
// than the limit.
func TestRemapsSinceATableLockAreRetained(t *testing.T) {
	e, err := Open("/db", manual, Components{Memory: memoryFor(1 << 20), FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	table, err := createAccounts(e, "t")
	must(t, err)
	unlock, err := e.LockTables(ctx, nil, table.ID)
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	old, err := e.Snapshot(table.ID)
	must(t, err)
	const flushes, rows = 20, 2000
	for i := range flushes {
		must(t, appendAccounts(e, table, 10+i*rows, rows, 1))
		must(t, e.Flush(ctx))
	}
	_, err = updateFrom(e, old, table.ID, nil, AppendOptions{Lock: ExclusiveLock}, set(3, 5))
	must(t, err)
	unlock()
	old.Release()
	must(t, e.Flush(ctx))
	if len(e.remaps.retained) > 0 || e.remaps.bytes != 0 || len(e.tables[table.ID].remaps) > 0 {
		t.Errorf("%d moves of %d bytes are kept for nobody", len(e.remaps.retained), e.remaps.bytes)
	}
	mustEnd(t, e)
}
