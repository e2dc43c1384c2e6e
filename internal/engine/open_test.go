package engine

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
)

// allFiles lists the files and folders below a folder.
func allFiles(t *testing.T, fsys vfs.FS, dir string) (all []string) {
	t.Helper()
	names, err := fsys.List(dir)
	must(t, err)
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := fsys.Stat(path)
		must(t, err)
		if info.IsDir {
			all = append(all, allFiles(t, fsys, path)...)
		} else {
			all = append(all, fmt.Sprintf("%s %d", path, info.Size))
		}
	}
	return all
}

// flushedAndLogged returns a disk with a database that has rows both in a part and in the log.
func flushedAndLogged(t *testing.T) *vfs.Crashable {
	t.Helper()
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	_, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "part", 0, 10, AppendOptions{})
	must(t, err)
	must(t, e.Flush(ctx))
	_, err = appendNumbers(e, "t", "log", 0, 10, AppendOptions{})
	must(t, err)
	must(t, e.Close())
	return disk
}

func put(t *testing.T, fsys vfs.FS, path, content string) {
	t.Helper()
	must(t, vfs.MkdirAll(fsys, filepath.Dir(path)))
	must(t, vfs.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}))
}

// TestADirectoryWithoutItsCatalogIsLeftAlone opens a directory whose catalog is missing. A new
// catalog would make all its files garbage.
func TestADirectoryWithoutItsCatalogIsLeftAlone(t *testing.T) {
	for what, spoil := range map[string]func(vfs.FS){
		"missing": func(fsys vfs.FS) { must(t, fsys.Remove("/db/catalog.db")) },
		"empty": func(fsys vfs.FS) {
			must(t, fsys.Remove("/db/catalog.db"))
			put(t, fsys, "/db/catalog.db", "")
		},
		"no catalog": func(fsys vfs.FS) { put(t, fsys, "/db/catalog.db", string(make([]byte, 10000))) },
	} {
		disk := flushedAndLogged(t)
		put(t, disk, "/db/parts/77/1.parquet", "precious")
		put(t, disk, "/db/tmp/precious", "precious")
		spoil(disk)
		before := allFiles(t, disk, "/db")
		_, err := tryOpen(disk, newManualClock())
		wantKind(t, err, base.Corrupt)
		if after := allFiles(t, disk, "/db"); !slices.Equal(before, after) {
			t.Errorf("%s: was %v, is %v", what, before, after)
		}
	}
	spilled := vfs.NewCrashable()
	put(t, spilled, "/db/tmp/1.tmp", "no catalog knew of it")
	mustEnd(t, mustOpen(t, spilled))
	for _, path := range []string{"/db/wal/notes.txt", "/db/parts/7/7.parquet", "/db/patches/x"} {
		disk := vfs.NewCrashable()
		put(t, disk, path, "precious")
		_, err := tryOpen(disk, newManualClock())
		wantKind(t, err, base.Corrupt)
		if _, err := disk.Stat(path); err != nil {
			t.Error(err)
		}
		if exists, err := Exists(disk, "/db"); err != nil || exists {
			t.Errorf("with %s: a database was made (%v)", path, err)
		}
	}
}

// TestLostSegmentsAreNoticed removes segments of the log whose rows are not in parts.
func TestLostSegmentsAreNoticed(t *testing.T) {
	removeLog := func(fsys vfs.FS) {
		names, err := fsys.List("/db/wal")
		must(t, err)
		for _, name := range names {
			must(t, fsys.Remove(filepath.Join("/db/wal", name)))
		}
	}
	flushed := flushedAndLogged(t)
	unflushed := vfs.NewCrashable()
	e := mustOpen(t, unflushed)
	_, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "log", 0, 10, AppendOptions{})
	must(t, err)
	must(t, e.Close())
	for what, disk := range map[string]*vfs.Crashable{"after a flush": flushed, "before the first flush": unflushed} {
		// A later segment does not replace a lost one.
		e := mustOpen(t, disk)
		must(t, e.Close())
		first, err := disk.List("/db/wal")
		must(t, err)
		late := disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 100)
		must(t, late.Remove(filepath.Join("/db/wal", first[0])))
		newest := disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 100)
		// As if it was lost before durable.mark was written.
		must(t, newest.Remove(filepath.Join("/db/wal", first[len(first)-2])))
		removeLog(disk)
		for which, disk := range map[string]vfs.FS{"all": disk, "the first": late, "the newest": newest} {
			before := allFiles(t, disk, "/db")
			_, err := tryOpen(disk, newManualClock())
			if err == nil || base.KindOf(err) != base.Corrupt {
				t.Errorf("%s, %s is gone: %v", what, which, err)
			}
			if after := allFiles(t, disk, "/db"); !slices.Equal(before, after) {
				t.Errorf("%s, %s is gone: was %v, is %v", what, which, before, after)
			}
		}
	}

	disk := vfs.NewCrashable()
	e = mustOpen(t, disk) // nothing was stored yet
	must(t, e.Close())
	removeLog(disk)
	e = mustOpen(t, disk)
	_, err = createNumbers(e, "t")
	must(t, err)
	removeLog(disk)
	wantKind(t, e.Check(ctx), base.Corrupt)
	must(t, e.Close())
}

// TestACutLogIsNoticed truncates the newest segment within acknowledged rows, while the engine runs
// and after it was closed.
func TestACutLogIsNoticed(t *testing.T) {
	for _, closed := range []bool{true, false} {
		disk := vfs.NewCrashable()
		// With all background work.
		e, err := Open("/db", Settings{}, Components{FS: disk, Logger: quiet})
		must(t, err)
		_, err = createNumbers(e, "t")
		must(t, err)
		for i := range 3 {
			_, err = appendNumbers(e, "t", "w", i*10, 10, AppendOptions{})
			must(t, err)
		}
		segment := wal.SegmentPath(e.walDir(), e.wal.ID())
		if closed {
			must(t, e.Close())
		} else {
			end := e.wal.Size()
			eventually(func() bool {
				mark, err := wal.OpenMark(disk, "/db/wal")
				return err == nil && mark.Covers(e.wal.ID(), end)
			})
		}
		killed := disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 0)
		if !closed {
			must(t, e.Close())
		}
		f, err := killed.OpenReadWrite(segment)
		must(t, err)
		size, err := f.Size()
		must(t, err)
		must(t, f.Truncate(600)) // within the frames
		must(t, f.Truncate(size))
		must(t, f.Close())
		before := allFiles(t, killed, "/db")
		_, err = tryOpen(killed, newManualClock())
		wantKind(t, err, base.Corrupt)
		if after := allFiles(t, killed, "/db"); !slices.Equal(before, after) {
			t.Errorf("was %v, is %v", before, after)
		}
	}
}

// TestAReadOnlyCheckKeepsOrphans opens a directory with Settings.KeepOrphans. First it has files
// that a flush left when it crashed, and then it has an older catalog.
func TestAReadOnlyCheckKeepsOrphans(t *testing.T) {
	disk := flushedAndLogged(t)
	orphans := []string{"/db/parts/1/999.parquet", "/db/parts/7", "/db/patches/1/9.parquet"}
	for _, path := range []string{"/db/parts/1/999.parquet", "/db/parts/7/8.parquet", "/db/patches/1/9.parquet"} {
		put(t, disk, path, "whatever")
	}
	looking := manual
	looking.KeepOrphans = true
	e, err := Open("/db", looking, Components{FS: disk, Clock: newManualClock(), Logger: quiet})
	must(t, err)
	if got := e.Orphans(); !slices.Equal(got, orphans) {
		t.Errorf("orphans %v, want %v", got, orphans)
	}
	must(t, e.Check(ctx))
	put(t, disk, "/db/parts/1/1000.parquet", "came while it is open")
	wantKind(t, e.Check(ctx), base.Corrupt)
	must(t, disk.Remove("/db/parts/1/1000.parquet"))
	must(t, e.Close())
	if _, err := disk.Stat("/db/parts/7/8.parquet"); err != nil {
		t.Error(err)
	}
	e = mustOpen(t, disk)
	if n := countNumbers(t, e, "t"); n != 20 || len(e.Orphans()) > 0 {
		t.Errorf("%d rows, orphans %v", n, e.Orphans())
	}
	for _, path := range orphans {
		if _, err := disk.Stat(path); base.KindOf(err) != base.NotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
	mustEnd(t, e)
}
