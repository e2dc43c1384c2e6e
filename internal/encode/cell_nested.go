package encode

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/encoded"
	"github.com/scoterdb/scoter/internal/base"
)

// nesting says how a format (text or MessagePack) writes nested values.
type nesting struct {
	null string // null is the text or bytes that the format writes for NULL.
	// name appends the encoded name of a struct field or union member to dst.
	name func(dst, name []byte) []byte
	// child returns the cell that writes the values of a child of a nested type. The argument
	// inside is true for children of lists, structs, maps and unions. It is false for the values of
	// dictionaries and of run-end encoded arrays.
	child func(field arrow.Field, inside bool) (cell, error)
}

// newNestedCell returns the cell that writes values of a nested type as text. Values inside of
// other values are always written as JSON.
func newNestedCell(field arrow.Field, dt arrow.DataType, st style, depth int) (cell, error) {
	c, err := nesting{
		null: nullText,
		name: func(dst, name []byte) []byte { return append(appendJSONString(dst, name), ':') },
		child: func(f arrow.Field, inside bool) (cell, error) {
			if inside {
				return newCell(f, jsonStyle, depth+1)
			}
			return newCell(f, st, depth+1)
		},
	}.cell(dt)
	if c == nil && err == nil {
		err = base.Errorf(base.Invalid, "type %s cannot be written as text", field.Type)
	}
	return c, err
}

// cell returns the cell (writer of values) for a type that contains other types: a dictionary,
// run-end encoded type, map, struct, union or list. For all other types it returns nil. The cells
// of lists, maps, structs and unions write JSON's brackets and braces.
func (n nesting) cell(dt arrow.DataType) (cell, error) {
	var err error
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		c := &dictCell{null: n.null}
		c.values, err = n.child(arrow.Field{Type: dt.ValueType}, false)
		return c, err
	case *arrow.RunEndEncodedType:
		c := &runCell{}
		c.values, err = n.child(arrow.Field{Type: dt.Encoded()}, false)
		return c, err
	case *arrow.MapType:
		c := &mapCell{object: isStringKey(dt.KeyField())}
		if c.keys, err = n.child(dt.KeyField(), true); err != nil {
			return nil, err
		}
		c.items, err = n.child(dt.ItemField(), true)
		return c, err
	case *arrow.StructType:
		c := &structCell{}
		c.names, c.fields, err = n.members(dt.Fields())
		return c, err
	case arrow.UnionType:
		c := &unionCell{}
		c.names, c.fields, err = n.members(dt.Fields())
		return c, err
	case arrow.ListLikeType:
		c := &listCell{}
		c.elements, err = n.child(dt.ElemField(), true)
		return c, err
	}
	return nil, nil
}

// members prepares writing the fields of a struct or union. For each field it returns the name as
// the output format writes it, and the cell that writes the field's values. The result names is nil
// if no field has a name.
func (n nesting) members(fields []arrow.Field) (names []string, cells []cell, err error) {
	named := len(fields) == 0
	for _, f := range fields {
		c, err := n.child(f, true)
		if err != nil {
			return nil, nil, base.Wrap(err, "field %q", f.Name)
		}
		cells = append(cells, c)
		names = append(names, string(n.name(nil, []byte(f.Name))))
		named = named || f.Name != ""
	}
	if !named {
		names = nil
	}
	return names, cells, nil
}

// indices reads the indices of a dictionary array. An index may have 1, 2, 4 or 8 bytes.
type indices struct {
	raw   []byte
	width int
	rows  int
}

func (x *indices) bindIndices(arr *array.Dictionary) {
	data := arr.Indices().Data()
	x.width = arr.DataType().(*arrow.DictionaryType).IndexType.(arrow.FixedWidthDataType).Bytes()
	x.rows, x.raw = data.Len(), nil
	if data.Len() > 0 {
		x.raw = data.Buffers()[1].Bytes()[data.Offset()*x.width : (data.Offset()+data.Len())*x.width]
	}
}

// at returns the dictionary index of row i. It assumes a little-endian machine, as Arrow's C data
// interface and DuckDB's builds for the supported platforms do.
func (x *indices) at(i int) int {
	switch x.width {
	case 1:
		return int(x.raw[i])
	case 2:
		return int(arrow.Uint16Traits.CastFromBytes(x.raw)[i])
	case 4:
		return int(arrow.Uint32Traits.CastFromBytes(x.raw)[i])
	}
	return int(arrow.Uint64Traits.CastFromBytes(x.raw)[i])
}

// dictCell writes the values of a dictionary array. If the batch has at least as many rows as the
// dictionary has values, it encodes each value of the dictionary once, and then copies the encoded
// values.
type dictCell struct {
	nulls
	indices
	null    string // null is what the format writes for NULL.
	values  cell
	printed []byte
	// ends[i] is the offset in printed at which the encoded value i of the dictionary ends. ends is
	// empty if the cell encodes the value of each row.
	ends []int32
}

// maxPrinted is the maximum total size in bytes of the encoded values of a dictionary. If they are
// larger, the cell encodes the value of each row.
const maxPrinted = 1 << 20

func (c *dictCell) bind(arr arrow.Array) {
	dict := unwrap(arr).(*array.Dictionary)
	c.bindNulls(dict)
	c.bindIndices(dict)
	values := dict.Dictionary()
	c.values.bind(values)
	c.printed, c.ends = c.printed[:0], c.ends[:0]
	if values.Len() > c.rows {
		return
	}
	for i := range values.Len() {
		c.printed = c.values.append(c.printed, i)
		if len(c.printed) > maxPrinted {
			c.printed, c.ends = nil, c.ends[:0]
			return
		}
		c.ends = append(c.ends, int32(len(c.printed)))
	}
}

// isNull reports whether the value of row i is NULL: the row itself is NULL, or it refers to a NULL
// in the dictionary.
func (c *dictCell) isNull(i int) bool { return c.nulls.isNull(i) || c.values.isNull(c.at(i)) }

func (c *dictCell) append(dst []byte, i int) []byte {
	if c.nulls.isNull(i) {
		return append(dst, c.null...)
	}
	index := c.at(i)
	if len(c.ends) == 0 {
		return c.values.append(dst, index)
	}
	start := int32(0)
	if index > 0 {
		start = c.ends[index-1]
	}
	return append(dst, c.printed[start:c.ends[index]]...)
}

// runCell writes the values of run-end encoded arrays. Such an array stores each run of equal
// values once.
type runCell struct {
	values cell
	runs   *array.RunEndEncoded
}

func (c *runCell) bind(arr arrow.Array) {
	c.runs = unwrap(arr).(*array.RunEndEncoded)
	c.values.bind(c.runs.Values())
}

func (c *runCell) at(i int) int {
	return encoded.FindPhysicalIndex(c.runs.Data(), i+c.runs.Data().Offset())
}

func (c *runCell) isNull(i int) bool               { return c.values.isNull(c.at(i)) }
func (c *runCell) append(dst []byte, i int) []byte { return c.values.append(dst, c.at(i)) }

// listCell writes lists. It supports all of Arrow's layouts of lists: lists, large lists,
// fixed-size lists and list views.
type listCell struct {
	nulls
	list     array.ListLike
	elements cell
}

func (c *listCell) bind(arr arrow.Array) {
	c.list = unwrap(arr).(array.ListLike)
	c.bindNulls(c.list)
	c.elements.bind(c.list.ListValues())
}

func (c *listCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	dst = append(dst, '[')
	start, end := c.list.ValueOffsets(i)
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		dst = c.elements.append(dst, int(j))
	}
	return append(dst, ']')
}

type structCell struct {
	nulls
	// names[i] is the encoded name of field i of the struct. names is nil if no field has a name.
	names  []string
	fields []cell
}

func (c *structCell) bind(arr arrow.Array) {
	s := unwrap(arr).(*array.Struct)
	c.bindNulls(s)
	for j, f := range c.fields {
		f.bind(s.Field(j))
	}
}

func (c *structCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	opening, closing := byte('{'), byte('}')
	if c.names == nil && len(c.fields) > 0 {
		opening, closing = '[', ']'
	}
	dst = append(dst, opening)
	for j, f := range c.fields {
		if j > 0 {
			dst = append(dst, ',')
		}
		if c.names != nil {
			dst = append(dst, c.names[j]...)
		}
		dst = f.append(dst, i)
	}
	return append(dst, closing)
}

type mapCell struct {
	nulls
	object bool
	values *array.Map
	keys   cell
	items  cell
}

func (c *mapCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.Map)
	c.bindNulls(c.values)
	c.keys.bind(c.values.Keys())
	c.items.bind(c.values.Items())
}

func (c *mapCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	start, end := c.values.ValueOffsets(i)
	if c.object {
		return c.appendObject(dst, int(start), int(end))
	}
	dst = append(dst, '[')
	for j := int(start); j < int(end); j++ {
		if j > int(start) {
			dst = append(dst, ',')
		}
		dst = c.keys.append(append(dst, `{"key":`...), j)
		dst = c.items.append(append(dst, `,"value":`...), j)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (c *mapCell) appendObject(dst []byte, start, end int) []byte {
	dst = append(dst, '{')
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		// Arrow and DuckDB forbid NULL as a key of a map. If an array has one, the JSON stays
		// valid.
		if c.keys.isNull(j) {
			dst = append(dst, `""`...)
		} else {
			dst = c.keys.append(dst, j)
		}
		dst = c.items.append(append(dst, ':'), j)
	}
	return append(dst, '}')
}

// unionCell writes a union as an object with one member, whose name is the tag. Arrow's unions have
// no validity bitmap: the value is NULL if its member is NULL.
type unionCell struct {
	names  []string
	fields []cell
	union  array.Union
	// dense is the union array if it has Arrow's dense layout, in which each row has an offset into
	// the array of its member. It is nil for the sparse layout.
	dense *array.DenseUnion
}

func (c *unionCell) bind(arr arrow.Array) {
	c.union = unwrap(arr).(array.Union)
	c.dense, _ = c.union.(*array.DenseUnion)
	for j, f := range c.fields {
		f.bind(c.union.Field(j))
	}
}

// at returns the index of the member that row i of the union has, and the row of the value in that
// member's array.
func (c *unionCell) at(i int) (member, row int) {
	member = c.union.ChildID(i)
	if c.dense != nil {
		return member, int(c.dense.ValueOffset(i))
	}
	// In a sparse union, the value is in row i of the member's array, too. That also holds if the
	// union is a slice, because arrow-go's method Field then returns a slice of the member's array.
	return member, i
}

func (c *unionCell) isNull(i int) bool {
	member, row := c.at(i)
	return c.fields[member].isNull(row)
}

func (c *unionCell) append(dst []byte, i int) []byte {
	member, row := c.at(i)
	if c.fields[member].isNull(row) {
		return append(dst, nullText...)
	}
	if c.names == nil {
		return c.fields[member].append(dst, row)
	}
	dst = append(append(dst, '{'), c.names[member]...)
	return append(c.fields[member].append(dst, row), '}')
}
