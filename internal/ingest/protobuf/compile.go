package protobuf

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// maxDepth is the maximum nesting depth at which a message becomes a struct column. A deeper
// message is stored as its bytes, because a list, a map or a struct in it would exceed
// ingest.MaxNesting.
const maxDepth = ingest.MaxNesting - 4

// compiler builds the lookup tables and the columns of a decoder.
type compiler struct {
	d       *Decoder
	arrays  int // number of Arrow arrays in a batch, with nested ones
	types   []protoreflect.FullName
	names   []string // names of the columns, if only some fields are selected
	columns []*output
}

// place says where the fields of a message are stored: in which level (sequence of rows), and at
// which nesting depth and path.
type place struct {
	level   *level
	present *column // the column that says whether the message is present; nil if it always is
	depth   int     // nesting depth of the fields' Arrow arrays
	// whether the fields are columns of the batch themselves, and not parts of a nested column
	flat bool
	path string // path of the message, with a dot at its end
}

// requirement is a required field of proto2.
type requirement struct {
	level   *level
	message *column // the column that says whether the message is present; nil if it always is
	field   *column
	path    string
}

// compile builds the lookup tables and the columns of d from its plan.
func compile(d *Decoder) error {
	c := &compiler{d: d}
	md := d.plan.message
	top := place{level: c.newLevel(), flat: true}
	d.top = top.level
	d.chain = []fanned{{level: d.top}}
	if d.plan.options.Columns == nil {
		root, fields, err := c.message(md, nil, top)
		if err != nil {
			return err
		}
		d.root, d.outputs = root, fields
		return nil
	}
	want, names, err := selectPaths(d.plan.options.Columns)
	if err != nil {
		return err
	}
	c.names, c.columns = names, make([]*output, len(names))
	if d.root, _, err = c.message(md, want, top); err != nil {
		return err
	}
	d.outputs = c.columns
	for i, o := range c.columns {
		if o.level != d.rows() && o.shape != shapeFlat {
			return base.Errorf(base.Invalid, "path %q is a list, map or struct, which is not repeated for the rows of %s",
				d.plan.options.Columns[i].Path, d.chain[len(d.chain)-1].path).WithHint("choose fields of it, or an element")
		}
	}
	return nil
}

func (c *compiler) newLevel() *level {
	l := &level{limit: math.MaxInt32 - 1}
	c.d.levels = append(c.d.levels, l)
	return l
}

// count adds to the number of arrays in a batch. It returns an error if there are too many.
func (c *compiler) count(arrays int) error {
	if c.arrays += arrays; c.arrays > ingest.MaxColumns {
		return base.Errorf(base.TooLarge, "more than %d columns, those inside structs and lists included", ingest.MaxColumns).
			WithHint("choose columns by path")
	}
	return nil
}

// column adds a column to at.level (a sequence of rows). If the argument optional is true, the
// column has a validity bitmap. Otherwise it has the validity of the message around it.
func (c *compiler) column(at place, s store, optional bool) *column {
	col := newColumn(s, c.d.plan.options.PoisonMemory)
	col.optional, col.present = optional, at.present
	if optional {
		col.present = col
	}
	return at.level.add(col)
}

// message returns the reader of a message type, which has an op for each field (how to decode a
// value, and where to store it), and the columns of the fields. If the argument want is nil, all
// fields are read. Otherwise want selects some fields. Their columns are stored in c.columns and
// not returned.
func (c *compiler) message(md protoreflect.MessageDescriptor, want *selection, at place) (*message, []*output, error) {
	c.types = append(c.types, md.FullName())
	defer func() { c.types = c.types[:len(c.types)-1] }()
	m := &message{}
	var outputs []*output
	oneofs := make(map[protoreflect.OneofDescriptor]*oneof)
	if want != nil {
		if err := c.checkNames(md, want, at); err != nil {
			return nil, nil, err
		}
	}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if want == nil {
			if err := ingest.CheckName("column", string(fd.Name())); err != nil {
				return nil, nil, base.Wrap(err, "message %s", md.FullName())
			}
		}
		before := len(at.level.columns)
		ops, output, err := c.field(fd, want, at)
		if err != nil {
			return nil, nil, err
		}
		if output != nil {
			outputs = append(outputs, output)
		}
		if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
			if len(ops) == 0 {
				ops = []*op{{tag: tagOf(fd, false), action: doSkip, name: string(fd.Name())}}
			}
			if oneofs[od] == nil {
				oneofs[od] = &oneof{}
			}
			owned := slices.Clone(at.level.columns[before:])
			for _, o := range ops {
				o.flags |= flagOneof
				o.oneof, o.owned = oneofs[od], owned
			}
		}
		for _, o := range ops {
			m.add(o)
		}
	}
	return m, outputs, nil
}

// checkNames returns an error for the first name in the selection want that is not a field of md.
func (c *compiler) checkNames(md protoreflect.MessageDescriptor, want *selection, at place) error {
	for _, s := range want.steps {
		if md.Fields().ByName(protoreflect.Name(s.Name)) == nil {
			return base.Errorf(base.Invalid, "path %q: message %s has no field %q", at.path+s.Name, md.FullName(), s.Name)
		}
	}
	return nil
}

// field returns the ops for a field's values (how to decode a value, and where to store it), one op
// for each tag of the wire format. Columns of the table may select several paths that begin with
// the field. Then their ops for a tag are combined in one op.
func (c *compiler) field(fd protoreflect.FieldDescriptor, want *selection, at place) ([]*op, *output, error) {
	if want == nil {
		ops, output, err := c.whole(fd, at)
		return ops, output, err
	}
	var all []*op
	for _, s := range want.steps {
		if s.Name != string(fd.Name()) {
			continue
		}
		if s.column >= 0 {
			leaf := *s
			leaf.steps = nil
			ops, err := c.selected(fd, &leaf, at)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, ops...)
		}
		if len(s.steps) > 0 {
			inner := *s
			inner.column = -1
			ops, err := c.selected(fd, &inner, at)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, ops...)
		}
	}
	return together(all), nil, nil
}

// together combines the ops (ways to decode a value) that have the same tag in one op for each tag.
func together(all []*op) []*op {
	var out []*op
	for _, o := range all {
		i := slices.IndexFunc(out, func(other *op) bool { return other.tag == o.tag })
		switch {
		case i < 0:
			out = append(out, o)
		case out[i].action == doSeveral:
			out[i].either = append(out[i].either, o)
		default:
			out[i] = &op{tag: o.tag, action: doSeveral, either: []*op{out[i], o}, name: o.name}
		}
	}
	return out
}

// selected returns the ops (how to decode a value, and where to store it) for the selection s of a
// field. s selects the field itself, or fields inside of it.
func (c *compiler) selected(fd protoreflect.FieldDescriptor, s *selection, at place) ([]*op, error) {
	path := at.path + s.Name
	repeated := fd.IsList() || fd.IsMap()
	switch {
	case s.Index != wire.NoElement && !repeated:
		return nil, base.Errorf(base.Invalid, "path %q: the field is not repeated, it has no elements", path)
	case s.Index == wire.NoElement && repeated && s.column < 0:
		return nil, base.Errorf(base.Invalid, "path %q: the field is repeated", path).
			WithHint("write %s[0] for its first element, or %s[] for one row per element", path, path)
	case s.Index >= 0 && fd.IsMap():
		return nil, base.Errorf(base.Invalid, "path %q: the entries of a map have no order", path)
	case s.Index == wire.AllElements:
		return c.fan(fd, s, at)
	case s.Index >= 0:
		return c.element(fd, s, at)
	case repeated:
		ops, output, err := c.whole(fd, at)
		if err != nil {
			return nil, err
		}
		return ops, c.emit(s, output)
	}
	o, output, err := c.value(fd, at, optionalField, s.inner())
	if err != nil {
		return nil, err
	}
	o.tag = tagOf(fd, false)
	return []*op{o}, c.emit(s, output)
}

// inner returns the selection of the fields inside of the field that s selects: s itself, or nil
// (all fields) if s selects the whole field.
func (s *selection) inner() *selection {
	if s.column >= 0 {
		return nil
	}
	return s
}

// emit stores output in c.columns, under the column's name, if the path of a selected column ends
// at s.
func (c *compiler) emit(s *selection, output *output) error {
	if s.column >= 0 {
		output.name = c.names[s.column]
		c.columns[s.column] = output
	}
	return nil
}

// element returns the ops (how to decode a value, and where to store it) for a repeated field of
// which one element is selected (a path with [n]). The column of the element is NULL in rows with
// fewer elements.
func (c *compiler) element(fd protoreflect.FieldDescriptor, s *selection, at place) ([]*op, error) {
	counter := c.column(at, storeCount, false)
	o, output, err := c.value(fd, at, optionalElement, s.inner())
	if err != nil {
		return nil, err
	}
	if err := c.emit(s, output); err != nil {
		return nil, err
	}
	o.tag = tagOf(fd, false)
	ops := []*op{{tag: o.tag, action: doIndexed, col: counter, elem: o, index: s.Index, name: o.name}}
	if packable(fd) {
		ops = append(ops, &op{tag: tagOf(fd, true), action: doIndexedPacked, col: counter, elem: o, index: s.Index, name: o.name})
	}
	return ops, nil
}

// fan returns the ops (how to decode a value, and where to store it) for a repeated field whose
// elements all become rows of the batch.
func (c *compiler) fan(fd protoreflect.FieldDescriptor, s *selection, at place) ([]*op, error) {
	path := at.path + s.Name
	last := &c.d.chain[len(c.d.chain)-1]
	if last.level != at.level {
		// An earlier path already makes rows of a repeated field, so this path is an error. If both
		// paths name the same repeated field, one of them selects its whole elements, and the other
		// selects fields of the elements.
		i := slices.IndexFunc(c.d.chain, func(f fanned) bool { return f.path == path+"[]" })
		if i < 0 {
			return nil, base.Errorf(base.Invalid, "paths %q and %q: only one repeated field can make a row per element",
				last.path, path+"[]")
		}
		return nil, base.Errorf(base.Invalid, "paths %q: choose the element or its fields", path+"[]")
	}
	list := c.column(at, storeList, false)
	list.child = c.newLevel()
	c.d.chain = append(c.d.chain, fanned{level: list.child, list: list, path: path + "[]"})
	inside := place{level: list.child, flat: true, path: path + "[]."}
	if fd.IsMap() {
		if s.column >= 0 {
			return nil, base.Errorf(base.Invalid, "path %q: choose .key and .value of a map's entries", path+"[]")
		}
		sub, _, err := c.message(fd.Message(), s, inside)
		if err != nil {
			return nil, err
		}
		return c.mapOps(fd, list, sub)
	}
	o, output, err := c.value(fd, inside, alwaysPresent, s.inner())
	if err != nil {
		return nil, err
	}
	return listOps(fd, list, o), c.emit(s, output)
}

// whole returns the ops (how to decode a value, and where to store it) for a field with everything
// inside of it, and its column.
func (c *compiler) whole(fd protoreflect.FieldDescriptor, at place) ([]*op, *output, error) {
	if !fd.IsList() && !fd.IsMap() {
		o, output, err := c.value(fd, at, optionalField, nil)
		if err != nil {
			return nil, nil, err
		}
		o.tag = tagOf(fd, false)
		return []*op{o}, output, nil
	}
	if err := c.count(1); err != nil {
		return nil, nil, err
	}
	list := c.column(at, storeList, false)
	list.child = c.newLevel()
	output := &output{name: string(fd.Name()), shape: shapeList, col: list, level: at.level}
	inside := place{level: list.child, depth: at.depth + 1, path: at.path + string(fd.Name()) + "."}
	if !fd.IsMap() {
		o, element, err := c.value(fd, inside, alwaysPresent, nil)
		if err != nil {
			return nil, nil, err
		}
		output.fields = append(output.fields, element)
		return listOps(fd, list, o), output, nil
	}
	if err := c.count(1); err != nil {
		return nil, nil, err
	}
	inside.depth++
	sub, fields, err := c.message(fd.Message(), nil, inside)
	if err != nil {
		return nil, nil, err
	}
	output.shape, output.fields = shapeMap, fields
	ops, err := c.mapOps(fd, list, sub)
	return ops, output, err
}

// mapOps returns the op (how to decode a value, and where to store it) for the entries of a map.
// sub reads an entry. Keys are always read, because only the last entry of a key is retained.
func (c *compiler) mapOps(fd protoreflect.FieldDescriptor, list *column, sub *message) ([]*op, error) {
	key := sub.find(uint64(tagOf(fd.MapKey(), false)))
	if key == nil {
		o, _, err := c.value(fd.MapKey(), place{level: list.child}, optionalField, nil)
		if err != nil {
			return nil, err
		}
		o.tag = tagOf(fd.MapKey(), false)
		sub.add(o)
		key = o
	}
	list.keys.key = key.col
	return []*op{{tag: tagOf(fd, false), action: doMap, col: list, sub: sub, name: string(fd.Name())}}, nil
}

// listOps returns the ops (how to decode a value, and where to store it) of a repeated field. o is
// the op for one element.
func listOps(fd protoreflect.FieldDescriptor, list *column, o *op) []*op {
	o.tag = tagOf(fd, false)
	one := &op{tag: o.tag, action: doList, col: list, elem: o, name: o.name}
	switch o.action {
	case doMessage:
		one.action, one.sub = doMessageList, o.sub
	case doText:
		one.action = doTextList
	}
	if !packable(fd) {
		return []*op{one}
	}
	return []*op{one, {tag: tagOf(fd, true), action: doPacked, col: list, elem: o, name: o.name}}
}

// packable reports whether a repeated field's values may be packed in one length-delimited value.
func packable(fd protoreflect.FieldDescriptor) bool {
	return wireType(fd.Kind()) != protowire.BytesType && wireType(fd.Kind()) != protowire.StartGroupType
}

// tagOf returns the tag of one value of the field, or of its packed values.
func tagOf(fd protoreflect.FieldDescriptor, packed bool) uint32 {
	t := wireType(fd.Kind())
	if packed {
		t = protowire.BytesType
	}
	return uint32(fd.Number())<<3 | uint32(t)
}

// fanned is one level (sequence of rows) of those that the selected paths make. The first level has
// one row for each message. Each further level belongs to a path with [], and has one row for each
// element of a repeated field in the rows of the level before.
type fanned struct {
	level *level
	list  *column // the column of the repeated field in the level before; nil in the first level
	path  string
}
