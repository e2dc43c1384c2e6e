package duck

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
)

// runCached returns the rows of a cached statement as text, and the number of batches.
func runCached(t *testing.T, conn *Conn, sql string, start func(*Stmt) (*Result, error)) (rows []string, batches int, err error) {
	t.Helper()
	stmt, err := conn.PrepareCached(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	result, err := start(stmt)
	if err != nil {
		return nil, 0, err
	}
	defer result.Close()
	for {
		rec, err := result.Next(context.Background())
		if err == io.EOF {
			return rows, batches, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if !rec.Schema().Equal(result.Schema()) {
			t.Errorf("%s: a batch has schema %v, the result %v", sql, rec.Schema(), result.Schema())
		}
		batches++
		for i := range int(rec.NumRows()) {
			var row strings.Builder
			for _, c := range rec.Columns() {
				if x, ok := c.(array.ExtensionArray); ok {
					c = x.Storage()
				}
				row.WriteString(c.ValueStr(i) + "|")
			}
			rows = append(rows, row.String())
		}
		rec.Release()
	}
}

func asUsual(stmt *Stmt) (*Result, error) { return stmt.Start(context.Background()) }

func inline(stmt *Stmt) (*Result, error) {
	return stmt.StartInline(context.Background(), someRows)
}

const someRows = 5000 // more than two vectors

func TestResultsAreDuckDBs(t *testing.T) {
	conn := connect(t)
	from := fmt.Sprintf("FROM (SELECT i, CASE WHEN i %% 3 > 0 THEN i END AS n, CAST(i AS VARCHAR) || ' of many rows' AS s FROM range(%d) r(i))", someRows)
	for _, sql := range []string{
		"SELECT i, n, s " + from,
		"SELECT i + 1, n / 3, -i, CAST(i AS DECIMAL(18, 3)) * 1.5, CAST(s AS BLOB) " + from,
		"SELECT upper(s), length(s), s LIKE '%7 of%', CASE WHEN n IS NULL THEN 'none' ELSE s END " + from,
		"SELECT [i, n, NULL], {'a': s, 'b': [s, NULL]}, MAP([s], [i]), CAST(NULL AS INTEGER[]) " + from,
		"SELECT list_transform([i, n], lambda x: x + i), list_sum([i, 2]), struct_pack(k := n).k " + from,
		"SELECT CAST(i AS HUGEINT), CAST('00000000-0000-0000-0000-00000000' || CAST(1000 + i AS VARCHAR) AS UUID), TIMESTAMP '2024-05-06' + to_days(i::INTEGER), INTERVAL 1 DAY * i " + from,
		"SELECT true, i % 2 = 0, 'a', NULL, 1.5::FLOAT " + from,
		"SELECT INTERVAL 1 HOUR, [INTERVAL 1 DAY], {'i': to_hours(i)}, MAP {'x': [to_days(i::INTEGER), NULL]} " + from,
		"SELECT s, i " + from + " WHERE i % 7 = 3 AND s LIKE '%1%'",
		"SELECT s " + from + " WHERE n IS NULL OR i > 4990",
		"SELECT i " + from + " WHERE i < 0",
	} {
		want, _, err := runCached(t, conn, sql, asUsual)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got, batches, err := runCached(t, conn, sql, inline)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if batches > 1 {
			t.Errorf("%s: %d batches: it was executed as usual", sql, batches)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", sql, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: row %d is %s, want %s", sql, i, got[i], want[i])
			}
		}
	}
}

func TestIntervalsThatResultsCannotHoldAreErrors(t *testing.T) {
	conn := connect(t)
	for _, much := range []string{"INTERVAL '3000000 hours'", "[INTERVAL '3000000 hours']", "to_hours(CASE WHEN i = 4999 THEN 3000000 END)", "MAP {i: {'x': [to_hours(600 * i + 1000)]}}"} {
		sql := fmt.Sprintf("SELECT i, %s AS much FROM range(%d) r(i)", much, someRows)
		for _, start := range []func(*Stmt) (*Result, error){asUsual, inline} {
			if _, _, err := runCached(t, conn, sql, start); err == nil || !strings.Contains(err.Error(), `column "much"`) {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}

// sameTwice checks that start gives twice the rows that the statement gives as usual.
func sameTwice(t *testing.T, conn *Conn, sql string, start func(*Stmt) (*Result, error)) {
	t.Helper()
	want, _, err := runCached(t, conn, sql, asUsual)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	for range 2 {
		if got, _, err := runCached(t, conn, sql, start); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s gives %v %v, want %v", sql, got, err, want)
		}
	}
}

func TestOtherPlansAreExecutedAsUsual(t *testing.T) {
	conn := connect(t)
	for _, sql := range []string{
		"SELECT sum(i) FROM range(5000) r(i)",
		"SELECT i FROM range(5000) r(i) ORDER BY i DESC LIMIT 3",
		"SELECT i FROM range(3000) r(i) WHERE i IN (SELECT j * 2 FROM range(4000) r(j))",
		"SELECT i, unnest([i, 1]) FROM range(5000) r(i)",
		"SELECT i FROM range(5000) r(i) WHERE false",
		// This statement must be planned again each time.
		"SELECT date_trunc('day', now()) = current_date FROM range(5000) r(i)",
	} {
		sameTwice(t, conn, sql, inline)
	}
}

// TestWithoutFrom runs a SELECT without FROM. It returns one row, which may differ from run to run.
func TestWithoutFrom(t *testing.T) {
	conn := connect(t)
	inline := func(stmt *Stmt) (*Result, error) { return stmt.StartInline(context.Background(), 0) }
	for _, sql := range []string{
		"SELECT 1",
		"SELECT 1 AS a, NULL AS b, 'text longer than fits in place' AS c, [1, 2] AS d, {'x': 1.5} AS e",
		"SELECT 1 WHERE false",
		"SELECT i FROM (SELECT 2 AS i) WHERE i > 1",
		"SELECT unnest([1, 2, 3])",
		"SELECT * FROM (VALUES (1), (2))",
		"SELECT sum(i) FROM range(100000) r(i)",
		"SELECT count(*) FROM (SELECT i FROM range(5000) r(i))",
		"SELECT i FROM range(5000) r(i)", // the number of rows is not known in advance
		"SELECT 1 UNION ALL SELECT 2",
	} {
		sameTwice(t, conn, sql, inline)
	}
	for _, sql := range []string{"SELECT random()", "SELECT epoch_us(now())", "SELECT uuid()"} {
		seen := map[string]bool{}
		for range 3 {
			rows, _, err := runCached(t, conn, sql, inline)
			if err != nil || len(rows) != 1 {
				t.Fatalf("%s gives %v, %v", sql, rows, err)
			}
			seen[rows[0]] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s gives the same again: %v", sql, seen)
		}
	}
	for range 2 {
		if _, _, err := runCached(t, conn, "SELECT error('no')", inline); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestAnEndedContextRunsNothing(t *testing.T) {
	conn := connect(t)
	ctx, cancel := context.WithCancel(context.Background())
	start := func(stmt *Stmt) (*Result, error) { return stmt.StartInline(ctx, 0) }
	if _, _, err := runCached(t, conn, "SELECT 42", start); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, _, err := runCached(t, conn, "SELECT 42", start); base.KindOf(err) != base.Canceled {
		t.Errorf("%v", err)
	}
	if rows, _, err := runCached(t, conn, "SELECT 42", inline); err != nil || rows[0] != "42|" {
		t.Errorf("afterwards: %v, %v", rows, err)
	}
}
