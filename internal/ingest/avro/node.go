package avro

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// node decodes the values of one type into its column. Columns of one level (the messages, or the
// elements of one array) have the same number of rows between messages. Buffers have Arrow's
// layout.
type node struct {
	action action
	bitmap bool // the value, or one that contains it, can be NULL
	rows   int

	valid   []byte
	bits    []byte // bool
	w32     []uint32
	w64     []uint64 // decimals, UUIDs and durations have two per row
	offsets []int32  // one more than rows
	data    []byte

	// Number of branches of the union that contains the type; 0 if there is no union.
	branches int
	null     int                 // the number of the null branch; -1 if there is none
	size     int                 // fixed
	keys     map[string]struct{} // map: keys of the current row, if there are many
	symbols  []string
	limit    uint128 // decimal: 10^digits
	// fields depends on the type. Record: its fields. Union: its branches except null. Array: its
	// element. Map: key and value.
	fields []*node

	name  string
	typ   arrow.DataType // nil for records, unions, arrays and maps
	width int            // bits per row in fixed-width buffers, including those of fields
	least int            // smallest size of an encoded value in bytes
	hint  int            // bytes of data in the last batch
	grown int            // rows in the last batch
}

// add adds a field to the record or union n.
func (n *node) add(field *node) {
	n.fields = append(n.fields, field)
	n.width += field.width
	n.least += field.least
}

// columns returns the number of fields that have a column.
func (n *node) columns() int {
	count := 0
	for _, f := range n.fields {
		if f.action != doNull {
			count++
		}
	}
	return count
}

// reset drops all rows, and allocates memory for as many rows as there were.
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

// appendBit appends the bit of row, which is the last row.
func appendBit(bits []byte, row int, set bool) []byte {
	if row&7 == 0 {
		bits = append(bits, 0)
	}
	if set {
		bits[row>>3] |= 1 << (row & 7)
	}
	return bits
}

// truncateBits drops the bits from row on.
func truncateBits(bits []byte, row int) []byte {
	bits = bits[:(row+7)/8]
	if row&7 != 0 {
		bits[row>>3] &= 1<<(row&7) - 1
	}
	return bits
}

// appendNull adds a NULL row. If the column has no bitmap, it adds a zero, which is hidden by a
// NULL around it.
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

// truncate drops the rows from row on. A row whose decoding failed may be in only some of the
// buffers.
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

// bytes returns roughly how many bytes of memory the rows use.
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

// bigEndian decodes a two's complement number of up to 16 bytes. It returns false if a longer
// number does not fit, that is, if its first bytes are not all copies of the sign.
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
