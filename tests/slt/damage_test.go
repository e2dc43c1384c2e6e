package slt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/session"
)

// TestPartsAreNoFilesForStatements runs all attacks on files with the URL of a part, as DuckDB
// opens it, and with its path, as a reader and as an administrator.
func TestPartsAreNoFilesForStatements(t *testing.T) {
	db := openScoter(t, false, 0)
	mustRun(t, db, "CREATE TABLE t (a INTEGER, b VARCHAR)")
	mustRun(t, db, "CREATE TABLE hidden (b VARCHAR)")
	mustRun(t, db, "INSERT INTO hidden VALUES ('"+secret+"')")
	if err := db.app.Engine.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	// its part is open, and its footer is cached
	if got := mustRun(t, db, "SELECT b FROM hidden"); !strings.Contains(fmt.Sprint(got), secret) {
		t.Fatal(got)
	}
	snap, err := db.app.Engine.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	var names []string
	for _, table := range snap.Tables {
		for _, p := range table.Parts {
			file := db.app.Engine.PartFile(p)
			names = append(names, file.URL(), file.Path(), file.URL()[:len("scoter://part/")]+"*", filepath.Dir(file.Path())+"/*.parquet")
		}
	}
	if len(names) != 4 || !strings.HasPrefix(names[0], "scoter://part/") {
		t.Fatalf("%q", names)
	}
	for _, name := range names {
		for _, role := range []session.Role{session.Reader, session.Admin} {
			for _, steps := range attacks {
				for _, step := range steps {
					if !strings.Contains(step, "%[1]s") && !strings.Contains(step, "%[2]s") {
						continue // an administrator may do this
					}
					sql := strings.NewReplacer("%[1]s", name, "%[2]s", name).Replace(step)
					got, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: role})
					if text := fmt.Sprint(got, err); strings.Contains(text, secret) || strings.Contains(text, "PAR1") {
						t.Errorf("%v: %s: %v, %v", role, sql, got, err)
					}
					if err == nil && len(got.rows) > 0 && strings.Contains(fmt.Sprint(got.rows), ".parquet") {
						t.Errorf("%v: %s: %v", role, sql, got)
					}
				}
			}
		}
	}
	if got := mustRun(t, db, "SELECT b FROM hidden"); !strings.Contains(fmt.Sprint(got), secret) {
		t.Error("the part was changed:", got)
	}
}

// damaged is an undamaged data directory. Tests damage copies of it.
type damaged struct {
	t     *testing.T
	dir   string
	parts []string // below dir
}

func openAt(dir string) (*scoterDB, error) {
	settings := config.Default()
	settings.Dir, settings.FlushAge, settings.QueryThreads, settings.MergeParallel, settings.ScrubPeriod = dir, 24*time.Hour, 2, 0, 0
	a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
	return &scoterDB{app: a, dir: dir}, err
}

func newDamaged(t *testing.T) *damaged {
	d := &damaged{t: t, dir: filepath.Join(t.TempDir(), "pristine")}
	db, err := openAt(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	// The numbers are quarters, whose sums are exact. Sums of other numbers depend on the order of
	// threads.
	rows := "SELECT i::BIGINT AS id, 'host ' || i %% 50 AS host, (hash(i) %% 1000000007) / 4 AS v, 'a text that differs ' || hash(i * 7) AS long, [i, i %% 3] AS list, {'a': i %% 9, 'b': 'x' || i} AS pair, CASE WHEN i %% 5 > 0 THEN (i %% 300)::INTEGER END AS n FROM range(%d, %d) r(i)"
	const columns = "(id BIGINT PRIMARY KEY, host VARCHAR, v DOUBLE, long VARCHAR, list BIGINT[], pair STRUCT(a BIGINT, b VARCHAR), n INTEGER)"
	mustRun(t, db, "CREATE TABLE t "+columns)
	mustRun(t, db, "CREATE TABLE m "+columns)
	for _, part := range [][2]int{{0, 9000}, {9000, 16000}} {
		mustRun(t, db, "INSERT INTO t "+fmt.Sprintf(rows, part[0], part[1]))
		if err := db.app.Engine.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, db, "INSERT INTO m "+fmt.Sprintf(rows, 15000, 17000))
	mustRun(t, db, "DELETE FROM t WHERE id % 1000 = 7")
	mustRun(t, db, "UPDATE t SET n = 77 WHERE id % 500 = 3")
	if err := db.app.Engine.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := db.app.Close(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(d.dir, "parts"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".parquet") {
			name, _ := filepath.Rel(d.dir, path)
			d.parts = append(d.parts, name)
		}
		return err
	})
	if err != nil || len(d.parts) < 3 {
		t.Fatal(d.parts, err)
	}
	return d
}

func (d *damaged) copy() string {
	dir := filepath.Join(d.t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(d.dir)); err != nil {
		d.t.Fatal(err)
	}
	return dir
}

const content = "SELECT count(*), bit_xor(hash(t)), min(v), max(long), sum(n) FROM %s t"

// trials are the operations that run on a damaged directory. Each returns everything on which its
// result depends.
var trials = []struct {
	name string
	run  func(db *scoterDB) (string, error)
}{
	{"whole rows", asked(fmt.Sprintf(content, "t"))},
	{"count", asked("SELECT count(*) FROM t")},
	{"bounds", asked("SELECT min(v), max(v), min(id), max(id), max(long) FROM t")},
	{"one column", asked("SELECT sum(n), count(n) FROM t")},
	{"a dictionary", asked("SELECT host, count(*) FROM t GROUP BY host ORDER BY host")},
	{"nested", asked("SELECT sum(pair.a), max(pair.b), sum(list[1]) FROM t")},
	{"a key", asked("SELECT id, v, long, n FROM t WHERE id = 8500")},
	{"the newest", asked("SELECT id, v, long FROM t ORDER BY id DESC LIMIT 3")},
	{"a filter", asked("SELECT count(*), sum(v) FROM t WHERE long LIKE '%77%' AND n < 100")},
	{"a join", asked("SELECT count(*), sum(t.v) FROM t JOIN m USING (id)")},
	{"update", changes("UPDATE t SET v = v + 1, long = long || '!' WHERE n = 5")},
	{"update by key", changes("UPDATE t SET n = n + 1 WHERE id = 8500")},
	{"update by rewriting", changes("UPDATE t SET v = v * 2 WHERE n < 200 WITH (mode = 'rewrite')")},
	{"update kept as expression", changes("UPDATE t SET v = v * 3 WHERE n > 10 WITH (mode = 'expression')")},
	{"delete", changes("DELETE FROM t WHERE n = 9")},
	{"delete by rewriting", changes("DELETE FROM t WHERE n > 100 WITH (mode = 'rewrite')")},
	{"merge into", changes("MERGE INTO t USING m ON t.id = m.id WHEN MATCHED THEN UPDATE SET v = m.v + t.v WHEN NOT MATCHED THEN INSERT BY NAME")},
	{"upsert", changes("INSERT INTO t (id, host, v) SELECT id, 'new', v FROM m ON CONFLICT (id) DO UPDATE SET host = excluded.host, v = t.v + excluded.v")},
	{"returning", asked("UPDATE t SET n = 1 WHERE id BETWEEN 8000 AND 8005 RETURNING id, v, long")},
	{"create table as", func(db *scoterDB) (string, error) {
		return several(db, "CREATE TABLE made AS SELECT * FROM t", fmt.Sprintf(content, "made"))
	}},
	{"insert select", func(db *scoterDB) (string, error) {
		return several(db, "INSERT INTO m SELECT * FROM t WHERE id < 15000", fmt.Sprintf(content, "m"))
	}},
	{"another type", func(db *scoterDB) (string, error) {
		return several(db, "ALTER TABLE t ALTER n TYPE BIGINT", merged, "SELECT count(*), sum(n), bit_xor(hash(t)) FROM t")
	}},
	{"merge", func(db *scoterDB) (string, error) { return several(db, merged, fmt.Sprintf(content, "t")) }},
	{"check", func(db *scoterDB) (string, error) { return "well", db.app.Engine.Check(context.Background()) }},
	{"scrub", func(db *scoterDB) (string, error) {
		for _, h := range db.app.Engine.PartHealths() {
			if err := db.app.Engine.PartFile(h.Part).Verify(context.Background(), nil); err != nil {
				return "", err
			}
		}
		return "well", nil
	}},
	{"backup", func(db *scoterDB) (string, error) {
		var archive bytes.Buffer
		err := db.app.Backup(context.Background(), &archive)
		return "made", err
	}},
}

// merged means to run all merges, in a list of statements.
const merged = "-- merge"

func several(db *scoterDB, statements ...string) (out string, err error) {
	for _, sql := range statements {
		if sql == merged {
			merges := merge.New(db.app.Engine, merge.Settings{}, merge.Components{Logger: slog.New(slog.DiscardHandler)})
			err := merges.RunUntilIdle(context.Background())
			merges.Close()
			if err != nil {
				return out, err
			}
			continue
		}
		got, err := db.run(sql)
		if err != nil {
			return out, err
		}
		out += fmt.Sprintln(got.changed, got.rows)
	}
	return out, nil
}

func asked(sql ...string) func(*scoterDB) (string, error) {
	return func(db *scoterDB) (string, error) { return several(db, sql...) }
}

func changes(sql string) func(*scoterDB) (string, error) {
	return asked(sql, fmt.Sprintf(content, "t"))
}

// TestAFlippedBitIsAnErrorOrOfNoMatter flips one bit of a part and runs a statement. Either the
// result is right, or the error has the kind corrupt and names the file. Half of the bits are
// flipped while the data directory is closed. The other half is flipped while it is in use, just
// after all rows were read. SCOTER_FLIPS is the number of bits.
func TestAFlippedBitIsAnErrorOrOfNoMatter(t *testing.T) {
	flips := 2 * len(trials)
	if s := os.Getenv("SCOTER_FLIPS"); s != "" {
		var err error
		if flips, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	d := newDamaged(t)
	want := make([]string, len(trials))
	for i, trial := range trials {
		db, err := openAt(d.copy())
		if err == nil {
			want[i], err = trial.run(db)
		}
		if err := db.app.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatalf("%s: %v", trial.name, err)
		}
	}
	random := rand.New(rand.NewPCG(9, 1))
	corrupt := map[string]int{}
	for i := range flips {
		trial := trials[i%len(trials)]
		dir := d.copy()
		part := d.parts[random.IntN(len(d.parts))]
		path := filepath.Join(dir, part)
		inUse := i/len(trials)%2 == 1
		var db *scoterDB
		open := func() {
			var err error
			if db, err = openAt(dir); err != nil {
				t.Fatal(err)
			}
		}
		if inUse {
			open()
			mustRun(t, db, fmt.Sprintf(content, "t"))
			mustRun(t, db, fmt.Sprintf(content, "m"))
		}
		at, err := flip(path, random)
		if err != nil {
			t.Fatal(err)
		}
		if !inUse {
			open()
		}
		got, err := trial.run(db)
		where := fmt.Sprintf("%s: %s flipped at byte %d (in use: %v)", trial.name, part, at, inUse)
		switch {
		case err == nil && got != want[i%len(trials)]:
			t.Errorf("%s: got %s\nwant %s", where, got, want[i%len(trials)])
		case err != nil && (base.KindOf(err) != base.Corrupt || !strings.Contains(err.Error(), filepath.ToSlash(part))):
			t.Errorf("%s: %v: %v", where, base.KindOf(err), err)
		case err != nil:
			corrupt[trial.name]++
			if status := db.app.Engine.Status(); status.DamagedParts != 1 {
				t.Errorf("%s: %d damaged parts", where, status.DamagedParts)
			}
		}
		if err := db.app.Close(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d flips, errors: %v", flips, corrupt)
	for _, all := range []string{"check", "scrub", "backup", "merge"} { // these read every byte
		if flips >= len(trials) && corrupt[all] == 0 {
			t.Errorf("%s: no damage was found", all)
		}
	}
}

// flip flips one bit of a file through a separate descriptor, and removes the file from the
// system's page cache. The regions of the file have the same probability: the first and last bytes,
// the footer, and pages.
func flip(path string, random *rand.Rand) (at int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], size-8); err != nil {
		return 0, err
	}
	footer := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16
	switch random.IntN(6) {
	case 0:
		at = random.Int64N(4)
	case 1:
		at = size - 8 + random.Int64N(8)
	case 2:
		at = size - 8 - footer + random.Int64N(footer)
	default:
		at = 4 + random.Int64N(size-12-footer)
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		return at, err
	}
	b[0] ^= 1 << random.IntN(8)
	if _, err = f.WriteAt(b[:], at); err != nil {
		return at, err
	}
	if err := f.Sync(); err != nil {
		return at, err
	}
	return at, dropFromPageCache(f)
}

// TestAMissingPartIsCorrupt removes the file of a part, and truncates another.
func TestAMissingPartIsCorrupt(t *testing.T) {
	d := newDamaged(t)
	for name, damage := range map[string]func(path string) error{
		"missing":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 70_000) },
		"empty":     func(path string) error { return os.Truncate(path, 0) },
	} {
		dir := d.copy()
		if err := damage(filepath.Join(dir, d.parts[0])); err != nil {
			t.Fatal(err)
		}
		db, err := openAt(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{fmt.Sprintf(content, "t"), "CREATE TABLE made AS FROM t", "UPDATE t SET v = v + 1 WITH (mode = 'rewrite')"} {
			if _, err := db.run(sql); base.KindOf(err) != base.Corrupt || !strings.Contains(fmt.Sprint(err), filepath.ToSlash(d.parts[0])) {
				t.Errorf("%s: %s: %v: %v", name, sql, base.KindOf(err), err)
			}
		}
		rows := mustRun(t, db, "SELECT part_id, damaged, damage FROM scoter.scrub WHERE damaged")
		if len(rows.rows) != 1 || !strings.Contains(rows.rows[0], filepath.ToSlash(d.parts[0])) {
			t.Errorf("%s: scoter.scrub has %v", name, rows)
		}
		if err := db.app.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDamageDuringUse flips bits of parts that were written and never read since, while the
// database is open.
func TestDamageDuringUse(t *testing.T) {
	db, err := openAt(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.app.Close(); err != nil {
			t.Error(err)
		}
	}()
	mustRun(t, db, "CREATE TABLE t (a BIGINT, b DOUBLE)")
	mustRun(t, db, "INSERT INTO t SELECT i, hash(i) / 1e9 FROM range(50000) r(i)")
	if err := db.app.Engine.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	snap, err := db.app.Engine.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, table := range snap.Tables {
		for _, p := range table.Parts {
			paths = append(paths, db.app.Engine.PartFile(p).Path())
		}
	}
	snap.Release()
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	if _, err := flip(paths[0], rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got, err := db.run("SELECT sum(b), sum(a), count(*) FROM t"); base.KindOf(err) != base.Corrupt {
			t.Errorf("%v, %v", got, err)
		}
	}
	mustRun(t, db, "CREATE TABLE other (a INTEGER)") // other tables still work
	mustRun(t, db, "INSERT INTO other VALUES (1)")
	if got := mustRun(t, db, "SELECT a FROM other"); !slices.Equal(got.rows, []string{"1"}) {
		t.Error(got)
	}
}
