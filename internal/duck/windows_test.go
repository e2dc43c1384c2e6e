package duck

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

// TestWindowsHoldNothingAfterwards checks that windows free all their memory, whether they end with
// an error or not.
func TestWindowsHoldNothingAfterwards(t *testing.T) {
	const succeeds base.Kind = 200
	conn := limited(t, 256<<20)
	for name, query := range map[string]struct {
		sql  string
		kind base.Kind
	}{
		"histogram":      {"SELECT count(c) FROM (SELECT histogram(i) OVER (ORDER BY i) AS c FROM range(100000) t(i))", base.Timeout},
		"texts":          {"SELECT count(c) FROM (SELECT histogram('a longer text ' || i) OVER (ORDER BY i) AS c FROM range(100000) t(i))", base.Timeout},
		"excluding":      {"SELECT count(c) FROM (SELECT histogram(i) OVER (ORDER BY i ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) AS c FROM range(100000) t(i))", base.Timeout},
		"without a tree": {"SELECT count(c) FROM (SELECT histogram(DISTINCT i) OVER (ORDER BY i ROWS UNBOUNDED PRECEDING EXCLUDE TIES) AS c FROM range(100000) t(i))", base.Timeout},
		"to its end":     {"SELECT count(c) FROM (SELECT histogram(i) OVER (ORDER BY i ROWS BETWEEN 50 PRECEDING AND 50 FOLLOWING EXCLUDE CURRENT ROW) AS c FROM range(10000) t(i))", succeeds},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(t.Context(), conn, "SELECT histogram(i) OVER (ORDER BY i) FROM range(10) t(i)"); err != nil {
				t.Fatal(err)
			}
			before := ext.MemoryInUse()
			for range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				if query.kind != base.Timeout {
					ctx = t.Context()
				}
				err := run(ctx, conn, query.sql)
				cancel()
				if query.kind == succeeds && err == nil {
					continue
				}
				if base.KindOf(err) != query.kind {
					t.Fatal(err)
				}
			}
			var more int64
			for range 100 { // DuckDB's threads count what they freed only at intervals
				if more = ext.MemoryInUse() - before; more < 16<<20 {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("%d MiB are held afterwards", more>>20)
		})
	}
}

// TestSortedAggregatesHoldNothingAfterwards checks that an aggregate with an ORDER BY frees all its
// memory, at whatever point a timeout ends it.
func TestSortedAggregatesHoldNothingAfterwards(t *testing.T) {
	conn := limited(t, 256<<20)
	const query = "SELECT cardinality(histogram('a longer text ' || i ORDER BY -i)) FROM range(%d) t(i)"
	if err := run(t.Context(), conn, fmt.Sprintf(query, 10)); err != nil {
		t.Fatal(err)
	}
	before := ext.MemoryInUse()
	for i := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*100*time.Millisecond)
		err := run(ctx, conn, fmt.Sprintf(query, 400_000))
		cancel()
		if err != nil && base.KindOf(err) != base.Timeout && base.KindOf(err) != base.TooLarge {
			t.Fatal(err)
		}
	}
	var more int64
	for range 100 {
		if more = ext.MemoryInUse() - before; more < 16<<20 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d MiB are held afterwards", more>>20)
}

// TestWindowsEndWithTheFirstError checks that a query ends if one thread that computes a window
// fails: the other threads must not wait for it.
func TestWindowsEndWithTheFirstError(t *testing.T) {
	conn := limited(t, 512<<20)
	const overflows = "SELECT sum(c) OVER (ORDER BY i ROWS BETWEEN 1000 PRECEDING AND CURRENT ROW) FROM (SELECT i, CASE WHEN i IN (500000, 500001) THEN 170141183460469231731687303715884105727 ELSE 1 END::HUGEINT AS c FROM range(1000000) t(i))"
	fails := func(sql string, within time.Duration, want base.Kind) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		began := time.Now()
		if err := run(ctx, conn, sql); base.KindOf(err) != want {
			t.Errorf("%s\nafter %s: %v", sql, time.Since(began), err)
		}
	}
	for range 5 {
		fails(overflows, 20*time.Second, base.Invalid)
	}
	for size := 100; size <= 1000; size += 300 { // each runs out of memory elsewhere
		fails(fmt.Sprintf("SELECT max(length(c)) FROM (SELECT string_agg(DISTINCT repeat('x', %d) || i, '') OVER (ORDER BY i ROWS BETWEEN 5000 PRECEDING AND CURRENT ROW) AS c FROM range(60000) t(i))", size), time.Minute, base.TooLarge)
	}
	for i := range 8 { // a timeout is an error in one thread, too
		timeout := time.Duration(i+1) * 200 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		err := run(ctx, conn, "SELECT max(len(c)) FROM (SELECT list(DISTINCT i) OVER (ORDER BY i ROWS BETWEEN 5000 PRECEDING AND CURRENT ROW) AS c FROM range(200000) t(i))")
		if kind := base.KindOf(err); kind != base.Timeout && kind != base.TooLarge {
			t.Errorf("with a timeout of %s: %v", timeout, err)
		}
		cancel()
	}
}

// TestWindowsOverHandles compares windows whose aggregates have states that own memory with the
// same aggregates without windows.
func TestWindowsOverHandles(t *testing.T) {
	conn := limited(t, 256<<20)
	for _, aggregate := range []string{
		"histogram(v)", "histogram(DISTINCT v)", "min('some longer text ' || v)", "max('some longer text ' || v)", "first('some longer text ' || v ORDER BY i)", "arg_max('some longer text ' || v, i)",
		"min(v, 3)", "arg_min(v, i, 2)", "bit_or(v::BIT)", "mode(CASE WHEN i % 4 = 1 THEN v ELSE 20 + p END ORDER BY i DESC)", "quantile_cont(v, 0.3)", "mad(v)", "string_agg(v::VARCHAR, ',' ORDER BY i)", "list(v ORDER BY i)",
		"histogram(v) FILTER (i % 3 = 0)", "reservoir_quantile(v, 0.5)",
	} {
		for frame, within := range map[string]string{
			"":                             "true",
			"PARTITION BY p":               "p = o.p",
			"ORDER BY i ROWS 20 PRECEDING": "i BETWEEN o.i - 20 AND o.i",
			"PARTITION BY p ORDER BY i":    "p = o.p AND i <= o.i",
			"ORDER BY i ROWS BETWEEN 40 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW": "i BETWEEN o.i - 40 AND o.i + 3 AND i <> o.i",
		} {
			if strings.Contains(aggregate, "reservoir") && frame != "ORDER BY i ROWS 20 PRECEDING" {
				continue
			}
			sql := fmt.Sprintf(`WITH t AS MATERIALIZED (SELECT i, i * 7 %% 11 AS v, i %% 4 AS p FROM range(120) r(i))
				SELECT count(*) FILTER (a IS DISTINCT FROM b), min(a::VARCHAR), min(b::VARCHAR)
				FROM (SELECT o.*, (SELECT %s FROM t WHERE %s) AS b FROM (SELECT i, p, %s OVER (%s) AS a FROM t) o)`, aggregate, within, aggregate, frame)
			if got := firstRow(t, conn, sql); !strings.HasPrefix(got, "0 ") {
				t.Errorf("%s OVER (%s): %s", aggregate, frame, got)
			}
		}
	}
}

// firstRow returns the values of the first row of a result, separated by spaces.
func firstRow(t *testing.T, conn *Conn, sql string) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	rec, err := rows.Next(t.Context())
	if err == io.EOF {
		return ""
	}
	if err != nil {
		return err.Error()
	}
	defer rec.Release()
	var values []string
	for _, column := range rec.Columns() {
		values = append(values, strings.Clone(column.ValueStr(0)))
	}
	return strings.Join(values, " ")
}
