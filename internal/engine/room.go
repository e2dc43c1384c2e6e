package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// Room is a memory reservation of one statement that reads a snapshot and changes rows. The memory
// counts within Settings.MemoryBytes. It is for what the statement collects and, by
// AppendOptions.Room, for what it commits.
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
	left   int64 // bytes that are reserved in the budget, and not taken yet
	taken  int64 // bytes taken since the last Wait or Restart
	// What taken would have become when memory was short: bytes that an attempt needs at least.
	missed int64
}

// ErrNoRoom says that a statement needs memory that is not free at once. The statement must release
// its snapshot, call Wait, and run again.
var ErrNoRoom = base.Errorf(base.Unavailable, "no memory at once for the rows that a statement changes")

const (
	// roomGrowth is the factor by which Wait reserves more than the last attempt needed. It is
	// large, because the attempt did not get to its remaining rows, and each attempt runs the query
	// again.
	roomGrowth = 8
	// leastRoom is the least number of bytes that Wait reserves, so that most statements wait only
	// once.
	leastRoom = 1 << 20
)

// Room returns a Room without memory, for one statement. The caller calls Close.
func (e *Engine) Room() *Room { return &Room{engine: e} }

// Restart begins another attempt of the statement, which may take as much memory again. The caller
// must have released what the attempt before took.
func (r *Room) Restart() { r.taken = 0 }

// Take takes bytes without waiting. If they are not free, the error is ErrNoRoom; if they exceed
// the whole budget, it is TooLarge. The caller calls release, at least once.
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

// take is Take for a caller that returns the bytes to the budget itself.
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

// Need takes bytes, and waits for them if necessary. It is for the rows of a query that is not run
// again. All writers wait in one queue, and rows arrive in small batches. So each time it waits, it
// reserves as much as it has taken so far, up to a chunk, in order to wait only a few times.
//
// It waits at most Settings.MaxWait. Then the error is Unavailable or, if flushes fail, the error
// of the last flush (StorageFull for a full disk). The caller calls release, at least once.
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

// leastSpill says which part of a chunk is worth writing as parts when memory is short: at least
// 1/leastSpill.
const leastSpill = 8

// NeedBeside is Need for a bulk load, which has buffered rows of taken bytes. If no memory is free,
// it first calls spill, which writes the buffered rows as parts, and only then waits. Otherwise the
// load could wait for memory that only its own spill makes free. If taken is less than 1/leastSpill
// of a chunk, it does not call spill.
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

// Wait waits for more memory than the last attempt needed, and reserves it for the next one. Its
// errors are those of Need. The caller must not hold a snapshot, and must have released what it
// took.
func (r *Room) Wait(ctx context.Context) error {
	r.Close()
	// The limit is halfway between what the last attempt needed and the whole budget. So a
	// statement that needs almost all memory gets it in a few attempts.
	need := min(max(roomGrowth*r.missed, leastRoom), max((r.missed+r.engine.settings.MemoryBytes)/2, r.missed))
	if err := r.engine.acquire(ctx, need); err != nil {
		return err
	}
	r.left, r.taken = need, 0
	return nil
}

// Close returns memory that was reserved and not taken to the budget.
func (r *Room) Close() {
	if r.left > 0 {
		r.engine.budget.release(r.left)
		r.left = 0
	}
}
