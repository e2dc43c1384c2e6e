package wal

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// threeGroups writes two segments. The last one has three synced groups of two frames. lastGroup is
// the offset of the third group.
func threeGroups(t testing.TB) (c *vfs.Crashable, all []logged, lastGroup int64) {
	t.Helper()
	c = newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 20), frame(2, 5))
	w, err := w.Rotate()
	must(t, err)
	for seq := base.Seq(3); seq < 9; seq += 2 {
		lastGroup = w.Size()
		mustAppend(t, w, frame(seq, 30), frame(seq+1, 7))
		must(t, w.Sync())
	}
	must(t, w.Close())
	all, _ = replay(t, c)
	return c, all, lastGroup
}

// No flipped bit leads to a wrong frame. Damage to anything that a later frame or the next segment
// proves durable is reported, never cut off.
func TestEveryBitFlipIsFoundOrCutFromTheLastGroup(t *testing.T) {
	c, all, lastGroup := threeGroups(t)
	for _, id := range []base.SegmentID{1, 2} {
		whole := segmentBytes(t, c, id)
		for bit := range len(whole) * 8 {
			offset := int64(bit / 8)
			patch(t, c, id, offset, whole[offset]^1<<(bit%8))
			var got []logged
			result, err := Replay(c, dir, collect(&got))
			if len(got) > len(all) || !slices.Equal(got, all[:len(got)]) {
				t.Fatalf("segment %d bit %d: replayed what was not written: %v", id, bit, seqs(got))
			}
			inLastGroup := id == 2 && offset >= lastGroup
			switch {
			case err == nil && (!inLastGroup || len(got) < len(all)-2 || len(got) == len(all) || result.TornBytes == 0):
				t.Fatalf("segment %d bit %d (offset %d): accepted with frames %v, %+v", id, bit, offset, seqs(got), result)
			case err != nil && inLastGroup:
				t.Fatalf("segment %d bit %d: %v", id, bit, err)
			case err != nil:
				wantKind(t, err, base.Corrupt)
			}
			patch(t, c, id, offset, whole[offset])
		}
	}
}

func TestTruncationCutsTheLastSegmentAndCorruptsAnEarlierOne(t *testing.T) {
	c, all, _ := threeGroups(t)
	whole := segmentBytes(t, c, 2)
	for n := segmentHeaderBytes; n < len(whole); n++ {
		setSegment(t, c, 2, whole[:n])
		var got []logged
		result, err := recovered(c, dir, collect(&got))
		must(t, err)
		if !slices.Equal(got, all[:len(got)]) || result.TornBytes > int64(n)-result.End.End || int64(len(segmentBytes(t, c, 2))) != result.End.End {
			t.Fatalf("cut to %d bytes: %v, %+v", n, seqs(got), result)
		}
		// The log continues from there, and the cut is final.
		w := mustCreate(t, c, result.End)
		mustAppend(t, w, frame(100, 10))
		must(t, w.Close())
		frames, _ := replay(t, c)
		wantSeqs(t, frames, append(seqs(got), 100)...)
		must(t, c.Remove(SegmentPath(dir, 3)))
	}
	for n := range segmentHeaderBytes {
		setSegment(t, c, 2, whole[:n])
		_, err := Replay(c, dir, collect(new([]logged)))
		wantKind(t, err, base.Corrupt)
	}
	setSegment(t, c, 2, whole)
	whole = segmentBytes(t, c, 1)
	for n := range whole {
		setSegment(t, c, 1, whole[:n])
		_, err := Replay(c, dir, collect(new([]logged)))
		wantKind(t, err, base.Corrupt)
	}
}

// A disk may write the end of an unsynced group and lose its beginning.
func TestAGapBeforeAValidUnsyncedFrameIsATornTail(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 100))
	must(t, w.Sync())
	gap := w.Size()
	mustAppend(t, w, frame(2, 100), frame(3, 100))
	patch(t, c, 1, gap, make([]byte, 128)...)
	frames, result := replay(t, c)
	wantSeqs(t, frames, 1)
	if result.End != (Position{1, gap, 1}) || result.TornBytes != w.Size()-gap {
		t.Fatalf("%+v", result)
	}
	// The same gap, after a later frame recorded that the frame was durable.
	must(t, w.Sync())
	mustAppend(t, w, frame(4, 100))
	_, err := Replay(c, dir, collect(&frames))
	wantKind(t, err, base.Corrupt)
}

func TestAnEmbeddedSegmentIsNotMistakenForFrames(t *testing.T) {
	c := newFS(t)
	w := mustCreate(t, c, Position{})
	mustAppend(t, w, frame(1, 100))
	must(t, w.Sync())
	mustAppend(t, w, frame(2, 100))
	must(t, w.Sync())
	copied := segmentBytes(t, c, 1)[:w.Size()]
	// A synced frame, then a torn one. Its payload has copies of frames that claim to have been
	// written after everything here was durable.
	torn := w.Size()
	mustAppend(t, w, Frame{3, [][]byte{bytes.Repeat(copied, 20)}})
	patch(t, c, 1, torn+5, 0xff)
	frames, result := replay(t, c)
	wantSeqs(t, frames, 1, 2)
	if result.End.End != torn {
		t.Fatalf("%+v", result)
	}
}

func TestMissingOrForeignSegmentIsCorrupt(t *testing.T) {
	build := func() *vfs.Crashable {
		c := newFS(t)
		w := mustCreate(t, c, Position{})
		for seq := range base.Seq(3) {
			mustAppend(t, w, frame(seq+1, 10))
			next, err := w.Rotate()
			must(t, err)
			w = next
		}
		must(t, w.Close())
		return c
	}
	reasons := map[string]string{
		"missing": "is missing", "renamed": "segment id", "empty": "file length", "an older frame": "sequence number",
		"durable too far": "durable offset", "bad end": "end of the previous segment", "version 0": "format version",
	}
	for name, damage := range map[string]func(c *vfs.Crashable){
		"missing":         func(c *vfs.Crashable) { must(t, c.Remove(SegmentPath(dir, 2))) },
		"renamed":         func(c *vfs.Crashable) { setSegment(t, c, 2, segmentBytes(t, c, 3)) },
		"empty":           func(c *vfs.Crashable) { setSegment(t, c, 4, nil) },
		"an older frame":  func(c *vfs.Crashable) { forge(t, c, frameHeader{seq: 2, synced: segmentHeaderBytes}) },
		"durable too far": func(c *vfs.Crashable) { forge(t, c, frameHeader{seq: 9, synced: segmentHeaderBytes + 1}) },
		"bad end": func(c *vfs.Crashable) {
			setSegment(t, c, 4, segmentHeader{version: 1, id: 4, previousEnd: 1}.encode())
		},
		"version 0": func(c *vfs.Crashable) { setSegment(t, c, 4, segmentHeader{id: 4}.encode()) },
	} {
		t.Run(name, func(t *testing.T) {
			c := build()
			damage(c)
			_, err := Replay(c, dir, collect(new([]logged)))
			wantKind(t, err, base.Corrupt)
			if want := reasons[name]; !strings.Contains(err.Error(), want) {
				t.Fatalf("%v, want %q", err, want)
			}
		})
	}
}

// forge appends a frame with valid checksums and wrong fields to segment 4.
func forge(t testing.TB, c *vfs.Crashable, h frameHeader) {
	segment := segmentHeader{version: 1, id: 4, salt: 42, previousEnd: int64(len(segmentBytes(t, c, 3)))}
	h.length, h.payloadChecksum = 1, crc32.Checksum([]byte{0}, base.Castagnoli)
	setSegment(t, c, 4, append(h.append(segment.encode(), segment.salt, segmentHeaderBytes), 0))
}

func TestReadErrorsAreReported(t *testing.T) {
	c, all, _ := threeGroups(t)
	patch(t, c, 2, int64(len(segmentBytes(t, c, 2)))-1, 0) // so that the tail is searched too
	for i := 0; ; i++ {
		f := vfs.Failing(c, vfs.OnIndex(i, nil))
		var got []logged
		_, err := Replay(f, dir, collect(&got))
		if f.Ops() <= i {
			must(t, err)
			wantSeqs(t, got, seqs(all[:len(all)-1])...)
			return
		}
		wantKind(t, err, base.Unavailable)
		if err := Inspect(vfs.Failing(c, vfs.OnIndex(i, nil)), SegmentPath(dir, 1), io.Discard); err != nil && !errors.Is(err, vfs.ErrInjected) {
			t.Fatal(err)
		}
	}
}

func FuzzReplay(f *testing.F) {
	c, _, _ := threeGroups(f)
	f.Add(segmentBytes(f, c, 1), uint16(50), byte(1))
	f.Add(segmentBytes(f, c, 2), uint16(0), byte(0))
	f.Add([]byte(magic), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, content []byte, flipAt uint16, flip byte) {
		if len(content) > 1<<16 {
			return
		}
		if len(content) > 0 {
			content = slices.Clone(content)
			content[int(flipAt)%len(content)] ^= flip
		}
		// a valid header with an unchanged salt, so that frames are read
		if len(content) >= segmentHeaderBytes {
			salt := le.Uint64(content[24:])
			copy(content, segmentHeader{version: 1, id: 2, salt: salt}.encode())
		}
		c := newFS(t)
		setSegment(t, c, 2, content)
		var first, second []logged
		result, err := recovered(c, dir, collect(&first))
		if err != nil {
			wantKind(t, err, base.Corrupt)
			if after := segmentBytes(t, c, 2); !bytes.Equal(after, content) {
				t.Fatal("changed a corrupt segment")
			}
			return
		}
		if result.End.End+result.TornBytes > int64(len(content)) {
			t.Fatalf("%+v of %d bytes", result, len(content))
		}
		again, err := recovered(c, dir, collect(&second))
		must(t, err)
		if !slices.Equal(first, second) || again.End != result.End || again.TornBytes != 0 {
			t.Fatalf("first %+v, then %+v", result, again)
		}
	})
}
