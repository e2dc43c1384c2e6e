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
