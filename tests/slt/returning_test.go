package slt

import (
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
)

// TestWhatIsReturnedIsBounded checks that a statement fails if it returns more than the memory
// limit, and that it changes nothing.
func TestWhatIsReturnedIsBounded(t *testing.T) {
	// 2 MiB at once
	k := openExpressionDB(t, func(s *config.Server) { s.WriteMemory, s.MaxBody = 16<<20, 4<<20 })
	k.do("CREATE TABLE t (i BIGINT, s VARCHAR)")
	k.do("CREATE TABLE p (i BIGINT PRIMARY KEY, s VARCHAR)")
	for _, table := range []string{"t", "p"} {
		k.do("INSERT INTO " + table + " SELECT i, 'x' FROM range(100) r(i)")
	}
	for _, sql := range []string{
		"INSERT INTO t SELECT i, repeat('y', 1000) FROM range(10000) r(i) RETURNING 1",
		"INSERT INTO p SELECT i, repeat('y', 1000) FROM range(10000) r(i) RETURNING 1",
		"INSERT INTO t VALUES (1000, 'y') RETURNING repeat(s, 10000000)",
		"INSERT INTO p VALUES (1000, 'y') RETURNING repeat(s, 10000000)",
		"INSERT INTO p VALUES (1, 'y') ON CONFLICT DO UPDATE SET s = p.s || excluded.s RETURNING repeat(s, 10000000)",
		"UPDATE t SET s = 'y' RETURNING repeat(s, 100000)",
		"DELETE FROM t RETURNING repeat(s, 100000)",
		// Only the results of both actions together exceed the limit.
		"MERGE INTO t USING (SELECT i + 50 AS i FROM range(100) r(i)) AS s USING (i) WHEN MATCHED THEN UPDATE SET s = 'y' WHEN NOT MATCHED THEN INSERT VALUES (s.i, 'y') RETURNING merge_action, repeat(s, 30000)",
	} {
		if _, err := k.run(sql); base.KindOf(err) != base.TooLarge {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, table := range []string{"t", "p"} {
		k.is("SELECT count(*) || s FROM "+table+" GROUP BY s", "100x")
	}
	if got, err := k.run("INSERT INTO t SELECT i, repeat('y', 1000) FROM range(1000) r(i) RETURNING i"); err != nil || len(got.rows) != 1000 {
		t.Errorf("%d rows, %v", len(got.rows), err)
	}
}
