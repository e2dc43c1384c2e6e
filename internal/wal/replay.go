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

// Result says what a Replay has read.
type Result struct {
	End      Position // where the next segment is to connect; zero for an empty log
	Segments int
	Frames   int64
	Bytes    int64 // of payloads
	// TornBytes is how much of the last segment, behind End, is an interrupted write:
	// whatever is there but for the zeros at the very end, which are preallocated.
	TornBytes  int64
	TornReason string // what is wrong with its first frame; empty if TornBytes is 0
}

// Replay reads the log in dir from its first segment to its last and hands every
// frame to visit, in ascending order of seq. The payload is visit's to keep. An
// error of visit ends the replay and is returned.
//
// The last segment may end in a torn write, which is left out and reported in
// the Result; the [Mark] says what cannot be one. Anything else that is not as it was written is Corrupt, with file,
// offset, expected and found. Frames before it have been visited by then: the
// caller discards what it built from them. Nothing on disk is changed.
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

// Settle follows Replay in the process that is going to write, with its result: it makes what
// was visited durable (after a killed process it may be in the page cache alone),
// cuts a torn tail off, and removes what an interrupted Create left. Create may then
// be called with Result.End.
func Settle(fsys vfs.FS, dir string, result Result) error {
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

// Segment is a segment that is open for reading.
type Segment struct {
	ID    base.SegmentID
	Path  string // for messages
	File  vfs.Reader
	Bytes int64 // where its frames end, if it is the newest
}

// Verify reads segments without a gap, the last of which is the newest, as Replay does. Since it is known where that ends, nothing passes
// for a torn write.
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

// endAt makes the file durable and ends it at end.
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

// readSegmentHeader reads one segment's header.
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

// unknownEnd is the end of the last segment: no successor has recorded it.
const unknownEnd = -1

// replaySegment visits the frames of one segment and adds it to result, whose End
// is that of the segment before. end is where its successor says that it ends.
func replaySegment(fsys vfs.FS, path string, id base.SegmentID, end int64, result *Result, visit func(offset int64, h frameHeader, payload []byte) error) (err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return base.Wrap(err, "replay WAL")
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return replayFile(file, path, id, end, result, visit)
}

// replayFile is replaySegment of an open file.
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

// frameReader reads frames one after the other.
type frameReader struct {
	in     *bufio.Reader
	salt   uint64
	offset int64 // of the next frame
	limit  int64 // where the bytes end
}

// badFrame says why the bytes at an offset are no frame.
type badFrame struct{ what, expected, found string }

func (b badFrame) String() string {
	return fmt.Sprintf("%s: expected %s, found %s", b.what, b.expected, b.found)
}

// next returns the next frame, whole and with right checksums, or what is wrong
// with it, or io.EOF, or the error of reading.
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

// noEOF keeps a file that became shorter while it was read from passing for its end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// judgeTail decides whether the bytes from offset to limit, which do not begin
// with a frame, are a torn write or corruption: see Writer.
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

// tail is what the bytes behind a bad frame hold.
type tail struct {
	proof       int64 // offset of a frame header that proves the bad frame was durable; 0 if none
	proofSynced int64
	end         int64 // end of the last byte that is not zero; the bad frame's offset if all are
}

// searchTail looks at every offset from offset to limit. A header with a right
// checksum is a proof although its payload may be torn: it was written.
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
			// The comparison rejects nearly every offset before a checksum is computed.
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
		at += int64(n) - (frameHeaderBytes - 1) // a header may lie across two windows
	}
	return result, nil
}
