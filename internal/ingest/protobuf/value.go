package protobuf

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// presence says what a row contains if the message does not have the field.
type presence uint8

const (
	// optionalField means that rows of messages without the field have NULL or the field's default
	// value, as the field's descriptor says.
	optionalField presence = iota
	// optionalElement is for one element of a repeated field: rows of messages with fewer elements
	// have NULL, even if the field has a default value.
	optionalElement
	// alwaysPresent means that no row lacks the value, for example because the rows are the
	// elements of a repeated field.
	alwaysPresent
)

// kinds says, for each scalar kind of protobuf, how values are decoded and stored, and their Arrow
// type.
var kinds = map[protoreflect.Kind]struct {
	wire   protowire.Type
	action action
	store  store
	typ    arrow.DataType
}{
	protoreflect.BoolKind:     {protowire.VarintType, doBool, storeBits, arrow.FixedWidthTypes.Boolean},
	protoreflect.EnumKind:     {protowire.VarintType, doEnum, storeEnum, arrow.BinaryTypes.String},
	protoreflect.Int32Kind:    {protowire.VarintType, doVarint32, store32, arrow.PrimitiveTypes.Int32},
	protoreflect.Sint32Kind:   {protowire.VarintType, doZigzag32, store32, arrow.PrimitiveTypes.Int32},
	protoreflect.Uint32Kind:   {protowire.VarintType, doVarint32, store32, arrow.PrimitiveTypes.Uint32},
	protoreflect.Int64Kind:    {protowire.VarintType, doVarint64, store64, arrow.PrimitiveTypes.Int64},
	protoreflect.Sint64Kind:   {protowire.VarintType, doZigzag64, store64, arrow.PrimitiveTypes.Int64},
	protoreflect.Uint64Kind:   {protowire.VarintType, doVarint64, store64, arrow.PrimitiveTypes.Uint64},
	protoreflect.Sfixed32Kind: {protowire.Fixed32Type, doFixed32, store32, arrow.PrimitiveTypes.Int32},
	protoreflect.Fixed32Kind:  {protowire.Fixed32Type, doFixed32, store32, arrow.PrimitiveTypes.Uint32},
	protoreflect.FloatKind:    {protowire.Fixed32Type, doFixed32, store32, arrow.PrimitiveTypes.Float32},
	protoreflect.Sfixed64Kind: {protowire.Fixed64Type, doFixed64, store64, arrow.PrimitiveTypes.Int64},
	protoreflect.Fixed64Kind:  {protowire.Fixed64Type, doFixed64, store64, arrow.PrimitiveTypes.Uint64},
	protoreflect.DoubleKind:   {protowire.Fixed64Type, doFixed64, store64, arrow.PrimitiveTypes.Float64},
	protoreflect.StringKind:   {protowire.BytesType, doText, storeText, arrow.BinaryTypes.String},
	protoreflect.BytesKind:    {protowire.BytesType, doBytes, storeBytes, arrow.BinaryTypes.Binary},
}

func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return kinds[k].wire
}

// value returns an op (how to decode a value, and where to store it) for one value of the field fd,
// and the column for the value. The caller sets the tag of the op. The argument at says where the
// fields of the message around fd are stored. If the selection want has columns inside of the
// field, there is no column for the field itself.
func (c *compiler) value(fd protoreflect.FieldDescriptor, at place, how presence, want *selection) (*op, *output, error) {
	optional := how == optionalElement || how == optionalField && fd.HasPresence() && !fd.ContainingMessage().IsMapEntry()
	o, output, err := c.typed(fd, at, how, optional, want)
	if err != nil {
		return nil, nil, err
	}
	o.name = string(fd.Name())
	if optional {
		o.flags |= flagPresent
		if fd.Cardinality() == protoreflect.Required {
			c.d.required = append(c.d.required, requirement{at.level, at.present, o.col, at.path + o.name})
		}
	}
	if output != nil {
		output.name, output.level = o.name, at.level
	}
	if fd.Kind() == protoreflect.GroupKind {
		o = &op{action: doGroup, flags: o.flags, col: o.col, elem: o, name: o.name}
	}
	return o, output, nil
}

func (c *compiler) typed(fd protoreflect.FieldDescriptor, at place, how presence, optional bool, want *selection) (*op, *output, error) {
	md := fd.Message()
	if md == nil {
		if want != nil {
			return nil, nil, base.Errorf(base.Invalid, "path %q: %s has no fields", at.path+string(fd.Name()), fd.Kind())
		}
		return c.scalar(fd, at, optional, how == optionalField && !optional)
	}
	if want != nil {
		return c.inside(fd, at, optional, want)
	}
	if err := c.count(1); err != nil {
		return nil, nil, err
	}
	flat := func(a action, s store, t arrow.DataType) (*op, *output, error) {
		col := c.column(at, s, optional)
		return &op{action: a, col: col}, &output{typ: t, col: col}, nil
	}
	switch a, _ := isTime(md); a {
	case doTimestamp:
		o, output, err := flat(a, storeTime, ingest.TimestampUS)
		c.d.times = append(c.d.times, o.col)
		return o, output, err
	case doDuration:
		return flat(a, store64, arrow.PrimitiveTypes.Int64)
	}
	if inner := wrapped(md); inner != nil {
		o, output, err := c.scalar(inner, at, optional, !optional)
		if err != nil {
			return nil, nil, err
		}
		o.tag, o.name = tagOf(inner, false), "value"
		sub := &message{}
		sub.add(o)
		return &op{action: doWrapper, col: o.col, sub: sub}, output, nil
	}
	if md.Fields().Len() == 0 {
		o, output, err := flat(doEmpty, storeEmpty, arrow.FixedWidthTypes.Boolean)
		o.sub = &message{}
		return o, output, err
	}
	if at.depth > maxDepth || c.expanded(md) > c.d.plan.options.Recursion {
		return flat(doRaw, storeBytes, arrow.BinaryTypes.Binary)
	}
	col, fields := c.structure(fd, at, optional)
	fields.flat, fields.depth = false, at.depth+1
	sub, outputs, err := c.message(md, nil, fields)
	if err != nil {
		return nil, nil, err
	}
	return &op{action: doMessage, col: col, sub: sub}, &output{shape: shapeStruct, col: col, fields: outputs}, nil
}

// expanded returns how often the message type md occurs among the messages around the current one.
func (c *compiler) expanded(md protoreflect.MessageDescriptor) int {
	n := 0
	for _, t := range c.types {
		if t == md.FullName() {
			n++
		}
	}
	return n
}

// structure returns the column that says whether a message is present, and the place for the
// columns of its fields. The column is nil if the message is always present.
func (c *compiler) structure(fd protoreflect.FieldDescriptor, at place, optional bool) (*column, place) {
	fields := at
	fields.path += string(fd.Name()) + "."
	if !optional {
		return nil, fields
	}
	col := c.column(at, storeNone, true)
	fields.present = col
	return col, fields
}

// inside returns the op (how to decode a field, and where to store it) for a message of which the
// selection want selects only some columns.
func (c *compiler) inside(fd protoreflect.FieldDescriptor, at place, optional bool, want *selection) (*op, *output, error) {
	col, fields := c.structure(fd, at, optional)
	sub, _, err := c.message(fd.Message(), want, fields)
	if err != nil {
		return nil, nil, err
	}
	return &op{action: doMessage, col: col, sub: sub}, nil, nil
}

// scalar returns the op (how to decode a field, and where to store it) for a scalar field, and its
// column. If the argument implicit is true, rows without a value have the default.
func (c *compiler) scalar(fd protoreflect.FieldDescriptor, at place, optional, implicit bool) (*op, *output, error) {
	k := kinds[fd.Kind()]
	a, s, arrays := k.action, k.store, 1
	if a == doText && at.flat {
		a, s, arrays = doDict, storeDict, 2
	}
	if err := c.count(arrays); err != nil {
		return nil, nil, err
	}
	col := c.column(at, s, optional)
	if s == storeDict || s == storeEnum {
		col.implicit = implicit
	}
	if s == storeEnum {
		absent := protoreflect.EnumNumber(0)
		if implicit {
			absent = fd.Default().Enum()
		}
		col.enum = newEnumerators(fd.Enum(), absent)
		if col.nested = !at.flat; col.nested {
			at.level.limit = min(at.level.limit, math.MaxInt32/col.enum.longest())
		}
	}
	return &op{action: a, col: col}, &output{typ: k.typ, col: col}, nil
}
