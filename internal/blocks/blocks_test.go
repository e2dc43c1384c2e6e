package blocks

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

func random(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func write(t *testing.T, fsys vfs.FS, path string, data []byte) {
	t.Helper()
	if err := vfs.WriteFile(fsys, path, func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		t.Fatal(err)
	}
}

func hashOf(data []byte, pieces int) *Hash {
	h := new(Hash)
	for len(data) > 0 {
		n := min(pieces, len(data))
		_, _ = h.Write(data[:n])
		data = data[n:]
	}
	return h
}

var lengths = []int{1, 100, Size - 1, Size, Size + 1, 3 * Size, 5*Size + 12345}

func TestSumsAreThoseOfEachBlock(t *testing.T) {
	for _, n := range lengths {
		data := random(n, 1)
		h := hashOf(data, 1000)
		sums := h.Sums()
		if h.Bytes() != int64(n) || h.Checksum() != crc32.Checksum(data, base.Castagnoli) || len(sums) != Count(int64(n)) {
			t.Fatalf("%d bytes: %d, %08x, %d sums", n, h.Bytes(), h.Checksum(), len(sums))
		}
		for i, sum := range sums {
			if want := crc32.Checksum(data[i*Size:min(n, (i+1)*Size)], base.Castagnoli); sum != want {
				t.Errorf("%d bytes: block %d has %08x, want %08x", n, i, sum, want)
			}
		}
		again, err := Decode(sums.Encode(), int64(n))
		if err != nil || !bytes.Equal(again.Encode(), sums.Encode()) {
			t.Errorf("%d bytes: %v, %v", n, again, err)
		}
		if _, err := Decode(sums.Encode(), int64(n)+Size); base.KindOf(err) != base.Corrupt {
			t.Errorf("a list that is too short: %v", err)
		}
	}
}

func TestReadsAreWhatTheFileHolds(t *testing.T) {
	for _, n := range lengths {
		fsys, data := vfs.NewCrashable(), random(n, 2)
		write(t, fsys, "/f", data)
		h := hashOf(data, n)
		r := rand.New(rand.NewPCG(3, uint64(n)))
		for range 20 {
			f, err := New(fsys, "/f", "f", int64(n), h.Checksum(), h.Sums()).Open()
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				at, length := r.IntN(n), r.IntN(n)+1
				got := make([]byte, length)
				read, err := f.ReadAt(got, int64(at))
				want := data[at:min(n, at+length)]
				if !bytes.Equal(got[:read], want) || (err == io.EOF) != (at+length > n) || err != nil && err != io.EOF {
					t.Fatalf("%d bytes at %d of %d: %d, %v", length, at, n, read, err)
				}
			}
			if _, err := f.ReadAt(make([]byte, 1), int64(n)); err != io.EOF {
				t.Errorf("behind the end: %v", err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAFlippedBitIsNeverRead flips single bits of a file, and then reads ranges that contain or
// touch the damaged block.
func TestAFlippedBitIsNeverRead(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for i := range 300 {
		n := lengths[i%len(lengths)]
		data := random(n, uint64(i))
		h := hashOf(data, n)
		at := r.IntN(n)
		flipped := bytes.Clone(data)
		flipped[at] ^= 1 << r.IntN(8)
		fsys := vfs.NewCrashable()
		write(t, fsys, "/f", flipped)
		file := New(fsys, "/f", "parts/1/2.parquet", int64(n), h.Checksum(), h.Sums())
		var reported *Damage
		file.damaged = func(d *Damage) { reported = d }
		f, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			from := r.IntN(n)
			got := make([]byte, r.IntN(n-from)+1)
			_, err := f.ReadAt(got, int64(from))
			first, last := from/Size, (from+len(got)-1)/Size
			meets := first <= at/Size && at/Size <= last
			switch {
			case !meets && (err != nil || !bytes.Equal(got, data[from:from+len(got)])):
				t.Fatalf("%d bytes at %d of %d, flipped at %d: %v", len(got), from, n, at, err)
			case meets && base.KindOf(err) != base.Corrupt:
				t.Fatalf("%d bytes at %d of %d, flipped at %d: %v", len(got), from, n, at, err)
			case meets && (!strings.Contains(err.Error(), "parts/1/2.parquet") || reported == nil || reported.Offset != int64(at/Size*Size)):
				t.Fatalf("%v, reported %+v", err, reported)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Verify(context.Background(), nil); base.KindOf(err) != base.Corrupt {
			t.Errorf("verified: %v", err)
		}
		older := New(fsys, "/f", "f", int64(n), h.Checksum(), nil)
		if _, err := older.Open(); base.KindOf(err) != base.Corrupt {
			t.Errorf("opened without sums: %v", err)
		}
	}
}

func TestAFileOfAnotherLengthIsDamaged(t *testing.T) {
	data := random(3*Size+100, 5)
	h := hashOf(data, len(data))
	for name, on := range map[string][]byte{"shorter": data[:2*Size+50], "longer": append(bytes.Clone(data), 1), "missing": nil} {
		fsys := vfs.NewCrashable()
		if on != nil {
			write(t, fsys, "/f", on)
		}
		for _, sums := range []Sums{h.Sums(), nil} {
			file := New(fsys, "/f", "f", int64(len(data)), h.Checksum(), sums)
			if err := file.Verify(context.Background(), nil); base.KindOf(err) != base.Corrupt {
				t.Errorf("%s: verified: %v", name, err)
			}
			f, err := file.Open()
			if err == nil {
				_, err = f.ReadAt(make([]byte, len(data)), 0)
				err = errors.Join(err, f.Close())
			}
			if name != "longer" && base.KindOf(err) != base.Corrupt {
				t.Errorf("%s: read: %v", name, err)
			}
			if name == "longer" && err != nil {
				t.Errorf("%s: read: %v", name, err)
			}
		}
	}
}

// TestSumsOfAnOlderFileAreComputedOnce opens a part whose description has no block checksums.
func TestSumsOfAnOlderFileAreComputedOnce(t *testing.T) {
	fsys, data := vfs.NewCrashable(), random(2*Size+1, 6)
	h := hashOf(data, len(data))
	if err := vfs.MkdirAll(fsys, "/parts/3"); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	files := NewFiles(fsys, "/parts", slog.New(slog.NewTextHandler(&log, nil)))
	write(t, fsys, files.Path(3, 9), data)
	p := Part{ID: 9, Table: 3, Bytes: int64(len(data)), Checksum: h.Checksum()}
	for range 2 {
		sums, err := files.File(p).Prepare()
		if err != nil || !bytes.Equal(sums.Encode(), h.Sums().Encode()) {
			t.Fatalf("%v, %v", sums, err)
		}
	}
	if learned := files.TakeComputed(); len(learned) != 1 || !bytes.Equal(learned[9].Encode(), h.Sums().Encode()) {
		t.Errorf("learned %v", learned)
	}
	if files.Damage(9) != nil || log.Len() > 0 {
		t.Errorf("damage %v, log %s", files.Damage(9), &log)
	}
	files.Forget(9)
	write(t, fsys, files.Path(3, 9), data[1:])
	for range 3 {
		if _, err := files.File(p).Prepare(); base.KindOf(err) != base.Corrupt {
			t.Errorf("damaged: %v", err)
		}
	}
	if got := strings.Count(log.String(), "a part is damaged"); got != 1 || len(files.Damaged()) != 1 {
		t.Errorf("logged %d times, %v", got, files.Damaged())
	}
}
