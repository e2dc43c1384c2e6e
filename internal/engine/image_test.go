package engine

import (
	"io"
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
