package engine

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/wal"
)

// What happens when the disk is full.
//
// A file in the data directory, ReserveName, holds space. Where a statement that deletes or drops finds none, the file is removed,
// and the statement runs again with that space. From then on everything else is refused as StorageFull, since it would take the space that the next such
// statement needs, until there is enough to make the file again. The file means nothing: after a crash it is there or not.
//
// A directory that is opened on a full disk has no segment to log to. Then the writer of the log waits for one: reads work, and
// statements that delete or drop begin one in the reserve's space.
//
// While writes are refused for a reason that may pass, the committer looks every recheckInterval whether it did: nobody may be sending any, for /readyz says so.
const (
	// ReserveName is the file that holds space for deleting and dropping.
	ReserveName = "RESERVE"

	mostReserveBytes  = 16 << 20
	leastReserveBytes = 1 << 20
	// reserveShare is the part of the free space that the file may take.
	reserveShare = 8

	recheckInterval = 500 * time.Millisecond
)

func (e *Engine) reservePath() string { return filepath.Join(e.dir, ReserveName) }

// makeReserve makes the file unless it is there. Without enough space it is StorageFull.
func (e *Engine) makeReserve() (err error) {
	if _, err := e.fs.Stat(e.reservePath()); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	free, err := e.fs.FreeSpace(e.dir)
	if err != nil {
		return err
	}
	bytes := int64(min(free/reserveShare, mostReserveBytes))
	if bytes < leastReserveBytes {
		return base.Errorf(base.StorageFull, "%d bytes are free on the disk of %s: deleting and dropping work, other writes from %d on", free, e.dir, int64(leastReserveBytes*reserveShare)).
			WithHint("delete rows, drop tables, or free space on this disk")
	}
	f, err := e.fs.Create(e.reservePath())
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, e.fs.Remove(e.reservePath()))
		}
	}()
	return f.Allocate(bytes)
}

// useReserve makes the reserve's space available, and reports whether there was any. In the committer.
func (e *Engine) useReserve() bool {
	if e.settings.DisableAutomaticFlush {
		return false
	}
	if err := e.fs.Remove(e.reservePath()); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.log.Error("the reserve for deleting and dropping is of no use", "error", err)
		}
		return false
	}
	e.spent = true
	e.refuse(base.Errorf(base.StorageFull, "the disk is full, and the reserve is in use: only reading, deleting and dropping work"))
	return true
}

// spacious returns nil if there is a log to write to, and the reserve is there, or can be made. In the committer.
func (e *Engine) spacious() error {
	if err := e.beginLog(); err != nil {
		return err
	}
	if !e.spent {
		return nil
	}
	if err := e.makeReserve(); err != nil {
		return err
	}
	e.spent = false
	return nil
}

// beginLog begins a segment if there was no space for one when the directory was opened.
func (e *Engine) beginLog() error {
	if !e.wal.Waits() {
		return nil
	}
	next, err := e.wal.Rotate()
	if err != nil {
		return base.Wrap(err, "there is no space for the log: only reading, deleting and dropping work")
	}
	e.wal = next
	e.durable()
	e.mu.Lock()
	e.active = newGeneration(next.ID())
	e.mu.Unlock()
	return nil
}

// withReserve runs do, which frees space, and runs it again with the reserve's space if there is too little.
func (e *Engine) withReserve(do func() error) error {
	err := do()
	if base.KindOf(err) == base.StorageFull && err != nil && e.useReserve() {
		err = do()
	}
	return err
}

// space returns nil if there is space for a request, as far as that is known before it is written.
func (e *Engine) space(r *request) error {
	if r.frees() {
		return e.withReserve(e.beginLog)
	}
	return e.spacious()
}

// frees reports whether a request only deletes rows.
func (r *request) frees() bool {
	if r.changes == nil || len(r.tables) > 0 || len(r.changes.tables) == 0 {
		return false
	}
	for _, t := range r.changes.tables {
		if len(t.updated) > 0 || t.expression != nil || len(t.gone) == 0 {
			return false
		}
	}
	return true
}

// refuse notes whether writes are refused for the time being, and why. In the committer.
func (e *Engine) refuse(err error) {
	before := e.refusal.Load()
	switch kind := base.KindOf(err); {
	case err == nil && before != nil:
		e.refusal.Store(nil)
		e.log.Info("writes are taken again")
	case err != nil && (kind == base.StorageFull || kind == base.Unavailable || kind == base.Unknown):
		e.refusal.Store(&base.Error{Kind: kind, Message: err.Error()})
		if before == nil {
			e.log.Error("writes are refused", "error", err)
		}
	}
}

// recheck looks whether writes are possible again. In the committer.
func (e *Engine) recheck() {
	err := e.settle()
	if err == nil {
		err = e.spacious()
	}
	if err == nil {
		err = e.wal.Probe()
	}
	e.refuse(err)
}

// openLog begins the segment behind those that were replayed, or, on a full disk, goes on without one.
func (e *Engine) openLog(after wal.Position) (err error) {
	e.wal, err = wal.Create(e.fs, e.walDir(), wal.Options{Synced: e.effort.syncs.add}, after)
	if base.KindOf(err) == base.StorageFull && err != nil && !e.settings.DisableAutomaticFlush {
		e.log.Error("the disk is full: only reading, deleting and dropping work until there is space", "error", err)
		e.refusal.Store(&base.Error{Kind: base.StorageFull, Message: err.Error()})
		e.wal, err = wal.Await(e.fs, e.walDir(), wal.Options{Synced: e.effort.syncs.add}, after, err), nil
	}
	if err != nil {
		return err
	}
	e.active = newGeneration(e.wal.ID())
	if !e.settings.DisableAutomaticFlush {
		if err := e.makeReserve(); err != nil {
			e.spent = true
			e.log.Warn("there is no reserve for deleting and dropping on a full disk", "error", err)
		}
	}
	return nil
}

// applyToCatalog applies an edit, with the reserve's space if it frees some.
func (e *Engine) applyToCatalog(edit catalog.Edit) error {
	if !edit.Frees() {
		return e.catalog.Apply(edit)
	}
	return e.withReserve(func() error { return e.catalog.Apply(edit) })
}
