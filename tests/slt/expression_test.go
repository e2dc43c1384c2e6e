package slt

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
)

// expressionDB is a database whose flushes and merges run only when the test says so.
type expressionDB struct {
	*scoterDB
	t        *testing.T
	settings config.Server
}

func openExpressionDB(t *testing.T, change func(*config.Server)) *expressionDB {
	t.Helper()
	k := &expressionDB{t: t, settings: config.Default()}
	k.settings.Dir = t.TempDir()
	k.settings.FlushAge, k.settings.MergeParallel = 24*time.Hour, 0
	if change != nil {
		change(&k.settings)
	}
	k.open()
	t.Cleanup(k.close)
	return k
}

func (k *expressionDB) open() {
	k.t.Helper()
	a, err := app.Open(k.settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		k.t.Fatal(err)
	}
	k.scoterDB = &scoterDB{app: a, dir: k.settings.Dir}
}

func (k *expressionDB) close() {
	if err := k.app.Close(); err != nil {
		k.t.Error(err)
	}
}

func (k *expressionDB) flush() {
	k.t.Helper()
	if err := k.app.Engine.Flush(context.Background()); err != nil {
		k.t.Fatal(err)
	}
}

// do runs a statement and returns how many rows it changed.
func (k *expressionDB) do(sql string, args ...any) int64 {
	k.t.Helper()
	ans, err := k.execute(context.Background(), session.Request{SQL: sql, Args: args, Database: "default", Role: session.Admin})
	if err != nil {
		k.t.Fatalf("%s: %v", sql, err)
	}
	return ans.changed
}

// is compares the first column of a query. Its rows are joined by blanks.
func (k *expressionDB) is(sql, want string) {
	k.t.Helper()
	ans, err := k.run(sql)
	if err != nil {
		k.t.Fatalf("%s: %v", sql, err)
	}
	if got := strings.Join(ans.rows, " "); got != want {
		k.t.Errorf("%s: %s, want %s", sql, got, want)
	}
}

const listExpressions = "SELECT concat_ws(' ', storage, expression, array_to_string(column_names, '+')) FROM scoter.patches WHERE expression IS NOT NULL"

func TestAnExpressionIsStoredUntilAMergeAppliesIt(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE t (id BIGINT, price DECIMAL(15,2), factor DOUBLE, kind VARCHAR) SORTED BY (id)")
	k.do("INSERT INTO t SELECT i, i / 100, i, 'kind ' || i % 3 FROM range(200000) r(i)")
	k.flush()
	k.do("UPDATE t SET price = 0 WHERE id = 7")                                 // has a patch
	k.do("INSERT INTO t VALUES (200000, 3, 1, 'kind 0'), (200001, 5, 1, NULL)") // in memory
	if n := k.do("UPDATE t SET price = price * 1.5, factor = -factor WITH (mode = 'expression')"); n != 200002 {
		t.Errorf("%d rows", n)
	}
	k.is(listExpressions, `log SET "price" = price * 1.5, "factor" = -factor price+factor`)
	k.do("INSERT INTO t VALUES (200002, 100, 1, 'kind 0')") // inserted after it
	look := func() {
		t.Helper()
		k.is("SELECT price::VARCHAR FROM t WHERE id IN (2, 7, 500, 200000, 200001, 200002) ORDER BY id", "0.03 0.00 7.50 4.50 7.50 100.00")
		// the statistics of the part exclude these values
		k.is("SELECT count(*)::VARCHAR FROM t WHERE price > 2000", "66666")
		k.is("SELECT count(*)::VARCHAR FROM t WHERE factor > 0", "1")
		k.is("SELECT sum(factor)::BIGINT::VARCHAR FROM t", fmt.Sprint(-200000*199999/2-1))
	}
	look()
	k.flush()
	k.is(listExpressions, `catalog SET "price" = price * 1.5, "factor" = -factor price+factor`)
	look()
	k.close()
	k.open()
	look()

	// Later statements find rows by the values of the expression.
	if n := k.do("UPDATE t SET kind = 'dear' WHERE price BETWEEN 2999.90 AND 2999.99"); n != 7 {
		t.Errorf("%d dear rows", n)
	}
	k.is("SELECT price::VARCHAR || factor FROM t WHERE kind = 'dear' AND id = 199999", "2999.99-199999.0")
	if n := k.do("DELETE FROM t WHERE factor <= -199999"); n != 1 {
		t.Errorf("%d deleted rows", n)
	}
	if n := k.do("UPDATE t SET price = price + $1 WHERE kind = 'dear' AND factor < $2 WITH (mode = 'expression')", 1.0, -199996.5); n != 2 {
		t.Errorf("%d rows", n)
	}
	k.do("ALTER TABLE t RENAME COLUMN price TO cost")
	k.do("ALTER TABLE t ALTER COLUMN cost TYPE DECIMAL(20,4)")
	k.do("ALTER TABLE t ADD COLUMN price VARCHAR DEFAULT 'new'")
	k.do("UPDATE t SET price = kind || cost WHERE id < 3 WITH (mode = 'expression')")
	again := func() {
		t.Helper()
		k.is("SELECT cost::VARCHAR FROM t WHERE id IN (2, 7, 500, 199993, 199997, 199998, 200002) ORDER BY id", "0.0300 0.0000 7.5000 2999.9000 3000.9600 3000.9700 100.0000")
		k.is("SELECT price FROM t WHERE id IN (0, 2, 3) ORDER BY id", "kind 00.0000 kind 20.0300 new")
		k.is("SELECT count(*)::VARCHAR FROM t", "200002")
	}
	again()
	k.close()
	k.settings.MergeParallel = 1
	k.open()
	again()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if ans, err := k.run(listExpressions); err != nil || len(ans.rows) == 0 {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no merge wrote the expressions")
		}
	}
	again()
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRowsOfAKeyTakeWhatExpressionsGaveThem upserts some columns of rows. Other columns have an
// expression update (an UPDATE that is stored as SQL) that is not in a part yet.
func TestRowsOfAKeyTakeWhatExpressionsGaveThem(t *testing.T) {
	for _, upsert := range []string{"merge-on-write", "merge-on-read"} {
		t.Run(upsert, func(t *testing.T) { upsertOverExpressions(t, upsert) })
	}
}

func upsertOverExpressions(t *testing.T, upsert string) {
	k := openExpressionDB(t, func(s *config.Server) { s.WriteMemory = 8 << 20 })
	k.do("CREATE TABLE p (id BIGINT PRIMARY KEY, name VARCHAR, price DECIMAL(12,2), weight DOUBLE, stock INTEGER DEFAULT 1) WITH (upsert = '" + upsert + "')")
	k.do("INSERT INTO p SELECT i, 'n' || i, i, i, 1 FROM range(1000) r(i)")
	k.flush()
	// in memory, over some that are in a part
	k.do("INSERT OR REPLACE INTO p SELECT i, 'again', i, NULL, 2 FROM range(990, 1010) r(i)")
	if n := k.do("UPDATE p SET price = price * 2, weight = -weight WITH (mode = 'expression')"); n != 1010 {
		t.Errorf("%d rows", n)
	}
	k.is("SELECT count(*)::VARCHAR FROM scoter.patches WHERE expression IS NOT NULL", "1")
	k.do("INSERT OR REPLACE INTO p (id, name) VALUES (1, 'one'), (995, 'x'), (2000, 'new')")
	k.do("INSERT INTO p (id, name) VALUES (2, 'two') ON CONFLICT (id) DO UPDATE SET name = excluded.name || p.price")
	k.do("INSERT INTO p (id, stock) VALUES (3, 7), (0, 8) ON CONFLICT (id) DO UPDATE SET stock = excluded.stock WHERE p.price > 5")
	k.do("UPDATE p SET id = id + 5000 WHERE id = 4")
	if n := k.do("DELETE FROM p WHERE price = 10.00"); n != 1 {
		t.Errorf("%d deleted rows", n)
	}
	k.do("INSERT OR REPLACE INTO p VALUES (6, 'whole', 1, NULL, 1)")
	if n := k.do("UPDATE p SET stock = stock + 1 WHERE price > 100 WITH (mode = 'expression')"); n != 959 {
		t.Errorf("%d rows", n)
	}
	k.do("INSERT OR REPLACE INTO p (id, name) VALUES (1, 'uno'), (60, 'sixty')")
	k.do("INSERT OR REPLACE INTO p (id, weight) VALUES (62, -1)")
	k.do("MERGE INTO p USING (VALUES (63, 'sixty-three'), (2001, 'new, too')) v(id, name) USING (id) WHEN MATCHED THEN UPDATE SET name = v.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (v.id, v.name)")
	// too many for the log
	k.do("INSERT OR REPLACE INTO p (name, id) SELECT repeat('long ', 1000), i FROM range(500, 800) r(i)")
	look := func() {
		t.Helper()
		k.is("SELECT concat_ws(',', id, name, price, weight, stock) FROM p WHERE id IN (0, 1, 2, 3, 5004, 6, 60, 61, 62, 63, 989, 990, 995, 1009, 2000, 2001) ORDER BY id",
			"0,n0,0.00,-0.0,1 1,uno,2.00,-1.0,1 2,two4.00,4.00,-2.0,1 3,n3,6.00,-3.0,7 6,whole,1.00,1 60,sixty,120.00,-60.0,2 61,n61,122.00,-61.0,2 62,n62,124.00,-1.0,2"+
				" 63,sixty-three,126.00,-63.0,2 989,n989,1978.00,-989.0,2 990,again,1980.00,3 995,x,1990.00,3 1009,again,2018.00,3 2000,new,1 2001,new, too,1 5004,n4,8.00,-4.0,1")
		k.is("SELECT concat_ws(' ', count(*), sum(price), sum(weight), sum(stock)) FROM p", "1011 1019069.00 -489483.0 1996")
		k.is("SELECT concat_ws(' ', count(*), sum(length(name)), min(price), sum(stock)) FROM p WHERE id BETWEEN 500 AND 799", "300 1500000 1000.00 600")
	}
	look()
	k.flush()
	look()
	k.close()
	k.settings.MergeParallel = 1
	k.open()
	look()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		ans, err := k.run(listExpressions)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("no merge wrote the expressions ", err)
		}
		if len(ans.rows) == 0 {
			break
		}
	}
	look()
	if err := k.app.Engine.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestRowsMoveByWhatExpressionsGaveThem sorts or partitions a table by a column with an expression
// update (an UPDATE that is stored as SQL) that is not in a part yet. If other columns of a row
// change, the row must move to the place of the new value.
func TestRowsMoveByWhatExpressionsGaveThem(t *testing.T) {
	for _, order := range []string{"SORTED BY (a)", "PARTITIONED BY (a)"} {
		for _, with := range []string{"", " WITH (version = 'v')", " WITH (version = 'v', upsert = 'merge-on-read')"} {
			k := openExpressionDB(t, nil)
			k.do("CREATE TABLE k (id INTEGER PRIMARY KEY, a INTEGER, b VARCHAR, v INTEGER)" + with)
			k.do("INSERT INTO k SELECT i, i % 3, 'b' || i, 1 FROM range(10) r(i)")
			k.flush()
			k.do("UPDATE k SET a = a + 10 WITH (mode = 'expression')")
			k.do("ALTER TABLE k SET " + order)
			if n := k.do("INSERT OR REPLACE INTO k (id, b) VALUES (1, 'one'), (2, 'two'), (20, 'new')"); n != 3 {
				t.Errorf("%s%s: %d rows", order, with, n)
			}
			// if rows have versions, one has a version that is too low
			k.do("INSERT OR REPLACE INTO k (id, b, v) VALUES (2, 'zwei', 2), (3, 'drei', 0)")
			want := "1,11,one,1 2,12,zwei,2 3,10,drei,0 9,10,b9,1 20,new"
			if with != "" {
				want = strings.Replace(want, "drei,0", "b3,1", 1)
			}
			look := func() {
				t.Helper()
				k.is("SELECT concat_ws(',', id, a, b, v) FROM k WHERE id IN (1, 2, 3, 9, 20) ORDER BY id", want)
				k.is("SELECT string_agg(id, ',' ORDER BY id) FROM k WHERE a = 12", "2,5,8")
			}
			look()
			k.flush()
			look()
			if err := k.app.Engine.Check(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAColumnIsCalledAsTheSystemCalledOne updates a table that has a column with the name of an
// internal column. The query that tests the update used that name.
func TestAColumnIsCalledAsTheSystemCalledOne(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE t (id INTEGER, scoter_matches BOOLEAN, v INTEGER NOT NULL)")
	k.do("INSERT INTO t SELECT i, FALSE, i FROM range(10) r(i)")
	k.flush()
	if n := k.do("UPDATE t SET v = v + 1 WHERE id < 5 WITH (mode = 'expression')"); n != 5 {
		t.Errorf("%d rows", n)
	}
	if _, err := k.run("UPDATE t SET v = CASE WHEN v = 3 THEN NULL ELSE v END WITH (mode = 'expression')"); err == nil || !strings.Contains(err.Error(), `"v" is NOT NULL, but would become NULL in 1 rows`) {
		t.Error(err)
	}
	k.is("SELECT v::VARCHAR FROM t ORDER BY id", "1 2 3 4 5 5 6 7 8 9")
}

func TestExpressionsThatCannotBeStored(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE keyed (id BIGINT PRIMARY KEY, n INTEGER, ver INTEGER) WITH (version = 'ver')")
	k.do("CREATE TABLE marked (id BIGINT PRIMARY KEY, n INTEGER, gone BOOLEAN) WITH (is_deleted = 'gone')")
	k.do("CREATE TABLE t (id INTEGER, n TINYINT NOT NULL, d DECIMAL(4,2), f FLOAT, s VARCHAR, moment TIMESTAMPTZ, o INTEGER CHECK (o < 1000), big BIGINT) SORTED BY (id)")
	k.do("INSERT INTO t SELECT i, i % 100, (i % 90)::DECIMAL(4,2), i, 'x' || i, '2026-01-01 00:00:00+00', i % 500, i FROM range(1000) r(i)")
	k.flush()
	for _, c := range []struct{ set, want string }{
		{"id = id + 1", `column "id" is in the sort key, primary key or partitioning`},
		{"n = (SELECT max(n) FROM t)", "subquery is not allowed"},
		{"f = random()", "function random depends on more than its arguments"},
		{"s = now()::VARCHAR", "function now depends on more than its arguments"},
		{"f = sum(f)", "aggregate and window functions"},
		{"f = row_number() OVER ()", "aggregate and window functions"},
		{"s = moment::VARCHAR", `column "moment".* time zone`},
		{"s = (s::TIMESTAMPTZ)::VARCHAR", "cast to a time with time zone"},
		{"f = x", "x is not a column"},
		{"f = 1 RETURNING id", "RETURNING needs the rows"},
		{"f = y.i FROM range(3) y(i)", "FROM needs the rows"},
		{"n = n * 2", "(?i)overflow|out of range"},
		{"n = n + 100", "(?i)overflow|out of range"},
		{"n = NULL", `"n" is NOT NULL`},
		{"n = CASE WHEN id = 999 THEN NULL ELSE n END", `"n" is NOT NULL, but would become NULL in 1 rows`},
		{"d = d * 2", "(?i)could not be cast|out of range|cast"},
		{"o = s::INTEGER", "(?i)could not convert"},
		{"o = o * 3", "rows would violate a check"},
		{"f = 'text'", "(?i)could not convert"},
	} {
		_, err := k.run("UPDATE t SET " + c.set + " WITH (mode = 'expression')")
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("SET %s: %v, want %s", c.set, err, c.want)
		}
	}
	for _, sql := range []string{"DELETE FROM t WHERE id = 1", "UPDATE keyed SET ver = 1", "UPDATE keyed SET id = id + 1", "UPDATE marked SET n = 1", "MERGE INTO t USING (SELECT 1 AS k) s ON t.id = s.k WHEN MATCHED THEN DELETE"} {
		if _, err := k.run(sql + " WITH (mode = 'expression')"); err == nil || !strings.Contains(err.Error(), "cannot be stored as an expression") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	k.is(listExpressions, "")
	k.is("SELECT concat_ws(' ', count(*), sum(n), sum(d), sum(o), count(DISTINCT s)) FROM t", "1000 49500 44100.00 249500 1000")

	// The last values for which the expression can be stored.
	k.do("UPDATE t SET n = n + 28, d = d + 10.99, big = -big - 1, f = f * f, o = o - 1 WITH (mode = 'expression')")
	k.is("SELECT concat_ws(' ', max(n), max(d), min(big), max(o)) FROM t", "127 99.99 -1000 498")
	k.is("SELECT count(*)::VARCHAR FROM scoter.patches WHERE expression IS NOT NULL", "1")
	for range 7 {
		k.do("UPDATE t SET big = big + 1 WITH (mode = 'expression')")
	}
	if _, err := k.run("UPDATE t SET big = big + 1 WITH (mode = 'expression')"); err == nil || !strings.Contains(err.Error(), "merges have not written yet") {
		t.Errorf("the ninth: %v", err)
	}
	k.is("SELECT max(big)::VARCHAR FROM t WHERE big % 2 = 0", "6")
}

func TestExpressionAsASettingIsForWhatItCanDo(t *testing.T) {
	k := openExpressionDB(t, func(s *config.Server) { s.UpdateMode = "expression" })
	k.do("CREATE TABLE t (id BIGINT, n DOUBLE)")
	k.do("INSERT INTO t SELECT i, i FROM range(100) r(i)")
	k.flush()
	k.do("UPDATE t SET n = n * 2")
	k.do("UPDATE t SET n = (SELECT max(id) FROM t) WHERE id = 5")
	k.do("DELETE FROM t WHERE n = 4")
	k.do("UPDATE t SET n = 0 WHERE id = 6 WITH (mode = 'patch')")
	const count = "SELECT count(*)::VARCHAR FROM scoter.patches WHERE expression IS NOT NULL"
	k.is(count, "1")
	k.is("SELECT n::VARCHAR FROM t WHERE id < 8 ORDER BY id", "0.0 2.0 6.0 8.0 99.0 0.0 14.0")
	for range 9 { // the last ones are applied at once and not stored as expressions
		k.do("UPDATE t SET n = n + 1")
	}
	k.is(count, "8")
	k.is("SELECT n::VARCHAR FROM t WHERE id < 8 ORDER BY id", "9.0 11.0 15.0 17.0 108.0 9.0 23.0")
	k.do("CREATE TABLE keyed (id BIGINT PRIMARY KEY, n DOUBLE)")
	k.do("INSERT INTO keyed SELECT i, i FROM range(100) r(i)")
	k.flush()
	if n := k.do("UPDATE keyed SET n = n + 0.5 WHERE id = 7"); n != 1 {
		t.Errorf("%d rows of a key", n)
	}
	k.is(count, "8")
}

// TestTextsOfParametersAreDates checks texts of parameters as dates in a stored expression.
func TestTextsOfParametersAreDates(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE t (d DATE, e DATE, n BIGINT)")
	k.do("INSERT INTO t SELECT DATE '2024-01-01' + i::INTEGER, NULL, i FROM range(100) r(i)")
	k.flush()
	if n := k.do("UPDATE t SET n = -1, e = $1 WHERE d >= $2 AND d BETWEEN $2 AND $3 WITH (mode = 'expression')", "2025-06-07", "2024-01-11", "2024-01-20"); n != 10 {
		t.Errorf("%d rows", n)
	}
	k.is("SELECT count(*)::VARCHAR FROM scoter.patches WHERE expression IS NOT NULL", "1")
	k.is("SELECT string_agg(DISTINCT e, ' ') || count(*) FROM t WHERE n = -1", "2025-06-0710")
}

// TestAnExpressionIsTriedOutOnWhatCame flushes rows during each attempt. Later attempts test only
// the new rows.
func TestAnExpressionIsTriedOutOnWhatCame(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE t (id BIGINT, n BIGINT)")
	k.do("INSERT INTO t SELECT i, i FROM range(100) r(i)")
	k.flush()
	var tried []int // number of parts in each attempt
	m := mutatorOf(t, k.scoterDB, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
		return s, &following{p, func(s sqlquery.Request) {
			tried = append(tried, len(s.Transient.Table.Parts))
			if len(tried) < 3 {
				k.do("INSERT INTO t VALUES (1000, 1000)")
				k.flush()
			}
		}}
	}, slog.New(slog.DiscardHandler))
	result, err := m.Execute(t.Context(), parsed(t, "UPDATE t SET n = n + 1 WHERE id % 10 = 0 WITH (mode = 'expression')"), statement.Request{Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Counts.Updated; got != 12 || !slices.Equal(tried, []int{1, 2, 1}) {
		t.Errorf("%d rows, of %v parts", got, tried)
	}
	k.is("SELECT sum(n)::VARCHAR FROM t", fmt.Sprint(99*100/2+2000+12))
}

// following is a planner that reports in which rows a query searched, after they are found.
type following struct {
	sqlquery.Planner
	found func(sqlquery.Request)
}

func (p *following) Find(ctx context.Context, s sqlquery.Request) (sqlquery.Found, error) {
	found, err := p.Planner.Find(ctx, s)
	p.found(s)
	return found, err
}

// TestMergesDoNotSendAnExpressionBack merges old parts while there are untested rows in memory.
func TestMergesDoNotSendAnExpressionBack(t *testing.T) {
	k := openExpressionDB(t, nil)
	k.do("CREATE TABLE t (id BIGINT, n BIGINT)")
	for range 2 {
		k.do("INSERT INTO t SELECT i, i FROM range(100) r(i)")
		k.flush()
	}
	merges := merge.New(k.app.Engine, merge.Settings{DisableAutomatic: true}, merge.Components{Logger: slog.New(slog.DiscardHandler)})
	defer merges.Close()
	attempts := 0
	m := mutatorOf(t, k.scoterDB, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
		return s, &following{p, func(s sqlquery.Request) {
			if len(s.Transient.Table.Memtables) > 0 {
				return // the rows in memory
			}
			attempts++
			k.do("INSERT INTO t VALUES (1000, 1000)") // this makes the first attempt run again
			if attempts == 2 {
				if err := merges.RunUntilIdle(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}}
	}, slog.New(slog.DiscardHandler))
	result, err := m.Execute(t.Context(), parsed(t, "UPDATE t SET n = n + 1 WHERE id % 10 = 0 WITH (mode = 'expression')"), statement.Request{Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Counts.Updated; got != 21 || attempts != 2 {
		t.Errorf("%d rows in %d attempts", got, attempts)
	}
	k.is("SELECT concat_ws(' ', sum(n), (SELECT count(*) FROM scoter.parts WHERE table_name = 't')) FROM t", fmt.Sprint(99*100+2000+21, " 1"))
}

// TestADeletionTakesLittleMemory deletes many rows. Their row addresses, one by one, would not fit
// into the memory for rows.
func TestADeletionTakesLittleMemory(t *testing.T) {
	k := openExpressionDB(t, func(s *config.Server) { s.WriteMemory, s.MaxBody = 16<<20, 2<<20 })
	k.do("CREATE TABLE t AS SELECT range AS i FROM range(1500000)")
	if n := k.do("DELETE FROM t WHERE i % 1000 != 7"); n != 1498500 {
		t.Errorf("%d rows", n)
	}
	k.is("SELECT concat_ws(' ', count(*), min(i), max(i)) FROM t", "1500 7 1499007")
}
