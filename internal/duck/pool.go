package duck

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Pool lends connections to queries. It opens them as they are needed, up to a limit;
// past it, a query waits for a connection or for its context.
//
// A query that does not end within a while after its context did, since DuckDB is where no interrupt reaches it, gives its place to the
// next one, with another connection. There are at most as many of those as there are places.
type Pool struct {
	inst  *Instance
	slots chan struct{}
	stuck atomic.Int64 // queries that run without a place

	mu     sync.Mutex
	idle   []*Conn // guarded by mu, all of one database; the last used is handed out first: its caches are warm
	closed bool    // guarded by mu
}

// NewPool returns a pool of at most limit connections of an instance.
func NewPool(inst *Instance, limit int) *Pool {
	return &Pool{inst: inst, slots: make(chan struct{}, limit)}
}

// overtime is how long a query may keep its place after its context ended.
const overtime = 2 * time.Second

// Acquire returns a connection that nobody else uses, for as long as the context lasts. Give it back with Release.
func (p *Pool) Acquire(ctx context.Context) (*Conn, error) {
	c, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	c.lent = ctx
	c.place = p.take(ctx)
	return c, nil
}

// take returns a function that gives a place back, which happens by itself if it is not called in time.
func (p *Pool) take(ctx context.Context) (giveBack func()) {
	var place struct {
		sync.Mutex
		given, stuck bool
	}
	unhook := context.AfterFunc(ctx, func() {
		time.Sleep(overtime)
		place.Lock()
		defer place.Unlock()
		if !place.given && p.stuck.Add(1) <= int64(cap(p.slots)) {
			place.given, place.stuck = true, true
			<-p.slots
		} else if !place.given {
			p.stuck.Add(-1)
		}
	})
	return func() {
		unhook()
		place.Lock()
		defer place.Unlock()
		switch {
		case place.stuck:
			p.stuck.Add(-1)
		case !place.given:
			<-p.slots
		}
		place.given, place.stuck = true, false
	}
}

func (p *Pool) acquire(ctx context.Context) (*Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
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

// Release gives a connection back. Its result must be closed.
func (p *Pool) Release(c *Conn) {
	giveBack := c.place
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
	giveBack()
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
