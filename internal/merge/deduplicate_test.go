package merge

import (
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// createLazy creates a table of (id, value) that merges on read.
func (d *database) createLazy() (schema.Table, error) {
	if err := d.engine.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	return d.engine.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "lazy",
		Columns:    []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt), NotNull: true}, {Name: "value", Type: schema.Of(schema.Integer)}},
		SortKey:    []schema.SortField{{Column: 1}},
		PrimaryKey: []base.ColumnID{1}, MergeOnRead: true,
	}, true)
}

// deduplicatedItems returns the value of each id.
func (d *database) deduplicatedItems(t testing.TB, fsys vfs.FS, table base.TableID) map[int64]int64 {
	t.Helper()
	s, err := d.engine.DeduplicatedSnapshot(ctx, table)
	must(t, err)
	defer s.Release()
	items, err := d.items(fsys, s.Tables[table])
	must(t, err)
	values := map[int64]int64{}
	for id, i := range items {
		values[id] = i.value
	}
	return values
}

func (d *database) parts(t testing.TB, table base.TableID) int {
	t.Helper()
	s, err := d.engine.Snapshot(table)
	must(t, err)
	defer s.Release()
	return len(s.Tables[table].Parts)
}

// overlapping adds rows whose ids other parts have already. It returns the content that the table
// must have then.
func (d *database) overlapping(t testing.TB, table base.TableID) map[int64]int64 {
	t.Helper()
	want := map[int64]int64{}
	for i := range int64(5) {
		var ids []int64
		for id := range int64(20) {
			ids = append(ids, (id*3+i*7)%40)
		}
		must(t, d.appendItems(table, ids, i))
		for _, id := range ids {
			want[id] = i
		}
		if i < 4 {
			must(t, d.engine.Flush(ctx))
		}
	}
	return want
}

func TestOnlyDeduplicatedPartsAreMerged(t *testing.T) {
	fsys := vfs.NewCrashable()
	failing := vfs.Failing(fsys, vfs.Never)
	var log strings.Builder
	d, err := tryOpen(failing, "/db", slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	table, err := d.createLazy()
	must(t, err)
	want := d.overlapping(t, table.ID)
	// A table whose keys cannot be read is not deduplicated. Its parts are not merged, and it is
	// retried after increasing delays.
	failing.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, ".parquet") {
			return vfs.ErrInjected
		}
		return nil
	})
	if done, err := d.merges.runRound(ctx, false); done != 0 || err == nil {
		t.Fatalf("%d merges, error %v", done, err)
	}
	failing.SetRule(vfs.Never)
	if done, err := d.merges.runRound(ctx, false); done != 0 || err != nil {
		t.Fatalf("%d merges before the time to try again, error %v", done, err)
	}
	if n := d.parts(t, table.ID); n != 4 {
		t.Fatalf("%d parts", n)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d errors in the log:\n%s", n, log.String())
	}
	d.clock.advance(maxBackoff)
	must(t, d.merges.RunUntilIdle(ctx))
	if n := d.parts(t, table.ID); n != 1 {
		t.Fatalf("%d parts", n)
	}
	if got := d.deduplicatedItems(t, fsys, table.ID); !maps.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	s, err := d.engine.Snapshot(table.ID)
	must(t, err)
	if p := s.Tables[table.ID].Parts[0]; p.Rows >= 40 {
		t.Errorf("the merged part has %d rows of 40 ids, of which the memtable holds some", p.Rows)
	}
	s.Release()
	d.mustEnd(t)
}

// TestReadersFollowMergesOfRowsThatNewerOnesReplace merges parts with superseded rows that are
// known but not deleted yet.
func TestReadersFollowMergesOfRowsThatNewerOnesReplace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createLazy()
	must(t, err)
	want := map[int64]int64{}
	for i := range int64(60) {
		var ids []int64
		for range 1 + r.IntN(12) {
			ids = append(ids, int64(r.IntN(50)))
		}
		must(t, d.appendItems(table.ID, ids, i))
		for _, id := range ids {
			want[id] = i
		}
		switch r.IntN(4) {
		case 0:
			must(t, d.engine.Flush(ctx))
		case 1:
			must(t, d.merges.RunUntilIdle(ctx))
		}
		if r.IntN(2) == 0 {
			if got := d.deduplicatedItems(t, fsys, table.ID); !maps.Equal(got, want) {
				t.Fatalf("step %d: %v, want %v\n%s", i, got, want, d.engine.DebugString())
			}
		}
	}
	d.mustEnd(t)
}

// TestMergesOfRowsToDeduplicateSurviveCrashes stops the disk after each write, and lets each
// operation fail.
func TestMergesOfRowsToDeduplicateSurviveCrashes(t *testing.T) {
	template := vfs.NewCrashable()
	d := mustOpen(t, template)
	table, err := d.createLazy()
	must(t, err)
	want := d.overlapping(t, table.ID)
	must(t, d.close())
	again := func(what string, fsys vfs.FS) {
		t.Helper()
		d, err := tryOpen(fsys, "/db", quiet)
		must(t, err)
		for range 2 {
			if got := d.deduplicatedItems(t, fsys, table.ID); !maps.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
			must(t, d.engine.Flush(ctx))
			must(t, d.merges.RunUntilIdle(ctx))
		}
		d.mustEnd(t)
	}
	withCrashes(t, template, mergeAll, func(what string, disk vfs.FS, _ error) { again(what, disk) })
	withFailures(t, template, mergeAll, again)
}

// TestTombstonesOfOtherPartitionsStayUntilTheirKeysAreDeduplicated merges a part with tombstones
// while there are still older rows of their keys in another partition.
func TestTombstonesOfOtherPartitionsStayUntilTheirKeysAreDeduplicated(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	must(t, d.engine.CreateDatabase(ctx, "d", true))
	table, err := d.engine.CreateTable(ctx, schema.Table{
		Database: "d", Schema: "main", Name: "lazy",
		Columns: []schema.Column{{Name: "id", Type: schema.Of(schema.BigInt), NotNull: true}, {Name: "value", Type: schema.Of(schema.BigInt)},
			{Name: "gone", Type: schema.Of(schema.Boolean)}},
		PrimaryKey: []base.ColumnID{1}, PartitionBy: []schema.PartitionField{{Column: 2}}, IsDeleted: 3, MergeOnRead: true,
	}, true)
	must(t, err)
	add := func(value int64, gone bool, ids ...int64) {
		t.Helper()
		i, v, g := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt64Builder(memory.DefaultAllocator), array.NewBooleanBuilder(memory.DefaultAllocator)
		for _, id := range ids {
			i.Append(id)
			v.Append(value)
			g.Append(gone)
		}
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{
			{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "value", Type: arrow.PrimitiveTypes.Int64}, {Name: "gone", Type: arrow.FixedWidthTypes.Boolean},
		}, nil), []arrow.Array{i.NewArray(), v.NewArray(), g.NewArray()}, int64(len(ids)))
		_, err := d.engine.Append(ctx, []engine.TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{})
		must(t, err)
		must(t, d.engine.Flush(ctx))
	}
	add(1, false, 1, 2, 3, 4)
	add(2, true, 1, 2)
	add(2, true, 3)
	rows := func() (n int64) {
		s, err := d.engine.DeduplicatedSnapshot(ctx, table.ID)
		must(t, err)
		defer s.Release()
		return s.Tables[table.ID].Rows()
	}
	if n := rows(); n != 4 { // including tombstones
		t.Fatalf("%d rows", n)
	}
	d.clock.advance(time.Hour)
	must(t, d.merges.RunUntilIdle(ctx))
	if n := rows(); n != 1 {
		t.Fatalf("%d rows after merging, want the one that nothing deleted", n)
	}
	if n := d.parts(t, table.ID); n != 1 {
		t.Fatalf("%d parts", n)
	}
	d.mustEnd(t)
}

// TestDeletingSupersededRowsHoldsNoMemoryOfOtherTables flushes rows of another table while one is
// deduplicated.
func TestDeletingSupersededRowsHoldsNoMemoryOfOtherTables(t *testing.T) {
	fsys := vfs.NewCrashable()
	failing := vfs.Failing(fsys, vfs.Never)
	d, err := tryOpen(failing, "/db", quiet)
	must(t, err)
	table, err := d.createLazy()
	must(t, err)
	other, err := d.createItems()
	must(t, err)
	for i := range int64(2) {
		must(t, d.appendItems(table.ID, []int64{1, 2, 3}, i))
		must(t, d.engine.Flush(ctx))
	}
	must(t, d.appendItems(other.ID, []int64{1, 2, 3}, 0))
	used := int64(-1)
	failing.SetRule(func(op vfs.Op) error { // the keys of a part are read
		if op.Kind == vfs.OpOpen && strings.HasSuffix(op.Path, ".parquet") && used < 0 {
			used = 0
			must(t, d.engine.Flush(ctx))
			used = d.engine.Status().MemoryBytes
		}
		return nil
	})
	_, err = d.merges.runRound(ctx, false)
	must(t, err)
	if used != 0 {
		t.Errorf("%d bytes in use", used)
	}
	d.mustEnd(t)
}
