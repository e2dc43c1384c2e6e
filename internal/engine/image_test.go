package engine

import (
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestAnImageKeepsFilesAndNoMemory checks that an image that is read slowly does not hold memory
// that writers need.
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
	if used := e.memory.Rows.Used(); used != 0 {
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

// TestAnImageHasAllRowsWhateverBecameOfAFlush makes the disk fail during a flush, from the k-th
// sync of the catalog on. When the disk works again, it takes an image. The catalog may have the
// failed edit. If the image had that edit, it would lack parts that only the edit lists.
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

// TestAnImageHasAChecksumOfAllThatIsFlushed damages a patch. The backup must fail, because a
// directory with the damaged patch could not be opened.
func TestAnImageHasAChecksumOfAllThatIsFlushed(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 200, 0))
	must(t, e.Flush(ctx))
	must(t, noteFirst(e, table, 100))
	must(t, e.Flush(ctx))
	image, err := e.Image(ctx)
	must(t, err)
	checked := map[string]int{}
	for _, f := range image.Files {
		folder, _, _ := strings.Cut(f.Name, "/")
		if folder != partsName && folder != patchesName {
			continue
		}
		checked[folder]++
		sum := crc32.New(base.Castagnoli)
		must(t, image.Read(f, func(r io.Reader) error {
			_, err := io.Copy(sum, r)
			return err
		}))
		if f.Checksum == nil || *f.Checksum != sum.Sum32() {
			t.Errorf("%s has the checksum %08x, the image says %v", f.Name, sum.Sum32(), f.Checksum)
		}
	}
	if checked[partsName] == 0 || checked[patchesName] == 0 {
		t.Errorf("files %v", checked)
	}
	must(t, image.CheckLog(ctx))
	must(t, image.Close())
	mustEnd(t, e)
}

// TestAnImageThatFailsLeavesNothing makes each operation on the copy of the catalog fail, as on a
// full disk.
func TestAnImageThatFailsLeavesNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	e := mustOpen(t, failing)
	_, err := createNumbers(e, "t")
	must(t, err)
	for i := 0; ; i++ {
		failing.SetRule(vfs.Where(func(op vfs.Op) bool { return op.Kind == vfs.OpWriteAt && strings.HasPrefix(op.Path, e.tmpDir()) }, vfs.OnIndex(i, vfs.ErrNoSpace)))
		image, err := e.Image(ctx)
		failing.SetRule(vfs.Never)
		if names, listErr := disk.List(e.tmpDir()); listErr != nil || len(names) > 0 {
			t.Fatalf("write %d: left %v, %v", i, names, listErr)
		}
		if err == nil {
			must(t, image.Close())
			if i == 0 {
				t.Fatal("nothing failed")
			}
			break
		}
		wantKind(t, err, base.StorageFull)
	}
	mustEnd(t, e)
}
