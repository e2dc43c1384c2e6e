package merge

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

func versioned(t *testing.T, d *database, versions bool) schema.Table {
	t.Helper()
	must(t, d.engine.CreateDatabase(ctx, "d", true))
	table := schema.Table{
		Database: "d", Schema: "main", Name: "keyed",
		Columns:    []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}, {Name: "ver", Type: schema.Of(schema.BigInt)}, {Name: "gone", Type: schema.Of(schema.Boolean)}},
		PrimaryKey: []base.ColumnID{1}, IsDeleted: 3,
	}
	if versions {
		table.RowVersion, table.KeepTombstones = 2, time.Hour
	}
	table, err := d.engine.CreateTable(ctx, table, false)
	must(t, err)
	return table
}

// flushKeyed adds ids and flushes them. The rows with odd ids are tombstones.
func flushKeyed(t *testing.T, d *database, table schema.Table, from, to int64) {
	t.Helper()
	i, v, g := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator), array.NewBooleanBuilder(memory.DefaultAllocator)
	for id := from; id < to; id++ {
		i.Append(id)
		v.Append(1)
		g.Append(id%2 == 1)
	}
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "ver", Type: arrow.PrimitiveTypes.Int64}, {Name: "gone", Type: arrow.FixedWidthTypes.Boolean},
	}, nil), []arrow.Array{i.NewArray(), v.NewArray(), g.NewArray()}, to-from)
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	defer s.Release()
	_, err = d.engine.Commit(ctx, s, []engine.Change{{Table: table.ID, Inserted: []arrow.RecordBatch{rec}}}, engine.AppendOptions{})
	must(t, err)
	must(t, d.engine.Flush(ctx))
}

func partRows(t *testing.T, d *database, table base.TableID) (rows []int64) {
	t.Helper()
	s, err := d.engine.Snapshot(table)
	must(t, err)
	defer s.Release()
	for _, p := range s.Tables[table].Parts {
		rows = append(rows, p.Rows)
	}
	return rows
}

func TestTombstonesStayForTheirAgeAndGo(t *testing.T) {
	d := mustOpen(t, vfs.NewCrashable())
	table := versioned(t, d, true)
	flushKeyed(t, d, table, 0, 100)
	flushKeyed(t, d, table, 100, 200)
	must(t, d.merges.RunUntilIdle(ctx))
	if rows := partRows(t, d, table.ID); len(rows) != 1 || rows[0] != 200 {
		t.Fatalf("parts of %d rows before the age", rows)
	}
	d.clock.advance(59 * time.Minute)
	must(t, d.merges.RunUntilIdle(ctx))
	if rows := partRows(t, d, table.ID); len(rows) != 1 || rows[0] != 200 {
		t.Fatalf("parts of %d rows just before the age", rows)
	}
	// Row 7, a tombstone, is changed before it reaches the age, so it stays. Row 198 is changed
	// after a merge has dropped the other tombstones: that change must find its row.
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	part := s.Tables[table.ID].Parts[0].ID
	set := func(row uint32, ver int64) engine.Change {
		v := array.NewInt64Builder(memory.DefaultAllocator)
		v.Append(ver)
		values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "2", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{v.NewArray()}, 1)
		return engine.Change{Table: table.ID, Updated: []patch.Layer{{Rowset: part, Columns: []base.ColumnID{2}, Ordinals: []uint32{row}, Values: values}}}
	}
	_, err = d.engine.Commit(ctx, s, []engine.Change{set(7, 9)}, engine.AppendOptions{})
	must(t, err)
	s.Release()
	d.clock.advance(2 * time.Minute)
	s, err = d.engine.Snapshot(table.ID)
	must(t, err)
	// Not eager: the age of the tombstones is why the part is rewritten.
	if done, err := d.merges.runRound(ctx, false); done != 1 || err != nil {
		t.Fatalf("%d merges, %v", done, err)
	}
	if rows := partRows(t, d, table.ID); len(rows) != 1 || rows[0] != 101 {
		t.Fatalf("parts of %d rows after the age, want 101", rows)
	}
	_, err = d.engine.Commit(ctx, s, []engine.Change{set(198, 5)}, engine.AppendOptions{})
	must(t, err)
	s.Release()
	s, err = d.engine.Snapshot(table.ID)
	must(t, err)
	p := s.Tables[table.ID].Parts[0]
	changed := s.Tables[table.ID].Patches[p.ID]
	if changed == nil || changed.PatchedRows() != 1 || !changed.Patched().Contains(100) {
		t.Errorf("the change of row 198 went to %v", changed)
	}
	s.Release()
	if done, err := d.merges.runRound(ctx, false); done != 0 || err != nil {
		t.Errorf("%d more merges, %v", done, err)
	}
	d.mustEnd(t)
}

func TestTombstonesWithoutVersionsGoWithAnyMerge(t *testing.T) {
	d := mustOpen(t, vfs.NewCrashable())
	table := versioned(t, d, false)
	flushKeyed(t, d, table, 0, 10)
	flushKeyed(t, d, table, 11, 12) // only a tombstone
	must(t, d.merges.RunUntilIdle(ctx))
	if rows := partRows(t, d, table.ID); len(rows) != 1 || rows[0] != 5 {
		t.Fatalf("parts of %d rows", rows)
	}
	flushKeyed(t, d, table, 13, 14)
	d.clock.advance(time.Hour)
	if _, err := d.merges.runRound(ctx, false); err != nil {
		t.Fatal(err)
	}
	if rows := partRows(t, d, table.ID); len(rows) != 1 || rows[0] != 5 {
		t.Fatalf("parts of %d rows at rest", rows)
	}
	d.mustEnd(t)
}

// TestTombstonesStayForWhatCameInTimeAndNobodyRead adds a lower version within the age of a
// tombstone to a table that merges on read.
func TestTombstonesStayForWhatCameInTimeAndNobodyRead(t *testing.T) {
	d := mustOpen(t, vfs.NewCrashable())
	must(t, d.engine.CreateDatabase(ctx, "d", true))
	table, err := d.engine.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "lazy",
		Columns:    []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt)}, {Name: "ver", Type: schema.Of(schema.BigInt)}, {Name: "gone", Type: schema.Of(schema.Boolean)}},
		PrimaryKey: []base.ColumnID{1}, RowVersion: 2, IsDeleted: 3, KeepTombstones: time.Hour, MergeOnRead: true,
	}, false)
	must(t, err)
	add := func(ver int64, gone bool) {
		t.Helper()
		i, v, g := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator), array.NewBooleanBuilder(memory.DefaultAllocator)
		i.Append(1)
		v.Append(ver)
		g.Append(gone)
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{
			{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "ver", Type: arrow.PrimitiveTypes.Int64}, {Name: "gone", Type: arrow.FixedWidthTypes.Boolean},
		}, nil), []arrow.Array{i.NewArray(), v.NewArray(), g.NewArray()}, 1)
		_, err := d.engine.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{})
		must(t, err)
	}
	add(5, false)
	add(7, true)
	must(t, d.engine.Flush(ctx))
	must(t, d.merges.RunUntilIdle(ctx))
	d.clock.advance(59 * time.Minute)
	add(6, false)
	d.clock.advance(2 * time.Minute)
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	// for any rewrite of the part that runs at this moment
	if now := s.Tables[table.ID]; d.merges.merger.tombstonesDue(now, now.Parts[0]) {
		t.Error("the tombstone would go")
	}
	s.Release()
	must(t, d.merges.RunUntilIdle(ctx))
	s, err = d.engine.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	if n := s.Tables[table.ID].Rows(); n != 0 { // neither the row nor the tombstone
		t.Errorf("%d rows", n)
	}
	s.Release()
	d.mustEnd(t)
}
