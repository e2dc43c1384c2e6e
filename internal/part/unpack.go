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

// appendUndelta appends the values of DELTA_BINARY_PACKED. Of numbers of 32 bits the lowest 32 are right.
func appendUndelta(to []int64, data []byte, count int) ([]int64, error) {
	data = padded(data)
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		data = data[max(n, 1):]
		return v
	}
	nextSigned := func() int64 {
		v := next()
		return int64(v>>1) ^ -int64(v&1)
	}
	block, parts, total := int(next()), int(next()), int(next())
	if total != count || parts < 1 || block < parts || block%(8*parts) != 0 {
		return to, base.Errorf(base.Corrupt, "%d deltas in blocks of %d in %d parts, expected %d", total, block, parts, count)
	}
	v := nextSigned()
	if count == 0 {
		return to, nil
	}
	to = slices.Grow(append(to, v), count-1)
	left := to[len(to) : len(to)+count-1]
	to = to[:len(to)+count-1]
	for len(left) > 0 {
		least := nextSigned()
		widths := data[:parts]
		data = data[parts:]
		for _, width := range widths {
			n, width := min(block/parts, len(left)), int(width)
			if width <= 57 { // with what of its first byte belongs to others, it is within one word
				mask := uint64(1)<<width - 1
				for i := range left[:n] {
					v += least + int64(binary.LittleEndian.Uint64(data[i*width>>3:])>>(i*width&7)&mask)
					left[i] = v
				}
			} else {
				for i := range left[:n] {
					v += least + int64(bitsAt(data, i*width, width))
					left[i] = v
				}
			}
			if left = left[n:]; n == 0 {
				break // parts of the last block that are not there
			}
			data = data[block/parts*width/8:]
		}
	}
	return to, nil
}
