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

// How indexes are built in the background. Building the index of a part takes several times as long
// as a query for one of its keys. So the method All does not build it, and the statement runs a
// query instead. When All needs the same missing index for the second time, that index is built in
// the background. If All would have to read too many row groups, these are read in the background
// after the first time already.
//
// While the builder works on a part, it keeps the part's file, even if the part is merged or
// dropped. It does not hold the statement's snapshot, because a snapshot keeps the memory of rows
// for which writers may wait.
//
// A single goroutine builds what one statement needed, part by part. While it works, it ignores the
// requests of other statements. Statements that run later make these requests again. So the builder
// occupies only one processor, and needs the memory for building only one index at a time.

// indexBuilder builds indexes of parts in the background.
type indexBuilder struct {
	failed  func(error)
	closing context.Context // context that Close cancels
	close   context.CancelFunc
	running sync.WaitGroup
	busy    bool // whether the builder is running; guarded by Finder.mu
	closed  bool // whether Close was called; guarded by Finder.mu
}

// retryAfter is how long the builder leaves out a part after it could not build the part's index.
// Some failures, such as a lack of memory, are temporary, so the builder tries again. It does not
// try immediately, so that a permanent failure is not reported with every statement.
const retryAfter = time.Minute

// lack is a part in which a key cannot be looked up without building the part's index or reading
// row groups.
type lack struct {
	entry *rowset
	part  *catalog.Part
	again bool // whether an earlier call of All needed the part's index, too
}

// want starts the builder in the background, unless it is running already. The argument lacking has
// parts in which the key cannot be looked up yet. The builder prepares them, so that this is
// possible later.
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
	if len(due) == 0 || f.builder.busy || f.builder.closed {
		return
	}
	f.builder.busy = true
	rows, stored := t.Rows(), *t
	stored.Memtables = nil
	f.builder.running.Go(func() { f.buildInBackground(&stored, rows, due, key, values) })
}

// buildInBackground prepares parts of a table (lacking) for lookups of a key: it builds their
// indexes, or reads their row groups. The argument rows is the total number of rows of the table.
// The file of a part is kept from being removed only while makeIndex works on that part.
func (f *Finder) buildInBackground(t *snapshot.Table, rows int64, lacking []lack, key []base.ColumnID, values []arrow.Array) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.builder.busy = false
	}()
	for _, l := range lacking {
		// Whole indexes are built only if the indexes of all parts fit into memory together.
		// Otherwise they would evict each other.
		err := f.makeIndex(t, l, l.again && rows*entryBytes <= f.memory.Limit(), key, values)
		if f.builder.closing.Err() != nil {
			return
		}
		if err == nil {
			continue
		}
		f.mu.Lock()
		l.entry.failed = time.Now()
		f.mu.Unlock()
		f.builder.failed(base.Wrap(err, "table %s: part %d", t.Schema.QualifiedName(), l.part.ID))
	}
}

// makeIndex prepares one part for lookups of a key. It caches the numbers of the row groups that
// may have the key. If that is not possible and the argument whole is true, it builds the index of
// the whole part. If the table does not have the part any more, it does nothing.
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
		_, err = f.ofPart(f.builder.closing, t, l.part, key)
	}
	return err
}

// Close stops the background builder and waits until it has ended. It may be called more than once.
// The method All still works afterwards, but no new indexes are built in the background.
func (f *Finder) Close() {
	f.mu.Lock()
	f.builder.closed = true
	f.mu.Unlock()
	f.builder.close()
	f.builder.running.Wait()
}
