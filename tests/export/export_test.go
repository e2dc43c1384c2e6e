// Package export exports from the real program to a real S3 server, and reads the objects.
package export

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter"
	"github.com/scoterdb/scoter/tests/binary"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const token = "admin"

// serve starts the program with small flushes, so that rows are soon in parts, and with an
// administrator's token.
func serve(t testing.TB, dir string) *binary.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scoter.toml")
	must(t, os.WriteFile(path, fmt.Appendf(nil, "flush_age = \"50ms\"\n[[token]]\nname = \"test\"\nrole = \"admin\"\nsha256 = \"%x\"\n"+
		"[[token]]\nname = \"writer\"\nrole = \"writer\"\nsha256 = \"%x\"\n", sha256.Sum256([]byte(token)), sha256.Sum256([]byte("writer"))), 0o600))
	s := binary.Serve(t, dir, "--config", path)
	s.Token = token
	return s
}

// run executes statements.
func run(t testing.TB, s *binary.Server, sql string) {
	t.Helper()
	if status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql)); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s %v\n%s", sql, status, text, err, s.Log())
	}
}

// refused executes a statement that must fail with an error that contains all of the words.
func refused(t testing.TB, s *binary.Server, sql string, words ...string) {
	t.Helper()
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql))
	must(t, err)
	if status == http.StatusOK {
		t.Fatalf("%s: is not refused", sql)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %s; want %s in it", sql, text, w)
		}
	}
	if strings.Contains(text, secretKey) {
		t.Errorf("%s: the error shows a secret: %s", sql, text)
	}
}

// line returns the only row of a query as text.
func line(t testing.TB, s *binary.Server, sql string) string {
	t.Helper()
	rows := s.Rows(t, sql)
	if len(rows) != 1 {
		return fmt.Sprint(rows)
	}
	return words(rows[0])
}

func words(row []any) string {
	var out []string
	for _, v := range row {
		if f, ok := v.(float64); ok {
			v = strconv.FormatFloat(f, 'f', -1, 64)
		}
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, " ")
}

// patience is how long to wait for an expected event. It is long, for machines under other load.
const patience = 90 * time.Second

// eventually waits until get returns want.
func eventually(t testing.TB, s *binary.Server, what string, want string, get func() string) {
	t.Helper()
	var got string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if got = get(); got == want {
			return
		}
	}
	t.Fatalf("%s: %s, want %s\n%v\n%v\n%s", what, got, want, s.Rows(t, "SELECT state, error, due FROM scoter.exports"),
		s.Rows(t, "SELECT partition, generation, rows, closed FROM scoter.export_objects"), s.Log())
}

// reader reads Parquet files with DuckDB in this process.
type reader struct{ db *scoter.DB }

func newReader(t testing.TB) *reader {
	t.Helper()
	db, err := scoter.Open(t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return &reader{db}
}

// line returns the first row of a query, which is one VARCHAR. If there is none, it returns the
// error: files are added and removed meanwhile.
func (r *reader) line(sql string) string {
	rows, err := r.db.Query(context.Background(), sql)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var text string
	if !rows.Next() {
		return fmt.Sprint("no row: ", rows.Close())
	}
	if err := rows.Scan(&text); err != nil {
		return err.Error()
	}
	return text
}

func into(g *gateway, prefix string) string {
	return fmt.Sprintf("INTO S3 (bucket = '%s', prefix = '%s', endpoint = '%s', region = 'us-east-1', access_key_id = '%s', secret_access_key = '%s')", bucket, prefix, g.URL, accessKey, secretKey)
}

// sum computes a checksum of a table's rows that does not depend on their order.
const sum = "SELECT concat_ws(' ', count(*), sum(hash(id, time, country, price, tags)), count(DISTINCT id)) FROM "

const table = "CREATE TABLE bids (time TIMESTAMP, id BIGINT, country VARCHAR, price DECIMAL(12,4), tags VARCHAR[]) SORTED BY (country, time DESC) PARTITIONED BY (hour(time))"

// bids returns a statement that inserts the rows with ids from from up to to, 100 for each hour.
func bids(from, to int) string {
	return fmt.Sprintf(`INSERT INTO bids SELECT TIMESTAMP '2025-03-01' + INTERVAL (i // 100) HOUR + INTERVAL (i %% 3600) SECOND, i, ['de', 'fr', NULL][i %% 3 + 1], i / 7, ['a', 'b' || i] FROM range(%d, %d) t(i)`, from, to)
}

func TestObjectsAreWhatTheTableIs(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	s := serve(t, t.TempDir())
	run(t, s, table)
	run(t, s, bids(0, 1000))
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '50ms')")
	files := fmt.Sprintf("read_parquet('%s', hive_partitioning = true)", g.objects("bids"))
	inStep := func(what string) {
		t.Helper()
		want := line(t, s, sum+"bids")
		eventually(t, s, what, want, func() string { return r.line(sum + files) })
	}
	inStep("rows that were there before")
	if got, want := r.line("SELECT concat_ws(' ', count(DISTINCT hour), min(hour), max(hour)) FROM "+files), "10 2025-03-01-00 2025-03-01-09"; got != want {
		t.Errorf("hours: %s, want %s", got, want)
	}
	if got := r.line(fmt.Sprintf("SELECT (list(country || time) = list(country || time ORDER BY country, time DESC))::VARCHAR FROM (SELECT * FROM read_parquet('%s') WHERE country IS NOT NULL)",
		filepath.Join(g.root, bucket, "bids", "hour=2025-03-01-04", "1.parquet"))); got != "true" {
		t.Errorf("the rows of an object are not in the order of the sort key: %s", got)
	}
	run(t, s, bids(1000, 1500))
	inStep("rows of other hours")
	run(t, s, "INSERT INTO bids SELECT time, id + 100000, country, price, tags FROM bids WHERE id % 10 = 0")
	inStep("late rows")
	run(t, s, "UPDATE bids SET price = price + 1, country = 'jp' WHERE id % 7 = 0")
	inStep("an update")
	run(t, s, "UPDATE bids SET price = price * 2 WHERE id % 2 = 0 WITH (mode = 'expression')")
	inStep("an update that queries apply")
	run(t, s, "UPDATE bids SET price = price + 3 WITH (mode = 'rewrite')")
	inStep("an update that writes the parts anew")
	run(t, s, "DELETE FROM bids WHERE id % 11 = 0")
	inStep("a deletion")
	run(t, s, "ALTER TABLE bids ADD COLUMN note VARCHAR DEFAULT 'none'")
	inStep("another column")
	eventually(t, s, "another column", "none", func() string {
		return r.line("SELECT string_agg(DISTINCT coalesce(note, 'missing'), ',') FROM " + files)
	})
	run(t, s, "DELETE FROM bids WHERE time < TIMESTAMP '2025-03-01 03:00:00'")
	inStep("hours without rows")
	if got := r.line("SELECT min(hour) FROM " + files); got != "2025-03-01-03" {
		t.Errorf("objects of hours without rows are there: %s", got)
	}
	eventually(t, s, "what is due", "0 running", func() string { return line(t, s, "SELECT due, state FROM scoter.exports") })
	if got, want := line(t, s, "SELECT objects, rows FROM scoter.exports"), line(t, s, "SELECT 12, count(*) FROM bids"); got != want {
		t.Errorf("scoter.exports has %s objects and rows, want %s", got, want)
	}
	run(t, s, "TRUNCATE bids")
	eventually(t, s, "TRUNCATE", "0", func() string { return line(t, s, "SELECT count(*) FROM scoter.export_objects") })
	if found, _ := filepath.Glob(filepath.Join(g.root, bucket, "bids", "*", "*.parquet")); len(found) > 0 {
		t.Errorf("objects of a table without rows: %v", found)
	}
}

// TestALargeObjectIsSentInParts uses a table without partitions, whose name changes.
func TestALargeObjectIsSentInParts(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	s := serve(t, t.TempDir())
	run(t, s, "CREATE TABLE large (id BIGINT, noise VARCHAR)")
	run(t, s, "INSERT INTO large SELECT i, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) FROM range(1000000) t(i)")
	run(t, s, "CREATE EXPORT large FROM TABLE large "+into(g, "")+" WITH (after = '50ms')")
	run(t, s, "ALTER TABLE large RENAME TO larger")
	want := line(t, s, "SELECT count(*), sum(hash(id, noise)), count(DISTINCT id) FROM larger")
	path := filepath.Join(g.root, bucket, "1.parquet")
	eventually(t, s, "the object", want, func() string {
		return r.line(fmt.Sprintf("SELECT concat_ws(' ', count(*), sum(hash(id, noise)), count(DISTINCT id)) FROM '%s'", path))
	})
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() <= 16<<20 {
		t.Fatalf("the object has %d bytes: that is not more than a part", info.Size())
	}
}

// TestAnUploadThatAKillLeftIsRemoved checks that an unfinished upload is removed when the object is
// sent again.
func TestAnUploadThatAKillLeftIsRemoved(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	dir := t.TempDir()
	s := serve(t, dir)
	run(t, s, "CREATE TABLE large (id BIGINT, noise VARCHAR)")
	run(t, s, "CREATE EXPORT large FROM TABLE large "+into(g, "l")+" WITH (after = '1ms')")
	uploads := func() int {
		found, err := filepath.Glob(filepath.Join(g.root, bucket, ".sgwtmp", "multipart", "*", "*"))
		must(t, err)
		return len(found)
	}
	rows, left := 0, false
	for range 20 {
		run(t, s, fmt.Sprintf("INSERT INTO large SELECT i, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) FROM range(%d, %d) t(i)", rows, rows+1000000))
		rows += 1000000
		for deadline := time.Now().Add(3 * time.Second); uploads() == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		}
		s.Kill()
		time.Sleep(100 * time.Millisecond) // the storage finishes its current operation
		left = uploads() > 0
		s = serve(t, dir)
		if left {
			break
		}
	}
	if !left {
		t.Skip("no kill met an upload: this machine is too fast, or too slow")
	}
	eventually(t, s, "the object", strconv.Itoa(rows), func() string {
		return r.line(fmt.Sprintf("SELECT count(DISTINCT id)::VARCHAR FROM '%s'", filepath.Join(g.root, bucket, "l", "1.parquet")))
	})
	// The storage removes its data of an upload shortly after the object exists.
	eventually(t, s, "uploads that never ended", "0", func() string { return strconv.Itoa(uploads()) })
}

// TestAPlaceHasOneExport checks that two exports cannot have the same target, even if they name the
// host differently.
func TestAPlaceHasOneExport(t *testing.T) {
	g := startGateway(t)
	s := serve(t, t.TempDir())
	run(t, s, table)
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids"))
	for _, there := range []string{into(g, "bids"), into(g, "/bids/"), into(g, ""), into(g, "bids/below"), strings.Replace(into(g, "bids"), "127.0.0.1", "localhost", 1)} {
		refused(t, s, "CREATE EXPORT second FROM TABLE bids "+there, `\"lake\" writes to`)
	}
	run(t, s, "DROP EXPORT lake; CREATE EXPORT second FROM TABLE bids "+into(g, "bids"))
}

// TestTheStorageIsVerifiedWithTLS uses the certificate that the option names.
func TestTheStorageIsVerifiedWithTLS(t *testing.T) {
	cert, key := certificate(t)
	g := startGateway(t, "--cert", cert, "--key", key)
	s := serve(t, t.TempDir())
	run(t, s, table)
	run(t, s, bids(0, 100))
	place := strings.Replace(into(g, "bids"), "http://", "https://", 1)
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+place, "x509", "https://"+g.addr())
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+strings.Replace(place, "region", "tls_ca = '"+cert+"', region", 1)+" WITH (after = '50ms')")
	eventually(t, s, "objects", "1 100", func() string { return line(t, s, "SELECT objects, rows FROM scoter.exports") })
}

func TestAQueryOverEachHour(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	s := serve(t, t.TempDir())
	run(t, s, table)
	run(t, s, bids(0, 1000))
	run(t, s, "CREATE TABLE names AS SELECT * FROM (VALUES ('de', 'Deutschland'), ('fr', 'France')) v(country, name)")
	refused(t, s, "CREATE EXPORT hourly FROM TABLE bids "+into(g, "h")+" AS SELECT date_trunc('hour', time) AS hour, count(*) AS n FROM bids GROUP BY ALL", `\"hour\"`, "folder level", "AS")
	refused(t, s, "CREATE EXPORT hourly FROM TABLE bids "+into(g, "h")+" AS SELECT * FROM names", "does not read the table")
	refused(t, s, "CREATE EXPORT hourly FROM TABLE bids "+into(g, "h")+" AS SELECT cuntry FROM bids", "cuntry", `"position":`)
	run(t, s, "CREATE EXPORT hourly FROM TABLE bids "+into(g, "h")+` WITH (after = '50ms') AS
		SELECT n.name, count(*) AS n, sum(price)::DECIMAL(18,4) AS spent FROM bids b JOIN names n USING (country) GROUP BY ALL`)
	const rows = "SELECT string_agg(concat_ws(' ', hour, name, n, spent), ';' ORDER BY hour, name) FROM "
	inStep := func(what string) {
		t.Helper()
		want := line(t, s, rows+"(SELECT strftime(time, '%Y-%m-%d-%H') AS hour, n.name, count(*) AS n, sum(price)::DECIMAL(18,4) AS spent FROM bids b JOIN names n USING (country) GROUP BY ALL)")
		eventually(t, s, what, want, func() string {
			return r.line(rows + fmt.Sprintf("read_parquet('%s', hive_partitioning = true)", g.objects("h")))
		})
	}
	inStep("the first objects")
	run(t, s, bids(500, 1200))
	inStep("late rows")
	run(t, s, "UPDATE bids SET country = NULL WHERE time < TIMESTAMP '2025-03-01 02:00:00'")
	inStep("hours for which the query gives no row")
	run(t, s, "ALTER TABLE names RENAME TO other")
	run(t, s, bids(0, 100))
	eventually(t, s, "a table that is gone", "waiting true", func() string {
		return line(t, s, "SELECT state, contains(error, 'names does not exist') FROM scoter.exports")
	})
	run(t, s, "ALTER TABLE other RENAME TO names")
	inStep("the table that is back")
}

func TestRowsAreDroppedOnceTheyAreInTheObject(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	dir := t.TempDir()
	s := serve(t, dir)
	run(t, s, table)
	run(t, s, bids(0, 1000))
	want := line(t, s, sum+"bids")
	g.kill()
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '50ms', keep = '1d')", "unavailable", g.URL, "refused")
	g.start(t)
	run(t, s, "CREATE TABLE plain (id BIGINT)")
	refused(t, s, "CREATE EXPORT lake FROM TABLE plain "+into(g, "plain")+" WITH (keep = '1d')", "partitioned by a unit of time", "hour(time)")
	run(t, s, "INSERT INTO bids VALUES (now(), 999999, 'now', 1, []), (NULL, 999998, 'null', 1, [])")
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '50ms', keep = '1d')")
	files := fmt.Sprintf("read_parquet('%s', hive_partitioning = true)", g.objects("bids"))
	const old = " WHERE id < 900000"
	eventually(t, s, "rows that were dropped", "999998,999999", func() string { return line(t, s, "SELECT string_agg(id, ',' ORDER BY id) FROM bids") })
	if got := r.line(sum + files + old); got != want {
		t.Fatalf("the objects have %s of what the table had, %s", got, want)
	}
	eventually(t, s, "the object of rows without a time", "1", func() string { return r.line("SELECT count(*)::VARCHAR FROM " + files + " WHERE id = 999998") })
	for generation := 2; generation <= 3; generation++ {
		run(t, s, fmt.Sprintf("INSERT INTO bids SELECT TIMESTAMP '2025-03-01 03:00:00', i, 'late', 1, [] FROM range(%d, %d) t(i)", generation*1000, generation*1000+10))
		eventually(t, s, "late rows", fmt.Sprintf("%d 10 true", generation), func() string {
			return line(t, s, "SELECT generation, rows, closed FROM scoter.export_objects WHERE partition = 'hour=2025-03-01-03' ORDER BY generation DESC LIMIT 1")
		})
		if got, want := r.line("SELECT concat_ws(' ', count(*), count(DISTINCT id)) FROM "+files+old), fmt.Sprintf("%[1]d %[1]d", 1000+10*(generation-1)); got != want {
			t.Fatalf("with late rows the objects have %s rows, want %s", got, want)
		}
		s.Kill()
		s = serve(t, dir)
	}
	// An object that was removed by others is written again before rows are dropped.
	run(t, s, "PAUSE EXPORT lake")
	run(t, s, bids(5000, 5100))
	run(t, s, "DROP EXPORT lake")
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '50ms', keep = '1d')", "already has objects", "hour=2025-03-01-00")
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "other")+" WITH (after = '50ms', kep = '1d')", "WITH has no option", "after, keep")
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "other")+" WITH (after = '50ms')")
	run(t, s, "CREATE EXPORT second FROM TABLE bids "+into(g, "second")+" WITH (after = '50ms', keep = '1d')")
	eventually(t, s, "two exports", "0", func() string { return line(t, s, "SELECT count(*) FROM bids"+old) })
	for _, prefix := range []string{"other", "second"} {
		if got := r.line(fmt.Sprintf("SELECT count(DISTINCT id)::VARCHAR FROM read_parquet('%s') WHERE id BETWEEN 5000 AND 5099", g.objects(prefix))); got != "100" {
			t.Errorf("%s has %s of 100 rows that were dropped", prefix, got)
		}
	}
}

func TestAStorageThatIsAwayOrRefuses(t *testing.T) {
	g, r := startGateway(t), newReader(t)
	dir := t.TempDir()
	s := serve(t, dir)
	run(t, s, table)
	run(t, s, bids(0, 300))
	place := into(g, "bids")
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+strings.Replace(place, secretKey, "wrong", 1), "SignatureDoesNotMatch", bucket)
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+strings.Replace(place, "'lake'", "'nowhere'", 1), "NoSuchBucket", "nowhere")
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+strings.Replace(place, "prefix", "prefx", 1), "S3 has no option", "prefx", "prefix")
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids INTO S3 (bucket = 'lake', access_key_id = 'a')", "must be given together")
	s.Token = "writer"
	refused(t, s, "CREATE EXPORT lake FROM TABLE bids "+place, "forbidden", "role admin")
	refused(t, s, "DROP EXPORT lake", "forbidden", "role admin")
	s.Token = token
	file := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(file, []byte(secretKey+"\n"), 0o600))
	place = strings.Replace(place, "secret_access_key = '"+secretKey, "secret_access_key_file = '"+file, 1)
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+place+" WITH (after = '50ms', keep = '1d')")
	files := fmt.Sprintf("read_parquet('%s')", g.objects("bids"))
	ids := func(want string) {
		t.Helper()
		eventually(t, s, "ids in objects", want, func() string { return r.line("SELECT concat_ws(' ', count(*), count(DISTINCT id)) FROM " + files) })
	}
	ids("300 300")
	eventually(t, s, "the table", "0", func() string { return line(t, s, "SELECT count(*) FROM bids") })
	g.kill()
	run(t, s, bids(300, 600))
	eventually(t, s, "a storage that is away", "waiting true true", func() string {
		return line(t, s, "SELECT state, contains(error, 'connection refused'), due > 0 FROM scoter.exports")
	})
	if got := line(t, s, "SELECT count(*) FROM bids"); got != "300" {
		t.Errorf("with the storage away the table has %s rows, want 300", got)
	}
	g.start(t)
	ids("600 600")
	must(t, os.WriteFile(file, []byte("changed"), 0o600))
	run(t, s, "PAUSE EXPORT lake; RESUME EXPORT lake;"+bids(600, 900))
	eventually(t, s, "a secret that is wrong", "waiting true", func() string {
		return line(t, s, "SELECT state, contains(error, 'SignatureDoesNotMatch') FROM scoter.exports")
	})
	must(t, os.WriteFile(file, []byte(secretKey), 0o600))
	run(t, s, "RESUME EXPORT lake")
	ids("900 900")
	run(t, s, "PAUSE EXPORT lake;"+bids(900, 1000))
	s.Kill()
	s = serve(t, dir)
	if got := line(t, s, "SELECT state FROM scoter.exports"); got != "paused" {
		t.Errorf("after a restart the state is %s, want paused", got)
	}
	run(t, s, "RESUME EXPORT lake")
	ids("1000 1000")
}

func TestSecretsAreShownNowhere(t *testing.T) {
	g := startGateway(t)
	s := serve(t, t.TempDir())
	run(t, s, table)
	run(t, s, bids(0, 100))
	run(t, s, "CREATE EXPORT lake FROM TABLE bids "+into(g, "bids")+" WITH (after = '50ms')")
	eventually(t, s, "objects", "1", func() string { return line(t, s, "SELECT objects FROM scoter.exports") })
	g.kill()
	run(t, s, bids(0, 10))
	eventually(t, s, "the state", "waiting", func() string { return line(t, s, "SELECT state FROM scoter.exports") })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/metrics", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	metrics, err := io.ReadAll(resp.Body)
	must(t, err)
	for _, name := range []string{`scoter_export_written_rows_total{export="default.main.lake"} 100`, `scoter_export_running{export="default.main.lake"} 0`, "scoter_export_errors_total", "scoter_export_due_seconds"} {
		if !strings.Contains(string(metrics), name) {
			t.Errorf("/metrics has no %s", name)
		}
	}
	shown := string(metrics) + s.Log()
	for _, view := range []string{"exports", "export_objects", "queries", "settings"} {
		shown += fmt.Sprint(s.Rows(t, "SELECT * FROM scoter."+view))
	}
	if strings.Contains(shown, secretKey) || !strings.Contains(shown, accessKey) || !strings.Contains(shown, "***") {
		t.Errorf("a secret is shown, or too little:\n%s", shown)
	}
}
