package dml

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
)

// composed returns the query of an UPDATE or DELETE of a table t (k BIGINT, n SMALLINT, s VARCHAR,
// v DECIMAL(9,2)), and the values of the key that it looks up. The table is sorted by k and n, and
// its primary key is s.
func composed(t *testing.T, sql string, args ...any) (query string, key []string) {
	t.Helper()
	table := schema.Table{ID: 1, Version: 1, Database: "d", Schema: "main", Name: "t", PrimaryKey: []base.ColumnID{3},
		SortKey: []schema.SortField{{Column: 1}, {Column: 2}},
		Columns: []schema.Column{
			{ID: 1, Name: "k", Type: schema.Type{Kind: schema.BigInt}}, {ID: 2, Name: "n", Type: schema.Type{Kind: schema.SmallInt}},
			{ID: 3, Name: "s", Type: schema.Type{Kind: schema.Varchar}}, {ID: 4, Name: "v", Type: schema.Type{Kind: schema.Decimal, Width: 9, Scale: 2}},
		}}
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		t.Fatal(err)
	}
	one := oneTable{table: table}
	with := &statement.Tools{Names: one}
	with.Functions.Known.Store(&map[string]statement.Function{})
	x := &Statement{Statement: &statement.Statement{Tools: with, Ctx: t.Context(), Request: statement.Request{Args: args, Database: "d"}, Reader: &clause.Reader{Statement: statements[0]}}, Stored: one}
	plan := x.update
	if statements[0].Verb() == "DELETE" {
		plan = x.delete
	}
	p, err := plan()
	if err != nil {
		t.Fatal(err)
	}
	if p.Key == nil {
		return p.Query.String(), nil
	}
	for _, v := range p.Key.Values {
		key = append(key, v.ValueStr(0))
	}
	return p.Query.String(), key
}

// oneTable has the name and the snapshot of a single table.
type oneTable struct {
	statement.Names
	table schema.Table
}

func (s oneTable) Lookup(string, string, string) (schema.Table, error) { return s.table, nil }

func (s oneTable) Snapshot(...base.TableID) (*snapshot.Snapshot, error) {
	return snapshot.New(1, map[base.TableID]*snapshot.Table{s.table.ID: {Schema: s.table}}, func() {}), nil
}

func TestKeysAreFoundInConditions(t *testing.T) {
	f := func(where, want string, args ...any) {
		t.Helper()
		_, key := composed(t, "DELETE FROM t AS x WHERE "+where, args...)
		if got := strings.Join(key, " "); got != want {
			t.Errorf("%s: key %q, expected %q", where, got, want)
		}
	}
	f("k = 5 AND n = 7", "5 7")
	f("n = 7 AND K = 5", "5 7")
	f(`x.k = 5 AND 7 = x."n" AND v > 3`, "5 7")
	f("s = 'it''s'", "it's")
	f("s = $1", "a", "a")
	f("k = ? AND v > ? AND n = ?", "5 7", int64(5), 2.5, int64(7))
	f("k = $a AND n = $b", "5 7", map[string]any{"a": int64(5), "b": int64(7)})
	f("s = 'a' AND (v = 1 OR v = 2)", "a")
	f("s = 'a' AND v IN (1, 2) AND NOT v = 3", "a")
	// The WHERE does not give the whole key, or its conditions are not joined by AND.
	f("k = 5", "")
	f("k = 5 AND n > 7", "")
	f("s = 'a' OR k = 5", "")
	f("NOT s = 'a'", "")
	f("s = 'a' IS NULL", "")
	f("v BETWEEN 1 AND s = 'a'", "")
	f("CASE WHEN v = 1 AND s = 'a' AND v = 2 THEN true END", "")
	f("(s = 'a')", "")
	// Values that the types of the columns cannot represent exactly.
	f("k = 5 AND n = 70000", "")
	f("k = 5.0 AND n = 7", "")
	f("k = '5' AND n = 7", "")
	f("k = 0x5 AND n = 7", "")
	f("s = 5", "")
	f("s = E'a'", "")
	f("s = $1", "", nil)
	f("k = $1 AND n = 7", "", 5.0)
	f("s = 'a' COLLATE NOCASE", "")
	f("s = 'a' || 'b'", "")
	if _, key := composed(t, "WITH w AS (SELECT 1) DELETE FROM t WHERE s = 'a'"); key != nil {
		t.Error("a statement with a CTE looks up")
	}
	// Queries over other tables cannot be evaluated on one row alone.
	f("s = 'a' AND v = (SELECT max(v) FROM t)", "")
	f("s = 'a' AND to_json(x) IS NOT NULL", "")
	f("y.s = 'a'", "")
}

func TestStatementsOfOneFormHaveOneQuery(t *testing.T) {
	f := func(a, b string) {
		t.Helper()
		first, key := composed(t, a)
		second, _ := composed(t, b)
		if first != second || key == nil {
			t.Errorf("%s\n%s\nkey %v:\n%s\n%s", a, b, key, first, second)
		}
	}
	f("UPDATE t SET v = 1.50 WHERE s = 'a'", "UPDATE t SET v = 2.25 WHERE s = 'another'")
	f("UPDATE t SET v = v + 1, n = 5 WHERE k = 1 AND n = 2", "UPDATE t SET v = v + 1, n = 6 WHERE k = 300 AND n = 4")
	f("UPDATE t SET n = -5 WHERE s = 'a'", "UPDATE t SET n = -6 WHERE s = 'b'")
	f("DELETE FROM t WHERE s = 'a'", "DELETE FROM t WHERE s = 'b'")
	if query, _ := composed(t, "UPDATE t SET v = 1.50 WHERE v = 2.25"); !strings.Contains(query, "1.50") || !strings.Contains(query, "2.25") {
		t.Errorf("a statement that is no look-up: %s", query)
	}
	if query, _ := composed(t, "UPDATE t SET v = $1 WHERE s = $2", int64(3), "a"); strings.Contains(query, "$") {
		t.Errorf("parameters of a look-up: %s", query)
	}
}
