package overlay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// filterable returns a memtable with a column of every flat type in addition to those with bounds.
// Texts repeat in the first batches but not in the last.
func filterable(f *fixture) (schema.Table, *snapshot.Table) {
	types := []schema.Type{
		{Kind: schema.Varchar}, {Kind: schema.BigInt}, {Kind: schema.TimestampTZ}, {Kind: schema.Boolean}, {Kind: schema.TinyInt}, {Kind: schema.SmallInt},
		{Kind: schema.Integer}, {Kind: schema.Double}, {Kind: schema.Decimal, Width: 9, Scale: 2}, {Kind: schema.UUID}, {Kind: schema.Blob}, {Kind: schema.List, Elem: &schema.Type{Kind: schema.Integer}},
		{Kind: schema.Date},
	}
	table := newTable(f.t, types...)
	rows := func(from, to int, text string) string {
		return fmt.Sprintf(`SELECT CASE WHEN i %% 11 = 0 THEN NULL ELSE %s END AS v0, CASE WHEN i %% 13 = 0 THEN NULL ELSE i %% 1000 END::BIGINT AS v1,
			TIMESTAMPTZ '2025-01-01 00:00:00+00' + to_seconds(i) AS v2, i %% 3 = 0 AS v3, (i %% 100)::TINYINT AS v4, (i %% 1000)::SMALLINT AS v5, i::INTEGER AS v6,
			CASE WHEN i %% 5 = 0 THEN NULL ELSE i / 4 END::DOUBLE AS v7, (i / 100)::DECIMAL(9, 2) AS v8, uuid() AS v9, ('b' || i)::BLOB AS v10, [i, i + 1]::INTEGER[] AS v11,
			CASE WHEN i %% 17 = 0 THEN NULL ELSE DATE '1969-01-01' + (i %% 700)::INTEGER END AS v12
			FROM range(%d, %d) t(i)`, text, from, to)
	}
	m := memtable.New(f.pool, 9, table)
	f.t.Cleanup(m.Release)
	for _, sql := range []string{rows(0, 30_000, "'host ' || i % 50"), rows(30_000, 34_000, "'unique ' || i")} {
		for _, rec := range f.batches(sql) {
			if strings.Contains(sql, "host") {
				rec = withDictionary(rec)
			}
			copied, err := f.pool.Copy(table, rec)
			if err == nil {
				err = m.Append(copied)
			}
			if err != nil {
				f.t.Fatal(err)
			}
		}
	}
	m.Publish()
	return table, &snapshot.Table{Schema: table, Version: 1, Memtables: []memtable.View{m.View()}, Versions: map[uint32]schema.Table{table.Version: table}}
}

// withDictionary dictionary-encodes the first column, of text, as ingestion does for repeating
// texts.
func withDictionary(rec arrow.RecordBatch) arrow.RecordBatch {
	text := rec.Column(0).(*array.String)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, dt).(*array.BinaryDictionaryBuilder)
	for i := range text.Len() {
		if text.IsNull(i) {
			b.AppendNull()
		} else if err := b.AppendString(text.Value(i)); err != nil {
			panic(err) // only if there are more values than the index type can count
		}
	}
	fields := rec.Schema().Fields()
	fields[0].Type = dt
	columns := append([]arrow.Array{b.NewArray()}, rec.Columns()[1:]...)
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}

func TestMemtableScansGiveTheSameWithAndWithoutBounds(t *testing.T) {
	f := newFixture(t)
	table, s := filterable(f)
	second := int64(1_000_000)
	start := int64(1_735_689_600) * second
	text := func(values ...string) (out []schema.Value) {
		for _, v := range values {
			out = append(out, schema.StringValue(v))
		}
		return out
	}
	number := func(v int64) []schema.Value { return []schema.Value{schema.IntValue(v)} }
	id := func(i int) Bound { return Bound{Column: table.Columns[i].ID} }
	with := func(b Bound, o Operator, v []schema.Value) Bound { b.Operator, b.Values = o, v; return b }
	for where, bounds := range map[string][]Bound{
		"v0 = 'host 7'":                           {with(id(0), Equal, text("host 7"))},
		"v0 IN ('host 7', 'unique 31001')":        {with(id(0), Equal, text("host 7", "unique 31001"))},
		"v0 = 'nobody'":                           {with(id(0), Equal, text("nobody"))},
		"v0 = ''":                                 {with(id(0), Equal, text(""))},
		"v1 > 990":                                {with(id(1), Greater, number(990))},
		"v1 >= 990 AND v1 < 992":                  {with(id(1), GreaterOrEqual, number(990)), with(id(1), Less, number(992))},
		"v1 IN (3, 5)":                            {with(id(1), Equal, []schema.Value{schema.IntValue(3), schema.IntValue(5)})},
		"v0 = 'host 7' AND v1 <= 500":             {with(id(0), Equal, text("host 7")), with(id(1), LessOrEqual, number(500))},
		"v2 >= '2025-01-01 08:00:00+00'":          {with(id(2), GreaterOrEqual, number(start+8*3600*second))},
		"v6 > 33990":                              {with(id(6), Greater, number(33990))},
		"v6 > 3000000000":                         {with(id(6), Greater, number(3_000_000_000))},
		"v6 > -3000000000 AND v6 < 3000000000":    {with(id(6), Greater, number(-3_000_000_000)), with(id(6), Less, number(3_000_000_000))},
		"v0 = 'host 7' AND v6 <= 500":             {with(id(0), Equal, text("host 7")), with(id(6), LessOrEqual, number(500))},
		"v12 BETWEEN '1969-12-30' AND '1970-1-2'": {with(id(12), GreaterOrEqual, number(-2)), with(id(12), LessOrEqual, number(1))},
		"v1 < 100 AND v12 = '1969-12-30'":         {with(id(1), Less, number(100)), with(id(12), Equal, number(-2))},
		"v0 > 'unique 33' AND v7 > 8000":          {with(id(0), Greater, text("unique 33")), with(id(7), Greater, []schema.Value{schema.FloatValue(8000)})},
		"v0 = 'host 7' AND v2 < '2025-01-01 1:0'": {with(id(0), Equal, text("host 7")), with(id(2), Less, number(start+3600*second))},
	} {
		bounded, whole := f.relation(s, bounds...), f.relation(s)
		for _, columns := range []string{"v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v12", "v0, v6, v11", "v6"} {
			ask := func(relation string) string {
				return f.text(fmt.Sprintf("SELECT count(*) || ' ' || coalesce(bit_xor(hash(%s)), 0) || ' ' || coalesce(sum(hash(%s))::VARCHAR, '') FROM (%s) WHERE %s", columns, columns, relation, where))
			}
			if got, want := ask(bounded.SQL), ask(whole.SQL); got != want {
				t.Errorf("%s of %s: %s, without bounds %s", columns, where, got, want)
			}
		}
		addresses := func(r *Relation) string {
			sql := "SELECT count(*) || ' ' || coalesce(sum(scoter_ordinal), 0) || ' ' || coalesce(max(scoter_source), 0) FROM (" +
				strings.Replace(r.SQL, "SELECT ", "SELECT scoter_source, scoter_ordinal, ", 1) + ") WHERE " + where
			return f.text(sql)
		}
		if got, want := addresses(bounded), addresses(whole); got != want {
			t.Errorf("addresses of %s: %s, without bounds %s", where, got, want)
		}
	}
}

func TestMemtableScansLeaveOutWhatBoundsExclude(t *testing.T) {
	f := newFixture(t)
	table, s := filterable(f)
	bounded := f.relation(s, Bound{Column: table.Columns[1].ID, Operator: Equal, Values: []schema.Value{schema.IntValue(7)}})
	if n := f.text("SELECT count(v6) FROM (" + bounded.SQL + ")"); n != f.text("SELECT count(*) FROM range(34000) t(i) WHERE i % 1000 = 7 AND i % 13 <> 0") {
		t.Errorf("%s rows with one number", n)
	}
	// the end is included: see narrow
	bounded = f.relation(s, Bound{Column: table.Columns[12].ID, Operator: Less, Values: []schema.Value{schema.IntValue(-300)}})
	if n := f.text("SELECT count(v6) FROM (" + bounded.SQL + ")"); n != f.text("SELECT count(*) FROM range(34000) t(i) WHERE i % 700 <= 65 AND i % 17 <> 0") {
		t.Errorf("%s rows before a day", n)
	}
	bounded = f.relation(s, Bound{Column: table.Columns[0].ID, Operator: Equal, Values: []schema.Value{schema.StringValue("host 7")}})
	// Plain text is not filtered: DuckDB does that just as fast.
	if n := f.text("SELECT count(v6) FROM (" + bounded.SQL + ")"); n != f.text("SELECT 4000 + count(*) FROM range(30000) t(i) WHERE i % 50 = 7 AND i % 11 <> 0") {
		t.Errorf("%s rows with one text", n)
	}
}
