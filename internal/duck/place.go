package duck

import (
	"context"
	"time"
)

// overtime is how long a query may keep its place after its context ended.
const overtime = 2 * time.Second

// place is a lent connection's place in its pool, or outside of it.
type place struct {
	pool   *Pool
	who    asker
	unhook func() bool // stops the wait for the end of the context
	left   bool        // guarded by the pool's mu
	over   bool        // guarded by the pool's mu: it is given back
}

func newPlace(ctx context.Context, p *Pool, who asker) *place {
	h := &place{pool: p, who: who}
	h.unhook = context.AfterFunc(ctx, func() {
		time.Sleep(overtime)
		h.leave()
	})
	return h
}

// leave frees the place for another query, if one more may be outside, and reports whether it is
// free.
func (h *place) leave() bool {
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case h.left || h.over:
		return true
	case p.outside == p.limit:
		return false
	}
	h.left = true
	p.outside++
	p.turns.pass()
	return true
}

func (h *place) giveBack() {
	h.unhook()
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	h.over = true
	p.turns.returned(h.who)
	if h.left {
		p.outside--
	} else {
		p.turns.pass()
	}
}
