package engine

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// flip changes one bit of a file.
func flip(t *testing.T, disk vfs.FS, path string, at int64) {
	t.Helper()
	f, err := disk.OpenReadWrite(path)
	must(t, err)
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	must(t, err)
	b[0] ^= 4
	_, err = f.WriteAt(b[:], at)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
}

func partsOf(t *testing.T, e *Engine, table base.TableID) []*catalog.Part {
	t.Helper()
	s, err := e.Snapshot(table)
	must(t, err)
	defer s.Release()
	return s.Tables[table].Parts
}

func TestPartsAreScrubbedOnceInAPeriod(t *testing.T) {
	disk, clock := vfs.NewCrashable(), newManualClock()
	e, err := tryOpen(disk, clock)
	must(t, err)
	table, err := createAccounts(e, "t")
	must(t, err)
	for i := range 2 {
		must(t, appendAccounts(e, table, 10*i, 10, 1))
		must(t, e.Flush(ctx))
		clock.advance(24 * time.Hour)
	}
	parts := partsOf(t, e, table.ID)
	if p, wait := e.nextToScrub(); p != nil || wait != scrubCheckInterval {
		t.Fatalf("part %v is due, or in %v", p, wait)
	}
	clock.advance(e.settings.ScrubPeriod - 48*time.Hour)
	var done []*partFile
	for i := range 2 {
		p, _ := e.nextToScrub()
		if p == nil || p.ID != parts[i].ID {
			t.Fatalf("due is %v, want part %d", p, parts[i].ID)
		}
		if !e.scrub(ctx, p) {
			t.Fatal("a part is well, and was said to be damaged")
		}
		p.release(e)
		done = append(done, p)
		if next, _ := e.nextToScrub(); i == 0 && next != nil {
			t.Fatalf("part %d is due too soon", next.ID)
		}
		clock.advance(24 * time.Hour)
	}
	e.noteScrubbed(ctx, done)
	mustEnd(t, e)

	e, err = tryOpen(disk, clock)
	must(t, err)
	for i, h := range e.PartHealths() {
		if want := clock.Now().Add(time.Duration(i-2) * 24 * time.Hour); !h.Verified.Equal(want) || h.Damage != nil {
			t.Errorf("part %d: %+v, want verified at %v", h.Part.ID, h, want)
		}
	}
	flip(t, disk, e.PartFile(parts[1]).Path(), 30)
	clock.advance(e.settings.ScrubPeriod)
	for range 2 {
		p, _ := e.nextToScrub()
		if well := e.scrub(ctx, p); well != (p.ID == parts[0].ID) {
			t.Errorf("part %d: well is %v", p.ID, well)
		}
		p.release(e)
	}
	if p, _ := e.nextToScrub(); p != nil {
		t.Errorf("part %d is verified again at once", p.ID)
	}
	if h := e.PartHealths(); h[0].Damage != nil || h[1].Damage == nil || h[1].Damage.Offset != 0 || e.Status().DamagedParts != 1 {
		t.Errorf("%+v", h)
	}
	wantKind(t, e.Check(ctx), base.Corrupt)
	must(t, e.Close())
}

// TestSumsOfOlderPartsAreStoredOnce makes parts look as if a format before 9 had written them
// (without block checksums), and reads one of them.
func TestSumsOfOlderPartsAreStoredOnce(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	p := *partsOf(t, e, table.ID)[0]
	want := p.Blocks
	p.Blocks = nil
	e.files.Forget(p.ID)
	if _, err := part.Groups(e.PartFile(&p), table); err != nil {
		t.Fatal(err)
	}
	must(t, e.change(ctx, func() (*catalog.Edit, error) {
		return &catalog.Edit{RemoveParts: []base.RowsetID{p.ID}, AddParts: []catalog.Part{p}}, nil
	}, func() []*version { return nil }))
	must(t, e.storeComputed(ctx))
	must(t, e.Close())
	e = mustOpen(t, disk)
	if got := partsOf(t, e, table.ID)[0]; !slices.Equal(got.Blocks, want) || got.Verified.IsZero() {
		t.Errorf("%v verified %v, want %v", got.Blocks, got.Verified, want)
	}
	mustEnd(t, e)
}

// TestADamagedPartIsSetAsideWholeOrNotAtAll makes each operation of the disk fail in turn, and
// checks the state after a power failure.
func TestADamagedPartIsSetAsideWholeOrNotAtAll(t *testing.T) {
	for failing := 0; ; failing++ {
		disk := vfs.NewCrashable()
		from := -1
		fsys := vfs.Failing(disk, func(op vfs.Op) error {
			if from >= 0 && op.Index >= from+failing {
				return vfs.ErrInjected
			}
			return nil
		})
		e := mustOpen(t, fsys)
		table, err := createAccounts(e, "t")
		must(t, err)
		for i := range 2 {
			must(t, appendAccounts(e, table, 10*i, 10, 1))
			must(t, e.Flush(ctx))
		}
		_, err = update(e, table.ID, nil, del(3))
		must(t, err)
		must(t, e.Flush(ctx))
		flip(t, disk, e.PartFile(partsOf(t, e, table.ID)[0]).Path(), 30)
		parts, damages, err := e.DamagedParts(ctx)
		if err != nil || len(parts) != 1 || base.KindOf(damages[0]) != base.Corrupt {
			t.Fatalf("%v, %v, %v", parts, damages, err)
		}
		from = fsys.Ops()
		lost, err := e.Quarantine(ctx, parts[0])
		if ops := fsys.Ops(); err == nil && ops <= from+failing {
			from = -1
			if lost.Rows != 9 || lost.Table.ID != table.ID || len(lost.SortKeyRange) != 0 && lost.SortKeyRange[0] == "" {
				t.Errorf("%+v", lost)
			}
			if status := e.Status(); status.DamagedParts != 0 {
				t.Errorf("%d damaged parts", status.DamagedParts)
			}
			mustEnd(t, e)
			wantSetAside(t, disk, table, true)
			if failing < 10 {
				t.Fatalf("only %d operations", failing)
			}
			return
		}
		what := fmt.Sprintf("operation %d failed: %v", failing, err)
		crashed := disk.CrashClone(rand.New(rand.NewPCG(uint64(failing), 1)), 50)
		_ = e.Close() // may fail
		if !wantSetAside(t, crashed, table, err == nil) {
			again := mustOpen(t, crashed)
			parts, _, err := again.DamagedParts(ctx)
			if err != nil || len(parts) != 1 {
				t.Fatalf("%s: %v, %v", what, parts, err)
			}
			_, err = again.Quarantine(ctx, parts[0])
			must(t, err)
			mustEnd(t, again)
			wantSetAside(t, crashed, table, true)
		}
	}
}

// wantSetAside reports whether the first part of a table was quarantined. If it was, the rest of
// the table must be intact, and the part's file must exist in its new place. Otherwise nothing may
// have changed.
func wantSetAside(t *testing.T, disk *vfs.Crashable, table schema.Table, certain bool) bool {
	t.Helper()
	e := mustOpen(t, disk)
	defer func() { must(t, e.Close()) }()
	parts := partsOf(t, e, table.ID)
	if len(parts) == 2 && !certain {
		wantKind(t, e.Check(ctx), base.Corrupt)
		return false
	}
	if len(parts) != 1 {
		t.Fatalf("%d parts", len(parts))
	}
	must(t, e.Check(ctx))
	names, err := disk.List(filepath.Join("/db", damagedName))
	must(t, err)
	if len(names) != 2 || filepath.Ext(names[0]) != ".json" && filepath.Ext(names[1]) != ".json" {
		t.Fatalf("kept: %q", names)
	}
	wantAmounts(t, e, table.ID, map[int64]int64{10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1, 16: 1, 17: 1, 18: 1, 19: 1})
	return true
}
