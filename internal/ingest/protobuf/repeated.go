package protobuf

import (
	"encoding/binary"
	"math/bits"
)

// packed decodes the numbers of a repeated field that are packed in one length-delimited value,
// b[p:], into the list in the given row. It returns false on failure.
func (d *Decoder) packed(o *op, row int, b []byte, p int) bool {
	n, size := len(b)-p, o.elem.fixedSize()
	if n == 0 {
		return true
	}
	switch size {
	case 0:
		n = countVarints(b[p:])
	default:
		if n%size != 0 {
			d.fail(codePacked, p)
			return false
		}
		n /= size
	}
	r, ok := o.col.beginRun(d, row, n)
	if !ok {
		return false
	}
	e := o.elem
	switch size {
	case 4:
		for w := e.col.w32[r : r+n]; len(w) > 0; w, p = w[1:], p+4 {
			w[0] = binary.LittleEndian.Uint32(b[p:])
		}
	case 8:
		for w := e.col.w64[r : r+n]; len(w) > 0; w, p = w[1:], p+8 {
			w[0] = binary.LittleEndian.Uint64(b[p:])
		}
	default:
		w := e.col.w32
		for ; p < len(b); r++ {
			v, next := short(b, p)
			if next < 0 {
				if v, next = d.number(b, p); next < 0 {
					return false
				}
			}
			if e.action == doVarint32 {
				w[r] = uint32(v)
			} else {
				e.setVarint(r, v)
			}
			p = next
		}
	}
	return true
}

// countVarints returns the number of varints in b, counted by the bytes that end a varint.
func countVarints(b []byte) int {
	n := 0
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(b) & 0x8080808080808080)
	}
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// fixedSize returns the size in bytes of an encoded value of the field that op o (how to decode a
// field) is for. It returns 0 if values are varints, whose size varies.
func (o *op) fixedSize() int {
	switch o.action {
	case doFixed32:
		return 4
	case doFixed64:
		return 8
	}
	return 0
}

// The method counts adds 1 to the number of elements of the repeated field in the given row. It
// returns true if the new element is the wanted one. The argument wanted is the number of that
// element, from 0.
func (c *column) counts(row, wanted int) bool {
	if c.next <= row {
		c.next, c.count = row+1, 0
	}
	c.count++
	return c.count == wanted+1
}

// indexedPacked decodes packed numbers of a repeated field, but stores only one of them: the
// element with the number o.index.
func (d *Decoder) indexedPacked(o *op, row int, b []byte, p int) bool {
	size := o.elem.fixedSize()
	if size != 0 && (len(b)-p)%size != 0 {
		d.fail(codePacked, p)
		return false
	}
	for p < len(b) {
		next := p + size
		if size == 0 {
			if _, next = d.number(b, p); next < 0 {
				return false
			}
		}
		if o.col.counts(row, o.index) {
			o.elem.mark(row)
			d.value(o.elem, row, b, p)
		}
		p = next
	}
	return true
}
