package wal

import "github.com/scoterdb/scoter/internal/vfs"

// stage writes slices to consecutive offsets of a file. It collects short slices in a buffer.
type stage struct {
	file   vfs.File
	at     int64  // offset in the file at which the buffer will be written
	buffer []byte // bytes that are not written yet; it is written when it is full
	direct int    // a slice of at least this length is written directly, without the buffer
	// limit, if not 0, is the length in bytes at which the buffer is written for the first time. It
	// is chosen so that the offsets of later writes are aligned.
	limit int
}

// add writes a slice to the file, or copies it into the buffer.
func (s *stage) add(slice []byte) error {
	if len(slice) >= s.direct {
		if err := s.put(s.buffer); err != nil {
			return err
		}
		s.buffer = s.buffer[:0]
		return s.put(slice)
	}
	for len(slice) > 0 {
		room := cap(s.buffer)
		if s.limit > 0 {
			room = s.limit
		}
		n := min(len(slice), room-len(s.buffer))
		s.buffer, slice = append(s.buffer, slice[:n]...), slice[n:]
		if len(s.buffer) < room {
			return nil
		}
		if err := s.put(s.buffer); err != nil {
			return err
		}
		s.buffer, s.limit = s.buffer[:0], 0
	}
	return nil
}

// end writes the rest of the buffer to the file: first the bytes up to an aligned offset, and then
// the remaining bytes.
func (s *stage) end() error {
	whole := 0
	if s.at%vfs.DirectAlign == 0 {
		whole = len(s.buffer) / vfs.DirectAlign * vfs.DirectAlign
	}
	if err := s.put(s.buffer[:whole]); err != nil {
		return err
	}
	return s.put(s.buffer[whole:])
}

func (s *stage) put(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := s.file.WriteAt(b, s.at)
	s.at += int64(n)
	return err
}
