// Package spool writes results to files of limited size if their readers are slow, so that the
// queries can end.
//
// A Writer is between the producer of a result and the connection to its reader. While the reader
// keeps up, the bytes pass through two small buffers in memory. If the reader receives nothing for
// a while, the rest of the result goes to a file as fast as it is produced, and is sent from there.
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

// Shares of the space. A result may use 1/resultShare of it. Once all but 1/mostShare is in use, no
// query may compute more of its result. The rest is for data that was already computed. The last
// 1/lastShare is for the error messages with which results end.
const (
	resultShare = 8
	mostShare   = 4 // queries stop when all but 1/mostShare is used
	lastShare   = 8 // the last 1/lastShare is for small pieces
	freeShare   = 4 // the space is at most 1/freeShare of the free bytes on the disk
)

// NewSpace returns a space of limit bytes in the folder dir. The folder need not exist before the
// space is used for the first time.
func NewSpace(dir string, limit int64) *Space { return &Space{dir: dir, limit: limit} }

// Used returns the number of bytes that results use.
func (s *Space) Used() int64 { return s.used.Load() }

// take reserves n bytes of the space. It always succeeds for small pieces, such as the error with
// which a result ends.
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

// most returns the maximum size in bytes that the file of a result may have if it is begun now.
func (s *Space) most() int64 {
	limit := s.limit
	if free, err := vfs.OS.FreeSpace(s.dir); err == nil {
		limit = min(limit, int64(free/freeShare))
	}
	return limit / resultShare
}

// full reports whether so much of the space is used that no query may compute more of its result.
func (s *Space) full() bool { return s.used.Load() > s.limit-s.limit/mostShare }

// over reports whether so much of the space is used that only the errors with which results end
// still fit.
func (s *Space) over() bool { return s.used.Load() > s.limit-s.limit/lastShare }

// create creates a file without a name. The system removes the file when it is closed, or after a
// crash.
func (s *Space) create() (*os.File, error) {
	f, err := os.CreateTemp(s.dir, "result-*")
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "spool a result for a slow reader: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the first error is returned
		return nil, base.Errorf(base.Unavailable, "spool a result for a slow reader: %w", err)
	}
	return f, nil
}

func errFull(limit int64) error {
	return base.Errorf(base.Timeout, "the client takes its result too slowly: at most %d bytes are spooled for it", limit).
		WithHint("read the result without pauses, raise result_space, or ask for less at a time")
}
