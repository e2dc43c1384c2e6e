package wal

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

func mustOpenMark(t testing.TB, fsys vfs.FS) *Mark {
	t.Helper()
	m, err := OpenMark(fsys, dir)
	must(t, err)
	return m
}

// marked writes two segments, the first of them empty, and a mark that covers both.
func marked(t testing.TB) (c *vfs.Crashable, ends []int64) {
	t.Helper()
	c = newFS(t)
	w := mustCreate(t, c, Position{})
	w, err := w.Rotate()
	must(t, err)
	for seq := range base.Seq(3) {
		mustAppend(t, w, frame(seq+1, 100))
		must(t, w.Sync())
		ends = append(ends, w.Size())
	}
	m := mustOpenMark(t, c)
	must(t, m.Set(w.ID(), w.Synced()))
	must(t, m.Close())
	return c, ends
}

func TestTheLossOfTheNewestSegmentIsCorrupt(t *testing.T) {
	c, _ := marked(t)
	must(t, c.Remove(SegmentPath(dir, 2)))
	_, err := recovered(c, dir, collect(new([]logged)))
	wantKind(t, err, base.Corrupt)
	if !strings.Contains(err.Error(), "is missing") {
		t.Fatal(err)
	}
	must(t, c.Remove(SegmentPath(dir, 1)))
	_, err = recovered(c, dir, collect(new([]logged)))
	wantKind(t, err, base.Corrupt)
}

func TestACutWithinDurableFramesIsCorrupt(t *testing.T) {
	c, ends := marked(t)
	whole := segmentBytes(t, c, 2) // with preallocated space
	last := ends[len(ends)-1]
	for n := int64(segmentHeaderBytes); n <= last+64; n++ {
		for name, content := range map[string][]byte{
			"cut":   whole[:n],
			"zeros": slices.Concat(whole[:n], make([]byte, int64(len(whole))-n)),
		} {
			setSegment(t, c, 2, content)
			var got []logged
			_, err := Replay(c, dir, collect(&got))
			if n >= last {
				must(t, err)
				wantSeqs(t, got, 1, 2, 3)
			} else if err == nil || base.KindOf(err) != base.Corrupt {
				t.Fatalf("%s at %d of %d: %v", name, n, last, err)
			}
		}
	}
}

func TestADamagedRecordOfTheMarkLeavesTheOther(t *testing.T) {
	c, ends := marked(t)
	m := mustOpenMark(t, c)
	must(t, m.Set(2, ends[2]+1))
	must(t, m.Close())
	_, err := Replay(c, dir, collect(new([]logged)))
	wantKind(t, err, base.Corrupt) // it covers more than there is
	path := filepath.Join(dir, MarkName)
	content, err := vfs.ReadFile(c, path, markBytes)
	must(t, err)
	f, err := c.OpenReadWrite(path)
	must(t, err)
	flip := func(at int) {
		_, err := f.WriteAt([]byte{content[at] ^ 1}, int64(at))
		must(t, err)
	}
	flip(markStride + 20)
	replay(t, c)
	flip(9)
	_, err = Replay(c, dir, collect(new([]logged)))
	wantKind(t, err, base.Corrupt)
	must(t, f.Close())
}

// A crash at every write, and every failure: the mark is never ahead of the log, and is never lost
// once it was set.
func TestTheMarkSurvivesACrashAtEveryWrite(t *testing.T) {
	steps := func(fsys vfs.FS) (set []Position, done bool) {
		m, err := OpenMark(fsys, dir)
		if err != nil {
			return nil, false
		}
		for i := range int64(5) {
			p := Position{Segment: base.SegmentID(1 + i/2), End: 40 + i}
			if m.Set(p.Segment, p.End) == nil {
				set = append(set, p)
			}
		}
		return set, m.Close() == nil && len(set) == 5
	}
	for _, from := range []bool{true, false} {
		for k, done := 0, false; !done; k++ {
			c := newFS(t)
			rule := vfs.OnIndex(k, nil)
			if from {
				rule = vfs.FromIndex(k)
			}
			var set []Position
			set, done = steps(vfs.Failing(c, vfs.Where(vfs.WritesOnly, rule)))
			for seed := range 16 {
				crashed := c.CrashClone(seeded(seed), []int{0, 30, 80, 100}[seed%4])
				m, err := OpenMark(crashed, dir)
				if err != nil {
					t.Fatalf("write %d, seed %d: %v", k, seed, err)
				}
				if n := len(set); n > 0 && m.last.before(set[n-1]) {
					t.Fatalf("write %d: %v was set, %v is there", k, set[n-1], m.last)
				}
			}
		}
	}
}
