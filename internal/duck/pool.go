package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Pool lends connections to queries. It opens them as they are needed. There are places for a
// number of queries; past it, a query waits for a place or for the end of its context. See turns.go
// for who gets a place that becomes free.
//
// Two kinds of queries give their place to the next one while they keep their connection: those
// that only wait for the reader of their result (Yield), and those that go on for a while after
// their context ended, because DuckDB is where no interrupt reaches it. There are at most as many
// of them as there are places.
type Pool struct {
	inst  *Instance
	limit int

	mu      sync.Mutex
	turns   turns   // guarded by mu
	outside int     // queries that gave their place away; guarded by mu
	idle    []*Conn // guarded by mu, all of one database; the last used is handed out first: its caches are warm
	closed  bool    // guarded by mu
}

// NewPool returns a pool of connections of an instance, for limit queries at once.
func NewPool(inst *Instance, limit int) *Pool {
	return &Pool{inst: inst, limit: limit, turns: turns{free: limit, lent: map[asker]int{}}}
}

// Waiting returns how many queries wait for a connection.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.turns.waiting)
}

// Acquire returns a connection that nobody else uses, for as long as the context lasts. Give it back with Release.
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

// enter takes a place.
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

// connection returns one that nobody uses.
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

// Wanted reports whether queries wait for a place.
func (p *Pool) Wanted() bool { return p.Waiting() > 0 }

// Yield lets another query begin before this connection is given back: its own only waits for who
// reads the result, since that time. As many connections may yield as there are places. After that
// it keeps its place for a moment, in which a small result can be computed; then, while others
// wait, Yield returns a Timeout error: the query should end.
func (p *Pool) Yield(c *Conn, since time.Time) error {
	if c.place.leave() || time.Since(since) < yieldWithin || !p.Wanted() {
		return nil
	}
	return base.Errorf(base.Timeout, "the client takes its result too slowly, and other queries wait for the place of this one").
		WithHint("read the result without pauses, ask for less at a time, or raise max_queries")
}

// yieldWithin is how long a query whose reader is slow may keep its place while others wait for it.
const yieldWithin = 200 * time.Millisecond

// Release gives a connection back. Its result must be closed.
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

// Abandon has Release close the connection: something is left on it that nobody else may see.
func (c *Conn) Abandon() { c.left = true }

// dropFailed closes the connections whose database failed.
func dropFailed(idle *[]*Conn) {
	if n := len(*idle); n == 0 || !(*idle)[0].db.failed.Load() {
		return
	}
	for _, c := range *idle {
		c.Close()
	}
	*idle = nil
}

// Close closes the idle connections; those that are lent close when they come back.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.Close()
	}
	p.idle = nil
}
