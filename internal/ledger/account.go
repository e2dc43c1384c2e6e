package ledger

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Account is a part of the memory of the process with a limit. Its methods may be called
// concurrently. All sizes are in bytes.
type Account struct {
	name   string // path from the root of its tree, such as "rows/patches"
	parent *Account
	tree   *tree
	queue  *queue
	limit  int64
	// share is not nil for a cache, whose memory is only charged. It returns the present limit,
	// which depends on the use of other accounts.
	share func() int64

	used, peak, waited atomic.Int64 // waited is a time in nanoseconds
	refused            atomic.Int64
}

// tree has what the accounts of one tree share. Changes of their figures happen under its lock, so
// that memory is never reserved in an account and not in the accounts above it.
type tree struct {
	mu       sync.Mutex
	accounts []*Account
	queues   []*queue
}

// Wait says how a caller waits for memory.
type Wait struct {
	// Most is the maximum time of the wait. The default 0 means that only the context limits it.
	Most time.Duration
	// After replaces time.After in tests.
	After func(time.Duration) <-chan time.Time
	// Begins is called once, before the wait, if the memory is not free. It may be nil.
	Begins func()
}

// ErrBusy says that the memory of an account did not become free within the time that a caller
// waits, or that waiting could have been a deadlock.
var ErrBusy = base.Errorf(base.Unavailable, "no memory is free at the moment").WithHint("retry after a second")

// NewAccount returns the root account of a new tree.
func NewAccount(name string, limit int64) *Account {
	a := &Account{name: name, tree: &tree{}, queue: &queue{}, limit: limit}
	a.tree.accounts, a.tree.queues = []*Account{a}, []*queue{a.queue}
	return a
}

// NewCache returns the root account of a cache. The function limit returns its present limit. It
// must not use the account.
func NewCache(name string, limit func() int64) *Account {
	a := NewAccount(name, 0)
	a.share = limit
	return a
}

// below returns a new account below a that has a limit and a queue of its own.
func (a *Account) below(name string, limit int64) *Account {
	child := a.Child(name)
	child.limit, child.queue = limit, &queue{}
	a.tree.queues = append(a.tree.queues, child.queue)
	return child
}

// Child returns a new account below a that has the limit of a and shares its queue: callers that
// wait for a or one of its children are served in the order in which they came. The caller calls
// Close when nothing is reserved in the child any more.
func (a *Account) Child(name string) *Account {
	child := &Account{name: a.name + "/" + name, parent: a, tree: a.tree, queue: a.queue, limit: a.limit}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.tree.accounts = append(a.tree.accounts, child)
	return child
}

// Close removes an account that Child returned.
func (a *Account) Close() {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.tree.accounts = slices.DeleteFunc(a.tree.accounts, func(other *Account) bool { return other == a })
}

// Limit returns how much memory the account may hold at the moment.
func (a *Account) Limit() int64 {
	if a.share != nil {
		return a.share()
	}
	return a.limit
}

// Used returns how much memory is reserved in the account.
func (a *Account) Used() int64 { return a.used.Load() }

// Excess returns by how much the account exceeds its limit. It is 0 or negative if it does not.
func (a *Account) Excess() int64 { return a.Used() - a.Limit() }

// Waiting reports whether a caller waits for memory of the account.
func (a *Account) Waiting() bool {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	return !a.queue.empty()
}

// Try reserves n bytes if they are free and no caller waits for the account. Otherwise ok is false.
// If n exceeds the limit of the account, the error is TooLarge.
func (a *Account) Try(n int64) (ok bool, err error) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	if err := a.check(n); err != nil {
		return false, err
	}
	return a.queue.empty() && a.take(n, nil), nil
}

// TryGrow reserves n bytes if they are free. It is for callers that hold memory of the account, and
// so it is not stopped by callers that wait and hold none.
func (a *Account) TryGrow(n int64) bool {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	return a.take(n, nil)
}

// Reserve reserves n bytes, and waits until they are free. Callers are served in the order in which
// they came. Errors: TooLarge if n exceeds the limit of the account, ErrBusy, and that of the
// context.
func (a *Account) Reserve(ctx context.Context, n int64, w Wait) error {
	return a.wait(ctx, &waiter{account: a, bytes: n}, w)
}

// Grow reserves n more bytes for a caller that already holds memory of the account. The argument
// held is how many bytes it holds. Grow waits until n bytes are free. Callers of Grow are served
// before callers of Reserve, because they release all of their memory when they are done.
//
// Waiting callers of Grow can be in a deadlock: each waits for memory that only the others could
// release. Grow finds out whether there is an order in which all of them can be served, one after
// the other (the safety check of the banker's algorithm). If there is none, it returns ErrBusy
// without waiting. Other errors are those of Reserve. If held is 0, Grow does what Reserve does.
func (a *Account) Grow(ctx context.Context, held, n int64, w Wait) error {
	return a.wait(ctx, &waiter{account: a, held: held, bytes: n}, w)
}

// Transfer counts n bytes of a in the account to from now on, and waits until they fit there. Both
// accounts must belong to one tree. The errors are those of Reserve; after an error a still has the
// bytes.
func (a *Account) Transfer(ctx context.Context, n int64, to *Account, w Wait) error {
	return to.wait(ctx, &waiter{account: to, from: a, bytes: n}, w)
}

// Charge counts n bytes that are in use already. The account may exceed its limit afterwards.
func (a *Account) Charge(n int64) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.add(n, nil)
}

// Observe says that n bytes of the account are in use, those of accounts below it included. It is
// for memory that is neither reserved nor charged when it is allocated.
func (a *Account) Observe(n int64) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.add(n-a.Used(), nil)
	a.tree.serve()
}

// Release gives n bytes back, and serves waiting callers.
func (a *Account) Release(n int64) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.add(-n, nil)
	a.tree.serve()
}

// Move counts n bytes of a in another account from now on, even above the limit of that account. If
// the accounts belong to two trees, both count the bytes for a moment.
func (a *Account) Move(n int64, to *Account) {
	if a.tree != to.tree {
		to.Charge(n)
		a.Release(n)
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	to.add(n, a.common(to))
	a.add(-n, a.common(to))
	a.tree.serve()
}

// check returns an error if the account can never have n bytes.
func (a *Account) check(n int64) error {
	if n <= a.limit {
		return nil
	}
	return base.Errorf(base.TooLarge, "a request for %d bytes of memory: the limit of %s is %d bytes", n, a.name, a.limit).
		WithHint("send smaller requests, or raise the setting memory")
}

// take reserves n bytes in a and in the accounts above it, and reports whether they are free there.
// It goes up to the account end, which is left out; nil means up to the root. The caller holds the
// lock of the tree.
func (a *Account) take(n int64, end *Account) bool {
	for each := a; each != end; each = each.parent {
		if each.used.Load()+n > each.limit {
			return false
		}
	}
	a.add(n, end)
	return true
}

// add counts n bytes, which may be negative, in a and in the accounts above it. It goes up to the
// account end, which is left out; nil means up to the root. The caller holds the lock of the tree.
func (a *Account) add(n int64, end *Account) {
	for each := a; each != end; each = each.parent {
		if used := each.used.Add(n); used > each.peak.Load() {
			each.peak.Store(used)
		}
	}
}

// common returns the lowest account that counts the memory of both a and b, or nil.
func (a *Account) common(b *Account) *Account {
	for up := a; up != nil; up = up.parent {
		for other := b; other != nil; other = other.parent {
			if up == other {
				return up
			}
		}
	}
	return nil
}
