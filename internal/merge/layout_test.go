package merge

import (
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// alter changes a table's schema.
func (d *database) alter(t testing.TB, table base.TableID, change func(schema.Table) (schema.Table, error)) schema.Table {
	t.Helper()
	now, err := d.engine.AlterTable(ctx, table, change)
	must(t, err)
	return now
}

func sortedBy(columns ...base.ColumnID) func(schema.Table) (schema.Table, error) {
	var fields []schema.SortField
	for _, id := range columns {
		fields = append(fields, schema.SortField{Column: id})
	}
	return func(t schema.Table) (schema.Table, error) { return t.SetSortKey(fields...) }
}

func partitionedBy(columns ...base.ColumnID) func(schema.Table) (schema.Table, error) {
	var fields []schema.PartitionField
	for _, id := range columns {
		fields = append(fields, schema.PartitionField{Column: id})
	}
	return func(t schema.Table) (schema.Table, error) { return t.SetPartitioning(fields...) }
}

// valuesOf returns the values of items in the order of a part's file.
func (d *database) valuesOf(t testing.TB, fsys vfs.FS, s *snapshot.Table, i int) (values []int64) {
	t.Helper()
	p := s.Parts[i]
	must(t, part.Read(d.engine.PartFile(p), s.Versions[p.SchemaVersion], func(rec arrow.RecordBatch) error {
		for row := range int(rec.NumRows()) {
			v, err := strconv.ParseInt(rec.Column(1).ValueStr(row), 10, 64)
			must(t, err)
			values = append(values, v)
		}
		return nil
	}))
	return values
}

// TestALayoutThatWentAndCameBackReachesPartsOfBefore updates values in place while their column is
// not in the sort key or the partitioning. The part was written with the current layout, but its
// rows are not in that order or partition any more.
func TestALayoutThatWentAndCameBackReachesPartsOfBefore(t *testing.T) {
	for name, c := range map[string]struct {
		there, away func(schema.Table) (schema.Table, error)
		parts       int
	}{
		"sort key":     {sortedBy(2), sortedBy(1), 1},
		"partitioning": {partitionedBy(2), partitionedBy(), 2},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewCrashable()
			d := mustOpen(t, fsys)
			table, err := d.createItems()
			must(t, err)
			d.alter(t, table.ID, c.there)
			for id := range int64(6) {
				must(t, d.appendItems(table.ID, []int64{id}, id/2))
			}
			must(t, d.engine.Flush(ctx))
			d.alter(t, table.ID, c.away)
			changed := map[int64]*int64{}
			for id := range int64(3) {
				v := 2 - id/2
				changed[id] = &v
			}
			must(t, d.changeNow(fsys, table.ID, changed))
			d.alter(t, table.ID, c.there)
			must(t, d.appendItems(table.ID, []int64{6}, 1))
			must(t, d.engine.Flush(ctx))
			must(t, d.merges.RunUntilIdle(ctx))
			s, err := d.engine.Snapshot(table.ID)
			must(t, err)
			defer s.Release()
			now := s.Tables[table.ID]
			if len(now.Parts) != c.parts || len(now.Patches) != 0 {
				t.Fatalf("%d parts, %d of them patched", len(now.Parts), len(now.Patches))
			}
			var all []int64
			for i, p := range now.Parts {
				values := d.valuesOf(t, fsys, now, i)
				if all = append(all, values...); !slices.IsSorted(values) || p.Partition != "" && p.Partition != "value="+strconv.FormatInt(values[0], 10) {
					t.Errorf("part of partition %q has values %v", p.Partition, values)
				}
			}
			if slices.Sort(all); !slices.Equal(all, []int64{1, 1, 1, 2, 2, 2, 2}) {
				t.Errorf("values %v", all)
			}
			d.mustEnd(t)
		})
	}
}

// TestAPlanOfAnOlderLayoutIsVoid changes the sort key between planning and merging.
func TestAPlanOfAnOlderLayoutIsVoid(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createItems()
	must(t, err)
	for id := range int64(3) {
		must(t, d.appendItems(table.ID, []int64{id}, 2-id))
		must(t, d.engine.Flush(ctx))
	}
	jobs, err := d.merges.plan(true)
	must(t, err)
	if len(jobs) != 1 || len(jobs[0].plan.Sources) != 3 {
		t.Fatalf("%d plans", len(jobs))
	}
	d.alter(t, table.ID, sortedBy(2))
	if changed, err := d.merges.merge(ctx, jobs[0]); changed || err != nil {
		t.Errorf("changed %t, error %v", changed, err)
	}
	if list := d.merges.List(); len(list) != 0 {
		t.Errorf("merges %+v", list)
	}
	must(t, d.merges.RunUntilIdle(ctx))
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	defer s.Release()
	if now := s.Tables[table.ID]; len(now.Parts) != 1 || !slices.Equal(d.valuesOf(t, fsys, now, 0), []int64{0, 1, 2}) {
		t.Errorf("%d parts", len(now.Parts))
	}
	d.mustEnd(t)
}

// TestPartsOfOnePartitionAreMergedAfterItsTextChanged widens and renames the column by which a
// table is partitioned.
func TestPartsOfOnePartitionAreMergedAfterItsTextChanged(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createItems()
	must(t, err)
	d.alter(t, table.ID, partitionedBy(2))
	want := func(partition string) {
		t.Helper()
		must(t, d.merges.RunUntilIdle(ctx))
		s, err := d.engine.Snapshot(table.ID)
		must(t, err)
		defer s.Release()
		if parts := s.Tables[table.ID].Parts; len(parts) != 1 || parts[0].Partition != partition {
			t.Errorf("%d parts, the first of partition %q, want one of %q", len(parts), parts[0].Partition, partition)
		}
	}
	must(t, d.appendItems(table.ID, []int64{1}, 1))
	must(t, d.engine.Flush(ctx))
	d.alter(t, table.ID, func(t schema.Table) (schema.Table, error) { return t.ChangeType("value", schema.DecimalOf(12, 2)) })
	must(t, d.appendItems(table.ID, []int64{2}, 1))
	must(t, d.engine.Flush(ctx))
	want("value=1.00")
	d.alter(t, table.ID, func(t schema.Table) (schema.Table, error) { return t.RenameColumn("value", "amount") })
	want("amount=1.00")
	d.mustEnd(t)
}
