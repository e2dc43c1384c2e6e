package part

import (
	"encoding/binary"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// What hybrid.go packs, unpacked. A page that ends early panics, which who reads a file makes an error of (parse).

// padded returns bytes with eight more behind them, whatever they are: numbers of few bits are taken out of whole words.
func padded(data []byte) []byte { return slices.Grow(data, 8)[:len(data)+8] }

// bitsAt returns so many bits from a bit on, of padded bytes.
func bitsAt(data []byte, bit, width int) uint64 {
	at, shift := bit>>3, bit&7
	word := binary.LittleEndian.Uint64(data[at:]) >> shift
	if shift+width > 64 {
		word |= uint64(data[at+8]) << (64 - shift)
	}
	if width < 64 {
		word &= 1<<width - 1
	}
	return word
}

// appendUnpacked appends the values of Parquet's hybrid of runs and bit-packed groups of eight, of so many bits, as f gives them.
func appendUnpacked(to []int64, data []byte, width, count int, f func(uint64) int64) []int64 {
	data = padded(data)
	most := len(to) + count
	for len(to) < most {
		header, n := binary.Uvarint(data)
		data = data[max(n, 1):]
		left := most - len(to)
		if header&1 == 0 {
			v := f(bitsAt(data, 0, width))
			data = data[(width+7)/8:]
			for range min(int(header>>1), left) {
				to = append(to, v)
			}
			continue
		}
		groups := int(header >> 1)
		for i := range min(8*groups, left) {
			to = append(to, f(bitsAt(data, i*width, width)))
		}
		data = data[groups*width:]
	}
	return to
}

// hybrid looks up values of what appendUnpacked unpacks.
type hybrid struct {
	data       []byte // from the run's values on; padded
	width      int
	first, end int // values of the run
	packed     bool
	bytes      int // of the run's values
}

func hybridOf(data []byte, width int) hybrid { return hybrid{data: padded(data), width: width} }

// at returns the i-th value, which is none before the last that was asked for.
func (r *hybrid) at(i int) uint64 {
	for i >= r.end {
		r.data = r.data[r.bytes:]
		header, n := binary.Uvarint(r.data)
		r.data = r.data[max(n, 1):]
		r.first, r.packed = r.end, header&1 == 1
		if r.packed {
			r.end, r.bytes = r.first+int(header>>1)*8, int(header>>1)*r.width
		} else {
			r.end, r.bytes = r.first+int(header>>1), (r.width+7)/8
		}
	}
	if r.packed {
		return bitsAt(r.data, (i-r.first)*r.width, r.width)
	}
	return bitsAt(r.data, 0, r.width)
}

// deltas are the values of DELTA_BINARY_PACKED, some at a time: what only looks at them need not write them to memory. Of numbers of 32 bits the
// lowest 32 are right.
type deltas struct {
	data   []byte
	left   int   // values that were not returned
	last   int64 // value that was returned
	begun  bool
	part   int // values of a part of a block
	parts  int // of a block
	widths []byte
	within int // values of the first of widths' part that are still to come
	least  int64
	some   [deltaBlock]int64
}

// deltasOf begins with the first of so many values.
func deltasOf(data []byte, count int) (d deltas, err error) {
	d.data = padded(data)
	block, parts, total := int(d.number()), int(d.number()), int(d.number())
	if total != count || parts < 1 || block < parts || block%(8*parts) != 0 {
		return d, base.Errorf(base.Corrupt, "%d deltas in blocks of %d in %d parts, expected %d", total, block, parts, count)
	}
	d.last, d.left, d.part, d.parts = d.signed(), count, block/parts, parts
	return d, nil
}

func (d *deltas) number() uint64 {
	v, n := binary.Uvarint(d.data)
	d.data = d.data[max(n, 1):]
	return v
}

func (d *deltas) signed() int64 {
	v := d.number()
	return int64(v>>1) ^ -int64(v&1)
}

// next returns the next values, none behind the last. They hold until the next call.
func (d *deltas) next() []int64 {
	if d.left == 0 {
		return nil
	}
	if !d.begun {
		d.begun, d.some[0] = true, d.last
		d.left--
		return d.some[:1]
	}
	if d.within == 0 {
		if len(d.widths) == 0 {
			d.least = d.signed()
			d.widths, d.data = d.data[:d.parts], d.data[d.parts:]
		}
		d.within = d.part
	}
	width := int(d.widths[0])
	some := d.some[:min(d.within, d.left, len(d.some))]
	d.unpack(some, width)
	d.data = d.data[(len(some)+7)&^7*width/8:] // the last part is filled up
	d.left -= len(some)
	if d.within -= len(some); d.within == 0 || d.left == 0 {
		d.within, d.widths = 0, d.widths[1:]
	}
	return some
}

// unpack takes the next deltas, of so many bits each, and adds them up.
func (d *deltas) unpack(to []int64, width int) {
	v, least, data := d.last, d.least, d.data
	switch {
	case width == 0:
		for i := range to {
			v += least
			to[i] = v
		}
	case width <= 8: // eight in a word
		mask, w := uint64(1)<<width-1, uint(width)
		for len(to) >= 8 {
			word := binary.LittleEndian.Uint64(data)
			eight := (*[8]int64)(to)
			for i := range eight {
				v += least + int64(word&mask)
				word >>= w & 63
				eight[i] = v
			}
			to, data = to[8:], data[width:]
		}
		word := binary.LittleEndian.Uint64(data)
		for i := range to {
			v += least + int64(word&mask)
			word >>= w & 63
			to[i] = v
		}
	case width <= 57: // with what of its first byte belongs to others, each is within one word
		mask := uint64(1)<<width - 1
		for i := range to {
			v += least + int64(binary.LittleEndian.Uint64(data[i*width>>3:])>>(i*width&7)&mask)
			to[i] = v
		}
	default:
		for i := range to {
			v += least + int64(bitsAt(data, i*width, width))
			to[i] = v
		}
	}
	d.last = v
}

// appendUndelta appends all values of DELTA_BINARY_PACKED; see deltas.
func appendUndelta(to []int64, data []byte, count int) ([]int64, error) {
	d, err := deltasOf(data, count)
	if err != nil {
		return to, err
	}
	to = slices.Grow(to, count)
	for some := d.next(); len(some) > 0; some = d.next() {
		to = append(to, some...)
	}
	return to, nil
}
