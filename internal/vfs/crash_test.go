package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func itoa(i int) string { return strconv.Itoa(i) }

func seeded(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0)) }

func TestCrashKeepsOnlyWhatWasSynced(t *testing.T) {
	c := NewCrashable()
	f := mustCreate(t, c, "f")
	mustWrite(t, f, "abc", 0)
	must(t, f.Sync())
	if got := content(t, c.CrashClone(seeded(1), 0), "f"); got != "(none)" {
		t.Fatalf("the name was not synced, yet %q", got)
	}
	must(t, c.SyncDir("/"))
	mustWrite(t, f, "def", 3)
	mustWrite(t, f, "X", 0)
	for percent, want := range map[int]string{0: "abc", 100: "Xbcdef"} {
		if got := content(t, c.CrashClone(seeded(1), percent), "f"); got != want {
			t.Fatalf("%d%%: %q, want %q", percent, got, want)
		}
	}
	must(t, f.Truncate(1))
	if got := content(t, c.CrashClone(seeded(1), 0), "f"); got != "abc" {
		t.Fatalf("truncation was not synced, yet %q", got)
	}
	must(t, f.Sync())
	if got := content(t, c.CrashClone(seeded(1), 0), "f"); got != "X" {
		t.Fatalf("%q", got)
	}
}

func TestCrashForgetsUnsyncedNames(t *testing.T) {
	c := NewCrashable()
	must(t, MkdirAll(c, "/d"))
	must(t, WriteFile(c, "/d/kept", writeString("kept")))
	must(t, WriteFile(c, "/d/renamed", writeString("old")))
	must(t, mustCreate(t, c, "/d/created").Close())
	must(t, c.Remove("/d/kept"))
	must(t, c.rename("/d/created", "/d/renamed"))
	must(t, c.Mkdir("/e"))
	must(t, WriteFile(c, "/e/f", writeString("in a folder whose name is not synced")))

	crashed := c.CrashClone(seeded(1), 0)
	for path, want := range map[string]string{"/d/kept": "kept", "/d/renamed": "old", "/d/created": "(none)", "/e/f": "(none)"} {
		if got := content(t, crashed, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, dir := range []string{"/d", "/"} {
		must(t, c.SyncDir(dir))
	}
	crashed = c.CrashClone(seeded(1), 0)
	for path, want := range map[string]string{"/d/kept": "(none)", "/d/renamed": "", "/d/created": "(none)", "/e/f": "in a folder whose name is not synced"} {
		if got := content(t, crashed, path); got != want {
			t.Errorf("synced %s: %q, want %q", path, got, want)
		}
	}
}

// All partial outcomes must occur: tests that crash on this file system rely on it.
func TestCrashTearsWritesInEveryWay(t *testing.T) {
	c := NewCrashable()
	f := mustCreate(t, c, "f")
	must(t, c.SyncDir("/"))
	mustWrite(t, f, strings.Repeat("a", 2*sectorBytes), 0)
	must(t, f.Sync())
	mustWrite(t, f, strings.Repeat("b", 2*sectorBytes), 0)
	mustWrite(t, f, strings.Repeat("c", 100), 2*sectorBytes)
	a, b := strings.Repeat("a", sectorBytes), strings.Repeat("b", sectorBytes)
	seen := map[string]bool{}
	for seed := range 300 {
		got := content(t, c.CrashClone(seeded(seed), 50), "f")
		switch {
		case got == a+a:
			seen["nothing"] = true
		case strings.HasPrefix(got, a+b):
			seen["second sector without first"] = true
		case got == a+a+strings.Repeat("c", 100):
			seen["second write without first"] = true
		case strings.HasPrefix(got, b) && !strings.HasPrefix(got, b+b) && len(strings.Trim(got, "b"))%sectorBytes != 0:
			seen["write cut at a byte"] = true
		case got == b+b+strings.Repeat("c", 100):
			seen["all"] = true
		}
	}
	if len(seen) != 5 {
		t.Fatalf("saw only %v", seen)
	}
}

func TestCrashKeepsSomeNamesAndNotOthers(t *testing.T) {
	c := NewCrashable()
	for _, name := range []string{"a", "b"} {
		must(t, mustCreate(t, c, name).Close())
	}
	must(t, c.rename("a", "c"))
	seen := map[string]bool{}
	for seed := range 300 {
		names, err := c.CrashClone(seeded(seed), 50).List("/")
		must(t, err)
		seen[strings.Join(names, "")] = true
	}
	for _, want := range []string{"", "a", "b", "c", "ab", "bc"} {
		if !seen[want] {
			t.Errorf("never %q", want)
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("impossible: %v", seen)
	}
}

func TestCrashCloneIsReproducibleAndIndependent(t *testing.T) {
	c := NewCrashable()
	for i := range 20 {
		f := mustCreate(t, c, "f"+itoa(i))
		mustWrite(t, f, strings.Repeat("x", 1000), 0)
	}
	dump := func(c *Crashable) string {
		var b strings.Builder
		names, err := c.List("/")
		must(t, err)
		for _, name := range names {
			fmt.Fprintf(&b, "%s %x\n", name, content(t, c, name))
		}
		return b.String()
	}
	first := c.CrashClone(seeded(7), 50)
	if dump(first) != dump(c.CrashClone(seeded(7), 50)) {
		t.Fatal("one seed, two results")
	}
	before := dump(c)
	for i := range 20 {
		must(t, RemoveAll(first, "f"+itoa(i)))
	}
	if dump(c) != before {
		t.Fatal("a clone's change reached the original")
	}
}

// If a crash occurs before any write operation of a publication, with any part of the unsynced data
// left, the path has the old file or the whole new one. After success it has the new one.
func TestPublicationSurvivesACrashAnywhere(t *testing.T) {
	long := strings.Repeat("new", 1000)
	for k := 0; ; k++ {
		c := NewCrashable()
		must(t, MkdirAll(c, "/d"))
		must(t, WriteFile(c, "/d/f", writeString("old")))
		err := WriteFile(Failing(c, Where(WritesOnly, FromIndex(k))), "/d/f", writeString(long))
		for seed := range 30 {
			got := content(t, c.CrashClone(seeded(seed), []int{0, 50, 100}[seed%3]), "/d/f")
			if got != long && (err == nil || got != "old") {
				t.Fatalf("crash at write %d (error %v): %.20q, %d bytes", k, err, got, len(got))
			}
		}
		if err == nil {
			return
		}
	}
}

func TestEveryFailureOfWriteFileIsReportedAndLeavesNoRest(t *testing.T) {
	for i := 0; ; i++ {
		c := NewCrashable()
		must(t, WriteFile(c, "f", writeString("old")))
		must(t, WriteFile(c, "f"+TempSuffix, writeString("left by a crash")))
		failing := Failing(c, OnIndex(i, nil))
		err := WriteFile(failing, "f", writeString("new"))
		if err == nil {
			if failing.Ops() > i || content(t, c, "f") != "new" {
				t.Fatalf("operation %d of %d failed without an error", i, failing.Ops())
			}
			return
		}
		wantKind(t, err, base.Unavailable, ErrInjected)
		if got := content(t, c, "f"); got != "old" && got != "new" {
			t.Fatalf("operation %d: %q", i, got)
		}
		if i > 0 && content(t, c, "f"+TempSuffix) != "(none)" { // 0 is the removal itself
			t.Fatalf("operation %d left the temporary file", i)
		}
		must(t, WriteFile(c, "f", writeString("again")))
	}
}

func TestMkdirAllIsDurableAndReportsFailures(t *testing.T) {
	for i := 0; ; i++ {
		c := NewCrashable()
		failing := Failing(c, OnIndex(i, nil))
		if err := MkdirAll(failing, "/a/b/c"); err != nil {
			wantKind(t, err, base.Unavailable, ErrInjected)
			must(t, MkdirAll(c, "/a/b/c")) // the next process finds what a failed one left
		} else if failing.Ops() > i {
			t.Fatalf("operation %d failed without an error", i)
		}
		if info, err := c.CrashClone(seeded(1), 0).Stat("/a/b/c"); err != nil || !info.IsDir {
			t.Fatalf("after failure of operation %d: %v", i, err)
		}
		if failing.Ops() <= i {
			return
		}
	}
}

func TestFailingRules(t *testing.T) {
	c := NewCrashable()
	f := Failing(c, OnKind(OpWriteAt, &ShortWrite{Bytes: 2, Err: ErrNoSpace}))
	file := mustCreate(t, f, "f")
	n, err := file.WriteAt([]byte("abc"), 0)
	if n != 2 || content(t, c, "f") != "ab" {
		t.Fatalf("short write of 2 wrote %d: %q", n, content(t, c, "f"))
	}
	wantKind(t, err, base.StorageFull, ErrNoSpace)

	f.SetRule(Where(func(op Op) bool { return op.Kind == OpSync && strings.HasSuffix(op.Path, "f") }, OnIndex(1, nil)))
	must(t, file.Sync())
	wantKind(t, file.Sync(), base.Unavailable, ErrInjected)
	must(t, file.Sync())

	f.SetRule(FromIndex(f.Ops()))
	for range 2 {
		wantKind(t, file.Truncate(0), base.Unavailable, ErrInjected)
	}
	if err := file.Close(); !errors.Is(err, ErrInjected) {
		t.Fatal(err)
	}
	f.SetRule(Never)
	if _, err := file.Size(); !errors.Is(err, fs.ErrClosed) {
		t.Fatalf("a failed Close left the file open: %v", err)
	}
}

// Every method of every type fails when the rule says so, and then does nothing.
func TestEveryOperationCanFail(t *testing.T) {
	c := NewCrashable()
	must(t, WriteFile(c, "f", writeString("f")))
	f := Failing(c, Never)
	file, err := f.OpenReadWrite("f")
	must(t, err)
	operations := map[OpKind]func() error{
		OpCreate:        func() error { _, err := f.Create("new"); return err },
		OpOpen:          func() error { _, err := f.Open("f"); return err },
		OpOpenReadWrite: func() error { _, err := f.OpenReadWrite("f"); return err },
		OpMkdir:         func() error { return f.Mkdir("dir") },
		OpList:          func() error { _, err := f.List("/"); return err },
		OpStat:          func() error { _, err := f.Stat("f"); return err },
		OpRemove:        func() error { return f.Remove("f") },
		OpSyncDir:       func() error { return f.SyncDir("/") },
		OpLock:          func() error { _, err := f.Lock("lock"); return err },
		OpFreeSpace:     func() error { _, err := f.FreeSpace("/"); return err },
		OpRename:        func() error { return f.rename("f", "g") },
		OpReadAt:        func() error { _, err := file.ReadAt(make([]byte, 1), 0); return err },
		OpSize:          func() error { _, err := file.Size(); return err },
		OpWriteAt:       func() error { _, err := file.WriteAt([]byte("x"), 0); return err },
		OpTruncate:      func() error { return file.Truncate(0) },
		OpAllocate:      func() error { return file.Allocate(9) },
		OpSync:          file.Sync,
		OpClose:         file.Close,
	}
	for kind, do := range operations {
		f.SetRule(OnKind(kind, nil))
		if err := do(); !errors.Is(err, ErrInjected) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	names, err := c.List("/")
	if err != nil || len(names) != 1 || content(t, c, "f") != "f" {
		t.Fatalf("an operation that failed had an effect: %v %v", names, err)
	}
}

func TestMaterializeWritesTheTreeToARealFolder(t *testing.T) {
	c := NewCrashable()
	must(t, MkdirAll(c, "/a/b"))
	must(t, WriteFile(c, "/a/b/f", writeString("deep")))
	f := mustCreate(t, c, "/top")
	mustWrite(t, f, "unsynced", 0)
	dir := filepath.Join(t.TempDir(), "new")
	must(t, c.Materialize(dir))
	for path, want := range map[string]string{"a/b/f": "deep", "top": "unsynced"} {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
}

func TestCrashableRefusesMisuse(t *testing.T) {
	c := NewCrashable()
	must(t, WriteFile(c, "f", writeString("f")))
	r, err := c.Open("f")
	must(t, err)
	if _, err := r.(io.WriterAt).WriteAt([]byte("x"), 0); err == nil {
		t.Error("wrote through a reader")
	}
	if _, err := r.ReadAt(nil, -1); err == nil {
		t.Error("read before the start")
	}
	if _, err := c.Open("/"); err == nil {
		t.Error("opened a folder as a file")
	}
	if err := c.SyncDir("f"); err == nil {
		t.Error("synced a file as a folder")
	}
	must(t, r.Close())
	if err := r.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}
