package duck

import (
	"context"
	"sync"
	"time"
)

// overtime is how long a query may keep its place after its context ended.
const overtime = 2 * time.Second

// place is a lent connection's place in its pool: one of the slots, or one outside of them.
type place struct {
	pool   *Pool
	unhook func() bool // stops the wait for the end of the context

	mu    sync.Mutex
	holds chan struct{} // guarded by mu; nil once the place is given back
}

func newPlace(ctx context.Context, p *Pool) *place {
	h := &place{pool: p, holds: p.slots}
	h.unhook = context.AfterFunc(ctx, func() {
		time.Sleep(overtime)
		h.leave()
	})
	return h
}

// leave frees the slot for another query, if there is a place outside.
func (h *place) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holds != h.pool.slots {
		return
	}
	select {
	case h.pool.outside <- struct{}{}:
		<-h.holds
		h.holds = h.pool.outside
	default:
	}
}

func (h *place) giveBack() {
	h.unhook()
	h.mu.Lock()
	defer h.mu.Unlock()
	<-h.holds
	h.holds = nil
}
