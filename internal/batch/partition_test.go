package batch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// fromJSON makes a conforming batch of a table from JSON rows. Columns are given as "name TYPE".
func fromJSON(t *testing.T, columns []string, rows string) (arrow.RecordBatch, schema.Table) {
	t.Helper()
	table := schema.Table{Database: "d", Schema: "main", Name: "t"}
	for _, c := range columns {
		name, text, _ := strings.Cut(c, " ")
		parsed, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		table.Columns = append(table.Columns, schema.Column{Name: name, Type: parsed})
	}
	table, err := schema.New(table)
	if err != nil {
		t.Fatal(err)
	}
	rec, _, err := array.RecordFromJSON(allocator, table.Arrow(), strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return rec, table
}

func TestPartitionEvaluatesTransforms(t *testing.T) {
	rec, table := fromJSON(t, []string{"region VARCHAR", "at TIMESTAMP", "d DATE"}, `[
		{"region": "eu", "at": "2024-03-09 23:59:59.999999", "d": "1969-12-31"},
		{"region": "a/b=~%", "at": "1969-12-31 23:00:00", "d": "1970-01-01"},
		{"region": null, "at": null, "d": null},
		{"region": "eu", "at": "2024-03-09 00:00:00", "d": "1969-12-01"},
		{"region": "__HIVE_DEFAULT_PARTITION__", "at": "2024-03-10 00:00:00", "d": "9999-12-31"}]`)
	f := func(want string, fields ...schema.PartitionField) {
		t.Helper()
		table.PartitionBy = fields
		parts, err := Partition([]arrow.RecordBatch{rec}, table, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range parts {
			got = append(got, fmt.Sprintf("%s %v", p.Key.Text, p.Rows))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("got %s\nwant %s", strings.Join(got, "; "), want)
		}
	}
	f(" [0 1 2 3 4]")
	f("region=%5F_HIVE_DEFAULT_PARTITION__ [4]; region=a%2Fb%3D%7E%25 [1]; region=eu [0 3]; region=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 1})
	f("year=1969 [1]; year=2024 [0 3 4]; year=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 2, Transform: schema.Year})
	f("month=1969-12 [1]; month=2024-03 [0 3 4]; month=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 2, Transform: schema.Month})
	f("day=1969-12-31 [1]; day=2024-03-09 [0 3]; day=2024-03-10 [4]; day=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 2, Transform: schema.Day})
	f("hour=1969-12-31-23 [1]; hour=2024-03-09-00 [3]; hour=2024-03-09-23 [0]; hour=2024-03-10-00 [4]; hour=__HIVE_DEFAULT_PARTITION__ [2]",
		schema.PartitionField{Column: 2, Transform: schema.Hour})
	f("month=1969-12 [0 3]; month=1970-01 [1]; month=9999-12 [4]; month=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 3, Transform: schema.Month})
	f("at_day=1969-12-31/d_day=1970-01-01 [1]; at_day=2024-03-09/d_day=1969-12-01 [3]; at_day=2024-03-09/d_day=1969-12-31 [0]; at_day=2024-03-10/d_day=9999-12-31 [4]; "+
		"at_day=__HIVE_DEFAULT_PARTITION__/d_day=__HIVE_DEFAULT_PARTITION__ [2]",
		schema.PartitionField{Column: 2, Transform: schema.Day}, schema.PartitionField{Column: 3, Transform: schema.Day})
	f("d=1969-12-01 [3]; d=1969-12-31 [0]; d=1970-01-01 [1]; d=9999-12-31 [4]; d=__HIVE_DEFAULT_PARTITION__ [2]", schema.PartitionField{Column: 3})
}

// TestSamePartitionsHaveOneText widens the column by which a table is partitioned, and compares the
// texts of equal values.
func TestSamePartitionsHaveOneText(t *testing.T) {
	texts := func(typ string, transform schema.Transform, values []string) (schema.Table, []string) {
		t.Helper()
		parsed, err := schema.Parse(typ)
		if err != nil {
			t.Fatal(err)
		}
		table, err := schema.New(schema.Table{ID: 1, Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "c", Type: parsed}},
			PartitionBy: []schema.PartitionField{{Column: 1, Transform: transform}}})
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewStringBuilder(allocator)
		b.AppendValues(values, nil)
		rec, err := Conform(array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{b.NewArray()}, int64(len(values))), table, ConformOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range values {
			parts, err := Partition([]arrow.RecordBatch{rec}, table, []uint32{uint32(i)})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, parts[0].Key.Text)
		}
		return table, out
	}
	numbers, days := []string{"-3", "0", "17"}, []string{"1969-12-31", "2024-02-29", "infinity"}
	for _, c := range []struct {
		from, to  string
		transform schema.Transform
		values    []string
		same      bool
	}{
		{"SMALLINT", "BIGINT", schema.Identity, numbers, true},
		{"BIGINT", "HUGEINT", schema.Identity, numbers, true},
		{"INTEGER", "DECIMAL(10,0)", schema.Identity, numbers, true},
		{"INTEGER", "DECIMAL(12,2)", schema.Identity, numbers, false},
		{"DECIMAL(4,2)", "DECIMAL(9,2)", schema.Identity, numbers, true},
		{"DECIMAL(4,2)", "DECIMAL(6,3)", schema.Identity, numbers, false},
		{"ENUM('a', '~')", "VARCHAR", schema.Identity, []string{"a", "~"}, true},
		{"TIMESTAMP_S", "TIMESTAMP", schema.Identity, days, true},
		{"TIMESTAMP_S", "TIMESTAMP", schema.Day, days, true},
		{"DATE", "TIMESTAMP", schema.Identity, days, false},
		{"DATE", "TIMESTAMP", schema.Day, days, false},
	} {
		from, before := texts(c.from, c.transform, c.values)
		to, after := texts(c.to, c.transform, c.values)
		if same := SamePartitions(from, to); same != c.same || slices.Equal(before, after) != c.same {
			t.Errorf("%s of %s and %s: said to be the same %t, %q and %q", c.transform, c.from, c.to, same, before, after)
		}
	}
	at := schema.Table{Columns: []schema.Column{{ID: 1, Name: "at", Type: schema.Of(schema.Date)}, {ID: 2, Name: "n", Type: schema.Of(schema.Integer)}},
		PartitionBy: []schema.PartitionField{{Column: 1, Transform: schema.Day}}}
	named := func(columns ...string) schema.Table {
		out := at
		out.Columns = nil
		for i, name := range columns {
			out.Columns = append(out.Columns, schema.Column{ID: base.ColumnID(i + 1), Name: name, Type: at.Columns[0].Type})
		}
		return out
	}
	if !SamePartitions(at, named("other", "m")) || SamePartitions(at, named("at", "Day")) || SamePartitions(named("at", "day"), named("other", "day")) {
		t.Error("the names of columns that are not in the text count, or those that are do not")
	}
}

func TestPartitionKeepsTheGivenOrderAndCoversEveryRow(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 50 {
		recs, table := randomBatches(t, r, []string{"VARCHAR", "TIMESTAMP", "UUID", "DECIMAL(38,2)", "BOOLEAN"}, r.IntN(4), 40)
		for _, c := range table.Columns {
			if r.IntN(2) == 0 {
				table.PartitionBy = append(table.PartitionBy, schema.PartitionField{Column: c.ID})
			}
		}
		order := make([]uint32, Rows(recs))
		for i, o := range r.Perm(len(order)) {
			order[i] = uint32(o)
		}
		position := make([]int, len(order))
		for i, o := range order {
			position[o] = i
		}
		parts, err := Partition(recs, table, order)
		if err != nil {
			t.Fatal(err)
		}
		seen, texts := 0, map[string]bool{}
		for _, p := range parts {
			if texts[p.Key.Text] {
				t.Fatalf("partition %s comes twice", p.Key.Text)
			}
			texts[p.Key.Text] = true
			seen += len(p.Rows)
			for i := 1; i < len(p.Rows); i++ {
				if position[p.Rows[i]] < position[p.Rows[i-1]] {
					t.Fatal("the order is lost")
				}
			}
		}
		if seen != len(order) {
			t.Fatalf("%d of %d rows", seen, len(order))
		}
	}
}

func TestLongAndOddValuesMakeSafeNames(t *testing.T) {
	long := strings.Repeat("ü", 300)
	names := map[string]bool{}
	for _, s := range []string{"", ".", "..", "a~b", "a:b", long, long + "x", strings.Repeat("%", 100), escape(long)} {
		name := escape(s)
		if len(name) > maxLevelBytes || strings.ContainsAny(name, "/\\=:\x00") || name == "." || name == ".." || names[name] {
			t.Errorf("%.20q becomes %q", s, name)
		}
		names[name] = true
	}
}

func TestStatsBoundEveryValue(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	types := append([]string{"TINYINT", "USMALLINT", "DATE", "FLOAT"}, sortableTypes...)
	for range 100 {
		recs, _ := randomBatches(t, r, sortableTypes, 2, 30)
		for c := range sortableTypes {
			var merged ColumnStats
			for _, rec := range recs {
				s, err := Stats(rec.Column(c))
				if err != nil {
					t.Fatal(err)
				}
				merged = merged.Merge(s)
			}
			for _, rec := range recs {
				value, err := scalarsOf(rec.Column(c))
				if err != nil {
					t.Fatal(err)
				}
				for i := range int(rec.NumRows()) {
					v := value(i)
					if f, ok := v.Float(); v.IsNull() || ok && f != f {
						continue
					}
					if low, ok := merged.Min.Compare(v); !ok || low > 0 {
						t.Fatalf("%s: minimum %s of %s", types[c], merged.Min, v)
					}
					if high, ok := merged.Max.Compare(v); !ok || high < 0 {
						t.Fatalf("%s: maximum %s of %s", types[c], merged.Max, v)
					}
				}
			}
		}
	}
}

func TestStatsOfEdges(t *testing.T) {
	f := func(column, rows, want string) {
		t.Helper()
		rec, _ := fromJSON(t, []string{column}, rows)
		s, err := Stats(rec.Column(0))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d/%d %s..%s nan=%v unbound=%v,%v", s.Nulls, s.Rows, s.Min, s.Max, s.HasNaN, s.NoMin, s.NoMax)
		if got != want {
			t.Errorf("%s %.60s: got %s, want %s", column, rows, got, want)
		}
	}
	quoted := func(s string) string { return `[{"a": "` + s + `"}]` }
	a64 := strings.Repeat("a", 64)
	f("a INTEGER", `[{"a": null}, {"a": -5}, {"a": 7}]`, "1/3 i-5..i7 nan=false unbound=false,false")
	f("a INTEGER", `[{"a": null}]`, "1/1 .. nan=false unbound=false,false")
	f("a BOOLEAN", `[{"a": true}]`, "0/1 i1..i1 nan=false unbound=false,false")
	f("a DOUBLE", `[{"a": "NaN"}, {"a": 1}]`, "0/2 f1..f1 nan=true unbound=false,false")
	f("a DOUBLE", `[{"a": "NaN"}]`, "0/1 .. nan=true unbound=false,false")
	f("a DECIMAL(5,2)", `[{"a": "-1.50"}, {"a": "2"}]`, "0/2 d-150e-2..d200e-2 nan=false unbound=false,false")
	f("a VARCHAR", quoted(a64), "0/1 s"+a64+"..s"+a64+" nan=false unbound=false,false")
	f("a VARCHAR", quoted(a64+"b"), "0/1 s"+a64+"..s"+a64[:63]+"b nan=false unbound=false,false")
	f("a VARCHAR", quoted(a64[:63]+"üx"), "0/1 s"+a64[:63]+"..s"+a64[:62]+"b nan=false unbound=false,false")
	f("a VARCHAR", quoted(strings.Repeat("\U0010ffff", 17)), "0/1 s"+strings.Repeat("\U0010ffff", 16)+".. nan=false unbound=false,true")
	f("a VARCHAR", quoted(strings.Repeat("a", 61)+"\uD7FF"+"bc"), "0/1 s"+strings.Repeat("a", 61)+"\uD7FF..s"+strings.Repeat("a", 61)+"\uE000 nan=false unbound=false,false")
	f("a INTEGER[]", `[{"a": [1]}]`, "0/1 .. nan=false unbound=true,true")
}
