package protobuf

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// message decodes the fields of a message, the bytes b[p:], into the given row. If it fails, it
// returns false. d.code is the reason then, and each call that returns adds its field to the path
// d.path.
func (d *Decoder) message(m *message, row int, b []byte, p int) bool {
	for p < len(b) {
		first := p
		tag := uint64(b[p])
		p++
		if tag >= 0x80 {
			if p < len(b) && b[p] < 0x80 {
				tag = tag&0x7f | uint64(b[p])<<7
				p++
			} else if tag, p = d.number(b, first); p < 0 {
				return false
			}
		}
		o := m.find(tag)
		if o == nil {
			if n := tag >> 3; n == 0 || n > uint64(protowire.MaxValidNumber) {
				d.fail(codeNumber, first)
				return false
			}
			if protowire.Type(tag&7) == protowire.BytesType {
				if _, end := near(b, p); end >= 0 {
					p = end
					continue
				}
			}
			if p = d.skip(tag, b, p); p < 0 {
				return false
			}
			continue
		}
		c := o.col
		if o.flags&flagPresent != 0 {
			c.valid[row>>3] |= 1 << (row & 7)
		}
		if o.flags&flagOneof != 0 {
			o.enter(row)
		}
		switch o.action {
		case doVarint64:
			v, next := short(b, p)
			if next < 0 {
				if v, next = d.number(b, p); next < 0 {
					return d.in(o)
				}
			}
			c.w64[row] = v
			p = next
		case doVarint32:
			v, next := short(b, p)
			if next < 0 {
				if v, next = d.number(b, p); next < 0 {
					return d.in(o)
				}
			}
			c.w32[row] = uint32(v)
			p = next
		case doBool:
			v, next := short(b, p)
			if next < 0 {
				if v, next = d.number(b, p); next < 0 {
					return d.in(o)
				}
			}
			c.setBool(row, v != 0)
			p = next
		case doEnum:
			v, next := short(b, p)
			if next < 0 {
				if v, next = d.number(b, p); next < 0 {
					return d.in(o)
				}
			}
			c.setEnum(row, int32(v))
			p = next
		case doFixed64:
			if len(b)-p < 8 {
				d.fail(codeTruncated, p)
				return d.in(o)
			}
			c.w64[row] = binary.LittleEndian.Uint64(b[p:])
			p += 8
		case doText:
			start, end := near(b, p)
			if end < 0 {
				if start, end = d.extent(b, p); end < 0 {
					return d.in(o)
				}
			}
			if !c.setText(row, b[start:end]) {
				d.fail(codeText, start)
				return d.in(o)
			}
			p = end
		case doTextList:
			start, end := near(b, p)
			if end < 0 {
				if start, end = d.extent(b, p); end < 0 {
					return d.in(o)
				}
			}
			r, ok := c.beginElement(d, row)
			if !ok {
				return d.in(o)
			}
			if !o.elem.col.setText(r, b[start:end]) {
				d.fail(codeText, start)
				return d.in(o)
			}
			p = end
		case doDict:
			start, end := near(b, p)
			if end < 0 {
				if start, end = d.extent(b, p); end < 0 {
					return d.in(o)
				}
			}
			if !c.setDict(row, b[start:end]) {
				d.fail(codeText, start)
				return d.in(o)
			}
			p = end
		case doMessage:
			start, end := near(b, p)
			if end < 0 {
				if start, end = d.extent(b, p); end < 0 {
					return d.in(o)
				}
			}
			if !d.message(o.sub, row, b[:end], start) {
				return d.in(o)
			}
			p = end
		case doMessageList:
			start, end := near(b, p)
			if end < 0 {
				if start, end = d.extent(b, p); end < 0 {
					return d.in(o)
				}
			}
			r, ok := c.beginElement(d, row)
			if !ok || !d.message(o.sub, r, b[:end], start) {
				return d.in(o)
			}
			p = end
		default:
			if p = d.value(o, row, b, p); p < 0 {
				return d.in(o)
			}
		}
	}
	return true
}

// The method in adds a name to d.path, the path of the field that failed: the name of the field
// that op o (how to decode a field) is for. It always returns false, so that callers can end with
// "return d.in(o)".
func (d *Decoder) in(o *op) bool {
	d.path = append(d.path, o.name)
	return false
}

// value decodes the value at b[p:] into the given row. The op o says how to decode it and in which
// column it is stored. It returns the position after the value, or -1 on failure.
func (d *Decoder) value(o *op, row int, b []byte, p int) int {
	c := o.col
	switch o.action {
	case doVarint64, doVarint32, doZigzag64, doZigzag32, doBool, doEnum:
		v, next := d.number(b, p)
		if next >= 0 {
			o.setVarint(row, v)
		}
		return next
	case doFixed32:
		if len(b)-p < 4 {
			return d.fail(codeTruncated, p)
		}
		c.w32[row] = binary.LittleEndian.Uint32(b[p:])
		return p + 4
	case doFixed64:
		if len(b)-p < 8 {
			return d.fail(codeTruncated, p)
		}
		c.w64[row] = binary.LittleEndian.Uint64(b[p:])
		return p + 8
	case doGroup:
		content, next := d.skipGroup(uint64(o.tag>>3), b, p)
		if next < 0 || !d.body(o.elem, row, b[:content], p) {
			return -1
		}
		return next
	case doList, doMessageList, doTextList:
		r, ok := c.beginElement(d, row)
		if !ok {
			return -1
		}
		return d.value(o.elem, r, b, p)
	case doIndexed:
		if !c.counts(row, o.index) {
			return d.skip(uint64(o.elem.tag), b, p)
		}
		o.elem.mark(row)
		return d.value(o.elem, row, b, p)
	case doSeveral:
		end := p
		for _, each := range o.either {
			each.mark(row)
			if end = d.value(each, row, b, p); end < 0 {
				d.in(each)
				return -1
			}
		}
		return end
	case doSkip:
		return d.skip(uint64(o.tag), b, p)
	}
	start, end := d.extent(b, p)
	if end < 0 || !d.body(o, row, b[:end], start) {
		return -1
	}
	return end
}

// body decodes b[p:], the content of a length-delimited value, into the given row. The op o says
// how to decode it and in which column it is stored. It returns false on failure.
func (d *Decoder) body(o *op, row int, b []byte, p int) bool {
	c := o.col
	switch o.action {
	case doText:
		if !c.setText(row, b[p:]) {
			d.fail(codeText, p)
			return false
		}
	case doDict:
		if !c.setDict(row, b[p:]) {
			d.fail(codeText, p)
			return false
		}
	case doBytes:
		c.setBytes(row, b[p:])
	case doMessage:
		return d.message(o.sub, row, b, p)
	case doTimestamp, doDuration:
		return d.time(o, row, b, p)
	case doWrapper:
		return d.wrapper(o, row, b, p)
	case doRaw:
		// The field may occur several times in the message that contains it. Joining the bytes of
		// all occurrences merges them.
		if c.next <= row {
			c.openText(row)
		}
		c.appendData(b[p:])
	case doPacked:
		return d.packed(o, row, b, p)
	case doIndexedPacked:
		return d.indexedPacked(o, row, b, p)
	case doMap:
		return d.entry(o, row, b, p)
	case doEmpty:
		return d.message(o.sub, row, b, p)
	}
	return true
}

// setVarint sets the value in the given row to v, the value of a varint. The type of the field
// determines what v means.
func (o *op) setVarint(row int, v uint64) {
	c := o.col
	switch o.action {
	case doVarint64:
		c.w64[row] = v
	case doVarint32:
		c.w32[row] = uint32(v)
	case doZigzag64:
		c.w64[row] = uint64(protowire.DecodeZigZag(v))
	case doZigzag32:
		c.w32[row] = uint32(protowire.DecodeZigZag(v & 0xffffffff))
	case doBool:
		c.setBool(row, v != 0)
	case doEnum:
		c.setEnum(row, int32(v))
	}
}

func (c *column) setBool(row int, v bool) {
	if v {
		c.bits[row>>3] |= 1 << (row & 7)
	} else {
		c.bits[row>>3] &^= 1 << (row & 7)
	}
}

func (c *column) setEnum(row int, number int32) {
	if c.next > row {
		c.rewrote = true
	}
	c.w32[row], c.next = c.enum.index(number), row+1
}

// wrapper decodes a message of google/protobuf/wrappers.proto, such as Int64Value, into the given
// row. If the message is present, the row is not NULL. If the message has no value, the row has the
// default of the type.
func (d *Decoder) wrapper(o *op, row int, b []byte, p int) bool {
	if c := o.col; c.next <= row {
		switch c.store {
		case storeText, storeBytes:
			c.openText(row)
		case storeDict:
			c.setDict(row, nil)
		}
	}
	return d.message(o.sub, row, b, p)
}
