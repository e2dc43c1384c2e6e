package batch

import (
	"unsafe"

	"github.com/scoterdb/scoter/internal/mapped"
)

// scratch is memory that one computation needs until its end. Much of it at once comes from outside of the heap: what a sort of a memtable leaves
// behind there would go back to the system and be faulted in anew for the next one.
type scratch struct {
	pieces [][]byte
}

// minMapped is from what size on memory does not come from the heap.
const minMapped = 1 << 20

// scratchOf returns n values of a type without pointers, whose contents are arbitrary.
func scratchOf[T item | uint64](s *scratch, n int) []T {
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	if bytes < minMapped {
		return make([]T, n)
	}
	mem, err := mapped.Shared.Get(bytes)
	if err != nil { // the heap may still have some
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
