package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
)

// request is work for the committer. It is either rows to append and changes to commit, or an edit,
// which runs between two groups.
type request struct {
	// The following fields are for rows and changes.
	tables   []tableRows
	body     [][]byte
	encoded  []byte // encoded sections of the frame, see the method sections
	counts   Counts // part of the answer
	bytes    int64  // memory reserved in the budget for the body and the rows
	async    bool
	claim    *claim     // nil if there is no idempotency key
	progress *Progress  // nil if the rows are not from a source
	changes  *changeSet // nil if there are only rows to append
	// evolutions are schema changes that are made just before the rows are committed.
	evolutions []Evolution
	release    func() // releases what the request still owns; the committer calls it once

	edit func() error // edit to run; nil if the request has rows or changes

	done chan outcome // of size 1; receives the outcome
}

// newRequest returns a request for rows and changes, which the caller adds.
func newRequest(o AppendOptions) *request {
	return &request{async: o.Async, evolutions: o.Evolutions, progress: o.Progress, claim: o.claim, release: func() {}, done: make(chan outcome, 1)}
}

// empty reports whether there is nothing to commit: neither rows nor changes, nor an idempotency
// record or offsets to store.
func (r *request) empty() bool {
	return r.progress == nil && r.claim == nil && (r.changes == nil || !slices.ContainsFunc(r.changes.tables, (*tableChange).does)) &&
		!slices.ContainsFunc(r.tables, func(t tableRows) bool { return len(t.rows) > 0 })
}

// tableRows are the rows of one table in a request, as copies in the memtables' memory.
type tableRows struct {
	id      base.TableID
	version uint32 // schema version to which the rows conform
	rows    []*memtable.Rows
	charged int64
	// keys has hashes of the rows' primary keys if the table merges on read: see Change.Keys.
	keys []uint64
}

type outcome struct {
	seq base.Seq
	err error
}

// queue has the requests that wait for the committer. Its length needs no limit: each request for
// rows holds reserved memory, and each edit has a caller that waits for it.
type queue struct {
	mu      sync.Mutex
	pending []*request    // guarded by mu
	closed  bool          // guarded by mu
	wake    chan struct{} // of size 1; wakes the committer
}

// push adds a request. If the queue is closed, it returns an error, and the caller still owns the
// request.
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

// signal wakes the committer. The committer then looks for requests, and for writers that wait for
// memory.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next removes the next group from the queue and returns it. A group is one of these:
//   - appends and changes, up to maxBytes in total
//   - a single edit
//   - a single request with evolutions
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
		q.pending = nil // so that the array is freed
	}
	return group, q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// withdraw removes a request from the queue. If the committer has the request already, it returns
// false.
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
// state, makes the change durable, and publishes it. All changes but those of requests with rows
// are made this way. If ctx ends before the edit begins, the edit does not run. Once the edit runs,
// commit waits for its outcome, because callers clean up after an error.
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
