package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
)

// request is what waits for the committer: rows to append, or an edit to run between two
// groups.
type request struct {
	// Of an append.
	tables   []tableRows
	body     [][]byte
	encoded  []byte // see sections
	counts   Counts // what the answer says
	bytes    int64  // reserved of the budget, for the body and what the memtables are charged
	async    bool
	claim    *claim     // or nil
	progress *Progress  // or nil
	changes  *changeSet // or nil
	// evolutions are what tables become before the rows come.
	evolutions []Evolution
	release    func() // what is not handed on is given back; called by the committer, once

	edit func() error // of an edit; nil for an append

	done chan outcome // of size 1
}

// newRequest returns a request that does nothing yet.
func newRequest(o AppendOptions) *request {
	return &request{async: o.Async, evolutions: o.Evolutions, progress: o.Progress, claim: o.claim, release: func() {}, done: make(chan outcome, 1)}
}

// empty reports whether there is nothing to do, not even to remember the answer.
func (r *request) empty() bool {
	return r.progress == nil && r.claim == nil && (r.changes == nil || !slices.ContainsFunc(r.changes.tables, (*tableChange).does)) &&
		!slices.ContainsFunc(r.tables, func(t tableRows) bool { return len(t.rows) > 0 })
}

// tableRows are the rows of one table in a request.
type tableRows struct {
	id      base.TableID
	version uint32 // of the schema that the rows conform to
	rows    []*memtable.Rows
	charged int64
	keys    []uint64 // of rows that are appended to a table which merges on read: see Change.Keys
}

type outcome struct {
	seq base.Seq
	err error
}

// queue is the line before the committer. It needs no limit of its own: requests hold
// reserved memory, and edits have a caller each that waits.
type queue struct {
	mu      sync.Mutex
	pending []*request    // guarded by mu
	closed  bool          // guarded by mu
	wake    chan struct{} // of size 1
}

// push puts a request in line. If the queue is closed the request remains the caller's.
func (q *queue) push(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.pending = append(q.pending, r)
	q.signal()
	return nil
}

// signal has the committer look again: at the line, and whether writers wait for memory.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next takes the next group: appends of up to maxBytes, or one edit or append that brings a schema.
func (q *queue) next(maxBytes int64) (group []*request, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, bytes := 0, int64(0)
	for n < len(q.pending) && q.pending[n].edit == nil && len(q.pending[n].evolutions) == 0 && (n == 0 || bytes+q.pending[n].bytes <= maxBytes) {
		bytes += q.pending[n].bytes
		n++
	}
	if n == 0 && len(q.pending) > 0 {
		n = 1
	}
	group = q.pending[:n:n]
	if q.pending = q.pending[n:]; len(q.pending) == 0 {
		q.pending = nil // so that the array does not only grow
	}
	return group, q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// withdraw takes a request out of the line; false if the committer has it already.
func (q *queue) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.pending, r)
	if i < 0 {
		return false
	}
	q.pending = slices.Delete(q.pending, i, i+1)
	return true
}

// commit runs an edit in the committer, between two groups of appends: it validates
// against what is current, makes the change durable, and publishes it. It is the one door
// for changes that are not appends. If ctx ends before the edit's turn, it does not
// happen; once it runs, its outcome is waited for, because callers tidy up after an error.
func (e *Engine) commit(ctx context.Context, edit func() error) error {
	r := &request{edit: edit, done: make(chan outcome, 1)}
	if err := e.queue.push(r); err != nil {
		return err
	}
	select {
	case o := <-r.done:
		return o.err
	case <-ctx.Done():
		if e.queue.withdraw(r) {
			return base.Wrap(ctx.Err(), "wait for other changes")
		}
		return (<-r.done).err
	}
}
