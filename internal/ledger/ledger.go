package ledger

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Ledger has the accounts of the process. All sizes are in bytes.
type Ledger struct {
	limits Limits

	// Rows counts the memory of rows that are not in a part, and of changes of rows. Patches is
	// below it and counts only the changes. Memory of changes is charged, not reserved, because the
	// engine checks before whether a change fits.
	Rows, Patches *Account
	// Bodies counts the memory of the bodies and decoded rows of running requests. Locked is below
	// it and counts only requests that wait for a table lock: at most half. Texts counts large
	// texts of SQL.
	Bodies, Locked, Texts *Account
	// Streams counts the memory of records that were read from Kafka and are not stored. Each
	// source has a child account below it.
	Streams *Account
	// Work counts the memory of merges, of sorts, and of searches for equal keys.
	Work *Account
	// Columns, Changed and Keys count the memory of caches: of column chunks, of values of changed
	// rows, and of indexes of keys.
	Columns, Changed, Keys *Account
	// Queries counts all memory that DuckDB holds. Freed is below it and counts only memory that
	// DuckDB does not use any more, but that its allocator has not given back to the system.
	Queries, Freed *Account
	// Results is for the buffers of results on their way to clients.
	Results *Account

	roots  []*Account
	caches *Account

	mu    sync.Mutex
	trims []func() // guarded by mu
}

// shares of the caches in what all caches together may take, in percent
const (
	columnsShare = 15
	changedShare = 25
	keysShare    = 60
)

// unlent says how much of the memory of other accounts caches never borrow: 1/unlent of the memory
// of the process. It is for sudden reservations, because caches are trimmed some time after them.
const unlent = 16

// DefaultMemory is the most memory in bytes that a process takes if the user does not say more.
const DefaultMemory = 7 << 30

// Default returns the ledger of a process that takes DefaultMemory.
func Default() *Ledger {
	limits, err := Divide(DefaultMemory, Fixed{})
	if err != nil {
		panic("ledger: the default memory is too low: " + err.Error())
	}
	return New(limits)
}

// New returns a ledger with these limits.
func New(limits Limits) *Ledger {
	l := &Ledger{limits: limits}
	l.Rows = l.root("rows", limits.Rows)
	l.Patches = l.Rows.below("patches", limits.Rows/2)
	requests := l.root("requests", limits.Requests)
	l.Bodies = requests.below("bodies", limits.Requests*3/4)
	l.Locked = l.Bodies.below("locked", limits.Requests*3/8)
	l.Texts = requests.below("texts", limits.Requests/4)
	l.Streams = l.root("streams", limits.Streams)
	l.Work = l.root("work", limits.Work)
	l.caches = NewCache("caches", l.lendable)
	l.roots = append(l.roots, l.caches)
	l.Columns, l.Changed, l.Keys = l.cache("columns", columnsShare), l.cache("changed", changedShare), l.cache("keys", keysShare)
	l.Queries = l.root("queries", limits.Queries)
	l.Freed = l.Queries.below("freed", limits.Queries)
	l.Results = l.root("results", limits.Results)
	return l
}

func (l *Ledger) root(name string, limit int64) *Account {
	a := NewAccount(name, limit)
	l.roots = append(l.roots, a)
	return a
}

// cache returns the account of a cache that may take a share, in percent, of what all caches may
// take.
func (l *Ledger) cache(name string, share int64) *Account {
	a := l.caches.below(name, 0)
	a.share = func() int64 { return l.lendable() * share / 100 }
	return a
}

// lendable returns how much all caches together may take at present: their own limit, and what
// other accounts leave unused. DuckDB takes memory without asking, so caches do not use its share.
func (l *Ledger) lendable() int64 {
	unused := -l.limits.Memory / unlent
	for _, a := range []*Account{l.Rows, l.Bodies.parent, l.Streams, l.Work} {
		unused += max(a.limit-a.Used(), 0)
	}
	return l.limits.Caches + max(unused, 0)
}

// Heap returns how many bytes the accounts hold on Go's heap. The other accounts have memory that
// the operating system maps (rows) and memory of DuckDB.
func (l *Ledger) Heap() int64 {
	heap := l.Patches.Used()
	for _, a := range []*Account{l.Bodies.parent, l.Streams, l.Work, l.caches, l.Results} {
		heap += a.Used()
	}
	return heap
}

// OnTrim adds a function that removes entries of a cache until its account does not exceed its
// limit.
func (l *Ledger) OnTrim(trim func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trims = append(l.trims, trim)
}

// Trim makes caches give back memory that other accounts need. A server calls it several times a
// second.
func (l *Ledger) Trim() {
	l.mu.Lock()
	trims := slices.Clone(l.trims)
	l.mu.Unlock()
	for _, trim := range trims {
		trim()
	}
}

// Limits returns the limits of the accounts.
func (l *Ledger) Limits() Limits { return l.limits }

// NoLimit is the limit of memory that no account counts.
const NoLimit = -1

// Stats are figures of an account, for system tables and metrics. All sizes are in bytes.
type Stats struct {
	Account           string // path of the account, such as "requests/bodies"
	Parent            string // path of the account above it, or empty
	Used, Limit, Peak int64
	Waiting           int           // callers that wait for memory of the account
	Waited            time.Duration // time that callers have waited in all
	Refused           int64         // callers that did not get memory
}

// Stats returns the figures of all accounts, sorted by name.
func (l *Ledger) Stats() (all []Stats) {
	for _, root := range l.roots {
		all = append(all, root.stats()...)
	}
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Compare(a.Account, b.Account) })
	return all
}

func (a *Account) stats() (all []Stats) {
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	for _, each := range a.tree.accounts {
		parent := ""
		if each.parent != nil {
			parent = each.parent.name
		}
		all = append(all, Stats{
			Account: each.name, Parent: parent, Used: each.Used(), Limit: each.Limit(), Peak: each.peak.Load(),
			Waiting: each.waiting(), Waited: time.Duration(each.waited.Load()), Refused: each.refused.Load(),
		})
	}
	return all
}
