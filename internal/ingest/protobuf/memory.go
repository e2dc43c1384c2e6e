package protobuf

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// slot is where the memory of one buffer of a column comes from. What a batch had comes back when the batch is
// released, by whichever goroutine, and the column's next rows go there: of fresh memory every page is a fault, and
// it is cleared as a whole before it is written.
//
// A batch that nobody releases is the collector's.
type slot struct {
	given  *memory.Buffer // what the batch that is being finished has of the column's memory
	poison bool

	mu    sync.Mutex
	spare []byte // guarded by mu
}

const (
	smallestSlot = 64      // bytes; Arrow's recommended alignment, and aligned for every type
	keptSlot     = 1 << 16 // bytes that are kept for whatever size comes next
	keptSlack    = 4       // larger memory is kept if it is at most so many times what comes next
)

// take returns at least n bytes with arbitrary contents, all of them its capacity.
func (s *slot) take(n int) []byte {
	s.mu.Lock()
	mem := s.spare
	s.spare = nil
	s.mu.Unlock()
	if size := cap(mem); size >= n && (size <= keptSlot || size <= keptSlack*n) {
		return mem
	}
	return make([]byte, max(n, smallestSlot))
}

// put keeps memory for the next take.
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

// leave ends a column's hold on memory, which is the batch's if it has it.
func leave[T word](s *slot, values []T) {
	if s.given != nil {
		s.given.Release()
		s.given = nil
		return
	}
	s.put(bytesOf(values))
}

// Free takes back what a batch had that is released now. It is memory.Allocator's, as are
// Allocate and Reallocate, which nobody calls: the buffers of batches do not grow.
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

// word is what buffers hold.
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

// bytesOf returns the bytes of values, with all their capacity.
func bytesOf[T word](values []T) []byte {
	var one T
	size := int(unsafe.Sizeof(one))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), cap(values)*size)[:len(values)*size]
}

// extend returns values with length n, zeros after what they held; their capacity allows it.
func extend[T word](values []T, n int) []T {
	if n <= len(values) {
		return values
	}
	had := len(values)
	values = values[:n]
	clear(values[had:])
	return values
}

// trim returns values in memory for n of them.
func trim[T word](s *slot, values []T, n int) []T {
	if cap(values) == 0 || n >= cap(values) {
		return values
	}
	out := make([]T, min(n, len(values)))
	copy(out, values)
	s.put(bytesOf(values))
	return out
}
