package ingest

import (
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
)

// BoundedAllocator is an Arrow allocator that has at most a fixed number of bytes allocated at a
// time. arrow-go's readers allocate whatever size a request's body claims. This allocator refuses
// to exceed its limit.
//
// Arrow's allocator interface cannot return errors, so the allocator panics with a base.TooLarge
// error. Callers recover the panic with the function Recovered. Do not use the allocator where
// arrow-go works on goroutines of its own: nothing would recover the panic there.
type BoundedAllocator struct {
	left atomic.Int64
}

// NewBoundedAllocator returns an allocator that has at most limit bytes allocated at the same time.
func NewBoundedAllocator(limit int64) *BoundedAllocator {
	a := &BoundedAllocator{}
	a.left.Store(limit)
	return a
}

// Take counts size bytes, which the caller allocated elsewhere, as allocated by this allocator. It
// panics with a base.TooLarge error if that exceeds the limit.
func (a *BoundedAllocator) Take(size int) {
	if size < 0 || a.left.Add(-int64(size)) < 0 {
		panic(base.Errorf(base.TooLarge, "the body needs more memory than the limit").WithHint("send the rows in several requests"))
	}
}

// Allocate returns a slice of zeros with the given size in bytes. It panics with a base.TooLarge
// error if that exceeds the limit.
func (a *BoundedAllocator) Allocate(size int) []byte {
	a.Take(size)
	return make([]byte, size)
}

// Reallocate returns a slice with the given size in bytes, which begins with the content of b. It
// panics with a base.TooLarge error if that exceeds the limit.
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

// Free frees the bytes of b, so that they no longer count as allocated.
func (a *BoundedAllocator) Free(b []byte) { a.left.Add(int64(len(b))) }

// Recovered converts the value that recover returned (the argument panicked) into an error. It
// returns nil for nil, and the error of a BoundedAllocator unchanged. Any other panic becomes a
// base.Invalid error about broken data, with a message made by format.
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
