package duck

import (
	"context"
	"time"
)

// overtime is how long a query may keep its slot after its context has ended.
const overtime = 2 * time.Second

// place is the slot that a lent connection has in its pool. A query that gave up its slot and still
// runs is called outside.
type place struct {
	pool   *Pool
	who    asker
	unhook func() bool // stops waiting for the end of the query's context
	left   bool        // the slot was given up; guarded by the pool's mu
	over   bool        // the connection was released; guarded by the pool's mu
}

func newPlace(ctx context.Context, p *Pool, who asker) *place {
	h := &place{pool: p, who: who}
	h.unhook = context.AfterFunc(ctx, func() {
		time.Sleep(overtime)
		h.leave()
	})
	return h
}

// leave gives up the slot, so that another query can have it, unless too many queries already gave
// up theirs. It reports whether the slot was given up.
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
