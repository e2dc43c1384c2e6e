// Package spool keeps what slow readers have not taken yet of their results, in files of a bounded
// size, so that the queries can end meanwhile.
//
// A Writer stands between what produces a result and the connection to its reader. As long as the
// reader keeps up, bytes pass through two small buffers in memory. When it takes nothing for a pause,
// the rest of the result goes to a file as fast as it is produced, and is read from there.
package spool

import (
	"os"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Space is a folder with room for a number of bytes, which results share.
type Space struct {
	dir   string
	limit int64
	used  atomic.Int64
}

// One result is full with a share of the space, and every result is when most of it is taken: what
// is left is for what was computed already, and the last of it for results to end with an error
// that says so.
const (
	resultShare = 8
	mostShare   = 4 // all but one in so many
	lastShare   = 8 // one in so many is for small pieces
	freeShare   = 4 // the space is no more than one in so many of the bytes that are free on the disk
)

// NewSpace returns a space of limit bytes in a folder, which need not exist before it is used.
func NewSpace(dir string, limit int64) *Space { return &Space{dir: dir, limit: limit} }

// Used returns how many bytes are taken.
func (s *Space) Used() int64 { return s.used.Load() }

// take takes n bytes: small pieces, such as why a result ends, whatever there is.
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

// most returns how large the file of one result may be, now that it is begun.
func (s *Space) most() int64 {
	limit := s.limit
	if free, err := vfs.OS.FreeSpace(s.dir); err == nil {
		limit = min(limit, int64(free/freeShare))
	}
	return limit / resultShare
}

// full reports whether no result should go on.
func (s *Space) full() bool { return s.used.Load() > s.limit-s.limit/mostShare }

// over reports whether there is room only for why results end.
func (s *Space) over() bool { return s.used.Load() > s.limit-s.limit/lastShare }

// create makes a file that has no name any more: it goes when it is closed, whatever happens.
func (s *Space) create() (*os.File, error) {
	f, err := os.CreateTemp(s.dir, "result-*")
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "keep a result for a slow reader: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the first error counts
		return nil, base.Errorf(base.Unavailable, "keep a result for a slow reader: %w", err)
	}
	return f, nil
}

func errFull(limit int64) error {
	return base.Errorf(base.Timeout, "the client takes its result too slowly: no more than %d bytes are kept until it does", limit).
		WithHint("read the result without pauses, raise result_space, or ask for less at a time")
}
