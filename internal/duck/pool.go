package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Pool lends connections to queries. It opens connections as they are needed. It has a limited
// number of slots, one for each lent connection. Further queries wait for a slot, or until their
// context ends. See turns.go for the order in which they get slots.
//
// Two kinds of queries give up their slot while they keep their connection:
//   - queries that only wait for the reader of their result (Yield), and
//   - queries that continue for a while after their context has ended, because DuckDB cannot be
//     interrupted at that point.
//
// There are at most as many of these as there are slots.
type Pool struct {
	inst  *Instance
	limit int

	mu      sync.Mutex
	turns   turns // the waiting queries and those with slots; guarded by mu
	outside int   // number of queries that gave up their slot and still run; guarded by mu
	// idle are the connections that are not lent, all of the same database; guarded by mu. The last
	// one used is lent first, because its caches are warm.
	idle   []*Conn
	closed bool // guarded by mu
}

// NewPool returns a pool of connections of an instance, with limit slots.
func NewPool(inst *Instance, limit int) *Pool {
	return &Pool{inst: inst, limit: limit, turns: turns{free: limit, lent: map[asker]int{}}}
}

// Waiting returns how many queries are waiting for a slot.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns.waiting)
}

// Acquire returns a connection for exclusive use until ctx ends. The caller must return it with
// Release.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	who := askerOf(ctx)
	if err := p.enter(ctx, who); err != nil {
		return nil, err
	}
	c, err := p.connection()
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.turns.returned(who)
		p.turns.pass()
		return nil, err
	}
	c.lent = ctx
	c.place = newPlace(ctx, p, who)
	return c, nil
}

// enter takes a slot, and waits for one if necessary. who is the client and request that the query
// is for.
func (p *Pool) enter(ctx context.Context, who asker) error {
	p.mu.Lock()
	t := p.turns.take(who)
	p.mu.Unlock()
	if t == nil {
		return nil
	}
	select {
	case <-t.come:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns.giveUp(t)
	return base.Errorf(base.KindOf(ctx.Err()), "%d queries run already; the request waited in vain: %w", p.limit, ctx.Err())
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

// Wanted reports whether queries are waiting for a slot.
func (p *Pool) Wanted() bool { return p.Waiting() > 0 }

// Yield gives up the slot of a lent connection, so that another query can begin. The caller's query
// has only been waiting for the reader of its result, since the given time. At most as many
// connections may be without a slot as there are slots.
//
// If no further connection may yield, the query keeps its slot for yieldWithin, in which a small
// result can be computed. After that, Yield returns a Timeout error if other queries are waiting:
// the caller should end its query.
func (p *Pool) Yield(c *Conn, since time.Time) error {
	if c.place.leave() || time.Since(since) < yieldWithin || !p.Wanted() {
		return nil
	}
	return base.Errorf(base.Timeout, "the client takes its result too slowly, and other queries wait for the place of this one").
		WithHint("read the result without pauses, ask for less at a time, or raise max_queries")
}

// yieldWithin is how long a query may keep its slot while it waits for the reader of its result and
// other queries wait for slots.
const yieldWithin = 200 * time.Millisecond

// Release returns a connection to the pool. The result of its last query must be closed.
func (p *Pool) Release(c *Conn) {
	held := c.place
	c.lent, c.place = context.Background(), nil
	p.mu.Lock()
	dropFailed(&p.idle)
	keep := !p.closed && !c.left && !c.db.failed.Load()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.Close()
	}
	held.giveBack()
}

// Abandon makes Release close the connection instead of lending it again. It is for a connection
// with state that other queries must not see.
func (c *Conn) Abandon() { c.left = true }

// dropFailed closes the idle connections if their database has failed, and empties the list.
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
