package http

import (
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestWhatRanOutOfMemoryIsToldOfSettingsThatExist checks the hints of all out-of-memory errors of
// statements.
func TestWhatRanOutOfMemoryIsToldOfSettingsThatExist(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--query-memory", "64MiB", "--spill-space", "1MiB")
	const large = "SELECT range AS k, repeat('x', 100) || range AS v FROM range(3000000)"
	sql(t, s, "CREATE TABLE t (k BIGINT, v VARCHAR)").must(t, 200)
	sql(t, s, "INSERT INTO t VALUES (1, 'a')").must(t, 200)
	sql(t, s, "CREATE VIEW large AS SELECT DISTINCT v, k FROM ("+large+")").must(t, 200)
	foreign := regexp.MustCompile(`SET |PRAGMA|threads=|memory_limit|preserve_insertion_order|max_temp_directory_size|temp_directory|duckdb\.org`)
	for _, text := range []string{
		"SELECT count(*) FROM large", "SELECT list(v) FROM (" + large + ")", "SELECT v, row_number() OVER (ORDER BY v) FROM (" + large + ")",
		"INSERT INTO t SELECT k, v FROM large", "CREATE TABLE u AS SELECT DISTINCT * FROM (" + large + ")",
		"INSERT INTO t SELECT DISTINCT k, v FROM (" + large + ") RETURNING k",
		"UPDATE t SET v = 'x' WHERE (SELECT count(*) FROM large) > 0", "DELETE FROM t WHERE (SELECT count(*) FROM large) > 0",
		"EXPLAIN ANALYZE SELECT count(*) FROM large", "WITH c AS MATERIALIZED (" + large + ") SELECT count(*) FROM c a JOIN c b USING (v)",
	} {
		for _, format := range []string{"json", "arrow", "parquet"} {
			a := post(t, s, "/api/v1/sql?format="+format, "text/plain", text)
			if foreign.MatchString(a.body) || a.status != 413 || !strings.Contains(a.body, "query_memory") {
				t.Errorf("%s as %s: %d %.600s", text, format, a.status, a.body)
			}
		}
	}
}
