package duck

import (
	"context"
	"hash/maphash"
	"slices"
)

// turns decides which waiting query gets a free slot of a pool:
//   - It goes to the client that has the fewest lent connections.
//   - Among this client's requests it goes to one whose text has the fewest running queries.
//   - Among these it goes to the query that has waited the longest.
//
// So queries that hold slots for a long time, because they are large or their readers are slow,
// make only similar queries wait. No query waits forever: a client without a connection waits only
// for other such clients that have waited longer.
type turns struct {
	free int
	// Number of lent connections by client and text; the sum for a client is under text 0.
	lent    map[asker]int
	waiting []*turn // in the order in which they began to wait
}

// turn is a query that waits for a slot.
type turn struct {
	who  asker
	come chan struct{} // closed when the query has got its slot
}

// asker identifies the client of a query and the text of its request, both as hashes. It is the
// zero value if the client is not known.
type asker struct{ client, text uint64 }

type askerKey struct{}

var askerSeed = maphash.MakeSeed()

// AskedBy returns a context for queries that run for a client, because of a request with the given
// text. client is any text that identifies the client. The pool uses both to decide which waiting
// query gets a slot.
func AskedBy(ctx context.Context, client, text string) context.Context {
	return context.WithValue(ctx, askerKey{}, asker{maphash.String(askerSeed, client), maphash.String(askerSeed, text)})
}

func askerOf(ctx context.Context) asker {
	who, _ := ctx.Value(askerKey{}).(asker)
	return who
}

// take takes a slot and returns nil. If no slot is free, it returns a turn to wait for.
func (s *turns) take(who asker) *turn {
	if s.free > 0 {
		s.free--
		s.lend(who, 1)
		return nil
	}
	t := &turn{who: who, come: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	return t
}

// giveUp ends the wait of a query for its slot. If the query has got the slot meanwhile, giveUp
// frees it.
func (s *turns) giveUp(t *turn) {
	if at := slices.Index(s.waiting, t); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}
	s.returned(t.who)
	s.pass()
}

// pass gives a free slot to the waiting query that is next.
func (s *turns) pass() {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := 0
	for i, t := range s.waiting {
		if s.before(t.who, s.waiting[next].who) {
			next = i
		}
	}
	t := s.waiting[next]
	s.waiting = slices.Delete(s.waiting, next, next+1)
	s.lend(t.who, 1)
	close(t.come)
}

// before reports whether asker a gets a free slot before asker b, although b has waited longer.
func (s *turns) before(a, b asker) bool {
	if of, other := s.lent[asker{client: a.client}], s.lent[asker{client: b.client}]; of != other {
		return of < other
	}
	return s.lent[a] < s.lent[b]
}

// returned records that the connection of an asker was released.
func (s *turns) returned(who asker) { s.lend(who, -1) }

func (s *turns) lend(who asker, n int) {
	for _, of := range [...]asker{who, {client: who.client}} {
		if s.lent[of] += n; s.lent[of] == 0 {
			delete(s.lent, of)
		}
	}
}
