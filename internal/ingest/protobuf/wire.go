package protobuf

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// failure is the kind of an error in the bytes of a message.
type failure uint8

const (
	codeNone failure = iota
	codeTruncated
	codeOverflow
	codeNumber
	codeWireType
	codeEndGroup
	codeDeep
	codeText
	codePacked
	codeFull
)

var failures = [...]string{
	codeTruncated: "the bytes end within a value",
	codeOverflow:  "an integer of more than 64 bits",
	codeNumber:    "a field number out of range",
	codeWireType:  "a wire type that does not exist",
	codeEndGroup:  "the end of a group that was not begun",
	codeDeep:      "groups nested too deep",
	codeText:      "text is not valid UTF-8",
	codePacked:    "packed values that end within a value",
}

// fail records an error of the given kind at byte p of the message. It always returns -1.
func (d *Decoder) fail(code failure, p int) int {
	d.code, d.at = code, p
	return -1
}

// varint decodes the varint (an integer of variable size) at b[p:]. It returns the value and the
// position after it. On failure the position is negative: -1 minus the kind of failure.
func varint(b []byte, p int) (uint64, int) {
	if len(b)-p >= 10 {
		return varintWithin(b[p:p+10], p)
	}
	v := uint64(0)
	for i := p; i < len(b); i++ {
		c := b[i]
		v |= uint64(c&0x7f) << (7 * uint(i-p))
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, -1 - int(codeTruncated)
}

// varintWithin decodes a varint as varint does. b must have at least ten bytes, the size of the
// longest varint.
func varintWithin(b []byte, p int) (uint64, int) {
	_ = b[9]
	v := uint64(b[0]&0x7f) | uint64(b[1]&0x7f)<<7
	if b[1] < 0x80 {
		if b[0] < 0x80 {
			return uint64(b[0]), p + 1
		}
		return v, p + 2
	}
	if b[0] < 0x80 {
		return uint64(b[0]), p + 1
	}
	// The word gets seven bits of each byte, up to the first byte below 0x80, which ends the
	// varint.
	w := binary.LittleEndian.Uint64(b[2:])
	v |= w & 0x7f << 14
	if b[2] < 0x80 {
		return v, p + 3
	}
	v |= w >> 8 & 0x7f << 21
	if b[3] < 0x80 {
		return v, p + 4
	}
	v |= w >> 16 & 0x7f << 28
	if b[4] < 0x80 {
		return v, p + 5
	}
	v |= w >> 24 & 0x7f << 35
	if b[5] < 0x80 {
		return v, p + 6
	}
	v |= w >> 32 & 0x7f << 42
	if b[6] < 0x80 {
		return v, p + 7
	}
	v |= w >> 40 & 0x7f << 49
	if b[7] < 0x80 {
		return v, p + 8
	}
	v |= w >> 48 & 0x7f << 56
	if b[8] < 0x80 {
		return v, p + 9
	}
	v |= w >> 56 << 63
	if b[9] > 1 {
		return 0, -1 - int(codeOverflow)
	}
	return v, p + 10
}

// short decodes the varint at b[p:] if it takes one or two bytes and more bytes follow. Otherwise
// the position that it returns is -1. It is small enough to be inlined.
func short(b []byte, p int) (uint64, int) {
	if p < len(b)-1 {
		v := uint64(b[p])
		if v < 0x80 {
			return v, p + 1
		}
		if w := uint64(b[p+1]); w < 0x80 {
			return v&0x7f | w<<7, p + 2
		}
	}
	return 0, -1
}

// near returns the start and the end of a length-delimited value at b[p:], if it is shorter than
// 128 bytes. In all other cases it returns -1, and the caller calls extent. It is small enough to
// be inlined.
func near(b []byte, p int) (start, end int) {
	if p < len(b) {
		if n := int(b[p]); n < 0x80 && n < len(b)-p {
			return p + 1, p + 1 + n
		}
	}
	return 0, -1
}

// number decodes the varint at b[p:], and returns its value and the position after it. On failure
// it records the error and returns the position -1.
func (d *Decoder) number(b []byte, p int) (uint64, int) {
	if p < len(b) && b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	v, next := varint(b, p)
	if next < 0 {
		return 0, d.fail(failure(-1-next), p)
	}
	return v, next
}

// extent decodes the length at b[p:], and returns the start and the end of the value after it. On
// failure it records the error, and end is -1.
func (d *Decoder) extent(b []byte, p int) (start, end int) {
	if p < len(b) && b[p] < 0x80 {
		start = p + 1
		if end = start + int(b[p]); end <= len(b) {
			return start, end
		}
		return -1, d.fail(codeTruncated, p)
	}
	n, start := d.number(b, p)
	if start < 0 {
		return -1, -1
	}
	if n > uint64(len(b)-start) {
		return -1, d.fail(codeTruncated, p)
	}
	return start, start + int(n)
}

// tag decodes the tag of a field at b[p:], and returns it with the position after it. On failure it
// records the error and returns the position -1.
func (d *Decoder) tag(b []byte, p int) (uint64, int) {
	v, next := d.number(b, p)
	if next < 0 {
		return 0, -1
	}
	if n := v >> 3; n < 1 || n > uint64(protowire.MaxValidNumber) {
		return 0, d.fail(codeNumber, p)
	}
	return v, next
}

// maxGroups is the maximum nesting depth of groups, the same as in protobuf-go.
const maxGroups = protowire.DefaultRecursionLimit

// skip skips a value whose tag was just decoded. It returns the position after the value. On
// failure it records the error and returns -1.
func (d *Decoder) skip(tag uint64, b []byte, p int) int {
	switch protowire.Type(tag & 7) {
	case protowire.VarintType:
		_, p = d.number(b, p)
		return p
	case protowire.Fixed64Type:
		if len(b)-p < 8 {
			return d.fail(codeTruncated, p)
		}
		return p + 8
	case protowire.BytesType:
		_, p = d.extent(b, p)
		return p
	case protowire.StartGroupType:
		_, p = d.skipGroup(tag>>3, b, p)
		return p
	case protowire.EndGroupType:
		return d.fail(codeEndGroup, p)
	case protowire.Fixed32Type:
		if len(b)-p < 4 {
			return d.fail(codeTruncated, p)
		}
		return p + 4
	}
	return d.fail(codeWireType, p)
}

// skipGroup skips the group whose content begins at b[p]. number is the group's field number. It
// returns the end of the content, and the position after the tag that ends the group. On failure it
// records the error and returns -1.
func (d *Decoder) skipGroup(number uint64, b []byte, p int) (content, next int) {
	open := d.groups[:0]
	for {
		at := p
		tag, q := d.number(b, p)
		if q < 0 {
			return -1, -1
		}
		if n := tag >> 3; n < 1 || n > math.MaxInt32 {
			return -1, d.fail(codeNumber, at)
		}
		switch protowire.Type(tag & 7) {
		case protowire.StartGroupType:
			if open = append(open, number); len(open) > maxGroups {
				return -1, d.fail(codeDeep, at)
			}
			number, p = tag>>3, q
			d.groups = open
		case protowire.EndGroupType:
			if tag>>3 != number {
				return -1, d.fail(codeEndGroup, at)
			}
			p = q
			if len(open) == 0 {
				return at, p
			}
			number, open = open[len(open)-1], open[:len(open)-1]
		default:
			if p = d.skip(tag, b, q); p < 0 {
				return -1, -1
			}
		}
	}
}
