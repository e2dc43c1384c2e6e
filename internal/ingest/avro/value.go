package avro

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	millisPerDay = 24 * 3600 * 1000
	microsPerDay = millisPerDay * 1000
)

// value decodes the value at b[p:] into a new row of node n (decoder and column of one Avro type).
// It returns the position after the value, or -1 on failure.
func (d *Decoder) value(n *node, b []byte, p int) int {
	branch := 0
	if n.branches > 0 {
		first := p
		var v int64
		if v, p = d.long(b, p); p < 0 {
			return d.in(n)
		}
		switch {
		case v < 0 || v >= int64(n.branches):
			return d.failIn(n, "a union has no branch of this number", first)
		case int(v) == n.null || n.action == doNull:
			n.appendNull()
			return p
		}
		branch = int(v)
	}
	if n.bitmap {
		n.valid = appendBit(n.valid, n.rows, true)
	}
	switch n.action {
	case doNull:
	case doBool:
		if p >= len(b) || b[p] > 1 {
			return d.failIn(n, "a boolean is 0 or 1", p)
		}
		n.bits = appendBit(n.bits, n.rows, b[p] == 1)
		p++
	case doInt:
		var v int64
		if v, p = d.int(n, b, p); p < 0 {
			return -1
		}
		n.w32 = append(n.w32, uint32(v))
	case doLong:
		var v int64
		if v, p = d.long(b, p); p < 0 {
			return d.in(n)
		}
		n.w64 = append(n.w64, uint64(v))
	case doFloat:
		if len(b)-p < 4 {
			return d.failIn(n, truncated, p)
		}
		n.w32 = append(n.w32, binary.LittleEndian.Uint32(b[p:]))
		p += 4
	case doDouble:
		if len(b)-p < 8 {
			return d.failIn(n, truncated, p)
		}
		n.w64 = append(n.w64, binary.LittleEndian.Uint64(b[p:]))
		p += 8
	case doString, doBytes:
		start, end := d.extent(b, p)
		if end < 0 {
			return d.in(n)
		}
		if n.action == doString && !utf8.Valid(b[start:end]) {
			return d.failIn(n, "text that is not UTF-8", start)
		}
		n.data = append(n.data, b[start:end]...)
		n.offsets = append(n.offsets, int32(len(n.data)))
		p = end
	case doRecord:
		for _, f := range n.fields {
			if p = d.value(f, b, p); p < 0 {
				return d.in(n)
			}
		}
	case doList, doMap:
		if p = d.blocks(n, b, p); p < 0 {
			return d.in(n)
		}
		n.offsets = append(n.offsets, int32(n.fields[0].rows))
	case doUnion:
		if n.null >= 0 && branch > n.null {
			branch--
		}
		for i, f := range n.fields {
			if i != branch {
				f.appendNull()
			} else if p = d.value(f, b, p); p < 0 {
				return d.in(n)
			}
		}
	default:
		if p = d.rare(n, b, p); p < 0 {
			return -1
		}
	}
	n.rows++
	return p
}

// rare decodes a value like the method value, for types that occur less often.
func (d *Decoder) rare(n *node, b []byte, p int) int {
	switch n.action {
	case doEmpty:
		n.bits = appendBit(n.bits, n.rows, true)
		return p
	case doSymbol, doName:
		v, next := d.int(n, b, p)
		if next < 0 {
			return -1
		}
		if v < 0 || v >= int64(len(n.symbols)) {
			return d.failIn(n, "an enum has no symbol of this number", p)
		}
		if n.action == doSymbol {
			n.w32 = append(n.w32, uint32(v))
			return next
		}
		n.data = append(n.data, n.symbols[v]...)
		n.offsets = append(n.offsets, int32(len(n.data)))
		return next
	case doTimeMillis, doTimeMicros, doMillis:
		return d.clock(n, b, p)
	case doUUIDString, doDecimalBytes:
		start, end := d.extent(b, p)
		if end < 0 {
			return d.in(n)
		}
		return d.wide(n, b[start:end], start)
	}
	// The remaining types have a fixed size.
	if len(b)-p < n.size {
		return d.failIn(n, truncated, p)
	}
	if n.action == doFixed {
		n.data = append(n.data, b[p:p+n.size]...)
		n.offsets = append(n.offsets, int32(len(n.data)))
		return p + n.size
	}
	return d.wide(n, b[p:p+n.size], p)
}

// clock decodes a time of day, or a timestamp in milliseconds. It returns the position after the
// value, or -1 on failure.
func (d *Decoder) clock(n *node, b []byte, p int) int {
	v, next := d.long(b, p)
	if next < 0 {
		return d.in(n)
	}
	switch n.action {
	case doTimeMillis:
		if v < 0 || v >= millisPerDay {
			return d.failIn(n, "a time of day is between 0 and 86399999 milliseconds", p)
		}
		v *= 1000
	case doTimeMicros:
		if v < 0 || v >= microsPerDay {
			return d.failIn(n, "a time of day is between 0 and 86399999999 microseconds", p)
		}
	case doMillis:
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			return d.failIn(n, "a time of more milliseconds than 64 bits of microseconds hold", p)
		}
		v *= 1000
	}
	n.w64 = append(n.w64, uint64(v))
	return next
}

// wide appends a row of 16 bytes to node n: a decimal, UUID or duration. It decodes the row from
// text, the bytes of the value in the message, which begin at byte p. It returns the position after
// them, or -1 on failure.
func (d *Decoder) wide(n *node, text []byte, p int) int {
	var v uint128 // the row's two words are v.lo and then v.hi
	switch n.action {
	case doUUIDString, doUUIDFixed:
		var id uuid.UUID
		var err error
		if n.action == doUUIDFixed {
			copy(id[:], text)
		} else if id, err = uuid.ParseBytes(text); err != nil || len(text) != 36 {
			return d.failIn(n, "text that is not a UUID", p)
		}
		v = uint128{lo: binary.LittleEndian.Uint64(id[:]), hi: binary.LittleEndian.Uint64(id[8:])}
	case doDuration:
		months, days, millis := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[4:]), binary.LittleEndian.Uint32(text[8:])
		if months > math.MaxInt32 || days > math.MaxInt32 {
			return d.failIn(n, "a duration of more than 2147483647 months or days", p)
		}
		v = uint128{lo: uint64(months) | uint64(days)<<32, hi: uint64(millis) * 1e6}
	default:
		var ok bool
		if v, ok = bigEndian(text); !ok || !v.magnitude().less(n.limit) {
			return d.failIn(n, "a decimal of more digits than its type has", p)
		}
	}
	n.w64 = append(n.w64, v.lo, v.hi)
	return p + len(text)
}

// magnitude returns the absolute value of a, read as a number in two's complement.
func (a uint128) magnitude() uint128 {
	if a.hi>>63 == 0 {
		return a
	}
	lo, borrow := bits.Sub64(0, a.lo, 0)
	hi, _ := bits.Sub64(0, a.hi, borrow)
	return uint128{hi, lo}
}

func powerOfTen(n int) uint128 {
	p := uint128{lo: 1}
	for range n {
		carry, lo := bits.Mul64(p.lo, 10)
		p = uint128{p.hi*10 + carry, lo}
	}
	return p
}

// maxWeightless is the maximum number of elements in a block of an array if the elements take no
// bytes. Without this limit, a few bytes could stand for any number of elements.
const maxWeightless = 1 << 16

// blocks decodes an array or a map, which Avro splits into blocks. The elements or entries become
// new rows of the fields of node n (the decoder of one Avro type). It returns the position after
// the last block, or -1 on failure.
func (d *Decoder) blocks(n *node, b []byte, p int) int {
	width, least := 0, 0
	for _, f := range n.fields {
		width += f.width
		least += f.least
	}
	for {
		first := p
		var count int64
		if count, p = d.long(b, p); p < 0 {
			return -1
		}
		// a negative count is followed by the block's size in bytes, for readers that skip the
		// block
		if count < 0 {
			if count == math.MinInt64 {
				return d.fail("a block of too many elements", first)
			}
			count = -count
			if _, p = d.long(b, p); p < 0 {
				return -1
			}
		}
		if count == 0 {
			return p
		}
		if least > 0 && count > int64(len(b)-p)/int64(least) || least == 0 && count > maxWeightless {
			return d.fail("a block of more elements than bytes", first)
		}
		if !d.reserve(count, width) {
			return -1
		}
		for range count {
			start := p
			for _, f := range n.fields {
				if p = d.value(f, b, p); p < 0 {
					return -1
				}
			}
			if n.action == doMap && !n.newKey() {
				return d.fail("a map has this key twice", start)
			}
		}
	}
}

// manyKeys is the number of entries of a map above which duplicate keys are found with a hash
// table.
const manyKeys = 16

// newKey reports whether the last key of the current map is different from all keys before it.
func (n *node) newKey() bool {
	k := n.fields[0]
	last, first := k.rows-1, int(n.offsets[n.rows])
	key := k.data[k.offsets[last]:]
	if last-first >= manyKeys {
		if last-first == manyKeys {
			n.keys = make(map[string]struct{}, 4*manyKeys)
			for i := first; i < last; i++ {
				n.keys[string(k.data[k.offsets[i]:k.offsets[i+1]])] = struct{}{}
			}
		}
		if _, ok := n.keys[string(key)]; ok {
			return false
		}
		n.keys[string(key)] = struct{}{}
		return true
	}
	for i := first; i < last; i++ {
		if string(k.data[k.offsets[i]:k.offsets[i+1]]) == string(key) {
			return false
		}
	}
	return true
}
