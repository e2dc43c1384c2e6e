package overlay

import (
	"context"
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/vfs"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// fixture is a DuckDB instance with the overlay.
type fixture struct {
	t       *testing.T
	conn    *duck.Conn
	overlay *Overlay
	pool    *memtable.Pool
	// cacheBytes is the limit of the cache of changed rows.
	cacheBytes int64
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	inst, err := duck.Open(duck.Settings{Threads: 2, ReadableDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	f := &fixture{t: t, pool: memtable.NewPool(memtable.PoolOptions{Poison: true}), cacheBytes: 64 << 20}
	changed := ledger.NewCache("changed", func() int64 { return f.cacheBytes })
	f.overlay, err = New(inst, blocks.NewFiles(vfs.OS, dir, slog.Default()), changed, ledger.NewAccount("columns", 32<<20))
	if err != nil {
		t.Fatal(err)
	}
	if f.conn, err = inst.Connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.conn.Close)
	return f
}

// batches runs a query.
func (f *fixture) batches(sql string) []arrow.RecordBatch {
	f.t.Helper()
	rows, err := f.conn.Query(context.Background(), sql)
	if err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []arrow.RecordBatch
	for {
		rec, err := rows.Next(context.Background())
		if err == io.EOF {
			return out
		}
		if err != nil {
			f.t.Fatalf("%s: %v", sql, err)
		}
		out = append(out, rec)
	}
}

// text runs a query that yields one text.
func (f *fixture) text(sql string) string {
	f.t.Helper()
	for _, rec := range f.batches(sql) {
		if rec.NumRows() > 0 {
			return rec.Column(0).ValueStr(0)
		}
	}
	return ""
}

// newTable returns a table of one version. Its column i has the type types[i].
func newTable(t *testing.T, types ...schema.Type) schema.Table {
	t.Helper()
	def := schema.Table{ID: 1, Database: "default", Schema: "main", Name: "t"}
	for i, typ := range types {
		def.Columns = append(def.Columns, schema.Column{Name: fmt.Sprintf("v%d", i), Type: typ})
	}
	table, err := schema.New(def)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// memtableOf copies the result of a query into a memtable, with one batch per batch of the result.
func (f *fixture) memtableOf(table schema.Table, rowset base.RowsetID, sql string) *memtable.Memtable {
	f.t.Helper()
	m := memtable.New(f.pool, rowset, table)
	f.t.Cleanup(m.Release)
	for _, rec := range f.batches(sql) {
		rows, err := f.pool.Copy(table, rec)
		if err != nil {
			f.t.Fatal(err)
		}
		if err := m.Append(rows); err != nil {
			f.t.Fatal(err)
		}
	}
	m.Publish()
	return m
}

func (f *fixture) relation(t *snapshot.Table, bounds ...Bound) *Relation {
	f.t.Helper()
	r, err := f.overlay.Relation(context.Background(), t, bounds, RelationOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(r.Close)
	return r
}

// samples has values of every type: extremes, texts around the 12 bytes that DuckDB inlines, nested
// values.
var samples = []struct {
	typ    string
	values []string
}{
	{"BOOLEAN", []string{"true", "false"}},
	{"TINYINT", []string{"-128", "127"}},
	{"SMALLINT", []string{"-32768", "5"}},
	{"INTEGER", []string{"-2147483648", "7"}},
	{"BIGINT", []string{"-9223372036854775808", "9223372036854775807"}},
	{"UTINYINT", []string{"255"}}, {"USMALLINT", []string{"65535"}}, {"UINTEGER", []string{"4294967295"}},
	{"UBIGINT", []string{"18446744073709551615"}},
	{"HUGEINT", []string{"170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"}},
	{"FLOAT", []string{"1.5", "'nan'", "'-inf'"}}, {"DOUBLE", []string{"0.1", "'inf'", "-0.0"}},
	{"DECIMAL(4,1)", []string{"-999.9", "1"}}, {"DECIMAL(9,2)", []string{"-9999999.99"}},
	{"DECIMAL(18,3)", []string{"-999999999999999.999"}}, {"DECIMAL(38,10)", []string{"-1234567890123456789012345678.0123456789"}},
	{"VARCHAR", []string{"''", "'twelve bytes'", "'thirteen byte'", "'größer als zwölf Bytes'"}},
	{"BLOB", []string{"'\\x00\\xFF'::BLOB", "''::BLOB"}},
	{"UUID", []string{"'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'123e4567-e89b-12d3-a456-426614174000'"}},
	{"DATE", []string{"'0001-01-01'", "'9999-12-31'"}}, {"TIME", []string{"'23:59:59.999999'"}},
	{"TIMESTAMP", []string{"'1970-01-01'", "'2024-02-29 23:59:59.999999'"}}, {"TIMESTAMP_S", []string{"'2024-02-29 23:59:59'"}},
	{"TIMESTAMP_MS", []string{"'2024-02-29 23:59:59.123'"}}, {"TIMESTAMP_NS", []string{"'2024-02-29 23:59:59.123456789'"}},
	{"TIMESTAMP WITH TIME ZONE", []string{"'2024-02-29 23:59:59.999999+02'"}},
	{"TIME WITH TIME ZONE", []string{"'23:59:59+05:30'"}}, {"INTERVAL", []string{"INTERVAL '1 year 2 days 3 seconds'"}},
	{"BIT", []string{"'10101'"}}, {"JSON", []string{`'{"a": [1, null]}'`}},
	{"ENUM('a', 'it''s')", []string{"'a'", "'it''s'"}},
	{"INTEGER[]", []string{"[1, NULL, 3]", "[]"}}, {"VARCHAR[][]", []string{"[['a', NULL], NULL, [], ['a longer string than twelve']]"}},
	{"INTEGER[3]", []string{"[1, 2, 3]"}},
	{"STRUCT(a INTEGER, b VARCHAR[])", []string{"{'a': 1, 'b': ['x', NULL]}", "{'a': NULL, 'b': NULL}"}},
	{"MAP(VARCHAR, DOUBLE)", []string{"MAP {'k': 1.5, 'another key': NULL}", "MAP {}"}},
	{"STRUCT(h HUGEINT, u UUID)[]", []string{"[{'h': 5, 'u': '123e4567-e89b-12d3-a456-426614174000'}, NULL]"}},
}

func TestMemtableGivesBackEveryType(t *testing.T) {
	f := newFixture(t)
	for _, s := range samples {
		t.Run(s.typ, func(t *testing.T) {
			f := &fixture{t, f.conn, f.overlay, f.pool, f.cacheBytes}
			typ, err := schema.Parse(s.typ)
			if err != nil {
				t.Fatal(err)
			}
			table := newTable(t, typ, schema.Of(schema.Integer))
			// Several vectors, with NULLs at irregular positions.
			list := strings.Join(s.values, fmt.Sprintf(")::%s), ((", s.typ))
			want := fmt.Sprintf(`SELECT v AS v0, i::INTEGER AS v1 FROM range(5000) r(i)
				JOIN (SELECT v, row_number() OVER () - 1 AS n FROM (VALUES ((%s)::%s), (NULL)) q(v)) ON n = (i * i) %% %d`,
				list, s.typ, len(s.values)+1)
			stored := fmt.Sprintf("SELECT CAST(v0 AS %s) AS v0, v1 FROM (%s) ORDER BY v1", typ.StorageSQL(), want)
			m := f.memtableOf(table, 9, stored)
			r := f.relation(&snapshot.Table{Schema: table, Memtables: []memtable.View{m.View()}})
			diff := f.text(fmt.Sprintf(`SELECT count(*)::VARCHAR || ' of ' || (SELECT count(*) FROM (%s)) FROM (
				(SELECT v0::VARCHAR, v1, typeof(v0) FROM (%[1]s) EXCEPT ALL SELECT v0::VARCHAR, v1, typeof(v0) FROM (%[2]s)) UNION ALL
				(SELECT v0::VARCHAR, v1, typeof(v0) FROM (%[2]s) EXCEPT ALL SELECT v0::VARCHAR, v1, typeof(v0) FROM (%[1]s)))`, r.SQL, want))
			if diff != "0 of 5000" {
				t.Errorf("%s rows differ", diff)
			}
		})
	}
}

func TestMemtableReadsDictionariesAndSlices(t *testing.T) {
	f := newFixture(t)
	table := newTable(t, schema.Of(schema.Varchar))
	dict := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	want := map[string]int{}
	for i := range 10_000 {
		if i%11 == 0 {
			dict.AppendNull()
			continue
		}
		v := fmt.Sprintf("host number %d of many", i%50)
		want[v]++
		if err := dict.AppendString(v); err != nil {
			t.Fatal(err)
		}
	}
	all := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "v0", Type: dict.Type(), Nullable: true}}, nil), []arrow.Array{dict.NewArray()}, 10_000)
	m := memtable.New(f.pool, 3, table)
	defer m.Release()
	for _, cut := range [][2]int64{{0, 4097}, {4097, 10_000}} {
		rows, err := f.pool.Copy(table, all.NewSlice(cut[0], cut[1]))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	m.Publish()
	r := f.relation(&snapshot.Table{Schema: table, Memtables: []memtable.View{m.View()}})
	for v, n := range want {
		if got := f.text(fmt.Sprintf("SELECT count(*)::VARCHAR FROM (%s) WHERE v0 = '%s'", r.SQL, v)); got != fmt.Sprint(n) {
			t.Fatalf("%q: %s rows, want %d", v, got, n)
		}
	}
	if got := f.text(fmt.Sprintf("SELECT count(*)::VARCHAR FROM (%s)", r.SQL)); got != "10000" {
		t.Errorf("count(*) = %s", got)
	}
}

func TestRowsInMemoryKeepTheirOrderOnAllThreads(t *testing.T) {
	f := newFixture(t)
	table := newTable(t, schema.Of(schema.Integer), schema.Of(schema.Varchar))
	const rows = 300_000
	rowsOf := func(from, to int) string {
		return fmt.Sprintf("SELECT i::INTEGER AS v0, 'row ' || (i %% 7) AS v1 FROM range(%d, %d) r(i)", from, to)
	}
	views := []memtable.View{f.memtableOf(table, 3, rowsOf(0, rows/2)).View(), f.memtableOf(table, 4, rowsOf(rows/2, rows)).View()}
	r := f.relation(&snapshot.Table{Schema: table, Memtables: views})
	for sql, wants := range map[string]func(i int32) bool{
		"SELECT v0 FROM (%s)":                                   func(int32) bool { return true },
		"SELECT v0 FROM (%s) WHERE v1 = 'row 3'":                func(i int32) bool { return i%7 == 3 },
		"SELECT v0 FROM (%s) WHERE v0 % 50000 > 49990 LIMIT 40": func(i int32) bool { return i%50000 > 49990 && i < 249_995 },
	} {
		sql = strings.Replace(sql, "%s", r.SQL, 1)
		next := int32(0)
		for _, rec := range f.batches(sql) {
			for _, v := range rec.Column(0).(*array.Int32).Int32Values() {
				for next < v && !wants(next) {
					next++
				}
				if v != next {
					t.Fatalf("%s: %d comes where %d should", sql, v, next)
				}
				next++
			}
		}
		for next < rows && !wants(next) {
			next++
		}
		if next != rows {
			t.Errorf("%s: ends before row %d", sql, next)
		}
		for _, rec := range f.batches("EXPLAIN " + sql) {
			if plan := rec.Column(1).ValueStr(0); strings.Contains(plan, "STREAMING_LIMIT") {
				t.Errorf("%s is planned for one thread:\n%s", sql, plan)
			}
		}
	}
}

func TestRelationOfOlderSchemaVersions(t *testing.T) {
	f := newFixture(t)
	v1 := newTable(t, schema.Of(schema.Integer), schema.Of(schema.Varchar))
	m := f.memtableOf(v1, 4, "SELECT 7::INTEGER AS v0, 'x' AS v1")
	v2, err := v1.RenameColumn("v0", "renamed")
	if err == nil {
		v2, err = v2.ChangeType("renamed", schema.Of(schema.BigInt))
	}
	if err == nil {
		v2, err = v2.AddColumns(schema.Column{Name: "added", Type: schema.Of(schema.Double), Initial: "2.5"})
	}
	if err == nil {
		v2, err = v2.DropColumn("v1")
	}
	if err != nil {
		t.Fatal(err)
	}
	r := f.relation(&snapshot.Table{Schema: v2, Memtables: []memtable.View{m.View()}})
	got := f.text(fmt.Sprintf("SELECT renamed || ' ' || typeof(renamed) || ' ' || added || ' ' || typeof(added) FROM (%s)", r.SQL))
	if got != "7 BIGINT 2.5 DOUBLE" {
		t.Errorf("got %q", got)
	}
}

func TestRelationOfAnEmptyTableHasItsColumns(t *testing.T) {
	f := newFixture(t)
	table := newTable(t, schema.Of(schema.Date), schema.ListOf(schema.Of(schema.HugeInt)))
	r := f.relation(&snapshot.Table{Schema: table})
	rows, err := f.conn.Query(context.Background(), r.SQL)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if names := rows.Schema().Fields(); len(names) != 2 || names[0].Name != "v0" || names[1].Name != "v1" {
		t.Errorf("columns %v", names)
	}
}

func TestClosedScanIsGone(t *testing.T) {
	f := newFixture(t)
	table := newTable(t, schema.Of(schema.Integer))
	m := f.memtableOf(table, 4, "SELECT 7::INTEGER AS v0")
	r, err := f.overlay.Relation(context.Background(), &snapshot.Table{Schema: table, Memtables: []memtable.View{m.View()}}, nil, RelationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sql := r.SQL
	r.Close()
	if _, err := f.conn.Query(context.Background(), sql); err == nil {
		t.Error("a closed scan can still be read")
	}
}
