package keys

import (
	"context"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Making the index of a part takes several times as long as a query for one of its keys. So All makes none, and the
// statement goes on by a query; from the second time on that All lacks the index of a part, it is made beside the statements. The part is
// held until it is there, so that its file stays however it is merged or dropped meanwhile, and not the statement's snapshot: that keeps the memory of rows,
// for which writers may wait. Row groups that are not to be read at once are read in the same way, from the first time on.
//
// What one statement lacks is made one after the other, and nothing else until it is there: the statements have the other
// processors, and the memory of making an index, which is that of one more, is taken once. Who then lacks others comes by again.

// beside is what is being made beside statements.
type beside struct {
	failed  func(error)
	closing context.Context // ends with Close
	close   context.CancelFunc
	running sync.WaitGroup
	busy    bool // guarded by Finder.mu
	closed  bool // guarded by Finder.mu
}

// retryAfter is how long nothing is made of a part after it failed: what fails by itself, as for lack of memory, succeeds later, and what
// does not is not to be told of with every statement.
const retryAfter = time.Minute

// lack is a part in which a key cannot be looked up yet.
type lack struct {
	entry *source
	part  *catalog.Part
	again bool // not for the first time
}

// want sees to it that a key which a statement looks for, given by its values, can be looked up in parts later.
func (f *Finder) want(t *snapshot.Table, lacking []lack, key []base.ColumnID, values []arrow.Array) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var due []lack
	for _, l := range lacking {
		if time.Since(l.entry.failed) >= retryAfter {
			l.again = l.entry.asked
			due = append(due, l)
		}
		l.entry.asked = true
	}
	if len(due) == 0 || f.beside.busy || f.beside.closed {
		return
	}
	f.beside.busy = true
	rows, stored := t.Rows(), *t
	stored.Memtables = nil
	f.beside.running.Go(func() { f.makeBeside(&stored, rows, due, key, values) })
}

// makeBeside makes what is lacking of a table of so many rows, of which nobody holds more than makeIndex does.
func (f *Finder) makeBeside(t *snapshot.Table, rows int64, lacking []lack, key []base.ColumnID, values []arrow.Array) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.beside.busy = false
	}()
	for _, l := range lacking {
		// The indexes of a table are made if they fit into memory together: else each would take the place of another.
		err := f.makeIndex(t, l, l.again && rows*entryBytes <= f.maxBytes, key, values)
		if f.beside.closing.Err() != nil {
			return
		}
		if err == nil {
			continue
		}
		f.mu.Lock()
		l.entry.failed = time.Now()
		f.mu.Unlock()
		f.beside.failed(base.Wrap(err, "table %s: part %d", t.Schema.QualifiedName(), l.part.ID))
	}
}

// makeIndex makes what is lacking of one part, unless its table has it no more: what its row groups say of the key, or else, if whole, its index.
func (f *Finder) makeIndex(t *snapshot.Table, l lack, whole bool, key []base.ColumnID, values []arrow.Array) error {
	release, there := f.reader.Hold(l.part)
	if !there {
		return nil
	}
	defer release()
	groups, _, ok, err := f.groupsHolding(l.entry, t, l.part, key, values, maxReads)
	switch {
	case err != nil:
		return err
	case ok:
		return f.readGroups(groups)
	case whole:
		_, err = f.ofPart(f.beside.closing, t, l.part, key)
	}
	return err
}

// Close ends what makes indexes beside statements, and waits for it. It may be called more than once. What is asked for later is found
// without new ones.
func (f *Finder) Close() {
	f.mu.Lock()
	f.beside.closed = true
	f.mu.Unlock()
	f.beside.close()
	f.beside.running.Wait()
}
