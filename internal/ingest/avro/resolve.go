package avro

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// The schema of the columns may be another one than that of a message. The message is then first
// encoded again with the schema of the columns, by Avro's rules for schema resolution. After that
// it is decoded like any other message. This takes two passes over the message, but needs only one
// implementation of decoding.

// resolving says how to convert an encoded value from a type of the writer's schema (with which it
// was written) to a type of the reader's schema.
type resolving uint8

const (
	keepNothing resolving = iota // keepNothing is for null, which has no bytes.
	keepByte                     // keepByte copies a boolean.
	keepNumber                   // keepNumber copies an int or long: both have the same encoding.
	keepSized                    // keepSized copies a string or bytes: both have the same encoding.
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
	// refuse means that the reader's schema does not accept this branch of the writer's union. A
	// message with the branch is an error.
	refuse
)

// resolver converts the values of one type of the writer's schema to the reader's schema.
type resolver struct {
	act resolving
	// branch is the number of the branch in the reader's union. It is set if act is intoUnion,
	// which makes a value a branch of a union.
	branch int
	// size is the size of a value in bytes. It is set if act is keepFixed, which copies a value of
	// fixed size.
	size int
	// symbols has, for each symbol of the writer's enum, its number in the reader's enum, or -1 if
	// the reader's enum lacks the symbol. It is set if act is toSymbol, which converts enums.
	symbols []int
	// names are the writer's symbols if act is toSymbol (an enum), and the names of the writer's
	// fields if act is toRecord (a record).
	names []string
	// parts are the resolvers of the types inside of this type. For a record (toRecord), they are
	// those of the writer's fields. For an array or map (toList, toMap), there is one for the
	// elements. For a union of the writer (fromUnion), they are those of the branches. For a value
	// that becomes a branch of a union (intoUnion), there is one for the value.
	parts []*resolver
	why   string // why is the error message if act is refuse.

	// slots, defaults and ordered are set for a record (toRecord). slots[i] is the number of the
	// reader's field for the writer's field i, or -1. defaults[i] is the encoded default of the
	// reader's field i, if the writer does not have this field. ordered means that both records
	// have the same fields in the same order.
	slots    []int
	defaults [][]byte
	ordered  bool
}

const (
	// maxResolved is the maximum size in bytes of a message in the reader's encoding. The limit is
	// needed because default values can be longer than the message.
	maxResolved = 256 << 20
	// maxInside is the maximum depth to which records are nested in the values of a recursive type.
	maxInside = 200
)

// resolution is the state of a decoder for converting messages to the reader's schema, one message
// after the other.
type resolution struct {
	root *resolver
	out  []byte
	// spans are the positions of field values in the records that are being converted.
	spans  []span
	inside int
}

// span is the position of a field's value in the converted message.
type span struct{ from, to int }

// resolve returns msg, an encoded message, in the encoding of the reader's schema. The result is
// valid until the next call. ok is false if the message could not be converted.
func (d *Decoder) resolve(msg []byte) (_ []byte, ok bool) {
	s := d.resolution
	s.out, s.spans, s.inside = s.out[:0], s.spans[:0], 0
	end := d.resolved(s.root, msg, 0)
	if end >= 0 && end < len(msg) {
		end = d.fail("the message has more bytes after its value", end)
	}
	return s.out, end >= 0
}

// resolved converts the value at b[p:] with the resolver r, and appends it to the converted
// message. It returns the position after the value, or -1 on failure.
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
	// The values were appended in the writer's order. They are now appended again in the reader's
	// order, and then moved to the start of the record.
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

// incompatible returns the error that two schemas are not compatible.
func incompatible(format string, args ...any) error {
	return base.Errorf(base.Invalid, "the schemas of writer and reader do not fit: "+format, args...)
}
