package avro

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// Messages for another schema than that of their columns are brought into its encoding first, by Avro's rules for the
// resolution of schemas; then they are decoded as any others. That passes over a message twice, and leaves one way to
// make columns.

// resolving says how to turn the encoding of a writer's type into that of a reader's.
type resolving uint8

const (
	keepNothing resolving = iota // null
	keepByte                     // boolean
	keepNumber                   // int and long, whose encoding is the same
	keepSized                    // string and bytes: the same too
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
	refuse // a branch or symbol that the reader has nothing for
)

// resolver is how to resolve values of one writer's type.
type resolver struct {
	act     resolving
	branch  int         // intoUnion: of the reader's union
	size    int         // keepFixed
	symbols []int       // toSymbol: the reader's numbers of the writer's symbols, -1 for none
	names   []string    // toSymbol: the writer's symbols; toRecord: the writer's fields
	parts   []*resolver // toRecord: the writer's fields; toList, toMap: the element; fromUnion: the branches; intoUnion: the value
	why     string      // refuse

	// Of a record: which of the reader's fields each of the writer's is, -1 for none, and what the reader's have that are none of
	// the writer's. ordered: the reader's fields are the writer's.
	slots    []int
	defaults [][]byte
	ordered  bool
}

const (
	// maxResolved bounds a message in the reader's encoding, in bytes: defaults may be longer than what they stand for.
	maxResolved = 256 << 20
	// maxInside bounds how deep values of a writer's recursive type lie one in another.
	maxInside = 200
)

// resolution is the state of resolving one message after the other.
type resolution struct {
	root   *resolver
	out    []byte
	spans  []span // of the reader's fields of the records that are being resolved
	inside int
}

// span is where a field's value is in out.
type span struct{ from, to int }

// resolve returns the message in the reader's encoding, valid until the next one.
func (d *Decoder) resolve(msg []byte) (_ []byte, ok bool) {
	s := d.resolution
	s.out, s.spans, s.inside = s.out[:0], s.spans[:0], 0
	end := d.resolved(s.root, msg, 0)
	if end >= 0 && end < len(msg) {
		end = d.fail("the message goes on after its value", end)
	}
	return s.out, end >= 0
}

// resolved appends the value at b[p:] to what is resolved and returns where it ends, or -1.
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
		return d.fail("the symbol "+r.names[v]+" is none of the reader's schema, which has no default for it", p)
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
	// In the reader's order, behind what is there, and then in its place.
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
		if count < 0 { // the block's size follows, for readers that skip it
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

// incompatible is an error of two schemas.
func incompatible(format string, args ...any) error {
	return base.Errorf(base.Invalid, "the schemas of writer and reader do not fit: "+format, args...)
}
