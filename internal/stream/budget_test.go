package stream

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestMemoryGoesToTheFirstWaiter checks that small records of other sources do not starve a large
// one.
func TestMemoryGoesToTheFirstWaiter(t *testing.T) {
	m := newMemoryBudget(100)
	small, large := sourceBudget{of: m}, sourceBudget{of: m}
	for range 2 {
		if !small.tryReserve(40) {
			t.Fatal("no memory at first")
		}
	}
	got := make(chan error)
	go func() { got <- large.reserve(t.Context(), 300) }() // more than the limit
	for deadline := time.Now().Add(10 * time.Second); small.tryReserve(10); time.Sleep(time.Millisecond) {
		small.release(10)
		if time.Now().After(deadline) {
			t.Fatal("a small record came before one that waits")
		}
	}
	small.release(40)
	select {
	case <-got:
		t.Fatal("the large record has memory beside another")
	case <-time.After(10 * time.Millisecond):
	}
	small.release(40)
	if err := <-got; err != nil || m.inUse() != 300 || large.bytes.Load() != 300 {
		t.Error(err, m.inUse())
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := small.reserve(canceled, 10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	large.release(300)
	if !small.tryReserve(100) || m.inUse() != 100 || small.bytes.Load() != 100 {
		t.Errorf("%d bytes in use", m.inUse())
	}
}
