package duck

import (
	"context"
	"time"
)

// slotGrace is how long a query may keep its slot (its right to run as one of max_queries) after
// its context has ended.
const slotGrace = 2 * time.Second

// slot is the right of one query to run, which a lent connection has. A pool gives a limited number
// of slots.
type slot struct {
	pool     *Pool
	who      requester
	unhook   func() bool // stops waiting for the end of the query's context
	givenUp  bool        // whether the slot was given up; guarded by the pool's mu
	released bool        // whether the connection was released; guarded by the pool's mu
}

func newSlot(ctx context.Context, p *Pool, who requester) *slot {
	h := &slot{pool: p, who: who}
	h.unhook = context.AfterFunc(ctx, func() {
		time.Sleep(slotGrace)
		h.giveUp()
	})
	return h
}

// giveUp gives up the slot (the right to run), so that another query can run, unless too many
// queries already gave up theirs. It reports whether the slot was given up.
func (h *slot) giveUp() bool {
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case h.givenUp || h.released:
		return true
	case p.withoutSlot == p.limit:
		return false
	}
	h.givenUp = true
	p.withoutSlot++
	p.slots.grantNext()
	return true
}

func (h *slot) release() {
	h.unhook()
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	h.released = true
	p.slots.released(h.who)
	if h.givenUp {
		p.withoutSlot--
	} else {
		p.slots.grantNext()
	}
}
