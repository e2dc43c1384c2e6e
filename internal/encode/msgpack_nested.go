package encode

import "github.com/apache/arrow-go/v18/arrow"

// newPackNested returns the cell that appends values of a nested type as MessagePack. Values are
// nested as in JSON.
func newPackNested(field arrow.Field, dt arrow.DataType, depth int) (cell, error) {
	c, err := nesting{
		null:  string([]byte{packNil}),
		name:  packText,
		child: func(f arrow.Field, _ bool) (cell, error) { return newPackCell(f, depth+1) },
	}.cell(dt)
	if err != nil {
		return nil, err
	}
	switch c := c.(type) {
	case *mapCell:
		return &packMaps{*c}, nil
	case *structCell:
		return &packStructs{*c}, nil
	case *unionCell:
		return &packUnions{*c}, nil
	case *listCell:
		return &packLists{*c}, nil
	case nil:
		switch dt.(type) {
		case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, *arrow.DurationType:
			return newPackText(field, jsonStyle) // only jsonStyle writes intervals as ISO 8601
		}
		return newPackText(field, csvStyle)
	}
	return c, nil
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
