package main_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// filesBelow lists the files below a folder with their contents.
func filesBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, fmt.Sprintf("%s %x", path, crc32.ChecksumIEEE(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func putFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// makeData creates a data directory with a table of 10 rows.
func makeData(t *testing.T, dir string) {
	t.Helper()
	if _, errs, code := run(t, "", "sql", "--dir", dir, "-c", "CREATE TABLE t AS SELECT range AS a FROM range(10)"); code != 0 {
		t.Fatal(errs)
	}
}

func TestAFolderThatIsNoDataDirectoryStaysAsItIs(t *testing.T) {
	foreign := t.TempDir()
	putFile(t, filepath.Join(foreign, "tmp", "precious"), "precious")
	putFile(t, filepath.Join(foreign, "notes.txt"), "precious")
	headless := t.TempDir()
	makeData(t, headless)
	if err := os.Remove(filepath.Join(headless, "catalog.db")); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "b.tar")
	for _, test := range []struct {
		dir, says string
		code      int
		args      []string
	}{
		{foreign, "is not a data directory", 66, []string{"check", foreign}},
		{foreign, "is not a data directory", 66, []string{"backup", "--dir", foreign, archive}},
		{foreign, "is not a data directory", 66, []string{"sql", "--dir", foreign, "-c", "SELECT 1"}},
		{foreign, "is not a data directory", 66, []string{"load", "--dir", foreign, "--table", "t", file(t, "a.csv", "a\n1\n")}},
		{headless, "is not a data directory", 66, []string{"check", headless}},
		{headless, "is not a data directory", 66, []string{"backup", "--dir", headless, archive}},
		{headless, "catalog.db is missing", 74, []string{"sql", "--dir", headless, "-c", "SELECT 1"}},
		{headless, "catalog.db is missing", 74, []string{"serve", "--dir", headless, "--listen", "127.0.0.1:0"}},
	} {
		before := filesBelow(t, test.dir)
		if _, errs, code := run(t, "", test.args...); code != test.code || !strings.Contains(errs, test.says) {
			t.Errorf("%v: %d %q", test.args, code, errs)
		}
		after := filesBelow(t, test.dir)
		if same := func(path string) bool { return strings.Contains(path, "LOCK") }; !slices.Equal(slices.DeleteFunc(before, same), slices.DeleteFunc(after, same)) {
			t.Errorf("%v: was %v, is %v", test.args, before, after)
		}
	}
	typo := filepath.Join(t.TempDir(), "typo")
	if _, errs, code := run(t, "", "backup", "--dir", typo, archive); code != 66 {
		t.Errorf("a backup of nothing: %d %q", code, errs)
	}
	for _, path := range []string{typo, archive} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

func TestCheckRemovesNothing(t *testing.T) {
	dir := t.TempDir()
	makeData(t, dir)
	left := filepath.Join(dir, "parts", "1", "999.parquet")
	putFile(t, left, "of a flush that a crash interrupted")
	if out, errs, code := run(t, "", "check", dir); code != 0 || !strings.Contains(out, "all is well") || !strings.Contains(out, left) {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
}

// TestADataDirectoryMayBeAFileSystemOfItsOwn uses a folder with files that a new file system
// contains, such as lost+found.
func TestADataDirectoryMayBeAFileSystemOfItsOwn(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{dir, other} {
		if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	makeData(t, dir)
	archive := filepath.Join(t.TempDir(), "b.tar")
	for _, args := range [][]string{{"backup", "--dir", dir, archive}, {"restore", archive, other}, {"check", other}} {
		if out, errs, code := run(t, "", args...); code != 0 {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
}

// TestCheckLeavesAnOlderFormatAsItIs checks that scoter check does not change a directory of an
// older format version. So the older version of Scoter can still use it.
func TestCheckLeavesAnOlderFormatAsItIs(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "tests", "compat", "testdata", "format7"))); err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, dir)
	if _, errs, code := run(t, "", "check", dir); code != 65 || !strings.Contains(errs, "format 7") {
		t.Errorf("%d %q", code, errs)
	}
	lock := func(path string) bool { return strings.Contains(path, "LOCK") }
	if after := slices.DeleteFunc(filesBelow(t, dir), lock); !slices.Equal(slices.DeleteFunc(before, lock), after) {
		t.Errorf("was %v, is %v", before, after)
	}
	if _, errs, code := run(t, "", "sql", "--dir", dir, "-c", "SELECT 1"); code != 0 {
		t.Fatal(errs)
	}
	if out, errs, code := run(t, "", "check", dir); code != 0 || !strings.Contains(out, "all is well") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestADataDirectoryMayBeALink(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	spill := t.TempDir()
	if err := os.Symlink(spill, filepath.Join(dir, "tmp")); err != nil {
		t.Fatal(err)
	}
	putFile(t, filepath.Join(spill, "old"), "spilled")
	archive := filepath.Join(t.TempDir(), "b.tar")
	makeData(t, link)
	putFile(t, filepath.Join(spill, "old"), "spilled")
	for _, args := range [][]string{{"check", link}, {"backup", "--dir", link, archive}, {"restore", archive, t.TempDir()}} {
		if out, errs, code := run(t, "", args...); code != 0 {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
	if left, err := os.ReadDir(spill); err != nil || len(left) > 0 {
		t.Errorf("the linked tmp has %v, %v", left, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "tmp")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("tmp is %v, %v", info, err)
	}
}

// TestARestoreThatIsNotSoundLeavesNothing restores an archive that has correct checksums but an
// invalid catalog.
func TestARestoreThatIsNotSoundLeavesNothing(t *testing.T) {
	const catalog = "this is no catalog"
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, f := range [][2]string{
		{"backup.json", `{"format": 1, "files": 1}`}, {"catalog.db", catalog},
		{"checksums.json", fmt.Sprintf(`{"catalog.db": "%08x"}`, crc32.Checksum([]byte(catalog), base.Castagnoli))},
	} {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "made")
	if _, errs, code := run(t, archive.String(), "restore", "-", dir); code != 74 {
		t.Errorf("%d %s", code, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestABackupIsWrittenIntoAPipe(t *testing.T) {
	dir := t.TempDir()
	makeData(t, dir)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Both ends are opened, because opening one end of a pipe blocks.
	end, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	begin := make(chan []byte, 1)
	go func() {
		b := make([]byte, 512)
		n, _ := end.Read(b)
		begin <- b[:n]
		_, _ = io.Copy(io.Discard, end) // reads until the pipe is closed
	}()
	if _, errs, code := run(t, "", "backup", "--dir", dir, pipe); code != 0 {
		t.Fatal(code, errs)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe is %v, %v", info, err)
	}
	if b := <-begin; !bytes.HasPrefix(b, []byte("backup.json")) {
		t.Errorf("%q", b)
	}
}

func TestInspectChangesNoCatalog(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "tests", "compat", "testdata", "format1"))); err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, dir)
	for _, path := range []string{dir, filepath.Join(dir, "catalog.db")} {
		if out, errs, code := run(t, "", "inspect", "catalog", path); code != 0 || !strings.Contains(out, "part 3 of table 2") {
			t.Errorf("%d %q %q", code, out, errs)
		}
	}
	if after := filesBelow(t, dir); !slices.Equal(before, after) {
		t.Errorf("was %v, is %v", before, after)
	}
	lock, err := vfs.OS.Lock(filepath.Join(dir, "LOCK"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if out, errs, code := run(t, "", "inspect", "catalog", dir); code != 75 || out != "" || !strings.Contains(errs, "in use") {
		t.Errorf("of a directory in use: %d %q %q", code, out, errs)
	}
}
