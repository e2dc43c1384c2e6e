package wal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

const (
	// DefaultPreallocateBytes is the step in which a segment's space is reserved, so
	// that most syncs write no file system metadata. Measured on ext4 on a virtual
	// disk, 2 busy cores, 12 interleaved rounds, middle of the rounds' median
	// latencies of Append and Sync without reservation, with 4 MiB, with 16 MiB:
	// 200 bytes 55, 27, 27 us; 16 KB 40, 52, 39 us; 500 KB 221, 229, 227 us. So it
	// halves small commits and is neutral for the others, but only in large steps.
	DefaultPreallocateBytes = 16 << 20

	// Slices from directBytes on go to the file from where they are; shorter ones
	// are gathered first, because a system call costs as much as copying that much.
	directBytes = 32 << 10
	bufferBytes = 128 << 10

	// Groups from largeBytes on are written in aligned pieces of this size, which vfs takes past the page
	// cache: copying them here costs a tenth of what the page cache does.
	largeBytes = 1 << 20

	probeBytes = 1 << 20
)

// Options are a log's settings.
type Options struct {
	// PreallocateBytes is the step in which space is reserved ahead of writing: 0 is
	// DefaultPreallocateBytes, negative reserves nothing.
	PreallocateBytes int64
	// Synced, if not nil, is called after each fsync of frames with the time that it took, whether
	// it succeeded or not.
	Synced func(time.Duration)
}

// Frame is one edit to be logged. The payload is the concatenation of slices, 1
// to MaxPayloadBytes long in all; they are only read, and only during Append.
type Frame struct {
	Seq     base.Seq
	Payload [][]byte
}

// Position is a place between two segments: the last one's id, the offset at
// which its valid frames end, and the last sequence number in the log so far.
// The zero Position is the start of a log.
type Position struct {
	Segment base.SegmentID
	End     int64
	Seq     base.Seq
}

// Writer appends to one segment. It is for one goroutine at a time: the engine's
// commit leader calls Append with the frames of all who wait, then Sync once, then
// wakes them. That is group commit.
//
// # What is promised
//
// After Sync, every frame appended before it is read back by every later Replay,
// or Replay fails as Corrupt. A frame whose Append or Sync failed is not read
// back, unless the process ends before the failure could be noted (below). A
// frame that was appended and neither synced nor failed may or may not be read
// back after a crash; never a part of it.
//
// # Torn tail or corrupt middle
//
// Replay meets bytes that are no frame. Either a crash interrupted a write that
// nobody had been told of: cut it off. Or the disk lost what was acknowledged:
// stop. Asking whether a valid frame follows does not tell them apart: a group is
// written at once, and between two syncs a disk may write its later pages and
// lose its earlier ones, so that a frame behind a gap is ordinary.
//
// So each frame says up to which offset the segment was known to be durable when
// the frame was written (synced). Bad bytes at offset x are corruption if, and
// only if, a frame header anywhere behind x has synced > x: it was written after
// x was durable. If there is none, nothing proves that a sync ever covered x.
// Of the newest frames no later one speaks, and a file that was cut has none
// behind the cut. For these there is the [Mark], which the engine writes beside the
// commits: what is older than its last writing is known to have been durable. Damage
// to what is newer reads as a torn tail. That gap closes with the
// next segment, whose header records where this one ends (previousEnd); from then
// on, every byte up to there must be right.
//
// Header checksums are separate from payload checksums so that the search costs
// one pass, and they cover a random salt and the frame's own offset so that it
// cannot be led astray by what users store: a BLOB that holds a segment.
//
// # When the disk fails
//
// A failed write (a full disk) is taken back: truncate to the last whole group,
// then sync, since otherwise a crash could bring back frames whose clients were
// told of the failure. That done, the writer goes on, and succeeds when there is
// space again. It also makes earlier frames durable, which does no harm.
//
// A failed sync is never repeated on the same file: the kernel may have dropped
// the pages and marked them clean, and the second sync would succeed without
// them. The writer is broken: every later call returns that first error. It is
// broken too when taking back a failed write fails. The file may then hold whole
// frames that failed. Rotate cuts them off: the next segment records the last
// synced offset as this one's end. Only if the process ends before Rotate
// succeeds can frames that failed come back; the clients know them as failed,
// which for a broken disk may mean either outcome, and no part of a frame comes
// back in any case.
//
// # Preallocated space
//
// The file is longer than its frames: zeros follow, which are neither frames nor
// damage. A failed reservation is not an error, the write that follows is the
// judge of whether there is space.
//
// # Rejected
//
// Reusing old segments in place (no allocation at all) would leave old frames
// behind new ones; fixed blocks (as LevelDB has them) would cut payloads that are
// read in one piece.
type Writer struct {
	fs          vfs.FS
	dir         string
	preallocate int64
	timed       func(time.Duration) // Options.Synced
	file        vfs.File
	id          base.SegmentID
	salt        uint64
	buffer      []byte
	large       []byte // of largeBytes, for large groups; nil before the first

	size      int64 // end of the last frame appended
	seq       base.Seq
	synced    int64 // end of the last frame known durable
	syncedSeq base.Seq
	allocated int64 // file length as far as known; at least size

	// stray says that the next segment may be there although Rotate failed: it may have recorded this one's end, so
	// that nothing is appended until it is gone.
	stray bool
	waits bool  // there is no file yet: see Await
	err   error // first error of a broken or closed writer
}

// Create starts the segment that follows after, which is where Replay ended or
// the zero Position, and makes its name durable in dir, a folder that exists.
// That a segment of this id holds frames already is a Conflict.
func Create(fsys vfs.FS, dir string, options Options, after Position) (*Writer, error) {
	id := after.Segment + 1
	path := SegmentPath(dir, id)
	// An earlier Create that failed in its last step may have left a header.
	info, err := fsys.Stat(path)
	switch {
	case err == nil && info.Size > segmentHeaderBytes:
		return nil, base.Errorf(base.Conflict, "create WAL segment: %s exists and holds %d bytes", path, info.Size)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, base.Wrap(err, "create WAL segment %d", id)
	}
	header := segmentHeader{version: FormatVersion, id: id, salt: randomSalt(), previousEnd: after.End}
	// Published whole, so that a torn segment header does not exist.
	err = vfs.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(header.encode())
		return err
	})
	if err != nil {
		return nil, base.Wrap(err, "create WAL segment %d", id)
	}
	file, err := fsys.OpenReadWrite(path)
	if err != nil {
		return nil, base.Wrap(err, "create WAL segment %d", id)
	}
	if options.PreallocateBytes == 0 {
		options.PreallocateBytes = DefaultPreallocateBytes
	}
	return &Writer{
		fs: fsys, dir: dir, preallocate: options.PreallocateBytes, timed: options.Synced, file: file, id: id, salt: header.salt,
		buffer: make([]byte, 0, bufferBytes),
		size:   segmentHeaderBytes, synced: segmentHeaderBytes, allocated: segmentHeaderBytes,
		seq: after.Seq, syncedSeq: after.Seq,
	}, nil
}

// Await returns a writer for the log that ends at after and has no segment to write to, because Create failed with cause: whatever it is asked for
// fails with that, but for Rotate, which begins the segment.
func Await(fsys vfs.FS, dir string, options Options, after Position, cause error) *Writer {
	return &Writer{
		fs: fsys, dir: dir, preallocate: cmp.Or(options.PreallocateBytes, DefaultPreallocateBytes), timed: options.Synced, id: after.Segment, waits: true, err: cause,
		size: after.End, synced: after.End, allocated: after.End, seq: after.Seq, syncedSeq: after.Seq,
	}
}

// Waits reports whether there is no segment yet: see Await.
func (w *Writer) Waits() bool { return w.waits }

// Probe returns nil if the next frames are likely to find space.
func (w *Writer) Probe() error {
	if w.err != nil || w.allocated > w.size+probeBytes {
		return w.err
	}
	if err := w.file.Allocate(w.size + probeBytes); err != nil {
		return base.Wrap(err, "WAL segment %d", w.id)
	}
	w.allocated = max(w.allocated, w.size+probeBytes)
	return nil
}

func randomSalt() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails, by its contract
	return le.Uint64(b[:])
}

// ID returns the segment's id.
func (w *Writer) ID() base.SegmentID { return w.id }

// Size returns the segment's length in bytes, without preallocated space.
func (w *Writer) Size() int64 { return w.size }

// Synced returns the offset up to which the segment is known to be durable.
func (w *Writer) Synced() int64 { return w.synced }

// Err returns the error that broke the writer, or nil if it works.
func (w *Writer) Err() error { return w.err }

// Append writes frames, all or none, without making them durable. Their sequence
// numbers must ascend, from the last one of the log on. An empty or too long
// payload is refused before anything is written, as Invalid or TooLarge. After
// StorageFull, or any other failed write that could be taken back (Err is nil),
// the same call may be made again.
func (w *Writer) Append(frames []Frame) error {
	if w.err != nil {
		return w.err
	}
	if len(frames) == 0 {
		return nil
	}
	if err := w.removeStray(); err != nil {
		return err
	}
	total, err := w.check(frames)
	if err != nil {
		return base.Wrap(err, "append to WAL segment %d", w.id)
	}
	w.reserve(w.size + total)
	if err := w.write(frames, total); err != nil {
		return w.takeBack(err)
	}
	w.size += total
	w.allocated = max(w.allocated, w.size)
	w.seq = frames[len(frames)-1].Seq
	return nil
}

// check returns how many bytes the frames take.
func (w *Writer) check(frames []Frame) (total int64, err error) {
	last := w.seq
	for _, frame := range frames {
		if frame.Seq <= last {
			return 0, base.Errorf(base.Internal, "sequence number %d does not follow %d", frame.Seq, last)
		}
		last = frame.Seq
		length := payloadBytes(frame)
		if length == 0 {
			return 0, base.Errorf(base.Invalid, "edit %d is empty", frame.Seq)
		}
		if length > MaxPayloadBytes {
			return 0, base.Errorf(base.TooLarge, "edit %d has %d bytes, limit %d", frame.Seq, length, MaxPayloadBytes)
		}
		total += frameHeaderBytes + length
	}
	return total, nil
}

func payloadBytes(frame Frame) (length int64) {
	for _, slice := range frame.Payload {
		length += int64(len(slice))
	}
	return length
}

// reserve preallocates space so that the file reaches to end or farther.
func (w *Writer) reserve(end int64) {
	if w.preallocate <= 0 || end <= w.allocated {
		return
	}
	target := (end + w.preallocate - 1) / w.preallocate * w.preallocate
	if err := w.file.Allocate(target); err != nil {
		w.preallocate = 0 // the write that follows finds out whether there is space, see Writer
		return
	}
	w.allocated = target
}

// write writes frames from size on.
func (w *Writer) write(frames []Frame, total int64) error {
	s := stage{file: w.file, at: w.size, buffer: w.buffer[:0], direct: directBytes}
	if total >= largeBytes {
		if w.large == nil {
			w.large = make([]byte, 0, largeBytes) // Go aligns what is as large as that to pages
		}
		s.buffer, s.direct = w.large, math.MaxInt
		s.limit = int((vfs.DirectAlign - s.at%vfs.DirectAlign) % vfs.DirectAlign)
	}
	offset := w.size
	for _, frame := range frames {
		h := frameHeader{length: uint32(payloadBytes(frame)), seq: frame.Seq, synced: w.synced}
		for _, slice := range frame.Payload {
			h.payloadChecksum = crc32.Update(h.payloadChecksum, base.Castagnoli, slice)
		}
		var header [frameHeaderBytes]byte
		if err := s.add(h.append(header[:0], w.salt, offset)); err != nil {
			return err
		}
		offset += frameHeaderBytes + int64(h.length)
		for _, slice := range frame.Payload {
			if err := s.add(slice); err != nil {
				return err
			}
		}
	}
	return s.end()
}

// takeBack removes what a failed write left behind the last whole group.
func (w *Writer) takeBack(cause error) error {
	err := w.file.Truncate(w.size)
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.err = base.Wrap(errors.Join(cause, err), "WAL segment %d is broken: a write failed and could not be taken back", w.id)
		return w.err
	}
	w.allocated = w.size
	w.synced, w.syncedSeq = w.size, w.seq
	return base.Wrap(cause, "append to WAL segment %d", w.id)
}

// Sync makes all appended frames durable. After an error the writer is broken.
func (w *Writer) Sync() error {
	if w.err != nil || w.synced == w.size {
		return w.err
	}
	started := time.Now()
	err := w.file.Sync()
	if w.timed != nil {
		w.timed(time.Since(started))
	}
	if err != nil {
		w.err = base.Wrap(err, "WAL segment %d is broken", w.id)
		return w.err
	}
	w.synced, w.syncedSeq = w.size, w.seq
	return nil
}

// Rotate ends this segment and returns the writer of the next. A working writer
// is synced first. A broken one gives up the frames after its last successful
// Sync, all of which failed: they are not read back once Rotate has succeeded.
//
// After success this writer is closed. After an error it is as it was before (a
// failed sync breaks it) and Rotate may be called again. If even the traces of
// the next segment could not be removed, that is tried again before anything is appended, because frames
// would stand behind the end that the next segment may have recorded.
func (w *Writer) Rotate() (*Writer, error) {
	if w.file == nil && !w.waits {
		return nil, w.err
	}
	if w.err == nil {
		if err := w.Sync(); err != nil {
			return nil, err
		}
		if err := w.trim(); err != nil {
			return nil, err
		}
	}
	next, err := Create(w.fs, w.dir, Options{PreallocateBytes: w.preallocate, Synced: w.timed}, Position{w.id, w.synced, w.syncedSeq})
	if err != nil {
		w.stray = true
		return nil, errors.Join(err, w.removeStray())
	}
	if w.file != nil {
		_ = w.file.Close() // what counts of the old segment is durable; closing cannot change that any more
	}
	w.file, w.waits, w.err = nil, false, errClosed(w.id)
	return next, nil
}

// removeStray removes what a failed Rotate may have left of the next segment.
func (w *Writer) removeStray() error {
	if !w.stray {
		return nil
	}
	err := w.fs.Remove(SegmentPath(w.dir, w.id+1))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = w.fs.SyncDir(w.dir)
	}
	w.stray = err != nil
	return base.Wrap(err, "remove what is left of WAL segment %d", w.id+1)
}

// trim gives preallocated space back.
func (w *Writer) trim() error {
	if w.allocated == w.size {
		return nil
	}
	if err := w.file.Truncate(w.size); err != nil {
		return base.Wrap(err, "trim WAL segment %d", w.id)
	}
	w.allocated = w.size
	return nil
}

// Close makes all appended frames durable, unless the writer is broken, and
// closes the file. The error is that of the first thing that failed, now or,
// for a broken writer, earlier.
func (w *Writer) Close() error {
	if w.waits {
		w.waits, w.err = false, errClosed(w.id)
		return nil
	}
	if w.file == nil {
		return w.err
	}
	err := w.Sync()
	if err == nil {
		err = w.trim()
	}
	err = errors.Join(err, w.file.Close())
	w.file, w.err = nil, errClosed(w.id)
	return base.Wrap(err, "close WAL segment %d", w.id)
}

func errClosed(id base.SegmentID) error {
	return base.Errorf(base.Internal, "WAL segment %d: writer is closed", id)
}
