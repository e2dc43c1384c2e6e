package avro

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// action says how to decode the values of an Avro type.
type action uint8

const (
	doNull action = iota // doNull reads a null, which has no bytes and no column.
	doBool
	doInt
	doLong
	doFloat
	doDouble
	doString
	doBytes
	doFixed
	doSymbol // doSymbol reads an enum that is a column of the batch, as an index into a dictionary.
	doName   // doName reads an enum in a list or struct, as text.
	doRecord
	doEmpty // doEmpty reads a record without fields.
	doList
	doMap
	doUnion // doUnion reads a union that has more than one type apart from null.
	doDecimalBytes
	doDecimalFixed
	doUUIDString
	doUUIDFixed
	doTimeMillis
	doTimeMicros
	doMillis // doMillis reads a timestamp in milliseconds.
	doDuration
)

// maxDecimal is the maximum number of digits of a decimal column.
const maxDecimal = 38

// maxFixed is the maximum size in bytes of a value of the Avro type fixed. The limit is needed
// because the schema chooses the size, and a message may be much shorter.
const maxFixed = 1 << 20

var uuidType = extensions.NewUUIDType()

// compiler builds the tree of nodes for a schema. A node decodes the values of one type.
type compiler struct {
	// inside has the full names of the records around the current type, to find a record that
	// contains itself.
	inside  []string
	columns int
}

// compile returns the node (the decoder of one Avro type) for whole messages of a schema. It is the
// node of a record whose fields are the columns of the batch.
func compile(s hamba.Schema) (*node, error) {
	c := &compiler{}
	if record, ok := s.(*hamba.RecordSchema); ok {
		root := &node{action: doRecord}
		return root, c.record(root, record, 0, true)
	}
	value, err := c.node(valueColumn, s, 0, true, false)
	if err != nil {
		return nil, err
	}
	root := &node{action: doRecord}
	root.add(value)
	return root, nil
}

// node returns the node (the decoder of one Avro type) for values of type s. The argument name is
// the name of the field with these values. depth is the number of types around it. flat means that
// the values are a column of the batch. optional means that a type around it can be NULL.
func (c *compiler) node(name string, s hamba.Schema, depth int, flat, optional bool) (*node, error) {
	if depth > ingest.MaxNesting-4 {
		return nil, base.Errorf(base.Invalid, "field %s is nested too deep", name)
	}
	if u, ok := s.(*hamba.UnionSchema); ok {
		return c.union(name, u, depth, flat, optional)
	}
	if c.columns++; c.columns > ingest.MaxColumns {
		return nil, base.Errorf(base.TooLarge, "an Avro schema of more than %d columns", ingest.MaxColumns)
	}
	n := &node{name: name, bitmap: optional}
	if ref, ok := s.(*hamba.RefSchema); ok {
		s = ref.Schema()
	}
	var err error
	switch s := s.(type) {
	case *hamba.NullSchema:
		n.action = doNull
	case *hamba.PrimitiveSchema:
		err = n.primitive(s)
	case *hamba.FixedSchema:
		err = n.fixed(s)
	case *hamba.EnumSchema:
		n.action, n.typ, n.symbols, n.least = doSymbol, arrow.BinaryTypes.String, s.Symbols(), 1
		n.width = 32
		if !flat {
			n.action, n.width = doName, 32+8*longest(n.symbols)
		}
	case *hamba.RecordSchema:
		n.action = doRecord
		err = c.record(n, s, depth, false)
	case *hamba.ArraySchema:
		n.action, n.width, n.least = doList, 32, 1
		var element *node
		if element, err = c.node("item", s.Items(), depth+1, false, false); err == nil {
			n.fields = []*node{element}
			if element.action == doNull {
				err = base.Errorf(base.Invalid, "an array of nulls makes no column")
			}
		}
	case *hamba.MapSchema:
		n.action, n.width, n.least = doMap, 32, 1
		var value *node
		if value, err = c.node("value", s.Values(), depth+2, false, false); err == nil {
			n.fields = []*node{{name: "key", action: doString, typ: arrow.BinaryTypes.String, width: 32, least: 1}, value}
			if value.action == doNull {
				err = base.Errorf(base.Invalid, "a map of nulls makes no column")
			}
		}
	default:
		err = base.Errorf(base.Invalid, "type %s makes no column", s.Type())
	}
	if err != nil {
		return nil, base.Wrap(err, "field %s", name)
	}
	if n.bitmap {
		n.width++
	}
	return n, nil
}

// longest returns the size in bytes of the longest of the texts.
func longest(texts []string) int {
	n := 0
	for _, s := range texts {
		n = max(n, len(s))
	}
	return n
}

// record adds a node (the decoder of one Avro type) to n for each field of the record type s.
func (c *compiler) record(n *node, s *hamba.RecordSchema, depth int, flat bool) error {
	for _, around := range c.inside {
		if around == s.FullName() {
			return base.Errorf(base.Invalid, "record %s contains itself, which would need infinitely many columns", s.FullName())
		}
	}
	c.inside = append(c.inside, s.FullName())
	defer func() { c.inside = c.inside[:len(c.inside)-1] }()
	for _, f := range s.Fields() {
		if err := ingest.CheckName("column", f.Name()); err != nil {
			return err
		}
		field, err := c.node(f.Name(), f.Type(), depth+1, flat, n.bitmap)
		if err != nil {
			return err
		}
		n.add(field)
	}
	// The record has only fields of the type null. Its column says whether a record is present.
	if n.columns() == 0 && !flat {
		n.action, n.typ, n.width, n.fields, n.least = doEmpty, arrow.FixedWidthTypes.Boolean, 1, nil, 0
	}
	return nil
}

// union returns the node (the decoder of one Avro type) for values of the union u.
func (c *compiler) union(name string, u *hamba.UnionSchema, depth int, flat, optional bool) (*node, error) {
	types, null := u.Types(), -1
	var others []int
	for i, t := range types {
		if t.Type() == hamba.Null {
			null = i
		} else {
			others = append(others, i)
		}
	}
	switch len(others) {
	case 0:
		return &node{name: name, action: doNull, branches: len(types), least: 1}, nil
	case 1:
		n, err := c.node(name, types[others[0]], depth, flat, optional || null >= 0)
		if err != nil {
			return nil, err
		}
		n.branches, n.null, n.least = len(types), null, 1
		return n, nil
	}
	n := &node{name: name, action: doUnion, branches: len(types), null: null, bitmap: optional || null >= 0}
	if n.bitmap {
		n.width++
	}
	seen := make(map[string]struct{}, len(others))
	for _, i := range others {
		branch, full := branchNames(types[i])
		if _, ok := seen[branch]; ok {
			branch = full
		}
		seen[branch] = struct{}{}
		member, err := c.node(branch, types[i], depth+1, false, true)
		if err != nil {
			return nil, base.Wrap(err, "field %s", name)
		}
		n.add(member)
	}
	n.least = 1
	return n, nil
}

// branchNames returns the name of a union's branch, which is the name of its type, in two forms:
// without and with the namespace.
func branchNames(s hamba.Schema) (short, full string) {
	if ref, ok := s.(*hamba.RefSchema); ok {
		s = ref.Schema()
	}
	if named, ok := s.(hamba.NamedSchema); ok {
		return named.Name(), named.FullName()
	}
	return string(s.Type()), string(s.Type())
}

// logicalOf returns the logical type of a type in a schema, also if the parser does not know this
// logical type.
func logicalOf(s interface {
	Logical() hamba.LogicalSchema
	Prop(string) any
}) hamba.LogicalType {
	if l := s.Logical(); l != nil {
		return l.Type()
	}
	name, _ := s.Prop("logicalType").(string)
	return hamba.LogicalType(name)
}

// decimal sets up node n (the decoder of one Avro type) for a decimal column. The action a decodes
// its values, and l has the number of digits and the scale.
func (n *node) decimal(a action, l hamba.LogicalSchema) error {
	d, ok := l.(*hamba.DecimalLogicalSchema)
	if !ok {
		return nil // an invalid decimal has no logical type, as Avro specifies
	}
	if d.Precision() > maxDecimal {
		return base.Errorf(base.Invalid, "a decimal of %d digits, more than %d", d.Precision(), maxDecimal)
	}
	n.action, n.typ, n.width = a, &arrow.Decimal128Type{Precision: int32(d.Precision()), Scale: int32(d.Scale())}, 128
	n.limit = powerOfTen(d.Precision())
	return nil
}

// fixed sets up node n (the decoder of one Avro type) for a column of the Avro type fixed.
func (n *node) fixed(s *hamba.FixedSchema) error {
	if s.Size() < 0 || s.Size() > maxFixed {
		return base.Errorf(base.Invalid, "a fixed of %d bytes, more than %d", s.Size(), maxFixed)
	}
	n.size, n.least = s.Size(), s.Size()
	n.action, n.typ, n.width = doFixed, arrow.BinaryTypes.Binary, 32
	switch logicalOf(s) {
	case hamba.Decimal:
		return n.decimal(doDecimalFixed, s.Logical())
	case hamba.Duration:
		if n.size == 12 {
			n.action, n.typ, n.width = doDuration, arrow.FixedWidthTypes.MonthDayNanoInterval, 128
		}
	case hamba.UUID:
		if n.size == 16 {
			n.action, n.typ, n.width = doUUIDFixed, uuidType, 128
		}
	}
	return nil
}

// primitives says how to decode values of Avro's primitive types that have no logical type.
var primitives = map[hamba.Type]struct {
	action action
	typ    arrow.DataType
	width  int // width is the number of bits of a row in the column's fixed-width buffer.
	least  int // least is the smallest size of an encoded value in bytes.
}{
	hamba.Boolean: {doBool, arrow.FixedWidthTypes.Boolean, 1, 1},
	hamba.Int:     {doInt, arrow.PrimitiveTypes.Int32, 32, 1},
	hamba.Long:    {doLong, arrow.PrimitiveTypes.Int64, 64, 1},
	hamba.Float:   {doFloat, arrow.PrimitiveTypes.Float32, 32, 4},
	hamba.Double:  {doDouble, arrow.PrimitiveTypes.Float64, 64, 8},
	hamba.String:  {doString, arrow.BinaryTypes.String, 32, 1},
	hamba.Bytes:   {doBytes, arrow.BinaryTypes.Binary, 32, 1},
}

// These are Arrow types for logical types. The values of such a logical type are decoded like those
// of its base type, and only the Arrow type differs.
var (
	localMicros = &arrow.TimestampType{Unit: arrow.Microsecond}
	localNanos  = &arrow.TimestampType{Unit: arrow.Nanosecond}
)

// primitive sets up node n (the decoder of one Avro type) for a column of the primitive type s.
func (n *node) primitive(s *hamba.PrimitiveSchema) error {
	p := primitives[s.Type()]
	n.action, n.typ, n.width, n.least = p.action, p.typ, p.width, p.least
	switch l := logicalOf(s); s.Type() {
	case hamba.Int:
		switch l {
		case hamba.Date:
			n.typ = arrow.FixedWidthTypes.Date32
		case hamba.TimeMillis:
			n.action, n.typ, n.width = doTimeMillis, arrow.FixedWidthTypes.Time64us, 64
		}
	case hamba.Long:
		switch l {
		case hamba.TimeMicros:
			n.action, n.typ = doTimeMicros, arrow.FixedWidthTypes.Time64us
		case hamba.TimestampMillis:
			n.action, n.typ = doMillis, ingest.TimestampUS
		case hamba.TimestampMicros:
			n.typ = ingest.TimestampUS
		case "timestamp-nanos":
			n.typ = ingest.TimestampNS
		case hamba.LocalTimestampMillis:
			n.action, n.typ = doMillis, localMicros
		case hamba.LocalTimestampMicros:
			n.typ = localMicros
		case "local-timestamp-nanos":
			n.typ = localNanos
		}
	case hamba.String:
		if l == hamba.UUID {
			n.action, n.typ, n.width = doUUIDString, uuidType, 128
		}
	case hamba.Bytes:
		if l == hamba.Decimal {
			return n.decimal(doDecimalBytes, s.Logical())
		}
	}
	return nil
}
