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

// MarkName is the name of the mark's file in a folder of segments.
const MarkName = "durable.mark"

const (
	markMagic     = "SCOTMARK"
	markSlotBytes = 28
	markSlots     = 2
	// markStride keeps the slots in different sectors: a write that a crash tears harms one of them.
	markStride = 4096
	markBytes  = markSlots * markStride
)

// Mark is a small file that says how far the log was durable at some moment. It is what finds the loss of the newest segment, or of
// its end: nothing in the log itself is newer than those. The file is rewritten in place, one of two slots at a time, so that a crash leaves the other.
//
// It may lag behind the log by any amount, which weakens what can be found and harms nothing. It never runs ahead: Set is called with
// what is durable already. One goroutine at a time may use it.
type Mark struct {
	fs   vfs.FS
	path string
	file vfs.File // nil: not open
	next int      // the slot to write
	last Position // that a slot holds, without Seq
}

// OpenMark returns the mark of the log in dir, making no file yet. A mark that is damaged is Corrupt.
func OpenMark(fsys vfs.FS, dir string) (*Mark, error) {
	m := &Mark{fs: fsys, path: filepath.Join(dir, MarkName)}
	last, slot, err := readMark(fsys, m.path)
	if err != nil {
		return nil, err
	}
	m.last, m.next = last, (slot+1)%markSlots
	return m, nil
}

// Set records, durably, that the log is durable up to an offset of a segment, which is the newest. A position that is not behind the recorded
// one changes nothing. After an error the recorded one stays, and Set may be called again.
func (m *Mark) Set(segment base.SegmentID, end int64) error {
	to := Position{Segment: segment, End: end}
	if m.Covers(segment, end) {
		return nil
	}
	if err := m.write(to); err != nil {
		// A file whose sync failed is not synced again: it is opened anew.
		err = errors.Join(err, m.Close())
		return base.Wrap(err, "record how far the log is durable")
	}
	m.last, m.next = to, (m.next+1)%markSlots
	return nil
}

// Covers reports whether the mark knows that the log was durable up to an offset of a segment.
func (m *Mark) Covers(segment base.SegmentID, end int64) bool {
	return !m.last.before(Position{Segment: segment, End: end})
}

func (p Position) before(q Position) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.End < q.End
}

func (m *Mark) write(to Position) error {
	if m.last == (Position{}) { // there is no file, or one that may not be durable
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

// Close closes the file, which Set opens again.
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

// readMark returns the farther one of the two positions in the file, and its slot; the zero Position if there is no file.
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
	if !found { // a crash harms the slot that was being written, and leaves the other
		return Position{}, 0, base.Errorf(base.Corrupt, "%s is corrupt: none of its %d records has a right checksum", path, markSlots).
			WithHint("restore this data directory from a backup; nothing in it was changed")
	}
	return last, slot, nil
}

// checkMark compares where a replay ended with the mark.
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
