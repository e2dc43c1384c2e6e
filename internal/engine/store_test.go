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

// noteFirst gives the first n rows of a table's only part a note of 1000 bytes.
func noteFirst(e *Engine, table schema.Table, n int) error {
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	l := patch.Layer{Source: s.Tables[table.ID].Parts[0].ID, Columns: []base.ColumnID{3}}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range n {
		l.Ordinals = append(l.Ordinals, uint32(i))
		b.Append(strings.Repeat("x", 1000))
	}
	l.Values = array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "note", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{b.NewArray()}, int64(n))
	_, err = e.Commit(ctx, s, []Change{{Table: table.ID, Updated: []patch.Layer{l}}}, AppendOptions{})
	return err
}

// TestStoredPatchesStayFew flushes after each of many changes: small ones lie in the catalog, a large one in a file, and from time to
// time they become one.
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
