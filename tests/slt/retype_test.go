package slt

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// retyped are tables of all kinds, and a value of column v before and after the type change.
var retyped = []struct{ columns, options string }{
	{"id INTEGER, v VARCHAR, w BIGINT, gone BOOLEAN", ""},
	{"id INTEGER, v VARCHAR, w BIGINT, gone BOOLEAN", "PARTITIONED BY (gone) SORTED BY (w, id)"},
	{"id INTEGER PRIMARY KEY, v VARCHAR, w BIGINT, gone BOOLEAN", ""},
	{"id INTEGER PRIMARY KEY, v VARCHAR NOT NULL, w BIGINT, gone BOOLEAN", "WITH (upsert = 'merge-on-read')"},
	{"id INTEGER PRIMARY KEY, v VARCHAR NOT NULL, w BIGINT, gone BOOLEAN", "WITH (upsert = 'merge-on-read', version = 'w', is_deleted = 'gone')"},
}

// fillRetyped creates parts of several versions of the schema, with patches, deletions and an
// expression update (an UPDATE that is stored as SQL), and rows in memory.
func fillRetyped(k *expressionDB, columns, options string) {
	k.do("DROP TABLE IF EXISTS t")
	k.do("CREATE TABLE t (" + columns + ") " + options)
	k.do("INSERT INTO t SELECT i, '0' || i, i % 7, i = 13 FROM range(500) r(i)")
	k.flush()
	k.do("ALTER TABLE t ADD COLUMN more INTEGER DEFAULT 5")
	k.do("INSERT INTO t SELECT i, '0' || i, i % 7, false, i FROM range(500, 900) r(i)")
	k.flush()
	k.do("ALTER TABLE t RENAME COLUMN more TO rest")
	k.do("UPDATE t SET v = 'no number' WHERE id IN (3, 4, 600)")
	k.do("UPDATE t SET v = '70000' WHERE id IN (3, 600)")
	k.do("DELETE FROM t WHERE id = 4")
	if !strings.Contains(options, "is_deleted") {
		k.do("UPDATE t SET rest = rest + 1, v = v || '1' WHERE id > 2 WITH (mode = 'expression')")
	}
	k.do("INSERT INTO t VALUES (900, '5', 1, false, 2), (901, '6', 1, false, 2)")
	k.do("UPDATE t SET v = '66' WHERE id = 901")
}

// TestAColumnGetsAnotherTypeWhereverItsValuesAre compares the result with a query of casts before
// the change.
func TestAColumnGetsAnotherTypeWhereverItsValuesAre(t *testing.T) {
	k := openExpressionDB(t, nil)
	for i, kind := range retyped {
		for _, change := range []struct{ to, using string }{
			{"INTEGER", "v::INTEGER"}, {"DOUBLE", "v::DOUBLE"}, {"DECIMAL(12,3)", "v::DECIMAL(12,3)"},
			{"VARCHAR", "'x' || v || rest"}, {"HUGEINT", "v::HUGEINT * w"}, {"STRUCT(a INTEGER, b VARCHAR)", "{'a': id, 'b': v}"}, {"BOOLEAN", "t.v::INTEGER % 2 = 0"},
		} {
			if i > 1 && change.to != "INTEGER" && change.to != "VARCHAR" {
				continue
			}
			fillRetyped(k, kind.columns, kind.options)
			rows := 0
			all := func(value string) string {
				ans, err := k.run("SELECT concat_ws(' ', id, typeof(v), v, w, gone, rest) FROM (SELECT id, " + value + " AS v, w, gone, rest FROM t) ORDER BY id")
				if err != nil {
					t.Fatal(err)
				}
				rows = len(ans.rows)
				return strings.Join(ans.rows, ", ")
			}
			want := all("CAST(" + change.using + " AS " + change.to + ")")
			if change.using == "v::"+change.to {
				k.do("ALTER TABLE t ALTER v TYPE " + change.to)
			} else {
				k.do("ALTER TABLE t ALTER COLUMN v SET DATA TYPE " + change.to + " USING " + change.using)
			}
			look := func(when string) {
				t.Helper()
				if got := all("v"); got != want {
					t.Fatalf("%s %s, %s: %s\nwant %s", kind.options, change.to, when, got, want)
				}
			}
			look("at once")
			k.is("SELECT count(*)::VARCHAR FROM scoter.patches WHERE table_name = 't'", "0")
			k.close()
			k.open()
			look("after a restart")
			if err := k.app.Engine.Check(context.Background()); err != nil {
				t.Fatal(err)
			}
			// Later statements find the rows, and the next merge sees no value of the old type.
			k.do("INSERT INTO t SELECT id + 2000, v, w, gone, rest FROM t WHERE id = 900")
			k.flush()
			if n := k.do("UPDATE t SET v = (SELECT v FROM t WHERE id = 2000 + 900) WHERE id = 7"); n != 1 {
				t.Errorf("%d rows", n)
			}
			if n := k.do("DELETE FROM t WHERE id IN (7, 2900)"); n != 2 {
				t.Errorf("%d rows deleted", n)
			}
			if _, err := several(k.scoterDB, merged); err != nil {
				t.Fatal(err)
			}
			k.is("SELECT count(*)::VARCHAR FROM t", fmt.Sprint(rows-1))
		}
	}
}

// TestAValueThatCannotBeConvertedLeavesTheTable has such a value in a part, in a patch, in memory,
// and in deleted rows.
func TestAValueThatCannotBeConvertedLeavesTheTable(t *testing.T) {
	k := openExpressionDB(t, nil)
	for _, where := range []struct {
		statements string
		refused    bool
	}{
		{"INSERT INTO t SELECT 1000, 'seven', 1, false, 1; flush", true},
		{"INSERT INTO t SELECT 1000, 'seven', 1, false, 1", true},
		{"flush; UPDATE t SET v = 'seven' WHERE id = 5", true},
		{"flush; UPDATE t SET v = 'seven' WHERE id = 5; DELETE FROM t WHERE id = 5", false},
		{"flush; UPDATE t SET v = 'seven' WHERE id = 5; UPDATE t SET v = '7' WHERE id = 5", false},
	} {
		fillRetyped(k, retyped[0].columns, "")
		for statement := range strings.SplitSeq(where.statements, "; ") {
			if statement == "flush" {
				k.flush()
			} else {
				k.do(statement)
			}
		}
		before := k.checksum()
		_, err := k.execute(context.Background(), session.Request{SQL: "ALTER TABLE t ALTER v TYPE INTEGER", Database: "default", Role: session.Admin})
		switch {
		case !where.refused && err != nil:
			t.Errorf("%s: %v", where.statements, err)
		case where.refused && (base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "Could not convert string 'seven' to INT32")):
			t.Errorf("%s: %v", where.statements, err)
		case where.refused && k.checksum() != before:
			t.Errorf("%s: rows changed", where.statements)
		}
		k.do("INSERT INTO t VALUES (5000, '8', 1, false, 1)")
		k.is("SELECT v::VARCHAR FROM t WHERE id = 5000", "8")
	}
}

func (k *expressionDB) checksum() string {
	k.t.Helper()
	ans, err := k.run("SELECT concat_ws(' ', count(*), bit_xor(hash(t)), any_value(typeof(v))) FROM t")
	if err != nil {
		k.t.Fatal(err)
	}
	return strings.Join(ans.rows, " ")
}

// TestRowsComeAndChangeWhileATypeChanges writes rows while the type changes back and forth. Each
// acknowledged row is stored once, with the last type.
func TestRowsComeAndChangeWhileATypeChanges(t *testing.T) {
	k := openExpressionDB(t, nil)
	for _, kind := range []string{"", "PRIMARY KEY"} {
		k.do("DROP TABLE IF EXISTS t")
		k.do("CREATE TABLE t (id BIGINT " + kind + ", v VARCHAR, n INTEGER)")
		k.do("INSERT INTO t SELECT i, '1', 0 FROM range(300000) r(i)")
		k.flush()
		var wg sync.WaitGroup
		stop := make(chan struct{})
		came, changed := make([]int, 3), 0
		running := func() bool {
			select {
			case <-stop:
				return false
			default:
				return true
			}
		}
		for w := range came {
			wg.Go(func() {
				for ; running(); came[w]++ {
					k.do("INSERT INTO t VALUES ($1, '1', 0)", 1000000*(w+1)+came[w])
				}
			})
		}
		wg.Go(func() {
			for ; running(); changed++ {
				k.do("UPDATE t SET n = n + 1 WHERE id = $1", changed%1000)
			}
		})
		for _, to := range []string{"INTEGER", "VARCHAR", "DOUBLE", "SMALLINT USING v * 3", "VARCHAR", "BIGINT"} {
			k.do("ALTER TABLE t ALTER v TYPE " + to)
		}
		close(stop)
		wg.Wait()
		total := 300000 + came[0] + came[1] + came[2]
		t.Logf("%s: %d rows came, %d changed", kind, total-300000, changed)
		k.is("SELECT concat_ws(' ', count(*), count(DISTINCT id), sum(n)) FROM t", fmt.Sprintf("%d %d %d", total, total, changed))
		k.is("SELECT string_agg(DISTINCT typeof(v)) || (count(*) FILTER (WHERE v NOT IN (1, 3) OR v IS NULL)) FROM t", "BIGINT0")
		k.is("SELECT count(*)::VARCHAR FROM t WHERE id < 300000 AND v <> 3", "0")
	}
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}
