package ingest

import (
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// BoundedAllocator is an Arrow allocator that holds at most so many bytes at a time.
// arrow-go's readers allocate what a body claims it needs; this refuses, with the
// only means that an allocator has: it panics, with a base.TooLarge error. Whoever
// calls arrow-go with it recovers, so it must not be used where arrow-go works on a
// goroutine of its own.
type BoundedAllocator struct {
	left atomic.Int64
}

// NewBoundedAllocator returns an allocator of at most limit bytes.
func NewBoundedAllocator(limit int64) *BoundedAllocator {
	a := &BoundedAllocator{}
	a.left.Store(limit)
	return a
}

// Take counts bytes that are held elsewhere against the limit.
func (a *BoundedAllocator) Take(size int) {
	if size < 0 || a.left.Add(-int64(size)) < 0 {
		panic(base.Errorf(base.TooLarge, "the body needs more memory than the limit").WithHint("send the rows in several requests"))
	}
}

// Allocate returns size zeroed bytes.
func (a *BoundedAllocator) Allocate(size int) []byte {
	a.Take(size)
	return make([]byte, size)
}

// Reallocate returns size bytes that begin like b.
func (a *BoundedAllocator) Reallocate(size int, b []byte) []byte {
	if size >= 0 && size <= cap(b) {
		a.left.Add(int64(len(b)) - int64(size))
		return b[:size]
	}
	to := a.Allocate(size)
	copy(to, b)
	a.Free(b)
	return to
}

// Free gives up b.
func (a *BoundedAllocator) Free(b []byte) { a.left.Add(int64(len(b))) }

// Recovered turns what recover returned into an error, nil for nil: the error of a
// BoundedAllocator as it is, anything else a base.Invalid error about broken data.
func Recovered(panicked any, format string) error {
	switch p := panicked.(type) {
	case nil:
		return nil
	case *base.Error:
		return p
	default:
		return base.Errorf(base.Invalid, "%s: broken data: %v", format, p)
	}
}
