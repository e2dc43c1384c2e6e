package engine

import (
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestChangesWithoutMemoryAreRefusedUntilPartsAreWrittenAnew fills the memory for changes.
func TestChangesWithoutMemoryAreRefusedUntilPartsAreWrittenAnew(t *testing.T) {
	settings := manual
	settings.MemoryBytes = 256 << 10
	e, err := Open("/db", settings, Components{FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
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
	if n := e.patchBytes.Load(); n != 0 {
		t.Fatalf("%d bytes of changes after all parts are written anew", n)
	}
	must(t, noteFirst(e, table, 20))
	mustEnd(t, e)
}

// TestARewriteHoldsPartsAndNoMemory flushes, and drops the table, while a part is being written anew.
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
	r, err := e.Rewrite(table.ID, []base.SourceID{part.ID})
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
	if _, err := disk.Stat(e.PartFile(part)); err != nil {
		t.Errorf("the part went while it is written anew: %v", err)
	}
	r.Close()
	must(t, e.CollectGarbage())
	if _, err := disk.Stat(e.PartFile(part)); err == nil {
		t.Error("the part stays when nobody reads it")
	}
	mustEnd(t, e)
}
