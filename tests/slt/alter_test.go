package slt

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestRowsAreFoundByASortKeyThatGotItsValuesInPlace updates a column before the table is sorted by
// it, and then looks for rows by that column.
func TestRowsAreFoundByASortKeyThatGotItsValuesInPlace(t *testing.T) {
	k := openExpressionDB(t, nil)
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
			for range 3 { // an index is built from the second time on
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
	k := openExpressionDB(t, nil)
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

// TestNULLsAndValuesThatAreGoneDoNotKeepPartsFromBeingWritten makes a column NOT NULL, or changes
// its type. The files of parts still have values that do not fit, but no row has them any more.
func TestNULLsAndValuesThatAreGoneDoNotKeepPartsFromBeingWritten(t *testing.T) {
	k := openExpressionDB(t, nil)
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

// TestRowsByKeyAreReadWithoutValuesThatAreGone updates rows by key. Their old dates are outside of
// the range of the column's new type.
func TestRowsByKeyAreReadWithoutValuesThatAreGone(t *testing.T) {
	k := openExpressionDB(t, nil)
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
			for range 3 { // an index is built from the second time on
				if n := k.do("UPDATE t SET c = c + 1 WHERE id = $1 AND d >= '"+day+"'", id+1); n != 1 {
					t.Errorf("flushed %t, id %d: %d rows", flushed, id+1, n)
				}
			}
		}
		k.is("SELECT string_agg(concat_ws(' ', id, d, c), ', ' ORDER BY id) FROM t", "1 2020-01-01 00:00:00 3, 2 2024-02-29 00:00:00 3")
	}
}

// TestRowsAreComparedByKeyWithoutValuesThatAreGone changes keys and versions to TIMESTAMP. Some
// superseded values were dates outside of the range of TIMESTAMP.
func TestRowsAreComparedByKeyWithoutValuesThatAreGone(t *testing.T) {
	k := openExpressionDB(t, nil)
	for _, upsert := range []string{"merge-on-write", "merge-on-read"} {
		for _, flushed := range []bool{true, false} {
			begin := func(columns, options, rows string) {
				k.do("DROP TABLE IF EXISTS t")
				k.do("CREATE TABLE t (" + columns + ") WITH (" + options + "upsert = '" + upsert + "')")
				k.do("INSERT INTO t VALUES " + rows)
				if flushed {
					k.flush()
				}
			}
			end := func(what, columns, want string) {
				t.Helper()
				query := "SELECT string_agg(concat_ws(' ', " + columns + "), ', ' ORDER BY t) FROM t"
				k.is(query, want)
				k.flush()
				table, err := k.app.Engine.Lookup("default", "main", "t")
				if err == nil {
					err = k.app.Engine.DeleteSuperseded(context.Background(), table.ID)
				}
				if err == nil {
					err = k.app.Engine.Check(context.Background())
				}
				if err != nil {
					t.Fatalf("%s, %s, flushed %t: %v", what, upsert, flushed, err)
				}
				k.is(query, want)
			}
			begin("d DATE PRIMARY KEY, c INTEGER", "", "('300000-01-01', 0), ('2024-02-29', 0)")
			k.do("DELETE FROM t WHERE d = '300000-01-01'")
			k.do("ALTER TABLE t ALTER d TYPE TIMESTAMP")
			k.do("INSERT INTO t VALUES ('2024-03-01', 1)")
			k.do("INSERT INTO t VALUES ('2024-02-29', 2), ('2024-03-02', 2) ON CONFLICT (d) DO UPDATE SET c = excluded.c + 1")
			end("a key", "d, c", "2024-02-29 00:00:00 3, 2024-03-01 00:00:00 1, 2024-03-02 00:00:00 2")

			for gone, want := range map[string]string{
				"DELETE FROM t WHERE id = 1":                  "1 2019-01-01 00:00:00 5",
				"UPDATE t SET v = '2020-01-01' WHERE id = 1":  "1 2020-01-01 00:00:00 2",
				"INSERT INTO t VALUES (1, '300000-01-02', 0)": "", // fits
				// the other extreme fits too
				"INSERT INTO t VALUES (1, '300000-01-01 (BC)', 0)": "",
			} {
				begin("id INTEGER PRIMARY KEY, v DATE, c INTEGER", "version = 'v', ", "(1, '300000-01-01', 1), (2, '2024-02-29', 1)")
				k.do(gone)
				if want == "" {
					if _, err := k.run("ALTER TABLE t ALTER v TYPE TIMESTAMP"); err == nil || !strings.Contains(err.Error(), "holds 1 dates that are out of the range of TIMESTAMP") {
						t.Errorf("%s: %v", gone, err)
					}
					continue
				}
				k.do("ALTER TABLE t ALTER v TYPE TIMESTAMP")
				k.do("UPDATE t SET c = c + 1")
				k.do("INSERT INTO t VALUES (1, '2019-01-01', 5), (2, '2024-03-01', 5)")
				end(gone, "id, v, c", want+", 2 2024-03-01 00:00:00 5")
			}

			begin("id INTEGER PRIMARY KEY, v DATE, c INTEGER", "version = 'v', ", "(1, '300000-01-01 (BC)', 1), (2, '2024-02-29', 1)")
			k.do("INSERT INTO t VALUES (1, '2020-01-01', 2)")
			k.do("ALTER TABLE t ALTER v TYPE TIMESTAMP")
			k.do("INSERT INTO t VALUES (1, '2019-01-01', 5), (2, '2024-03-01', 5)")
			end("a version below", "id, v, c", "1 2020-01-01 00:00:00 2, 2 2024-03-01 00:00:00 5")
		}
	}
}

// TestTombstonesDoNotKeepPartsFromBeingWritten makes columns NOT NULL, or changes their type. Rows
// that mark their key as deleted have no value there, or a value that does not fit the type.
func TestTombstonesDoNotKeepPartsFromBeingWritten(t *testing.T) {
	k := openExpressionDB(t, nil)
	for _, flushed := range []bool{true, false} {
		k.do("DROP TABLE IF EXISTS c")
		k.do(`CREATE TABLE c (id INTEGER PRIMARY KEY, i INTEGER, h HUGEINT, e ENUM ('glad', 'sad'), u UUID, l INTEGER[], a INTEGER[2], s STRUCT(x HUGEINT), m MAP(VARCHAR, INTEGER),
			j JSON, v INTERVAL, z TIMETZ, b BIT, w VARCHAR, n DECIMAL(9, 2), d DATE, ver INTEGER, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone')`)
		k.do("INSERT INTO c (id, ver) VALUES (1, 1), (2, 1)")
		k.do("INSERT INTO c (id, ver, gone) VALUES (1, 2, TRUE)")
		k.do("UPDATE c SET i = 1, h = 2, e = 'sad', u = 'a0000000-0000-0000-0000-000000000001', l = [1], a = [1, 2], s = {'x': 1}, m = MAP {'a': 1}, j = '1', v = '1 day', z = '00:00:00+01', b = '1', w = 'x', n = 1.5, d = '2024-02-29'")
		if flushed {
			k.flush()
		}
		for column := range strings.SplitSeq("i h e u l a s m j v z b w n d", " ") {
			k.do("ALTER TABLE c ALTER " + column + " SET NOT NULL")
		}
		for i := range 2 { // the second time on the parts of the first
			if n := k.do("UPDATE c SET i = i + 1 WITH (mode = 'rewrite')"); n != 1 {
				t.Errorf("%d rows", n)
			}
			k.is("SELECT concat_ws(' ', id, i, h, e, u, l, a, s, m, j, v, z, b, w, n, d) FROM c WHERE e = 'sad' AND h = 2 AND v = '1 day' AND z <> '01:00:00+00' AND b = '1' AND a[1] = 1 AND s.x = 1",
				fmt.Sprintf("2 %d 2 sad a0000000-0000-0000-0000-000000000001 [1] [1, 2] {'x': 1} {a=1} 1 1 day 00:00:00+01 1 x 1.50 2024-02-29", i+2))
		}
		k.do("INSERT INTO c (id, ver, i, h, e, u, l, a, s, m, j, v, z, b, w, n, d) SELECT 1, 1, i, h, e, u, l, a, s, m, j, v, z, b, w, n, d FROM c")
		k.is("SELECT string_agg(id, ' ') FROM c", "2") // the tombstone has a higher version
	}
	k.do("CREATE TABLE d (id INTEGER PRIMARY KEY, d DATE, ver INTEGER, gone BOOLEAN) WITH (version = 'ver', is_deleted = 'gone')")
	k.do("INSERT INTO d VALUES (1, '300000-01-01', 1, FALSE)")
	k.do("INSERT INTO d VALUES (1, '300000-01-01', 2, TRUE)")
	if _, err := k.run("ALTER TABLE d ALTER COLUMN d TYPE TIMESTAMP"); err == nil || !strings.Contains(err.Error(), "out of the range of TIMESTAMP") {
		t.Error(err)
	}
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}
