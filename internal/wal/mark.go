package wal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// MarkName is the name of the file of the log's Mark. It is in the folder of the segments.
const MarkName = "durable.mark"

const (
	markMagic     = "SCOTMARK"
	markSlotBytes = 28
	markSlots     = 2
	// markStride is the distance in bytes between the two slots of the mark's file (places for one
	// record each). With this distance they are in different sectors, so that a torn write damages
	// only one of them.
	markStride = 4096
	markBytes  = markSlots * markStride
)

// Mark is a small file that records a position up to which the log is known to have been durable.
// With it, Replay detects the loss of the newest segment or of its end, which the log itself cannot
// detect. The file is rewritten in place. It has two slots, each for one record. Only one slot at a
// time is written, so that a crash leaves the other one intact.
//
// The mark may be behind the log by any amount. Then less damage is detected, but nothing else
// breaks. It is never ahead of the log: Set must be called with a position that is already durable.
// Only one goroutine at a time may use a Mark.
type Mark struct {
	fs   vfs.FS
	path string
	file vfs.File // the open file; nil if it is not open
	next int      // number of the slot (place in the file) that is written next, 0 or 1
	last Position // newest position in the file; the field Seq is not set
}

// OpenMark reads the mark of the log in the folder dir (the file that records up to where the log
// is durable), and returns it. If there is no file, it returns an empty mark, and the first Set
// creates the file. If the mark is damaged, the error is Corrupt.
func OpenMark(fsys vfs.FS, dir string) (*Mark, error) {
	m := &Mark{fs: fsys, path: filepath.Join(dir, MarkName)}
	last, slot, err := readMark(fsys, m.path)
	if err != nil {
		return nil, err
	}
	m.last, m.next = last, (slot+1)%markSlots
	return m, nil
}

// Set records that the log is durable up to a position: the offset given by end, in the newest
// segment of the log. Set makes this record durable. If the recorded position is already at or
// after this one, nothing changes. After an error the recorded position stays, and Set may be
// called again.
func (m *Mark) Set(segment base.SegmentID, end int64) error {
	to := Position{Segment: segment, End: end}
	if m.Covers(segment, end) {
		return nil
	}
	if err := m.write(to); err != nil {
		// Close the file, so that it is opened again. After a failed sync, another sync of the same
		// open file proves nothing.
		err = errors.Join(err, m.Close())
		return base.Wrap(err, "record how far the log is durable")
	}
	m.last, m.next = to, (m.next+1)%markSlots
	return nil
}

// Covers reports whether the mark says that the log was durable up to a position: the offset given
// by end, in the given segment.
func (m *Mark) Covers(segment base.SegmentID, end int64) bool {
	return !m.last.before(Position{Segment: segment, End: end})
}

func (p Position) before(q Position) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.End < q.End
}

func (m *Mark) write(to Position) error {
	if m.last == (Position{}) { // the file does not exist, or its name may not be durable
		return vfs.WriteFile(m.fs, m.path, func(w io.Writer) error {
			content := make([]byte, markBytes)
			copy(content[m.next*markStride:], encodeMark(to))
			_, err := w.Write(content)
			return err
		})
	}
	if m.file == nil {
		f, err := m.fs.OpenReadWrite(m.path)
		if err != nil {
			return err
		}
		m.file = f
	}
	if _, err := m.file.WriteAt(encodeMark(to), int64(m.next)*markStride); err != nil {
		return err
	}
	return m.file.Sync()
}

// Close closes the mark's file. Set opens it again.
func (m *Mark) Close() error {
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	m.file = nil
	return err
}

func encodeMark(p Position) []byte {
	b := make([]byte, 0, markSlotBytes)
	b = append(b, markMagic...)
	b = le.AppendUint64(b, uint64(p.Segment))
	b = le.AppendUint64(b, uint64(p.End))
	return le.AppendUint32(b, crc32.Checksum(b, base.Castagnoli))
}

// readMark reads the file of a mark, which has two slots (places for one record each). It returns
// the later of the two positions in them, and the number of the slot that has it. If there is no
// file, it returns the zero Position.
func readMark(fsys vfs.FS, path string) (last Position, slot int, err error) {
	content, err := vfs.ReadFile(fsys, path, markBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Position{}, markSlots - 1, nil
	}
	if err != nil {
		return Position{}, 0, base.Wrap(err, "replay WAL")
	}
	found := false
	for i := range markSlots {
		if len(content) < i*markStride+markSlotBytes {
			break
		}
		b := content[i*markStride:][:markSlotBytes]
		p := Position{Segment: base.SegmentID(le.Uint64(b[8:])), End: int64(le.Uint64(b[16:]))}
		if string(b) == string(encodeMark(p)) && (!found || last.before(p)) {
			last, slot, found = p, i, true
		}
	}
	// A crash damages only the slot (place for a record) that was being written, so at least one of
	// the two must be valid.
	if !found {
		return Position{}, 0, base.Errorf(base.Corrupt, "%s is corrupt: none of its %d records has a right checksum", path, markSlots).
			WithHint("restore this data directory from a backup; nothing in it was changed")
	}
	return last, slot, nil
}

// checkMark compares the mark (the position up to which the log was durable) with end, the position
// at which a replay ended. If the mark is beyond end, the log has lost durable frames, and the
// error is Corrupt.
func checkMark(fsys vfs.FS, dir string, end Position) error {
	mark, _, err := readMark(fsys, filepath.Join(dir, MarkName))
	if err != nil || !end.before(mark) {
		return err
	}
	path := SegmentPath(dir, mark.Segment)
	if end.Segment < mark.Segment {
		return base.Errorf(base.Corrupt, "%s is missing: the log was durable up to its offset %d", path, mark.End).
			WithHint("put the log back, or restore a backup; nothing was changed")
	}
	return corrupt(path, end.End, "end of the valid frames", fmt.Sprintf("at least %d, which was durable", mark.End), fmt.Sprint(end.End))
}
