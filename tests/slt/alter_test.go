package slt

import (
	"context"
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
