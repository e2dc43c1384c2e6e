package tx

import (
	"context"
	"log/slog"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/vfs"
)

// lockHolder needs most of the memory of the engine whenever somebody waits for a table lock.
type lockHolder struct {
	t      *testing.T
	engine *engine.Engine
	locked int
}

const memory = 1 << 20

func (l *lockHolder) LockTables(context.Context, engine.BeforeLockWait, ...base.TableID) (func(), error) {
	l.locked++
	release, err := l.engine.NewReservation().TryReserve(memory - 1)
	if err != nil {
		l.t.Errorf("a statement that waits for a lock holds memory: %v", err)
		return func() {}, nil
	}
	release()
	return func() {}, nil
}

func (l *lockHolder) ShareTables(ctx context.Context, before engine.BeforeLockWait, tables ...base.TableID) (func(), error) {
	return l.LockTables(ctx, before, tables...)
}

// TestNoMemoryIsHeldWhileWaitingForALock runs a change that waits for memory and then for the lock
// of its table. Its memory must be free while it waits for the lock, and be its own afterwards.
func TestNoMemoryIsHeldWhileWaitingForALock(t *testing.T) {
	e, err := engine.Open("/db", engine.Settings{DisableAutomaticFlush: true}, engine.Components{FS: vfs.NewCrashable(), Logger: slog.New(slog.DiscardHandler), Memory: ledger.New(ledger.Limits{Memory: 16 * memory, Rows: memory})})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	locks := &lockHolder{t: t, engine: e}
	m := &Manager{Commits: e, Snapshots: e, Locks: locks}
	full, err := e.NewReservation().TryReserve(memory)
	if err != nil {
		t.Fatal(err)
	}
	attempts := 0
	err = m.Retry(t.Context(), func(a *Attempt) error {
		attempts++
		release, err := a.Begin(t.Context(), nil, a.Lock, 1)
		if err != nil {
			return err
		}
		defer release()
		free, err := a.Reservation.TryReserve(1000)
		if attempts == 1 {
			full()
			return err // there is no memory
		}
		if err != nil {
			return err
		}
		defer free()
		if attempts == 2 {
			return engine.ErrChanged
		}
		return nil
	})
	if err != nil || attempts != 3 || locks.locked != 1 {
		t.Errorf("%d attempts, %d locks: %v", attempts, locks.locked, err)
	}
}
