package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// eachFS runs a test on every implementation of FS. dir is an empty folder.
func eachFS(t *testing.T, test func(t *testing.T, fsys FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, OS, t.TempDir()) })
	inMemory := func() *Crashable {
		c := NewCrashable()
		must(t, c.Mkdir("/data"))
		return c
	}
	t.Run("crashable", func(t *testing.T) { test(t, inMemory(), "/data") })
	t.Run("failing", func(t *testing.T) { test(t, Failing(inMemory(), Never), "/data") })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustCreate(t testing.TB, fsys FS, path string) File {
	t.Helper()
	f, err := fsys.Create(path)
	must(t, err)
	return f
}

func mustWrite(t testing.TB, f File, data string, offset int64) {
	t.Helper()
	if n, err := f.WriteAt([]byte(data), offset); err != nil || n != len(data) {
		t.Fatalf("wrote %d: %v", n, err)
	}
}

func writeString(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// content returns a file's bytes, or "(none)" if there is no such file.
func content(t testing.TB, fsys FS, path string) string {
	t.Helper()
	data, err := ReadFile(fsys, path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	must(t, err)
	return string(data)
}

func wantKind(t testing.TB, err error, kind base.Kind, is error) {
	t.Helper()
	if err == nil || base.KindOf(err) != kind || is != nil && !errors.Is(err, is) {
		t.Fatalf("got %v (%v), want kind %v and %v", err, base.KindOf(err), kind, is)
	}
}

func TestFilesReadBackWhatWasWritten(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		path := filepath.Join(dir, "f")
		f := mustCreate(t, fsys, path)
		mustWrite(t, f, "hello", 0)
		mustWrite(t, f, "world", 10) // leaves a hole of zeros
		mustWrite(t, f, "J", 0)
		must(t, f.Sync())
		if got := content(t, fsys, path); got != "Jello\x00\x00\x00\x00\x00world" {
			t.Fatalf("%q", got)
		}
		must(t, f.Truncate(3))
		must(t, f.Truncate(5))
		if got := content(t, fsys, path); got != "Jel\x00\x00" {
			t.Fatalf("%q", got)
		}
		p := make([]byte, 10)
		if n, err := f.ReadAt(p, 3); n != 2 || err != io.EOF {
			t.Fatalf("%d %v", n, err)
		}
		if n, err := f.ReadAt(p, 99); n != 0 || err != io.EOF {
			t.Fatalf("%d %v", n, err)
		}
		must(t, f.Close())
		if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, fs.ErrClosed) {
			t.Fatalf("write to closed file: %v", err)
		}

		f, err := fsys.OpenReadWrite(path)
		must(t, err)
		mustWrite(t, f, "!", 2)
		must(t, f.Close())
		if got := content(t, fsys, path); got != "Je!\x00\x00" {
			t.Fatalf("%q", got)
		}
	})
}

func TestAllocateKeepsBytesAndAddsOnlyZeros(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		path := filepath.Join(dir, "f")
		f := mustCreate(t, fsys, path)
		mustWrite(t, f, "abc", 0)
		must(t, f.Allocate(2)) // never shortens the file
		must(t, f.Allocate(8))
		must(t, f.Sync())
		got := content(t, fsys, path)
		if got != "abc" && got != "abc\x00\x00\x00\x00\x00" {
			t.Fatalf("%q", got)
		}
		must(t, f.Close())
	})
}

func TestErrorsCarryKinds(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		missing := filepath.Join(dir, "missing")
		_, err := fsys.Open(missing)
		wantKind(t, err, base.NotFound, fs.ErrNotExist)
		_, err = fsys.OpenReadWrite(missing)
		wantKind(t, err, base.NotFound, fs.ErrNotExist)
		_, err = fsys.Stat(missing)
		wantKind(t, err, base.NotFound, fs.ErrNotExist)
		_, err = fsys.List(missing)
		wantKind(t, err, base.NotFound, fs.ErrNotExist)
		_, err = fsys.Create(filepath.Join(missing, "f"))
		wantKind(t, err, base.NotFound, fs.ErrNotExist)
		wantKind(t, fsys.Remove(missing), base.NotFound, fs.ErrNotExist)
		wantKind(t, fsys.SyncDir(missing), base.NotFound, fs.ErrNotExist)

		file := filepath.Join(dir, "f")
		must(t, mustCreate(t, fsys, file).Close())
		_, err = fsys.Create(file)
		wantKind(t, err, base.Conflict, fs.ErrExist)
		wantKind(t, MkdirAll(fsys, file), base.Conflict, nil)
		if err := fsys.Remove(dir); err == nil {
			t.Fatal("removed a folder that holds a file")
		}
		_, err = ReadFile(fsys, missing, 10)
		wantKind(t, err, base.NotFound, fs.ErrNotExist)

		must(t, WriteFile(fsys, file, writeString("12345")))
		_, err = ReadFile(fsys, file, 4)
		wantKind(t, err, base.TooLarge, nil)
	})
}

func TestFoldersListStatAndRemove(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		deep := filepath.Join(dir, "a", "b", "c")
		must(t, MkdirAll(fsys, deep))
		must(t, MkdirAll(fsys, deep))
		must(t, WriteFile(fsys, filepath.Join(deep, "2"), writeString("22")))
		must(t, WriteFile(fsys, filepath.Join(deep, "1"), writeString("1")))
		names, err := fsys.List(deep)
		must(t, err)
		if !slices.Equal(names, []string{"1", "2"}) {
			t.Fatalf("%v", names)
		}
		info, err := fsys.Stat(filepath.Join(deep, "2"))
		if err != nil || info != (Info{Size: 2}) {
			t.Fatalf("%+v %v", info, err)
		}
		info, err = fsys.Stat(deep)
		if err != nil || info != (Info{IsDir: true}) {
			t.Fatalf("%+v %v", info, err)
		}
		if free, err := fsys.FreeSpace(dir); err != nil || free == 0 {
			t.Fatalf("%d bytes free: %v", free, err)
		}
		must(t, RemoveAll(fsys, filepath.Join(dir, "a")))
		must(t, RemoveAll(fsys, filepath.Join(dir, "a")))
		if names, err := fsys.List(dir); err != nil || len(names) != 0 {
			t.Fatalf("%v %v", names, err)
		}
	})
}

func TestOpenFileOutlivesItsName(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		path := filepath.Join(dir, "f")
		must(t, WriteFile(fsys, path, writeString("old")))
		r, err := fsys.Open(path)
		must(t, err)
		must(t, WriteFile(fsys, path, writeString("new")))
		p := make([]byte, 3)
		if _, err := r.ReadAt(p, 0); err != nil || string(p) != "old" {
			t.Fatalf("%q %v", p, err)
		}
		must(t, fsys.Remove(path))
		if _, err := r.ReadAt(p, 0); err != nil || string(p) != "old" {
			t.Fatalf("%q %v", p, err)
		}
		must(t, r.Close())
	})
}

func TestLockExcludesASecondHolder(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		path := filepath.Join(dir, "LOCK")
		for range 2 {
			lock, err := fsys.Lock(path)
			must(t, err)
			_, err = fsys.Lock(path)
			wantKind(t, err, base.Conflict, nil)
			must(t, lock.Close())
		}
	})
}

func TestLockNamesItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	lock, err := OS.Lock(path)
	must(t, err)
	_, err = OS.Lock(path)
	if want := filepath.Dir(path) + " is in use by another process (" + itoa(os.Getpid()) + ")"; err == nil || err.Error() != want {
		t.Fatalf("%v, want %s", err, want)
	}
	must(t, lock.Close())
}

func TestWriteFileKeepsTheOldFileWhenTheWriterFails(t *testing.T) {
	eachFS(t, func(t *testing.T, fsys FS, dir string) {
		path := filepath.Join(dir, "f")
		must(t, WriteFile(fsys, path, writeString("old")))
		broken := errors.New("broken")
		err := WriteFile(fsys, path, func(w io.Writer) error {
			_, err := w.Write(make([]byte, 2*writeFileBufferBytes))
			must(t, err)
			return broken
		})
		if !errors.Is(err, broken) || content(t, fsys, path) != "old" {
			t.Fatalf("%v, %q", err, content(t, fsys, path))
		}
		if names, err := fsys.List(dir); err != nil || len(names) != 1 {
			t.Fatalf("left behind: %v %v", names, err)
		}
	})
}

func TestFullDiskIsStorageFull(t *testing.T) {
	c := NewCrashable()
	c.SetCapacity(10)
	f := mustCreate(t, c, "f")
	n, err := f.WriteAt([]byte("0123456789abc"), 0)
	if n != 10 {
		t.Fatalf("wrote %d of the 10 bytes that fit", n)
	}
	wantKind(t, err, base.StorageFull, ErrNoSpace)
	wantKind(t, f.Truncate(11), base.StorageFull, ErrNoSpace)
	wantKind(t, f.Allocate(11), base.StorageFull, ErrNoSpace)
	mustWrite(t, f, "X", 9) // within the file: needs no space
	if free, err := c.FreeSpace("/"); err != nil || free != 0 {
		t.Fatalf("%d %v", free, err)
	}
	wantKind(t, WriteFile(c, "g", writeString("y")), base.StorageFull, ErrNoSpace)
	must(t, f.Truncate(2))
	must(t, WriteFile(c, "g", writeString("y")))
	wantKind(t, osError(&fs.PathError{Op: "write", Path: "f", Err: ErrNoSpace}), base.StorageFull, ErrNoSpace)
}

func TestALinkToAFolderIsAFolder(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	must(t, os.Mkdir(real, 0o700))
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err) // a system on which this needs a privilege
	}
	must(t, MkdirAll(OS, link))
	must(t, MkdirAll(OS, filepath.Join(link, "a", "b")))
	if _, err := os.Stat(filepath.Join(real, "a", "b")); err != nil {
		t.Error(err)
	}
	must(t, RemoveAll(OS, link)) // only the link
	if _, err := os.Stat(filepath.Join(real, "a", "b")); err != nil {
		t.Error(err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	must(t, os.Symlink(filepath.Join(dir, "file"), link))
	wantKind(t, MkdirAll(OS, link), base.Conflict, nil)
	must(t, os.Remove(link))
	must(t, os.Symlink(filepath.Join(dir, "nothing"), link))
	wantKind(t, MkdirAll(OS, filepath.Join(link, "a")), base.Conflict, nil)
}
