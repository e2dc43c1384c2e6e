//go:build cgo

package merge

import (
	"context"
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// sqlDatabase is a database on the real file system, with a DuckDB instance.
type sqlDatabase struct {
	*database
	t       *testing.T
	dir     string
	pool    *duck.Pool
	overlay *overlay.Overlay
}

func openSQL(t *testing.T) *sqlDatabase {
	t.Helper()
	dir := t.TempDir()
	inst, err := duck.Open(duck.Settings{Threads: 1, ReadableDirs: []string{dir}})
	must(t, err)
	t.Cleanup(inst.Close)
	pool := duck.NewPool(inst, 4)
	t.Cleanup(pool.Close)
	relations, err := overlay.New(inst, blocks.NewFiles(vfs.OS, filepath.Join(dir, "parts"), quiet), ledger.NewAccount("changed", 1<<20), ledger.NewAccount("columns", 1<<19))
	must(t, err)
	d := &sqlDatabase{t: t, dir: dir, pool: pool, overlay: relations}
	clock := newManualClock()
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{Clock: clock, Logger: quiet})
	must(t, err)
	d.database = &database{engine: e, merges: New(e, Settings{DisableAutomatic: true}, Components{FS: vfs.OS, Clock: clock, Logger: quiet, Constants: d.constants}), clock: clock}
	return d
}

// records runs a query.
func (d *sqlDatabase) records(sql string) ([]arrow.RecordBatch, error) {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer d.pool.Release(conn)
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []arrow.RecordBatch
	for {
		rec, err := rows.Next(ctx)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
}

// constants evaluates default expressions like the server.
func (d *sqlDatabase) constants(_ context.Context, _ schema.Table, columns []schema.Column, _ int64) (map[base.ColumnID]arrow.Array, error) {
	out := map[base.ColumnID]arrow.Array{}
	for _, c := range columns {
		recs, err := d.records(fmt.Sprintf("SELECT CAST(CAST((%s) AS %s) AS %s)", c.Default, c.Type, c.Type.StorageSQL()))
		if err != nil {
			return nil, err
		}
		out[c.ID] = recs[0].Column(0)
	}
	return out, nil
}

// insert appends the result of a query and flushes it to a part.
func (d *sqlDatabase) insert(table schema.Table, sql string) {
	d.t.Helper()
	recs, err := d.records(sql)
	if err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
	conformed := make([]arrow.RecordBatch, len(recs))
	for i, rec := range recs {
		conformed[i], err = batch.Conform(rec, table, batch.ConformOptions{})
		must(d.t, err)
	}
	_, err = d.engine.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: conformed}}, engine.AppendOptions{})
	must(d.t, err)
	must(d.t, d.engine.Flush(ctx))
}

// query runs a query over the table's relation, which is written as {}, and returns its rows as
// text.
func (d *sqlDatabase) query(id base.TableID, sql string) (string, error) {
	snap, err := d.engine.Snapshot(id)
	if err != nil {
		return "", err
	}
	defer snap.Release()
	relation, err := d.overlay.Relation(context.Background(), snap.Tables[id], nil, overlay.RelationOptions{})
	if err != nil {
		return "", err
	}
	defer relation.Close()
	recs, err := d.records(strings.ReplaceAll(sql, "{}", "("+relation.SQL+")"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, rec := range recs {
		for i := range int(rec.NumRows()) {
			for _, c := range rec.Columns() {
				b.WriteString(c.ValueStr(i) + " | ")
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

func (d *sqlDatabase) mustQuery(id base.TableID, sql string) string {
	d.t.Helper()
	out, err := d.query(id, sql)
	must(d.t, err)
	return out
}

func (d *sqlDatabase) alter(id base.TableID, change func(schema.Table) (schema.Table, error)) schema.Table {
	d.t.Helper()
	table, err := d.engine.AlterTable(ctx, id, change)
	must(d.t, err)
	return table
}

// everyType has types, an expression of the type over i, and a wider type if there is one.
var everyType = []struct{ typ, value, wider string }{
	{"BOOLEAN", "i % 2 = 0", ""},
	{"TINYINT", "i - 50", "INTEGER"}, {"SMALLINT", "i * -300", "DOUBLE"}, {"INTEGER", "i * 20000000", "BIGINT"}, {"BIGINT", "i * 92233720368547758", "HUGEINT"},
	{"UTINYINT", "i", "UINTEGER"}, {"USMALLINT", "i * 600", "DECIMAL(9,2)"}, {"UINTEGER", "i * 42949672", "BIGINT"}, {"UBIGINT", "i::HUGEINT * 184467440737095516", "UHUGEINT"},
	{"HUGEINT", "i * -1701411834604692317316873037158841057", ""}, {"UHUGEINT", "i::UHUGEINT * 3402823669209384634633746074317682114", ""},
	{"FLOAT", "i / 7", "DOUBLE"}, {"DOUBLE", "CASE WHEN i = 3 THEN 'nan' WHEN i = 4 THEN '-inf' ELSE i / 7 END", ""},
	{"DECIMAL(4,1)", "i / 2", "DECIMAL(9,3)"}, {"DECIMAL(18,4)", "i / 8 - 3", "DECIMAL(38,10)"}, {"DECIMAL(38,0)", "i - 50", ""},
	{"VARCHAR", "'text ' || i % 7", ""}, {"BLOB", "encode('b' || i)", ""}, {"UUID", "md5(i::VARCHAR)::UUID", ""}, {"BIT", "i::TINYINT::BIT", ""},
	{"DATE", "DATE '1969-12-01' + i::INTEGER", ""}, {"TIME", "TIME '00:00:01' + to_microseconds(i * 7)", ""}, {"TIMETZ", "'10:00:00+02'::TIMETZ", ""},
	{"TIMESTAMP", "TIMESTAMP '2024-02-28' + to_hours(i)", ""}, {"TIMESTAMP_S", "TIMESTAMP '2024-02-28' + to_hours(i)", "TIMESTAMP_MS"},
	{"TIMESTAMP_MS", "TIMESTAMP '1960-02-28' + to_milliseconds(i)", "TIMESTAMP"}, {"TIMESTAMP_NS", "make_timestamp_ns(i * 1000000007)", ""},
	{"TIMESTAMPTZ", "TIMESTAMPTZ '2024-02-28 00:00:00+00' + to_hours(i)", ""}, {"INTERVAL", "to_days(i) + to_microseconds(i)", ""},
	{"ENUM('a', 'b', 'c')", "['c', 'a', 'b'][i % 3 + 1]", "ENUM('a', 'b', 'c', 'd')"}, {"ENUM('x', 'y')", "['y', 'x'][i % 2 + 1]", "VARCHAR"},
	{"JSON", "'{\"k\": ' || i || '}'", "VARCHAR"},
	{"INTEGER[]", "CASE i % 3 WHEN 0 THEN [] WHEN 1 THEN [i, NULL] ELSE [i] END", "BIGINT[]"}, {"VARCHAR[][]", "[['a', NULL], NULL, [i::VARCHAR]]", ""},
	{"INTEGER[2]", "[i, NULL]", "INTEGER[]"}, {"FLOAT[3]", "[i, 1, 2]", "DOUBLE[3]"},
	{"STRUCT(a INTEGER, b VARCHAR)", "{'a': i, 'b': 'x' || i}", "STRUCT(a BIGINT, b VARCHAR, c DOUBLE)"},
	{"STRUCT(l STRUCT(m HUGEINT)[])", "{'l': [{'m': i}, NULL]}", ""},
	{"MAP(VARCHAR, INTEGER)", "MAP {'k' || i: i, 'n': NULL}", "MAP(VARCHAR, BIGINT)"},
}

// A merge changes nothing that a query sees, for all types and all changes of the schema since the
// parts were written: columns that were widened, renamed, dropped, or added with and without an
// initial value.
func TestMergeKeepsValuesOfEveryTypeAndSchemaVersion(t *testing.T) {
	d := openSQL(t)
	must(t, d.engine.CreateDatabase(ctx, "d", true))
	def := schema.Table{Database: "d", Schema: "main", Name: "t", SortKey: []schema.SortField{{Column: 1}}}
	def.Columns = append(def.Columns, schema.Column{Name: "i", Type: schema.Of(schema.BigInt)}, schema.Column{Name: "gone", Type: schema.Of(schema.BigInt)})
	values := []string{"i", "i AS gone"}
	for n, e := range everyType {
		typ, err := schema.Parse(e.typ)
		must(t, err)
		def.Columns = append(def.Columns, schema.Column{Name: fmt.Sprintf("c%d", n), Type: typ})
		values = append(values, fmt.Sprintf("CASE WHEN i %% 11 = 5 THEN NULL ELSE CAST(CAST((%s) AS %s) AS %s) END AS c%d", e.value, typ, typ.StorageSQL(), n))
	}
	table, err := d.engine.CreateTable(ctx, def, false)
	must(t, err)
	insert := func(from, to int) {
		d.insert(table, "SELECT "+strings.Join(values, ", ")+fmt.Sprintf(" FROM (SELECT (range * 7919) %% 97 AS i FROM range(%d, %d))", from, to))
	}
	insert(0, 30)
	insert(30, 50)

	table = d.alter(table.ID, func(t schema.Table) (schema.Table, error) {
		return t.AddColumns(schema.Column{Name: "added", Type: schema.Of(schema.HugeInt), NotNull: true, Default: "17", Initial: "17"},
			schema.Column{Name: "label", Type: schema.EnumOf("old", "new"), Default: "'new'", Initial: "'old'"},
			schema.Column{Name: "empty", Type: schema.ListOf(schema.Of(schema.UUID))})
	})
	table = d.alter(table.ID, func(t schema.Table) (schema.Table, error) { return t.DropColumn("gone") })
	table = d.alter(table.ID, func(t schema.Table) (schema.Table, error) { return t.RenameColumn("c16", "gone") })
	values[1], values = "18 AS added", append(values, "'new' AS label")
	values[18] = strings.ReplaceAll(values[18], "AS c16", "AS gone")
	for n, e := range everyType {
		if e.wider == "" {
			continue
		}
		wider, err := schema.Parse(e.wider)
		must(t, err)
		table = d.alter(table.ID, func(t schema.Table) (schema.Table, error) { return t.ChangeType(fmt.Sprintf("c%d", n), wider) })
		values[n+2] = fmt.Sprintf("CAST(CAST(NULL AS %s) AS %s) AS c%d", wider, wider.StorageSQL(), n)
	}
	insert(50, 60)

	// Types that Arrow prints differently are compared as DuckDB's text.
	const all = "SELECT typeof(COLUMNS(*)), CAST(COLUMNS(*) AS VARCHAR) FROM {} ORDER BY i"
	before := d.mustQuery(table.ID, all)
	must(t, d.merges.RunUntilIdle(ctx))
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	if parts := snap.Tables[table.ID].Parts; len(parts) != 1 || parts[0].SchemaVersion != table.Version {
		t.Errorf("%d parts, the first of schema version %d, want one of version %d", len(parts), parts[0].SchemaVersion, table.Version)
	}
	snap.Release()
	if after := d.mustQuery(table.ID, all); after != before {
		b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
		for i := range b {
			if b[i] == a[i] {
				continue
			}
			bc, ac := strings.Split(b[i], " | "), strings.Split(a[i], " | ")
			for j := range bc {
				if bc[j] != ac[j] {
					t.Errorf("row %d, column %d: %q before, %q after", i, j, bc[j], ac[j])
				}
			}
		}
	}
	if rows := strings.Count(before, "\n"); rows != 60 {
		t.Errorf("%d rows", rows)
	}
	d.mustEnd(t)
}

// While rows are appended, flushed and merged, every snapshot has whole requests, and a snapshot
// does not change.
func TestReadersDuringMergesSeeWholeRequests(t *testing.T) {
	d := openSQL(t)
	table, err := d.createEvents("events", false)
	must(t, err)
	const requests, rowsEach = 60, 25
	done := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() {
		defer close(done)
		for i := range requests {
			if err := d.flushEvents("events", fmt.Sprintf("w%d", i%4), i*rowsEach, rowsEach); err != nil {
				t.Error(err)
				return
			}
		}
	})
	background.Go(func() {
		for {
			if err := d.merges.RunUntilIdle(ctx); err != nil {
				t.Error(err)
				return
			}
			if err := d.engine.CollectGarbage(); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	background.Go(func() {
		last := int64(0)
		for {
			snap, err := d.engine.Snapshot(table.ID)
			if err != nil {
				t.Error(err)
				return
			}
			rows := snap.Tables[table.ID].Rows()
			var answers [2]string
			for i := range answers {
				relation, err := d.overlay.Relation(context.Background(), snap.Tables[table.ID], nil, overlay.RelationOptions{})
				if err != nil {
					t.Error(err)
					break
				}
				recs, err := d.records("SELECT count(*), count(DISTINCT n), sum(n)::VARCHAR FROM (" + relation.SQL + ")")
				relation.Close()
				if err != nil {
					t.Error(err)
					break
				}
				for _, c := range recs[0].Columns() {
					answers[i] += c.ValueStr(0) + " "
				}
			}
			snap.Release()
			sum := fmt.Sprint(rows * (rows - 1) / 2)
			if rows == 0 {
				sum = "(null)"
			}
			if want := fmt.Sprintf("%d %d %s ", rows, rows, sum); rows%rowsEach != 0 || rows < last || answers[0] != want || answers[1] != want {
				t.Errorf("a snapshot of %d rows gives %q, want %q twice", rows, answers, want)
				return
			}
			last = rows
			select {
			case <-done:
				return
			default:
			}
		}
	})
	background.Wait()
	must(t, d.merges.RunUntilIdle(ctx))
	if got, want := d.mustQuery(table.ID, "SELECT count(*), sum(n)::VARCHAR FROM {}"), fmt.Sprintf("%d | %d | \n", requests*rowsEach, requests*rowsEach*(requests*rowsEach-1)/2); got != want {
		t.Errorf("in the end %q, want %q", got, want)
	}
	d.mustEnd(t)
}
