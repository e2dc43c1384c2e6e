package encode

import "github.com/apache/arrow-go/v18/arrow"

// newPackNested returns the cell for a type made of other types; their values nest as JSON's do.
func newPackNested(field arrow.Field, dt arrow.DataType, depth int) (cell, error) {
	child := func(f arrow.Field) (cell, error) { return newPackCell(f, depth+1) }
	var err error
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		c := &dictCell{null: string([]byte{packNil})}
		c.values, err = child(arrow.Field{Type: dt.ValueType})
		return c, err
	case *arrow.RunEndEncodedType:
		c := &runCell{}
		c.values, err = child(arrow.Field{Type: dt.Encoded()})
		return c, err
	case *arrow.MapType:
		c := &packMaps{mapCell{object: isStringKey(dt.KeyField())}}
		if c.keys, err = child(dt.KeyField()); err != nil {
			return nil, err
		}
		c.items, err = child(dt.ItemField())
		return c, err
	case *arrow.StructType:
		names, cells, err := newPackMembers(dt.Fields(), child)
		return &packStructs{structCell{names: names, fields: cells}}, err
	case arrow.UnionType:
		names, cells, err := newPackMembers(dt.Fields(), child)
		return &packUnions{unionCell{names: names, fields: cells}}, err
	case arrow.ListLikeType:
		c := &packLists{}
		c.elements, err = child(dt.ElemField())
		return c, err
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, *arrow.DurationType:
		return newPackText(field, jsonStyle) // ISO 8601 is the text of JSON only
	}
	return newPackText(field, csvStyle)
}

// newPackMembers returns the packed name and the cell of each field. names is nil if no field has a
// name.
func newPackMembers(fields []arrow.Field, child func(arrow.Field) (cell, error)) (names []string, cells []cell, err error) {
	named := len(fields) == 0
	for _, f := range fields {
		c, err := child(f)
		if err != nil {
			return nil, nil, err
		}
		cells = append(cells, c)
		names = append(names, string(packText(nil, []byte(f.Name))))
		named = named || f.Name != ""
	}
	if !named {
		names = nil
	}
	return names, cells, nil
}

type packLists struct{ listCell }

func (c *packLists) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	start, end := c.list.ValueOffsets(i)
	dst = packArray(dst, int(end-start))
	for j := start; j < end; j++ {
		dst = c.elements.append(dst, int(j))
	}
	return dst
}

type packStructs struct{ structCell }

func (c *packStructs) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	if c.names == nil {
		dst = packArray(dst, len(c.fields))
	} else {
		dst = packMap(dst, len(c.fields))
	}
	for j, f := range c.fields {
		if c.names != nil {
			dst = append(dst, c.names[j]...)
		}
		dst = f.append(dst, i)
	}
	return dst
}

type packMaps struct{ mapCell }

func (c *packMaps) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	start, end := c.values.ValueOffsets(i)
	if c.object {
		dst = packMap(dst, int(end-start))
	} else {
		dst = packArray(dst, int(end-start))
	}
	for j := int(start); j < int(end); j++ {
		if c.object {
			dst = c.items.append(c.keys.append(dst, j), j)
			continue
		}
		dst = c.keys.append(packString(packMap(dst, 2), "key"), j)
		dst = c.items.append(packString(dst, "value"), j)
	}
	return dst
}

type packUnions struct{ unionCell }

func (c *packUnions) append(dst []byte, i int) []byte {
	member, row := c.at(i)
	if c.fields[member].isNull(row) {
		return append(dst, packNil)
	}
	if c.names == nil {
		return c.fields[member].append(dst, row)
	}
	return c.fields[member].append(append(packMap(dst, 1), c.names[member]...), row)
}
