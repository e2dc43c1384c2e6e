package part

import "slices"

// Integers is a list of whole numbers that takes little memory. Each number is stored as its
// difference to the least number, in as few bytes as the greatest difference needs. Unpacking them
// takes less time than allocating fresh memory for int64s.
type Integers struct {
	least     int64
	Ascending bool
	of1       []uint8 // differences of 1 byte each; exactly one of of1, of2, of4 and of8 is set
	of2       []uint16
	of4       []uint32
	of8       []int64 // the numbers themselves, instead of differences
}

func integersOf(values []int64) Integers {
	out := Integers{Ascending: slices.IsSorted(values)}
	if len(values) == 0 {
		return out
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	out.least = least
	switch distance := uint64(most) - uint64(least); {
	case distance < 1<<8:
		out.of1 = differences[uint8](values, least)
	case distance < 1<<16:
		out.of2 = differences[uint16](values, least)
	case distance < 1<<32:
		out.of4 = differences[uint32](values, least)
	default:
		out.of8 = slices.Clone(values)
	}
	return out
}

func differences[T uint8 | uint16 | uint32](values []int64, least int64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v - least)
	}
	return out
}

// Len returns the number of integers.
func (n *Integers) Len() int { return len(n.of1) + len(n.of2) + len(n.of4) + len(n.of8) }

// At returns the integer with index i.
func (n *Integers) At(i int) int64 {
	switch {
	case n.of1 != nil:
		return n.least + int64(n.of1[i])
	case n.of2 != nil:
		return n.least + int64(n.of2[i])
	case n.of4 != nil:
		return n.least + int64(n.of4[i])
	}
	return n.of8[i]
}

// Bytes returns the memory that the integers take, in bytes.
func (n *Integers) Bytes() int64 {
	return int64(len(n.of1) + 2*len(n.of2) + 4*len(n.of4) + 8*len(n.of8))
}
