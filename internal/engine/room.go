package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// Room is memory of Settings.MemoryBytes for one statement that reads a snapshot and changes rows: for what it collects and, by
// AppendOptions.Room, for what it commits.
//
// Rows that a snapshot shows stay in memory until it is released. Who waits for memory with a snapshot in hand may wait for what
// only itself keeps, and has everybody who came later wait with it. So a change never does: what is not there at once is
// ErrNoRoom, the statement lets go of its snapshot, waits with Wait, and runs again with the memory that it got. The rows of an INSERT come of a
// query that is not run again; they wait by Need, a few times in all.
type Room struct {
	engine *Engine
	left   int64 // reserved, and not taken
	taken  int64 // since the last Wait or Restart
	missed int64 // what taken would have become when there was not enough
}

// ErrNoRoom says that a statement must let go of its snapshot and Wait.
var ErrNoRoom = base.Errorf(base.Unavailable, "no memory at once for the rows that a statement changes")

const (
	// roomGrowth is how much more a statement gets after each attempt: what the rest of its rows needs, nobody knows, and
	// each attempt runs its query again.
	roomGrowth = 8
	// leastRoom makes the first wait of most statements their only one.
	leastRoom = 1 << 20
)

// Room returns a statement's room, with nothing in it yet. Close must be called.
func (e *Engine) Room() *Room { return &Room{engine: e} }

// Restart begins another attempt, which may need as much again. What the one before took must be given back.
func (r *Room) Restart() { r.taken = 0 }

// Take takes bytes without waiting, or is ErrNoRoom. More than there ever is, is TooLarge. release must be called, once or more.
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

// take is Take for bytes that the caller gives back to the budget itself.
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

// Need takes bytes, and waits for them if it must: for the rows of a query that is not to be run again. From the second wait on it waits for
// as much as it has taken, up to a chunk: all who write wait in one line, and rows come in small batches. It waits up to Settings.MaxWait;
// then the error is Unavailable, or, if flushes fail, that of the last one (StorageFull for a full disk). release must be called, once or more.
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

// leastSpill is which share of a chunk is worth parts of its own while there is no memory for more.
const leastSpill = 8

// NeedBeside is Need for who has taken rows, and can write them: spill does so, if they are worth it, before it waits. Others may wait for what they hold, and
// keep what this waits for.
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

// Wait waits for as much as the last attempt was found to need, and more, with the errors of Need. The caller must hold no
// snapshot, and have given back what it took.
func (r *Room) Wait(ctx context.Context) error {
	r.Close()
	// At most half of what is beyond, so that a statement that needs nearly all of the memory gets it in few attempts too.
	need := min(max(roomGrowth*r.missed, leastRoom), max((r.missed+r.engine.settings.MemoryBytes)/2, r.missed))
	if err := r.engine.acquire(ctx, need); err != nil {
		return err
	}
	r.left, r.taken = need, 0
	return nil
}

// Close gives back what is not taken.
func (r *Room) Close() {
	if r.left > 0 {
		r.engine.budget.release(r.left)
		r.left = 0
	}
}
