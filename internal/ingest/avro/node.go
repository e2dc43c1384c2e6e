package avro

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// node decodes the values of one Avro type and collects them in one column. After each message, all
// columns of the same level (the messages, or the elements of one array) have the same number of
// rows. Buffers have Arrow's layout.
type node struct {
	action action
	// bitmap says that the column has a validity bitmap, because the value or a value around it can
	// be NULL.
	bitmap bool
	rows   int

	valid []byte
	bits  []byte // bits has the values of a column of booleans.
	w32   []uint32
	// w64 has values of 64 bits. A decimal, a UUID and a value of the Avro type duration (months,
	// days and nanoseconds) take two elements each.
	w64 []uint64
	// offsets has one more element than there are rows. It is for texts, lists and maps.
	offsets []int32
	data    []byte

	// branches is the number of branches of the union around the type. It is 0 if there is no
	// union.
	branches int
	null     int // null is the number of the union's null branch, or -1 if there is none.
	size     int // size is the size in bytes of a value of the Avro type fixed.
	// keys has the keys of the current row of a map, to find duplicates. It is used only if the row
	// has more than manyKeys entries.
	keys    map[string]struct{}
	symbols []string
	// limit is 10^digits for a decimal type with this number of digits. The absolute values of the
	// type are below it.
	limit uint128
	// fields are the nodes inside of this node: the fields of a record, the branches of a union
	// except null, the element of an array, or the key and the value of a map.
	fields []*node

	name string
	typ  arrow.DataType // typ is the Arrow type. It is nil for records, unions, arrays and maps.
	// width is the number of bits that one row takes in fixed-width buffers. For a record or union,
	// the rows of its fields are included.
	width int
	least int // least is the smallest size of an encoded value in bytes.
	// hint is the number of bytes of data in the last batch, from which memory for the next is
	// estimated.
	hint int
	// grown is the number of rows in the last batch, from which memory for the next is estimated.
	grown int
}

// add adds a node for a field to n, which is a record or union.
func (n *node) add(field *node) {
	n.fields = append(n.fields, field)
	n.width += field.width
	n.least += field.least
}

// columns returns how many of the fields of n have a column. A null field has none.
func (n *node) columns() int {
	count := 0
	for _, f := range n.fields {
		if f.action != doNull {
			count++
		}
	}
	return count
}

// reset drops all rows that the node (the decoder of one Avro type) has collected. It allocates
// memory for as many rows as there were, because the next batch is likely to be as large.
func (n *node) reset() {
	if n.rows > 0 {
		n.grown, n.hint = n.rows+n.rows/32, len(n.data)+len(n.data)/32
	}
	n.rows = 0
	n.valid, n.bits, n.w32, n.w64, n.offsets, n.data = nil, nil, nil, nil, nil, nil
	if n.bitmap {
		n.valid = make([]byte, 0, n.grown/8+1)
	}
	switch n.action {
	case doBool, doEmpty:
		n.bits = make([]byte, 0, n.grown/8+1)
	case doInt, doFloat, doSymbol:
		n.w32 = make([]uint32, 0, n.grown)
	case doLong, doDouble, doTimeMillis, doTimeMicros, doMillis:
		n.w64 = make([]uint64, 0, n.grown)
	case doDecimalBytes, doDecimalFixed, doUUIDString, doUUIDFixed, doDuration:
		n.w64 = make([]uint64, 0, 2*n.grown)
	case doString, doBytes, doFixed, doName:
		n.data = make([]byte, 0, n.hint)
		n.offsets = make([]int32, 1, n.grown+1)
	case doList, doMap:
		n.offsets = make([]int32, 1, n.grown+1)
	}
	for _, f := range n.fields {
		f.reset()
	}
}

// appendBit appends the bit for the row number row to a bitmap, which already has the bits of all
// rows before it.
func appendBit(bits []byte, row int, set bool) []byte {
	if row&7 == 0 {
		bits = append(bits, 0)
	}
	if set {
		bits[row>>3] |= 1 << (row & 7)
	}
	return bits
}

// truncateBits drops the bits of the given row and of all later rows from a bitmap.
func truncateBits(bits []byte, row int) []byte {
	bits = bits[:(row+7)/8]
	if row&7 != 0 {
		bits[row>>3] &= 1<<(row&7) - 1
	}
	return bits
}

// appendNull appends a NULL row: a zero and, if the column has a bitmap, a bit that says NULL.
func (n *node) appendNull() {
	if n.bitmap {
		n.valid = appendBit(n.valid, n.rows, false)
	}
	switch n.action {
	case doBool, doEmpty:
		n.bits = appendBit(n.bits, n.rows, false)
	case doInt, doFloat, doSymbol:
		n.w32 = append(n.w32, 0)
	case doLong, doDouble, doTimeMillis, doTimeMicros, doMillis:
		n.w64 = append(n.w64, 0)
	case doDecimalBytes, doDecimalFixed, doUUIDString, doUUIDFixed, doDuration:
		n.w64 = append(n.w64, 0, 0)
	case doString, doBytes, doFixed, doName, doList, doMap:
		n.offsets = append(n.offsets, n.offsets[n.rows])
	case doRecord, doUnion:
		for _, f := range n.fields {
			f.appendNull()
		}
	}
	n.rows++
}

// truncate drops the given row and all later rows. It is called if a row could not be decoded,
// which may have left values in only some of the buffers.
func (n *node) truncate(row int) {
	if n.bitmap {
		n.valid = truncateBits(n.valid, row)
	}
	switch n.action {
	case doBool, doEmpty:
		n.bits = truncateBits(n.bits, row)
	case doInt, doFloat, doSymbol:
		n.w32 = n.w32[:row]
	case doLong, doDouble, doTimeMillis, doTimeMicros, doMillis:
		n.w64 = n.w64[:row]
	case doDecimalBytes, doDecimalFixed, doUUIDString, doUUIDFixed, doDuration:
		n.w64 = n.w64[:2*row]
	case doString, doBytes, doFixed, doName:
		n.offsets = n.offsets[:row+1]
		n.data = n.data[:n.offsets[row]]
	case doList, doMap:
		n.offsets = n.offsets[:row+1]
		for _, f := range n.fields {
			f.truncate(int(n.offsets[row]))
		}
	case doRecord, doUnion:
		for _, f := range n.fields {
			f.truncate(row)
		}
	}
	n.rows = row
}

// bytes returns roughly how many bytes of memory the node (the decoder of one Avro type) uses for
// the rows that it has collected.
func (n *node) bytes() int64 {
	total := int64(len(n.valid)+len(n.bits)+len(n.data)) + 4*int64(len(n.w32)+len(n.offsets)) + 8*int64(len(n.w64))
	for _, f := range n.fields {
		total += f.bytes()
	}
	return total
}

// uint128 is a number of 128 bits.
type uint128 struct{ hi, lo uint64 }

func (a uint128) less(b uint128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// bigEndian decodes a big-endian number in two's complement, which may have more than 16 bytes. It
// returns false if the number does not fit in 16 bytes, that is, if the bytes before the last 16
// are not all copies of the sign.
func bigEndian(b []byte) (v uint128, ok bool) {
	sign := byte(0)
	if len(b) > 0 && b[0] >= 0x80 {
		sign = 0xff
	}
	for len(b) > 16 {
		if b[0] != sign || (b[1] >= 0x80) != (sign != 0) {
			return v, false
		}
		b = b[1:]
	}
	var full [16]byte
	for i := range full[:16-len(b)] {
		full[i] = sign
	}
	copy(full[16-len(b):], b)
	return uint128{binary.BigEndian.Uint64(full[:]), binary.BigEndian.Uint64(full[8:])}, true
}
