package wal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// benchmarkSegmentBytes is the size at which benchmarks begin a new segment, to limit disk space.
const benchmarkSegmentBytes = 64 << 20

func benchmarkAppend(b *testing.B, options Options, payloadBytes, framesPerGroup int, sync bool) {
	dir := b.TempDir()
	w, err := Create(vfs.OS, dir, options, Position{})
	must(b, err)
	data := payload(1, payloadBytes)
	group := make([]Frame, framesPerGroup)
	seq := base.Seq(0)
	b.SetBytes(int64(payloadBytes * framesPerGroup))
	b.ReportAllocs()
	for b.Loop() {
		for i := range group {
			seq++
			group[i] = Frame{seq, [][]byte{data}}
		}
		must(b, w.Append(group))
		if sync {
			must(b, w.Sync())
		}
		if w.Size() > benchmarkSegmentBytes {
			b.StopTimer()
			w, err = w.Rotate()
			must(b, err)
			must(b, RemoveBefore(vfs.OS, dir, w.ID()))
			b.StartTimer()
		}
	}
	must(b, w.Close())
}

// BenchmarkAppend measures the cost of Append without a sync: checksum, copy and system call.
func BenchmarkAppend(b *testing.B) {
	b.Run("1x500KB", func(b *testing.B) { benchmarkAppend(b, Options{}, 500_000, 1, false) })
	b.Run("1x200B", func(b *testing.B) { benchmarkAppend(b, Options{}, 200, 1, false) })
	b.Run("100x200B", func(b *testing.B) { benchmarkAppend(b, Options{}, 200, 100, false) })
}

// BenchmarkGroupCommit measures the latency of Append and Sync by preallocation step.
func BenchmarkGroupCommit(b *testing.B) {
	for _, step := range []int64{-1, 1 << 20, 4 << 20, 16 << 20} {
		for _, size := range []int{200, 16_000, 500_000} {
			b.Run(fmt.Sprintf("preallocate=%d/%dB", step, size), func(b *testing.B) {
				benchmarkAppend(b, Options{PreallocateBytes: step}, size, 1, true)
			})
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, size := range []int{200, 500_000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			dir := b.TempDir()
			w, err := Create(vfs.OS, dir, Options{}, Position{})
			must(b, err)
			data := payload(1, size)
			for seq := base.Seq(1); w.Size() < 16<<20; seq++ {
				mustAppend(b, w, Frame{seq, [][]byte{data}})
			}
			must(b, w.Close())
			b.SetBytes(w.Size())
			for b.Loop() {
				_, err := Replay(vfs.OS, dir, func(base.SegmentID, base.Seq, []byte) error { return nil })
				must(b, err)
			}
		})
	}
}

// The real file system behaves like the crashable one: space is reserved while the segment is
// written, and freed when it is closed.
func TestSegmentOnARealDiskIsPreallocatedAndTrimmed(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(vfs.OS, dir, smallSteps, Position{})
	must(t, err)
	mustAppend(t, w, frame(1, 100), frame(2, 50_000))
	must(t, w.Sync())
	length := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		return info.Size()
	}
	if got := length("000000000001.wal"); runtime.GOOS == "linux" && got%(4<<10) != 0 || got < w.Size() {
		t.Fatalf("%d bytes for frames up to %d", got, w.Size())
	}
	var got []logged
	result, err := recovered(vfs.OS, dir, collect(&got))
	must(t, err)
	wantSeqs(t, got, 1, 2)
	if result.TornBytes != 0 || result.End.End != w.Size() {
		t.Fatalf("%+v", result)
	}
	next, err := w.Rotate()
	must(t, err)
	if got := length("000000000001.wal"); got != result.End.End {
		t.Fatalf("%d bytes, frames end at %d", got, result.End.End)
	}
	must(t, next.Close())
}
