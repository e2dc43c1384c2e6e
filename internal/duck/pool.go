package duck

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// Pool lends connections to queries. It opens them as they are needed, up to a limit;
// past it, a query waits for a connection or for its context.
//
// Two kinds of queries give their place to the next one while they keep their connection: those
// that only wait for the reader of their result (Yield), and those that go on for a while after
// their context ended, because DuckDB is where no interrupt reaches it. There are at most as many
// of them as there are places.
type Pool struct {
	inst    *Instance
	slots   chan struct{}
	outside chan struct{} // one for each connection that is lent without a slot

	waiting atomic.Int64

	mu     sync.Mutex
	idle   []*Conn // guarded by mu, all of one database; the last used is handed out first: its caches are warm
	closed bool    // guarded by mu
}

// NewPool returns a pool of at most limit connections of an instance.
func NewPool(inst *Instance, limit int) *Pool {
	return &Pool{inst: inst, slots: make(chan struct{}, limit), outside: make(chan struct{}, limit)}
}

// Waiting returns how many wait for a connection.
func (p *Pool) Waiting() int { return int(p.waiting.Load()) }

// Acquire returns a connection that nobody else uses, for as long as the context lasts. Give it back with Release.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	c, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	c.lent = ctx
	c.place = newPlace(ctx, p)
	return c, nil
}

func (p *Pool) acquire(ctx context.Context) (*Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		p.waiting.Add(1)
		select {
		case p.slots <- struct{}{}:
			p.waiting.Add(-1)
		case <-ctx.Done():
			p.waiting.Add(-1)
			return nil, base.Errorf(base.KindOf(ctx.Err()), "%d queries run already; the request waited in vain: %w", cap(p.slots), ctx.Err())
		}
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		<-p.slots
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
	c, err := p.inst.Connect()
	if err != nil {
		<-p.slots
		return nil, err
	}
	return c, nil
}

// Yield lets another query begin before this connection is given back: its own only waits for who reads
// the result. As many connections may yield as there are slots; after that it does nothing.
func (p *Pool) Yield(c *Conn) { c.place.leave() }

// Release gives a connection back. Its result must be closed.
func (p *Pool) Release(c *Conn) {
	held := c.place
	c.lent, c.place = context.Background(), nil
	p.mu.Lock()
	dropFailed(&p.idle)
	keep := !p.closed && !c.db.failed.Load()
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.Close()
	}
	held.giveBack()
}

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
