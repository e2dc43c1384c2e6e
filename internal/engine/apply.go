package engine

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// apply makes an edit durable in the catalog. It runs in the committer, like everything that
// changes both the catalog and memory.
//
// An error usually means that the edit is not in the catalog. But if the disk fails in the very
// last step of a commit, the edit may be stored although it was reported as failed. Even the
// catalog cannot tell until it is asked again. As long as that is unknown, two things would be
// wrong:
//   - to remove the part files of a failed flush: a restart may find that the catalog lists them
//   - to acknowledge rows of a table: a restart may find that the table was dropped
//
// So apply asks the catalog again at once, by an edit that changes nothing. If that fails too, the
// catalog is in doubt: the error is Unknown, files stay, and writes are refused. The doubt ends
// with a restart, or when a later edit succeeds, which it only does if the failed edit is not
// stored.
func (e *Engine) apply(edit catalog.Edit) error {
	err := e.applyToCatalog(edit)
	if err == nil {
		e.certain()
		return nil
	}
	e.doubt.Store(true)
	if e.catalog.Apply(catalog.Edit{}) != nil {
		e.refuse(err)
		return errUnknown(err)
	}
	e.certain()
	return err
}

// settle returns nil if writes may continue: the engine has not stopped, and it is known whether
// the catalog has the last edit. If that is in doubt (see apply), settle first asks the catalog
// again. It runs in the committer.
func (e *Engine) settle() error {
	if err := e.writable(); err != nil || !e.doubt.Load() {
		return err
	}
	if err := e.catalog.Apply(catalog.Edit{}); err != nil {
		err = base.Wrap(err, "an earlier change may be half done")
		e.refuse(err)
		return err
	}
	e.certain()
	return nil
}

func (e *Engine) certain() {
	if e.doubt.Load() { // no race: only the committer sets doubt
		e.garbage.settle(&e.doubt)
	}
}
