package stream

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/ledger"
)

// TestMemoryGoesToTheFirstWaiter checks that small records of other sources do not starve a large
// one.
func TestMemoryGoesToTheFirstWaiter(t *testing.T) {
	all := ledger.NewAccount("streams", 100)
	small, large := sourceMemory{all.Child("small")}, sourceMemory{all.Child("large")}
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
	if err := <-got; err != nil || all.Used() != 300 || large.account.Used() != 300 {
		t.Error(err, all.Used())
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := small.reserve(canceled, 10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	large.release(300)
	if !small.tryReserve(100) || all.Used() != 100 || small.account.Used() != 100 {
		t.Errorf("%d bytes in use", all.Used())
	}
}
