package avro

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// If the columns have another schema than a message, the message is first re-encoded with that
// schema, by Avro's rules for schema resolution. Then it is decoded like any other message. This
// takes two passes over the message, but needs only one implementation of decoding.

// resolving says how to convert the encoding of a writer's type to the encoding of a reader's type.
type resolving uint8

const (
	keepNothing resolving = iota // null
	keepByte                     // boolean
	keepNumber                   // int and long have the same encoding
	keepSized                    // string and bytes have the same encoding
	keepFixed
	numberToFloat
	numberToDouble
	floatToDouble
	toSymbol
	toRecord
	toList
	toMap
	fromUnion
	intoUnion
	refuse // a branch or symbol that the reader's schema lacks
)

// resolver resolves the values of one of the writer's types.
type resolver struct {
	act    resolving
	branch int // intoUnion: number of the branch in the reader's union
	size   int // keepFixed
	// symbols is for toSymbol. For each symbol of the writer's enum, it has the number of the
	// symbol in the reader's enum, or -1 if the symbol is missing there.
	symbols []int
	names   []string // toSymbol: the writer's symbols; toRecord: the writer's fields
	// parts depends on act. toRecord: the writer's fields. toList, toMap: the element. fromUnion:
	// the branches. intoUnion: the value.
	parts []*resolver
	why   string // refuse: the error message

	// For toRecord. slots has, for each of the writer's fields, the number of the reader's field,
	// or -1. defaults has the encoded defaults of the reader's fields that the writer lacks.
	// ordered is true if both have the same fields in the same order.
	slots    []int
	defaults [][]byte
	ordered  bool
}

const (
	// maxResolved bounds the size of a message in the reader's encoding, in bytes. The limit is
	// needed because defaults can be longer than the data of the message.
	maxResolved = 256 << 20
	// maxInside bounds the nesting depth of values of a recursive type.
	maxInside = 200
)

// resolution is the state of resolving messages, one after the other.
type resolution struct {
	root   *resolver
	out    []byte
	spans  []span // values of the reader's fields in the records that are being resolved
	inside int
}

// span is the position of a field's value in out.
type span struct{ from, to int }

// resolve returns msg in the reader's encoding. The result is valid until the next call.
func (d *Decoder) resolve(msg []byte) (_ []byte, ok bool) {
	s := d.resolution
	s.out, s.spans, s.inside = s.out[:0], s.spans[:0], 0
	end := d.resolved(s.root, msg, 0)
	if end >= 0 && end < len(msg) {
		end = d.fail("the message has more bytes after its value", end)
	}
	return s.out, end >= 0
}

// resolved appends the value at b[p:] to out, in the reader's encoding. It returns the position
// after the value, or -1 on failure.
func (d *Decoder) resolved(r *resolver, b []byte, p int) int {
	s := d.resolution
	if len(s.out) > maxResolved {
		return d.fail("with the defaults of its reader's schema the message is longer than 256 MiB", p)
	}
	from := p
	switch r.act {
	case keepNothing:
		return p
	case keepByte:
		p++
	case keepFixed:
		p += r.size
	case keepNumber:
		_, p = d.long(b, p)
	case keepSized:
		_, p = d.extent(b, p)
	case numberToFloat, numberToDouble:
		var v int64
		if v, p = d.long(b, p); p < 0 {
			return -1
		}
		if r.act == numberToFloat {
			s.out = binary.LittleEndian.AppendUint32(s.out, math.Float32bits(float32(v)))
		} else {
			s.out = binary.LittleEndian.AppendUint64(s.out, math.Float64bits(float64(v)))
		}
		return p
	case floatToDouble:
		if p+4 > len(b) {
			return d.fail(truncated, from)
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(b[p:]))
		s.out = binary.LittleEndian.AppendUint64(s.out, math.Float64bits(float64(v)))
		return p + 4
	case toSymbol:
		return d.resolvedSymbol(r, b, p)
	case toRecord:
		if s.inside == maxInside {
			return d.fail("values more than 200 levels deep", p)
		}
		s.inside++
		p = d.resolvedRecord(r, b, p)
		s.inside--
		return p
	case toList, toMap:
		return d.resolvedBlocks(r, b, p)
	case fromUnion:
		v, next := d.long(b, p)
		if next < 0 {
			return -1
		}
		if v < 0 || v >= int64(len(r.parts)) {
			return d.fail("a union has no branch of this number", p)
		}
		return d.resolved(r.parts[v], b, next)
	case intoUnion:
		s.out = binary.AppendVarint(s.out, int64(r.branch))
		return d.resolved(r.parts[0], b, p)
	case refuse:
		return d.fail(r.why, p)
	}
	switch {
	case p < 0:
		return -1
	case p > len(b):
		return d.fail(truncated, from)
	}
	s.out = append(s.out, b[from:p]...)
	return p
}

func (d *Decoder) resolvedSymbol(r *resolver, b []byte, p int) int {
	v, next := d.long(b, p)
	switch {
	case next < 0:
		return -1
	case v < 0 || v >= int64(len(r.symbols)):
		return d.fail("an enum has no symbol of this number", p)
	case r.symbols[v] < 0:
		return d.fail("the reader's schema has neither the symbol "+r.names[v]+" nor a default for it", p)
	}
	d.resolution.out = binary.AppendVarint(d.resolution.out, int64(r.symbols[v]))
	return next
}

func (d *Decoder) resolvedRecord(r *resolver, b []byte, p int) int {
	s := d.resolution
	begin, mark := len(s.out), len(s.spans)
	s.spans = slices.Grow(s.spans, len(r.defaults))[:mark+len(r.defaults)]
	for i, f := range r.parts {
		from := len(s.out)
		if p = d.resolved(f, b, p); p < 0 {
			d.path = append(d.path, r.names[i])
			return -1
		}
		if slot := r.slots[i]; slot < 0 {
			s.out = s.out[:from]
		} else {
			s.spans[mark+slot] = span{from, len(s.out)}
		}
	}
	spans := s.spans[mark:]
	s.spans = s.spans[:mark]
	if r.ordered {
		return p
	}
	// Append the values in the reader's order after the existing bytes, then move them to the
	// record's start.
	written := len(s.out)
	for slot, value := range r.defaults {
		if value == nil {
			value = s.out[spans[slot].from:spans[slot].to]
		}
		s.out = append(s.out, value...)
	}
	n := copy(s.out[begin:], s.out[written:])
	s.out = s.out[:begin+n]
	return p
}

func (d *Decoder) resolvedBlocks(r *resolver, b []byte, p int) int {
	s := d.resolution
	for {
		first := p
		var count int64
		if count, p = d.long(b, p); p < 0 {
			return -1
		}
		if count < 0 { // the block's size in bytes follows, for readers that skip it
			if count == math.MinInt64 {
				return d.fail("a block of too many elements", first)
			}
			count = -count
			if _, p = d.long(b, p); p < 0 {
				return -1
			}
		}
		if count > maxWeightless && count > int64(len(b)-p) {
			return d.fail("a block of more elements than bytes", first)
		}
		s.out = binary.AppendVarint(s.out, count)
		if count == 0 {
			return p
		}
		for range count {
			if r.act == toMap {
				from := p
				if _, p = d.extent(b, p); p < 0 {
					return -1
				}
				s.out = append(s.out, b[from:p]...)
			}
			if p = d.resolved(r.parts[0], b, p); p < 0 {
				return -1
			}
		}
	}
}

// incompatible returns an error about two schemas.
func incompatible(format string, args ...any) error {
	return base.Errorf(base.Invalid, "the schemas of writer and reader do not fit: "+format, args...)
}
