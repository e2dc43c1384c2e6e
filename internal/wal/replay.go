package wal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

const replayBufferBytes = 256 << 10

// Result says what Replay found in the log.
type Result struct {
	// End is the position at which the log ends and the next segment begins; zero for an empty log.
	End      Position
	Segments int
	Frames   int64
	Bytes    int64 // sum of the lengths of all payloads, in bytes
	// TornBytes is the size in bytes of a torn write (a write that a crash interrupted) after End
	// in the last segment. Zeros at the end of the file do not count, because they are
	// preallocated.
	TornBytes  int64
	TornReason string // why the first torn frame is invalid; empty if TornBytes is 0
}

// Replay reads the log in the folder dir from its first segment to its last. It calls the function
// visit with every frame, in the order of the sequence numbers. That function may retain the
// payload. If it returns an error, Replay ends and returns that error.
//
// The last segment may end in a torn write (a write that a crash interrupted). Replay skips it and
// reports it in the Result. The [Mark] says which bytes cannot be torn. Any other damage is a
// Corrupt error with file, offset, expected and found value. Frames before the damage were visited
// already, so the caller must discard what it built from them. Replay changes nothing on disk.
func Replay(fsys vfs.FS, dir string, visit func(segment base.SegmentID, seq base.Seq, payload []byte) error) (Result, error) {
	var result Result
	ids, err := List(fsys, dir)
	if err != nil {
		return result, err
	}
	for i, id := range ids {
		if i > 0 && id != ids[i-1]+1 {
			return result, base.Errorf(base.Corrupt, "%s: WAL segment is missing: expected %d, found %d", dir, ids[i-1]+1, id)
		}
	}
	for i, id := range ids {
		end := int64(unknownEnd)
		if i+1 < len(ids) {
			next, err := readSegmentHeader(fsys, SegmentPath(dir, id+1), id+1)
			if err != nil {
				return result, err
			}
			end = next.previousEnd
		}
		err := replaySegment(fsys, SegmentPath(dir, id), id, end, &result, func(_ int64, h frameHeader, payload []byte) error {
			return visit(id, h.seq, payload)
		})
		if err != nil {
			return result, err
		}
	}
	return result, checkMark(fsys, dir, result.End)
}

// PrepareForWriting prepares the log for writing, after a Replay that returned result. It makes the
// visited frames durable, because they may be only in the page cache if the last process was
// killed. It cuts off a torn write, and removes a segment that an interrupted Create left. After
// PrepareForWriting, Create may be called with Result.End.
func PrepareForWriting(fsys vfs.FS, dir string, result Result) error {
	names, err := fsys.List(dir)
	if err != nil {
		return base.Wrap(err, "recover WAL")
	}
	for _, name := range names {
		if rest, ok := strings.CutSuffix(name, vfs.TempSuffix); ok {
			if id, ok := segmentID(rest); ok {
				if err := fsys.Remove(SegmentPath(dir, id) + vfs.TempSuffix); err != nil {
					return base.Wrap(err, "recover WAL")
				}
			}
		}
	}
	if result.Segments == 0 {
		return nil
	}
	if err := endAt(fsys, SegmentPath(dir, result.End.Segment), result.End.End); err != nil {
		return base.Wrap(err, "recover WAL segment %d", result.End.Segment)
	}
	return base.Wrap(fsys.SyncDir(dir), "recover WAL")
}

// Segment describes a segment that Verify reads.
type Segment struct {
	ID    base.SegmentID
	Path  string // path of the segment in error messages
	File  vfs.Reader
	Bytes int64 // offset at which the frames end; used only for the newest segment
}

// Verify reads consecutive segments up to the newest one, as Replay does. If they are damaged, it
// returns a Corrupt error. Segment.Bytes says where the newest segment ends, so damage before that
// is not taken for a torn write.
func Verify(ctx context.Context, segments []Segment) error {
	var result Result
	for i, s := range segments {
		end := s.Bytes
		if i+1 < len(segments) {
			next := segments[i+1]
			size, err := next.File.Size()
			if err != nil {
				return base.Wrap(err, "verify WAL")
			}
			h, err := headerOf(next.File, size, next.Path, next.ID)
			if err != nil {
				return err
			}
			end = h.previousEnd
		}
		err := replayFile(s.File, s.Path, s.ID, end, &result, func(int64, frameHeader, []byte) error { return ctx.Err() })
		if err != nil {
			return err
		}
	}
	return nil
}

// endAt truncates a file to the length end, in bytes, and makes the new length durable.
func endAt(fsys vfs.FS, path string, end int64) (err error) {
	file, err := fsys.OpenReadWrite(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Truncate(end); err != nil {
		return err
	}
	return file.Sync()
}

// readSegmentHeader reads and checks the header of a segment's file.
func readSegmentHeader(fsys vfs.FS, path string, id base.SegmentID) (h segmentHeader, err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return segmentHeader{}, base.Wrap(err, "replay WAL")
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := file.Size()
	if err != nil {
		return segmentHeader{}, base.Wrap(err, "replay WAL")
	}
	return headerOf(file, size, path, id)
}

func headerOf(file vfs.Reader, size int64, path string, id base.SegmentID) (segmentHeader, error) {
	if size < segmentHeaderBytes {
		return segmentHeader{}, corrupt(path, 0, "file length", fmt.Sprintf("at least %d", segmentHeaderBytes), fmt.Sprint(size))
	}
	var b [segmentHeaderBytes]byte
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, segmentHeaderBytes), b[:]); err != nil {
		return segmentHeader{}, base.Wrap(err, "replay WAL: read %s", path)
	}
	return decodeSegmentHeader(b[:], path, id)
}

// unknownEnd is used as the end of the last segment, because no later segment has recorded where it
// ends.
const unknownEnd = -1

// replaySegment calls the function visit with the frames of a segment, and adds them to result.
// result.End must be the end of the previous segment. The argument end is the offset at which this
// segment ends according to the next one, or unknownEnd.
func replaySegment(fsys vfs.FS, path string, id base.SegmentID, end int64, result *Result, visit func(offset int64, h frameHeader, payload []byte) error) (err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return base.Wrap(err, "replay WAL")
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return replayFile(file, path, id, end, result, visit)
}

// replayFile does the same as replaySegment, for a file that is open already.
func replayFile(file vfs.Reader, path string, id base.SegmentID, end int64, result *Result, visit func(offset int64, h frameHeader, payload []byte) error) error {
	size, err := file.Size()
	if err != nil {
		return base.Wrap(err, "replay WAL")
	}
	header, err := headerOf(file, size, path, id)
	if err != nil {
		return err
	}
	limit := size
	if end != unknownEnd {
		if end < segmentHeaderBytes || end > size {
			return corrupt(path, size, "file length", fmt.Sprintf("at least the %d bytes that were written", end), fmt.Sprint(size))
		}
		limit = end
	}
	result.Segments++
	result.End.Segment, result.End.End = id, segmentHeaderBytes

	frames := frameReader{
		in:   bufio.NewReaderSize(io.NewSectionReader(file, segmentHeaderBytes, limit-segmentHeaderBytes), replayBufferBytes),
		salt: header.salt, offset: segmentHeaderBytes, limit: limit,
	}
	for {
		offset := frames.offset
		h, payload, bad, err := frames.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return base.Wrap(err, "replay WAL: read %s at offset %d", path, offset)
		case bad != nil && end != unknownEnd:
			return corrupt(path, offset, bad.what, bad.expected, bad.found)
		case bad != nil:
			return judgeTail(file, path, header.salt, offset, limit, bad, result)
		case h.synced > offset || h.synced < segmentHeaderBytes:
			return corrupt(path, offset, "durable offset", fmt.Sprintf("%d to %d", segmentHeaderBytes, offset), fmt.Sprint(h.synced))
		case h.seq <= result.End.Seq:
			return corrupt(path, offset, "sequence number", fmt.Sprintf("above %d", result.End.Seq), fmt.Sprint(h.seq))
		}
		if err := visit(offset, h, payload); err != nil {
			return base.Wrap(err, "replay WAL segment %d, edit %d", id, h.seq)
		}
		result.End.End, result.End.Seq = frames.offset, h.seq
		result.Frames++
		result.Bytes += int64(len(payload))
	}
}

// frameReader reads consecutive frames of a segment.
type frameReader struct {
	in     *bufio.Reader
	salt   uint64
	offset int64 // offset in the file of the next frame
	limit  int64 // offset in the file at which reading ends
}

// badFrame says why some bytes are not a valid frame: what was checked, and which value was
// expected and found.
type badFrame struct{ what, expected, found string }

func (b badFrame) String() string {
	return fmt.Sprintf("%s: expected %s, found %s", b.what, b.expected, b.found)
}

// next returns the next frame. If the bytes are not a valid frame, the result bad says why. At the
// end of the segment, err is io.EOF. Any other err is an error of reading the file.
func (r *frameReader) next() (h frameHeader, payload []byte, bad *badFrame, err error) {
	remaining := r.limit - r.offset
	if remaining == 0 {
		return h, nil, nil, io.EOF
	}
	if remaining < frameHeaderBytes {
		return h, nil, &badFrame{"frame header", fmt.Sprintf("%d bytes", frameHeaderBytes), fmt.Sprint(remaining)}, nil
	}
	var b [frameHeaderBytes]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return h, nil, nil, noEOF(err)
	}
	h, expected, found := decodeFrameHeader(b[:], r.salt, r.offset)
	if expected != found {
		return h, nil, &badFrame{"frame header checksum", hex(expected), hex(found)}, nil
	}
	if length := int64(h.length); length == 0 || length > MaxPayloadBytes || length > remaining-frameHeaderBytes {
		limit := min(MaxPayloadBytes, remaining-frameHeaderBytes)
		return h, nil, &badFrame{"payload length", fmt.Sprintf("1 to %d", limit), fmt.Sprint(length)}, nil
	}
	payload = make([]byte, h.length)
	if _, err := io.ReadFull(r.in, payload); err != nil {
		return h, nil, nil, noEOF(err)
	}
	if found := crc32.Checksum(payload, base.Castagnoli); found != h.payloadChecksum {
		return h, nil, &badFrame{"payload checksum", hex(h.payloadChecksum), hex(found)}, nil
	}
	r.offset += frameHeaderBytes + int64(h.length)
	return h, payload, nil, nil
}

// noEOF replaces io.EOF by another error. It is used where io.EOF means that the file became
// shorter while it was read, which is not the end of the log.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// judgeTail decides whether the bytes from offset to limit are a torn write or corruption. These
// bytes do not begin with a valid frame, and the argument bad says why. The comment of Writer
// explains the rule.
func judgeTail(file vfs.Reader, path string, salt uint64, offset, limit int64, bad *badFrame, result *Result) error {
	tail, err := searchTail(file, salt, offset, limit)
	if err != nil {
		return base.Wrap(err, "replay WAL: read %s", path)
	}
	if tail.proof != 0 {
		return corrupt(path, offset, bad.what, bad.expected, fmt.Sprintf("%s; the frame at offset %d was written after the first %d bytes were durable", bad.found, tail.proof, tail.proofSynced))
	}
	if tail.end > offset {
		result.TornBytes, result.TornReason = tail.end-offset, bad.String()
	}
	return nil
}

// tail describes the bytes of a segment from the start of a bad frame to the end.
type tail struct {
	// proof is the offset of a later frame header which proves that the bad frame was durable. It
	// is 0 if there is none.
	proof       int64
	proofSynced int64
	// end is the offset after the last byte that is not zero. If all bytes are zero, it is the
	// offset of the bad frame.
	end int64
}

// searchTail looks for a frame header at every offset from offset to limit. A header with a valid
// checksum counts even if its payload is torn, because the header itself was written.
func searchTail(file vfs.Reader, salt uint64, offset, limit int64) (tail, error) {
	result := tail{end: offset}
	window := make([]byte, min(1<<20, limit-offset))
	for at := offset; at < limit; {
		n := int(min(int64(len(window)), limit-at))
		if _, err := io.ReadFull(io.NewSectionReader(file, at, int64(n)), window[:n]); err != nil {
			return result, noEOF(err)
		}
		for i := n - 1; i >= 0; i-- {
			if window[i] != 0 {
				result.end = at + int64(i) + 1
				break
			}
		}
		for i := 0; i+frameHeaderBytes <= n; i++ {
			position := at + int64(i)
			// This comparison is cheap. It rejects nearly every offset, so that few checksums are
			// computed.
			if synced := int64(le.Uint64(window[i+16:])); synced <= offset || synced > position {
				continue
			}
			h, expected, found := decodeFrameHeader(window[i:], salt, position)
			if expected == found {
				result.proof, result.proofSynced = position, h.synced
				return result, nil
			}
		}
		if at+int64(n) == limit {
			break
		}
		// The windows overlap, because a header may span two of them.
		at += int64(n) - (frameHeaderBytes - 1)
	}
	return result, nil
}
