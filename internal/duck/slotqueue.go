package duck

import (
	"context"
	"hash/maphash"
	"slices"
)

// slotQueue decides which waiting query gets a free slot of a pool (the right to run):
//   - The slot goes to the client that has the fewest lent connections.
//   - Among this client's requests it goes to one whose text has the fewest running queries.
//   - Among these it goes to the query that has waited the longest.
//
// So queries that hold slots for a long time, because they are large or their readers are slow,
// make only similar queries wait. No query waits forever: a client without a connection waits only
// for other such clients that have waited longer.
type slotQueue struct {
	free int
	// lent is the number of lent connections for each client and text. The sum for a client is
	// stored under the text 0.
	lent    map[requester]int
	waiting []*slotWaiter // the waiting queries, in the order in which they began to wait
}

// slotWaiter is a query that waits for a slot (the right to run).
type slotWaiter struct {
	who     requester
	granted chan struct{} // closed when the query has got its slot
}

// requester identifies the client of a query and the text of its request, both as hashes. It is the
// zero value if the client is not known.
type requester struct{ client, text uint64 }

type requesterKey struct{}

var requesterSeed = maphash.MakeSeed()

// WithRequester returns a context for queries that run for a client, because of a request with the
// given text. client is any text that identifies the client. The pool uses both to decide which
// waiting query may run next.
func WithRequester(ctx context.Context, client, text string) context.Context {
	return context.WithValue(ctx, requesterKey{}, requester{maphash.String(requesterSeed, client), maphash.String(requesterSeed, text)})
}

func requesterOf(ctx context.Context) requester {
	who, _ := ctx.Value(requesterKey{}).(requester)
	return who
}

// take takes a slot (the right to run a query) and returns nil. If no slot is free, it adds a
// waiter to the queue and returns the waiter.
func (s *slotQueue) take(who requester) *slotWaiter {
	if s.free > 0 {
		s.free--
		s.count(who, 1)
		return nil
	}
	t := &slotWaiter{who: who, granted: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	return t
}

// giveUp ends the wait of a query for a slot (the right to run). If the query has got the slot in
// the meantime, giveUp frees the slot.
func (s *slotQueue) giveUp(t *slotWaiter) {
	if at := slices.Index(s.waiting, t); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}
	s.released(t.who)
	s.grantNext()
}

// grantNext gives a free slot (the right to run) to the waiting query whose turn it is.
func (s *slotQueue) grantNext() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := 0
	for i, t := range s.waiting {
		if s.goesBefore(t.who, s.waiting[next].who) {
			next = i
		}
	}
	t := s.waiting[next]
	s.waiting = slices.Delete(s.waiting, next, next+1)
	s.count(t.who, 1)
	close(t.granted)
}

// goesBefore reports whether a query of requester a may run before a query of requester b, although
// b has waited longer.
func (s *slotQueue) goesBefore(a, b requester) bool {
	if of, other := s.lent[requester{client: a.client}], s.lent[requester{client: b.client}]; of != other {
		return of < other
	}
	return s.lent[a] < s.lent[b]
}

// The method released is called when a connection is returned that was lent to a requester (a
// client and text).
func (s *slotQueue) released(who requester) { s.count(who, -1) }

func (s *slotQueue) count(who requester, n int) {
	for _, of := range [...]requester{who, {client: who.client}} {
		if s.lent[of] += n; s.lent[of] == 0 {
			delete(s.lent, of)
		}
	}
}
