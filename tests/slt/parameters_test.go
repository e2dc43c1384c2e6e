package slt

import (
	"context"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// TestParametersOfChangesGoWhereTheyStand uses parameters in orders that the query of a change
// rearranges.
func TestParametersOfChangesGoWhereTheyStand(t *testing.T) {
	db := openScoter(t, false, 0)
	f := func(sql string, args []any, want ...string) {
		t.Helper()
		got, err := db.execute(context.Background(), session.Request{SQL: sql, Args: args, Database: "default", Role: session.Writer})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if !slices.Equal(got.rows, want) {
			t.Errorf("%s: %q, want %q", sql, got.rows, want)
		}
	}
	refused := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.execute(context.Background(), session.Request{SQL: sql, Args: args, Database: "default", Role: session.Writer}); base.KindOf(err) != base.Invalid {
			t.Errorf("%s: %v", sql, err)
		}
	}
	f("CREATE TABLE t (a INTEGER, b INTEGER, s VARCHAR)", nil)
	f("INSERT INTO t VALUES (?, ?, ?), (?, 5, NULL) RETURNING a + ?", []any{int64(1), int64(2), "x", int64(4), int64(10)}, "11", "14")
	f("UPDATE t SET s = ?, b = ?, a = ? WHERE a = ? RETURNING *", []any{"y", int64(20), int64(100), int64(1)}, "100\t20\ty")
	f("UPDATE t SET b = $2, s = $1 FROM (SELECT $3 AS k) AS q WHERE a = q.k RETURNING s || $1, $2", []any{"z", int64(7), int64(100)}, "zz\t7")
	f("UPDATE t SET b = $v WHERE a = $k RETURNING b, $v - 1", []any{map[string]any{"v": int64(8), "k": int64(100)}}, "8\t7")
	f("MERGE INTO t USING (SELECT ? AS k) AS q ON a = q.k AND b = ? WHEN MATCHED AND s = ? THEN UPDATE SET s = ?, b = ? WHEN NOT MATCHED THEN INSERT (s, a) VALUES (?, ?) RETURNING *",
		[]any{int64(100), int64(8), "z", "m", int64(9), "no", int64(0)}, "100\t9\tm")
	f("DELETE FROM t WHERE b = ? AND s = ? RETURNING a, ?", []any{int64(9), "m", "gone"}, "100\tgone")
	f("SELECT a, b, s FROM t", nil, "4\t5\tNULL")
	f("INSERT INTO t SELECT ?, ?, repeat(?, 2) FROM range(1) RETURNING *", []any{int64(6), int64(7), "u"}, "6\t7\tuu")
	f("INSERT INTO t BY NAME SELECT $s AS s, $a AS a -- a comment\n RETURNING *", []any{map[string]any{"s": "n", "a": int64(8)}}, "8\tNULL\tn")
	refused("INSERT INTO t SELECT ?, ?", int64(6), int64(7))
	refused("UPDATE t SET a = ?", int64(1), int64(2))
	refused("UPDATE t SET a = ?")
	refused("UPDATE t SET a = $x", map[string]any{"y": int64(1)})
	refused("UPDATE t SET a = $x", map[string]any{"x": int64(1), "y": int64(1)})
	refused("DELETE FROM t", int64(1))
}
