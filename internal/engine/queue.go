package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
)

// request is work for the committer: rows to append and changes to commit, or an edit that runs
// between two groups.
type request struct {
	// For appends and changes.
	tables   []tableRows
	body     [][]byte
	encoded  []byte // the frame's sections, see the method sections
	counts   Counts // for the answer
	bytes    int64  // reserved in the budget, for the body and the memtables
	async    bool
	claim    *claim     // or nil
	progress *Progress  // or nil
	changes  *changeSet // or nil
	// evolutions are schema changes that take effect before the rows.
	evolutions []Evolution
	release    func() // frees what the request still owns; the committer calls it once

	edit func() error // the edit to run; nil for an append or change

	done chan outcome // of size 1
}

// newRequest returns a request without rows and changes.
func newRequest(o AppendOptions) *request {
	return &request{async: o.Async, evolutions: o.Evolutions, progress: o.Progress, claim: o.claim, release: func() {}, done: make(chan outcome, 1)}
}

// empty reports whether the request has no effect and stores nothing, neither an idempotency record
// nor offsets.
func (r *request) empty() bool {
	return r.progress == nil && r.claim == nil && (r.changes == nil || !slices.ContainsFunc(r.changes.tables, (*tableChange).does)) &&
		!slices.ContainsFunc(r.tables, func(t tableRows) bool { return len(t.rows) > 0 })
}

// tableRows are the rows of one table in a request.
type tableRows struct {
	id      base.TableID
	version uint32 // schema version of the rows
	rows    []*memtable.Rows
	charged int64
	// keys are hashes of the keys of appended rows, if the table merges on read: see Change.Keys.
	keys []uint64
}

type outcome struct {
	seq base.Seq
	err error
}

// queue has the requests that wait for the committer. It needs no limit: requests hold reserved
// memory, and each edit has a caller that waits for it.
type queue struct {
	mu      sync.Mutex
	pending []*request    // guarded by mu
	closed  bool          // guarded by mu
	wake    chan struct{} // of size 1
}

// push adds a request. If the queue is closed, the caller still owns the request.
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

// signal wakes the committer, to look at the queue and at writers that wait for memory.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next removes and returns the next group: appends and changes of up to maxBytes, or a single edit,
// or a single request with evolutions.
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
		q.pending = nil // frees the array
	}
	return group, q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// withdraw removes a request from the queue. It returns false if the committer has the request
// already.
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

// commit runs an edit in the committer, between two groups. The edit validates against the present
// state, makes the change durable, and publishes it. All changes that are not requests with rows
// use it. If ctx ends before the edit begins, the edit does not run. Once it runs, commit waits for
// its outcome, because callers clean up after an error.
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
