package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
)

// request is work for the committer. It is one of two things: rows to append and changes to commit
// together, or an edit, which runs between two groups of requests.
type request struct {
	// The fields from tables to release are for rows and changes.
	tables      []tableRows
	body        [][]byte
	encoded     []byte // encoded sections of the log frame, see the method sections
	counts      Counts // numbers of changed rows, for the answer
	bytes       int64  // bytes that the body and the rows have reserved
	async       bool
	idempotency *idempotencyRecord // idempotency record; nil if the request has no idempotency key
	progress    *Progress          // offsets of a source; nil if the rows are not from a source
	changes     *changeSet         // changes of existing rows; nil if there are only rows to append
	// evolutions are the schema changes that the committer makes just before it commits the rows.
	evolutions []Evolution
	release    func() // releases what the request still owns; the committer calls it once

	edit func() error // the edit to run; nil if the request has rows or changes

	done chan outcome // channel of capacity 1 that receives the outcome of the request
}

// newRequest returns a request without rows and changes, which the caller adds.
func newRequest(o AppendOptions) *request {
	return &request{async: o.Async, evolutions: o.Evolutions, progress: o.Progress, idempotency: o.idempotency, release: func() {}, done: make(chan outcome, 1)}
}

// empty reports whether the request has nothing to commit: no rows, no changes, no idempotency
// record and no offsets. A change of rows that a flush or merge has left out since its snapshot is
// not empty: the committer must refuse it if another change has deleted these rows.
func (r *request) empty() bool {
	changes := func(t *tableChange) bool { return t.hasEffect() || len(t.touched) > 0 }
	return r.progress == nil && r.idempotency == nil && (r.changes == nil || !slices.ContainsFunc(r.changes.tables, changes)) &&
		!slices.ContainsFunc(r.tables, func(t tableRows) bool { return len(t.rows) > 0 })
}

// tableRows are the rows that a request appends to one table. They are copies in the memtables'
// memory.
type tableRows struct {
	id       base.TableID
	version  uint32 // schema version to which the rows conform
	rows     []*memtable.Rows
	reserved int64
	// keys has hashes of the primary keys of the rows if the table merges on read: see Change.Keys.
	keys []uint64
}

type outcome struct {
	seq base.Seq
	err error
}

// queue has the requests that wait for the committer. Its length needs no limit: each request with
// rows holds reserved memory, and each edit has a caller that waits for it.
type queue struct {
	mu      sync.Mutex
	pending []*request    // the waiting requests, oldest first; guarded by mu
	closed  bool          // whether the queue is closed; guarded by mu
	wake    chan struct{} // channel of capacity 1 that wakes the committer
}

// push adds a request to the queue. If the queue is closed, it returns an error, and the caller
// still owns the request.
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

// signal wakes the committer. The committer then checks the queue for requests, and memory for
// writers that wait for memory.
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
		q.pending = nil // drop the array, so that its memory is freed
	}
	return group, q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// withdraw removes a request from the queue. If the committer has taken the request already, it
// returns false.
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

// commit runs an edit in the committer, between two groups of requests. The edit validates a change
// against the present state, makes it durable, and publishes it. All changes are made this way,
// except those of requests with rows. If ctx ends before the edit begins, the edit does not run.
// Once the edit runs, commit waits for its outcome, because callers clean up after an error.
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
