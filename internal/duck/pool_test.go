package duck

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

func TestAConnectionThatYieldsMakesPlaceForAnother(t *testing.T) {
	inst, err := Open(Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	pool := NewPool(inst, 1)
	t.Cleanup(pool.Close)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	full := func() {
		t.Helper()
		if _, err := pool.Acquire(over); base.KindOf(err) != base.Canceled {
			t.Errorf("a connection too many: %v", err)
		}
	}
	acquire := func() *Conn {
		t.Helper()
		c, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	yield := func(c *Conn) {
		t.Helper()
		if err := pool.Yield(c, time.Time{}); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		first := acquire()
		full()
		yield(first)
		yield(first)
		second := acquire()
		full()
		yield(second) // one query has yielded, and no more may
		full()
		pool.Release(first)
		full()
		yield(second)
		third := acquire()
		pool.Release(third)
		pool.Release(second)
	}
}

// TestPlacesGoToThoseThatHaveTheFewest checks the order in which clients get slots, and the order
// among the texts of one client.
func TestPlacesGoToThoseThatHaveTheFewest(t *testing.T) {
	s := slotQueue{free: 3, lent: map[requester]int{}}
	names := map[*slotWaiter]string{}
	take := func(client, text string) *slotWaiter {
		turn := s.take(requesterOf(WithRequester(t.Context(), client, text)))
		names[turn] = client + " " + text
		return turn
	}
	for range 3 {
		if take("a", "large") != nil {
			t.Fatal("a free place is not taken")
		}
	}
	for _, text := range []string{"large", "large", "small", "large", "large", "other"} {
		take("a", text)
	}
	gone := take("b", "gone")
	for _, text := range []string{"large", "large", "small"} {
		take("b", text)
	}
	s.giveUp(gone)
	served := func() string {
		before := slices.Clone(s.waiting)
		s.grantNext()
		for _, turn := range before {
			if !slices.Contains(s.waiting, turn) {
				<-turn.granted
				return names[turn]
			}
		}
		return "nobody"
	}
	for i, want := range []string{"b large", "b small", "b large", "a small", "a other"} {
		if got := served(); got != want {
			t.Errorf("place %d goes to %s, want %s", i, got, want)
		}
	}
}

func TestAQueryWithASlowReaderEndsWhereItCannotYield(t *testing.T) {
	pool := NewPool(nil, 1)
	enter := func() *Conn {
		if err := pool.enter(t.Context(), requester{}); err != nil {
			t.Fatal(err)
		}
		return &Conn{slot: newSlot(t.Context(), pool, requester{})}
	}
	long := time.Now().Add(-time.Minute)
	first := enter()
	if err := pool.Yield(first, long); err != nil {
		t.Errorf("there is room beside the places: %v", err)
	}
	second := enter()
	if err := pool.Yield(second, long); err != nil {
		t.Errorf("nobody waits: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- pool.enter(ctx, requester{}) }()
	for !pool.OthersWaiting() {
		time.Sleep(time.Millisecond)
	}
	if err := pool.Yield(second, time.Now()); err != nil {
		t.Errorf("a small result has a moment: %v", err)
	}
	if err := pool.Yield(second, long); base.KindOf(err) != base.Timeout {
		t.Errorf("a query whose place is wanted: %v", err)
	}
	cancel()
	<-ended
}

// TestAnAbandonedConnectionIsClosed checks that an abandoned connection is closed with its state.
func TestAnAbandonedConnectionIsClosed(t *testing.T) {
	inst, err := Open(Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	pool := NewPool(inst, 1)
	t.Cleanup(pool.Close)
	for _, abandoned := range []bool{false, true} {
		c, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Exec("CREATE OR REPLACE TEMP TABLE left_there (a INTEGER)"); err != nil {
			t.Fatal(err)
		}
		if abandoned {
			c.Abandon()
		}
		pool.Release(c)
		if c, err = pool.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := first(t, c, "SELECT (count(*) = 0)::VARCHAR FROM duckdb_tables() WHERE table_name = 'left_there'"); got != fmt.Sprint(abandoned) {
			t.Errorf("abandoned: %v; the table is gone: %s", abandoned, got)
		}
		pool.Release(c)
	}
}
