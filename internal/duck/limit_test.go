package duck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

// limited opens a connection of an instance with a memory limit.
func limited(t *testing.T, bytes int64) *Conn {
	t.Helper()
	inst, err := Open(Settings{MemoryLimitBytes: bytes, Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	conn, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// run executes a statement to its end. The context bounds its planning too.
func run(ctx context.Context, conn *Conn, sql string) error {
	conn.planContext = ctx
	defer func() { conn.planContext = context.Background() }()
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		rec.Release()
	}
}

func TestWhatTakesMoreMemoryThanThereIsFails(t *testing.T) {
	conn := limited(t, 64<<20)
	before := ext.MemoryInUse()
	for _, sql := range []string{
		"SELECT repeat('x', 1500000000)",
		"SELECT length(repeat('x', 1500000000))",
		"SELECT length(lpad('x', 1500000000, 'y'))",
		"SELECT printf('%2000000000d', 1)",
		"SELECT format('{:>2000000000}', 1)",
		"SELECT format('{:.2000000000f}', 1.0)",
		"SELECT format('{:.{}f}', 1.0, 2000000000)",
		"SELECT printf('%.2000000000f', 1.0)",
		"SELECT length(replace(repeat('a', 1000000), 'a', repeat('b', 1000000)))",
		"SELECT len(generate_series(1, 200000000))",
		"SELECT len(list_transform(range(12000), lambda x: range(12000)))",
		"SELECT len(list_resize([1], 1000000000))",
		"SELECT len(string_split(repeat('a', 40000000), ''))",
		"SELECT len(list(i)) FROM range(2000000000) t(i)",
		"SELECT histogram(i) FROM range(1000000000) t(i)",
		"SELECT damerau_levenshtein(repeat('a', 9000), repeat('b', 9000))",
		"SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))",
		"SELECT len(range(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 MICROSECOND))",
		"SELECT length(repeat('9', 2000000)::BIGNUM::VARCHAR)",
		"SELECT len(list_sort(range(3000000)))",
		"SELECT len(list_intersect([1], range(3000000)))",
		"SELECT bit_length(bitstring('1', 2000000000))",
		"SELECT repeat('a', 20000) GLOB '*a*a*a*a*a*a*a*a*a*ab'",
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := run(ctx, conn, sql); base.KindOf(err) != base.TooLarge || strings.Contains(err.Error(), "SET ") {
			t.Errorf("%s: %v", sql, err)
		}
		t.Logf("%s: after %s", sql, time.Since(began).Round(time.Millisecond))
		cancel()
	}
	if err := run(t.Context(), conn, "SELECT 1"); err != nil {
		t.Error(err)
	}
	if more := ext.MemoryInUse() - before; more > 16<<20 {
		t.Errorf("%d MiB are held afterwards", more>>20)
	}
}

func TestMemoryGoesBackToTheSystem(t *testing.T) {
	conn := limited(t, 512<<20)
	if err := run(t.Context(), conn, "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	before, freed := resident(t), ext.MemoryFreed()
	for _, sql := range []string{
		"SELECT len(range(30000000))", // 240 MB outside of the buffer manager
		"SELECT count(*) FROM (SELECT i FROM range(3000000) t(i) ORDER BY hash(i))",
	} {
		if err := run(t.Context(), conn, sql); err != nil {
			t.Fatal(err)
		}
	}
	if freed = ext.MemoryFreed() - freed; freed < 200<<20 {
		t.Errorf("the queries freed only %d MiB, too little to show that memory goes back", freed>>20)
	}
	var held int
	for range 50 { // the allocator itself would return memory only after ten seconds
		if held = resident(t) - before; held < 64<<20 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the process holds %d MiB more 5 seconds after", held>>20)
}

// TestLittleIsComputedAheadOfAReader checks that DuckDB computes little in advance of a slow
// reader, also for texts in values of any type.
func TestLittleIsComputedAheadOfAReader(t *testing.T) {
	for _, value := range []string{"repeat('x', 1000)", "{a: [repeat('x', 1000)]}", "[repeat('x', 500), repeat('x', 500)]", "array_value(repeat('x', 1000))"} {
		conn := limited(t, 256<<20)
		before := ext.MemoryInUse()
		rows, err := conn.Query(t.Context(), "SELECT i, "+value+" AS v FROM range(10000000) t(i)")
		if err != nil {
			t.Fatal(err)
		}
		rec, err := rows.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
		time.Sleep(300 * time.Millisecond) // threads fill the buffer meanwhile
		if more := ext.MemoryInUse() - before; more > 16<<20 {
			t.Errorf("%s: %d MiB wait for the reader", value, more>>20)
		}
		rows.Close()
	}
}

func TestPlanningEndsInItsTimeOrMemory(t *testing.T) {
	conn := limited(t, 64<<20)
	tables := "c0 AS (SELECT 1 a)"
	for i := range 40 {
		tables += fmt.Sprintf(", c%d AS (SELECT * FROM c%d, c%d x)", i+1, i, i)
	}
	for name, sql := range map[string]string{
		"tables of tables": "WITH " + tables + " SELECT count(*) FROM c40",
		"stars":            "SELECT " + strings.Repeat("*, *, *, *, *, *, *, * FROM (SELECT ", 8) + "1 AS a" + strings.Repeat(")", 8),
		"unions":           "SELECT 1 " + strings.Repeat("UNION ALL SELECT 1 ", 30000),
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := run(ctx, conn, sql)
		cancel()
		if kind := base.KindOf(err); kind != base.TooLarge && kind != base.Timeout {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 20*time.Second { // takes 3 s on an idle machine
			t.Errorf("%s: took %s", name, took)
		}
	}
}

func TestWorkWithinOneChunkIsInterrupted(t *testing.T) {
	conn := limited(t, 256<<20)
	for _, sql := range []string{
		"SELECT sum(levenshtein(repeat('a', 5000), repeat('b', 5000) || i)) FROM range(100000) t(i)",
		"SELECT count(*) FROM range(100000) t(i) WHERE contains(repeat('a', 50000000), 'b' || i)",
		"SELECT list_reduce(range(10000000), lambda a, b: a + b)",
		"SELECT map(range(2000000), range(2000000))",
		"SELECT length(regexp_replace(repeat('a', 5000000), 'a(.*b)?', 'x', 'g'))",
		"SELECT count(*) FROM (SELECT histogram(i) OVER (ORDER BY i) AS c FROM range(100000) t(i)) WHERE c IS NOT NULL",
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		err := run(ctx, conn, sql)
		cancel()
		if base.KindOf(err) != base.Timeout {
			t.Errorf("%s: %v", sql, err)
		}
		if took := time.Since(began); took > 20*time.Second { // takes 1 s on an idle machine
			t.Errorf("%s: took %s", sql, took)
		}
	}
}

// TestPatternsOfSeveralWildcards compares the results of LIKE with those of regular expressions.
func TestPatternsOfSeveralWildcards(t *testing.T) {
	conn := limited(t, 256<<20)
	letters := []rune("aAbé%_!")
	word := func(n int) string {
		var out strings.Builder
		for range n {
			out.WriteRune(letters[rand.N(len(letters))])
		}
		return out.String()
	}
	var values []string
	for range 3000 {
		text := strings.NewReplacer("%", "a", "_", "b").Replace(word(rand.N(12)))
		values = append(values, fmt.Sprintf("('%s', '%%%s%%%s')", text, strings.ReplaceAll(word(rand.N(4)), "!", "a"), strings.ReplaceAll(word(rand.N(4)), "!", "b")))
	}
	sql := `SELECT text, pattern, like_, ilike_, escaped_, matches, imatches
		FROM (SELECT text, pattern, text LIKE pattern AS like_, text ILIKE pattern AS ilike_, text LIKE pattern ESCAPE '!' AS escaped_,
			regexp_full_match(text, expression, 's') AS matches, regexp_full_match(lower(text), lower(expression), 's') AS imatches
			FROM (SELECT *, replace(replace(pattern, '%', '.*'), '_', '.') AS expression FROM (VALUES ` + strings.Join(values, ", ") + `) v(text, pattern)))
		WHERE like_ <> matches OR escaped_ <> matches OR ilike_ <> imatches OR (text NOT LIKE pattern) = matches LIMIT 5`
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for {
		rec, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("LIKE differs from the regular expression: %v", rec)
		rec.Release()
	}
	began := time.Now()
	if err := run(t.Context(), conn, "SELECT repeat('a', 100000) LIKE p FROM (VALUES ('%a%a%a%a%a%a%a%a%a%ab'), ('%a%a_b')) t(p)"); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("LIKE took %s", took)
	}
}

func TestCachedStatementsHoldNoResults(t *testing.T) {
	// The limit is a third of what 30 results of 20 MB take while they are computed.
	conn := limited(t, 256<<20)
	before := ext.MemoryInUse()
	for i := range 30 {
		for _, sql := range []string{
			"SELECT length(string_agg(repeat('x', 1000), '')), %d FROM range(20000)",
			"SELECT count(*), %d FROM (SELECT i FROM range(300000) t(i) ORDER BY hash(i))",
			"WITH RECURSIVE x AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM x WHERE i < 20000) SELECT count(*), %d FROM x",
			"WITH x AS MATERIALIZED (SELECT repeat('x', 100) AS s FROM range(100000)) SELECT count(*), %d FROM x, x y WHERE x.s < y.s",
		} {
			stmt, err := conn.PrepareCached(fmt.Sprintf(sql, i))
			if err != nil {
				t.Fatalf("%d: %s: %v", i, sql, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			rows, err := stmt.Start(ctx)
			if err == nil {
				_, err = rows.Next(ctx)
				rows.Close()
			}
			cancel()
			if err != nil && base.KindOf(err) != base.Timeout {
				t.Fatalf("%d: %s: %v", i, sql, err)
			}
		}
	}
	if more := ext.MemoryInUse() - before; more > 16<<20 {
		t.Errorf("%d MiB are held afterwards", more>>20)
	}
}

func TestATreeHasNotAllConstantsOfALongList(t *testing.T) {
	conn := limited(t, 256<<20)
	node, err := conn.ParseSelect("SELECT 1 WHERE 1 IN (" + strings.Repeat("1, ", 2*maxTreeConstants) + "2) AND x = (SELECT a FROM last)")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(node)
	if constants := strings.Count(text, "VALUE_CONSTANT"); constants != maxTreeConstants || !strings.Contains(text, "table_name:last") {
		t.Errorf("%d constants are in the tree", constants)
	}
}

func TestAQueryThatDoesNotEndGivesItsPlaceBack(t *testing.T) {
	inst, err := Open(Settings{MemoryLimitBytes: 64 << 20, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer inst.Close()
	pool := NewPool(inst, 1)
	defer pool.Close()
	ctx, cancel := context.WithCancel(t.Context())
	stuck, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	waiting, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	next, err := pool.Acquire(waiting)
	if err != nil {
		t.Fatal(err)
	}
	pool.Release(stuck)
	if _, err := pool.Acquire(ended(waiting)); base.KindOf(err) != base.Canceled {
		t.Errorf("there are more places than there should be: %v", err)
	}
	pool.Release(next)
	last, err := pool.Acquire(waiting)
	if err != nil {
		t.Fatal(err)
	}
	pool.Release(last)
}

func ended(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}
