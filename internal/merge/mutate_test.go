package merge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

// mutateEvents deletes a row of each part, and inserts one, in one mutation.
func (d *database) mutateEvents(id base.TableID) error {
	s, err := d.engine.Snapshot(id)
	if err != nil {
		return err
	}
	defer s.Release()
	w, n := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator)
	w.Append("m")
	n.Append(7)
	row := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "writer", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{w.NewArray(), n.NewArray()}, 1)
	c := engine.Change{Table: id, Deleted: map[base.RowsetID]*roaring.Bitmap{}, Inserted: []arrow.RecordBatch{row}}
	for _, p := range s.Tables[id].Parts {
		c.Deleted[p.ID] = roaring.BitmapOf(0)
	}
	return d.merges.Mutate(ctx, s, c, engine.AppendOptions{})
}

// The power fails after each write of a mutation. Either all of it happened or nothing, and once it
// is acknowledged, all of it.
func TestMutationWithCrash(t *testing.T) {
	template, id, before := prepared(t)
	var after []string
	read := func(what string, fsys vfs.FS) []string {
		t.Helper()
		d, err := tryOpen(fsys, "/db", quiet)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s, err := d.read(fsys, id)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		d.mustEnd(t)
		return s.rows
	}
	whole := template.CrashClone(rand.New(rand.NewPCG(1, 1)), 100)
	d := mustOpen(t, whole)
	must(t, d.mutateEvents(id))
	d.mustEnd(t)
	if after = read("whole", whole); len(after) != len(before)-4+1 {
		t.Fatalf("%d rows of %d", len(after), len(before))
	}
	withCrashes(t, template, func(d *database) error { return d.mutateEvents(id) }, func(what string, disk vfs.FS, err error) {
		rows := read(what, disk)
		if !slices.Equal(rows, after) && (err == nil || !slices.Equal(rows, before)) {
			t.Fatalf("%s: %d rows", what, len(rows))
		}
	})
}

// TestAMutationOfRowsThatAreGoneIsChanged computes a mutation of rows that are not in a part yet.
// Before it commits, another change deletes the rows.
func TestAMutationOfRowsThatAreGoneIsChanged(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createItems()
	must(t, err)
	must(t, d.appendItems(table.ID, []int64{1, 2, 3}, 0))
	old, err := d.engine.Snapshot(table.ID)
	must(t, err)
	must(t, d.changeNow(fsys, table.ID, map[int64]*int64{1: nil, 2: nil}))
	one := int64(1)
	for _, d.mutates = range []bool{false, true} {
		if err := d.change(fsys, old, table.ID, map[int64]*int64{1: &one, 2: nil}); !errors.Is(err, engine.ErrChanged) {
			t.Errorf("by writing parts anew %t: %v", d.mutates, err)
		}
	}
	old.Release()
	d.mustEnd(t)
}

// TestMutationsAreComparedWithOtherChanges makes two changes of one row. The mutation must not
// overwrite what was committed after its snapshot. A change that was computed before a mutation
// must not be committed after it.
func TestMutationsAreComparedWithOtherChanges(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createItems()
	must(t, err)
	must(t, d.appendItems(table.ID, []int64{1, 2, 3}, 0))
	must(t, d.engine.Flush(ctx))
	must(t, d.appendItems(table.ID, []int64{4, 5}, 0)) // not in a part yet
	for _, first := range []bool{false, true} {
		old, err := d.engine.Snapshot(table.ID)
		must(t, err)
		one, two := int64(1), int64(2)
		d.mutates = first
		must(t, d.changeNow(fsys, table.ID, map[int64]*int64{1: &one, 4: &one}))
		d.mutates = !first
		if err := d.change(fsys, old, table.ID, map[int64]*int64{4: &two, 5: &two}); !errors.Is(err, engine.ErrChanged) {
			t.Errorf("mutation first %v: %v", first, err)
		}
		// other rows of the same parts
		must(t, d.change(fsys, old, table.ID, map[int64]*int64{2: &two, 5: &two}))
		old.Release()
	}
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	defer s.Release()
	items, err := d.items(fsys, s.Tables[table.ID])
	must(t, err)
	got := ""
	for id := range int64(6) {
		got += fmt.Sprint(items[id].value)
	}
	if got != "012012" {
		t.Errorf("values %s", got)
	}
}

// TestAMutationWaitsForNoLock: another statement locks the table while the mutation writes its
// parts. Waiting for that lock would keep the mutation's snapshot in memory.
func TestAMutationWaitsForNoLock(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	d.mutates = true
	table, err := d.createItems()
	must(t, err)
	must(t, d.appendItems(table.ID, []int64{1, 2, 3}, 0))
	must(t, d.engine.Flush(ctx))
	release, err := d.engine.LockTables(ctx, nil, table.ID)
	must(t, err)
	one := int64(1)
	if err := d.changeNow(fsys, table.ID, map[int64]*int64{1: &one}); !errors.Is(err, engine.ErrTableLocked) {
		t.Errorf("while the table is locked: %v", err)
	}
	release()
	must(t, d.changeNow(fsys, table.ID, map[int64]*int64{1: &one}))
	d.mustEnd(t)
}

// TestMergesLeaveAloneWhatAMutationWrites runs merges while one part is being rewritten.
func TestMergesLeaveAloneWhatAMutationWrites(t *testing.T) {
	d := mustOpen(t, vfs.NewCrashable())
	table, err := d.createItems()
	must(t, err)
	for i := range int64(3) {
		must(t, d.appendItems(table.ID, []int64{i}, 0))
		must(t, d.engine.Flush(ctx))
	}
	parts := func() []base.RowsetID {
		s, err := d.engine.Snapshot(table.ID)
		must(t, err)
		defer s.Release()
		var ids []base.RowsetID
		for _, p := range s.Tables[table.ID].Parts {
			ids = append(ids, p.ID)
		}
		return ids
	}
	one := parts()[0]
	release := d.merges.holdBack([]subject{{table.ID, one}})
	must(t, d.merges.RunUntilIdle(ctx))
	if left := parts(); len(left) != 2 || !slices.Contains(left, one) {
		t.Errorf("parts %v, of which %d is being written anew", left, one)
	}
	release()
	must(t, d.merges.RunUntilIdle(ctx))
	if left := parts(); len(left) != 1 {
		t.Errorf("parts %v", left)
	}
	d.mustEnd(t)
}
