package protobuf

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// slot manages the memory of one buffer of a column. When a batch is released, on any goroutine,
// the memory of its buffer returns to the slot, and the column reuses that memory for its next
// rows. Fresh memory is more expensive: each of its pages causes a page fault, and it is cleared
// before it is written.
//
// If a batch is never released, the garbage collector frees its memory.
type slot struct {
	// given is the buffer with the column's memory that a batch gets when it is finished. It is nil
	// before give and after leave.
	given  *memory.Buffer
	poison bool

	mu    sync.Mutex
	spare []byte // spare is the memory for the next call of take. It is guarded by mu.
}

const (
	// smallestSlot is the alignment that Arrow recommends, in bytes. It suits every type.
	smallestSlot = 64
	cachedSlot   = 1 << 16 // cachedSlot is the size in bytes up to which memory is always cached.
	// Memory of more than cachedSlot bytes is reused only if it is at most cachedSlack times as
	// large as needed.
	cachedSlack = 4
)

// take returns a slice of at least n bytes, with undefined content. Its capacity is equal to its
// length.
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

// put caches the memory mem, so that the next take can return it.
func (s *slot) put(mem []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(mem) > cap(s.spare) {
		s.spare = mem
	}
}

// give returns the memory of the slice values as a buffer for the batch that is being finished.
func give[T word](s *slot, values []T) *memory.Buffer {
	if s.given == nil {
		s.given = memory.NewBufferWithAllocator(bytesOf(values), s)
	}
	return s.given
}

// leave ends the column's use of the slice values. Its memory returns to the slot s (the manager of
// the buffer's memory) when the batch that uses it is released, or immediately if no batch uses it.
func leave[T word](s *slot, values []T) {
	if s.given != nil {
		s.given.Release()
		s.given = nil
		return
	}
	s.put(bytesOf(values))
}

// Free receives the memory of a batch that was released. It is a method of the interface
// memory.Allocator, and so are Allocate and Reallocate. Those two are never called, because the
// buffers of batches do not grow.
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

// word is the type of the elements of a buffer.
type word interface {
	uint8 | uint16 | uint32 | uint64 | int32
}

// reserve returns the slice values with a capacity of at least n elements. If its capacity is too
// small, reserve returns a copy, and the old memory returns to the slot s.
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

// bytesOf returns the memory of the slice values as bytes, with the same capacity.
func bytesOf[T word](values []T) []byte {
	var one T
	size := int(unsafe.Sizeof(one))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), cap(values)*size)[:len(values)*size]
}

// extend returns the slice values with a length of n elements. The new elements are zero. The
// capacity of the slice must be at least n.
func extend[T word](values []T, n int) []T {
	if n <= len(values) {
		return values
	}
	had := len(values)
	values = values[:n]
	clear(values[had:])
	return values
}

// trim returns the slice values with a capacity of at most n elements. If its capacity is larger,
// trim returns a copy, and the old memory returns to the slot s (the manager of the buffer's
// memory).
func trim[T word](s *slot, values []T, n int) []T {
	if cap(values) == 0 || n >= cap(values) {
		return values
	}
	out := make([]T, min(n, len(values)))
	copy(out, values)
	s.put(bytesOf(values))
	return out
}
