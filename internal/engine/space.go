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
// The file ReserveName in the data directory takes disk space in advance. If a statement that
// deletes or drops does not have enough space, this reserve file is removed, and the statement runs
// again. From then on all other writes are refused with the error StorageFull, since they would
// take the space that the next such statement needs. This ends when there is enough space to create
// the file again. The content of the file means nothing, and after a crash it may or may not exist.
//
// If a directory is opened on a full disk, the log has no segment to write to. Reads work then. A
// statement that deletes or drops removes the reserve file, and creates a segment in its space.
//
// While writes are refused, the committer checks every recheckInterval whether the reason has
// ended. It cannot rely on new requests for that, because clients may send none while /readyz
// reports that writes are refused.
const (
	// ReserveName is the name of the reserve file. It takes disk space that is used for deleting
	// and dropping when the disk is full.
	ReserveName = "RESERVE"

	mostReserveBytes  = 16 << 20
	leastReserveBytes = 1 << 20
	// reserveShare limits the size of the reserve file: it may take 1/reserveShare of the free
	// space.
	reserveShare = 8

	recheckInterval = 500 * time.Millisecond
)

func (e *Engine) reservePath() string { return filepath.Join(e.dir, ReserveName) }

// makeReserve creates the reserve file (see ReserveName) if it does not exist. If there is not
// enough space, the error is StorageFull.
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
		return base.Errorf(base.StorageFull, "only %d bytes are free on the disk of %s: deleting and dropping work, but other writes need %d free bytes", free, e.dir, int64(leastReserveBytes*reserveShare)).
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

// releaseReserve removes the reserve file, which frees its space. It reports whether there was one.
// It runs in the committer.
func (e *Engine) releaseReserve() bool {
	if e.settings.DisableAutomaticFlush {
		return false
	}
	if err := e.fs.Remove(e.reservePath()); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.log.Error("the reserve for deleting and dropping could not be freed", "error", err)
		}
		return false
	}
	e.reserveUsed = true
	e.refuse(base.Errorf(base.StorageFull, "the disk is full, and the reserve is in use: only reading, deleting and dropping work"))
	return true
}

// checkSpace returns nil if all writes can be accepted: the log has a segment, and the reserve file
// exists or could be created. It runs in the committer.
func (e *Engine) checkSpace() error {
	if err := e.beginLog(); err != nil {
		return err
	}
	if !e.reserveUsed {
		return nil
	}
	if err := e.makeReserve(); err != nil {
		return err
	}
	e.reserveUsed = false
	return nil
}

// beginLog creates a segment of the log if there is none. That happens if the disk was full when
// the directory was opened.
func (e *Engine) beginLog() error {
	if !e.wal.Waits() {
		return nil
	}
	next, err := e.wal.Rotate()
	if err != nil {
		return base.Wrap(err, "there is no space for the log: only reading, deleting and dropping work")
	}
	e.wal = next
	e.recordDurable()
	e.mu.Lock()
	e.active = newGeneration(next.ID())
	e.mu.Unlock()
	return nil
}

// retryWithReserve calls the function do, which frees space. If that fails because the disk is
// full, retryWithReserve removes the reserve file and calls the function again.
func (e *Engine) retryWithReserve(do func() error) error {
	err := do()
	if base.KindOf(err) == base.StorageFull && err != nil && e.releaseReserve() {
		err = do()
	}
	return err
}

// checkRequestSpace returns an error if it is known in advance that there is not enough disk space
// for the request.
func (e *Engine) checkRequestSpace(r *request) error {
	if r.freesSpace() {
		return e.retryWithReserve(e.beginLog)
	}
	return e.checkSpace()
}

// freesSpace reports whether a request only deletes rows. Such a request may use the space of the
// reserve file.
func (r *request) freesSpace() bool {
	if r.changes == nil || len(r.tables) > 0 || len(r.changes.tables) == 0 {
		return false
	}
	for _, t := range r.changes.tables {
		if len(t.updated) > 0 || t.expression != nil || len(t.removed) == 0 {
			return false
		}
	}
	return true
}

// refuse records err as the reason why writes are refused. nil means that they are accepted again.
// Errors are ignored unless their kind is StorageFull, Unavailable or Unknown. It runs in the
// committer.
func (e *Engine) refuse(err error) {
	before := e.refusal.Load()
	switch kind := base.KindOf(err); {
	case err == nil && before != nil:
		e.refusal.Store(nil)
		e.log.Info("writes are accepted again")
	case err != nil && (kind == base.StorageFull || kind == base.Unavailable || kind == base.Unknown):
		e.refusal.Store(&base.Error{Kind: kind, Message: err.Error()})
		if before == nil {
			e.log.Error("writes are refused", "error", err)
		}
	}
}

// recheck checks whether the reason for refusing writes still exists. It runs in the committer.
func (e *Engine) recheck() {
	err := e.resolveDoubt()
	if err == nil {
		err = e.checkSpace()
	}
	if err == nil {
		err = e.wal.Probe()
	}
	e.refuse(err)
}

// openLog creates a new segment of the log, after the replayed segments. If the disk is full, the
// engine starts without a segment.
func (e *Engine) openLog(after wal.Position) (err error) {
	e.wal, err = wal.Create(e.fs, e.walDir(), wal.Options{Synced: e.durations.syncs.add}, after)
	if base.KindOf(err) == base.StorageFull && err != nil && !e.settings.DisableAutomaticFlush {
		e.log.Error("the disk is full: only reading, deleting and dropping work until there is space", "error", err)
		e.refusal.Store(&base.Error{Kind: base.StorageFull, Message: err.Error()})
		e.wal, err = wal.Await(e.fs, e.walDir(), wal.Options{Synced: e.durations.syncs.add}, after, err), nil
	}
	if err != nil {
		return err
	}
	e.active = newGeneration(e.wal.ID())
	if !e.settings.DisableAutomaticFlush {
		if err := e.makeReserve(); err != nil {
			e.reserveUsed = true
			e.log.Warn("the reserve for deleting and dropping on a full disk could not be created", "error", err)
		}
	}
	return nil
}

// applyToCatalog applies an edit to the catalog. If the disk is full and the edit frees space, the
// edit may use the space of the reserve file.
func (e *Engine) applyToCatalog(edit catalog.Edit) error {
	if !edit.FreesSpace() {
		return e.catalog.Apply(edit)
	}
	return e.retryWithReserve(func() error { return e.catalog.Apply(edit) })
}
