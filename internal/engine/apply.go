package engine

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// apply makes an edit (one atomic change) durable in the catalog. It runs in the committer, like
// everything that changes both the catalog and the state in memory.
//
// An error usually means that the catalog does not have the edit. But if the disk fails in the very
// last step of a commit, the edit may be stored although SQLite reported a failure. Even SQLite
// cannot know which, until it accesses the disk again. As long as that is unknown, two things would
// be wrong:
//   - to remove the part files of a failed flush: after a restart the catalog may list them
//   - to acknowledge rows of a table: after a restart the table may be dropped
//
// So after an error apply immediately makes another edit, which changes nothing. If that fails too,
// the catalog is in doubt: the error is Unknown, files stay, and writes are refused. The doubt ends
// with a restart, or when a later edit succeeds. A later edit succeeds only if the failed edit is
// not stored.
func (e *Engine) apply(edit catalog.Edit) error {
	err := e.applyToCatalog(edit)
	if err == nil {
		e.endDoubt()
		return nil
	}
	e.inDoubt.Store(true)
	if e.catalog.Apply(catalog.Edit{}) != nil {
		e.refuse(err)
		return errUnknown(err)
	}
	e.endDoubt()
	return err
}

// resolveDoubt returns nil if writes may continue: the engine has not stopped, and it is known
// whether the catalog has the last edit. If that is in doubt (see apply), resolveDoubt first makes
// an edit that changes nothing, which ends the doubt if it succeeds. It runs in the committer.
func (e *Engine) resolveDoubt() error {
	if err := e.writable(); err != nil || !e.inDoubt.Load() {
		return err
	}
	if err := e.catalog.Apply(catalog.Edit{}); err != nil {
		err = base.Wrap(err, "an earlier change may be half done")
		e.refuse(err)
		return err
	}
	e.endDoubt()
	return nil
}

func (e *Engine) endDoubt() {
	if e.inDoubt.Load() { // reading doubt here is safe: only the committer sets it
		e.garbage.endDoubt(&e.inDoubt)
	}
}
