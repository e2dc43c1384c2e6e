package slt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

const secret = "s3cr3t-in-a-file"

// attacks try to read the file %[1]s, to write the file %[2]s, or to access the internals of the
// engine. Each attack has one or more requests in order. None may succeed as a whole.
var attacks = [][]string{
	{"SELECT * FROM read_text('%[1]s')"},
	{"SELECT * FROM read_blob('%[1]s')"},
	{"SELECT * FROM read_csv('%[1]s')"},
	{"SELECT * FROM READ_CSV_AUTO('%[1]s')"},
	{`SELECT * FROM "read_csv"('%[1]s')`},
	{"SELECT * FROM system.main.read_csv('%[1]s')"},
	{"SELECT * FROM/**/read_text/**/('%[1]s')"},
	{"SELECT * FROM read_text\n--'\n('%[1]s')"},
	{"SELECT * FROM read_text($$%[1]s$$)"},
	{"FROM '%[1]s'"},
	{`FROM "%[1]s"`},
	{"TABLE '%[1]s'"},
	{"DESCRIBE '%[1]s'"},
	{"SUMMARIZE '%[1]s'"},
	{"SUMMARIZE FROM '%[1]s'"},
	{"PIVOT '%[1]s' ON 1"},
	{"PIVOT t ON (SELECT content FROM read_text('%[1]s'))"},
	{"PIVOT t ON a IN (SELECT content FROM read_text('%[1]s'))"},
	{"UNPIVOT '%[1]s' ON COLUMNS(*)"},
	{"SELECT (SELECT content FROM read_text('%[1]s'))"},
	{"SELECT * FROM t WHERE b IN (SELECT content FROM read_text('%[1]s')) OR EXISTS (FROM '%[1]s')"},
	{"SELECT * FROM t, LATERAL (SELECT * FROM read_text('%[1]s'))"},
	{"SELECT * FROM t ORDER BY (SELECT content FROM read_text('%[1]s'))"},
	{"SELECT * FROM t LIMIT (SELECT count(*) FROM read_text('%[1]s'))"},
	{"SELECT list_transform([1], lambda x: (SELECT content FROM read_text('%[1]s')))"},
	{"SELECT sum(a) OVER (ORDER BY (SELECT content FROM read_text('%[1]s'))) FROM t"},
	{"SELECT sum(a) FILTER (WHERE EXISTS (FROM read_text('%[1]s'))) FROM t"},
	{"VALUES ((SELECT content FROM read_text('%[1]s')))"},
	{"WITH c AS (SELECT * FROM read_text('%[1]s')) SELECT * FROM c"},
	{`WITH "%[1]s" AS (FROM '%[1]s') FROM "%[1]s"`},
	{`WITH RECURSIVE "%[1]s" AS (FROM "%[1]s") FROM "%[1]s"`},
	{`WITH RECURSIVE "%[1]s" AS (FROM "%[1]s" UNION FROM "%[1]s" WHERE false) FROM "%[1]s"`},
	{`WITH RECURSIVE "%[1]s" AS (FROM "%[1]s" UNION ALL FROM "%[1]s" WHERE false) FROM "%[1]s"`},
	{`WITH RECURSIVE "%[1]s" AS (SELECT * FROM (SELECT * FROM t, "%[1]s") UNION ALL FROM "%[1]s" WHERE false) FROM "%[1]s"`},
	{"WITH RECURSIVE pg_settings AS (FROM pg_settings UNION ALL FROM pg_settings WHERE false) FROM pg_settings"},
	{`WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT length(content) FROM read_text('%[1]s'), c) FROM c`},
	{`SELECT * FROM (WITH "%[1]s" AS (SELECT 1) FROM "%[1]s"), "%[1]s"`},
	{`SELECT (WITH "%[1]s" AS (SELECT 1) FROM "%[1]s") UNION ALL FROM "%[1]s"`},
	{"EXPLAIN ANALYZE FROM '%[1]s'"},
	{"EXPLAIN (FORMAT json) FROM read_text('%[1]s')"},
	{"SELECT * FROM query('FROM read_text(''%[1]s'')')"},
	{"SELECT * FROM query_table('%[1]s')"},
	{"SELECT * FROM query_table(['%[1]s'])"},
	{"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''%[1]s'')'))"},
	{"SELECT * FROM scoter_parquet(['%[1]s'], 0)"},
	{"SELECT * FROM scoter_parquet_once(['%[1]s'], 0)"},
	{"SELECT * FROM glob('%[1]s')"},
	{"SELECT * FROM sniff_csv('%[1]s')"},
	{"SELECT * FROM parquet_metadata('%[1]s')"},
	{"SELECT * FROM read_parquet('%[1]s')"},
	{"SELECT * FROM parquet_scan(['%[1]s'])"},
	{"SELECT * FROM read_json_objects('%[1]s')"},
	{"SELECT pg_read_file('%[1]s')"},
	{"SELECT json_serialize_plan('SELECT * FROM read_csv(''%[1]s'', header = true)')"},
	{"SELECT 'SELECT * FROM read_csv(''%[1]s'', header = true)'.json_serialize_plan()"},
	{`SELECT system.main."JSON_serialize_plan"('FROM scoter_memtable(1)', optimize := true)`},
	{"SELECT list_transform(['FROM read_csv(''%[1]s'')'], lambda x: json_serialize_plan(x))"},
	{"SELECT sleep_ms(1)"},
	{"SELECT pg_sleep(0.001)"},
	{"SELECT setseed(0.42)"},
	{"SELECT a FROM t ORDER BY setseed(0.42)"},
	{"SELECT write_log('x')"},
	{"SELECT current_query()"},
	{"SELECT b, system.main.CURRENT_QUERY() FROM t"},
	{"SELECT current_setting('temp_directory')"},
	{"SELECT * FROM histogram('%[1]s', column0)"},
	{"SELECT * FROM duckdb_logs_parsed('QueryLog')"},
	{"SELECT * FROM duckdb_prepared_statements()"},
	{"SELECT * FROM which_secret('s3://a/b', 's3')"},
	{"SELECT * FROM sql_auto_complete('FROM ''%[1]s')"},
	{"SELECT * FROM force_checkpoint()"},
	{"CREATE VIEW av AS SELECT setseed(0.42)"},
	{"CREATE TABLE made (a VARCHAR DEFAULT json_serialize_plan('SELECT * FROM read_csv(''%[1]s'', header = true)'))"},
	{"CREATE TABLE made (a INTEGER CHECK (sleep_ms(a) IS NULL))"},
	{"ALTER TABLE t ADD COLUMN x VARCHAR DEFAULT json_serialize_plan('SELECT * FROM read_csv(''%[1]s'', header = true)')"},
	{"ALTER TABLE t ALTER b SET DEFAULT current_setting('temp_directory')"},
	{"UPDATE t SET b = json_serialize_plan('SELECT * FROM read_csv(''%[1]s'', header = true)')"},
	{"UPDATE t SET b = json_serialize_plan('SELECT * FROM read_csv(''%[1]s'', header = true)') WITH (mode = 'expression')"},
	{"SELECT getenv('HOME')"},
	{"SELECT * FROM duckdb_secrets()"},
	{"SELECT * FROM duckdb_settings()"},
	{"SELECT * FROM duckdb_logs()"},
	{"FROM duckdb_settings"},
	{"FROM duckdb_logs"},
	{"FROM pg_catalog.pg_settings"},
	{"SELECT * FROM scoter_memtable(1)"},
	{`SELECT * FROM "SCOTER_memtable"(1)`},
	{"SELECT * FROM main.scoter_memtable(1)"},
	{"SELECT * FROM arrow_scan(1, 2, 3)"},
	{"SELECT * FROM seq_scan('t')"},
	{"CREATE VIEW av AS SELECT * FROM read_text('%[1]s')"},
	{"CREATE VIEW av AS FROM '%[1]s'"},
	{"CREATE TABLE at AS FROM '%[1]s'"},
	{"CREATE TABLE at AS SELECT * FROM read_text('%[1]s')"},
	{"CREATE TABLE at (a VARCHAR DEFAULT (SELECT content FROM read_text('%[1]s')))"},
	{"CREATE TABLE at (a VARCHAR CHECK (a <> (SELECT content FROM read_text('%[1]s'))))"},
	{"CREATE TABLE at (a VARCHAR); COPY (SELECT 1) TO '%[2]s'"},
	{"ALTER TABLE t ALTER b SET DEFAULT (SELECT content FROM read_text('%[1]s'))"},
	{"ALTER TABLE t ADD COLUMN x VARCHAR DEFAULT (SELECT content FROM read_text('%[1]s'))"},
	{"ALTER TABLE t ADD COLUMN x INTEGER); COPY (SELECT 1) TO '%[2]s'; CREATE TABLE y (a INTEGER"},
	{"ALTER TABLE t ALTER b TYPE VARCHAR USING (SELECT content FROM read_text('%[1]s'))"},
	{"INSERT INTO t SELECT 1, content FROM read_text('%[1]s')"},
	{"INSERT INTO t VALUES (1, (SELECT content FROM read_text('%[1]s')))"},
	{"WITH c AS (FROM read_text('%[1]s')) INSERT INTO t SELECT 1, content FROM c"},
	{"INSERT INTO t VALUES (1, 'x') RETURNING (SELECT content FROM read_text('%[1]s'))"},
	{"INSERT INTO t BY NAME SELECT content AS b FROM read_text('%[1]s')"},
	{"COPY t TO '%[2]s'"},
	{"COPY (SELECT 1) TO '%[2]s'"},
	{"COPY t FROM '%[1]s'"},
	{"/* SELECT */ COPY (SELECT 1) TO '%[2]s'"},
	{"SELECT 1; COPY (SELECT 1) TO '%[2]s'"},
	{"(COPY (SELECT 1) TO '%[2]s')"},
	{"WITH c AS (COPY (SELECT 1) TO '%[2]s') SELECT 1"},
	{"WITH c AS (SELECT 1) COPY c TO '%[2]s'"},
	{"EXPLAIN ANALYZE COPY (SELECT 1) TO '%[2]s'"},
	{"EXPORT DATABASE '%[2]s'"},
	{"ATTACH '%[2]s' AS x"},
	{"CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')"},
	{"INSTALL httpfs"},
	{"LOAD httpfs"},
	{"SET enable_external_access = true"},
	{"PRAGMA enable_external_access = true"},
	{"RESET lock_configuration"},
	{"CALL read_text('%[1]s')"},
	{"PREPARE p AS SELECT * FROM read_text('%[1]s')"},
	{"CREATE MACRO m() AS TABLE SELECT * FROM read_text('%[1]s')"},
	{"CREATE TEMP MACRO range(x) AS TABLE SELECT * FROM read_text('%[1]s')"},
	{"CREATE FUNCTION f() AS TABLE FROM read_text('%[1]s')"},
	{"SELECT 1\x00 FROM read_text('%[1]s')"},
	{"SELECT\u00a0*\u00a0FROM\u3000read_text('%[1]s')"},
	// A view over a table with the name of a file, after the table was dropped.
	{`CREATE TABLE "%[1]s" (column0 VARCHAR)`, `CREATE VIEW later AS SELECT * FROM "%[1]s"`, `DROP TABLE "%[1]s"`, "SELECT * FROM later"},
}

func TestWriterReadsAndWritesNoFiles(t *testing.T) {
	// External access is enabled here. The protection is only in the statements that are allowed.
	db := openScoter(t, true, 0)
	secretFile, written := filepath.Join(t.TempDir(), "secret.csv"), filepath.Join(t.TempDir(), "written.csv")
	if err := os.WriteFile(secretFile, []byte(secret+"\n"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(role session.Role, sql string) (answer, error) {
		return db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: role})
	}
	if _, err := ask(session.Writer, "CREATE TABLE t (a INTEGER, b VARCHAR)"); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(session.Admin, "FROM read_text('"+secretFile+"')"); err != nil || !strings.Contains(fmt.Sprint(got), secret) {
		t.Fatalf("an administrator reads %v, %v", got, err)
	}
	for _, steps := range attacks {
		var err error
		for i, step := range steps {
			sql := strings.NewReplacer("%[1]s", secretFile, "%[2]s", written).Replace(step)
			var got answer
			role := session.Writer
			if len(steps) > 1 && i == len(steps)-1 {
				role = session.Admin // a user with more rights runs what a writer has created
			}
			got, err = ask(role, sql)
			if strings.Contains(fmt.Sprint(got), secret) {
				t.Errorf("%s\nreads the file: %v", sql, got)
			}
			switch kind := base.KindOf(err); {
			case err != nil && kind != base.Forbidden && kind != base.Invalid && kind != base.NotFound:
				t.Errorf("%s\nfails with %s: %v", sql, kind, err)
			case err != nil && strings.Contains(err.Error(), secret):
				t.Errorf("%s\ntells the file: %v", sql, err)
			}
		}
		if err == nil {
			t.Errorf("%s\nsucceeds", steps)
		}
		if _, err := os.Stat(written); err == nil {
			t.Fatalf("%s\nwrites a file", steps)
		}
	}
	if got, err := ask(session.Reader, "SELECT count(*) FROM t WHERE b LIKE '%s3cr3t%'"); err != nil || got.rows[0] != "0" {
		t.Errorf("the file is in a table: %v, %v", got.rows, err)
	}
}

func TestServerReadsNoFilesOutsideItsFolders(t *testing.T) {
	// The second line of defence: DuckDB itself refuses, even for an administrator.
	db := openScoter(t, false, 0)
	secretFile := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secretFile, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"FROM read_text('%s')", "FROM '%s'", "FROM read_csv('%s')", "FROM glob('%s')",
		"FROM read_text('%s/../secret.csv')", "CREATE TABLE x AS FROM '%s'",
	} {
		sql = strings.ReplaceAll(sql, "%s", secretFile)
		got, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: session.Admin})
		if base.KindOf(err) != base.Forbidden {
			t.Errorf("%s: %v, %v", sql, got, err)
		}
	}
}

func TestNobodyChangesTheEngine(t *testing.T) {
	db := openScoter(t, true, 0)
	for _, sql := range []string{
		"FROM enable_profiling(save_location = '/nowhere/profile.json')", "FROM disable_profiling()", "FROM enable_logging()", "FROM disable_logging()",
		"FROM truncate_duckdb_logs()", "FROM enable_peg_parser()", "FROM disable_peg_parser()", "FROM query('SELECT 1')",
		"FROM histogram(concat('t'), a)", "FROM query_table(concat('t'))", "FROM histogram(scoter_named, a)",
		"FROM scoter_memtable(1)", "SELECT setseed(0.42)", "SELECT sleep_ms(1)", "SELECT json_serialize_plan('SELECT 1')", "SELECT write_log('x')",
	} {
		if got, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: session.Admin}); base.KindOf(err) != base.Forbidden {
			t.Errorf("%s: %v, %v", sql, got, err)
		}
	}
}

func TestRolesMayWhatTheyMay(t *testing.T) {
	db := openScoter(t, false, 0)
	if _, err := db.run("CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	f := func(role session.Role, sql string, want base.Kind, allowed bool) {
		t.Helper()
		_, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: role})
		if allowed != (err == nil) || err != nil && base.KindOf(err) != want {
			t.Errorf("role %d: %s: %v", role, sql, err)
		}
	}
	f(session.Nobody, "SELECT 1", base.Forbidden, false)
	f(session.Reader, "SELECT * FROM t", 0, true)
	f(session.Reader, "SELECT 1; INSERT INTO t VALUES (1)", base.Forbidden, false)
	f(session.Reader, "WITH c AS (SELECT 1) INSERT INTO t FROM c", base.Forbidden, false)
	f(session.Reader, "CREATE VIEW v AS SELECT 1", base.Forbidden, false)
	f(session.Reader, "DROP TABLE t", base.Forbidden, false)
	f(session.Reader, "TRUNCATE t", base.Forbidden, false)
	f(session.Reader, "/* */ ALTER TABLE t ADD COLUMN b INTEGER", base.Forbidden, false)
	f(session.Writer, "INSERT INTO t VALUES (1)", 0, true)
}
