package http

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestReadersSeeNoPathsOfTheServer runs statements as reader that might reveal paths, in results
// and in errors.
func TestReadersSeeNoPathsOfTheServer(t *testing.T) {
	dir, lake := t.TempDir(), filepath.Join(t.TempDir(), "lake")
	s := serveWithTokens(t, dir, "--readable-dirs", t.TempDir())
	as := func(role, text string) answer {
		t.Helper()
		return post(t, s, "/api/v1/sql?format=csv", "text/plain", text, "Authorization", "Bearer "+role)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	seen := func(role, what string, a answer) {
		t.Helper()
		for _, path := range []string{dir, lake, filepath.Dir(dir), home + "/."} {
			if strings.Contains(a.body, path) || strings.Contains(strings.Join(a.header["X-Influxdb-Error"], ""), path) {
				t.Errorf("%s sees the path %s by %s: %.400s", role, path, what, a.body)
			}
		}
	}
	as("admin", "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)").must(t, 200)
	// written as parts directly
	as("admin", "INSERT INTO t SELECT range, 'x' FROM range(300000)").must(t, 200)
	as("admin", "UPDATE t SET v = 'y' WHERE k = 7").must(t, 200)
	as("admin", "CREATE TABLE damaged AS SELECT range AS a FROM range(300000)").must(t, 200)
	as("admin", "CREATE TABLE memory (a BIGINT, b BIGINT)").must(t, 200)
	as("admin", "INSERT INTO memory VALUES (1, 2)").must(t, 200)
	as("admin", "CREATE VIEW settings AS SELECT * FROM scoter.settings").must(t, 200)
	as("admin", "CREATE EXPORT lake FROM TABLE memory INTO FOLDER (path = '"+lake+"') WITH (after = '10ms')").must(t, 200)
	if err := os.WriteFile(lake, nil, 0o600); err != nil { // a file in place of the folder
		t.Log(err)
	}
	damage(t, s, dir)
	statements := []string{
		"FROM scoter.settings", "FROM settings", "FROM scoter.exports", "FROM scoter.export_objects", "FROM scoter.sources", "FROM scoter.merges", "FROM scoter.scrub",
		"FROM scoter.parts", "FROM scoter.patches", "FROM scoter.queries", "FROM scoter.tables",
		"FROM duckdb_extensions()", "FROM duckdb_settings()", "FROM duckdb_databases()", "FROM pragma_database_list()", "FROM pragma_database_list", "PRAGMA database_list",
		"FROM duckdb_temporary_files()", "FROM duckdb_secrets()", "FROM duckdb_logs()", "FROM duckdb_external_file_cache()", "FROM duckdb_variables()",
		"FROM pragma_database_size()", "FROM duckdb_functions()", "FROM duckdb_views()", "FROM pg_settings", "SHOW ALL TABLES", "SHOW DATABASES",
		"FROM read_csv('x.csv')", "FROM read_parquet('parts/1/1.parquet')", "FROM 'x.csv'", "FROM glob('*')", "FROM sniff_csv('x')", "FROM read_text('*')",
		"FROM parquet_metadata('scoter://part/1/1')", "FROM scoter_parquet(['scoter://part/1/1'])",
		"SELECT current_setting('temp_directory')", "SELECT getenv('HOME')", "SELECT current_query()", "SELECT filename FROM t", "SELECT file_row_number FROM t",
		"EXPLAIN SELECT * FROM t", "EXPLAIN ANALYZE SELECT * FROM t", "EXPLAIN (ANALYZE, FORMAT json) SELECT count(*) FROM t, memory", "EXPLAIN (FORMAT json) SELECT * FROM t",
		"EXPLAIN ANALYZE SELECT * FROM t WHERE k = 7", "EXPLAIN UPDATE t SET v = 'z'",
		"SELECT sum(a) FROM damaged", "SELECT nothing FROM t", "INSTALL httpfs", "LOAD '/x'", "ATTACH 'x.db'", "COPY t TO 'x.csv'", "SET temp_directory = 'x'",
	}
	for _, text := range statements {
		for _, role := range []string{"reader", "writer"} {
			seen(role, text, as(role, text))
		}
	}
	for _, path := range []string{"/api/v1/status", "/metrics", "/readyz", "/healthz", "/", "/api/v1/none", "/query?q=" + url.QueryEscape("SHOW DATABASES")} {
		seen("reader", path, send(t, s, "GET", path, "", "Authorization", "Bearer reader"))
	}
	seen("writer", "line protocol", send(t, s, "POST", "/write?db=default", "m v=1 1\nm v= 2", "Authorization", "Bearer writer"))
	if a := as("admin", "FROM scoter.settings").must(t, 200); !strings.Contains(a.body, dir) {
		t.Error("an administrator sees no paths:", a.body)
	}
	if a := as("admin", "FROM scoter.exports").must(t, 200); !strings.Contains(a.body, lake) {
		t.Error("an administrator does not see where the export goes:", a.body)
	}
	if a := as("reader", "SELECT sum(a) FROM damaged"); !strings.Contains(a.body, "parts/") {
		t.Error("the damaged file has no name:", a.body)
	}
}

// damage overwrites the middle of all parts of the table damaged. The server's own list names the
// parts.
func damage(t *testing.T, s *binary.Server, dir string) {
	t.Helper()
	list := post(t, s, "/api/v1/sql?format=csv", "text/plain", "SELECT path FROM scoter.parts WHERE table_name = 'damaged'", "Authorization", "Bearer admin").must(t, 200)
	paths := strings.Fields(list.body)[1:]
	if len(paths) == 0 {
		t.Fatal("there are no parts to damage")
	}
	for _, path := range paths {
		f, err := os.OpenFile(filepath.Join(dir, path), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte(strings.Repeat("damage", 1000)), 1000); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // the export retries meanwhile
}
