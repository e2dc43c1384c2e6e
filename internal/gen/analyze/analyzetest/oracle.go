package analyzetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Oracle checks the most important promise of an analysis: a column that it calls "never NULL" is
// never NULL. Oracle analyses random queries, runs them over random data, and compares. run
// executes a query that returns the given number of columns. It returns, for each row, which values
// are NULL.
//
// Oracle also measures precision. The generator of the random queries knows for some columns that
// they are never NULL, from the schema and the rules of SQL. The analysis must find at least 90% of
// these columns.
//
// Environment variables:
//   - SCOTER_ORACLE_MISSED: the number of columns to print that the analysis should have called
//     "never NULL" and did not
//   - SCOTER_ORACLE_QUERIES: the number of queries (default 700)
//   - SCOTER_ORACLE_SEED: the seed of the random queries
func Oracle(t *testing.T, dialect ir.Engine, engine analyze.Engine, run func(sql string, columns int) ([][]bool, error)) {
	queries := setting("SCOTER_ORACLE_QUERIES", 700)
	seed := setting("SCOTER_ORACLE_SEED", int(time.Now().UnixNano()&0x7fffffff))
	g := &generator{random: rand.New(rand.NewPCG(uint64(seed), 1)), dialect: dialect}
	ctx := context.Background()
	exec := func(sql string) {
		if err := engine.Exec(ctx, sql); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, sql, err)
		}
	}
	for _, table := range tables {
		exec("CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER, c VARCHAR(20) NOT NULL, d VARCHAR(20))")
	}
	exec("CREATE VIEW v0 AS SELECT t0.id, t1.a, t1.b, t0.c, t1.d FROM t0 LEFT JOIN t1 ON t0.b = t1.a")
	claimed, columns, refused, failed := 0, 0, 0, 0
	// never is the number of columns that are never NULL, as far as the generator knows. found is
	// how many of these columns the analysis calls "never NULL", too. missed is how many of the
	// other ones were printed.
	missed, never, found := 0, 0, 0
	for n := range queries {
		if n%5 == 0 {
			for _, table := range tables {
				exec("DELETE FROM " + table)
				for id := range g.random.IntN(5) {
					exec(fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %s, '%s', %s)", table, id, g.random.IntN(4), g.or("NULL", strconv.Itoa(g.random.IntN(4))), g.word(), g.or("NULL", "'"+g.word()+"'")))
				}
			}
		}
		q := g.query(3)
		sql := q.sql
		d, err := engine.Describe(ctx, &analyze.Statement{Verb: ir.VerbQuery, Pieces: []sqlfile.Piece{{Segment: ir.Segment{Kind: ir.Code, Text: sql}}}})
		if err != nil {
			if refused++; refused <= 3 {
				t.Logf("seed %d query %d refused: %v\n%s", seed, n, err, sql)
			}
			continue
		}
		rows, err := run(sql, len(d.Columns))
		if err != nil {
			if failed++; failed <= 3 {
				t.Logf("seed %d query %d failed: %v\n%s", seed, n, err, sql)
			}
			continue
		}
		for i, c := range d.Columns {
			columns++
			isNull := false
			for _, row := range rows {
				if len(row) != len(d.Columns) {
					t.Fatalf("seed %d query %d: %d values, %d columns described\n%s", seed, n, len(row), len(d.Columns), sql)
				}
				isNull = isNull || row[i]
			}
			if !c.Nullable {
				claimed++
				if isNull {
					t.Errorf("seed %d query %d: column %d (%s) is said never to be NULL, and is\n%s", seed, n, i+1, c.Name, sql)
				}
			}
			if q.never[i] {
				never++
				switch {
				case isNull:
					t.Fatalf("seed %d query %d: column %d (%s) is derived never to be NULL, and is: the derivation is wrong\n%s", seed, n, i+1, c.Name, sql)
				case !c.Nullable:
					found++
				case missed < setting("SCOTER_ORACLE_MISSED", 0):
					missed++
					t.Logf("column %d (%s) is never NULL, which is not said\n%s", i+1, c.Name, sql)
				}
			}
		}
	}
	t.Logf("seed %d: %d queries, %d refused, %d failed; of %d columns %d are never NULL by the schema, %d of them are said so (%.1f%%); %d are said so in all",
		seed, queries, refused, failed, columns, never, found, 100*float64(found)/float64(max(never, 1)), claimed)
	if refused+failed > queries/10 {
		t.Errorf("seed %d: too few queries are valid to prove anything", seed)
	}
	if found*100 < never*90 {
		t.Errorf("seed %d: of %d columns that are never NULL only %d are said so", seed, never, found)
	}
}

func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
