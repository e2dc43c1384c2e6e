package engine

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/vfs"
)

// Whoever reads a backup slowly must not take the memory of those who write meanwhile.
func TestAnImageKeepsFilesAndNoMemory(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	_, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "part", 0, 1000, AppendOptions{})
	must(t, err)
	must(t, e.Flush(ctx))
	_, err = appendNumbers(e, "t", "memory", 0, 1000, AppendOptions{})
	must(t, err)
	image, err := e.Image(ctx)
	must(t, err)
	must(t, e.Flush(ctx))
	if used := e.budget.inUse(); used != 0 {
		t.Errorf("%d bytes of memory are in use after a flush, while an image is held", used)
	}
	table, err := e.Lookup("d", "main", "t")
	must(t, err)
	must(t, e.DropTable(ctx, table.ID))
	must(t, e.CollectGarbage())
	for _, f := range image.Files {
		must(t, image.Read(f, func(r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			if err == nil && n != f.Bytes {
				t.Errorf("%s has %d bytes, not %d", f.Name, n, f.Bytes)
			}
			return err
		}))
	}
	must(t, image.Close())
	must(t, e.CollectGarbage())
	if left, err := e.fs.List(e.partsDir()); err != nil || len(left) != 0 {
		t.Errorf("parts of a dropped table after the image was closed: %v, %v", left, err)
	}
	mustEnd(t, e)
}

// TestAnImageHasAllRowsWhateverBecameOfAFlush has the disk fail from some sync of the catalog on while rows are flushed, and takes an image once it works again: where
// the catalog may hold an edit that failed, parts that only it lists would not be in the image.
func TestAnImageHasAllRowsWhateverBecameOfAFlush(t *testing.T) {
	refused := 0
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.Never)
		e := mustOpen(t, failing)
		_, err := createNumbers(e, "t")
		must(t, err)
		_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
		must(t, err)
		failing.SetRule(vfs.Where(func(op vfs.Op) bool { return op.Kind == vfs.OpSync && strings.Contains(op.Path, "catalog.db") }, vfs.FromIndex(k)))
		failed := e.Flush(ctx)
		failing.SetRule(vfs.Never)
		image, err := e.Image(ctx)
		if err == nil {
			copied := vfs.NewCrashable()
			for _, f := range image.Files {
				path := filepath.Join("/db", f.Name)
				must(t, vfs.MkdirAll(copied, filepath.Dir(path)))
				must(t, vfs.WriteFile(copied, path, func(w io.Writer) error {
					return image.Read(f, func(r io.Reader) error {
						_, err := io.Copy(w, r)
						return err
					})
				}))
			}
			must(t, image.Close())
			restored := mustOpen(t, copied)
			if n := countNumbers(t, restored, "t"); n != 10 {
				t.Errorf("from sync %d: %d rows in the image", k, n)
			}
			must(t, restored.Check(ctx))
			must(t, restored.Close())
		} else if refused++; failed == nil {
			t.Errorf("from sync %d: %v", k, err)
		}
		must(t, e.Close())
		if failed == nil {
			break
		}
	}
	if refused == 0 {
		t.Error("no failure left the catalog in doubt")
	}
}
