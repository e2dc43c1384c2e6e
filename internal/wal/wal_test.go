package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

const dir = "/wal"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, err error, kind base.Kind) {
	t.Helper()
	if err == nil || base.KindOf(err) != kind {
		t.Fatalf("got %v (%v), want kind %v", err, base.KindOf(err), kind)
	}
}

func newFS(t testing.TB) *vfs.Crashable {
	t.Helper()
	c := vfs.NewCrashable()
	must(t, vfs.MkdirAll(c, dir))
	return c
}

// smallSteps are options with which space is preallocated often, in small steps.
var smallSteps = Options{PreallocateBytes: 4 << 10}

func mustCreate(t testing.TB, fsys vfs.FS, after Position) *Writer {
	t.Helper()
	w, err := Create(fsys, dir, smallSteps, after)
	must(t, err)
	return w
}

// payload returns n bytes, of which none is zero. They differ from one sequence number to another.
func payload(seq base.Seq, n int) []byte {
	b := make([]byte, n)
	for i, state := 0, uint32(seq)*2654435761; i < n; i++ {
		state = state*1664525 + 1013904223
		b[i] = byte(state>>24) | 1
	}
	return b
}

// frame returns a frame of n payload bytes in up to three slices.
func frame(seq base.Seq, n int) Frame {
	b := payload(seq, n)
	return Frame{seq, [][]byte{b[:n/3], nil, b[n/3 : n/2], b[n/2:]}}
}

func mustAppend(t testing.TB, w *Writer, frames ...Frame) {
	t.Helper()
	must(t, w.Append(frames))
}

// logged is a frame that was read back.
type logged struct {
	segment base.SegmentID
	seq     base.Seq
	payload string
}

func collect(into *[]logged) func(base.SegmentID, base.Seq, []byte) error {
	return func(segment base.SegmentID, seq base.Seq, payload []byte) error {
		*into = append(*into, logged{segment, seq, string(payload)})
		return nil
	}
}

// recovered replays and settles the log, like an engine that opens.
func recovered(fsys vfs.FS, dir string, visit func(base.SegmentID, base.Seq, []byte) error) (Result, error) {
	result, err := Replay(fsys, dir, visit)
	if err != nil {
		return result, err
	}
	return result, PrepareForWriting(fsys, dir, result)
}

func replay(t testing.TB, fsys vfs.FS) ([]logged, Result) {
	t.Helper()
	var frames []logged
	result, err := Replay(fsys, dir, collect(&frames))
	must(t, err)
	return frames, result
}

func seqs(frames []logged) (s []base.Seq) {
	for _, f := range frames {
		s = append(s, f.seq)
	}
	return s
}

func wantSeqs(t testing.TB, frames []logged, want ...base.Seq) {
	t.Helper()
	if !slices.Equal(seqs(frames), want) {
		t.Fatalf("replayed %v, want %v", seqs(frames), want)
	}
}

// segmentBytes returns the content of a segment's file. patch durably changes some bytes of it.
func segmentBytes(t testing.TB, fsys vfs.FS, id base.SegmentID) []byte {
	t.Helper()
	b, err := vfs.ReadFile(fsys, SegmentPath(dir, id), 1<<30)
	must(t, err)
	return b
}

func patch(t testing.TB, fsys vfs.FS, id base.SegmentID, offset int64, b ...byte) {
	t.Helper()
	f, err := fsys.OpenReadWrite(SegmentPath(dir, id))
	must(t, err)
	_, err = f.WriteAt(b, offset)
	must(t, errors.Join(err, f.Sync(), f.Close()))
}

func setSegment(t testing.TB, fsys vfs.FS, id base.SegmentID, content []byte) {
	t.Helper()
	must(t, vfs.WriteFile(fsys, SegmentPath(dir, id), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}))
}

func TestFramesOfEverySizeReadBackAcrossSegments(t *testing.T) {
	sizes := []int{1, 2, 3, 200, directBytes - 1, directBytes, directBytes + 1, 3 * directBytes, bufferBytes - frameHeaderBytes, bufferBytes, 500_000, 2*largeBytes + 5}
	for _, options := range []Options{{}, smallSteps, {PreallocateBytes: -1}} {
		c := newFS(t)
		w, err := Create(c, dir, options, Position{})
		must(t, err)
		var want []logged
		seq := base.Seq(0)
		for range 3 {
			var group []Frame
			for _, n := range sizes {
				seq += 1 + seq%3 // ascending is enough
				group = append(group, frame(seq, n))
				want = append(want, logged{w.ID(), seq, string(payload(seq, n))})
			}
			mustAppend(t, w, group...)
			for _, f := range group {
				f.Seq += 1000
				f.Seq, seq = seq+1, seq+1
				mustAppend(t, w, frame(seq, 10))
				want = append(want, logged{w.ID(), f.Seq, string(payload(f.Seq, 10))})
			}
			w, err = w.Rotate()
			must(t, err)
		}
		must(t, w.Close())
		got, result := replay(t, c)
		if !slices.Equal(got, want) {
			t.Fatalf("replayed %v, want %v", seqs(got), seqs(want))
		}
		if result.End != (Position{4, segmentHeaderBytes, seq}) || result.Frames != int64(len(want)) || result.Segments != 4 || result.TornBytes != 0 {
			t.Fatalf("%+v", result)
		}
	}
}

// TestLargeGroupsOnTheOperatingSystemsFiles mixes writes past the page cache with others.
func TestLargeGroupsOnTheOperatingSystemsFiles(t *testing.T) {
	path := t.TempDir()
	w, err := Create(vfs.OS, path, Options{}, Position{})
	must(t, err)
	var want []logged
	for seq, n := range []int{10, largeBytes, 3*largeBytes + 1, 5, largeBytes - 1, 2 * largeBytes, 4096, 4 * largeBytes} {
		seq := base.Seq(seq + 1)
		mustAppend(t, w, frame(seq, n))
		want = append(want, logged{w.ID(), seq, string(payload(seq, n))})
	}
	must(t, w.Close())
	var got []logged
	_, err = Replay(vfs.OS, path, collect(&got))
	must(t, err)
	if !slices.Equal(got, want) {
		t.Fatalf("replayed %v, want %v", seqs(got), seqs(want))
	}
}

func TestEmptyLogReplaysToTheZeroPosition(t *testing.T) {
	c := newFS(t)
	frames, result := replay(t, c)
	if len(frames) != 0 || result != (Result{}) {
		t.Fatalf("%v %+v", frames, result)
	}
	if _, err := recovered(c, dir, collect(&frames)); err != nil {
		t.Fatal(err)
	}
	_, err := Replay(c, "/nowhere", collect(&frames))
	wantKind(t, err, base.NotFound)
}

func TestAGroupOfSmallFramesIsOneWrite(t *testing.T) {
	f := vfs.Failing(newFS(t), vfs.Never)
	w := mustCreate(t, f, Position{})
	writes := 0
	f.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpWriteAt {
			writes++
		}
		return nil
	})
	var group []Frame
	for seq := range base.Seq(100) {
		group = append(group, frame(seq+1, 200))
	}
	mustAppend(t, w, group...)
	if writes != 1 {
		t.Fatalf("%d writes for a group of 100 short frames", writes)
	}
	writes = 0
	mustAppend(t, w, Frame{200, [][]byte{payload(200, 100), payload(201, 500_000), payload(202, 500_000), payload(203, 100)}})
	if writes != 4 {
		t.Fatalf("%d writes for a frame of short, long, long, short", writes)
	}
}

func TestAppendRefusesWhatCannotBeReadBack(t *testing.T) {
	w := mustCreate(t, newFS(t), Position{Seq: 5})
	for _, test := range []struct {
		frames []Frame
		kind   base.Kind
	}{
		{[]Frame{frame(5, 1)}, base.Internal},
		{[]Frame{frame(7, 1), frame(7, 1)}, base.Internal},
		{[]Frame{frame(6, 1), {Seq: 7}}, base.Invalid},
		{[]Frame{frame(6, 1), {Seq: 7, Payload: slices.Repeat([][]byte{make([]byte, 1<<20)}, 1025)}}, base.TooLarge},
	} {
		wantKind(t, w.Append(test.frames), test.kind)
		if w.Size() != segmentHeaderBytes || w.Err() != nil {
			t.Fatalf("a refused group changed the writer: size %d, %v", w.Size(), w.Err())
		}
	}
	must(t, w.Append(nil))
	mustAppend(t, w, frame(6, 1))
}

func TestClosedWriterRefusesEverything(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 10))
	must(t, w.Close())
	_, err := w.Rotate()
	for _, err := range []error{w.Append([]Frame{frame(2, 1)}), w.Sync(), w.Close(), err} {
		wantKind(t, err, base.Internal)
	}
	frames, _ := replay(t, c.CrashClone(rand.New(rand.NewPCG(1, 1)), 0)) // Close has synced
	wantSeqs(t, frames, 1)
	if got := int64(len(segmentBytes(t, c, 1))); got != w.Size() {
		t.Fatalf("closed segment has %d bytes, frames end at %d", got, w.Size())
	}
}

func TestCreateDoesNotOverwriteFrames(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	must(t, w.Close())
	// there is only a header: an earlier Create failed in its last step
	w = mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 10))
	must(t, w.Close())
	_, err := Create(c, dir, Options{}, Position{})
	wantKind(t, err, base.Conflict)
}

func TestVisitErrorEndsTheReplay(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 10), frame(2, 10))
	must(t, w.Close())
	visited := 0
	refused := base.Errorf(base.TooLarge, "refused")
	_, err := Replay(c, dir, func(base.SegmentID, base.Seq, []byte) error { visited++; return refused })
	wantKind(t, err, base.TooLarge)
	if visited != 1 || !errors.Is(err, refused) {
		t.Fatalf("visited %d, %v", visited, err)
	}
}

func TestRemoveBeforeKeepsTheNewestSegment(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	var err error
	for seq := range base.Seq(4) {
		mustAppend(t, w, frame(seq+1, 10))
		w, err = w.Rotate()
		must(t, err)
	}
	must(t, w.Close())
	for _, test := range []struct {
		before base.SegmentID
		want   []base.SegmentID
	}{{1, []base.SegmentID{1, 2, 3, 4, 5}}, {3, []base.SegmentID{3, 4, 5}}, {99, []base.SegmentID{5}}} {
		must(t, RemoveBefore(c, dir, test.before))
		ids, err := List(c, dir)
		if err != nil || !slices.Equal(ids, test.want) {
			t.Fatalf("before %d: %v %v", test.before, ids, err)
		}
		_, result := replay(t, c)
		if result.End.Segment != 5 || result.Segments != len(ids) {
			t.Fatalf("%+v", result)
		}
	}
}

func TestListIgnoresOtherFiles(t *testing.T) {
	c := newFS(t)
	for _, name := range []string{"1.wal", "000000000000.wal", "000000000002.wal.tmp", "-00000000001.wal", "notes.txt", "1000000000000.wal", "000000000007.wal"} {
		must(t, vfs.WriteFile(c, dir+"/"+name, func(io.Writer) error { return nil }))
	}
	ids, err := List(c, dir)
	if err != nil || !slices.Equal(ids, []base.SegmentID{7, 1000000000000}) {
		t.Fatalf("%v %v", ids, err)
	}
}

func TestInspectPrintsFramesAndTheEnd(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 100), frame(2, 10))
	must(t, w.Sync())
	mustAppend(t, w, frame(5, 1000))
	w2, err := w.Rotate()
	must(t, err)
	mustAppend(t, w2, frame(6, 20))
	must(t, w2.Sync())
	mustAppend(t, w2, frame(7, 20))
	patch(t, c, 2, segmentHeaderBytes+48+30, 0)

	want := `segment 1 version 1 previous-end 0
frame offset 40 seq 1 length 100 synced 40
frame offset 168 seq 2 length 10 synced 40
frame offset 206 seq 5 length 1000 synced 206
end offset 1234 frames 3 payload-bytes 1110
segment 2 version 1 previous-end 1234
frame offset 40 seq 6 length 20 synced 40
torn offset 88 length 48: payload checksum: expected cd69d158, found 6db2c68f
end offset 88 frames 1 payload-bytes 20
`
	var got bytes.Buffer
	for id := range base.SegmentID(2) {
		must(t, Inspect(c, SegmentPath(dir, id+1), &got))
	}
	if got.String() != want {
		t.Fatalf("got\n%swant\n%s", &got, want)
	}

	patch(t, c, 1, segmentHeaderBytes+8, 9) // the first frame's sequence number
	got.Reset()
	err = Inspect(c, SegmentPath(dir, 1), &got)
	wantKind(t, err, base.Corrupt)
	if got.String() != "segment 1 version 1 previous-end 0\n" {
		t.Fatal(got.String())
	}
	wantKind(t, Inspect(c, dir+"/notes.txt", &got), base.Invalid)
	wantKind(t, Inspect(c, SegmentPath(dir, 9), &got), base.NotFound)
}

func TestCorruptionIsNamedWithFileOffsetExpectedAndFound(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 100))
	must(t, w.Sync())
	mustAppend(t, w, frame(2, 100))
	must(t, w.Close())
	whole := segmentBytes(t, c, 1)
	for _, test := range []struct {
		offset int64
		b      []byte
		want   string
	}{
		{0, []byte("X"), `/wal/000000000001.wal is corrupt at offset 0: magic: expected "SCOTRWAL", found "XCOTRWAL"`},
		{segmentHeaderBytes + frameHeaderBytes, []byte{0}, "/wal/000000000001.wal is corrupt at offset 40: payload checksum: expected 0ea6934c, found f34d70b8; the frame at offset 168 was written after the first 168 bytes were durable"},
	} {
		setSegment(t, c, 1, whole)
		patch(t, c, 1, test.offset, test.b...)
		var frames []logged
		_, err := Replay(c, dir, collect(&frames))
		wantKind(t, err, base.Corrupt)
		if err.Error() != test.want {
			t.Errorf("got  %s\nwant %s", err, test.want)
		}
	}
}

func TestNewerFormatIsRefusedWithAHint(t *testing.T) {
	c := newFS(t)
	h := segmentHeader{version: FormatVersion + 1, id: 1}
	setSegment(t, c, 1, h.encode())
	var frames []logged
	_, err := Replay(c, dir, collect(&frames))
	wantKind(t, err, base.Invalid)
	var e *base.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "newer") || !strings.Contains(err.Error(), fmt.Sprint(FormatVersion+1)) {
		t.Fatalf("%v, hint %q", err, e.Hint)
	}
}
