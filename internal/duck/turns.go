package duck

import (
	"context"
	"hash/maphash"
	"slices"
)

// turns decides who gets a place in a pool. A place that becomes free goes to the client that has
// the fewest connections, of its requests to those with the text of which the fewest run, and of
// these to the one that has waited the longest. So many queries that hold their places for long,
// because they are large or their readers are slow, keep out their like, and nobody waits for ever:
// who has nothing is only behind others that have nothing and have waited longer.
type turns struct {
	free    int
	lent    map[asker]int // connections by client and text, and by client for the text 0
	waiting []*turn       // the longest first
}

// turn is a query that waits for a place.
type turn struct {
	who  asker
	come chan struct{} // closed when the query has its place
}

// asker is for whom a query runs, and what it asks, as hashes. All that is unknown is one asker.
type asker struct{ client, text uint64 }

type askerKey struct{}

var askerSeed = maphash.MakeSeed()

// AskedBy returns a context for what runs for a client, whatever tells clients apart, because of a
// request of this text. Queries that wait for a connection take turns by it.
func AskedBy(ctx context.Context, client, text string) context.Context {
	return context.WithValue(ctx, askerKey{}, asker{maphash.String(askerSeed, client), maphash.String(askerSeed, text)})
}

func askerOf(ctx context.Context) asker {
	who, _ := ctx.Value(askerKey{}).(asker)
	return who
}

// take takes a place and returns nil, or a turn to wait for.
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

// giveUp ends the wait for a turn, which may have come.
func (s *turns) giveUp(t *turn) {
	if at := slices.Index(s.waiting, t); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
		return
	}
	s.returned(t.who)
	s.pass()
}

// pass gives a place that is free to the next query.
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

// before reports whether one asker is served before another that has waited longer.
func (s *turns) before(a, b asker) bool {
	if of, other := s.lent[asker{client: a.client}], s.lent[asker{client: b.client}]; of != other {
		return of < other
	}
	return s.lent[a] < s.lent[b]
}

// returned notes that a connection came back.
func (s *turns) returned(who asker) { s.lend(who, -1) }

func (s *turns) lend(who asker, n int) {
	for _, of := range [...]asker{who, {client: who.client}} {
		if s.lent[of] += n; s.lent[of] == 0 {
			delete(s.lent, of)
		}
	}
}
