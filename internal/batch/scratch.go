package batch

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/mapped"
)

// scratch is memory that one computation needs until it ends. Large pieces do not come from the
// heap: the heap would return the memory of a memtable's sort to the operating system, and each
// next sort would fault its pages in again.
type scratch struct {
	pieces [][]byte
}

// minMapped is the size in bytes from which memory does not come from the heap.
const minMapped = 1 << 20

// scratchOf returns n values with arbitrary content. Their type must not contain pointers.
func scratchOf[T item | uint64](s *scratch, n int) []T {
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	if bytes < minMapped {
		return make([]T, n)
	}
	mem, err := mapped.Shared.Get(bytes)
	if err != nil { // fall back to the heap
		return make([]T, n)
	}
	s.pieces = append(s.pieces, mem)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), n)
}

func (s *scratch) free() {
	for _, mem := range s.pieces {
		mapped.Shared.Put(mem)
	}
	s.pieces = nil
}
