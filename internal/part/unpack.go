package part

import (
	"encoding/binary"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// What hybrid.go packs, unpacked. A page that ends early panics, which who reads a file makes an error of (parse).

// padded returns bytes with eight more behind them, whatever they are: numbers of few bits are taken out of whole words.
func padded(data []byte) []byte { return slices.Grow(data, 8)[:len(data)+8] }

// uvarint reads a number of LEB128 from the bytes that begin with it, and returns those behind it.
func uvarint(data []byte) (v uint64, rest []byte) {
	v, n := binary.Uvarint(data)
	if n <= 0 {
		panic("a number ends early")
	}
	return v, data[n:]
}

// varint is uvarint of a number with a sign.
func varint(data []byte) (v int64, rest []byte) {
	v, n := binary.Varint(data)
	if n <= 0 {
		panic("a number ends early")
	}
	return v, data[n:]
}

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

// hybrid is Parquet's hybrid of runs and bit-packed groups of eight, of values of so many bits.
type hybrid struct {
	data       []byte // from the run's values on; padded
	width      int
	first, end int // values of the run
	packed     bool
	bytes      int // of the run's values
}

func hybridOf(data []byte, width int) hybrid { return hybrid{data: padded(data), width: width} }

// run goes on to the next run.
func (r *hybrid) run() {
	header, values := uvarint(r.data[r.bytes:])
	r.data, r.first, r.packed = values, r.end, header&1 == 1
	if n := int(header >> 1); r.packed {
		r.end, r.bytes = r.first+8*n, n*r.width
	} else {
		r.end, r.bytes = r.first+n, (r.width+7)/8
	}
}

// at returns the i-th value, which is none before the last that was asked for.
func (r *hybrid) at(i int) uint64 {
	for i >= r.end {
		r.run()
	}
	if r.packed {
		return bitsAt(r.data, (i-r.first)*r.width, r.width)
	}
	return bitsAt(r.data, 0, r.width)
}

// appendUnpacked appends the first values of a hybrid, as f gives them.
func appendUnpacked(to []int64, data []byte, width, count int, f func(uint64) int64) []int64 {
	r := hybridOf(data, width)
	for r.end < count {
		r.run()
		n := min(r.end, count) - r.first
		if r.packed {
			for i := range n {
				to = append(to, f(bitsAt(r.data, i*width, width)))
			}
			continue
		}
		v := f(bitsAt(r.data, 0, width))
		for range n {
			to = append(to, v)
		}
	}
	return to
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
	data = padded(data)
	var header [3]int // values of a block, its parts, all values
	for i := range header {
		var v uint64
		v, data = uvarint(data)
		header[i] = int(v)
	}
	block, parts, total := header[0], header[1], header[2]
	if total != count || parts < 1 || block < parts || block%(8*parts) != 0 {
		return d, base.Errorf(base.Corrupt, "%d deltas in blocks of %d in %d parts, expected %d", total, block, parts, count)
	}
	d.left, d.part, d.parts = count, block/parts, parts
	d.last, d.data = varint(data)
	return d, nil
}

// run returns how many values come next whose deltas have so many bits each; 0 behind the last. The first value has no delta.
func (d *deltas) run() (count, width int) {
	switch {
	case d.left == 0:
		return 0, 0
	case !d.begun:
		return 1, 0
	case d.within == 0:
		if len(d.widths) == 0 {
			d.least, d.data = varint(d.data)
			d.widths, d.data = d.data[:d.parts], d.data[d.parts:]
		}
		d.within = d.part
	}
	return min(d.within, d.left, len(d.some)), int(d.widths[0])
}

// leave goes on behind a run.
func (d *deltas) leave(count, width int) {
	d.left -= count
	if !d.begun {
		d.begun = true
		return
	}
	d.data = d.data[(count+7)&^7*width/8:] // the last part is filled up
	if d.within -= count; d.within == 0 || d.left == 0 {
		d.within, d.widths = 0, d.widths[1:]
	}
}

// next returns the next values, none behind the last. They hold until the next call.
func (d *deltas) next() []int64 {
	count, width := d.run()
	some := d.some[:count]
	switch {
	case count == 0:
		return nil
	case d.begun:
		d.unpack(some, width)
	default:
		some[0] = d.last
	}
	d.leave(count, width)
	return some
}

// pass leaves out what next would return until stop says not to, and returns how many values that were. Stop is given how many it would be, and the last of
// them. Their deltas are added up without unpacking them, in about half the time.
func (d *deltas) pass(stop func(passed int, last int64) bool) (passed int) {
	for {
		count, width := d.run()
		last := d.last
		if d.begun {
			last += int64(count)*d.least + sumOf(d.data, count, width)
		}
		if count == 0 || stop(passed+count, last) {
			return passed
		}
		d.last = last
		d.leave(count, width)
		passed += count
	}
}

// lanes are masks for each width of up to eight bits, of words of eight values: every other value, every other pair of them, the lower four.
var lanes = func() (masks [9][3]uint64) {
	for width := 1; width <= 8; width++ {
		for step := range masks[width] {
			lane := width << step
			for bit := 0; bit < 8*width; bit += 2 * lane {
				masks[width][step] |= (1<<lane - 1) << bit
			}
		}
	}
	return masks
}()

// sumOf adds up numbers of so many bits, of padded bytes. Numbers of few bits are added within words: first each to the one behind it, then the pairs, then the
// fours, for each sum has the bits of its two terms.
func sumOf(data []byte, count, width int) (sum int64) {
	i := 0
	if width <= 8 {
		two, four, eight, w := lanes[width][0], lanes[width][1], lanes[width][2], uint(width)
		for ; i+8 <= count; i += 8 {
			word := binary.LittleEndian.Uint64(data[i/8*width:])
			word = word&two + word>>w&two
			word = word&four + word>>(2*w)&four
			sum += int64(word&eight + word>>(4*w)&eight)
		}
	}
	for ; i < count; i++ {
		sum += int64(bitsAt(data, i*width, width))
	}
	return sum
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
