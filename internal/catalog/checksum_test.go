package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// manyKeys returns an edit that is larger than SQLite's cache.
func manyKeys() (e Edit) {
	for i := range 2000 {
		e.PutKeys = append(e.PutKeys, Key{Key: fmt.Sprint("key ", i), BodyHash: []byte{1}, Result: bytes.Repeat([]byte{byte(i)}, 2000), Expires: time.Unix(int64(i), 0).UTC()})
	}
	return e
}

// flip changes one bit of a file.
func flip(t *testing.T, f vfs.File, bit int64) {
	t.Helper()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, bit/8); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1 << (bit % 8)
	if _, err := f.WriteAt(b, bit/8); err != nil {
		t.Fatal(err)
	}
}

// TestAFlippedBitIsCorruptOrHarmless flips single bits of a catalog. Each flipped bit must be an
// error, or must be in bytes without meaning. Such bytes are those of free pages, and those that
// only say which version of SQLite wrote the file.
func TestAFlippedBitIsCorruptOrHarmless(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	for _, e := range append(script(), manyKeys()) {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	state, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := disk.OpenReadWrite("/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	var bits []int64
	for bit := range int64(100 * 8) { // all of the file's header
		bits = append(bits, bit)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		bits = append(bits, random.Int64N(size*8))
	}
	for range 200 { // the pages of the definitions
		bits = append(bits, random.Int64N(20*4096*8))
	}
	found := 0
	for _, bit := range bits {
		flip(t, f, bit)
		c, s, err := Open(disk, "/catalog.db")
		if err == nil {
			err = errors.Join(c.Check(), c.Close())
			if s.String() != state.String() {
				t.Fatalf("bit %d of byte %d: in silence it became\n%s", bit%8, bit/8, s)
			}
		}
		if err != nil {
			found++
			// A flipped bit in the format version may also make it a newer one.
			if base.KindOf(err) != base.Corrupt || !strings.Contains(err.Error(), "/catalog.db") {
				t.Fatalf("bit %d of byte %d: %v", bit%8, bit/8, err)
			}
		}
		flip(t, f, bit)
	}
	if found < len(bits)*9/10 {
		t.Errorf("%d of %d flipped bits were found", found, len(bits))
	}
}

func TestACopyHasChecksumsHoweverLargeItIs(t *testing.T) {
	disk := vfs.NewCrashable()
	c, _ := mustOpen(t, disk, "/catalog.db")
	for _, e := range append(script(), manyKeys()) {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	state, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CopyTo("/copy.db"); err != nil {
		t.Fatal(err)
	}
	copied, s := mustOpen(t, disk, "/copy.db")
	if err := copied.Check(); err != nil {
		t.Fatal(err)
	}
	if s.String() != state.String() {
		t.Fatalf("copied\n%s\nof\n%s", s, state)
	}
}

// oldCatalog returns a disk with a catalog of format 8. If large is set, it is larger than SQLite's
// cache.
func oldCatalog(t *testing.T, large bool) *vfs.Crashable {
	t.Helper()
	disk := vfs.NewCrashable()
	content, err := os.ReadFile("../../tests/compat/testdata/format8/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFile(disk, "/catalog.db", func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
		t.Fatal(err)
	}
	if !large {
		return disk
	}
	fs := registerFS(disk)
	defer fs.unregister()
	db, err := sqlite3.Open("file:/catalog.db?vfs=" + fs.name)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Exec(`PRAGMA journal_mode = PERSIST; INSERT INTO idempotency_keys
		SELECT 'key ' || value, x'01', zeroblob(2000), 1000000 * value FROM generate_series(1, 2000)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return disk
}

// TestAnUpgradeSurvivesACrashAtEveryOperation ends an upgrade at each of its operations, by a
// failure or by the end of the process. Then the power fails.
func TestAnUpgradeSurvivesACrashAtEveryOperation(t *testing.T) {
	upgraded := oldCatalog(t, false)
	_, s := mustOpen(t, upgraded, "/catalog.db")
	want := s.String()
	if !strings.Contains(want, "export") {
		t.Fatalf("the old catalog holds little: %s", want)
	}
	random := rand.New(rand.NewPCG(1, 1))
	old, young := 0, 0
	for _, rule := range []func(int) vfs.Rule{vfs.FromIndex, func(k int) vfs.Rule { return vfs.OnIndex(k, vfs.ErrNoSpace) }} {
		for k := 0; ; k++ {
			disk := oldCatalog(t, false)
			failing := vfs.Failing(disk, rule(k))
			c, _, err := Open(failing, "/catalog.db")
			done := failing.Ops() <= k
			if err == nil {
				err = c.Close()
			}
			if done && err != nil {
				t.Fatal(err)
			}
			for _, percent := range []int{0, 50, 100} {
				after := disk.CrashClone(random, percent)
				header, err := vfs.ReadFile(after, "/catalog.db", 1<<30)
				if err != nil {
					t.Fatalf("operation %d, %d%% survive: %v", k, percent, err)
				}
				if header[20] == pageReserve {
					young++
				} else {
					old++
				}
				c, s := mustOpen(t, after, "/catalog.db")
				if s.String() != want {
					t.Fatalf("operation %d, %d%% survive: the catalog holds\n%s\nwant\n%s", k, percent, s, want)
				}
				if err := errors.Join(c.Check(), c.Close()); err != nil {
					t.Fatalf("operation %d, %d%% survive: %v", k, percent, err)
				}
			}
			if done {
				break
			}
		}
	}
	if old == 0 || young == 0 {
		t.Errorf("%d old catalogs, %d new ones", old, young)
	}
}

func TestALargeCatalogIsUpgradedWithChecksums(t *testing.T) {
	disk := oldCatalog(t, true)
	c, s := mustOpen(t, disk, "/catalog.db")
	if err := errors.Join(c.Check(), c.Close()); err != nil {
		t.Fatal(err)
	}
	if len(s.Keys) < 2000 {
		t.Fatalf("%d keys", len(s.Keys))
	}
	names, err := disk.List("/")
	if err != nil || len(names) != 1 { // the next edit creates a journal
		t.Fatalf("there is %v (%v)", names, err)
	}
	f, err := disk.OpenReadWrite("/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	flip(t, f, (size/2/4096*4096+100)*8)
	c, _, err = Open(disk, "/catalog.db")
	if err == nil {
		err = errors.Join(c.Check(), c.Close())
	}
	if base.KindOf(err) != base.Corrupt || err == nil {
		t.Fatalf("a flipped bit: %v", err)
	}
}
