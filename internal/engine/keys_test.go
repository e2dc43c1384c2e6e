package engine

import (
	"errors"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

func TestAKeyIsInsertedByOneOfTwoThatSawNone(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	defer mustEnd(t, e)
	table, err := createAccounts(e, "t")
	must(t, err)
	insert := func(s *snapshot.Snapshot, from int, keys ...uint64) error {
		rec := accountsBatch(from, 1, 1)
		defer rec.Release()
		_, err := e.Commit(ctx, s, []Change{{Table: table.ID, Inserted: []arrow.RecordBatch{rec}, Keys: keys}}, AppendOptions{})
		return err
	}
	before, err := e.Snapshot(table.ID)
	must(t, err)
	defer before.Release()
	must(t, insert(before, 1, 100, 101))
	must(t, insert(before, 2, 102))
	if err := insert(before, 3, 99, 101); !errors.Is(err, ErrChanged) {
		t.Errorf("a key that was inserted since the snapshot: %v", err)
	}
	must(t, e.Flush(ctx))
	if err := insert(before, 3, 102); !errors.Is(err, ErrChanged) {
		t.Errorf("a key that was inserted and flushed since the snapshot: %v", err)
	}
	after, err := e.Snapshot(table.ID)
	must(t, err)
	defer after.Release()
	must(t, insert(after, 4, 100)) // the snapshot has the key, so this is not a conflict
	if got := len(amounts(t, e, table.ID)); got != 3 {
		t.Errorf("%d rows", got)
	}
}

// TestIndexesOfKeysGoWithTheirSources builds key indexes of rowsets, and then flushes, merges and
// drops the rowsets, with and without a snapshot that holds them.
func TestIndexesOfKeysGoWithTheirSources(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	want := func(what string, n int) {
		t.Helper()
		if remaining, _ := e.keyFinder.Cached(); remaining != n {
			t.Fatalf("%s: indexes of %d sources, want %d", what, remaining, n)
		}
	}
	bring := func() {
		t.Helper()
		must(t, appendMergeOnRead(e, table, []keyedVersion{{id: 1}, {id: 2}, {id: 3}}, AppendOptions{}))
		_, err := readDeduplicated(e, table)
		must(t, err)
	}
	bring()
	want("a memtable", 1)
	held, err := e.Snapshot(table.ID)
	must(t, err)
	must(t, e.Flush(ctx))
	want("a flushed memtable that somebody reads", 1)
	held.Release()
	want("a flushed memtable", 0)
	bring()
	want("a memtable and the part that has its keys", 2)
	must(t, e.Flush(ctx))
	want("that part", 1)
	must(t, rewriteFirst(e, table, func() {}))
	want("that part written anew", 0)
	bring()
	must(t, e.DropTable(ctx, table.ID))
	want("a dropped table", 0)
	mustEnd(t, e)
}

// TestAVersionThatIsGoneDoesNotKeepRowsFromBeingFlushed deletes a row and gives another row a new
// version. The old versions are dates beyond the range of TIMESTAMP. Then the type of the version
// column changes to TIMESTAMP.
func TestAVersionThatIsGoneDoesNotKeepRowsFromBeingFlushed(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	must(t, e.CreateDatabase(ctx, "d", true))
	table, err := e.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "t",
		Columns:    []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt), NotNull: true}, {Name: "day", Type: schema.Of(schema.Date)}},
		PrimaryKey: []base.ColumnID{1}, RowVersion: 2, MergeOnRead: true,
	}, false)
	must(t, err)
	days := func(days ...arrow.Date32) arrow.Array {
		b := array.NewDate32Builder(memory.DefaultAllocator)
		b.AppendValues(days, nil)
		return b.NewArray()
	}
	ids := array.NewInt64Builder(memory.DefaultAllocator)
	ids.AppendValues([]int64{1, 2, 2, 3, 3}, nil)
	const beyond = 110_000_000 // about the year 303,000
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "day", Type: arrow.FixedWidthTypes.Date32}}, nil),
		[]arrow.Array{ids.NewArray(), days(beyond, beyond, 7, 9, 8)}, 5)
	_, err = e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{rec}}}, AppendOptions{})
	must(t, err)
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	rowset := s.Tables[table.ID].Memtables[0].Rowset
	_, err = e.Commit(ctx, s, []Change{{Table: table.ID, DeleteSuperseded: true, Deleted: map[base.RowsetID]*roaring.Bitmap{rowset: roaring.BitmapOf(0)}, Updated: []patch.Layer{{
		Rowset: rowset, Columns: []base.ColumnID{2}, Ordinals: []uint32{1},
		Values: array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.FixedWidthTypes.Date32, Nullable: true}}, nil), []arrow.Array{days(6)}, 1),
	}}}}, AppendOptions{})
	s.Release()
	must(t, err)
	_, err = e.AlterTable(ctx, table.ID, func(t schema.Table) (schema.Table, error) { return t.ChangeType("day", schema.Of(schema.Timestamp)) })
	must(t, err)
	must(t, e.Flush(ctx))
	mustEnd(t, e)
}
