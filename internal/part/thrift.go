package part

// compact reads Thrift's compact protocol, the format of Parquet's footers and page headers
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). It reads
// only the requested fields and skips the rest, because building all objects of a part's footer
// would take longer than a lookup of a key. On damaged data it panics (see parse) or returns wrong
// values.
type compact struct {
	data  []byte
	depth int
}

// The codes of field and element types in the compact protocol.
const (
	compactTrue, compactFalse = 1, 2
	compactByte, compactI16   = 3, 4
	compactI32, compactI64    = 5, 6
	compactDouble             = 7
	compactBinary             = 8
	compactList, compactSet   = 9, 10
	compactMap, compactStruct = 11, 12
)

// mostNested bounds how deep skipped values may be nested, so that damaged data cannot exhaust the
// stack. Parquet nests only a handful of levels.
const mostNested = 32

func (c *compact) uvarint() (v uint64) {
	v, c.data = uvarint(c.data)
	return v
}

// integer reads an i16, i32 or i64.
func (c *compact) integer() (v int64) {
	v, c.data = varint(c.data)
	return v
}

func (c *compact) byte() byte {
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

// binary returns a string or byte array as a slice of the input.
func (c *compact) binary() []byte {
	n := c.uvarint()
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

// fields calls f with the id of each field of a struct. f reads the field, or returns false to skip
// it.
func (c *compact) fields(f func(id int) bool) {
	id := 0
	for {
		head := c.byte()
		if head == 0 {
			return
		}
		if more := int(head >> 4); more > 0 {
			id += more
		} else {
			id = int(c.integer())
		}
		if !f(id) {
			c.skip(head & 0xf)
		}
	}
}

// list calls f for each element of a list of structs. f reads the element.
func (c *compact) list(f func()) {
	for n, _ := c.listHead(); n > 0; n-- {
		f()
	}
}

func (c *compact) listHead() (n uint64, kind byte) {
	head := c.byte()
	if n = uint64(head >> 4); n == 15 {
		n = c.uvarint()
	}
	return n, head & 0xf
}

func (c *compact) skip(kind byte) {
	if c.depth++; c.depth > mostNested {
		panic("nested too deeply")
	}
	defer func() { c.depth-- }()
	switch kind {
	case compactTrue, compactFalse: // a boolean field's type is its value: no bytes follow
	case compactByte:
		c.byte()
	case compactI16, compactI32, compactI64:
		c.uvarint()
	case compactDouble:
		c.data = c.data[8:]
	case compactBinary:
		c.binary()
	case compactList, compactSet:
		for n, kind := c.listHead(); n > 0; n-- {
			c.skipElement(kind)
		}
	case compactMap:
		if n := c.uvarint(); n > 0 {
			for kinds := c.byte(); n > 0; n-- {
				c.skipElement(kinds >> 4)
				c.skipElement(kinds & 0xf)
			}
		}
	case compactStruct:
		c.fields(func(int) bool { return false })
	default:
		panic("a field of an unknown type")
	}
}

// skipElement skips an element of a list, set or map. Unlike a field, a boolean element takes a
// byte.
func (c *compact) skipElement(kind byte) {
	if kind == compactTrue || kind == compactFalse {
		kind = compactByte
	}
	c.skip(kind)
}
