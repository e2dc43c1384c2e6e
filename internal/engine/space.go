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
// The file ReserveName in the data directory takes space in advance. If a statement that deletes or
// drops does not have enough space, the file is removed, and the statement runs again with that
// space. From then on all other writes are refused as StorageFull, since they would take the space
// that the next such statement needs. That ends when there is enough space to create the file
// again. The file's content means nothing, and after a crash it may or may not exist.
//
// If a directory is opened on a full disk, the log has no segment to write to. Reads work then, and
// a statement that deletes or drops creates a segment in the space of the reserve file.
//
// While writes are refused for a reason that may end, the committer checks every recheckInterval
// whether it did. It cannot rely on new requests for that, because /readyz reports that writes are
// refused.
const (
	// ReserveName is the name of the reserve file, which takes space for deleting and dropping when
	// the disk is full.
	ReserveName = "RESERVE"

	mostReserveBytes  = 16 << 20
	leastReserveBytes = 1 << 20
	// The reserve file may take 1/reserveShare of the free space.
	reserveShare = 8

	recheckInterval = 500 * time.Millisecond
)

func (e *Engine) reservePath() string { return filepath.Join(e.dir, ReserveName) }

// makeReserve creates the reserve file if it does not exist. If there is not enough space, the
// error is StorageFull.
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

// useReserve removes the reserve file to free its space, and reports whether there was one. It runs
// in the committer.
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

// spacious returns nil if all writes can be accepted: the log has a segment, and the reserve file
// exists or could be created. It runs in the committer.
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

// beginLog creates a segment of the log, if there was no space for one when the directory was
// opened.
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

// withReserve calls do, which frees space. If do fails because the disk is full, withReserve
// removes the reserve file and calls do again.
func (e *Engine) withReserve(do func() error) error {
	err := do()
	if base.KindOf(err) == base.StorageFull && err != nil && e.useReserve() {
		err = do()
	}
	return err
}

// space returns an error if it is clear before writing that there is not enough space for a
// request.
func (e *Engine) space(r *request) error {
	if r.frees() {
		return e.withReserve(e.beginLog)
	}
	return e.spacious()
}

// frees reports whether a request only deletes rows, so that it may use the space of the reserve
// file.
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

// refuse records err as the reason why writes are refused; nil means that they are accepted again.
// It ignores errors of kinds other than StorageFull, Unavailable and Unknown. It runs in the
// committer.
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

// recheck checks whether the reason for refusing writes has ended. It runs in the committer.
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

// openLog creates the log's next segment, after the replayed ones. If the disk is full, the engine
// starts without one.
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

// applyToCatalog applies an edit to the catalog. If the disk is full and the edit frees space, it
// uses the space of the reserve file.
func (e *Engine) applyToCatalog(edit catalog.Edit) error {
	if !edit.Frees() {
		return e.catalog.Apply(edit)
	}
	return e.withReserve(func() error { return e.catalog.Apply(edit) })
}
