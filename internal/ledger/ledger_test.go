package ledger

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

func small() *Ledger {
	return New(Limits{Memory: 1600, Rows: 100, Requests: 80, Streams: 40, Work: 50, Caches: 100, Queries: 400, Results: 10})
}

func mustTry(t *testing.T, a *Account, n int64, want bool) {
	t.Helper()
	if ok, err := a.Try(n); err != nil || ok != want {
		t.Fatalf("Try(%d) of %s: %v, %v; want %v", n, a.name, ok, err, want)
	}
}

func TestMemoryCountsInAllAccountsAbove(t *testing.T) {
	l := small()
	mustTry(t, l.Bodies, 50, true)
	if used := l.Bodies.parent.Used(); used != 50 {
		t.Errorf("requests: %d", used)
	}
	mustTry(t, l.Bodies, 11, false) // bodies: 60
	mustTry(t, l.Texts, 20, true)
	l.Bodies.Release(50)
	if used := l.Bodies.parent.Used(); used != 20 {
		t.Errorf("requests: %d", used)
	}
	if _, err := l.Bodies.Try(61); base.KindOf(err) != base.TooLarge {
		t.Errorf("more than the limit: %v", err)
	}
}

func TestCallersAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, served := small(), make(chan int64, 3)
		mustTry(t, l.Rows, 90, true)
		for _, n := range []int64{60, 20, 10} {
			go func() {
				if err := l.Rows.Reserve(t.Context(), n, Wait{}); err != nil {
					t.Error(err)
				}
				served <- n
			}()
			synctest.Wait()
		}
		mustTry(t, l.Rows, 1, false) // others wait
		l.Rows.Release(40)
		synctest.Wait()
		if len(served) != 0 {
			t.Fatal("a caller was served before an earlier one that needs more")
		}
		l.Rows.Release(50)
		synctest.Wait()
		if len(served) != 3 || l.Rows.Used() != 90 {
			t.Fatalf("%d callers were served, %d bytes are in use", len(served), l.Rows.Used())
		}
	})
}

func TestAWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, began, begins := small(), time.Now(), 0
		l.Rows.Charge(150)
		err := l.Rows.Reserve(t.Context(), 20, Wait{Most: 5 * time.Second, Begins: func() { begins++ }})
		if err != error(ErrBusy) || time.Since(began) != 5*time.Second || begins != 1 {
			t.Errorf("%v after %v; Begins was called %d times", err, time.Since(began), begins)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Rows.Reserve(ctx, 20, Wait{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the context ended, and Reserve returned %v", err)
		}
		for _, s := range l.Stats() {
			if s.Account == "rows" && (s.Refused != 2 || s.Waited != 6*time.Second || s.Peak != 150) {
				t.Errorf("%+v", s)
			}
		}
		l.Rows.Release(150)
		mustTry(t, l.Rows, 100, true)
	})
}

// TestSmallCallersDoNotWaitForOneThatGaveUp checks that callers behind a large one are served when
// the large one gives up.
func TestSmallCallersDoNotWaitForOneThatGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, done := small(), make(chan error, 2)
		mustTry(t, l.Rows, 50, true)
		go func() { done <- l.Rows.Reserve(t.Context(), 90, Wait{Most: time.Second}) }()
		synctest.Wait()
		go func() { done <- l.Rows.Reserve(t.Context(), 10, Wait{}) }()
		if first, second := <-done, <-done; !errors.Is(errors.Join(first, second), ErrBusy) || first == nil && second == nil {
			t.Errorf("%v, %v", first, second)
		}
	})
}

func TestHoldersAreServedFirstUnlessThatIsADeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, got := small(), make(chan string, 2)
		mustTry(t, l.Bodies, 30, true) // the first request
		mustTry(t, l.Bodies, 20, true) // the second request; 10 are free
		go func() {
			if err := l.Bodies.Reserve(t.Context(), 40, Wait{}); err != nil {
				t.Error(err)
			}
			got <- "newcomer"
		}()
		synctest.Wait()
		if !l.Bodies.TryGrow(5) { // the first request has 35
			t.Error("a caller that holds memory is stopped by one that holds none")
		}
		go func() {
			if err := l.Bodies.Grow(t.Context(), 35, 20, Wait{}); err != nil {
				t.Error(err)
			}
			got <- "holder"
		}()
		synctest.Wait()
		// The second request needs 30 more, and the first one 20. 5 are free, so neither can be
		// served before the other one ends.
		if err := l.Bodies.Grow(t.Context(), 20, 30, Wait{}); err != error(ErrBusy) {
			t.Errorf("a deadlock: %v", err)
		}
		l.Bodies.Release(20)
		if first := <-got; first != "holder" {
			t.Errorf("the %s was served first", first)
		}
		l.Bodies.Release(55)
		<-got
	})
}

func TestTransferCountsOnlyInTheNewAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := small() // locked: 30
		mustTry(t, l.Bodies, 60, true)
		if err := l.Bodies.Transfer(t.Context(), 25, l.Locked, Wait{}); err != nil {
			t.Fatal(err)
		}
		if l.Bodies.Used() != 60 || l.Locked.Used() != 25 {
			t.Errorf("bodies: %d, locked: %d", l.Bodies.Used(), l.Locked.Used())
		}
		if err := l.Bodies.Transfer(t.Context(), 10, l.Locked, Wait{Most: time.Second}); err != error(ErrBusy) {
			t.Error(err)
		}
		l.Locked.Move(25, l.Bodies)
		if l.Bodies.Used() != 60 || l.Locked.Used() != 0 {
			t.Errorf("bodies: %d, locked: %d", l.Bodies.Used(), l.Locked.Used())
		}
		l.Bodies.Move(10, l.Work)
		if l.Bodies.Used() != 50 || l.Work.Used() != 10 {
			t.Errorf("bodies: %d, work: %d", l.Bodies.Used(), l.Work.Used())
		}
	})
}

func TestChildrenShareAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, done := small(), make(chan string, 2)
		one, two := l.Streams.Child("one"), l.Streams.Child("two")
		mustTry(t, one, 40, true)
		for _, a := range []*Account{two, one} {
			go func() {
				if err := a.Reserve(t.Context(), 30, Wait{}); err != nil {
					t.Error(err)
				}
				done <- a.name
			}()
			synctest.Wait()
		}
		one.Release(40)
		if first := <-done; first != "streams/two" {
			t.Errorf("%s was served first", first)
		}
		two.Release(30)
		<-done
		one.Release(30)
		one.Close()
		two.Close()
		for _, s := range l.Stats() {
			if s.Account == "streams/one" {
				t.Error("a closed account is listed")
			}
		}
	})
}

// TestCachesUseWhatOthersDoNot checks the limit of caches, and that Trim calls them.
func TestCachesUseWhatOthersDoNot(t *testing.T) {
	l := small()
	// 100 of their own, and of rows, requests, streams and work (270) all but 1600/16
	if limit := l.caches.Limit(); limit != 270 {
		t.Errorf("nothing is in use: caches may take %d", limit)
	}
	l.Keys.Charge(162)
	l.OnTrim(func() {
		for l.Keys.Excess() > 0 {
			l.Keys.Release(1)
		}
	})
	l.Trim()
	if l.Keys.Used() != 162 {
		t.Errorf("keys: %d of %d", l.Keys.Used(), l.Keys.Limit())
	}
	mustTry(t, l.Rows, 100, true)
	mustTry(t, l.Work, 50, true)
	l.Bodies.Charge(1000)
	l.Trim()
	if l.Keys.Used() != 60 || l.caches.Limit() != 100 {
		t.Errorf("keys: %d; caches may take %d", l.Keys.Used(), l.caches.Limit())
	}
}

// TestManyCallers lets goroutines reserve, grow and release memory at random. No account may exceed
// its limit, and every caller must be served or refused.
func TestManyCallers(t *testing.T) {
	l := small()
	var wait sync.WaitGroup
	var over atomic.Int64
	check := func() {
		for _, a := range []*Account{l.Rows, l.Bodies, l.Texts, l.Bodies.parent} {
			if a.Used() > a.limit {
				over.Add(1)
			}
		}
	}
	for g := range 8 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 2000 {
				a := []*Account{l.Rows, l.Bodies, l.Texts}[r.IntN(3)]
				held := 1 + r.Int64N(a.limit/2)
				if a.Reserve(t.Context(), held, Wait{Most: time.Minute}) != nil {
					t.Error("Reserve failed")
					return
				}
				check()
				if more := 1 + r.Int64N(a.limit-held); a.Grow(t.Context(), held, more, Wait{Most: time.Minute}) == nil {
					held += more
				}
				check()
				a.Release(held)
			}
		})
	}
	wait.Wait()
	for _, s := range l.Stats() {
		if s.Used != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	}
	if over.Load() > 0 {
		t.Errorf("accounts exceeded their limits %d times", over.Load())
	}
}

func TestDivide(t *testing.T) {
	const gib, mib = 1 << 30, 1 << 20
	for _, memory := range []int64{Least, gib, 7 * gib, 100 * gib} {
		l, err := Divide(memory, Fixed{})
		if err != nil {
			t.Fatal(err)
		}
		sum := Program + l.Rows + l.Requests + l.Streams + l.Work + l.Caches + l.Queries + l.Results
		if sum > memory || sum < memory-10 {
			t.Errorf("%d: the limits have the sum %d", memory, sum)
		}
	}
	l, err := Divide(2*gib, Fixed{Write: 128 * mib, Query: 256 * mib, Stream: 16 * mib})
	if err != nil || l.Rows != 128*mib || l.QueryBuffers() != 256*mib || l.Streams != 16*mib {
		t.Errorf("%+v, %v", l, err)
	}
	if sum := Program + l.Rows + l.Requests + l.Streams + l.Work + l.Caches + l.Queries + l.Results; sum > 2*gib || sum < 2*gib-10 {
		t.Errorf("the limits have the sum %d", sum)
	}
	_, err = Divide(gib, Fixed{Query: gib})
	if err == nil || err.Error() != "query_memory does not fit into memory (1073741824 bytes)" {
		t.Errorf("%v", err)
	}
	var e *base.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if _, err := Divide(0, Fixed{}); base.KindOf(err) != base.Invalid {
		t.Errorf("no memory: %v", err)
	}
	l, err = Extend(7*gib, Fixed{Write: 16 * gib})
	if err != nil || l.Rows != 16*gib || l.Memory < 16*gib || l.QueryBuffers() < 2*gib {
		t.Errorf("%+v, %v", l, err)
	}
}

func BenchmarkTry(b *testing.B) {
	l := small()
	for b.Loop() {
		if ok, err := l.Patches.Try(10); !ok || err != nil {
			b.Fatal(ok, err)
		}
		l.Patches.Release(10)
	}
}
