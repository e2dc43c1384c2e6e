package analyzetest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Call is the pattern of an SQL expression to test: a call of a function, operator or cast.
type Call struct {
	// Format is the SQL of the call, with one %s for each argument, such as "abs(%s)".
	Format string
	// Args are the SQL types of the arguments. For a type without test values, such as a generic
	// type, the function Edges picks another type at random, and uses the values of that type.
	Args []string
	// Aggregate means that the call is a call of an aggregate function.
	Aggregate bool
}

// Function returns a Call of an SQL function with the given name, and with arguments of the given
// types.
func Function(name string, args ...string) Call {
	return Call{Format: name + "(" + strings.TrimSuffix(strings.Repeat("%s, ", len(args)), ", ") + ")", Args: args}
}

// Edges checks that a column is never NULL if the analysis calls it "never NULL". The function
// Oracle checks the same with random data. Edges covers cases that random data seldom reaches: it
// runs single calls over values at the edges of their types, such as infinity, an empty range and
// an empty text. values has, for each type, SQL expressions that are not NULL. The arguments of the
// calls are these expressions, or columns of a table that contain their values. run executes an SQL
// query and returns, for each row, which values are NULL.
//
// SCOTER_EDGES sets the number of calls (default 500), and SCOTER_ORACLE_SEED the seed of the
// random choice.
func Edges(t *testing.T, engine analyze.Engine, calls []Call, values map[string][]string, run func(sql string, columns int) ([][]bool, error)) {
	tries := setting("SCOTER_EDGES", 500)
	seed := setting("SCOTER_ORACLE_SEED", int(time.Now().UnixNano()&0x7fffffff))
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	types := slices.Sorted(maps.Keys(values))
	rows := edgeTable(t, engine, types, values)
	used := map[string]bool{}
	claimed := 0
	for range tries {
		c := calls[random.IntN(len(calls))]
		args := make([]any, len(c.Args))
		for i, typ := range c.Args {
			at := slices.Index(types, typ)
			if at < 0 {
				at = random.IntN(len(types))
			}
			switch of := values[types[at]]; {
			case c.Aggregate:
				args[i] = fmt.Sprintf("e0.c%d", at)
			case random.IntN(2) == 0:
				args[i] = fmt.Sprintf("e%d.c%d", i, at)
			default:
				args[i] = of[random.IntN(len(of))]
			}
		}
		sql := "SELECT " + fmt.Sprintf(c.Format, args...) + " AS id FROM edges AS e0"
		where := fmt.Sprintf(" WHERE e0.id IN (%d, %d) GROUP BY e0.one", random.IntN(rows), random.IntN(rows))
		if !c.Aggregate {
			where = fmt.Sprintf(" WHERE e0.id = %d", random.IntN(rows))
			for i := 1; i < len(args); i++ {
				sql += fmt.Sprintf(", edges AS e%d", i)
				where += fmt.Sprintf(" AND e%d.id = %d", i, random.IntN(rows))
			}
		}
		sql += where
		d, err := engine.Describe(context.Background(), &analyze.Statement{Verb: ir.VerbQuery, Pieces: []sqlfile.Piece{{Segment: ir.Segment{Kind: ir.Code, Text: sql}}}})
		if err != nil || len(d.Columns) != 1 || d.Columns[0].Nullable {
			// the engine refused the call, or the analysis says that its result can be NULL
			continue
		}
		nulls, err := run(sql, 1)
		if err != nil {
			continue // the call fails with this value, such as an overflow
		}
		claimed++
		used[c.Format] = true
		for _, row := range nulls {
			if row[0] {
				t.Errorf("seed %d: said never to be NULL, and is: %s", seed, sql)
				break
			}
		}
	}
	t.Logf("seed %d: of %d calls %d are said never to be NULL, of %d of the %d functions, operators and casts", seed, tries, claimed, len(used), len(calls))
	if claimed < tries/50 {
		t.Errorf("seed %d: too few calls are said never to be NULL to prove anything", seed)
	}
}

// edgeTable creates a table with one column per type, filled with the values of the type. It
// returns the number of rows, which is the largest number of values of a type.
func edgeTable(t *testing.T, engine analyze.Engine, types []string, values map[string][]string) int {
	exec := func(sql string) {
		if err := engine.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	create, rows := "CREATE TABLE edges (id INTEGER NOT NULL, one INTEGER NOT NULL", 0
	for i, typ := range types {
		create += fmt.Sprintf(", c%d %s NOT NULL", i, typ)
		rows = max(rows, len(values[typ]))
	}
	exec(create + ")")
	for n := range rows {
		insert := fmt.Sprintf("INSERT INTO edges VALUES (%d, 1", n)
		for _, typ := range types {
			insert += ", " + values[typ][n%len(values[typ])]
		}
		exec(insert + ")")
	}
	return rows
}
