package export_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/vfs"
)

var ctx = context.Background()

// server is a database that exports to a folder.
type server struct {
	*app.App
	t      *testing.T
	folder string
}

func newServer(t *testing.T, dir string) *server {
	t.Helper()
	return newServerFor(t, dir, filepath.Join(dir+"-lake", "t"))
}

func newServerFor(t *testing.T, dir, folder string) *server {
	t.Helper()
	settings := config.Default()
	settings.Dir, settings.Database, settings.FlushAge, settings.MergeParallel = dir, "d", time.Hour, 0
	settings.ReadableDirs = []string{folder}
	a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &server{a, t, folder}
}

func (s *server) close() {
	if err := s.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) exec(sql string) {
	s.t.Helper()
	answer, err := s.Executor.Execute(ctx, session.Request{SQL: sql, Database: "d", Role: session.Admin})
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	answer.Close()
}

func (s *server) flush() {
	s.t.Helper()
	if err := s.Engine.Flush(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// refused executes a statement that must fail with an error that has these words.
func (s *server) refused(sql, words string) {
	s.t.Helper()
	answer, err := s.Executor.Execute(ctx, session.Request{SQL: sql, Database: "d", Role: session.Admin})
	if err == nil {
		answer.Close()
	}
	if err == nil || !strings.Contains(err.Error(), words) {
		s.t.Errorf("%s: %v, want %q in it", sql, err, words)
	}
}

// value returns the only value of a query as text.
func (s *server) value(sql string) string {
	s.t.Helper()
	answer, err := s.Executor.Execute(ctx, session.Request{SQL: "SELECT (" + sql + ")::VARCHAR", Database: "d", Role: session.Admin})
	if err != nil {
		return err.Error()
	}
	defer answer.Close()
	rec, err := answer.Rows.Next(ctx)
	if err != nil {
		return err.Error()
	}
	defer rec.Release()
	return strings.Clone(rec.Column(0).ValueStr(0))
}

func (s *server) eventually(sql, want string) {
	s.t.Helper()
	var got string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if got = s.value(sql); got == want {
			return
		}
	}
	s.t.Fatalf("%s: %s, want %s; exports: %+v", sql, got, want, s.Exports.List())
}

func (s *server) files() string {
	return fmt.Sprintf("read_parquet('%s', hive_partitioning = true)", filepath.Join(s.folder, "**", "*.parquet"))
}

func dirOf(t *testing.T) string { return filepath.Join(t.TempDir(), "data") }

// TestRowsInMemoryFollowWhenTheyAreFlushed checks that an object has exactly the rows that its
// fingerprint counts.
func TestRowsInMemoryFollowWhenTheyAreFlushed(t *testing.T) {
	s := newServer(t, dirOf(t))
	s.exec("CREATE TABLE t (day DATE, id BIGINT) PARTITIONED BY (day(day))")
	s.exec("INSERT INTO t SELECT DATE '2025-01-01', i FROM range(10) t(i)")
	s.flush()
	s.exec("INSERT INTO t SELECT DATE '2025-01-01', i FROM range(10, 20) t(i)")
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	s.eventually("SELECT count(*) FROM "+s.files(), "10")
	s.exec("DELETE FROM t WHERE id IN (3, 13)")
	s.eventually("SELECT count(*) FROM "+s.files(), "9")
	s.flush()
	s.eventually("SELECT concat_ws(' ', count(*), sum(id), min(day)) FROM "+s.files(), "18 174 2025-01-01")
	s.eventually("SELECT due FROM scoter.exports", "0")
	s.close()
	// Nothing has changed, so nothing is written again.
	before := s.written()
	s = newServer(t, filepath.Join(filepath.Dir(filepath.Dir(s.folder)), "data"))
	s.exec("INSERT INTO t VALUES ('2025-01-02', 100)")
	s.flush()
	s.eventually("SELECT objects FROM scoter.exports", "2")
	if after := s.written(); after != before {
		t.Errorf("the object of a partition that did not change was written %s, and again %s", before, after)
	}
	s.close()
}

// written returns when the object of the first day was written. Its folder level is qualified,
// because the column is named day too.
func (s *server) written() string {
	info, err := os.Stat(filepath.Join(s.folder, "day_day=2025-01-01", "1.parquet"))
	if err != nil {
		s.t.Fatal(err)
	}
	return info.ModTime().Format(time.RFC3339Nano)
}

func TestAPartitionIsExportedWhenItsTimeIsOver(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (time TIMESTAMPTZ, id BIGINT) PARTITIONED BY (year(time))")
	s.exec("INSERT INTO t VALUES (now(), 1), ('2024-05-05', 2)")
	s.flush()
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '36500d')")
	s.eventually("SELECT concat_ws(' ', count(*), min(id)) FROM "+s.files(), "1 2")
	s.eventually("SELECT concat_ws(' ', due, objects, state) FROM scoter.exports", "0 1 running")
}

// TestTablesThatMergeOnReadHaveOneRowForEachKey checks that the exported objects too have one row
// for each key, and that no older row of a key reappears when rows are dropped.
func TestTablesThatMergeOnReadHaveOneRowForEachKey(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (id BIGINT PRIMARY KEY, time TIMESTAMP, n BIGINT) PARTITIONED BY (month(time)) WITH (upsert = 'merge-on-read')")
	insert := func(n int) {
		s.exec(fmt.Sprintf("INSERT OR REPLACE INTO t SELECT i, TIMESTAMP '2025-01-01' + INTERVAL (%d) MONTH, %d FROM range(%d, 20) t(i)", n, n, n*5))
		s.flush()
	}
	insert(0)
	insert(1)
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	s.eventually("SELECT concat_ws(' ', count(*), count(DISTINCT id), sum(n)) FROM "+s.files(), "20 20 15")
	insert(2)
	s.eventually("SELECT concat_ws(' ', count(*), count(DISTINCT id), sum(n)) FROM "+s.files(), "20 20 25")
	s.exec("DROP EXPORT x; CREATE EXPORT y FROM TABLE t INTO FOLDER (path = '" + s.folder + "2') WITH (after = '1ms', keep = '1d')")
	s.eventually("SELECT count(*) FROM t", "0")
	s.exec("INSERT OR REPLACE INTO t VALUES (7, '2025-02-02', 9)")
	s.eventually("SELECT string_agg(concat_ws(' ', id, n), ',') FROM t", "7 9")
}

func TestAFolderThatIsNotMountedIsNotWrittenTo(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time))")
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '1d')")
	if err := os.Rename(s.folder, s.folder+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s.exec("INSERT INTO t VALUES ('2025-01-01', 1)")
	s.flush()
	s.eventually("SELECT concat_ws(' ', state, contains(error, 'is not the place'), due) FROM scoter.exports", "waiting true 1")
	if got := s.value("SELECT count(*) FROM t"); got != "1" {
		t.Errorf("%s rows are left", got)
	}
	if err := os.Remove(s.folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.folder+"-away", s.folder); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT count(*) FROM t", "0")
	s.eventually("SELECT count(*) FROM "+s.files(), "1")
}

// TestAnObjectThatIsGoneIsWrittenAgainBeforeRowsAreDropped checks that an export does not drop rows
// when their object was removed.
func TestAnObjectThatIsGoneIsWrittenAgainBeforeRowsAreDropped(t *testing.T) {
	dir := dirOf(t)
	s := newServer(t, dir)
	// The second export, which is paused, prevents the drop.
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); INSERT INTO t VALUES ('2025-01-01', 1)")
	s.flush()
	s.exec("CREATE EXPORT other FROM TABLE t INTO FOLDER (path = '" + s.folder + "-other') WITH (after = '1ms'); PAUSE EXPORT other")
	s.exec("TRUNCATE t; INSERT INTO t VALUES ('2025-01-01', 2)")
	s.flush()
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '1d')")
	s.eventually(`SELECT contains(error, 'export "other" of the same table has not exported') FROM scoter.exports WHERE export_name = 'x'`, "true")
	path := filepath.Join(s.folder, "day=2025-01-01", "1.parquet")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT contains(error, 'will be written again') FROM scoter.exports WHERE export_name = 'x'", "true")
	s.exec("RESUME EXPORT other")
	s.eventually("SELECT count(*) FROM t", "0")
	s.eventually("SELECT string_agg(id, ',') FROM "+s.files(), "2")
	s.close()
}

// TestAnExportOfARestoredBackupReplacesOnlyWhatItKnows checks that objects from after the backup
// stay, as they may be the only copy of their rows.
func TestAnExportOfARestoredBackupReplacesOnlyWhatItKnows(t *testing.T) {
	dir := dirOf(t)
	s := newServer(t, dir)
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); INSERT INTO t VALUES ('2025-01-01', 1), ('2025-01-02', 2), ('2025-01-03', 3)")
	s.flush()
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '36500d')")
	s.eventually("SELECT concat_ws(' ', objects, due) FROM scoter.exports", "3 0")
	var archive bytes.Buffer
	if err := s.Backup(ctx, &archive); err != nil {
		t.Fatal(err)
	}
	s.exec("INSERT INTO t SELECT TIMESTAMP '1900-01-01', i FROM range(100, 110) t(i); INSERT INTO t SELECT TIMESTAMP '2025-01-02', i FROM range(200, 300) t(i)")
	s.flush()
	s.eventually("SELECT count(*) FROM t", "103") // those of 1900 are dropped
	s.eventually("SELECT count(*) FROM "+s.files(), "113")
	s.eventually("SELECT due FROM scoter.exports", "0")
	s.close()

	if err := backup.Restore(ctx, vfs.OS, &archive, dir+"2"); err != nil {
		t.Fatal(err)
	}
	first := func(n int) time.Time {
		t.Helper()
		info, err := os.Stat(filepath.Join(s.folder, fmt.Sprintf("day=2025-01-0%d", n), "1.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	unchanged := first(1)
	r := newServerFor(t, dir+"2", s.folder)
	state := "SELECT concat_ws(' ', state, contains(error, 'RESUME EXPORT')) FROM scoter.exports"
	r.eventually(state, "paused true")
	r.close()
	r = newServerFor(t, dir+"2", s.folder)
	r.eventually(state, "paused true")
	r.exec("INSERT INTO t VALUES ('1900-01-01', 1000), ('2025-01-03', 30)")
	r.flush()
	r.exec("RESUME EXPORT x")
	r.eventually("SELECT concat_ws(' ', state, due, contains(error, 'does not know')) FROM scoter.exports", "waiting 2 true")
	r.eventually("SELECT string_agg(id, ',' ORDER BY id) FROM "+r.files()+" WHERE day <> '2025-01-02'", "1,3,30,100,101,102,103,104,105,106,107,108,109")
	r.eventually("SELECT count(*) FROM "+r.files()+" WHERE day = '2025-01-02'", "101")
	if got := first(1); !got.Equal(unchanged) {
		t.Error("an object that is as the backup knows it was written again")
	}
	// A person removes the object.
	if err := os.Remove(filepath.Join(s.folder, "day=2025-01-02", "1.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.folder, "day=1900-01-01", "1.parquet"), dir+"-old.parquet"); err != nil {
		t.Fatal(err)
	}
	r.eventually("SELECT concat_ws(' ', state, due) FROM scoter.exports", "running 0")
	r.eventually("SELECT string_agg(id, ',' ORDER BY id) FROM "+r.files(), "1,2,3,30,1000")
	r.eventually("SELECT string_agg(id, ',' ORDER BY id) FROM t", "1,2,3,30")

	// The server with the original database is started again.
	s = newServerFor(t, dir, s.folder)
	s.exec("INSERT INTO t VALUES ('2025-01-04', 4)")
	s.flush()
	s.eventually("SELECT concat_ws(' ', state, contains(error, 'took over')) FROM scoter.exports", "waiting true")
	s.close()
	r.close()
}

// TestWhatIsNotTheExportsIsNotReplaced checks that an export does not replace an object that it did
// not write, even in its own place.
func TestWhatIsNotTheExportsIsNotReplaced(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	path := filepath.Join(s.folder, "day=2025-01-01", "1.parquet")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.exec("INSERT INTO t VALUES ('2025-01-01', 1), ('2025-01-02', 2)")
	s.flush()
	s.eventually("SELECT concat_ws(' ', state, due, objects, contains(error, 'day=2025-01-01/1.parquet')) FROM scoter.exports", "waiting 1 1 true")
	if content, err := os.ReadFile(path); err != nil || string(content) != "somebody's" {
		t.Errorf("%s, %v", content, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT concat_ws(' ', state, due, objects) FROM scoter.exports", "running 0 2")
}

// TestOnePartitionThatFailsKeepsNoOtherFromItsTurn checks that the other partitions are exported,
// and their rows dropped, although one partition fails.
func TestOnePartitionThatFailsKeepsNoOtherFromItsTurn(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (day DATE, h HUGEINT) PARTITIONED BY (day(day)); CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '1d')")
	s.exec("INSERT INTO t VALUES ('2025-01-01', 170141183460469231731687303715884105727), ('2025-01-02', 2), ('2025-01-03', 3)")
	s.flush()
	s.eventually("SELECT string_agg(day, ',') FROM t", "2025-01-01")
	s.eventually("SELECT sum(h) FROM "+s.files(), "5")
	s.eventually("SELECT concat_ws(' ', state, due, contains(error, 'day=2025-01-01')) FROM scoter.exports", "waiting 1 true")
	s.exec("UPDATE t SET h = 1")
	s.flush()
	s.eventually("SELECT count(*) FROM t", "0")
	s.eventually("SELECT sum(h) FROM "+s.files(), "6")
	s.eventually("SELECT concat_ws(' ', state, due) FROM scoter.exports", "running 0")
}

// TestRowsStayWhileAnyExportLacksThem checks that rows are dropped only if all exports of the table
// have them, not only the export that drops them.
func TestRowsStayWhileAnyExportLacksThem(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); INSERT INTO t VALUES ('2025-01-01', 1)")
	s.flush()
	s.exec("CREATE EXPORT other FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	s.eventually("SELECT concat_ws(' ', objects, due) FROM scoter.exports", "1 0")
	s.exec("PAUSE EXPORT other")
	if err := os.Remove(filepath.Join(s.folder, "day=2025-01-01", "1.parquet")); err != nil {
		t.Fatal(err)
	}
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "-x') WITH (after = '1ms', keep = '1d')")
	s.eventually(`SELECT contains(error, 'export "other" of the same table') FROM scoter.exports WHERE export_name = 'x'`, "true")
	if got := s.value("SELECT count(*) FROM t"); got != "1" {
		t.Errorf("%s rows are left", got)
	}
	s.exec("RESUME EXPORT other")
	s.eventually("SELECT count(*) FROM t", "0")
	s.eventually("SELECT string_agg(id, ',') FROM "+s.files(), "1")
}

// TestAnExportIsApartFromTheDataDirectory checks that an export cannot write to the data directory.
// Unknown files there are removed.
func TestAnExportIsApartFromTheDataDirectory(t *testing.T) {
	dir := dirOf(t)
	s := newServer(t, dir)
	defer s.close()
	s.exec("CREATE TABLE t (id BIGINT)")
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "parts", "lake"), filepath.Join(dir, "tmp"), filepath.Dir(dir), filepath.Join(link, "a", "b")} {
		s.refused("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '"+path+"')", "overlaps with the data directory")
	}
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "')")
	other := filepath.Join(filepath.Dir(dir), "other")
	if err := os.Symlink(s.folder, other); err != nil {
		t.Fatal(err)
	}
	s.refused("CREATE EXPORT y FROM TABLE t INTO FOLDER (path = '"+filepath.Join(other, "below")+"')", `export "x" writes to`)
}

// TestAPartitionThatTheStorageRefusesKeepsNoOthersRows checks that an error that ends a round of
// exports does not prevent that old rows are dropped.
func TestAPartitionThatTheStorageRefusesKeepsNoOthersRows(t *testing.T) {
	s := newServer(t, dirOf(t))
	defer s.close()
	s.exec("CREATE TABLE t (time TIMESTAMP, id BIGINT) PARTITIONED BY (day(time)); CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms', keep = '1d')")
	inTheWay := filepath.Join(s.folder, "day=2025-01-02")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.exec("INSERT INTO t VALUES ('2025-01-01', 1), ('2025-01-02', 2), ('2025-01-03', 3)")
	s.flush()
	s.eventually("SELECT string_agg(id, ',') FROM t", "2")
	s.eventually("SELECT concat_ws(' ', state, due, contains(error, 'day=2025-01-02')) FROM scoter.exports", "waiting 1 true")
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	s.eventually("SELECT count(*) FROM t", "0")
}

// TestAReaderGetsTheValuesOfPartitions reads the objects as described in EXPORT.md. Some values
// would mean something else to DuckDB if they were not escaped in paths.
func TestAReaderGetsTheValuesOfPartitions(t *testing.T) {
	s := newServer(t, dirOf(t))
	values := []string{"null", "NULL", "Null", "nULL", "nullable", "__HIVE_DEFAULT_PARTITION__", "__hive_default_partition__", "", " ", ".", "..", "007", "2025-01-01", "a/b", `a\b`,
		"a=b", "a%6Eb", "100%", "ä ö", "it''s", "?x=1", "a+b", "*", "a:b", "~", "#", "a\tb", "😀"}
	s.exec("CREATE TABLE t (region VARCHAR, same VARCHAR, n BIGINT) PARTITIONED BY (region)")
	for i, v := range values {
		s.exec(fmt.Sprintf("INSERT INTO t VALUES ('%s', '%[1]s', %d)", v, i))
	}
	s.exec("INSERT INTO t VALUES (NULL, NULL, 100)")
	s.flush()
	s.exec("CREATE EXPORT x FROM TABLE t INTO FOLDER (path = '" + s.folder + "') WITH (after = '1ms')")
	s.eventually("SELECT objects FROM scoter.exports", fmt.Sprint(len(values)+1))
	files := fmt.Sprintf("read_parquet('%s', hive_partitioning = true, hive_types = {'region': VARCHAR}, union_by_name = true)", filepath.Join(s.folder, "**", "*.parquet"))
	s.eventually("SELECT coalesce(string_agg(n, ' ' ORDER BY n), '') FROM "+files+" WHERE region IS DISTINCT FROM same", "")
	s.eventually("SELECT count(*) FROM "+files, fmt.Sprint(len(values)+1))
	s.eventually("SELECT n FROM "+files+" WHERE region IS NULL", "100")
}
