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
	// DefaultPreallocateBytes is the step in which disk space for a segment is reserved, so that
	// most syncs write no file system metadata. The table has the median latencies of Append and
	// Sync without reservation, with steps of 4 MiB, and with steps of 16 MiB. They were measured
	// on ext4 on a virtual disk with 2 busy cores, and are the middle of 12 interleaved rounds:
	//
	//	200 bytes: 55, 27, 27 us
	//	16 KB:     40, 52, 39 us
	//	500 KB:    221, 229, 227 us
	//
	// So reservation halves the latency of small commits and makes no difference for others, but
	// only in large steps.
	DefaultPreallocateBytes = 16 << 20

	// directBytes is the length from which a slice is written without a copy into the buffer.
	// Shorter slices are copied, because copying them costs less than a system call.
	directBytes = 32 << 10
	bufferBytes = 128 << 10

	// largeBytes is the size from which a group of frames is written in aligned pieces of this
	// size, which vfs writes past the page cache. For that the frames are copied into a buffer,
	// which costs a tenth of what the page cache costs.
	largeBytes = 1 << 20

	probeBytes = 1 << 20
)

// Options configure the writer of a log.
type Options struct {
	// PreallocateBytes is the step in which disk space is reserved ahead of writing. 0 means
	// DefaultPreallocateBytes. A negative value means that no space is reserved.
	PreallocateBytes int64
	// Synced, if not nil, is called after each fsync of frames, whether it failed or not. The
	// argument is the time that the fsync took.
	Synced func(time.Duration)
}

// Frame is one edit to be written to the log. Its payload is the concatenation of the slices in
// Payload. It must be 1 to MaxPayloadBytes bytes long. Append only reads the slices, and does not
// retain them.
type Frame struct {
	Seq     base.Seq
	Payload [][]byte
}

// Position is a place where the log ends and a next segment may begin: the id of the last segment,
// the offset at which its valid frames end, and the last sequence number in the log so far. The
// zero Position is the start of a log.
type Position struct {
	Segment base.SegmentID
	End     int64
	Seq     base.Seq
}

// Writer appends to one segment. Only one goroutine at a time may use it. The committer uses it for
// group commit: it calls Append with the frames of all waiting edits, then Sync once, and then
// answers the requests.
//
// # Guarantees
//
// After Sync, every later Replay reads back every frame that was appended before it, or fails as
// Corrupt. A frame whose Append or Sync failed is not read back, unless the process ends before the
// failure could be recorded (see below). A frame that was appended, and neither synced nor failed,
// may or may not be read back after a crash, but never in part.
//
// # Torn tail or corruption
//
// Replay may find bytes that are not a valid frame. If a crash interrupted a write that was never
// acknowledged, the bytes must be cut off. If the disk lost acknowledged data, Replay must stop. A
// valid frame after the bad bytes does not decide between the two. Several frames are written
// between two syncs, and a disk may then write later pages and lose earlier ones. So a valid frame
// after a gap is ordinary.
//
// Therefore each frame records the offset up to which the segment was known to be durable when the
// frame was written (synced). Bad bytes at offset x are corruption if and only if a later frame
// header has synced > x: that frame was written after x was durable. Without such a header, nothing
// proves that a sync ever covered x.
//
// The newest frames have no later frame, and neither has the last frame before a place where the
// file was cut off. The [Mark] covers these cases. The engine writes it in the background: bytes
// before the position that it records are known to have been durable. Damage to newer bytes looks
// like a torn tail. When the next segment is created, this gap is closed, because its header
// records where this segment ends (previousEnd). From then on, every byte up to that offset must be
// valid.
//
// Header checksums are separate from payload checksums, so that the search for a later header takes
// one pass. They cover a random salt and the frame's own offset, so that stored data, such as a
// BLOB with the bytes of a segment, cannot mislead the search.
//
// # When the disk fails
//
// A failed write (a full disk) is undone: the file is truncated to the end of the last whole group
// (the frames of one Append) and then synced. Without the sync, a crash could bring back frames
// whose clients received an error. The writer stays usable, and succeeds once there is space again.
// The sync also makes earlier frames durable, which does no harm.
//
// A failed sync is never repeated on the same file: the kernel may have dropped the pages and
// marked them as clean, so that a second sync would succeed without them. The writer is then
// broken: every later call returns the first error. The writer is also broken if a failed write
// cannot be undone. In both cases the file may contain whole frames that failed. Rotate cuts them
// off, because the next segment records the last synced offset as the end of this one. Only if the
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
	// function that gets the duration of each sync: see Options.Synced
	timed  func(time.Duration)
	file   vfs.File
	id     base.SegmentID
	salt   uint64
	buffer []byte
	// large is the buffer of largeBytes bytes for large groups of frames; nil before the first one.
	large []byte

	size      int64 // offset in the file after the last appended frame
	seq       base.Seq
	synced    int64 // offset up to which the segment is known to be durable
	syncedSeq base.Seq
	allocated int64 // length of the file as far as it is known; at least the field size

	// stray says that Rotate failed, and that the next segment may exist nevertheless. That segment
	// may have recorded where this segment ends, so it must be removed before anything is appended
	// here.
	stray bool
	waits bool // whether the segment has no file yet: see Await
	// The error that broke the writer, or that says that it is closed; nil while the writer works.
	err error
}

// Create starts a new segment. The argument after is the position after which the segment begins:
// the end of a Replay, or the zero Position. The folder dir must exist. Create makes the segment's
// name durable. If the segment exists already and has frames, the error is Conflict.
func Create(fsys vfs.FS, dir string, options Options, after Position) (*Writer, error) {
	id := after.Segment + 1
	path := SegmentPath(dir, id)
	// The file may exist: an earlier Create may have failed in its last step and left a file that
	// has only a header.
	info, err := fsys.Stat(path)
	switch {
	case err == nil && info.Size > segmentHeaderBytes:
		return nil, base.Errorf(base.Conflict, "create WAL segment: %s exists and holds %d bytes", path, info.Size)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, base.Wrap(err, "create WAL segment %d", id)
	}
	header := segmentHeader{version: FormatVersion, id: id, salt: randomSalt(), previousEnd: after.End}
	// WriteFile publishes the header as a whole, so that it is never torn.
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

// Await returns a writer for a log that has no segment to write to, because Create failed. The
// argument cause is the error of Create. The argument after is the position where the log ends. All
// methods of the writer fail with that error, except for Rotate, which creates the segment.
func Await(fsys vfs.FS, dir string, options Options, after Position, cause error) *Writer {
	return &Writer{
		fs: fsys, dir: dir, preallocate: cmp.Or(options.PreallocateBytes, DefaultPreallocateBytes), timed: options.Synced, id: after.Segment, waits: true, err: cause,
		size: after.End, synced: after.End, allocated: after.End, seq: after.Seq, syncedSeq: after.Seq,
	}
}

// Waits reports whether the writer's segment has no file yet: see Await.
func (w *Writer) Waits() bool { return w.waits }

// Probe checks whether there probably is disk space for the next frames, without writing any. It
// returns nil if there is.
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
	rand.Read(b[:]) // the documentation of crypto/rand says that Read never fails
	return le.Uint64(b[:])
}

// ID returns the id of the segment that the writer appends to.
func (w *Writer) ID() base.SegmentID { return w.id }

// Size returns the length in bytes of the segment's header and frames, without preallocated space.
func (w *Writer) Size() int64 { return w.size }

// Synced returns the offset in bytes up to which the segment is known to be durable.
func (w *Writer) Synced() int64 { return w.synced }

// Err returns the error that broke the writer, or nil if it works.
func (w *Writer) Err() error { return w.err }

// Append writes all frames or none. It does not make them durable. Their sequence numbers must
// ascend, and must be greater than those in the log. If a payload is empty, the error is Invalid,
// and if it is too long, TooLarge. In both cases nothing is written. After StorageFull, or another
// failure after which Err returns nil, the caller may call Append again with the same frames.
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

// check returns the number of bytes that the frames take in the file. If a frame is invalid, it
// returns an error.
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

// reserve preallocates disk space, so that the file has at least the length given by end, in bytes.
func (w *Writer) reserve(end int64) {
	if w.preallocate <= 0 || end <= w.allocated {
		return
	}
	target := (end + w.preallocate - 1) / w.preallocate * w.preallocate
	if err := w.file.Allocate(target); err != nil {
		// Do not reserve space any more. If the disk is full, the next write fails: see Writer.
		w.preallocate = 0
		return
	}
	w.allocated = target
}

// write writes frames to the file at the offset w.size. total is their size in bytes.
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

// takeBack undoes a failed write: it truncates the file to the end of the last group of frames that
// was written as a whole. The argument cause is the error of the write, and takeBack returns it.
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

// Sync makes all appended frames durable. If it fails, the writer is broken: all later calls fail.
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

// Rotate ends this segment and returns the writer of the next one. If the writer works, Rotate
// syncs it first. If the writer is broken, Rotate drops the frames after the last successful Sync.
// All of these frames have failed, and once Rotate succeeds they are never read back.
//
// After success this writer is closed. After an error it is unchanged (or broken by a failed sync),
// and Rotate may be called again. A failed Rotate may leave the next segment's file, which may have
// recorded where this segment ends. Then Append removes that file before it writes.
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
		_ = w.file.Close() // all valid frames are durable, so nothing is lost if Close fails
	}
	w.file, w.waits, w.err = nil, false, errClosed(w.id)
	return next, nil
}

// removeStray removes the file of the next segment, if a failed Rotate left it.
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

// trim cuts off the preallocated space at the end of the segment's file.
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
// returns the first error. For a broken writer that is the error that broke it.
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
