package engine

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// patchFiles lists the patch files of a table.
func patchFiles(t *testing.T, disk vfs.FS, table schema.Table) []string {
	t.Helper()
	names, err := disk.List(fmt.Sprintf("/db/patches/%d", table.ID))
	if err != nil {
		return nil
	}
	return names
}

// noteFirst gives the first n rows of the table's only part a note of 1,000 bytes each.
func noteFirst(e *Engine, table schema.Table, n int) error { return noteRows(e, table, 3, n, 1000) }

// noteRows sets a column of the first n rows of the table's only rowset to texts of the given
// number of bytes.
func noteRows(e *Engine, table schema.Table, column base.ColumnID, n, bytes int) error {
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	l := patch.Layer{Columns: []base.ColumnID{column}}
	for _, p := range s.Tables[table.ID].Parts {
		l.Rowset = p.ID
	}
	for _, m := range s.Tables[table.ID].Memtables {
		l.Rowset = m.Rowset
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range n {
		l.Ordinals = append(l.Ordinals, uint32(i))
		b.Append(strings.Repeat("x", bytes))
	}
	l.Values = array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "note", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{b.NewArray()}, int64(n))
	_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Updated: []patch.Layer{l}}}, AppendOptions{})
	return err
}

// TestLargeChangesOfRemappedRowsAreFiles has a flush and a merge that carry over more new values
// than may be stored in the catalog. The flush has values of a column that was added after the
// memtable was created. The merge has values that were set while it ran. They must be stored in a
// file. If the catalog fails, no file may be left.
func TestLargeChangesOfRemappedRowsAreFiles(t *testing.T) {
	const rows, bytes = 3 * carriedInlineBytes >> 20, 1 << 20
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	e := mustOpen(t, failing)
	table, err := createAccounts(e, "t")
	must(t, err)
	catalogFails := vfs.Where(func(op vfs.Op) bool { return strings.Contains(op.Path, "catalog.db") && op.Kind == vfs.OpWriteAt }, vfs.FromIndex(0))
	move := func(publish func() error) {
		t.Helper()
		before := len(patchFiles(t, disk, table))
		failing.SetRule(catalogFails)
		if publish() == nil {
			t.Fatal("no error of a failing catalog")
		}
		failing.SetRule(vfs.Never)
		must(t, e.commit(ctx, e.resolveDoubt))
		must(t, e.CollectGarbage())
		if files := patchFiles(t, disk, table); len(files) != before {
			t.Fatalf("patch files %v after an error, before %d", files, before)
		}
		must(t, publish())
		must(t, e.CollectGarbage())
		if files := patchFiles(t, disk, table); len(files) != 1 {
			t.Fatalf("patch files %v, want one", files)
		}
		must(t, e.Check(ctx))
	}
	must(t, appendAccounts(e, table, 0, rows, 10))
	table, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
		return now.AddColumns(schema.Column{Name: "late", Type: schema.Of(schema.Varchar)})
	})
	must(t, err)
	must(t, noteRows(e, table, 4, rows, bytes))
	move(func() error { return e.Flush(ctx) })

	rowset := currentParts(t, e, table.ID)[0].ID
	r, err := e.Rewrite(table.ID, []base.RowsetID{rowset})
	must(t, err)
	must(t, noteRows(e, table, 4, rows, 2*bytes))
	sorted := &patch.Sorted{Rowset: rowset, Rows: [][]uint32{nil}}
	for i := range uint32(rows) {
		sorted.Rows[0] = append(sorted.Rows[0], i)
	}
	move(func() error {
		old := table
		// The part has no notes; the patch has all of them.
		old.Columns, old.Version = table.Columns[:3], 1
		made := mustWritePart(t, e, old, []arrow.RecordBatch{accountsBatch(0, rows, 10)})
		sorted.Parts = []base.RowsetID{made.ID}
		err := r.Publish(ctx, []catalog.Part{made}, sorted)
		if err != nil {
			must(t, e.AbandonPart(table.ID, made.ID))
		}
		return err
	})
	r.Close()
	must(t, e.Close())
	e = mustOpen(t, disk)
	snapshot, err := e.Snapshot(table.ID)
	must(t, err)
	layers, err := snapshot.Tables[table.ID].Patches[sorted.Parts[0]].Layers()
	must(t, err)
	snapshot.Release()
	if n := batch.Bytes(layers[0].Values); len(layers) != 1 || n < 2*rows*bytes {
		t.Fatalf("%d layers, the first with %d bytes", len(layers), n)
	}
	mustEnd(t, e)
}

func currentParts(t *testing.T, e *Engine, table base.TableID) []*catalog.Part {
	t.Helper()
	s, err := e.Snapshot(table)
	must(t, err)
	defer s.Release()
	return s.Tables[table].Parts
}

// TestStoredPatchesStayFew flushes after each of many changes. Small patches are stored in the
// catalog, and a large one in a file. From time to time all patches of a part are joined into one.
func TestStoredPatchesStayFew(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 200, 0))
	must(t, e.Flush(ctx))
	must(t, noteFirst(e, table, 100))
	must(t, e.Flush(ctx))
	if files := patchFiles(t, disk, table); len(files) != 1 {
		t.Fatalf("patch files %v, want one", files)
	}
	want := map[int64]int64{}
	for id := range int64(200) {
		want[id] = 0
	}
	for i := range int64(3 * maxPatches) {
		_, err := update(e, table.ID, nil, set(i+1, i))
		must(t, err)
		want[i] = i + 1
		must(t, e.Flush(ctx))
		state, err := e.catalog.State()
		must(t, err)
		if n := len(state.Patches); n > maxPatches+2 {
			t.Fatalf("%d patches after %d changes", n, i+1)
		}
	}
	must(t, e.CollectGarbage())
	if files := patchFiles(t, disk, table); len(files) != 1 {
		t.Fatalf("patch files %v, want one", files)
	}
	wantAmounts(t, e, table.ID, want)
	must(t, e.Check(ctx))
	must(t, e.Close())
	e = mustOpen(t, disk)
	wantAmounts(t, e, table.ID, want)
	_, err = truncate(e, table.ID)
	must(t, err)
	must(t, e.CollectGarbage())
	if files := patchFiles(t, disk, table); len(files) != 0 {
		t.Fatalf("patch files %v of a truncated table", files)
	}
	mustEnd(t, e)
}

func TestCheckFindsDamagedPatches(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 200, 0))
	must(t, e.Flush(ctx))
	must(t, noteFirst(e, table, 100))
	must(t, e.Flush(ctx))
	path := filepath.Join("/db/patches", fmt.Sprint(table.ID), patchFiles(t, disk, table)[0])
	content, err := vfs.ReadFile(disk, path, 1<<20)
	must(t, err)
	content[len(content)/2] ^= 1
	must(t, disk.Remove(path))
	must(t, vfs.WriteFile(disk, path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}))
	wantKind(t, e.Check(ctx), base.Corrupt)
	must(t, e.Close())
	if _, err := tryOpen(disk, newManualClock()); base.KindOf(err) != base.Corrupt {
		t.Fatalf("open: %v", err)
	}
}
