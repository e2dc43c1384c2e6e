package memtable

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestUnusedMemoryWaitsForRowsAndGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chunk = 2 << 20
		p := NewPool(PoolOptions{ChunkBytes: chunk, KeepFree: time.Minute})
		defer p.Close()
		mapped := func(when string, want int64) {
			t.Helper()
			synctest.Wait()
			if got := p.MappedBytes(); got != want {
				t.Errorf("%s: %d bytes mapped, not %d", when, got, want)
			}
		}
		alloc := func(n int) block {
			t.Helper()
			b, err := p.alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		first, second := alloc(5*chunk), alloc(2*chunk)
		mapped("two large blocks", 7*chunk)
		p.release(first)
		time.Sleep(30 * time.Second)
		p.release(second)
		mapped("unused", 7*chunk)

		second = alloc(2*chunk - 100)
		mapped("the one that fits is used again", 7*chunk)
		p.release(second)
		third := alloc(6 * chunk)
		mapped("a new one takes the place of unused ones that do not fit", 6*chunk)
		p.release(third)

		time.Sleep(59 * time.Second)
		mapped("for less than a minute", 6*chunk)
		time.Sleep(time.Second)
		mapped("a minute later", 0)

		p.release(alloc(5 * chunk))
		time.Sleep(40 * time.Second)
		small := alloc(100) // 5 chunks would be too large for it
		mapped("a small one", chunk)
		p.release(small)
		time.Sleep(time.Hour)
		mapped("the current chunk stays", chunk)
	})
}
