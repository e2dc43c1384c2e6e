package scoter

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"
)

func sqliteOf(t *testing.T, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func count(t *testing.T, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, query string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRowContext(context.Background(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAListWithNaNKeepsItsOtherValues(t *testing.T) {
	db := sqliteOf(t, "CREATE TABLE t (x REAL)", "INSERT INTO t VALUES (1), (2), (9e999), (-9e999)")
	list := scJSONList([]float64{1, math.NaN(), math.Inf(1)}, scPlain)
	if n := count(t, db, "SELECT count(*) FROM t WHERE x IN (SELECT value FROM json_each(?))", list); n != 2 {
		t.Error(n, "rows are in the list")
	}
	if n := count(t, db, "SELECT count(*) FROM t WHERE x NOT IN (SELECT value FROM json_each(?))", list); n != 0 {
		t.Error(n, "rows are sure not to be in a list with an unknown value")
	}
}

// pool, one, opened and plain are types that embed a type of database/sql, as other libraries have
// them.
type (
	pool   struct{ *sql.DB }
	one    struct{ *sql.Conn }
	opened struct{ *sql.Tx }
	plain  struct{ DBTX }
)

func TestTransactionsOnOtherTypes(t *testing.T) {
	ctx := context.Background()
	db := sqliteOf(t, "CREATE TABLE t (x INTEGER)")
	failure := errors.New("no more")
	insert := func(over DBTX) error {
		return newScRuntime(over, scBeginSQLite, scNative).transaction(ctx, func(tx *scRuntime) error {
			if _, err := tx.db.ExecContext(ctx, "INSERT INTO t VALUES (1)"); err != nil {
				return err
			}
			return failure
		})
	}
	if err := insert(pool{db}); err != failure {
		t.Error(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := insert(one{conn}); err != failure {
		t.Error(err)
	}
	conn.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := insert(opened{tx}); err != failure {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := insert(plain{db}); err == nil || err == failure || !strings.Contains(err.Error(), "scoter.plain") {
		t.Error(err)
	}
	if n := count(t, db, "SELECT count(*) FROM t"); n != 0 {
		t.Error(n, "rows stayed")
	}
}

func TestNothingIsCommittedOnceTheContextHasEnded(t *testing.T) {
	db := sqliteOf(t, "CREATE TABLE t (x INTEGER)")
	ctx, cancel := context.WithCancel(context.Background())
	err := newScRuntime(db, scBeginSQLite, scNative).transaction(ctx, func(tx *scRuntime) error {
		_, err := tx.db.ExecContext(ctx, "INSERT INTO t VALUES (1)")
		cancel()
		return err
	})
	if n := count(t, db, "SELECT count(*) FROM t"); err != context.Canceled || n != 0 {
		t.Error(err, n)
	}
}

func TestRowsThatAreNotAsGenerated(t *testing.T) {
	rt := newScRuntime(sqliteOf(t), scBeginSQLite, scNative)
	two := func(d *scDecoder) [2]int64 { return [2]int64{scGet(d, scInt[int64]), scGet(d, scInt[int64])} }
	if rows, err := scAll(context.Background(), rt, "", "SELECT 1", nil, two); err != errScColumns {
		t.Error(rows, err)
	}
	if rows, err := scAll(context.Background(), rt, "", "SELECT 1, NULL", nil, two); !errors.Is(err, errScNull) || !strings.Contains(err.Error(), "column 2") {
		t.Error(rows, err)
	}
	if rows, err := scAll(context.Background(), rt, "", "SELECT 1, 2, 3", nil, two); err != nil || len(rows) != 1 || rows[0] != [2]int64{1, 2} {
		t.Error(rows, err)
	}
	bytes := func(d *scDecoder) []byte { return scMay(d, scBlob) }
	if rows, err := scAll(context.Background(), rt, "", "SELECT NULL", nil, bytes); err != nil || rows[0] != nil {
		t.Error(rows, err)
	}
}
