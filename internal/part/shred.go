package part

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// shredded is the data of one leaf (a Parquet column without children) for some rows, as in
// Google's Dremel. It is a sequence of slots, one for each value, NULL or empty list. The
// definition level of a slot says how many levels of the path to the leaf exist. Its repetition
// level says which list the slot continues. A slot has a value exactly if its definition level is
// the highest one.
type shredded struct {
	values  arrow.Array // array with the values; the method release releases it
	present selection   // positions in values of those slots that have a value
	slots   int         // number of values, NULLs and empty lists
	// Definition and repetition levels of the slots; nil if the leaf does not need them.
	def, rep []int16
}

// shredder divides an array of a nested type into its leaves (columns without children). For each
// leaf it walks down the path level by level. Levels that this path shares with the path of the
// leaf that was requested before are not walked again.
type shredder struct {
	column arrow.Array // array that is divided; the shredder does not own it
	path   []step      // path to the last leaf that was requested
	// levels[i] has the slots (values, NULLs and empty lists) after i steps of the field path
	levels []slots
}

// slots are the slots (values, NULLs and empty lists) at one level of the path to a leaf. A slot is
// alive if it has a position in values. Otherwise it has ended at a NULL or an empty list of a
// higher level. Children of a NULL are never read.
type slots struct {
	values arrow.Array
	owned  bool // whether the shredder must release the field values
	// positions has the position in values of each slot. It is negative if the slot has ended. If
	// positions is nil, all slots are alive, at the positions 0, 1, and so on.
	positions []int32
	// dense says that the slots that are alive use every element of values, in order: their
	// positions are 0, 1, ... without a gap. Slots that have ended may be between them.
	dense bool
	alive int16   // definition level of the slots that are alive (have not ended)
	ended []int16 // definition levels of slots that have ended; nil if positions is nil
	// entered says whether the method enter was called. After that call, a slot has ended if its
	// element in the field values is NULL.
	entered bool
	rep     []int16 // repetition levels of the slots; nil before the first list
}

func (s *shredder) release() {
	for _, level := range s.levels {
		if level.owned {
			level.values.Release()
		}
	}
	s.levels, s.path = nil, nil
}

// leaf returns the data of one leaf (a Parquet column without children).
func (s *shredder) leaf(leaf leafPath) shredded {
	if len(leaf.path) == 0 {
		s.column.Retain()
		return shredFlat(s.column, leaf.nullable)
	}
	common := 0
	for common < min(len(s.path), len(leaf.path)) && s.path[common] == leaf.path[common] {
		common++
	}
	if s.levels == nil {
		s.levels = []slots{{values: s.column, dense: true}}
	}
	for _, level := range s.levels[common+1:] {
		if level.owned {
			level.values.Release()
		}
	}
	s.levels, s.path = s.levels[:common+1], leaf.path
	at := s.levels[common]
	repeated := int16(0)
	for i, st := range leaf.path {
		if st.repeated {
			repeated++
		}
		if i < common {
			continue
		}
		nullable := leaf.nullable
		if i > 0 {
			nullable = leaf.path[i-1].nullable
		}
		if !at.entered {
			at = at.enter(nullable)
			at.entered = true
			s.levels[i] = at
		}
		if st.repeated {
			at = at.expand(repeated)
		} else {
			at.values, at.owned, at.entered = at.values.(*array.Struct).Field(st.child), false, false
		}
		s.levels = append(s.levels, at)
	}
	return at.finish(leaf.path[len(leaf.path)-1].nullable)
}

// len returns the number of slots (values, NULLs and empty lists).
func (s slots) len() int {
	if s.positions == nil {
		return s.values.Len()
	}
	return len(s.positions)
}

// enter returns the slots (values, NULLs and empty lists) after the step into a nullable value. If
// the value is not NULL, its slot gets one more definition level. If the value is NULL, its slot
// ends. If nullable is false, the slots stay as they are.
func (s slots) enter(nullable bool) slots {
	if !nullable {
		return s
	}
	if s.values.NullN() > 0 {
		bitmap, offset := s.values.NullBitmapBytes(), s.values.Data().Offset()
		positions, ended := make([]int32, s.len()), make([]int16, s.len())
		copy(ended, s.ended)
		for i := range positions {
			p := int32(i)
			if s.positions != nil {
				p = s.positions[i]
			}
			if p >= 0 && !bitutil.BitIsSet(bitmap, offset+int(p)) {
				p, ended[i] = -1, s.alive
			}
			positions[i] = p
		}
		s.positions, s.ended, s.dense = positions, ended, false
	}
	s.alive++
	return s
}

// listOffsets returns for each list of an array where it begins in the array of all elements, and
// then where the last list ends.
func listOffsets(a arrow.Array) []int32 {
	var all []int32
	switch a := a.(type) {
	case *array.List:
		all = a.Offsets()
	case *array.Map:
		all = a.Offsets()
	}
	if a.Len() == 0 {
		return []int32{0}
	}
	from := a.Data().Offset()
	return all[from : from+a.Len()+1]
}

// expand replaces the slot of each list by one slot for each element of the list. A slot stands for
// a value, NULL or empty list. An empty list gets one slot, which has ended.
func (s slots) expand(level int16) slots {
	offsets := listOffsets(s.values)
	first, last := offsets[0], offsets[len(offsets)-1]
	elements := s.values.(array.ListLike).ListValues()
	out := slots{values: array.NewSlice(elements, int64(first), int64(last)), owned: true, alive: s.alive + 1, dense: true}
	grow := int(last-first) + s.len()
	out.positions, out.ended, out.rep = make([]int32, 0, grow), make([]int16, 0, grow), make([]int16, 0, grow)
	// if there is no gap between the lists, the offset at which the next list must begin
	next := int32(0)
	for i := range s.len() {
		p, rep := int32(i), int16(0)
		if s.positions != nil {
			p = s.positions[i]
		}
		if s.rep != nil {
			rep = s.rep[i]
		}
		if p < 0 || offsets[p] == offsets[p+1] {
			ended := s.alive
			if p < 0 {
				ended = s.ended[i]
			}
			out.positions, out.ended, out.rep = append(out.positions, -1), append(out.ended, ended), append(out.rep, rep)
			continue
		}
		start, end := offsets[p]-first, offsets[p+1]-first
		out.dense = out.dense && start == next
		next = end
		for e := start; e < end; e++ {
			out.positions, out.ended, out.rep = append(out.positions, e), append(out.ended, 0), append(out.rep, rep)
			rep = level
		}
	}
	out.dense = out.dense && next == last-first
	return out
}

// finish returns the data of the leaf, made from the slots of the last level (its values, NULLs and
// empty lists).
func (s slots) finish(nullable bool) shredded {
	s.values.Retain()
	if s.dense {
		return s.finishDense(nullable)
	}
	s = s.enter(nullable)
	out := shredded{values: s.values, rep: s.rep, slots: len(s.positions), def: make([]int16, len(s.positions))}
	present := make([]int32, 0, len(s.positions))
	for i, p := range s.positions {
		if p < 0 {
			out.def[i] = s.ended[i]
			continue
		}
		out.def[i] = s.alive
		present = append(present, p)
	}
	out.present.positions = present
	return out
}

// finishDense does the work of finish if s.dense is set: the slots with a value use every element
// of the array s.values, in order. So the array is also the array of the leaf's values, and no list
// of positions is needed.
func (s slots) finishDense(nullable bool) shredded {
	out := shredded{values: s.values, rep: s.rep, slots: s.len()}
	out.present = selectValid(s.values, nullable)
	alive := s.alive
	if nullable {
		alive++
	}
	if s.positions == nil && out.present.positions == nil {
		out.def = constant(alive, s.len())
		return out
	}
	var bitmap []byte
	offset := s.values.Data().Offset()
	if out.present.positions != nil {
		bitmap = s.values.NullBitmapBytes()
	}
	out.def = make([]int16, s.len())
	for i := range out.def {
		p := int32(i)
		if s.positions != nil {
			p = s.positions[i]
		}
		switch {
		case p < 0:
			out.def[i] = s.ended[i]
		case bitmap != nil && !bitutil.BitIsSet(bitmap, offset+int(p)):
			out.def[i] = alive - 1
		default:
			out.def[i] = alive
		}
	}
	return out
}

// selectValid selects the values of an array that are not NULL. If nullable is false, it selects
// all values without a check.
func selectValid(a arrow.Array, nullable bool) selection {
	if !nullable || a.NullN() == 0 {
		return selectAll(a)
	}
	positions := make([]int32, 0, a.Len()-a.NullN())
	bitmap, offset := a.NullBitmapBytes(), a.Data().Offset()
	for i := range a.Len() {
		if bitutil.BitIsSet(bitmap, offset+i) {
			positions = append(positions, int32(i))
		}
	}
	return selection{positions: positions}
}

// shredFlat returns the data of the only leaf of a column that is not nested.
func shredFlat(a arrow.Array, nullable bool) shredded {
	s := shredded{values: a, slots: a.Len(), present: selectValid(a, nullable)}
	switch {
	case !nullable:
	case s.present.positions == nil:
		s.def = constant(1, a.Len())
	default:
		s.def = make([]int16, a.Len())
		for _, p := range s.present.positions {
			s.def[p] = 1
		}
	}
	return s
}

// allOnes are the definition levels of a column without NULLs: each level is 1.
var allOnes = slices.Repeat([]int16{1}, RowGroupRows)

// constant returns a slice with n times the same level.
func constant(level int16, n int) []int16 {
	if level == 1 && n <= len(allOnes) {
		return allOnes[:n]
	}
	return slices.Repeat([]int16{level}, n)
}
