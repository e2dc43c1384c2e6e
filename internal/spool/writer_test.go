package spool

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// reader is a reader of results that accepts writes only when the test allows it.
type reader struct {
	lets chan int // number of writes that it accepts
	left int
	got  bytes.Buffer
	err  error
}

func (r *reader) Write(p []byte) (int, error) {
	for r.left == 0 {
		r.left = <-r.lets
	}
	r.left--
	if r.err != nil {
		return 0, r.err
	}
	return r.got.Write(p)
}

const always = 1 << 30

// query is a Query of the tests. Tests decide whether others want its slot.
type query struct {
	wanted, yields bool
	since          time.Time
	err            error // error that Yield returns
}

func (q *query) OthersWaiting() bool { return q.wanted }

func (q *query) Yield(since time.Time) error {
	q.yields, q.since = true, since
	return q.err
}

func content(n int) []byte {
	p := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		p[i] = byte(random.Uint32())
	}
	return p
}

// write writes a result in pieces of several sizes, until the writer is full.
func write(w *Writer, p []byte) (n int, err error) {
	sizes := []int{1, 1000, 128 << 10, 130 << 10, 400 << 10}
	for i := 0; len(p) > 0; i++ {
		if err := w.Full(); err != nil {
			return n, err
		}
		k, err := w.Write(p[:min(sizes[i%len(sizes)], len(p))])
		if n += k; err != nil {
			return n, err
		}
		p = p[k:]
	}
	return n, nil
}

func empty(t *testing.T, s *Space) {
	t.Helper()
	files, err := os.ReadDir(s.dir)
	if err != nil || len(files) > 0 || s.Used() != 0 {
		t.Errorf("%d bytes and the files %v are left: %v", s.Used(), files, err)
	}
}

func TestAResultOutlivesItsReadersPauses(t *testing.T) {
	for _, size := range []int{0, 100, 64 << 10, 300 << 10, 5 << 20} {
		for _, first := range []int{0, 1, 7} { // writes before the pause
			synctest.Test(t, func(t *testing.T) {
				space := NewSpace(t.TempDir(), 100<<20)
				r, q := &reader{lets: make(chan int, 1), left: first}, &query{}
				w := NewWriter(r, space, time.Second, q)
				want, began := content(size), time.Now()
				n, err := write(w, want)
				if n != size || err != nil {
					t.Errorf("%d of %d bytes are taken: %v", n, size, err)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("the result waited %v for its reader", took)
				}
				if spooled := space.Used() > 0; spooled != q.yields || spooled != (size > 1<<20) {
					t.Errorf("of %d bytes %d went to a file; the query yields: %v", size, space.Used(), q.yields)
				}
				r.lets <- always
				if err := w.Finish(); err != nil || !bytes.Equal(r.got.Bytes(), want) {
					t.Errorf("the reader has %d of %d bytes: %v", r.got.Len(), size, err)
				}
				empty(t, space)
			})
		}
	}
}

// TestAReaderThatCatchesUpIsReadToDirectly checks that the file is emptied when the reader catches
// up, and is used again when the reader stalls again.
func TestAReaderThatCatchesUpIsReadToDirectly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 100<<20)
		r := &reader{lets: make(chan int, 1)}
		w := NewWriter(r, space, time.Second, &query{})
		var want []byte
		for range 3 {
			p := content(3 << 20)
			want = append(want, p...)
			if _, err := w.Write(p); err != nil {
				t.Fatal(err)
			}
			if space.Used() == 0 {
				t.Error("nothing is kept")
			}
			r.lets <- (3<<20)/len(buffer{}) + 2
			synctest.Wait()
			if space.Used() != 0 {
				t.Errorf("%d bytes are kept of what the reader has", space.Used())
			}
		}
		r.lets <- always
		if err := w.Finish(); err != nil || !bytes.Equal(r.got.Bytes(), want) {
			t.Errorf("the reader has %d of %d bytes: %v", r.got.Len(), len(want), err)
		}
		empty(t, space)
	})
}

func TestTooMuchForASlowReaderIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 16<<20) // 2 MiB for each
		var writers []*Writer
		var readers []*reader
		for i := range 12 {
			r := &reader{lets: make(chan int, 1)}
			w := NewWriter(r, space, time.Second, &query{})
			began := time.Now()
			n, err := write(w, content(6<<20))
			if base.KindOf(err) != base.Timeout || time.Since(began) > 2*time.Second || n < 300<<10 {
				t.Errorf("result %d is full after %d bytes and %v: %v", i, n, time.Since(began), err)
			}
			if _, err := w.Write([]byte("the error")); err != nil {
				t.Errorf("result %d cannot say why it ends: %v", i, err)
			}
			writers, readers = append(writers, w), append(readers, r)
		}
		for {
			if _, err := writers[0].Write(content(1 << 20)); err != nil {
				if base.KindOf(err) != base.Timeout {
					t.Error(err)
				}
				break
			}
		}
		if space.Used() > 16<<20 {
			t.Errorf("%d bytes are taken", space.Used())
		}
		for i, r := range readers {
			r.lets <- always
			if err := writers[i].Finish(); err != nil || i > 0 && !bytes.HasSuffix(r.got.Bytes(), []byte("the error")) {
				t.Errorf("result %d: %v", i, err)
			}
		}
		empty(t, space)
	})
}

// TestAReaderThatTakesPartsOfALargeResultHasAllOfIt checks that the writer waits for a slow reader,
// if the reader takes at least something within two pauses.
func TestAReaderThatTakesPartsOfALargeResultHasAllOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 16<<20) // 2 MiB for each
		r := &reader{lets: make(chan int, 1)}
		w := NewWriter(r, space, time.Second, &query{})
		want, done := content(12<<20), make(chan error)
		go func() {
			if _, err := write(w, want); err != nil {
				done <- err
				return
			}
			done <- w.Finish()
		}()
		time.Sleep(1100 * time.Millisecond) // the reader stalls once
		var err error
		for waits := true; waits; {
			select {
			case err = <-done:
				waits = false
			case r.lets <- 1:
				time.Sleep(700 * time.Millisecond)
			}
		}
		if err != nil || !bytes.Equal(r.got.Bytes(), want) {
			t.Errorf("the reader has %d of %d bytes: %v", r.got.Len(), len(want), err)
		}
		empty(t, space)
	})
}

func TestAReaderIsNotWaitedForWhileOthersWantThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 100<<20)
		r, q := &reader{lets: make(chan int, 1)}, &query{wanted: true}
		w := NewWriter(r, space, time.Second, q)
		began := time.Now()
		if n, err := write(w, content(2<<20)); err != nil || n != 2<<20 {
			t.Errorf("%d bytes are taken: %v", n, err)
		}
		if took := time.Since(began); took > 2*tick || !q.yields || q.since != began.Add(took) {
			t.Errorf("the query waited %v for its reader, and yields since %v: %v", took, q.since, q.yields)
		}
		q.err = errors.New("others wait")
		if _, err := write(w, content(1)); !errors.Is(err, q.err) {
			t.Errorf("a result that should end: %v", err)
		}
		r.lets <- always
		if err := w.Finish(); err != nil {
			t.Error(err)
		}
		empty(t, space)
	})
}

// A query must end while its reader takes nothing. The data that was written before and the reason
// are still sent.
func TestAResultThatMustEndSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 100<<20)
		r, q := &reader{lets: make(chan int, 1)}, &query{wanted: true, err: errors.New("others wait")}
		w := NewWriter(r, space, time.Second, q)
		want := content(2 << 20)
		if n, err := w.Write(want); n != len(want) || err != nil {
			t.Errorf("of a piece that was begun %d bytes are taken: %v", n, err)
		}
		if err := w.Full(); !errors.Is(err, q.err) {
			t.Errorf("the result goes on: %v", err)
		}
		if n, err := w.Write([]byte("why")); n != 3 || err != nil {
			t.Errorf("of the reason %d bytes are taken: %v", n, err)
		}
		r.lets <- always
		if err := w.Finish(); err != nil || r.got.String() != string(want)+"why" {
			t.Errorf("the reader has %d bytes: %v", r.got.Len(), err)
		}
		empty(t, space)
	})
}

func TestAPieceIsRefusedAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := NewSpace(t.TempDir(), 100<<20)
		r, q := &reader{lets: make(chan int, 1)}, &query{}
		w := NewWriter(r, space, time.Second, q)
		for range mostBuffers {
			if _, err := w.Write(content(len(buffer{}))); err != nil {
				t.Fatal(err)
			}
		}
		q.err = errors.New("others wait")
		if n, err := w.Write(content(largePiece)); n != 0 || !errors.Is(err, q.err) {
			t.Errorf("%d bytes are taken: %v", n, err)
		}
		if n, err := w.Write(content(smallPiece)); n != smallPiece || err != nil {
			t.Errorf("of a small piece %d bytes are taken: %v", n, err)
		}
		r.lets <- always
		if err := w.Finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestAReaderThatIsGoneEndsTheResult(t *testing.T) {
	gone := errors.New("gone")
	for _, size := range []int{100, 300 << 10, 5 << 20} {
		synctest.Test(t, func(t *testing.T) {
			space := NewSpace(t.TempDir(), 100<<20)
			r := &reader{lets: make(chan int, 1), err: gone}
			w := NewWriter(r, space, time.Second, &query{})
			if _, err := w.Write(content(size)); err != nil {
				t.Fatal(err)
			}
			r.lets <- always
			synctest.Wait()
			if size > 64<<10 {
				if _, err := w.Write(content(1)); !errors.Is(err, gone) {
					t.Errorf("%d bytes and one more: %v", size, err)
				}
			}
			if err := w.Finish(); !errors.Is(err, gone) {
				t.Errorf("%d bytes: %v", size, err)
			}
			empty(t, space)
		})
	}
}

func BenchmarkWriter(b *testing.B) {
	space, p := NewSpace(b.TempDir(), 1<<30), content(130<<10)
	b.SetBytes(int64(len(p)))
	w := NewWriter(io.Discard, space, time.Second, &query{})
	for b.Loop() {
		if _, err := w.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
}
