package protobuf

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// slot manages the memory of one buffer of a column. When a batch is released, on any goroutine,
// its memory returns to the slot, and the column's next rows use it. Fresh memory is more
// expensive: each of its pages causes a fault, and it is cleared before it is written.
//
// The garbage collector frees the memory of a batch that is never released.
type slot struct {
	given  *memory.Buffer // the column's memory that the batch being finished uses
	poison bool

	mu    sync.Mutex
	spare []byte // guarded by mu
}

const (
	smallestSlot = 64      // bytes: the alignment that Arrow recommends, which suits every type
	cachedSlot   = 1 << 16 // bytes; memory up to this size is always cached
	// Memory that is larger than needed is reused if it is at most this many times the needed size.
	cachedSlack = 4
)

// take returns at least n bytes with arbitrary content. Their capacity is their length.
func (s *slot) take(n int) []byte {
	s.mu.Lock()
	mem := s.spare
	s.spare = nil
	s.mu.Unlock()
	if size := cap(mem); size >= n && (size <= cachedSlot || size <= cachedSlack*n) {
		return mem
	}
	return make([]byte, max(n, smallestSlot))
}

// put caches memory for the next take.
func (s *slot) put(mem []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(mem) > cap(s.spare) {
		s.spare = mem
	}
}

// give returns the memory of values as a buffer of the batch that is being finished.
func give[T word](s *slot, values []T) *memory.Buffer {
	if s.given == nil {
		s.given = memory.NewBufferWithAllocator(bytesOf(values), s)
	}
	return s.given
}

// leave ends the column's use of memory. If a batch uses it, the memory returns when the batch is
// released.
func leave[T word](s *slot, values []T) {
	if s.given != nil {
		s.given.Release()
		s.given = nil
		return
	}
	s.put(bytesOf(values))
}

// Free receives the memory of a released batch. It implements memory.Allocator, as do Allocate and
// Reallocate. Those are never called, because the buffers of batches do not grow.
func (s *slot) Free(mem []byte) {
	mem = mem[:cap(mem)]
	if s.poison {
		for i := range mem {
			mem[i] = 0xdb
		}
	}
	s.put(mem)
}

func (s *slot) Allocate(n int) []byte { return memory.DefaultAllocator.Allocate(n) }

func (s *slot) Reallocate(n int, mem []byte) []byte {
	return memory.DefaultAllocator.Reallocate(n, mem)
}

// word is an element type of buffers.
type word interface {
	uint8 | uint16 | uint32 | uint64 | int32
}

// reserve returns values with a capacity of at least n.
func reserve[T word](s *slot, values []T, n int) []T {
	if n <= cap(values) {
		return values
	}
	var one T
	size := int(unsafe.Sizeof(one))
	mem := s.take(n * size)
	out := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), cap(mem)/size)[:len(values)]
	copy(out, values)
	if cap(values) > 0 {
		s.put(bytesOf(values))
	}
	return out
}

// bytesOf returns the bytes of values. Their capacity is that of values.
func bytesOf[T word](values []T) []byte {
	var one T
	size := int(unsafe.Sizeof(one))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), cap(values)*size)[:len(values)*size]
}

// extend returns values with length n. The new elements are zero. The capacity of values must allow
// n.
func extend[T word](values []T, n int) []T {
	if n <= len(values) {
		return values
	}
	had := len(values)
	values = values[:n]
	clear(values[had:])
	return values
}

// trim returns a copy of values with a capacity of at most n.
func trim[T word](s *slot, values []T, n int) []T {
	if cap(values) == 0 || n >= cap(values) {
		return values
	}
	out := make([]T, min(n, len(values)))
	copy(out, values)
	s.put(bytesOf(values))
	return out
}
