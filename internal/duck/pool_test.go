package duck

import (
	"context"
	"testing"

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
	for range 2 {
		first := acquire()
		full()
		pool.Yield(first)
		pool.Yield(first)
		second := acquire()
		full()
		pool.Yield(second) // no more than one
		full()
		pool.Release(first)
		full()
		pool.Yield(second)
		third := acquire()
		pool.Release(third)
		pool.Release(second)
	}
}
