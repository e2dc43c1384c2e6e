package batch

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/mapped"
)

// scratch is memory that one computation, such as a sort, needs until it ends. Large pieces do not
// come from Go's heap. The heap would return their memory to the operating system after each sort
// of a memtable, and the next sort would cause page faults for all of it.
type scratch struct {
	pieces [][]byte
}

// minMapped is a size in bytes. Pieces of scratch memory that have at least this size do not come
// from Go's heap.
const minMapped = 1 << 20

// scratchOf returns memory for n values, with arbitrary content.
func scratchOf[T item | uint64](s *scratch, n int) []T {
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	if bytes < minMapped {
		return make([]T, n)
	}
	mem, err := mapped.Shared.Get(bytes)
	if err != nil { // then use the heap
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
