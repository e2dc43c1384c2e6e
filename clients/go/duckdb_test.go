//go:build cgo

package scoter

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

func duckOf(t *testing.T, statements ...string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	for _, s := range statements {
		if _, err := conn.ExecContext(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

func duckRuntime(db DBTX, route DuckDBRoute) *scRuntime {
	rt := newScRuntime(db, scBeginDuckDB, scFromDuck)
	rt.route = string(route)
	return rt
}

func TestADryRunInAnOpenTransactionDoesNothing(t *testing.T) {
	ctx := context.Background()
	conn := duckOf(t)
	migrations := []Migration{{ID: "1", Statements: []string{"CREATE TABLE t (x INTEGER)"}}}
	run := func(db DBTX, dry bool) error {
		_, err := scMigrate(ctx, db, scBeginDuckDB, "p", migrations, MigrateOptions{DryRun: dry})
		return err
	}
	left := "SELECT count(*) FROM duckdb_tables()"
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	if err := run(conn, true); err != errScDryInside || count(t, conn, left) != 0 {
		t.Error(err, "in a transaction of a statement")
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(tx, true); err != errScDryInside || count(t, tx, left) != 0 {
		t.Error(err, "in a sql.Tx")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := run(conn, true); err != nil || count(t, conn, left+" WHERE table_name = 't'") != 0 {
		t.Error(err, "outside")
	}
	if err := run(conn, false); err != nil || count(t, conn, left+" WHERE table_name = 't'") != 1 {
		t.Error(err, "no dry run")
	}
}

// numbers describes the bulk insert into a table t with one column of integers.
var numbers = scDuckBulk[int64]{name: "numbers", schema: "main", table: "t", direct: true, stage: "_scoter_t_insert",
	create: `CREATE TEMP TABLE "_scoter_t_insert" AS SELECT x FROM t LIMIT 0`, apply: `INSERT INTO t (x) SELECT x FROM "_scoter_t_insert"`, drop: `DROP TABLE "_scoter_t_insert"`,
	values:  func(r int64) []any { return []any{scDuck(r)} },
	columns: []scDuckColumn[int64]{{"x", "int64", true, false, func(v *scVec, at int, r *int64) { scSetFixed(v, at, *r) }}}}

func TestABulkWriteEndsWithItsContext(t *testing.T) {
	for _, route := range []DuckDBRoute{DuckDBVectors, DuckDBAppender} {
		for _, inside := range []bool{false, true} {
			conn := duckOf(t, "CREATE TABLE t (x BIGINT)")
			if inside {
				if _, err := conn.ExecContext(context.Background(), "BEGIN"); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			taken := 0
			rows := iter.Seq2[int64, error](func(yield func(int64, error) bool) {
				for taken = range 100_000 {
					if taken == 10_000 {
						cancel()
					}
					if !yield(int64(taken), nil) {
						return
					}
				}
			})
			_, err := scDuckWrite(ctx, duckRuntime(conn, route), numbers, rows)
			if !errors.Is(err, context.Canceled) || taken > 20_000 {
				t.Errorf("%s, inside %v: %v after %d rows", route, inside, err, taken)
			}
			if n := count(t, conn, "SELECT (SELECT count(*) FROM t) + (SELECT count(*) FROM duckdb_tables() WHERE temporary)"); n != 0 {
				t.Errorf("%s, inside %v: %d stayed", route, inside, n)
			}
			cancel()
		}
	}
}

func TestBulkWritesOverAConnectionInsideOfAnotherType(t *testing.T) {
	for _, route := range []DuckDBRoute{DuckDBVectors, DuckDBAppender} {
		conn := duckOf(t, "CREATE TABLE t (x BIGINT)")
		if _, err := scDuckWrite(context.Background(), duckRuntime(one{conn}, route), numbers, RowsOf[int64](1, 2)); err != nil || count(t, conn, "SELECT count(*) FROM t") != 2 {
			t.Error(route, err)
		}
	}
}

func TestADateIsTheDayOfItsZone(t *testing.T) {
	conn := duckOf(t, "CREATE TABLE t (x DATE)")
	bulk := scDuckBulk[time.Time]{name: "days", schema: "main", table: "t", direct: true,
		values:  func(r time.Time) []any { return []any{scDuckDay(r)} },
		columns: []scDuckColumn[time.Time]{{"x", "date", true, false, func(v *scVec, at int, r *time.Time) { scSetDate(v, at, *r) }}}}
	west := time.FixedZone("west", -5*3600)
	days := []time.Time{time.Date(2024, 2, 29, 23, 0, 0, 0, west), time.Date(1969, 12, 30, 1, 0, 0, 0, west), time.Date(1950, 6, 1, 12, 0, 0, 0, time.UTC)}
	for _, route := range []DuckDBRoute{DuckDBVectors, DuckDBAppender} {
		if _, err := scDuckWrite(context.Background(), duckRuntime(conn, route), bulk, RowsOf(days...)); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := conn.QueryRowContext(context.Background(), "SELECT string_agg(x::VARCHAR, ' ' ORDER BY x) FROM t").Scan(&got); err != nil || got != "1950-06-01 1969-12-30 2024-02-29" {
			t.Error(route, got, err)
		}
		if _, err := conn.ExecContext(context.Background(), "DELETE FROM t"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoDigitsAreNoDecimal(t *testing.T) {
	for _, native := range []string{"DECIMAL(9,2)", "DECIMAL(38,2)"} {
		conn := duckOf(t, "CREATE TABLE t (x "+native+")")
		bulk := scDuckBulk[Decimal]{name: "prices", schema: "main", table: "t", direct: true,
			columns: []scDuckColumn[Decimal]{{"x", "decimal", true, false, func(v *scVec, at int, r *Decimal) { scSetDecimal(v, at, *r) }}}}
		for _, v := range []Decimal{"", "-", ".", "+", "-."} {
			_, err := scDuckWrite(context.Background(), duckRuntime(conn, DuckDBVectors), bulk, RowsOf(v))
			if err == nil || !strings.Contains(err.Error(), "is no decimal") {
				t.Errorf("%s: %q: %v", native, v, err)
			}
		}
	}
}
