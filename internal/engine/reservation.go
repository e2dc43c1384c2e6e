package engine

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// Reservation is a memory reservation of one statement that reads a snapshot and changes rows. The
// memory counts in the account of rows. It is for the rows that the statement collects, and
// for what it commits (AppendOptions.Reservation).
//
// The rows of a snapshot stay in memory until it is released. So a statement that waits for memory
// while it holds a snapshot may wait for itself, and all later writers wait with it. Therefore a
// statement with a Reservation never waits while it holds a snapshot. If memory is not free
// immediately, the error is ErrMemoryBusy. The statement then releases its snapshot, calls
// WaitForMore, and runs again with the memory that it got.
//
// An INSERT is different, because its query is not run again. It reserves memory for its rows with
// Reserve, which waits, but only a few times in all.
type Reservation struct {
	engine   *Engine
	unused   int64 // bytes that are reserved and that the statement has not taken yet
	reserved int64 // bytes that the statement took since the last WaitForMore or BeginAttempt
	// wanted is the number of bytes that the last attempt of the statement needed at least: the
	// bytes that it had taken when memory was short, plus those that it asked for then.
	wanted int64
}

// ErrMemoryBusy says that a statement needs memory that is not free at the moment. The statement
// must release its snapshot, call Reservation.WaitForMore, and run again.
var ErrMemoryBusy = base.Errorf(base.Unavailable, "no memory at once for the rows that a statement changes")

const (
	// reservationGrowth is a factor. WaitForMore reserves reservationGrowth times as much memory as
	// the last attempt needed at least. It is large for two reasons: the attempt did not get to its
	// remaining rows, and each attempt runs the query again.
	reservationGrowth = 8
	// minReservation is the minimum number of bytes that WaitForMore reserves. It is large enough
	// that most statements wait only once.
	minReservation = 1 << 20
)

// NewReservation returns a memory reservation for one statement. It has no memory at first. The
// caller calls Close.
func (e *Engine) NewReservation() *Reservation { return &Reservation{engine: e} }

// BeginAttempt begins another attempt of the statement, which may take as much memory as the one
// before. The caller must have released what that attempt took.
func (r *Reservation) BeginAttempt() { r.reserved = 0 }

// TryReserve takes the given number of bytes of memory without waiting. If that many bytes are not
// free, the error is ErrMemoryBusy. If they are more than the limit of all rows, the error is
// TooLarge. The caller must call the returned function release, and may call it more than once.
func (r *Reservation) TryReserve(bytes int64) (release func(), err error) {
	if err := r.tryReserve(bytes); err != nil {
		return nil, err
	}
	var released atomic.Bool
	return func() {
		if released.CompareAndSwap(false, true) {
			r.engine.memory.Rows.Release(bytes)
		}
	}, nil
}

// tryReserve takes memory like TryReserve, for a caller that itself returns the memory.
func (r *Reservation) tryReserve(bytes int64) error {
	if more := bytes - r.unused; more > 0 {
		if there, err := r.engine.tryReserve(more); err != nil || !there {
			r.wanted = r.reserved + bytes
			if err == nil {
				err = ErrMemoryBusy
			}
			return err
		}
		r.unused += more
	}
	r.unused -= bytes
	r.reserved += bytes
	return nil
}

// Reserve takes the given number of bytes of memory, and waits for them if necessary. It is for the
// rows of a query that is not run again. All writers wait in one queue, and rows arrive in small
// batches. So when Reserve has to wait, it reserves at least as much again as the statement has
// taken so far, up to a chunk (ChunkBytes). This way it waits only a few times.
//
// It waits at most Settings.MaxWait. Then the error is Unavailable or, if flushes fail, the error
// of the last flush (StorageFull for a full disk). The caller must call the returned function
// release, and may call it more than once.
func (r *Reservation) Reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if more := bytes - r.unused; more > 0 {
		more = max(more, min(r.reserved, r.engine.ChunkBytes()))
		if err := r.engine.reserve(ctx, more); err != nil {
			return nil, err
		}
		r.unused += more
	}
	return r.TryReserve(bytes)
}

// minSpillShare says how much buffered data is worth writing as parts when memory is short: at
// least 1/minSpillShare of a chunk (ChunkBytes).
const minSpillShare = 8

// ReserveOrSpill takes memory like Reserve, for a bulk load that has buffered rows. The argument
// taken is the memory of these rows in bytes. If no memory is free, ReserveOrSpill first calls the
// function spill, which writes the buffered rows as parts. Then ReserveOrSpill waits. Without spill
// the load could wait for memory that only its own buffered rows can free. If taken is less than
// 1/minSpillShare of a chunk, spill is not called.
func (r *Reservation) ReserveOrSpill(ctx context.Context, bytes, taken int64, spill func() error) (release func(), err error) {
	release, err = r.TryReserve(bytes)
	if !errors.Is(err, ErrMemoryBusy) {
		return release, err
	}
	if taken >= r.engine.ChunkBytes()/minSpillShare {
		if err := spill(); err != nil {
			return nil, err
		}
	}
	return r.Reserve(ctx, bytes)
}

// WaitForMore waits until the statement can have more memory than its last attempt needed, and
// reserves it for the next attempt. Its errors are those of Reserve. The caller must not hold a
// snapshot, and must have released the memory that it took.
func (r *Reservation) WaitForMore(ctx context.Context) error {
	r.Close()
	// Reserve reservationGrowth times as much as the last attempt needed, and at least
	// minReservation. But if that is more than the mean of what the last attempt needed and the
	// limit of all rows, reserve the mean. So if a statement needs almost all of it, its
	// reservations come closer to the limit with each attempt, instead of growing beyond it.
	need := min(max(reservationGrowth*r.wanted, minReservation), max((r.wanted+r.engine.memory.Rows.Limit())/2, r.wanted))
	if err := r.engine.reserve(ctx, need); err != nil {
		return err
	}
	r.unused, r.reserved = need, 0
	return nil
}

// Close releases the memory that was reserved but not taken by the statement.
func (r *Reservation) Close() {
	if r.unused > 0 {
		r.engine.memory.Rows.Release(r.unused)
		r.unused = 0
	}
}
