package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// Room is a memory reservation, within Settings.MemoryBytes, of one statement that reads a snapshot
// and changes rows. It is for what the statement collects and, by AppendOptions.Room, for what it
// commits.
//
// The rows of a snapshot stay in memory until it is released. So a statement that waits for memory
// while it holds a snapshot may wait for itself, and all later writers wait with it. Therefore a
// change never waits. If memory is not free at once, the error is ErrNoRoom. The statement then
// releases its snapshot, calls Wait, and runs again with the memory that it got.
//
// An INSERT does not run its query again. It reserves memory for its rows with Need, which waits, a
// few times in all.
type Room struct {
	engine *Engine
	left   int64 // reserved in the budget, but not taken yet
	taken  int64 // taken since the last Wait or Restart
	missed int64 // value that taken would have had when memory was short
}

// ErrNoRoom says that memory is not free at once. The statement must release its snapshot and call
// Wait.
var ErrNoRoom = base.Errorf(base.Unavailable, "no memory at once for the rows that a statement changes")

const (
	// roomGrowth is the factor by which a statement reserves more for the next attempt. What its
	// remaining rows need is unknown, and each attempt runs its query again.
	roomGrowth = 8
	// leastRoom is the least that Wait reserves, so that most statements wait only once.
	leastRoom = 1 << 20
)

// Room returns an empty reservation for a statement. The caller calls Close.
func (e *Engine) Room() *Room { return &Room{engine: e} }

// Restart begins another attempt, which may need as much memory again. The caller has released what
// the attempt before took.
func (r *Room) Restart() { r.taken = 0 }

// Take takes bytes without waiting, or returns ErrNoRoom. More bytes than the budget's limit are
// TooLarge. The caller calls release, once or more often.
func (r *Room) Take(bytes int64) (release func(), err error) {
	if err := r.take(bytes); err != nil {
		return nil, err
	}
	var released atomic.Bool
	return func() {
		if released.CompareAndSwap(false, true) {
			r.engine.budget.release(bytes)
		}
	}, nil
}

// take is Take for bytes that the caller returns to the budget itself.
func (r *Room) take(bytes int64) error {
	if more := bytes - r.left; more > 0 {
		if there, err := r.engine.budget.take(more); err != nil || !there {
			r.missed = r.taken + bytes
			if err == nil {
				err = ErrNoRoom
			}
			return err
		}
		r.left += more
	}
	r.left -= bytes
	r.taken += bytes
	return nil
}

// Need takes bytes, and waits for them if necessary. It is for the rows of a query that does not
// run again. All writers wait in one queue, and rows arrive in small batches. So when it waits
// again, it reserves as much as it has taken so far, up to a chunk.
//
// It waits at most Settings.MaxWait. Then the error is Unavailable or, if flushes fail, the error
// of the last flush (StorageFull for a full disk). The caller calls release, once or more often.
func (r *Room) Need(ctx context.Context, bytes int64) (release func(), err error) {
	if more := bytes - r.left; more > 0 {
		more = max(more, min(r.taken, r.engine.ChunkBytes()))
		if err := r.engine.acquire(ctx, more); err != nil {
			return nil, err
		}
		r.left += more
	}
	return r.Take(bytes)
}

// leastSpill is the divisor for the smallest share of a chunk that is written as parts when memory
// is short.
const leastSpill = 8

// NeedBeside reserves memory for the next rows of a bulk load. taken is the number of bytes of the
// rows that the load has buffered. If no memory is free, it first calls spill, which writes the
// buffered rows as parts, and only then waits: a writer that blocks while it holds rows could be
// waiting for memory that only its own spill frees. It does not spill if taken is less than the
// leastSpill'th part of a chunk.
func (r *Room) NeedBeside(ctx context.Context, bytes, taken int64, spill func() error) (release func(), err error) {
	release, err = r.Take(bytes)
	if !errors.Is(err, ErrNoRoom) {
		return release, err
	}
	if taken >= r.engine.ChunkBytes()/leastSpill {
		if err := spill(); err != nil {
			return nil, err
		}
	}
	return r.Need(ctx, bytes)
}

// Wait waits for more memory than the last attempt needed, with the errors of Need. The caller must
// not hold a snapshot, and must have released what it took.
func (r *Room) Wait(ctx context.Context) error {
	r.Close()
	// Beyond what was missed, reserve at most half of the rest of the budget. Then a statement that
	// needs almost all memory gets it in a few attempts too.
	need := min(max(roomGrowth*r.missed, leastRoom), max((r.missed+r.engine.settings.MemoryBytes)/2, r.missed))
	if err := r.engine.acquire(ctx, need); err != nil {
		return err
	}
	r.left, r.taken = need, 0
	return nil
}

// Close returns the memory that was reserved but not taken.
func (r *Room) Close() {
	if r.left > 0 {
		r.engine.budget.release(r.left)
		r.left = 0
	}
}
