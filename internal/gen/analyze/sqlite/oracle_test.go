package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	analyzetest.Oracle(t, ir.SQLite, e, e.nulls)
}

// nulls runs a query and returns which values are NULL.
func (e *Engine) nulls(sql string, columns int) (out [][]bool, err error) {
	s, _, err := e.conn.Prepare(sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for s.Step() {
		row := make([]bool, columns)
		for i := range row {
			row[i] = s.ColumnType(i) == sqlite3.NULL
		}
		out = append(out, row)
	}
	return out, s.Err()
}

// TestCallsSaidNeverToBeNullNeverAre tries every value in columns of each affinity, because the
// analysis knows different things about each affinity.
func TestCallsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	literals := []string{"''", "x''", "'abc'", "'12'", "'inf'", "0", "1", "-1", "9223372036854775807", "(-9223372036854775807 - 1)", "0.0", "0.5", "1e308", "9e999", "-9e999", "x'00ff'", "'é'", "char(0)", "'[1,null]'", "'null'"}
	values := map[string][]string{}
	for _, typ := range []string{"INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC"} {
		values[typ] = literals
	}
	rows, err := e.rows("SELECT DISTINCT name, narg, type FROM pragma_function_list WHERE name NOT LIKE 'fts%' AND name NOT LIKE 'rtree%'", 3)
	if err != nil {
		t.Fatal(err)
	}
	var calls []analyzetest.Call
	for _, r := range rows {
		for n := range 4 {
			if r[1] == fmt.Sprint(n) || strings.HasPrefix(r[1], "-") {
				c := analyzetest.Function(r[0], make([]string, n)...)
				c.Aggregate = r[2] != "s"
				calls = append(calls, c)
			}
		}
	}
	for _, format := range []string{
		"-%s", "+%s", "~%s", "NOT %s", "%s IS NULL", "%s IS NOT TRUE", "%s BETWEEN %s AND %s", "%s IN (%s, %s)", "CASE WHEN %s THEN %s ELSE %s END",
		"%s NOT IN (SELECT %s UNION ALL SELECT %s)", "(%s, %s) = (%s, 1)", "CAST(%s AS INTEGER)", "CAST(%s AS REAL)", "CAST(%s AS TEXT)", "CAST(%s AS BLOB)",
		"CAST(%s AS NUMERIC)", "CAST(%s AS DATE)", "coalesce(%s + %s, %s)",
	} {
		calls = append(calls, analyzetest.Call{Format: format, Args: make([]string, strings.Count(format, "%s"))})
	}
	for _, o := range []string{"||", "+", "-", "*", "/", "%%", "&", "|", "<<", ">>", "=", "<>", "<", ">=", "IS", "IS NOT", "IS DISTINCT FROM", "AND", "OR", "LIKE", "GLOB", "->", "->>"} {
		calls = append(calls, analyzetest.Call{Format: "%s " + o + " %s", Args: make([]string, 2)})
	}
	analyzetest.Edges(t, e, calls, values, e.nulls)
}
