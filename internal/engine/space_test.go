package engine

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// openBusy opens an engine with all background work.
func openBusy(t *testing.T, fsys vfs.FS) *Engine {
	t.Helper()
	e, err := Open("/db", Settings{}, Components{FS: fsys, Logger: quiet})
	must(t, err)
	return e
}

// fullDisk returns a full disk, with a database that has rows in the parts of two tables.
func fullDisk(t *testing.T) (disk *vfs.Crashable, e *Engine, remaining, big schema.Table) {
	t.Helper()
	disk = vfs.NewCrashable()
	disk.SetCapacity(64 << 20)
	e = openBusy(t, disk)
	remaining, err := createAccounts(e, "kept")
	must(t, err)
	must(t, appendAccounts(e, remaining, 0, 3, 10))
	big, err = createAccounts(e, "big")
	must(t, err)
	must(t, appendAccounts(e, big, 0, 20_000, 10))
	must(t, e.Flush(ctx))
	return disk, e, remaining, big
}

// fill uses up all space on the disk.
func fill(t *testing.T, disk *vfs.Crashable) {
	t.Helper()
	free, err := disk.FreeSpace("/db")
	must(t, err)
	disk.SetCapacity(64<<20 - int64(free))
}

func hasReserve(t *testing.T, disk vfs.FS) bool {
	t.Helper()
	info, err := disk.Stat("/db/" + ReserveName)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	must(t, err)
	return info.Size >= leastReserveBytes
}

// within waits until a condition holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func TestDeletingAndDroppingWorkOnAFullDisk(t *testing.T) {
	disk, e, remaining, big := fullDisk(t)
	if !hasReserve(t, disk) {
		t.Fatal("there is no reserve")
	}
	fill(t, disk)
	var err error
	// Also uses up the preallocated space of the log.
	for from := 100_000; err == nil; from += 20_000 {
		err = appendAccounts(e, big, from, 20_000, 10)
	}
	wantKind(t, err, base.StorageFull)
	wantKind(t, e.Status().Refusing, base.StorageFull)

	_, err = update(e, remaining.ID, nil, del(1))
	must(t, err)
	if hasReserve(t, disk) {
		t.Fatal("the reserve was not used")
	}
	wantAmounts(t, e, remaining.ID, map[int64]int64{0: 10, 2: 10})
	// The rest of the reserve is for other statements that free space.
	wantKind(t, appendAccounts(e, remaining, 3, 1, 10), base.StorageFull)
	_, err = createNumbers(e, "other")
	wantKind(t, err, base.StorageFull)
	wantKind(t, e.Status().Refusing, base.StorageFull)
	must(t, e.DropTable(ctx, big.ID))

	disk.SetCapacity(-1)
	within(t, "writes are accepted again", func() bool { return e.Status().Refusing == nil })
	if !hasReserve(t, disk) {
		t.Fatal("the reserve was not made again")
	}
	must(t, appendAccounts(e, remaining, 3, 1, 10))
	must(t, e.Close())
	e = mustOpen(t, disk)
	wantAmounts(t, e, remaining.ID, map[int64]int64{0: 10, 2: 10, 3: 10})
	mustEnd(t, e)
}

func TestAFullDiskIsOpenedForReadingAndDropping(t *testing.T) {
	disk, e, remaining, big := fullDisk(t)
	must(t, appendAccounts(e, remaining, 3, 3, 20)) // in the log
	must(t, e.Close())
	fill(t, disk)

	e = openBusy(t, disk)
	want := map[int64]int64{0: 10, 1: 10, 2: 10, 3: 20, 4: 20, 5: 20}
	wantAmounts(t, e, remaining.ID, want)
	wantKind(t, e.Status().Refusing, base.StorageFull)
	if err := appendAccounts(e, remaining, 6, 1, 10); base.KindOf(err) != base.StorageFull || !strings.Contains(err.Error(), "no space for the log") {
		t.Fatal(err)
	}
	must(t, e.Check(ctx))
	must(t, e.Close()) // again, without any change
	e = openBusy(t, disk)
	wantAmounts(t, e, remaining.ID, want)

	_, err := update(e, remaining.ID, nil, del(1, 4))
	must(t, err)
	delete(want, 1)
	delete(want, 4)
	wantAmounts(t, e, remaining.ID, want)
	must(t, e.DropTable(ctx, big.ID))
	disk.SetCapacity(-1)
	within(t, "writes are accepted again", func() bool { return e.Status().Refusing == nil })
	must(t, appendAccounts(e, remaining, 6, 1, 10))
	want[6] = 10
	must(t, e.Close())
	e = mustOpen(t, disk)
	wantAmounts(t, e, remaining.ID, want)
	mustEnd(t, e)
}

func TestAFullDiskThatIsOpenedGoesOnWithSpace(t *testing.T) {
	disk, e, remaining, _ := fullDisk(t)
	must(t, e.Close())
	fill(t, disk)
	e = openBusy(t, disk)
	disk.SetCapacity(-1)
	within(t, "writes are accepted", func() bool { return e.Status().Refusing == nil })
	must(t, appendAccounts(e, remaining, 3, 1, 10))
	must(t, e.Close())
}

// TestDescriptorsThatRunOutStopNothing has a temporary error while the next segment is created. The
// engine must not stop because of it.
func TestDescriptorsThatRunOutStopNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	e := mustOpen(t, failing)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 3, 10))
	for _, least := range []vfs.OpKind{vfs.OpCreate, vfs.OpRename, vfs.OpSyncDir} {
		failing.SetRule(func(op vfs.Op) error {
			// Removing what the failed attempt left fails too.
			if strings.Contains(op.Path, "/wal") && (op.Kind == least || op.Kind == vfs.OpSyncDir) {
				return vfs.ErrInjected
			}
			return nil
		})
		if err := e.Flush(ctx); err == nil {
			t.Fatalf("%s fails, and a segment was made", least)
		}
		failing.SetRule(vfs.Never)
		must(t, e.Status().Refusing)
		must(t, appendAccounts(e, table, 10, 1, 10))
		_, err = update(e, table.ID, nil, del(10))
		must(t, err)
	}
	must(t, e.Flush(ctx))
	wantAmounts(t, e, table.ID, map[int64]int64{0: 10, 1: 10, 2: 10})
	mustEnd(t, e)
}

// TestACatalogThatFailsIsReported makes the catalog fail. The engine's status must report that
// until the catalog works again.
func TestACatalogThatFailsIsReported(t *testing.T) {
	failing := vfs.Failing(vfs.NewCrashable(), vfs.Never)
	e := openBusy(t, failing)
	table, err := createAccounts(e, "t")
	must(t, err)
	failing.SetRule(func(op vfs.Op) error {
		if strings.Contains(op.Path, "catalog.db") && (op.Kind.Writes() || op.Kind == vfs.OpReadAt) {
			return vfs.ErrInjected
		}
		return nil
	})
	if _, err := createNumbers(e, "u"); err == nil {
		t.Fatal("no error")
	}
	within(t, "writes are refused", func() bool { return e.Status().Refusing != nil })
	if err := appendAccounts(e, table, 0, 1, 1); err == nil {
		t.Fatal("rows are taken while the catalog is in doubt")
	}
	failing.SetRule(vfs.Never)
	within(t, "writes are accepted again", func() bool { return e.Status().Refusing == nil })
	must(t, appendAccounts(e, table, 0, 1, 1))
	must(t, e.Close())
}
