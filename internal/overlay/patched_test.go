package overlay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// patchedTable is a table of parts and memtables with patches. The same changes are also made to
// judge, a plain DuckDB table, with which it is compared.
type patchedTable struct {
	*fixture
	random *rand.Rand
	seq    base.Seq
	now    snapshot.Table
	rows   map[base.RowsetID]int
	digits int // of texts; set to make them long
}

func newPatchedTable(f *fixture, table schema.Table, seed uint64) *patchedTable {
	p := &patchedTable{fixture: f, random: rand.New(rand.NewPCG(seed, 0)), rows: map[base.RowsetID]int{}}
	p.now = snapshot.Table{Schema: table, Version: 1, Versions: map[uint32]schema.Table{}, Patches: map[base.RowsetID]*patch.Set{}}
	p.exec("CREATE OR REPLACE TABLE judge (" + p.declarations("") + ", source UBIGINT, ordinal UBIGINT)")
	return p
}

func (p *patchedTable) exec(sql string) {
	p.t.Helper()
	if err := p.conn.Exec(sql); err != nil {
		p.t.Fatalf("%s: %v", sql, err)
	}
}

func (p *patchedTable) declarations(prefix string) string {
	var out []string
	for _, c := range p.now.Schema.Columns {
		out = append(out, prefix+schema.Quote(c.Name)+" "+c.Type.String())
	}
	return strings.Join(out, ", ")
}

// value returns an SQL expression for the value of a column, which depends on a row number and on
// salt.
func (p *patchedTable) value(c schema.Column, row string, salt int) string {
	if c.Type.Kind == schema.Varchar && p.digits > 0 {
		return fmt.Sprintf("lpad(hash(%s, %d, %d)::VARCHAR, %d, '0')", row, salt, c.ID, p.digits)
	}
	for _, s := range samples {
		if typ, err := schema.Parse(s.typ); err == nil && typ.Equal(c.Type) {
			expr := fmt.Sprintf("CASE hash(%s, %d, %d) %% %d", row, salt, c.ID, len(s.values)+1)
			for i, v := range s.values {
				expr += fmt.Sprintf(" WHEN %d THEN CAST(CAST(%s AS %s) AS %s)", i, v, s.typ, c.Type.StorageSQL())
			}
			return fmt.Sprintf("CAST(%s END AS %s)", expr, c.Type) // CASE does not support arrays
		}
	}
	return fmt.Sprintf("CAST(hash(%s, %d, %d) %% 100 AS %s)", row, salt, c.ID, c.Type)
}

// rowset adds a rowset with rows, and adds the same rows to the judge. It returns the rows in the
// form in which they are stored.
func (p *patchedTable) rowset(id base.RowsetID, rows int) string {
	p.rows[id] = rows
	var names, values, stored []string
	for _, c := range p.now.Schema.Columns {
		v := p.value(c, "i", int(id))
		names, values = append(names, schema.Quote(c.Name)), append(values, v)
		stored = append(stored, fmt.Sprintf("CAST(%s AS %s) AS %s", v, c.Type.StorageSQL(), schema.Quote(c.Name)))
	}
	p.exec(fmt.Sprintf("INSERT INTO judge (%s, source, ordinal) SELECT %s, %d, i FROM range(%d) r(i)", strings.Join(names, ", "), strings.Join(values, ", "), id, rows))
	return fmt.Sprintf("SELECT %s FROM range(%d) r(i) ORDER BY i", strings.Join(stored, ", "), rows)
}

func (p *patchedTable) addPart(id base.RowsetID, rows int) {
	p.t.Helper()
	table := p.now.Schema
	c := &catalog.Part{ID: id, Table: table.ID, SchemaVersion: table.Version, Rows: int64(rows)}
	path := p.overlay.files.Path(c.Table, c.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	var conformed []arrow.RecordBatch
	for _, rec := range p.batches(p.rowset(id, rows)) {
		rec, err := batch.Conform(rec, table, batch.ConformOptions{})
		if err != nil {
			p.t.Fatal(err)
		}
		conformed = append(conformed, rec)
	}
	written, err := part.WriteBatches(vfs.OS, path, table, conformed, part.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	c.Bytes, c.Checksum, c.Blocks, c.Stats = written.Bytes, written.Checksum, written.Blocks, written.Stats
	p.now.Parts = append(p.now.Parts, c)
	p.now.Versions[table.Version] = table
	p.now.Version++
}

func (p *patchedTable) addMemtable(id base.RowsetID, rows int) {
	m := p.memtableOf(p.now.Schema, id, p.rowset(id, rows))
	p.now.Memtables = append(p.now.Memtables, m.View())
}

// some returns about n ascending rows of a rowset.
func (p *patchedTable) some(id base.RowsetID, n int) []uint32 {
	rows := roaring.New()
	for range n {
		rows.Add(uint32(p.random.IntN(p.rows[id])))
	}
	return rows.ToArray()
}

func (p *patchedTable) with(id base.RowsetID, deleted *roaring.Bitmap, layers ...patch.Layer) {
	p.t.Helper()
	p.seq++
	set := p.now.Patches[id]
	if set == nil {
		set = patch.New(id)
	}
	set, err := set.With(p.seq, deleted, layers...)
	if err != nil {
		p.t.Fatal(err)
	}
	patches := map[base.RowsetID]*patch.Set{id: set}
	for other, s := range p.now.Patches {
		if other != id {
			patches[other] = s
		}
	}
	p.now.Patches = patches
}

func list(rows []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(rows), " ", ", "), "[]")
}

func (p *patchedTable) delete(id base.RowsetID, rows []uint32) {
	p.with(id, roaring.BitmapOf(rows...))
	p.exec(fmt.Sprintf("DELETE FROM judge WHERE source = %d AND ordinal IN (%s)", id, list(rows)))
}

func (p *patchedTable) update(id base.RowsetID, rows []uint32, columns ...schema.Column) {
	p.t.Helper()
	salt := p.random.IntN(1e6)
	l := patch.Layer{Rowset: id, Version: p.now.Schema.Version, Ordinals: rows}
	var sets, stored []string
	for _, c := range columns {
		sets = append(sets, schema.Quote(c.Name)+" = "+p.value(c, "ordinal", salt))
		stored = append(stored, fmt.Sprintf("CAST(%s AS %s)", p.value(c, "ordinal", salt), c.Type.StorageSQL()))
		l.Columns = append(l.Columns, c.ID)
	}
	var records []arrow.RecordBatch
	records = append(records, p.batches(fmt.Sprintf("SELECT %s FROM (SELECT unnest([%s])::UBIGINT::BIGINT AS ordinal) ORDER BY ordinal", strings.Join(stored, ", "), list(rows)))...)
	all, err := batch.Concat(records)
	if err == nil {
		all, err = batch.Copy(all)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	arrays := make([]arrow.Array, len(columns))
	for i, c := range columns {
		if arrays[i], err = batch.Convert(all.Column(i), c.Type); err != nil {
			p.t.Fatal(err)
		}
	}
	l.Values = recordOf(arrays)
	p.with(id, nil, l)
	p.exec(fmt.Sprintf("UPDATE judge SET %s WHERE source = %d AND ordinal IN (%s)", strings.ReplaceAll(strings.Join(sets, ", "), "hash(ordinal", "hash(ordinal::BIGINT"), id, list(rows)))
}

// compare runs a query over the relation and over the judge, and compares the results. In the
// query, {} stands for the table.
func (p *patchedTable) compare(sql string, bounds ...Bound) {
	p.t.Helper()
	r, err := p.overlay.Relation(context.Background(), &p.now, bounds, RelationOptions{Addresses: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Close()
	got := strings.ReplaceAll(sql, "{}", "(SELECT * RENAME (scoter_source AS source, scoter_ordinal AS ordinal) FROM ("+r.SQL+"))")
	want := strings.ReplaceAll(sql, "{}", "judge")
	diff := p.text(fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT q AS v FROM (%s) q), w AS MATERIALIZED (SELECT q AS v FROM (%s) q)
		SELECT string_agg(v, chr(10)) FROM ((SELECT 'got ' || v::VARCHAR AS v FROM (FROM g EXCEPT ALL FROM w) LIMIT 3) UNION ALL (SELECT 'want ' || v::VARCHAR FROM (FROM w EXCEPT ALL FROM g) LIMIT 3))`, got, want))
	if diff != "" && diff != "(null)" {
		p.t.Fatalf("%s\n%s", sql, diff)
	}
}

// eachCacheSize runs a test three times: with space for all unchanged columns of changed rows, for
// some of them, and for none.
func eachCacheSize(t *testing.T, test func(*testing.T, *fixture)) {
	for _, most := range []int64{64 << 20, 100_000, 0} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			f := newFixture(t)
			f.cacheBytes = most
			test(t, f)
		})
	}
}

func TestChangedRowsOfEveryType(t *testing.T) { eachCacheSize(t, testChangedRowsOfEveryType) }

func testChangedRowsOfEveryType(t *testing.T, f *fixture) {
	var types []schema.Type
	for _, s := range samples {
		typ, err := schema.Parse(s.typ)
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, typ)
	}
	p := newPatchedTable(f, newTable(t, types...), 1)
	p.addPart(10, 3000)
	p.addPart(11, 5000)
	p.addMemtable(12, 4000)
	for id := range p.rows {
		for _, c := range p.now.Schema.Columns {
			p.update(id, p.some(id, 100), c)
		}
	}
	p.compare("FROM {}")
	for id := range p.rows {
		p.delete(id, p.some(id, 500))
		p.update(id, p.some(id, 300), p.now.Schema.Columns...)
	}
	p.compare("FROM {}")
	for _, c := range p.now.Schema.Columns {
		p.compare(fmt.Sprintf("SELECT %s::VARCHAR, count(*) FROM {} GROUP BY ALL", schema.Quote(c.Name)))
	}
}

func TestRandomChanges(t *testing.T) { eachCacheSize(t, testRandomChanges) }

func testRandomChanges(t *testing.T, first *fixture) {
	for seed := range uint64(2) {
		f := newFixture(t) // another directory, because part ids must not be reused
		f.cacheBytes = first.cacheBytes
		table := newTable(t, schema.Of(schema.BigInt), schema.Of(schema.Varchar), schema.Of(schema.Integer), schema.Of(schema.Double), schema.ListOf(schema.Of(schema.Integer)))
		table.ID = base.TableID(seed + 1)
		p := newPatchedTable(f, table, seed)
		p.addPart(10, 1+p.random.IntN(10_000))
		if seed == 0 {
			p.addPart(11, 125_000) // two row groups
		}
		p.addMemtable(20, 1+p.random.IntN(10_000))
		for id := range 12 { // more than get a branch each
			p.addPart(base.RowsetID(30+id), 100)
		}
		for step := range 6 {
			for id := range p.rows {
				if id >= 30 && p.random.IntN(3) > 0 {
					continue
				}
				n := 1
				if p.random.IntN(3) == 0 {
					n = 1 + p.random.IntN(p.rows[id]/2+1)
				}
				columns := p.now.Schema.Columns
				at := p.random.IntN(len(columns))
				switch p.random.IntN(4) {
				case 0:
					p.delete(id, p.some(id, n))
				case 1:
					p.update(id, p.some(id, n), columns[at:]...)
				default:
					p.update(id, p.some(id, n), columns[at])
				}
			}
			if step == 3 {
				p.evolve()
			}
			p.check(step == 5)
		}
	}
}

// evolve changes the schema of the table with patches.
func (p *patchedTable) evolve() {
	p.t.Helper()
	next, err := p.now.Schema.RenameColumn("v2", "renamed")
	if err == nil {
		next, err = next.ChangeType("renamed", schema.Of(schema.BigInt))
	}
	if err == nil {
		next, err = next.AddColumns(schema.Column{Name: "added", Type: schema.Of(schema.HugeInt), Initial: "17"})
	}
	if err == nil {
		next, err = next.DropColumn("v3")
	}
	if err != nil {
		p.t.Fatal(err)
	}
	for _, sql := range []string{"RENAME v2 TO renamed", "ALTER renamed TYPE BIGINT", "ADD COLUMN added HUGEINT DEFAULT 17", "DROP v3"} {
		p.exec("ALTER TABLE judge " + sql)
	}
	p.now.Schema = next
	p.now.Version++
	p.addPart(90, 2000)
	p.addMemtable(91, 2000)
}

// check compares a few queries, or all.
func (p *patchedTable) check(all bool) {
	p.t.Helper()
	var names []string // the judge has another order after ALTER
	for _, c := range p.now.Schema.Columns {
		names = append(names, schema.Quote(c.Name))
	}
	queries := []string{
		"SELECT " + strings.Join(names, ", ") + ", source, ordinal FROM {}",
		"SELECT count(*), count(v0), sum(v0), min(v1), max(v1) FROM {}",
		"SELECT v1, count(*), sum(v0), list(v4 ORDER BY source, ordinal) FROM {} GROUP BY v1",
		"SELECT v0, v1 FROM {} ORDER BY v0 DESC NULLS LAST, v1, source, ordinal LIMIT 20",
		"SELECT a.source, a.ordinal, b.v0 FROM {} a JOIN {} b ON a.v0 = b.v0 AND a.source = b.source AND b.ordinal = a.ordinal + 1 WHERE a.v1 = 'twelve bytes'",
		"SELECT count(*) FROM {} WHERE v1 LIKE '%thirteen%' AND v0 > 0",
		"SELECT count(*) FROM {}",
	}
	for i, sql := range queries {
		if all || p.random.IntN(len(queries)) == 0 || i == p.random.IntN(len(queries)) {
			p.compare(sql)
		}
	}
	number, text := p.now.Schema.Columns[0].ID, p.now.Schema.Columns[1].ID
	for _, v := range []int64{math.MinInt64, math.MaxInt64, 3} {
		p.compare(fmt.Sprintf("SELECT source, ordinal, v1 FROM {} WHERE v0 = '%d'::BIGINT", v), Bound{Column: number, Operator: Equal, Values: []schema.Value{schema.IntValue(v)}})
	}
	p.compare("SELECT source, ordinal, v1 FROM {} WHERE v0 < '3'::BIGINT", Bound{Column: number, Operator: Less, Values: []schema.Value{schema.IntValue(3)}})
	p.compare("SELECT source, ordinal FROM {} WHERE v1 = 'twelve bytes'", Bound{Column: text, Operator: Equal, Values: []schema.Value{schema.StringValue("twelve bytes")}})
}

func recordOf(arrays []arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(arrays))
	for i, a := range arrays {
		fields[i] = arrow.Field{Name: fmt.Sprint(i), Type: a.DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

func TestNothingOutlivesItsRelation(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.Varchar)), 7)
	p.addPart(10, 5000)
	p.addMemtable(11, 5000)
	for range 50 {
		for id := range p.rows {
			p.update(id, p.some(id, 1), p.now.Schema.Columns[0])
			p.delete(id, p.some(id, 1))
		}
		p.compare("SELECT count(*), sum(v0), min(v1) FROM {}")
	}
	for name, m := range map[string]*sync.Map{"scans": &scans.Map, "changed scans": &lazyScans} {
		m.Range(func(key, _ any) bool {
			t.Errorf("%s: %v is still there", name, key)
			return false
		})
	}
	r := f.relation(&p.now)
	r.Close()
	if _, err := f.conn.Query(context.Background(), r.SQL); err == nil {
		t.Error("the relation can be read after it was closed")
	}
	// The 50 rows that were read of the part are cached once, not once for every set of the part.
	cached := f.overlay.caches.of(p.now.Patches[10]).columns
	if got := len(cached.written(p.now.Schema.Columns[1].ID).rows); got == 0 || got > 50 {
		t.Errorf("%d rows of v1 are kept, at most 50 were changed", got)
	}
}

// TestOrderOfBranches checks that branches are in the order of insertion, except for queries for
// the newest rows.
func TestOrderOfBranches(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt)), 1)
	p.addPart(10, 10)
	p.addPart(11, 10)
	p.addMemtable(12, 10)
	for _, newestFirst := range []bool{false, true} {
		r, err := f.overlay.Relation(t.Context(), &p.now, nil, RelationOptions{NewestFirst: newestFirst})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		order := []int{strings.Index(r.SQL, "/10'"), strings.Index(r.SQL, "/11'"), strings.Index(r.SQL, scanFunction)}
		if newestFirst {
			slices.Reverse(order)
		}
		if order[0] < 0 || !slices.IsSorted(order) {
			t.Errorf("newest first: %v: %s", newestFirst, r.SQL)
		}
	}
}
