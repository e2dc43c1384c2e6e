package part

import (
	"encoding/binary"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// This file decodes the encodings that hybrid.go writes. A truncated page causes a panic, which the
// function parse turns into an error.

// padded returns data with eight more bytes of arbitrary content, because decoders read whole
// 64-bit words.
func padded(data []byte) []byte { return slices.Grow(data, 8)[:len(data)+8] }

// uvarint reads an unsigned LEB128 number at the start of data. It also returns the remaining
// bytes.
func uvarint(data []byte) (v uint64, rest []byte) {
	v, n := binary.Uvarint(data)
	if n <= 0 {
		panic("a number is truncated")
	}
	return v, data[n:]
}

// varint reads a signed LEB128 number (zigzag) at the start of data. It also returns the remaining
// bytes.
func varint(data []byte) (v int64, rest []byte) {
	v, n := binary.Varint(data)
	if n <= 0 {
		panic("a number is truncated")
	}
	return v, data[n:]
}

// bitsAt returns the number that is stored in data at the given bit, in the given number of bits
// (width). data must be padded (see the function padded).
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

// hybrid decodes Parquet's hybrid encoding of runs of equal values and bit-packed groups of eight
// values.
type hybrid struct {
	data       []byte // encoded values, beginning with those of the current run; padded
	width      int
	first, end int // indices of the first value of the current run and of the next run
	packed     bool
	bytes      int // number of bytes that the encoded values of the current run take
}

func hybridOf(data []byte, width int) hybrid { return hybrid{data: padded(data), width: width} }

// run advances to the next run of equal values or of bit-packed groups.
func (r *hybrid) run() {
	header, values := uvarint(r.data[r.bytes:])
	r.data, r.first, r.packed = values, r.end, header&1 == 1
	if n := int(header >> 1); r.packed {
		r.end, r.bytes = r.first+8*n, n*r.width
	} else {
		r.end, r.bytes = r.first+n, (r.width+7)/8
	}
}

// at returns the value with index i. The index must not decrease from call to call.
func (r *hybrid) at(i int) uint64 {
	for i >= r.end {
		r.run()
	}
	if r.packed {
		return bitsAt(r.data, (i-r.first)*r.width, r.width)
	}
	return bitsAt(r.data, 0, r.width)
}

// appendUnpacked decodes the first count values of data, which are in the hybrid encoding. It calls
// f with each value, and appends the results to the given slice.
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

// deltas decodes the encoding DELTA_BINARY_PACKED a few values at a time, so that a search does not
// have to write all values to memory. For numbers of 32 bits, only the lowest 32 bits of a decoded
// value are valid.
type deltas struct {
	data   []byte
	left   int   // number of values of the page that were not returned yet
	last   int64 // value that was returned last
	begun  bool
	part   int // number of values in a miniblock
	parts  int // number of miniblocks in a block
	widths []byte
	within int // number of remaining values of the current miniblock; widths[0] is its bit width
	least  int64
	some   [deltaBlock]int64
}

// deltasOf returns a decoder of a page with count values.
func deltasOf(data []byte, count int) (d deltas, err error) {
	data = padded(data)
	// header has three numbers, in the order in which the page has them: values per block,
	// miniblocks per block, and number of values.
	var header [3]int
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

// run returns how many of the next values have deltas of the same width, and this width in bits.
// The page's first value has no delta, and is a run by itself. After the last value, run returns 0.
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

// leave advances past a run of count deltas that have the given width in bits.
func (d *deltas) leave(count, width int) {
	d.left -= count
	if !d.begun {
		d.begun = true
		return
	}
	// The deltas are in whole groups of eight, since the last miniblock is padded.
	d.data = d.data[(count+7)&^7*width/8:]
	if d.within -= count; d.within == 0 || d.left == 0 {
		d.within, d.widths = 0, d.widths[1:]
	}
}

// next returns the next few values, or nil after the last one. The slice is valid until the next
// call.
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

// pass skips groups of values until the function stop returns true, and returns how many values it
// has skipped. A group is what one call of the method next would return. Before pass skips a group,
// it calls stop with the total number of values that would then be skipped, and the last of these
// values. The deltas are added up without being unpacked, which takes about half the time of next.
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

// lanes has bit masks with which sumOf adds up eight packed numbers in one word. For each width of
// up to eight bits, there are three masks. They select every other number, every other pair of
// numbers, and the lower four numbers.
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

// sumOf adds up count packed numbers of width bits each. data must be padded (see padded). Numbers
// of up to eight bits are added within a word: first each number to its neighbour, then pairs, then
// fours. Each sum fits into the bits of its two terms.
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

// unpack decodes the next len(to) deltas, of width bits each. It adds them up, and writes the
// resulting values to the given slice.
func (d *deltas) unpack(to []int64, width int) {
	v, least, data := d.last, d.least, d.data
	switch {
	case width == 0:
		for i := range to {
			v += least
			to[i] = v
		}
	case width <= 8: // a 64-bit word has at least eight deltas
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
	// A delta, together with the other bits of its first byte, fits into one 64-bit word.
	case width <= 57:
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

// appendUndelta decodes count values of data, which are in the encoding DELTA_BINARY_PACKED, and
// appends them to the given slice.
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
