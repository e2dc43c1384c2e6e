package part

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/scoterdb/scoter/internal/base"
)

// leafPath leads from a column to one column of the Parquet file: itself, or a scalar
// inside a nested type.
type leafPath struct {
	column   int
	name     string // as arrow-go spells the path
	nullable bool   // the column
	path     []step // empty for a scalar column
	first    bool   // of its column
	typ      arrow.DataType
}

// step goes one level down: into field child of a struct, or into the elements of a list
// or the entries of a map (child is 0).
type step struct {
	repeated bool
	child    int
	nullable bool // what is stepped into
}

// appendLeaves appends the leaves of a column, in the order in which Parquet has them.
func appendLeaves(to []leafPath, column int, f arrow.Field) ([]leafPath, error) {
	start := len(to)
	var descend func(path []step, name string, t arrow.DataType) error
	descend = func(path []step, name string, t arrow.DataType) error {
		path = path[:len(path):len(path)]
		switch t := t.(type) {
		case *arrow.StructType:
			for i, child := range t.Fields() {
				if err := descend(append(path, step{child: i, nullable: child.Nullable}), name+"."+child.Name, child.Type); err != nil {
					return err
				}
			}
		case *arrow.MapType:
			entries := append(path, step{repeated: true})
			for i, child := range []arrow.Field{t.KeyField(), t.ItemField()} {
				into := append(entries[:len(entries):len(entries)], step{child: i, nullable: child.Nullable})
				if err := descend(into, name+".key_value."+[...]string{"key", "value"}[i], child.Type); err != nil {
					return err
				}
			}
		case *arrow.ListType:
			return descend(append(path, step{repeated: true, nullable: t.ElemField().Nullable}), name+".list.element", t.Elem())
		default:
			_, nested := t.(arrow.NestedType)
			if _, extension := t.(arrow.ExtensionType); nested && !extension {
				return base.Errorf(base.Internal, "type %s is not a storage type", t)
			}
			to = append(to, leafPath{column: column, name: name, nullable: f.Nullable, path: path, first: len(to) == start, typ: t})
		}
		return nil
	}
	return to, descend(nil, f.Name, f.Type)
}

// shredded is one leaf of some rows, in Dremel's form: a definition level per slot says
// how much of the path exists, a repetition level at which list it continues. A slot
// whose last list exists has a value, valid or NULL; other slots have none.
type shredded struct {
	values      arrow.Array
	positions   []int32 // of each value in values, negative for NULL; nil means all, in order
	valid       []byte  // bitmap over the values; nil means all
	validOffset int64   // of the first value's bit
	def, rep    []int16 // nil if there are no such levels
}

// shred takes a column apart for one leaf. List is the definition level from which on the
// leaf's last list has an element.
func shred(a arrow.Array, leaf leafPath, list int16) shredded {
	if len(leaf.path) == 0 {
		return shredFlat(a, leaf.nullable)
	}
	s := shredded{values: a, positions: make([]int32, a.Len()), def: make([]int16, a.Len())}
	for i := range s.positions {
		s.positions[i] = int32(i)
	}
	repeated := int16(0)
	s.enter(leaf.nullable)
	for _, st := range leaf.path {
		if st.repeated {
			repeated++
			s.expand(repeated)
		} else {
			s.values = s.values.(*array.Struct).Field(st.child)
		}
		s.enter(st.nullable)
	}
	s.pack(list)
	return s
}

// shredFlat does without positions.
func shredFlat(a arrow.Array, nullable bool) shredded {
	s := shredded{values: a}
	switch {
	case !nullable:
	case a.NullN() == 0:
		s.def = ones(a.Len())
	default:
		s.valid, s.validOffset = a.NullBitmapBytes(), int64(a.Data().Offset())
		s.def = make([]int16, a.Len())
		for i := range s.def {
			if a.IsValid(i) {
				s.def[i] = 1
			}
		}
	}
	return s
}

// pack keeps the positions of slots that have a value.
func (s *shredded) pack(list int16) {
	kept := s.positions[:0]
	nulls := false
	for i, p := range s.positions {
		if p >= 0 || s.def[i] >= list {
			kept = append(kept, p)
			nulls = nulls || p < 0
		}
	}
	s.positions = kept
	if !nulls {
		return
	}
	s.valid = make([]byte, bitutil.BytesForBits(int64(len(kept))))
	for i, p := range kept {
		if p >= 0 {
			bitutil.SetBit(s.valid, i)
		}
	}
}

// A nested column is walked down level by level: at each level, every slot still alive has
// a position in that level's array, the others a negative one. What a NULL list or struct
// hides in its children is never looked at.

// enter counts the level of what is NULL or not, if it can be; a NULL ends its slot.
func (s *shredded) enter(nullable bool) {
	if !nullable {
		return
	}
	for i, p := range s.positions {
		switch {
		case p < 0:
		case s.values.IsNull(int(p)):
			s.positions[i] = -1
		default:
			s.def[i]++
		}
	}
}

// expand replaces every list by its elements; an empty one stays as a slot without value.
func (s *shredded) expand(level int16) {
	list := s.values.(array.ListLike)
	var out shredded
	grow := list.ListValues().Len() + len(s.positions)
	out.positions, out.def, out.rep = make([]int32, 0, grow), make([]int16, 0, grow), make([]int16, 0, grow)
	add := func(position int32, def, rep int16) {
		out.positions, out.def, out.rep = append(out.positions, position), append(out.def, def), append(out.rep, rep)
	}
	for i, p := range s.positions {
		rep := int16(0)
		if s.rep != nil {
			rep = s.rep[i]
		}
		if p < 0 {
			add(-1, s.def[i], rep)
			continue
		}
		start, end := list.ValueOffsets(int(p))
		if start == end {
			add(-1, s.def[i], rep)
		}
		for e := start; e < end; e++ {
			add(int32(e), s.def[i]+1, rep)
			rep = level
		}
	}
	out.values = list.ListValues()
	*s = out
}
