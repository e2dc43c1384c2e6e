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
	// DefaultPreallocateBytes is the step in which a segment's space is reserved, so that most
	// syncs write no file system metadata. Measured on ext4 on a virtual disk with 2 busy cores,
	// the median latencies of Append and Sync without reservation, with 4 MiB and with 16 MiB (the
	// middle of 12 interleaved rounds) are:
	//
	//	200 bytes: 55, 27, 27 us
	//	16 KB:     40, 52, 39 us
	//	500 KB:    221, 229, 227 us
	//
	// So reservation halves the latency of small commits and is neutral for others, but only in
	// large steps.
	DefaultPreallocateBytes = 16 << 20

	// Slices of at least directBytes are written without a copy into the buffer. Shorter ones are
	// buffered, because a system call costs as much as copying that many bytes.
	directBytes = 32 << 10
	bufferBytes = 128 << 10

	// Groups of at least largeBytes are written in aligned pieces of this size, which vfs writes
	// past the page cache. The copy into the buffer costs a tenth of what the page cache costs.
	largeBytes = 1 << 20

	probeBytes = 1 << 20
)

// Options configure a log.
type Options struct {
	// PreallocateBytes is the step in which space is reserved ahead of writing. 0 means
	// DefaultPreallocateBytes; a negative value disables reservation.
	PreallocateBytes int64
	// Synced, if not nil, is called after each fsync of frames, failed or not, with the time that
	// the fsync took.
	Synced func(time.Duration)
}

// Frame is one edit to log. The payload is the concatenation of the slices, 1 to MaxPayloadBytes
// long in total. Append only reads the slices, and does not retain them.
type Frame struct {
	Seq     base.Seq
	Payload [][]byte
}

// Position is a boundary between two segments: the id of the last segment, the offset at which its
// valid frames end, and the last sequence number in the log so far. The zero Position is the start
// of a log.
type Position struct {
	Segment base.SegmentID
	End     int64
	Seq     base.Seq
}

// Writer appends to one segment. Only one goroutine at a time may use it. The committer calls
// Append with the frames of all waiting edits, then Sync once, and then wakes the waiters: group
// commit.
//
// # Guarantees
//
// After Sync, every later Replay reads back every frame that was appended before it, or fails as
// Corrupt. A frame whose Append or Sync failed is not read back, unless the process ends before the
// failure could be recorded (see below). A frame that was appended but neither synced nor failed
// may or may not be read back after a crash, but never in part.
//
// # Torn tail or corruption
//
// Replay may find bytes that are not a valid frame. If a crash interrupted a write that was never
// acknowledged, the bytes must be cut off. If the disk lost acknowledged data, Replay must stop. A
// valid frame after the bad bytes does not decide between the two: a group is written at once, and
// between two syncs a disk may write later pages and lose earlier ones. So a frame after a gap is
// ordinary.
//
// Therefore each frame records the offset up to which the segment was known to be durable when the
// frame was written (synced). Bad bytes at offset x are corruption if and only if a later frame
// header has synced > x: that frame was written after x was durable. Without such a header, nothing
// proves that a sync ever covered x.
//
// No later frame covers the newest frames, and after a file was cut off no frame follows the cut.
// The [Mark] covers these cases. The engine writes it in the background: bytes before the position
// that it records are known to have been durable. Damage to newer bytes looks like a torn tail. The
// next segment closes this gap, because its header records where this segment ends (previousEnd).
// From then on, every byte up to that offset must be valid.
//
// Header checksums are separate from payload checksums, so that the search takes one pass. They
// cover a random salt and the frame's own offset, so that stored data, such as a BLOB with the
// bytes of a segment, cannot mislead the search.
//
// # When the disk fails
//
// A failed write (a full disk) is undone: the file is truncated to the last whole group and then
// synced. Without the sync, a crash could bring back frames whose clients received an error. The
// writer then stays usable, and succeeds once there is space again. The sync also makes earlier
// frames durable, which does no harm.
//
// A failed sync is never repeated on the same file: the kernel may have dropped the pages and
// marked them clean, so that a second sync would succeed without them. The writer is then broken:
// every later call returns the first error. The writer is also broken if a failed write cannot be
// undone. In both cases the file may contain whole frames that failed. Rotate cuts them off,
// because the next segment records the last synced offset as the end of this one. Only if the
// process ends before Rotate succeeds can failed frames come back. Their clients received an error,
// which for a broken disk may mean either outcome. A part of a frame never comes back.
//
// # Preallocated space
//
// The file is longer than its frames. The zeros at its end are neither frames nor damage. A failed
// reservation is not an error: the next write finds out whether there is space.
//
// # Rejected alternatives
//
// Reusing old segments in place (no allocation at all) would leave old frames after new ones. Fixed
// blocks, as in LevelDB, would split payloads that are read in one piece.
type Writer struct {
	fs          vfs.FS
	dir         string
	preallocate int64
	timed       func(time.Duration) // Options.Synced
	file        vfs.File
	id          base.SegmentID
	salt        uint64
	buffer      []byte
	large       []byte // of largeBytes, for large groups; nil before the first one

	size      int64 // end of the last frame appended
	seq       base.Seq
	synced    int64 // end of the last frame that is known to be durable
	syncedSeq base.Seq
	allocated int64 // known length of the file; at least size

	// stray is set if the next segment may exist although Rotate failed. It may have recorded the
	// end of this segment, so nothing may be appended here before it is removed.
	stray bool
	waits bool  // there is no file yet: see Await
	err   error // first error of a broken or closed writer
}

// Create starts the segment after the position after, which is the end of a Replay or the zero
// Position. It makes the segment's name durable in dir, which must exist. If a segment of that id
// exists and has frames, the error is a Conflict.
func Create(fsys vfs.FS, dir string, options Options, after Position) (*Writer, error) {
	id := after.Segment + 1
	path := SegmentPath(dir, id)
	// An earlier Create that failed in its last step may have left a file with only a header.
	info, err := fsys.Stat(path)
	switch {
	case err == nil && info.Size > segmentHeaderBytes:
		return nil, base.Errorf(base.Conflict, "create WAL segment: %s exists and holds %d bytes", path, info.Size)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, base.Wrap(err, "create WAL segment %d", id)
	}
	header := segmentHeader{version: FormatVersion, id: id, salt: randomSalt(), previousEnd: after.End}
	// The header is published as a whole, so that it is never torn.
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

// Await returns a writer for a log that ends at after and has no segment to write to, because
// Create failed with cause. All its methods fail with cause, except for Rotate, which creates the
// segment.
func Await(fsys vfs.FS, dir string, options Options, after Position, cause error) *Writer {
	return &Writer{
		fs: fsys, dir: dir, preallocate: cmp.Or(options.PreallocateBytes, DefaultPreallocateBytes), timed: options.Synced, id: after.Segment, waits: true, err: cause,
		size: after.End, synced: after.End, allocated: after.End, seq: after.Seq, syncedSeq: after.Seq,
	}
}

// Waits reports whether the segment does not exist yet: see Await.
func (w *Writer) Waits() bool { return w.waits }

// Probe returns nil if there is probably space for the next frames.
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
	rand.Read(b[:]) // never fails, as documented
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

// Append writes all frames or none, without making them durable. Sequence numbers must ascend,
// starting after the last one of the log. An empty payload is Invalid and a too long one TooLarge;
// in both cases nothing is written. After StorageFull, or another failed write that could be undone
// (Err returns nil), the caller may retry the call.
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

// check validates the frames and returns the number of bytes that they take.
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

// reserve preallocates space up to end or further.
func (w *Writer) reserve(end int64) {
	if w.preallocate <= 0 || end <= w.allocated {
		return
	}
	target := (end + w.preallocate - 1) / w.preallocate * w.preallocate
	if err := w.file.Allocate(target); err != nil {
		w.preallocate = 0 // the next write finds out whether there is space: see Writer
		return
	}
	w.allocated = target
}

// write writes frames at offset size.
func (w *Writer) write(frames []Frame, total int64) error {
	s := stage{file: w.file, at: w.size, buffer: w.buffer[:0], direct: directBytes}
	if total >= largeBytes {
		if w.large == nil {
			w.large = make([]byte, 0, largeBytes) // Go aligns slices of this size to pages
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

// takeBack undoes a failed write: it truncates the file to the last whole group.
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

// Rotate ends this segment and returns the writer of the next one. It first syncs a working writer.
// A broken writer drops the frames after its last successful Sync. All of these failed, and after
// Rotate succeeded they are never read back.
//
// After success this writer is closed. After an error it is unchanged (or broken by a failed sync),
// and Rotate may be called again. If the files of the failed next segment could not be removed,
// Append tries again before it writes: appended frames would come after the end that the next
// segment may have recorded.
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
		_ = w.file.Close() // the valid frames are durable, so an error of Close does not matter
	}
	w.file, w.waits, w.err = nil, false, errClosed(w.id)
	return next, nil
}

// removeStray removes the next segment that a failed Rotate may have left.
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

// trim frees preallocated space.
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

// Close makes all appended frames durable, unless the writer is broken, and closes the file. It
// returns the first error, which for a broken writer is an earlier one.
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
