// Package wal is the write-ahead log. It consists of segments, which are files of checksummed
// frames. A frame has a payload, the bytes of one edit, and the edit's sequence number. The package
// handles bytes and durability; only the engine knows what a payload means. docs/format/wal.md
// describes the format, and [Writer] describes the protocol.
package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

const (
	// FormatVersion is the version of the segment format that is written, and the newest that can
	// be read. Older versions stay readable. All versions have the same segment header.
	//
	//	1: the first.
	FormatVersion = 1

	// MaxPayloadBytes is the greatest length of a frame's payload. A longer edit must be split, or
	// written as a part or patch file.
	MaxPayloadBytes = 1 << 30

	magic              = "SCOTRWAL"
	segmentSuffix      = ".wal"
	segmentHeaderBytes = 40
	frameHeaderBytes   = 28
)

// le is the byte order of all numbers in a segment.
var le = binary.LittleEndian

// segmentHeader is the start of a segment, segmentHeaderBytes long.
type segmentHeader struct {
	version uint32
	id      base.SegmentID
	// salt is random. It is part of every frame's checksum. So bytes in a payload never count as a
	// valid frame, not even if they are a copy of a segment.
	salt uint64
	// previousEnd is the offset at which the previous segment ends. Its bytes before this offset
	// are durable, and its bytes from this offset on do not count. It is 0 if there is no previous
	// segment.
	previousEnd int64
}

func (h segmentHeader) encode() []byte {
	b := make([]byte, segmentHeaderBytes)
	copy(b, magic)
	le.PutUint32(b[8:], h.version)
	le.PutUint64(b[16:], uint64(h.id))
	le.PutUint64(b[24:], h.salt)
	le.PutUint64(b[32:], uint64(h.previousEnd))
	le.PutUint32(b[12:], segmentChecksum(b))
	return b
}

// segmentChecksum returns the checksum of a segment header, computed without the checksum itself.
func segmentChecksum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:12], base.Castagnoli), base.Castagnoli, b[16:segmentHeaderBytes])
}

// decodeSegmentHeader decodes the header of the segment with the given id. If the header is invalid
// or belongs to another segment, the error is Corrupt.
func decodeSegmentHeader(b []byte, path string, id base.SegmentID) (segmentHeader, error) {
	if found := string(b[:8]); found != magic {
		return segmentHeader{}, corrupt(path, 0, "magic", strconv.Quote(magic), strconv.Quote(found))
	}
	found := le.Uint32(b[12:])
	if expected := segmentChecksum(b); expected != found {
		return segmentHeader{}, corrupt(path, 12, "segment header checksum", hex(expected), hex(found))
	}
	h := segmentHeader{
		version:     le.Uint32(b[8:]),
		id:          base.SegmentID(le.Uint64(b[16:])),
		salt:        le.Uint64(b[24:]),
		previousEnd: int64(le.Uint64(b[32:])),
	}
	switch {
	case h.version == 0:
		return segmentHeader{}, corrupt(path, 8, "format version", "at least 1", "0")
	case h.version > FormatVersion:
		return segmentHeader{}, base.Errorf(base.Invalid, "%s has WAL format version %d, this program reads up to %d", path, h.version, FormatVersion).
			WithHint("open this data directory with the newer program that wrote it")
	case h.id != id:
		return segmentHeader{}, corrupt(path, 16, "segment id", fmt.Sprint(id), fmt.Sprint(h.id))
	case h.previousEnd != 0 && h.previousEnd < segmentHeaderBytes:
		return segmentHeader{}, corrupt(path, 32, "end of the previous segment", fmt.Sprintf("0 or at least %d", segmentHeaderBytes), fmt.Sprint(h.previousEnd))
	}
	return h, nil
}

// frameHeader is the start of a frame, before the payload.
type frameHeader struct {
	length          uint32 // length of the payload in bytes
	payloadChecksum uint32
	seq             base.Seq
	// synced is the offset up to which the segment was durable when this frame was written. It
	// distinguishes a torn tail from corruption: see Writer.
	synced int64
}

func (h frameHeader) append(b []byte, salt uint64, offset int64) []byte {
	start := len(b)
	b = le.AppendUint32(b, h.length)
	b = le.AppendUint32(b, h.payloadChecksum)
	b = le.AppendUint64(b, uint64(h.seq))
	b = le.AppendUint64(b, uint64(h.synced))
	return le.AppendUint32(b, frameChecksum(b[start:], salt, offset))
}

// frameChecksum returns the checksum of a frame header. It covers the header's other fields, the
// segment's salt, and the frame's offset.
func frameChecksum(header []byte, salt uint64, offset int64) uint32 {
	const fields = frameHeaderBytes - 4
	var b [16 + fields]byte
	le.PutUint64(b[0:], salt)
	le.PutUint64(b[8:], uint64(offset))
	copy(b[16:], header[:fields])
	return crc32.Checksum(b[:], base.Castagnoli)
}

// decodeFrameHeader returns the fields of a frame header, the checksum that they should have, and
// the checksum in the header. The fields are valid only if the two checksums are equal.
func decodeFrameHeader(b []byte, salt uint64, offset int64) (h frameHeader, expected, found uint32) {
	h = frameHeader{
		length:          le.Uint32(b[0:]),
		payloadChecksum: le.Uint32(b[4:]),
		seq:             base.Seq(le.Uint64(b[8:])),
		synced:          int64(le.Uint64(b[16:])),
	}
	return h, frameChecksum(b, salt, offset), le.Uint32(b[24:])
}

func corrupt(path string, offset int64, what, expected, found string) error {
	return base.Errorf(base.Corrupt, "%s is corrupt at offset %d: %s: expected %s, found %s", path, offset, what, expected, found).
		WithHint("restore this data directory from a backup; nothing in it was changed")
}

func hex(checksum uint32) string { return fmt.Sprintf("%08x", checksum) }

// SegmentPath returns the path of a segment in a folder of segments.
func SegmentPath(dir string, id base.SegmentID) string {
	return filepath.Join(dir, fmt.Sprintf("%012d%s", id, segmentSuffix))
}

// segmentID returns the id of the segment that has a file name. ok is false if it is not the name
// of a segment.
func segmentID(name string) (base.SegmentID, bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	id, err := strconv.ParseUint(digits, 10, 64)
	return base.SegmentID(id), ok && err == nil && id > 0 && name == filepath.Base(SegmentPath("", base.SegmentID(id)))
}

// List returns the ids of the segments in dir, ascending. It ignores other files.
func List(fsys vfs.FS, dir string) ([]base.SegmentID, error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, base.Wrap(err, "list WAL segments")
	}
	var ids []base.SegmentID
	for _, name := range names {
		if id, ok := segmentID(name); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// RemoveBefore removes the segments older than id. The caller must know that the catalog has all of
// their edits. It removes the oldest segment first, and makes each removal durable before the next
// one, because Replay treats a gap between segments as a loss. The newest segment always stays,
// because it tells where the log ends.
func RemoveBefore(fsys vfs.FS, dir string, id base.SegmentID) error {
	ids, err := List(fsys, dir)
	if err != nil {
		return err
	}
	for i, old := range ids {
		if old >= id || i == len(ids)-1 {
			return nil
		}
		if err := fsys.Remove(SegmentPath(dir, old)); err != nil {
			return base.Wrap(err, "remove WAL segment %d", old)
		}
		if err := fsys.SyncDir(dir); err != nil {
			return base.Wrap(err, "remove WAL segment %d", old)
		}
	}
	return nil
}
