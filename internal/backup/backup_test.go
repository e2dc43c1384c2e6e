package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/scoterdb/scoter"
	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openDB(t *testing.T, dir string) *scoter.DB {
	t.Helper()
	// Little memory for writes, so that there are parts and segments.
	db, err := scoter.Open(dir, scoter.WithWriteMemory(16<<20))
	must(t, err)
	return db
}

func exec(t *testing.T, db *scoter.DB, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func text(t *testing.T, db *scoter.DB, sql string) (s string) {
	t.Helper()
	rows, err := db.Query(ctx, sql)
	must(t, err)
	if !rows.Next() {
		t.Fatalf("%s: no row", sql)
	}
	must(t, rows.Scan(&s))
	must(t, rows.Close())
	return s
}

func verify(t *testing.T, dir string) {
	t.Helper()
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{FS: vfs.OS})
	must(t, err)
	must(t, e.Check(ctx))
	must(t, e.Close())
}

// sample returns a database that has parts, patches, deletions, rows that are only in the log, a
// table with a key, and a view.
func sample(t *testing.T, dir string) *scoter.DB {
	db := openDB(t, dir)
	exec(t, db, "CREATE TABLE t (id BIGINT, v VARCHAR) SORTED BY (id)")
	// large enough to be written as a part at once
	exec(t, db, "INSERT INTO t SELECT range, 'value ' || range FROM range(200000)")
	exec(t, db, "UPDATE t SET v = 'changed' WHERE id % 50 = 0")
	exec(t, db, "DELETE FROM t WHERE id % 1000 = 7")
	exec(t, db, "CREATE TABLE k (id BIGINT PRIMARY KEY, n BIGINT)")
	exec(t, db, "INSERT INTO k SELECT range, 0 FROM range(100)")
	exec(t, db, "INSERT OR REPLACE INTO k SELECT range, 1 FROM range(50)")
	exec(t, db, "CREATE VIEW w AS SELECT count(*) AS n FROM t")
	return db
}

// print returns the content of a sample as text.
func print(t *testing.T, db *scoter.DB) string {
	return text(t, db, "SELECT count(*) || ' ' || sum(hash(id, v)) FROM t") + " " + text(t, db, "SELECT count(*) || ' ' || sum(hash(id, n)) FROM k") +
		" " + text(t, db, "SELECT n::VARCHAR FROM w")
}

func TestARestoredBackupIsWhatWasThereWhenItBegan(t *testing.T) {
	dir := t.TempDir()
	db := sample(t, filepath.Join(dir, "a"))
	want := print(t, db)
	var archive bytes.Buffer
	must(t, db.Backup(ctx, &archive))
	exec(t, db, "DELETE FROM t")
	must(t, db.Close())

	restored := filepath.Join(dir, "b")
	must(t, scoter.Restore(ctx, &archive, restored))
	verify(t, restored)
	db = openDB(t, restored)
	defer db.Close()
	if got := print(t, db); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	exec(t, db, "UPDATE t SET v = 'again' WHERE id = 1") // the database is still in use
	if got := text(t, db, "SELECT v FROM t WHERE id = 1"); got != "again" {
		t.Error(got)
	}
}

// TestBackupsUnderLoadHoldWholeStatements has writers that move amounts between two tables, so that
// the sum is the same at every moment, while flushes and merges run.
func TestBackupsUnderLoadHoldWholeStatements(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, filepath.Join(dir, "a"))
	exec(t, db, "CREATE TABLE moves (writer BIGINT, n BIGINT, pad VARCHAR)")
	exec(t, db, "CREATE TABLE last (writer BIGINT PRIMARY KEY, n BIGINT)")
	exec(t, db, "CREATE TABLE lazy (writer BIGINT PRIMARY KEY, n BIGINT) WITH (upsert = 'merge-on-read')")
	stop, acknowledged := make(chan struct{}), make([]int64, 3)
	var mu sync.Mutex
	var writers sync.WaitGroup
	for w := range acknowledged {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for n := int64(1); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				// Two rows per statement: a backup has both or none.
				_, err := db.Exec(ctx, "INSERT INTO moves SELECT $1, $2, repeat('x', 3000) FROM range(2)", w, n)
				for _, keyed := range []string{"last", "lazy"} {
					if err == nil {
						_, err = db.Exec(ctx, "INSERT OR REPLACE INTO "+keyed+" VALUES ($1, $2)", w, n)
					}
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged[w] = n
				mu.Unlock()
			}
		}()
	}
	for i := range 5 {
		mu.Lock()
		before := append([]int64(nil), acknowledged...)
		mu.Unlock()
		var archive bytes.Buffer
		must(t, db.Backup(ctx, &archive))
		restored := filepath.Join(dir, fmt.Sprint("b", i))
		must(t, scoter.Restore(ctx, &archive, restored))
		verify(t, restored)
		copied := openDB(t, restored)
		for w, n := range before {
			sql := fmt.Sprintf(`SELECT (SELECT count(*) = 2 * max(n) AND count(DISTINCT n) = max(n) AND max(n) >= %[1]d FROM moves WHERE writer = %[2]d) || ' ' ||
				(SELECT max(m.n) - l.n BETWEEN 0 AND 1 AND l.n - z.n BETWEEN 0 AND 1
				 FROM moves m, last l, lazy z WHERE m.writer = %[2]d AND l.writer = %[2]d AND z.writer = %[2]d GROUP BY l.n, z.n)`, n, w)
			if n == 0 {
				continue
			}
			if got := text(t, copied, sql); got != "true true" {
				t.Errorf("backup %d, writer %d, acknowledged %d: %s", i, w, n, got)
			}
		}
		must(t, copied.Close())
	}
	close(stop)
	writers.Wait()
	must(t, db.Close())
}

func TestADamagedBackupIsRefusedAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	db := sample(t, filepath.Join(dir, "a"))
	var archive bytes.Buffer
	must(t, db.Backup(ctx, &archive))
	must(t, db.Close())
	whole := archive.Bytes()
	restored := filepath.Join(dir, "b")
	refused := func(what, kind string, content []byte) {
		t.Helper()
		err := scoter.Restore(ctx, bytes.NewReader(content), restored)
		if err == nil || scoter.Kind(err) != kind {
			t.Errorf("%s: got %v, want an error of kind %s", what, err, kind)
		}
		if names, err := os.ReadDir(restored); !os.IsNotExist(err) {
			t.Errorf("%s: left %v, %v", what, names, err)
		}
	}
	// the last 1024 bytes are the archive's end mark, preceded by padding
	for cut := 0; cut < len(whole)-2048; cut += len(whole) / 37 {
		refused(fmt.Sprintf("cut at %d", cut), "corrupt", whole[:cut])
	}
	refused("not an archive", "invalid", bytes.Repeat([]byte("no tar "), 1000))

	// Changes a byte in the content of every file.
	r := tar.NewReader(bytes.NewReader(whole))
	for offset := 0; ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		at := bytes.Index(whole[offset:], content) + offset
		changed := bytes.Clone(whole)
		changed[at+len(content)/2] ^= 1
		if err := scoter.Restore(ctx, bytes.NewReader(changed), restored); err == nil && h.Name != "backup.json" {
			t.Errorf("a changed byte in %s was not noticed", h.Name)
		}
		must(t, os.RemoveAll(restored))
		offset = at + len(content)
	}

	// A name outside of the folder.
	var evil bytes.Buffer
	w := tar.NewWriter(&evil)
	for name, content := range map[string]string{"backup.json": `{"format": 1, "files": 1}`} {
		must(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content))}))
		_, err := w.Write([]byte(content))
		must(t, err)
	}
	must(t, w.WriteHeader(&tar.Header{Name: "../evil", Size: 1}))
	_, err := w.Write([]byte("x"))
	must(t, err)
	must(t, w.Close())
	refused("a name outside", "corrupt", evil.Bytes())

	must(t, os.Mkdir(restored, 0o700))
	must(t, os.WriteFile(filepath.Join(restored, "mine"), nil, 0o600))
	if err := scoter.Restore(ctx, bytes.NewReader(whole), restored); err == nil || scoter.Kind(err) != "conflict" {
		t.Errorf("into a folder that holds something: %v", err)
	}
}

func TestABackupOfADamagedPartFails(t *testing.T) {
	dir := t.TempDir()
	db := sample(t, dir)
	defer db.Close()
	parts, err := filepath.Glob(filepath.Join(dir, "parts", "*", "*.parquet"))
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	content, err := os.ReadFile(parts[0])
	must(t, err)
	content[len(content)/2] ^= 1
	must(t, os.WriteFile(parts[0], content, 0o600))
	if err := db.Backup(ctx, io.Discard); err == nil || scoter.Kind(err) != "corrupt" {
		t.Errorf("got %v", err)
	}
}

// TestABackupOfADamagedLogFails damages a row that is only in the log. After a restore, the damage
// would look like an interrupted write.
func TestABackupOfADamagedLogFails(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir)
	defer db.Close()
	exec(t, db, "CREATE TABLE t (v VARCHAR)")
	exec(t, db, "INSERT INTO t VALUES ('acknowledged')")
	segments, err := filepath.Glob(filepath.Join(dir, "wal", "*.wal"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	path := segments[len(segments)-1]
	content, err := os.ReadFile(path)
	must(t, err)
	at := bytes.Index(content, []byte("acknowledged"))
	if at < 0 {
		t.Fatal("the row is not in the log")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("A"), int64(at))
	must(t, errors.Join(err, f.Close()))
	if err := db.Backup(ctx, io.Discard); err == nil || scoter.Kind(err) != "corrupt" {
		t.Errorf("got %v", err)
	}
}

// TestARestoreHasTheDirectoryForItself lets a server and a user access the folder while the archive
// is read.
func TestARestoreHasTheDirectoryForItself(t *testing.T) {
	db := sample(t, t.TempDir())
	var archive bytes.Buffer
	must(t, db.Backup(ctx, &archive))
	must(t, db.Close())
	dir := filepath.Join(t.TempDir(), "restored")
	open := func() error {
		db, err := scoter.Open(dir)
		if err == nil {
			must(t, db.Close())
		}
		return err
	}
	in, out := io.Pipe()
	restored := make(chan error)
	go func() { restored <- scoter.Restore(ctx, in, dir) }()
	_, err := out.Write(archive.Bytes()[:archive.Len()/2])
	must(t, err)
	if err := open(); err == nil || scoter.Kind(err) != "conflict" {
		t.Errorf("opened during a restore: %v", err)
	}
	mine := filepath.Join(dir, "mine")
	must(t, os.WriteFile(mine, []byte("precious"), 0o600))
	must(t, out.Close())
	if err := <-restored; err == nil || scoter.Kind(err) != "corrupt" {
		t.Errorf("half an archive: %v", err)
	}
	if content, err := os.ReadFile(mine); string(content) != "precious" {
		t.Errorf("what somebody else wrote: %q, %v", content, err)
	}
	must(t, os.Remove(mine))

	lock, err := vfs.OS.Lock(filepath.Join(dir, engine.LockName))
	must(t, err)
	for what, err := range map[string]error{"restore": scoter.Restore(ctx, bytes.NewReader(archive.Bytes()), dir), "remove": backup.Remove(vfs.OS, dir)} {
		if err == nil || scoter.Kind(err) != "conflict" {
			t.Errorf("%s of a directory in use: %v", what, err)
		}
	}
	must(t, lock.Close())
	must(t, scoter.Restore(ctx, &archive, dir)) // a leftover lock file does not matter
	must(t, open())
	must(t, os.WriteFile(mine, nil, 0o600))
	must(t, backup.Remove(vfs.OS, dir))
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 { // the user's file
		t.Errorf("left %v, %v", names, err)
	}
}

// TestARestoreThatWasKilledIsNoDatabase opens the files that a killed restore left, which include
// no catalog.
func TestARestoreThatWasKilledIsNoDatabase(t *testing.T) {
	db := sample(t, t.TempDir())
	var archive bytes.Buffer
	must(t, db.Backup(ctx, &archive))
	must(t, db.Close())
	dir := filepath.Join(t.TempDir(), "restored")
	dead := false
	killed := vfs.Failing(vfs.OS, func(op vfs.Op) error {
		if dead = dead || op.Kind == vfs.OpCreate && filepath.Base(op.Path) == "catalog.db.tmp"; dead {
			return vfs.ErrInjected
		}
		return nil
	})
	if err := backup.Restore(ctx, killed, &archive, dir); err == nil {
		t.Fatal("no error")
	}
	parts, err := filepath.Glob(filepath.Join(dir, "parts", "*", "*"))
	if err != nil || len(parts) == 0 {
		t.Fatal(parts, err)
	}
	db, err = scoter.Open(dir)
	if err == nil {
		must(t, db.Close())
	}
	if err == nil || scoter.Kind(err) != "corrupt" {
		t.Errorf("opened: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "parts", "*", "*")); len(left) != len(parts) {
		t.Errorf("%d of %d parts are left", len(left), len(parts))
	}
}

// TestEveryFailureOfARestoreLeavesNothing fails the i-th write to the disk.
func TestEveryFailureOfARestoreLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	db := sample(t, filepath.Join(dir, "a"))
	var archive bytes.Buffer
	must(t, db.Backup(ctx, &archive))
	must(t, db.Close())
	for i := 0; ; i++ {
		restored := filepath.Join(dir, fmt.Sprint("b", i))
		failedToRemove := false
		nth := vfs.Where(vfs.WritesOnly, vfs.OnIndex(i, nil))
		failing := vfs.Failing(vfs.OS, func(op vfs.Op) error {
			err := nth(op)
			failedToRemove = failedToRemove || err != nil && (op.Kind == vfs.OpRemove || op.Path == dir || op.Path == restored)
			return err
		})
		err := backup.Restore(ctx, failing, bytes.NewReader(archive.Bytes()), restored)
		if err == nil {
			if failing.Ops() > i {
				verify(t, restored)
			}
			break
		}
		if _, err := os.Stat(filepath.Join(restored, "catalog.db")); err == nil {
			t.Errorf("failure %d: the catalog is there", i)
		}
		if names, err := os.ReadDir(restored); !os.IsNotExist(err) && !failedToRemove {
			t.Errorf("failure %d: left %v", i, names)
		}
		must(t, os.RemoveAll(restored))
	}
}
