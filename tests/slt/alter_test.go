package slt

import (
	"context"
	"strings"
	"testing"
)

// TestRowsAreFoundByASortKeyThatGotItsValuesInPlace looks for rows by a column that was updated before the table was sorted by it.
func TestRowsAreFoundByASortKeyThatGotItsValuesInPlace(t *testing.T) {
	k := openKept(t, nil)
	for _, flushed := range []bool{true, false} {
		k.do("DROP TABLE IF EXISTS t")
		k.do("CREATE TABLE t (a INTEGER, x INTEGER, y INTEGER) SORTED BY (a)")
		k.do("INSERT INTO t SELECT i, i, 0 FROM range(1000) r(i)")
		if flushed {
			k.flush()
		}
		k.do("UPDATE t SET x = 5000 - x WHERE a < 500")
		k.do("ALTER TABLE t SET SORTED BY (x)")
		for x, want := range map[int]int64{7: 0, 4993: 1, 700: 1, 6000: 0} {
			for range 3 { // indexes are made from the second time on
				if n := k.do("UPDATE t SET y = y + 1 WHERE x = $1", x); n != want {
					t.Errorf("flushed %t: %d rows of %d", flushed, n, x)
				}
			}
		}
		k.is("SELECT concat_ws(' ', a, x, y) FROM t WHERE y > 0 ORDER BY a", "7 4993 3 700 700 3")
	}
}

// TestASortKeyThatWentAndCameBack updates a column in place while the table is not sorted by it.
func TestASortKeyThatWentAndCameBack(t *testing.T) {
	k := openKept(t, nil)
	k.do("CREATE TABLE t (a INTEGER, x INTEGER, y INTEGER) SORTED BY (x)")
	k.do("INSERT INTO t SELECT i, i, 0 FROM range(1000) r(i)")
	k.flush()
	k.do("ALTER TABLE t SET SORTED BY (a)")
	k.do("UPDATE t SET x = 100000 - x WHERE a < 500")
	k.do("ALTER TABLE t SET SORTED BY (x)")
	if n := k.do("UPDATE t SET y = 1 WHERE a = 7 WITH (mode = 'rewrite')"); n != 1 {
		t.Errorf("%d rows", n)
	}
	k.is("SELECT concat_ws(' ', count(*), sum(x), min(x), max(x), sum(y)) FROM t", "1000 50250000 500 100000 1")
	k.is("SELECT concat_ws(' ', a, x, y) FROM t WHERE a IN (7, 501) ORDER BY a", "7 99993 1 501 501 0")
	k.is("SELECT count(*)::VARCHAR FROM scoter.patches", "0")
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestNULLsAndValuesThatAreGoneDoNotKeepPartsFromBeingWritten makes a column NOT NULL, or another type, over values in parts' files that no row has any
// more.
func TestNULLsAndValuesThatAreGoneDoNotKeepPartsFromBeingWritten(t *testing.T) {
	k := openKept(t, nil)
	for gone, want := range map[string]string{
		"UPDATE t SET c = 0, d = '2000-01-01' WHERE id = 1":                                  "1 0 2000-01-01 00:00:00 7, 3 2 2024-02-29 00:00:00 7",
		"DELETE FROM t WHERE id = 1":                                                         "3 2 2024-02-29 00:00:00 7",
		"UPDATE t SET d = '300001-01-01' WHERE id = 1; DELETE FROM t WHERE id = 1":           "3 2 2024-02-29 00:00:00 7",
		"UPDATE t SET d = '300001-01-01'; UPDATE t SET c = coalesce(c, 0), d = '2000-01-01'": "1 0 2000-01-01 00:00:00 7, 3 2 2000-01-01 00:00:00 7",
	} {
		k.do("DROP TABLE IF EXISTS t")
		k.do("CREATE TABLE t (id INTEGER, c INTEGER, d DATE)")
		k.do("INSERT INTO t VALUES (1, NULL, '300000-01-01'), (2, 2, '2024-02-29')")
		k.flush()
		for statement := range strings.SplitSeq(gone, ";") {
			k.do(statement)
		}
		k.do("ALTER TABLE t ADD COLUMN more INTEGER")
		k.do("UPDATE t SET more = 7")
		for _, column := range []string{"c", "more"} {
			k.do("ALTER TABLE t ALTER COLUMN " + column + " SET NOT NULL")
		}
		k.do("ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP")
		k.is("SELECT string_agg(concat_ws(' ', id, c, d, more), ', ' ORDER BY id) FROM t", strings.ReplaceAll(want, "3 2", "2 2"))
		if n := k.do("UPDATE t SET id = 3 WHERE id = 2 WITH (mode = 'rewrite')"); n != 1 {
			t.Errorf("%s: %d rows", gone, n)
		}
		k.is("SELECT string_agg(concat_ws(' ', id, c, d, more), ', ' ORDER BY id) FROM t", want)
		k.is("SELECT count(*)::VARCHAR FROM scoter.patches", "0")
	}
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRowsByKeyAreReadWithoutValuesThatAreGone updates rows by their key that were a date which the column's type does not reach.
func TestRowsByKeyAreReadWithoutValuesThatAreGone(t *testing.T) {
	k := openKept(t, nil)
	for _, flushed := range []bool{true, false} {
		k.do("DROP TABLE IF EXISTS t")
		k.do("CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE, c INTEGER CHECK (c < 9))")
		k.do("INSERT INTO t VALUES (1, '300000-01-01', 0), (2, '2024-02-29', 0)")
		if flushed {
			k.flush()
		}
		k.do("UPDATE t SET d = '2020-01-01' WHERE id = 1")
		k.do("ALTER TABLE t ALTER d TYPE TIMESTAMP")
		for id, day := range []string{"2020-01-01", "2024-02-29"} {
			for range 3 { // indexes are made from the second time on
				if n := k.do("UPDATE t SET c = c + 1 WHERE id = $1 AND d >= '"+day+"'", id+1); n != 1 {
					t.Errorf("flushed %t, id %d: %d rows", flushed, id+1, n)
				}
			}
		}
		k.is("SELECT string_agg(concat_ws(' ', id, d, c), ', ' ORDER BY id) FROM t", "1 2020-01-01 00:00:00 3, 2 2024-02-29 00:00:00 3")
	}
}
