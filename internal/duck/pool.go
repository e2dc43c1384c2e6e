package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Pool lends connections to queries, and opens connections when they are needed. It has a limited
// number of slots (a slot is the right of one query to run), and a lent connection takes one. If
// there is no free slot, a query waits for one until its context ends. slotqueue.go decides in
// which order waiting queries get slots.
//
// Two kinds of queries give up their slot while they keep their connection:
//   - queries that only wait for the reader of their result (Yield), and
//   - queries that continue for a while after their context has ended, because DuckDB cannot be
//     interrupted at that point.
//
// There are at most as many of these queries as there are slots.
type Pool struct {
	inst  *Instance
	limit int

	mu          sync.Mutex
	slots       slotQueue // the order of waiting queries, and the queries with slots; guarded by mu
	withoutSlot int       // number of queries that gave up their slot and still run; guarded by mu
	// idle are the connections that are not lent. All of them belong to the same database. The one
	// that was used last is lent first, because its caches are warm. idle is guarded by mu.
	idle   []*Conn
	closed bool // guarded by mu
}

// NewPool returns a pool of connections of an instance. The argument limit is the number of its
// slots (a slot is the right of one query to run).
func NewPool(inst *Instance, limit int) *Pool {
	return &Pool{inst: inst, limit: limit, slots: slotQueue{free: limit, lent: map[requester]int{}}}
}

// Waiting returns how many queries are waiting for a slot (the right to run).
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.slots.waiting)
}

// Acquire returns a connection for exclusive use until ctx ends. The caller must return it with
// Release.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	who := requesterOf(ctx)
	if err := p.enter(ctx, who); err != nil {
		return nil, err
	}
	c, err := p.connection()
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.slots.released(who)
		p.slots.grantNext()
		return nil, err
	}
	c.planContext = ctx
	c.slot = newSlot(ctx, p, who)
	return c, nil
}

// enter takes a slot (the right to run a query), and waits for one if none is free. The argument
// who identifies the client and the request that the query is for.
func (p *Pool) enter(ctx context.Context, who requester) error {
	p.mu.Lock()
	t := p.slots.take(who)
	p.mu.Unlock()
	if t == nil {
		return nil
	}
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots.giveUp(t)
	return base.Errorf(base.KindOf(ctx.Err()), "%d queries run already, and none ended while the request waited: %w", p.limit, ctx.Err())
}

// connection returns an idle connection or a new one.
func (p *Pool) connection() (*Conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, base.Errorf(base.Unavailable, "the server is shutting down")
	}
	dropFailed(&p.idle)
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return p.inst.Connect()
}

// OthersWaiting reports whether queries are waiting for a slot (the right to run).
func (p *Pool) OthersWaiting() bool { return p.Waiting() > 0 }

// Yield gives up the slot of a lent connection (the right to run its query), so that another query
// can begin. The argument since is the time at which the caller's query began to wait for the
// reader of its result, with nothing else to do. At most as many connections may be without a slot
// as there are slots.
//
// If this number is reached, the query keeps its slot for the time yieldWithin, in which a small
// result can be computed. After that, Yield returns a Timeout error if other queries are waiting.
// The caller should then end its query.
func (p *Pool) Yield(c *Conn, since time.Time) error {
	if c.slot.giveUp() || time.Since(since) < yieldWithin || !p.OthersWaiting() {
		return nil
	}
	return base.Errorf(base.Timeout, "the client takes its result too slowly, and other queries wait for the place of this one").
		WithHint("read the result without pauses, ask for less at a time, or raise max_queries")
}

// yieldWithin is how long a query may keep its slot (its right to run) while two things are true:
// it only waits for the reader of its result, and other queries wait for slots.
const yieldWithin = 200 * time.Millisecond

// Release returns a connection to the pool. The result of its last query must be closed.
func (p *Pool) Release(c *Conn) {
	held := c.slot
	c.planContext, c.slot = context.Background(), nil
	p.mu.Lock()
	dropFailed(&p.idle)
	keep := !p.closed && !c.abandoned && !c.db.failed.Load()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.Close()
	}
	held.release()
}

// Abandon makes Release close the connection instead of lending it again. It is for a connection
// with state that other queries must not see, such as a temporary table.
func (c *Conn) Abandon() { c.abandoned = true }

// dropFailed closes the idle connections of a pool if their database has failed, and empties the
// list.
func dropFailed(idle *[]*Conn) {
	if n := len(*idle); n == 0 || !(*idle)[0].db.failed.Load() {
		return
	}
	for _, c := range *idle {
		c.Close()
	}
	*idle = nil
}

// Close closes the idle connections. Each lent connection is closed when it is released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.Close()
	}
	p.idle = nil
}
