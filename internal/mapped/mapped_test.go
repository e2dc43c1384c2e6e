package mapped

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestUnusedMemoryWaitsAndGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const piece = 2 << 20
		m := New(time.Minute)
		held := func(when string, want int64) {
			t.Helper()
			synctest.Wait()
			if got := m.Bytes(); got != want {
				t.Errorf("%s: %d bytes are held, not %d", when, got, want)
			}
		}
		get := func(n int) []byte {
			t.Helper()
			mem, err := m.Get(n)
			if err != nil {
				t.Fatal(err)
			}
			if len(mem) < n || len(mem) > 2*n {
				t.Fatalf("%d bytes for %d", len(mem), n)
			}
			mem[0], mem[len(mem)-1] = 1, 1
			return mem
		}
		first, second := get(5*piece), get(2*piece)
		held("two pieces", 7*piece)
		m.Put(first)
		time.Sleep(30 * time.Second)
		m.Put(second)
		held("unused", 7*piece)

		if second = get(2*piece - 100); len(second) != 2*piece {
			t.Errorf("a piece of %d bytes, not the one that fits", len(second))
		}
		held("the one that fits is used again", 7*piece)
		m.Put(second)
		third := get(6 * piece)
		held("a new one takes the place of unused ones that do not fit", 6*piece)
		m.Put(third)

		time.Sleep(59 * time.Second)
		held("for less than a minute", 6*piece)
		time.Sleep(time.Second)
		held("a minute later", 0)

		m.Put(get(piece))
		time.Sleep(40 * time.Second)
		m.Put(get(piece))
		time.Sleep(40 * time.Second)
		held("a minute since it was used has not passed", piece)
		time.Sleep(20 * time.Second)
		held("now it has", 0)
	})
}
