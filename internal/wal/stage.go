package wal

import "github.com/scoterdb/scoter/internal/vfs"

// stage gathers what is written one behind the other.
type stage struct {
	file   vfs.File
	at     int64  // where the buffer begins in the file
	buffer []byte // its capacity is how much is gathered
	direct int    // slices of this length go to the file from where they are
	// limit, if not 0, is how much is gathered until the buffer is written the next time: so much that what
	// follows is aligned in the file.
	limit int
}

// add appends a slice.
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

// end writes what is left: first what is aligned.
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
