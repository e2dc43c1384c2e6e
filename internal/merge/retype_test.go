package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// createCounts creates a table that is sorted by writer or not at all, so that the type of n can be
// changed.
func (d *database) createCounts(key ...schema.SortField) (schema.Table, error) {
	if err := d.engine.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	return d.engine.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "counts",
		Columns: []schema.Column{{Name: "writer", Type: schema.Of(schema.Varchar)}, {Name: "n", Type: schema.Of(schema.BigInt)}},
		SortKey: key,
	}, true)
}

// numbered computes 'n' || n like DuckDB.
func numbered(t schema.Table, x *patch.Expression, rec arrow.RecordBatch, _ []uint32) (arrow.RecordBatch, error) {
	made := array.NewStringBuilder(memory.DefaultAllocator)
	n := rec.Column(1).(*array.Int64)
	for i := range n.Len() {
		if n.Value(i) < 0 {
			return nil, base.Errorf(base.Invalid, "%d is negative", n.Value(i))
		}
		made.Append(fmt.Sprint("n", n.Value(i)))
	}
	columns := slices.Clone(rec.Columns())
	columns[t.ColumnByID(x.Set[0].Column)] = made.NewArray()
	return array.NewRecordBatch(rec.Schema(), columns, rec.NumRows()), nil
}

// retypeCounts changes the type of n to VARCHAR.
func (d *database) retypeCounts(id base.TableID) error {
	d.merges.merger.evaluate = numbered
	from, err := d.engine.Table(id)
	if err != nil {
		return err
	}
	to, err := from.Retype("n", schema.Of(schema.Varchar))
	if err != nil {
		return err
	}
	return d.merges.Retype(ctx, from, to, 2, "counts", "'n' || n")
}

// The power fails after each write of a change of a column's type. The table is then in its old or
// new state, and once the change is acknowledged, in the new one.
func TestChangeOfATypeWithCrash(t *testing.T) {
	template := vfs.NewCrashable()
	d := mustOpen(t, template)
	table, err := d.createCounts(schema.SortField{Column: 1})
	must(t, err)
	for i := range 3 {
		must(t, d.flushEvents("counts", fmt.Sprint("w", i), 10*i, 10))
	}
	must(t, d.deleteFromParts(table.ID, 4))
	// not in a part yet
	_, err = d.engine.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{eventsOf("x", 1, 5)}}}, engine.AppendOptions{})
	must(t, err)
	must(t, d.close())
	crashed := 0
	withCrashes(t, template, func(d *database) error { return d.retypeCounts(table.ID) }, func(what string, disk vfs.FS, err error) {
		d, openErr := tryOpen(disk, "/db", quiet)
		if openErr != nil {
			t.Fatalf("%s: %v", what, openErr)
		}
		must(t, d.engine.Flush(ctx))
		now, lookErr := d.engine.Table(table.ID)
		must(t, lookErr)
		is := now.Columns[1].Type.Kind == schema.Varchar
		rows := d.mustRead(t, disk, table.ID).rows
		changed := 0
		for _, row := range rows {
			if strings.Contains(row, " n") {
				changed++
			}
		}
		if len(rows) != 3*9+5 || is && changed != len(rows) || !is && changed > 0 || err == nil && !is {
			t.Fatalf("%s: %d rows, %d of them changed, type %s", what, len(rows), changed, now.Columns[1].Type)
		}
		if !is {
			crashed++
		}
		must(t, d.appendOne(table.ID, is))
		d.mustEnd(t)
	})
	if crashed == 0 {
		t.Error("no crash came before the end")
	}
}

// appendOne appends a row with the current type of column n.
func (d *database) appendOne(id base.TableID, text bool) error {
	rec := eventsOf("y", 1, 1)
	if text {
		s := array.NewStringBuilder(memory.DefaultAllocator)
		s.Append("n1")
		fields := []arrow.Field{{Name: "writer", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.BinaryTypes.String}}
		rec = array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{rec.Column(0), s.NewArray()}, 1)
	}
	_, err := d.engine.Append(ctx, []engine.TableRows{{ID: id, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{})
	return err
}

// TestAChangeOfATypeThatFailsLeavesTheTable has a value in the last part that cannot be converted.
func TestAChangeOfATypeThatFailsLeavesTheTable(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createCounts(schema.SortField{Column: 1})
	must(t, err)
	must(t, d.flushEvents("counts", "a", 0, 10))
	must(t, d.flushEvents("counts", "b", -1, 1))
	before := d.mustRead(t, fsys, table.ID)
	if err := d.retypeCounts(table.ID); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "-1 is negative") {
		t.Errorf("%v", err)
	}
	if after := d.mustRead(t, fsys, table.ID); after.parts != 2 || !slices.Equal(after.rows, before.rows) {
		t.Errorf("%d parts, %q", after.parts, after.rows)
	}
	must(t, d.appendOne(table.ID, false))
	must(t, d.deleteFromParts(table.ID, 0))
	d.mustEnd(t)
}

// TestRowsThatChangeWhileATypeChangesAreConverted changes and deletes rows of a part that has been
// rewritten already.
func TestRowsThatChangeWhileATypeChangesAreConverted(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createCounts()
	must(t, err)
	for i := range 5 {
		must(t, d.flushEvents("counts", fmt.Sprint(i), 0, 70000))
	}
	from, err := d.engine.Table(table.ID)
	must(t, err)
	to, err := from.Retype("n", schema.Of(schema.Varchar))
	must(t, err)
	calls := 0
	d.merges.merger.evaluate = func(t schema.Table, x *patch.Expression, rec arrow.RecordBatch, exempt []uint32) (arrow.RecordBatch, error) {
		// in the first round, which has written the first part
		if calls++; calls > 1 && calls <= 5 {
			if err := d.changeCounts(table.ID, uint32(10*calls)); err != nil {
				return nil, err
			}
		}
		return numbered(t, x, rec, exempt)
	}
	must(t, d.merges.Retype(ctx, from, to, 2, "counts", "'n' || n"))
	rows := d.mustRead(t, fsys, table.ID).rows
	changed := 0
	for _, row := range rows {
		if !strings.Contains(row, " n") {
			t.Fatalf("row %q", row)
		}
		if len(row)-strings.LastIndex(row, " n") > len(" n69999") {
			changed++
		}
	}
	if calls < 6 || changed != 4 || len(rows) != 5*70000-changed {
		t.Errorf("%d rows, %d changed, %d batches", len(rows), changed, calls)
	}
	d.mustEnd(t)
}

// changeCounts sets a new value in a row of the first part of a table, and deletes the next row.
func (d *database) changeCounts(id base.TableID, row uint32) error {
	s, err := d.engine.Snapshot(id)
	if err != nil {
		return err
	}
	defer s.Release()
	first := s.Tables[id].Parts[0].ID
	n := array.NewInt64Builder(memory.DefaultAllocator)
	n.Append(1000000 + int64(row))
	values := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{n.NewArray()}, 1)
	c := engine.Change{Table: id, Deleted: map[base.RowsetID]*roaring.Bitmap{first: roaring.BitmapOf(row + 1)},
		Updated: []patch.Layer{{Rowset: first, Columns: []base.ColumnID{2}, Ordinals: []uint32{row}, Values: values}}}
	_, err = d.engine.Commit(ctx, s, []engine.Change{c}, engine.AppendOptions{})
	return err
}

// TestRowsThatComeWhileATypeChangesAreConverted appends rows while parts are rewritten, without
// delays for writers, and reads with a snapshot from before.
func TestRowsThatComeWhileATypeChangesAreConverted(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createCounts(schema.SortField{Column: 1})
	must(t, err)
	for i := range 4 {
		must(t, d.flushEvents("counts", fmt.Sprint(i), 0, 70000))
	}
	old, err := d.engine.Snapshot(table.ID)
	must(t, err)
	from, err := d.engine.Table(table.ID)
	must(t, err)
	to, err := from.Retype("n", schema.Of(schema.Varchar))
	must(t, err)
	came := 0
	d.merges.merger.evaluate = func(t schema.Table, x *patch.Expression, rec arrow.RecordBatch, exempt []uint32) (arrow.RecordBatch, error) {
		if came < 3 {
			came++
			if err := d.flushEvents("counts", fmt.Sprint("late", came), 0, 7); err != nil {
				return nil, err
			}
		}
		return numbered(t, x, rec, exempt)
	}
	must(t, d.merges.Retype(ctx, from, to, 2, "counts", "'n' || n"))
	if shown := old.Tables[table.ID]; shown.Schema.Columns[1].Type.Kind != schema.BigInt || shown.Rows() != 4*70000 {
		t.Errorf("the snapshot from before shows %d rows of %s", shown.Rows(), shown.Schema)
	}
	old.Release()
	rows := d.mustRead(t, fsys, table.ID).rows
	if len(rows) != 4*70000+3*7 || came != 3 {
		t.Errorf("%d rows, %d appends", len(rows), came)
	}
	for _, row := range rows {
		if !strings.Contains(row, " n") {
			t.Fatalf("row %q", row)
		}
	}
	d.mustEnd(t)
}
