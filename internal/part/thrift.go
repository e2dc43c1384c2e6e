package part

// compact reads Thrift's compact protocol, the format of Parquet's footers and page headers
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). It reads
// only the requested fields and skips the rest, because building all objects of a part's footer
// would take longer than a lookup of a key. If the data is damaged, it panics (see parse) or
// returns wrong values.
type compact struct {
	data  []byte
	depth int
}

// These are the codes of field and element types in Thrift's compact protocol.
const (
	compactTrue, compactFalse = 1, 2
	compactByte, compactI16   = 3, 4
	compactI32, compactI64    = 5, 6
	compactDouble             = 7
	compactBinary             = 8
	compactList, compactSet   = 9, 10
	compactMap, compactStruct = 11, 12
)

// mostNested is the maximum depth of nested values that are skipped, so that damaged data cannot
// exhaust the stack. Parquet nests only a few levels.
const mostNested = 32

func (c *compact) uvarint() (v uint64) {
	v, c.data = uvarint(c.data)
	return v
}

// integer reads a Thrift integer of 16, 32 or 64 bits.
func (c *compact) integer() (v int64) {
	v, c.data = varint(c.data)
	return v
}

func (c *compact) byte() byte {
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

// binary reads a string or byte array, and returns it as a slice of the input.
func (c *compact) binary() []byte {
	n := c.uvarint()
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

// fields reads a struct. It calls the function f with the id of each field. That function either
// reads the field and returns true, or returns false, so that the field is skipped.
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

// list reads a list of structs. It calls the function f for each element, which f must read.
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
	case compactTrue, compactFalse: // the type of a boolean field is its value, so no bytes follow
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

// skipElement skips an element of a list, set or map. A boolean element takes a byte, unlike a
// boolean field.
func (c *compact) skipElement(kind byte) {
	if kind == compactTrue || kind == compactFalse {
		kind = compactByte
	}
	c.skip(kind)
}
