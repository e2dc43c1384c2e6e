package wal

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Inspect prints a segment as text: its header, a line per frame, and how it ends. If the next
// segment exists, the segment ends where that one says (previousEnd). If the segment is corrupt,
// Inspect prints the frames before the damage and returns the error.
func Inspect(fsys vfs.FS, path string, w io.Writer) error {
	dir := filepath.Dir(path)
	id, ok := segmentID(filepath.Base(path))
	if !ok {
		return base.Errorf(base.Invalid, "%s is not the name of a WAL segment", path).
			WithHint("segments are named like %s", filepath.Base(SegmentPath("", 1)))
	}
	header, err := readSegmentHeader(fsys, path, id)
	if err != nil {
		return err
	}
	ids, err := List(fsys, dir)
	if err != nil {
		return err
	}
	end := int64(unknownEnd)
	if slices.Contains(ids, id+1) {
		next, err := readSegmentHeader(fsys, SegmentPath(dir, id+1), id+1)
		if err != nil {
			return err
		}
		end = next.previousEnd
	}
	if _, err := fmt.Fprintf(w, "segment %d version %d previous-end %d\n", header.id, header.version, header.previousEnd); err != nil {
		return err
	}
	var result Result
	err = replaySegment(fsys, path, id, end, &result, func(offset int64, h frameHeader, _ []byte) error {
		_, err := fmt.Fprintf(w, "frame offset %d seq %d length %d synced %d\n", offset, h.seq, h.length, h.synced)
		return err
	})
	if err != nil {
		return err
	}
	if result.TornBytes > 0 {
		if _, err := fmt.Fprintf(w, "torn offset %d length %d: %s\n", result.End.End, result.TornBytes, result.TornReason); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "end offset %d frames %d payload-bytes %d\n", result.End.End, result.Frames, result.Bytes)
	return err
}
