// Package spool writes the rest of a result to a file if its reader is slow, so that the query can
// end. The files share a limited space.
//
// A Writer is between the query that produces a result and the connection to the reader. While the
// reader keeps up, the bytes pass through two small buffers in memory. If the reader receives
// nothing for a while, the rest of the result goes to a file as fast as the query produces it, and
// is sent to the reader from that file.
package spool

import (
	"os"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Space is a folder for spooled results, with a limit in bytes that all results share.
type Space struct {
	dir   string
	limit int64
	used  atomic.Int64
}

// These are shares of a space of limited size. One result may use 1/resultShare of the space. When
// less than 1/mostShare of the space is free, queries stop computing results, and only data that
// was already computed is still stored. When less than 1/lastShare is free, only small texts are
// stored, such as the error messages with which results end.
const (
	resultShare = 8
	mostShare   = 4 // queries stop when less than 1/mostShare of the space is free
	// The last 1/lastShare of the space is only for small texts, such as error messages.
	lastShare = 8
	freeShare = 4 // the space is at most 1/freeShare of the free bytes on the disk
)

// NewSpace returns a space of limit bytes in the folder dir. The folder is created when the space
// is first used, if it does not exist.
func NewSpace(dir string, limit int64) *Space { return &Space{dir: dir, limit: limit} }

// Used returns the number of bytes of the space that are in use.
func (s *Space) Used() int64 { return s.used.Load() }

// take reserves n bytes of the space. It always succeeds for few bytes, such as the error message
// with which a result ends.
func (s *Space) take(n int64) error {
	if n <= smallPiece {
		s.used.Add(n)
		return nil
	}
	limit := s.limit
	if n > int64(len(buffer{})) {
		limit -= limit / lastShare
	}
	if s.used.Add(n) > limit {
		s.used.Add(-n)
		return errFull(s.limit)
	}
	return nil
}

func (s *Space) give(n int64) { s.used.Add(-n) }

// The method most returns the maximum size, in bytes, of the file of one result. It depends on the
// free space of the disk at the moment.
func (s *Space) most() int64 {
	limit := s.limit
	if free, err := vfs.OS.FreeSpace(s.dir); err == nil {
		limit = min(limit, int64(free/freeShare))
	}
	return limit / resultShare
}

// full reports whether the space is so full that queries must not compute more of their results.
func (s *Space) full() bool { return s.used.Load() > s.limit-s.limit/mostShare }

// The method over reports whether the space is almost used up: only the error messages with which
// results end still fit.
func (s *Space) over() bool { return s.used.Load() > s.limit-s.limit/lastShare }

// create creates a file without a name. The operating system removes the file when it is closed, or
// when the process crashes.
func (s *Space) create() (*os.File, error) {
	f, err := os.CreateTemp(s.dir, "result-*")
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "spool a result for a slow reader: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the function returns the first error, not that of Close
		return nil, base.Errorf(base.Unavailable, "spool a result for a slow reader: %w", err)
	}
	return f, nil
}

func errFull(limit int64) error {
	return base.Errorf(base.Timeout, "the client takes its result too slowly: at most %d bytes are spooled for it", limit).
		WithHint("read the result without pauses, raise result_space, or ask for less at a time")
}
