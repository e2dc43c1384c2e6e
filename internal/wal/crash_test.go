package wal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

func seeded(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0)) }

// writeHistory appends groups of frames, syncs most of them, rotates and removes old segments,
// until the file system fails. It returns the frames that were passed to Append, how many of them
// were synced, and before which segment it asked to remove segments.
func writeHistory(fsys vfs.FS, after Position) (attempted []logged, synced int, removedBefore base.SegmentID) {
	w, err := Create(fsys, dir, smallSteps, after)
	if err != nil {
		return
	}
	sizes := []int{10, 700, 3000, 40_000, 1}
	seq := after.Seq
	for step := range 12 {
		var group []Frame
		for range step%3 + 1 {
			seq++
			n := sizes[int(seq)%len(sizes)]
			group = append(group, frame(seq, n))
			attempted = append(attempted, logged{w.ID(), seq, string(payload(seq, n))})
		}
		if w.Append(group) != nil {
			return
		}
		if step%4 != 1 {
			if w.Sync() != nil {
				return
			}
			synced = len(attempted)
		}
		if step%5 == 4 {
			if w, err = w.Rotate(); err != nil {
				return
			}
			synced = len(attempted)
		}
		if step == 10 {
			removedBefore = w.ID()
			if RemoveBefore(fsys, dir, w.ID()) != nil {
				return
			}
		}
	}
	if w.Close() == nil {
		synced = len(attempted)
	}
	return
}

// wantPrefix checks that got is a prefix of attempted that includes all synced frames, except for
// those of segments that were removed.
func wantPrefix(t *testing.T, got, attempted []logged, synced int, removedBefore base.SegmentID) {
	t.Helper()
	for len(got) < len(attempted) && len(attempted) > 0 && attempted[0].segment < removedBefore && (len(got) == 0 || got[0] != attempted[0]) {
		attempted, synced = attempted[1:], synced-1
	}
	if len(got) < synced || len(got) > len(attempted) || !slices.Equal(got, attempted[:len(got)]) {
		t.Fatalf("replayed %v; synced %v of attempted %v", seqs(got), synced, seqs(attempted))
	}
}

func TestEverySyncedFrameSurvivesACrashAtEveryWrite(t *testing.T) {
	for k := 0; ; k++ {
		c := newFS(t)
		f := vfs.Failing(c, vfs.Where(vfs.WritesOnly, vfs.FromIndex(k)))
		attempted, synced, removedBefore := writeHistory(f, Position{})
		for seed := range 16 {
			crashed := c.CrashClone(seeded(seed), []int{0, 30, 80, 100}[seed%4])
			var got []logged
			result, err := recovered(crashed, dir, collect(&got))
			if err != nil {
				t.Fatalf("crash at write %d, seed %d: %v", k, seed, err)
			}
			wantPrefix(t, got, attempted, synced, removedBefore)

			// What recovery returned is durable, and the log continues after it.
			again, _ := replay(t, crashed.CrashClone(seeded(seed), 0))
			if !slices.Equal(again, got) {
				t.Fatalf("crash at write %d: recovered %v, after another crash %v", k, seqs(got), seqs(again))
			}
			w := mustCreate(t, crashed, result.End)
			mustAppend(t, w, frame(1000, 10))
			must(t, w.Sync())
			again, _ = replay(t, crashed.CrashClone(seeded(seed), 0))
			wantSeqs(t, again, append(seqs(got), 1000)...)
		}
		if len(attempted) == 24 && synced == 24 { // the whole history, without a failure
			return
		}
	}
}

func TestRecoverySurvivesACrashAtEveryWrite(t *testing.T) {
	for crash := range 8 {
		before := newFS(t)
		writeHistory(vfs.Failing(before, vfs.Where(vfs.WritesOnly, vfs.FromIndex(20+7*crash))), Position{})
		for k := 0; ; k++ {
			c := before.CrashClone(seeded(crash), 60)
			want, _ := replay(t, c)
			f := vfs.Failing(c, vfs.Where(vfs.WritesOnly, vfs.FromIndex(k)))
			result, err := recovered(f, dir, collect(new([]logged)))
			if err == nil {
				_, err = Create(f, dir, smallSteps, result.End)
			}
			for seed := range 6 {
				got, _ := replay(t, c.CrashClone(seeded(seed), 50))
				if !slices.Equal(got, want) {
					t.Fatalf("crash at write %d of recovery: %v, before %v", k, seqs(got), seqs(want))
				}
			}
			if err == nil {
				break
			}
		}
	}
}

// keepWriting works like the committer: it acknowledges frames after Sync, and rotates when the
// writer is broken. It returns the acknowledged frames. The writes of all other frames failed.
func keepWriting(t *testing.T, fsys vfs.FS) (acked []base.Seq) {
	t.Helper()
	w, err := Create(fsys, dir, smallSteps, Position{})
	if err != nil {
		w = mustCreate(t, fsys, Position{}) // only one operation fails
	}
	seq := base.Seq(0)
	for step := range 6 {
		var group []base.Seq
		for range 2 { // two appends, one sync
			seq += 2
			group = append(group, seq-1, seq)
			if w.Append([]Frame{frame(seq-1, 100), frame(seq, directBytes)}) != nil {
				group = group[:len(group)-2]
				break
			}
		}
		if w.Sync() == nil {
			acked = append(acked, group...)
		}
		for w.Err() != nil || step%3 == 2 {
			next, err := w.Rotate()
			if err == nil {
				w = next
				break
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Logf("close: %v", err) // everything in it was synced before
	}
	return acked
}

func TestEverySingleFailureLosesNoAckedAndShowsNoFailedFrame(t *testing.T) {
	for name, fault := range map[string]error{
		"I/O error":   nil,
		"disk full":   vfs.ErrNoSpace,
		"half a page": &vfs.ShortWrite{Bytes: 20_000, Err: vfs.ErrNoSpace},
		"one frame":   &vfs.ShortWrite{Bytes: frameHeaderBytes + 100 + 20, Err: vfs.ErrNoSpace},
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; ; i++ {
				c := newFS(t)
				f := vfs.Failing(c, vfs.OnIndex(i, fault))
				acked := keepWriting(t, f)
				for _, percent := range []int{0, 50, 100} {
					got, _ := replay(t, c.CrashClone(seeded(i), percent))
					wantSeqs(t, got, acked...)
				}
				if f.Ops() <= i {
					if len(acked) != 24 {
						t.Fatalf("%d acknowledged without a failure", len(acked))
					}
					return
				}
			}
		})
	}
}

// Two failures in a row: a write, and then the truncation or the sync that undoes it.
func TestFailureOfTakingBackBreaksTheWriterUntilRotate(t *testing.T) {
	for _, second := range []vfs.OpKind{vfs.OpTruncate, vfs.OpSync} {
		c := newFS(t)
		f := vfs.Failing(c, vfs.Never)
		w := mustCreate(t, f, Position{})
		mustAppend(t, w, frame(1, 100))
		must(t, w.Sync())
		long := []Frame{frame(2, 100), frame(3, 50_000)}
		f.SetRule(func(op vfs.Op) error {
			switch {
			case op.Kind == vfs.OpWriteAt && op.Bytes > 10_000:
				return vfs.ErrNoSpace
			case op.Kind == second:
				return vfs.ErrInjected
			}
			return nil
		})
		first := w.Append(long)
		wantKind(t, first, base.StorageFull)
		f.SetRule(vfs.Never)
		for _, err := range []error{w.Append(long), w.Sync(), w.Err()} {
			if err != first {
				t.Fatalf("after %v: %v", first, err)
			}
		}
		next, err := w.Rotate()
		must(t, err)
		mustAppend(t, next, frame(2, 10))
		must(t, next.Close())
		got, _ := replay(t, c)
		want := []logged{{1, 1, string(payload(1, 100))}, {2, 2, string(payload(2, 10))}}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v", second, seqs(got))
		}
	}
}

func TestFailedSyncIsNeverRetriedAndItsFramesAreCutByRotate(t *testing.T) {
	c := newFS(t)
	f := vfs.Failing(c, vfs.Never)
	w := mustCreate(t, f, Position{})
	mustAppend(t, w, frame(1, 100))
	must(t, w.Sync())
	mustAppend(t, w, frame(2, 100))
	syncs := 0
	f.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpSync {
			syncs++
			return vfs.ErrInjected
		}
		return nil
	})
	first := w.Sync()
	wantKind(t, first, base.Unavailable)
	for range 3 {
		if err := w.Sync(); err != first {
			t.Fatal(err)
		}
	}
	if syncs != 1 {
		t.Fatalf("%d syncs of one file", syncs)
	}
	if _, err := w.Rotate(); err == nil { // its own sync fails too
		t.Fatal("rotated onto a file that does not sync")
	}
	f.SetRule(vfs.Never)
	next, err := w.Rotate()
	must(t, err)
	must(t, next.Close())
	got, _ := replay(t, c)
	wantSeqs(t, got, 1)
}

func TestFullDiskIsTakenBackAndRecoversWithSpace(t *testing.T) {
	for free := int64(0); free < 60_000; free += 977 {
		c := newFS(t)
		w := mustCreate(t, c, Position{})
		mustAppend(t, w, frame(1, 100))
		must(t, w.Sync())
		size := w.Size()
		c.SetCapacity(size + free)
		long := []Frame{frame(2, 100), frame(3, 40_000), frame(4, 20_000)}
		for range 2 {
			wantKind(t, w.Append(long), base.StorageFull)
			if w.Err() != nil || w.Size() != size {
				t.Fatalf("%v, size %d", w.Err(), w.Size())
			}
		}
		must(t, w.Sync())
		got, result := replay(t, c)
		wantSeqs(t, got, 1)
		if result.TornBytes != 0 {
			t.Fatalf("%d bytes free: a rest of %d bytes", free, result.TornBytes)
		}
		if _, err := w.Rotate(); free < segmentHeaderBytes {
			wantKind(t, err, base.StorageFull)
			c.SetCapacity(-1)
			mustAppend(t, w, long...)
			must(t, w.Close())
			got, _ = replay(t, c)
			wantSeqs(t, got, 1, 2, 3, 4)
		}
	}
}

// If a failed Rotate leaves the next segment behind, that segment may have recorded an end. An
// acknowledged frame after this end would be lost.
func TestFailedRotateDoesNotStrandLaterFrames(t *testing.T) {
	for i, rotated := 0, false; !rotated; i++ {
		c := newFS(t)
		f := vfs.Failing(c, vfs.Never)
		w := mustCreate(t, f, Position{})
		mustAppend(t, w, frame(1, 100))
		must(t, w.Sync())
		start := f.Ops()
		// The i-th operation fails, and so does the removal of what it left.
		f.SetRule(func(op vfs.Op) error {
			if op.Index == start+i || op.Index > start+i && (op.Kind == vfs.OpRemove || op.Kind == vfs.OpSyncDir) {
				return vfs.ErrInjected
			}
			return nil
		})
		next, err := w.Rotate()
		f.SetRule(vfs.Never)
		want := []base.Seq{1}
		if err == nil {
			w = next
			rotated = f.Ops() <= start+i // not even the closing of the old file failed
		}
		if w.Append([]Frame{frame(2, 100)}) == nil && w.Sync() == nil {
			want = append(want, 2)
		}
		for _, percent := range []int{0, 100} {
			got, _ := replay(t, c.CrashClone(seeded(i), percent))
			wantSeqs(t, got, want...)
		}
	}
}

// There are no file descriptors left while the next segment is created, so that not even the folder
// can be synced. The writer refuses frames until there are descriptors again.
func TestAFailedRotateIsOverOnceItsCauseIs(t *testing.T) {
	needsDescriptor := func(op vfs.Op) error {
		switch op.Kind {
		case vfs.OpCreate, vfs.OpOpen, vfs.OpOpenReadWrite, vfs.OpSyncDir, vfs.OpList:
			return vfs.ErrInjected
		}
		return nil
	}
	for left := range 3 { // how many operations still succeed
		c := newFS(t)
		f := vfs.Failing(c, vfs.Never)
		w := mustCreate(t, f, Position{})
		mustAppend(t, w, frame(1, 100))
		must(t, w.Sync())
		var n int
		f.SetRule(func(op vfs.Op) error {
			if needsDescriptor(op) == nil {
				return nil
			}
			if n++; n <= left {
				return nil
			}
			return vfs.ErrInjected
		})
		next, err := w.Rotate()
		if err == nil {
			t.Fatalf("%d operations succeed, and the segment is there", left)
		}
		if refused := w.Append([]Frame{frame(2, 100)}); refused == nil || next != nil {
			t.Fatalf("appended behind an end that may be recorded: %v", next)
		}
		f.SetRule(vfs.Never)
		mustAppend(t, w, frame(2, 100))
		must(t, w.Sync())
		w, err = w.Rotate()
		must(t, err)
		mustAppend(t, w, frame(3, 100))
		must(t, w.Close())
		for _, percent := range []int{0, 100} {
			got, _ := replay(t, c.CrashClone(seeded(left), percent))
			wantSeqs(t, got, 1, 2, 3)
		}
	}
}
