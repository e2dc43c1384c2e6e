package engine

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// apply makes an edit durable in the catalog. In the committer, as everything that
// changes both the catalog and memory.
//
// An error mostly means that the edit is not in the catalog. But when the disk fails in
// the very last step of a commit, the edit may be there although it was reported as
// failed, and not even the catalog can tell until it is asked again. Two things would
// then go wrong: removing the part files of a failed flush, which a restart may find
// listed; and acknowledging rows of a table that a restart may find dropped. So apply
// asks at once, with an edit that changes nothing. If that fails too, the catalog is in
// doubt: the error is Unknown, files stay, and writes are refused, until a later edit succeeds, which it does
// only if the failed one is not there, or until a restart.
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

// settle returns nil if writes may go on: the engine has not stopped, and the catalog is
// not in doubt, or no longer. In the committer.
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
	if e.doubt.Load() { // nobody but the committer changes it
		e.garbage.settle(&e.doubt)
	}
}
