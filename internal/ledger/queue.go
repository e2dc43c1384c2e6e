package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// queue has the callers that wait for memory of an account. The lock of the account's tree guards
// it.
type queue struct {
	holders   []*waiter // callers that hold memory of the account and wait for more
	newcomers []*waiter // callers that hold none
}

// waiter is a caller that waits for memory.
type waiter struct {
	account     *Account
	from        *Account // the account that has the bytes at present, or nil
	held, bytes int64    // held: how much memory of the account the caller has already
	served      chan struct{}
}

func (q *queue) empty() bool { return len(q.holders)+len(q.newcomers) == 0 }

// waiting returns how many callers wait for memory of the account. The caller holds the lock of the
// tree.
func (a *Account) waiting() (n int) {
	for _, w := range slices.Concat(a.queue.holders, a.queue.newcomers) {
		if w.account == a {
			n++
		}
	}
	return n
}

// wait takes the memory that w wants, or waits until it is free.
func (a *Account) wait(ctx context.Context, w *waiter, how Wait) error {
	served, err := a.enqueue(w)
	switch {
	case err != nil:
		a.refused.Add(1)
		return err
	case served:
		return nil
	}
	if how.Begins != nil {
		how.Begins()
	}
	began := time.Now()
	defer func() { a.waited.Add(int64(time.Since(began))) }()
	select {
	case <-w.served:
		return nil
	case <-ctx.Done():
		err = base.Wrap(ctx.Err(), "wait for memory")
	case <-how.timeout():
		err = ErrBusy
	}
	if a.dequeue(w) {
		return nil
	}
	a.refused.Add(1)
	return err
}

// timeout returns a channel that receives a value when the wait has lasted too long.
func (w Wait) timeout() <-chan time.Time {
	switch {
	case w.Most == 0:
		return nil
	case w.After != nil:
		return w.After(w.Most)
	default:
		return time.After(w.Most)
	}
}

// enqueue takes the memory that w wants, if it is free and no other caller comes first. Otherwise
// it puts w into the queue, unless waiting could be a deadlock.
func (a *Account) enqueue(w *waiter) (served bool, err error) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	if err := a.check(w.held + w.bytes); err != nil {
		return false, err
	}
	q := a.queue
	if (w.held > 0 || q.empty()) && w.take() {
		return true, nil
	}
	switch {
	case w.held == 0:
		q.newcomers = append(q.newcomers, w)
	case a.wouldDeadlock(w):
		return false, ErrBusy
	default:
		q.holders = append(q.holders, w)
	}
	w.served = make(chan struct{})
	return false, nil
}

// dequeue removes w from the queue. It returns true if w has got its memory already.
func (a *Account) dequeue(w *waiter) (served bool) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	select {
	case <-w.served:
		return true
	default:
	}
	is := func(other *waiter) bool { return other == w }
	a.queue.holders = slices.DeleteFunc(a.queue.holders, is)
	a.queue.newcomers = slices.DeleteFunc(a.queue.newcomers, is)
	a.tree.serve() // smaller requests that waited behind w may get their memory now
	return false
}

// wouldDeadlock reports whether w could be in a deadlock with the callers that hold memory of the
// account and wait for more. They are in a deadlock if at some point none of them can be served
// before another one releases its memory. The caller holds the lock of the tree.
func (a *Account) wouldDeadlock(w *waiter) bool {
	all := append(slices.Clone(a.queue.holders), w)
	slices.SortFunc(all, func(a, b *waiter) int { return cmp.Compare(a.bytes, b.bytes) })
	free := a.limit
	for _, w := range all {
		free -= w.held
	}
	for _, w := range all {
		if w.bytes > free {
			return true
		}
		free += w.held
	}
	return false
}

// serve serves waiting callers of all accounts of the tree while memory is free. It serves callers
// that hold memory before those that hold none. The caller holds the lock of the tree.
func (t *tree) serve() {
	for _, q := range t.queues {
		q.holders = slices.DeleteFunc(q.holders, (*waiter).serve)
		for len(q.holders) == 0 && len(q.newcomers) > 0 && q.newcomers[0].serve() {
			q.newcomers = q.newcomers[1:]
		}
	}
}

// serve takes the memory that w wants and notifies its caller. It returns false if the memory is
// not free. The caller holds the lock of the tree.
func (w *waiter) serve() bool {
	if !w.take() {
		return false
	}
	close(w.served)
	return true
}

// take takes the memory that w wants, and reports whether it was free. The caller holds the lock of
// the tree.
func (w *waiter) take() bool {
	if w.from == nil {
		return w.account.take(w.bytes, nil)
	}
	common := w.account.common(w.from)
	if !w.account.take(w.bytes, common) {
		return false
	}
	w.from.add(-w.bytes, common)
	return true
}
