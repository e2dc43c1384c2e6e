package main_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/tests/binary"
)

// run runs a subcommand. It returns its standard output, its standard error and its exit code.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(binary.Path(t), args...)
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// both runs a test on a data directory in this process, and on a server.
func both(t *testing.T, f func(t *testing.T, where ...string)) {
	t.Run("embedded", func(t *testing.T) { f(t, "--dir", t.TempDir()) })
	t.Run("remote", func(t *testing.T) { f(t, "--url", binary.Serve(t, t.TempDir()).URL) })
}

func TestSQL(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		sql := func(stdin string, args ...string) (string, string, int) {
			return run(t, stdin, append(append([]string{"sql"}, where...), args...)...)
		}
		if out, errs, code := sql("", "-c", "CREATE TABLE t (a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, NULL)"); out != "" || code != 0 || !strings.Contains(errs, "INSERT: 2 inserted, 0 updated, 0 deleted") {
			t.Errorf("%d %q %q", code, out, errs)
		}
		const query = "SELECT * FROM t ORDER BY a"
		ways := [][]string{{"-c", query}, {file(t, "q.sql", query)}, {"-"}, {}}
		for i, way := range ways {
			stdin := ""
			if i >= 2 {
				stdin = query
			}
			if out, errs, code := sql(stdin, way...); code != 0 || strings.ReplaceAll(out, "\r", "") != "a,b\n1,x\n2,\n" {
				t.Errorf("%v: %d %q %q", way, code, out, errs)
			}
		}
		out, errs, code := sql("", "-c", "SELECT 1 AS a; SELECT 2 AS b;\nSELECT nope")
		if strings.ReplaceAll(out, "\r", "") != "a\n1\nb\n2\n" || code != 65 || !strings.Contains(errs, "statement 3 of 3") || !strings.Contains(errs, "\n  line 2: SELECT nope\n"+strings.Repeat(" ", 17)+"^\n") {
			t.Errorf("three statements: %d %q %q", code, out, errs)
		}
		dir := t.TempDir()
		for name, begins := range map[string]string{"r.csv": "a,b", "r.json": `{"columns"`, "r.ndjson": `{"a":1`, "r.jsonl": `{"a":1`, "r.arrow": "\xff\xff\xff\xff", "r.parquet": "PAR1", "r.msgpack": "", "r.txt": ""} {
			path := filepath.Join(dir, name)
			if _, errs, code := sql("", "-c", query, "-o", path); code != 0 {
				t.Errorf("%s: %d %s", name, code, errs)
			}
			text, err := os.ReadFile(path)
			if err != nil || len(text) == 0 || !strings.HasPrefix(string(text), begins) {
				t.Errorf("%s: %v %q", name, err, text)
			}
		}
		for _, format := range []string{"table", "csv", "json", "ndjson", "arrow", "parquet", "msgpack"} {
			if out, errs, code := sql("", "-c", query, "--format", format); code != 0 || out == "" {
				t.Errorf("%s: %d %q", format, code, errs)
			}
		}
		unchanged := file(t, "kept.csv", "what was there")
		if _, _, code := sql("", "-c", "SELECT nope", "-o", unchanged); code != 65 {
			t.Errorf("exit code %d", code)
		}
		if text, _ := os.ReadFile(unchanged); string(text) != "what was there" {
			t.Errorf("a query that failed left %q", text)
		}
		if left, _ := os.ReadDir(filepath.Dir(unchanged)); len(left) != 1 {
			t.Errorf("files are left: %v", left)
		}
		for statement, want := range map[string]int{
			"SELEC 1": 65, "SELECT nope FROM t": 65, "SELECT * FROM nope": 66, "CREATE TABLE t (a INTEGER)": 75, "ATTACH 'x'": 77, "": 65,
		} {
			stdin := statement
			if out, errs, code := sql(stdin, "-"); code != want || out != "" || !strings.HasPrefix(errs, "scoter: ") {
				t.Errorf("%q: exit code %d, want %d: %q %q", statement, code, want, out, errs)
			}
		}
		if _, errs, code := sql("", "-c", query, "-o", "r.xml"); code != 65 || !strings.Contains(errs, ".xml") {
			t.Errorf("%d %q", code, errs)
		}
		if _, errs, code := sql("", "no-such-file.sql"); code != 66 || !strings.Contains(errs, "no-such-file.sql") {
			t.Errorf("%d %q", code, errs)
		}
	})
	if _, errs, code := run(t, "", "sql", "--url", "http://127.0.0.1:1", "-c", "SELECT 1"); code != 75 || !strings.Contains(errs, "scoter serve") {
		t.Errorf("%d %q", code, errs)
	}
	if _, errs, code := run(t, "", "sql", "--no-such-flag"); code != 64 || !strings.Contains(errs, "scoter sql --help") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestFilesOfResults(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		sql := func(args ...string) (string, string, int) {
			return run(t, "", append(append([]string{"sql"}, where...), args...)...)
		}
		if _, errs, code := sql("-c", "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)"); code != 0 {
			t.Fatal(errs)
		}
		// The counts of a change are printed, even if its rows cannot be written to the file.
		unchanged := file(t, "kept.parquet", "what was there")
		_, errs, code := sql("-c", "UPDATE t SET a = 2 RETURNING 170141183460469231731687303715884105727::HUGEINT", "-o", unchanged)
		if code == 0 || !strings.Contains(errs, "UPDATE: 0 inserted, 1 updated, 0 deleted") || !strings.Contains(errs, "scoter: ") {
			t.Errorf("%d %q", code, errs)
		}
		if _, errs, code := sql("-c", "INSERT INTO t VALUES (3)", "-o", unchanged); code != 0 || !strings.Contains(errs, "INSERT: 1 inserted") {
			t.Errorf("%d %q", code, errs)
		}
		if text, _ := os.ReadFile(unchanged); string(text) != "what was there" {
			t.Errorf("a statement without a result left %q", text)
		}
		if left, _ := os.ReadDir(filepath.Dir(unchanged)); len(left) != 1 {
			t.Errorf("files are left: %v", left)
		}
		// A result without rows is still a result.
		if _, errs, code := sql("-c", "FROM t WHERE a > 99", "--format", "ndjson", "-o", unchanged); code != 0 {
			t.Error(errs)
		}
		if text, err := os.ReadFile(unchanged); err != nil || len(text) != 0 {
			t.Errorf("%q %v", text, err)
		}
	})
	// The permissions are the system's default for new files, or the permissions of the replaced
	// file.
	dir := t.TempDir()
	sql := func(output string) {
		t.Helper()
		cmd := exec.Command("sh", "-c", `umask 027 && exec "$0" "$@"`, binary.Path(t), "sql", "--dir", filepath.Join(dir, "data"), "-c", "SELECT 1 AS a", "--format", "csv", "-o", output)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	made, private, shared, pipe := filepath.Join(dir, "made.csv"), filepath.Join(dir, "private.csv"), filepath.Join(dir, "shared.csv"), filepath.Join(dir, "pipe.csv")
	for path, mode := range map[string]os.FileMode{private: 0o600, shared: 0o666} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]os.FileMode{made: 0o640, private: 0o600, shared: 0o666} {
		sql(path)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want || info.Size() == 0 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(pipe)
		read <- fmt.Sprint(strings.ReplaceAll(string(text), "\r", ""), err)
	}()
	sql(pipe)
	if info, err := os.Lstat(pipe); err != nil || info.Mode().IsRegular() {
		t.Fatalf("a pipe became a file: %v %v", info, err)
	}
	if got := <-read; got != "a\n1\n<nil>" {
		t.Errorf("%q", got)
	}
}

func TestTheSettingsFileIsTheServers(t *testing.T) {
	data, other := t.TempDir(), t.TempDir()
	settings := file(t, "scoter.toml", fmt.Sprintf("dir = %q\ndatabase = \"elsewhere\"\n[[token]]\nname = \"a\"\nrole = \"admin\"\nsha256 = \"%x\"\n", other, sha256.Sum256([]byte("secret"))))
	s := binary.Serve(t, data)
	for _, args := range [][]string{
		{"sql", "--config", settings, "--url", s.URL, "-c", "CREATE TABLE t (a BIGINT)"},
		{"load", "--config", settings, "--url", s.URL, "--table", "t", file(t, "t.csv", "a\n1\n")},
		{"backup", "--config", settings, "--url", s.URL, filepath.Join(t.TempDir(), "b.tar")},
	} {
		want := 0
		if args[0] == "backup" {
			want = 77 // only administrators may run it
		}
		if _, errs, code := run(t, "", args...); code != want {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
		t.Errorf("the directory of the settings file has %v (%v)", left, err)
	}
	if _, text, err := s.Post("/api/v1/sql?format=csv", "text/plain", []byte("SELECT count(*) AS n FROM \"default\".main.t")); err != nil || !strings.Contains(text, "1") {
		t.Errorf("%q %v", text, err)
	}
	if _, errs, code := run(t, "", "sql", "--dir", other, "--url", s.URL, "-c", "SELECT 1"); code != 64 || !strings.Contains(errs, "--dir and --url") {
		t.Errorf("%d %q", code, errs)
	}
	t.Setenv("SCOTER_URL", "http://127.0.0.1:1")
	if _, errs, code := run(t, "", "sql", "--dir", t.TempDir(), "-c", "SELECT 1"); code != 0 {
		t.Errorf("%d %q", code, errs)
	}
	// No other command reads the settings file.
	broken := file(t, "scoter.toml", "listen = 5")
	for _, args := range [][]string{{"version"}, {"--help"}, {"serve", "--help"}, {"token", "x"}, {"check", data}, {"init", t.TempDir()}} {
		if args[0] == "check" {
			s.Stop(t)
		}
		if _, errs, code := run(t, "", append(args, "--config", broken)...); code != 0 {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	for _, command := range []string{"serve", "config"} {
		if _, errs, code := run(t, "", command, "--config", broken); code != 65 || !strings.Contains(errs, "scoter.toml:1: listen") {
			t.Errorf("%s: %d %q", command, code, errs)
		}
	}
}

func TestABadEnvironmentIsAnError(t *testing.T) {
	t.Setenv("SCOTER_MAX_QUERIES", "many")
	if _, errs, code := run(t, "", "sql", "--dir", t.TempDir(), "-c", "SELECT 1"); code != 65 || !strings.Contains(errs, "SCOTER_MAX_QUERIES") || strings.Contains(errs, "goroutine") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestASampleIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(binary.Path(t), "serve", "--dir", dir, "--listen", "127.0.0.1:0", "--sample", "2000000000", "--flush-bytes", "1MiB")
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = t.TempDir(), &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(dir, "parts", "*", "*.parquet")); len(found) > 1 {
			break // the first rows are on disk
		}
		if time.Now().After(until) {
			t.Errorf("no parts: %s", errs.String())
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it says that it succeeded")
	}
	if out, errs, code := run(t, "", "sql", "--dir", dir, "-c", "SELECT count(*) AS n FROM sensor_readings"); strings.ReplaceAll(out, "\r", "") != "n\n0\n" {
		t.Errorf("%d %q %s", code, out, errs)
	}
	s := binary.Serve(t, dir, "--sample", "250000")
	if _, text, err := s.Post("/api/v1/sql?format=csv", "text/plain", []byte("SELECT count(*), count(DISTINCT \"timestamp\") FROM sensor_readings")); err != nil || !strings.Contains(text, "250000,250000") {
		t.Errorf("%q %v", text, err)
	}
}

func TestLoadTakesNamesForNoPatterns(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"trips[1].csv": "a\n1\n", "trips1.csv": "a\n100\n", "b*.csv": "a\n2\n", "b2.csv": "a\n100\n", "c?.json": "{\"a\":3}\n", "c3.json": "{\"a\":100}\n",
		"x[y]/d.csv": "a\n4\n", "xy/d.csv": "a\n100\n", "[!e]'].csv": "a\n5\n", "e'].csv": "a\n100\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"load", "--dir", data, "--table", "t"}
	for _, name := range []string{"trips[1].csv", "b*.csv", "c?.json", "x[y]/d.csv", "[!e]'].csv"} {
		args = append(args, filepath.Join(dir, name))
	}
	if _, errs, code := run(t, "", args...); code != 0 {
		t.Errorf("%d %s", code, errs)
	}
	if out, errs, code := run(t, "", "sql", "--dir", data, "-c", "SELECT a FROM t ORDER BY a"); strings.ReplaceAll(out, "\r", "") != "a\n1\n2\n3\n4\n5\n" {
		t.Errorf("%d %q %s", code, out, errs)
	}
}

func TestLoad(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		with := func(command string, args ...string) (string, string, int) {
			return run(t, "", append(append([]string{command}, where...), args...)...)
		}
		dir := t.TempDir()
		path := func(name string) string { return filepath.Join(dir, name) }
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		fmt.Fprint(w, "a,b\n2,two\n")
		w.Close()
		for name, text := range map[string]string{"1.csv": "a,b\n1,one\n", "2.csv.gz": packed.String(), "3.ndjson": `{"a":3,"b":"three","c":3.5}` + "\n", "5.xml": "<a/>", "6.csv": "a,b\n6,six\nseven,seven\n"} {
			if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, errs, code := with("sql", "-c", "SELECT 4 AS a, 'four' AS b", "-o", path("4.parquet")); code != 0 {
			t.Fatal(errs)
		}
		if _, errs, code := with("sql", "-c", "CREATE TABLE t (a BIGINT, b VARCHAR, d VARCHAR DEFAULT 'unset')"); code != 0 {
			t.Fatal(errs)
		}
		out, errs, code := with("load", "--table", "t", path("1.csv"), path("2.csv.gz"), path("3.ndjson"), path("4.parquet"))
		if code != 0 || out != "" || errs == "" { // progress is only shown on a terminal
			t.Errorf("%d %q %q", code, out, errs)
		}
		if out, _, _ := with("sql", "-c", "SELECT a, b, c, d FROM t ORDER BY a"); strings.ReplaceAll(out, "\r", "") != "a,b,c,d\n1,one,,unset\n2,two,,unset\n3,three,3.5,unset\n4,four,,unset\n" {
			t.Errorf("%q", out)
		}
		for name, want := range map[string]int{"5.xml": 65, "6.csv": 65, "none.csv": 66} {
			if out, errs, code := with("load", "--table", "t", path(name)); code != want || out != "" || !strings.Contains(errs, name) {
				t.Errorf("%s: %d %q %q", name, code, out, errs)
			}
		}
		if out, _, _ := with("sql", "-c", "SELECT count(*) FROM t"); !strings.Contains(out, "\n4") && !strings.Contains(out, "\r\n4") {
			t.Errorf("%q", out)
		}
		// The result is larger than one batch. It is loaded into a table and a database that do not
		// exist yet.
		if _, errs, code := with("sql", "-c", "SELECT range AS n, 'text ' || range AS s FROM range(300000)", "-o", path("large.parquet")); code != 0 {
			t.Fatal(errs)
		}
		if _, errs, code := with("load", "--table", "other.main.large", path("large.parquet")); code != 0 {
			t.Errorf("%d %q", code, errs)
		}
		if out, _, _ := with("sql", "-c", "SELECT count(*), sum(n), count(DISTINCT s) FROM other.large"); !strings.Contains(out, "300000,44999850000,300000") {
			t.Errorf("%q", out)
		}
	})
}

// TestALoadThatFailsInTheMiddleGoesOn checks that the rows before the error stay stored and are
// reported. They are not stored again after the file was corrected.
func TestALoadThatFailsInTheMiddleGoesOn(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		with := func(command string, args ...string) (string, string, int) {
			return run(t, "", append(append([]string{command}, where...), args...)...)
		}
		count := func() string {
			out, _, _ := with("sql", "-c", "SELECT count(*), count(DISTINCT n) FROM t")
			return strings.TrimSpace(strings.ReplaceAll(out[strings.Index(out, "\n")+1:], "\r", ""))
		}
		const rows = 300_000
		content := func(last string) string {
			var b strings.Builder
			b.WriteString("n,s\n")
			for i := range rows - 1 {
				fmt.Fprintf(&b, "%d,%s\n", i, strings.Repeat("x", 60))
			}
			return b.String() + last
		}
		data := file(t, "t.csv", content("299999\n")) // a line with too few fields
		if _, errs, code := with("sql", "-c", "CREATE TABLE t (n INTEGER PRIMARY KEY, s VARCHAR)"); code != 0 {
			t.Fatal(errs)
		}
		_, errs, code := with("load", "--table", "t", data)
		said := regexp.MustCompile(`its first (\d+) rows are stored`).FindStringSubmatch(errs)
		if code != 65 || said == nil || !strings.Contains(errs, "1 values where the header names 2 columns") || !strings.Contains(errs, "repeat the command") {
			t.Fatalf("%d %q", code, errs)
		}
		if got := count(); got != said[1]+","+said[1] || said[1] == "0" {
			t.Errorf("%s rows, said %s", got, said[1])
		}
		if err := os.WriteFile(data, []byte(content("299999,last\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := with("load", "--table", "t", data); code != 0 || !strings.Contains(errs, "300000 rows, "+said[1]+" of them already stored by an earlier load") {
			t.Errorf("%d %q", code, errs)
		}
		if got := count(); got != "300000,300000" {
			t.Error(got)
		}
		// A load inserts rows as INSERT does. In a table with a primary key, existing rows are an
		// error.
		if _, errs, code := with("load", "--again", "--table", "t", data); code != 75 || !strings.Contains(errs, `Duplicate key "n: 0"`) || !strings.Contains(errs, "none of its rows is stored") {
			t.Errorf("%d %q", code, errs)
		}
		if _, errs, code := with("load", "--again", "--mode", "upsert", "--table", "t", data); code != 0 {
			t.Errorf("%d %q", code, errs)
		}
		if got := count(); got != "300000,300000" {
			t.Error(got)
		}
		if _, errs, code := with("load", "--mode", "insert", "--key", "n", "--table", "t", data); code != 65 || !strings.Contains(errs, "mode=insert takes no key") {
			t.Errorf("%d %q", code, errs)
		}
	})
}

// TestLoadReadsAsHTTPDoes checks that a file and a request with the same content give the same
// rows.
func TestLoadReadsAsHTTPDoes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for i, c := range []struct{ name, content, mediaType, query string }{
		{"a.csv", "a,b,c,d,e\n007,1e3,,2024-01-01T00:00:00Z,true\n08,2.5,\"\",2024-01-02T03:04:05+02:00,false\n", "text/csv", ""},
		{"b.csv", "a;b\n1;NA\n2;x\n", "text/csv", "delimiter=%3B&null=NA"},
		{"c.ndjson", `{"a":1,"b":null,"c":"2024-01-01"}` + "\n" + `{"a":2.5,"b":{"x":[1]},"c":"2024-01-02"}`, "application/x-ndjson", ""},
		{"d.json", `[{"a":18446744073709551615,"b":"0.10"},{"b":"x"}]`, "application/json", ""},
	} {
		args := []string{"load", "--url", s.URL, "--table", fmt.Sprint("load", i), file(t, c.name, c.content)}
		if c.query != "" {
			args = append(args, "--delimiter", ";", "--null", "NA")
		}
		if _, errs, code := run(t, "", args...); code != 0 {
			t.Errorf("%s: %s", c.name, errs)
		}
		resp, err := http.Post(fmt.Sprintf("%s/api/v1/tables/default/http%d/rows?%s", s.URL, i, c.query), c.mediaType, strings.NewReader(c.content))
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(c.name, err, resp)
		}
		resp.Body.Close()
		var of [2]string
		for j, table := range []string{"load", "http"} {
			for _, q := range []string{"SELECT * FROM %s%d ORDER BY ALL", "DESCRIBE %s%d"} {
				out, errs, code := run(t, "", "sql", "--url", s.URL, "--format", "json", "-c", fmt.Sprintf(q, table, i))
				if code != 0 {
					t.Error(errs)
				}
				of[j] += regexp.MustCompile(`"elapsed_ms":[\d.]+`).ReplaceAllString(out, "")
			}
		}
		if of[0] != of[1] {
			t.Errorf("%s:\n%s\nover HTTP:\n%s", c.name, of[0], of[1])
		}
	}
}

// TestLoadOfColumnarFiles loads files that scoter sql wrote, in several pieces. Their columns have
// types that each of the formats stores in its own way.
func TestLoadOfColumnarFiles(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		with := func(command string, args ...string) (string, string, int) {
			return run(t, "", append(append([]string{command}, where...), args...)...)
		}
		const rows = `SELECT range AS n, range::DECIMAL(12,3) / 8 AS d, CASE WHEN range % 3 > 0 THEN 'text ' || range END AS s, TIMESTAMPTZ '2024-01-01 00:00:00Z' + INTERVAL (range) SECOND AS at,
			[range, NULL] AS l, {'a': range, 'b': 'x'} AS o, md5(range::VARCHAR)::UUID AS u, DATE '2024-01-01' AS day, repeat('y', 100) AS y FROM range(200000)`
		for _, ending := range []string{"parquet", "arrow"} {
			data := filepath.Join(t.TempDir(), "t."+ending)
			for _, args := range [][]string{{"sql", "-c", rows, "--format", ending, "-o", data}, {"load", "--table", ending, data}} {
				if _, errs, code := with(args[0], args[1:]...); code != 0 {
					t.Fatalf("%s: %s", ending, errs)
				}
			}
			out, errs, _ := with("sql", "-c", "SELECT count(*), count(DISTINCT n), (SELECT count(*) FROM (FROM "+ending+" EXCEPT "+rows+")), (SELECT count(*) FROM ("+rows+" EXCEPT FROM "+ending+")) FROM "+ending)
			if !strings.Contains(out, "200000,200000,0,0") {
				t.Errorf("%s: %q %s", ending, out, errs)
			}
		}
	})
}

func TestTokenMakesWhatTheServerTakes(t *testing.T) {
	out, errs, code := run(t, "", "token", "telegraf", "--role", "reader")
	if code != 0 {
		t.Fatal(errs)
	}
	token := regexp.MustCompile(`token: (\S+)`).FindStringSubmatch(out)
	_, settings, ok := strings.Cut(out, "scoter.toml:")
	if token == nil || !ok || !strings.Contains(out, fmt.Sprintf("%x", sha256.Sum256([]byte(token[1])))) {
		t.Fatalf("%q", out)
	}
	s := binary.Serve(t, t.TempDir(), "--config", file(t, "scoter.toml", settings))
	for secret, want := range map[string]int{token[1]: 0, "wrong": 77, "": 77} {
		if _, errs, code := run(t, "", "sql", "--url", s.URL, "--token", secret, "-c", "SELECT 1"); code != want {
			t.Errorf("%q: %d %s", secret, code, errs)
		}
	}
	if _, _, code := run(t, "", "sql", "--url", s.URL, "--token", token[1], "-c", "CREATE TABLE t (a INTEGER)"); code != 77 {
		t.Errorf("a reader made a table: %d", code)
	}
	if _, errs, code := run(t, "", "token", "x", "--role", "king"); code != 64 || !strings.Contains(errs, "king") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestConfigPrintsWhatItReads(t *testing.T) {
	out, errs, code := run(t, "", "config", "--listen", "127.0.0.1:9", "--slow-query", "3s")
	if code != 0 || !strings.Contains(out, `listen = "127.0.0.1:9"`) || !strings.Contains(out, `slow_query = "3s"`) {
		t.Fatalf("%d %q %q", code, out, errs)
	}
	again, errs, code := run(t, "", "config", "--config", file(t, "scoter.toml", out))
	if code != 0 || again != out {
		t.Errorf("%d %q\n%s\n%s", code, errs, out, again)
	}
	for _, mode := range []string{"auto", "patch", "rewrite", "expression"} {
		if out, errs, _ := run(t, "", "config", "--update-mode", mode); !strings.Contains(out, fmt.Sprintf("update_mode = %q", mode)) {
			t.Errorf("update mode %s: %s", mode, errs)
		}
		if _, err := dml.ParseUpdateMode(mode); err != nil {
			t.Error(err)
		}
	}
	// A flag overrides the environment, and the environment overrides the file.
	path := file(t, "s.toml", "max_queries = 5\nlog_level = \"warn\"\nquery_threads = 3\n")
	t.Setenv("SCOTER_MAX_QUERIES", "6")
	t.Setenv("SCOTER_LOG_LEVEL", "error")
	out, _, _ = run(t, "", "config", "--config", path, "--max-queries", "7")
	for _, want := range []string{"max_queries = 7", `log_level = "error"`, "query_threads = 3"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestVersionCheckInspect(t *testing.T) {
	if out, _, code := run(t, "", "version"); code != 0 || !strings.HasPrefix(out, "scoter ") || !strings.Contains(out, "DuckDB 1.") {
		t.Errorf("%d %q", code, out)
	}
	dir := t.TempDir()
	s := binary.Serve(t, dir, "--flush-age", "1h")
	for _, statement := range []string{"CREATE TABLE t AS SELECT range AS a FROM range(1000)", "INSERT INTO t VALUES (1000)"} {
		if status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(statement)); err != nil || status != 200 {
			t.Fatal(status, text, err)
		}
	}
	if _, errs, code := run(t, "", "check", dir); code == 0 || strings.Contains(errs, "goroutine") {
		t.Errorf("a directory in use was checked: %d %q", code, errs)
	}
	s.Stop(t)
	if out, errs, code := run(t, "", "check", dir); code != 0 || !strings.Contains(out, "1 tables") || !strings.Contains(out, "1001 rows") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "parts", "*", "*.parquet"))
	segments, _ := filepath.Glob(filepath.Join(dir, "wal", "*"))
	if len(parts) == 0 || len(segments) == 0 {
		t.Fatalf("parts %v, segments %v", parts, segments)
	}
	for what, path := range map[string]string{"part": parts[0], "wal": segments[0], "catalog": dir} {
		if out, errs, code := run(t, "", "inspect", what, path); code != 0 || out == "" {
			t.Errorf("inspect %s: %d %q", what, code, errs)
		}
		if out, _, code := run(t, "", "inspect", what, filepath.Join(dir, "none")); code == 0 || strings.Contains(out, "goroutine") {
			t.Errorf("inspect %s of nothing: %d %q", what, code, out)
		}
	}
	text, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/3] ^= 0xff
	if err := os.WriteFile(parts[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, "", "check", dir); code != 74 || !strings.Contains(errs, filepath.Base(parts[0])) {
		t.Errorf("a damaged part: %d %q", code, errs)
	}
	out, errs, code := run(t, "", "check", "--repair", dir)
	for _, want := range []string{"lost 1000 rows", "damaged", "1 tables, 0 parts, 1 rows: all is well"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("no %q: %d %q %q", want, code, out, errs)
		}
	}
	unchanged, _ := filepath.Glob(filepath.Join(dir, "damaged", "*.parquet"))
	if len(unchanged) != 1 {
		t.Fatalf("kept: %q", unchanged)
	}
	if now, err := os.ReadFile(unchanged[0]); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the file was changed: %v", err)
	}
	if out, errs, code := run(t, "", "sql", "--dir", dir, "-c", "SELECT count(*) AS n FROM t"); code != 0 || strings.TrimSpace(strings.ReplaceAll(out, "\r", "")) != "n\n1" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	out, _, code := run(t, "", "--help")
	if code != 0 {
		t.Fatal(out)
	}
	for _, command := range []string{"serve", "sql", "load", "check", "inspect", "token", "config"} {
		help, _, code := run(t, "", command, "--help")
		if code != 0 || !strings.Contains(help, "Example") || !strings.Contains(out, "\n  "+command+" ") {
			t.Errorf("%s: %d\n%s", command, code, help)
		}
	}
}

func TestBackupAndRestore(t *testing.T) {
	config := file(t, "scoter.toml", fmt.Sprintf("[[token]]\nname = \"a\"\nrole = \"admin\"\nsha256 = \"%x\"\n", sha256.Sum256([]byte("secret"))))
	server := binary.Serve(t, t.TempDir(), "--config", config)
	for _, where := range [][]string{{"--dir", t.TempDir()}, {"--url", server.URL, "--token", "secret"}} {
		sql := append(append([]string{"sql"}, where...), "-c")
		if _, errs, code := run(t, "", append(sql, "CREATE TABLE t AS SELECT range AS a FROM range(10); DELETE FROM t WHERE a = 3")...); code != 0 {
			t.Fatal(errs)
		}
		archive := filepath.Join(t.TempDir(), "b.tar")
		if _, errs, code := run(t, "", append(append([]string{"backup"}, where...), archive)...); code != 0 || !strings.Contains(errs, "b.tar: ") || !strings.Contains(errs, "KiB\n") {
			t.Fatalf("%d %s", code, errs)
		}
		dir := filepath.Join(t.TempDir(), "made")
		if out, errs, code := run(t, "", "restore", archive, dir); code != 0 || !strings.Contains(out, "9 rows: all is well") {
			t.Fatalf("%d %s %s", code, out, errs)
		}
		if out, errs, code := run(t, "", "sql", "--dir", dir, "-c", "SELECT sum(a) AS s FROM t"); strings.ReplaceAll(out, "\r", "") != "s\n42\n" {
			t.Errorf("%d %q %s", code, out, errs)
		}
		if _, errs, code := run(t, "", "restore", archive, dir); code != 75 || !strings.Contains(errs, "is not empty") {
			t.Errorf("into a folder that holds something: %d %s", code, errs)
		}

		// The backup and its restore run through pipes.
		out, errs, code := run(t, "", append(append([]string{"backup"}, where...), "-")...)
		if code != 0 || len(out) == 0 {
			t.Fatalf("%d %s", code, errs)
		}
		other := filepath.Join(t.TempDir(), "made")
		if out, errs, code := run(t, out, "restore", "-", other); code != 0 || !strings.Contains(out, "9 rows") {
			t.Errorf("%d %s %s", code, out, errs)
		}
		if _, errs, code := run(t, out[:len(out)/2], "restore", "-", filepath.Join(t.TempDir(), "half")); code != 74 || !strings.Contains(errs, "ends early") {
			t.Errorf("half of one: %d %s", code, errs)
		}
	}
}

func TestSQLShowsWhereAnErrorIs(t *testing.T) {
	both(t, func(t *testing.T, where ...string) {
		const text = "SELECT 1;\nSELECT amuont FROM (SELECT 1 amount)"
		_, errs, code := run(t, "", append(append([]string{"sql"}, where...), "-c", text)...)
		want := "  line 2: SELECT amuont FROM (SELECT 1 amount)\n" + strings.Repeat(" ", 2+len("line 2: SELECT ")) + "^\n  hint: did you mean amount?\n"
		if code != 65 || !strings.HasSuffix(errs, want) || strings.Count(errs, "amount") != 2 {
			t.Errorf("%d\n%s", code, errs)
		}
	})
}
