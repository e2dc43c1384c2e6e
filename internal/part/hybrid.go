package part

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// appendHybrid appends values of width bits in Parquet's hybrid encoding: runs of equal values, and
// groups of eight values whose bits are packed. Here runs begin and end only at boundaries of such
// groups. That costs at most a few bytes per run, and each group is examined only once.
func appendHybrid[T int16 | int32](to []byte, values []T, width int) []byte {
	const minRun = 16 // values in the shortest run; a shorter run would cost more than it saves
	written := 0
	for at := 0; at < len(values); {
		end := runEnd(values, at)
		if end-at < minRun {
			at += 8
			continue
		}
		to = appendGroups(to, values[written:at], width)
		to = binary.AppendUvarint(to, uint64(end-at)<<1)
		for bit := 0; bit < width; bit += 8 {
			to = append(to, byte(values[at]>>bit))
		}
		at, written = end, end
	}
	return appendGroups(to, values[written:], width)
}

// runEnd returns the index after the run that begins with values[at]. All values of the run are
// equal. The run consists of whole groups of eight values, except that the last group of the slice
// values may be shorter.
func runEnd[T int16 | int32](values []T, at int) int {
	v := values[at]
	for len(values)-at >= 8 {
		g := (*[8]T)(values[at:])
		if g[0] != v || g[1] != v || g[2] != v || g[3] != v || g[4] != v || g[5] != v || g[6] != v || g[7] != v {
			return at
		}
		at += 8
	}
	for _, w := range values[at:] {
		if w != v {
			return at
		}
	}
	return len(values)
}

// appendGroups appends values in groups of eight, with width bits for each value. A short last
// group is padded with zeros.
func appendGroups[T int16 | int32](to []byte, values []T, width int) []byte {
	if len(values) == 0 {
		return to
	}
	to = binary.AppendUvarint(to, uint64(len(values)+7)>>3<<1|1)
	whole := len(values) &^ 7
	if width <= 8 {
		for ; len(values) >= 8; values = values[8:] {
			g := (*[8]T)(values)
			word := uint64(0)
			for i, v := range g {
				word |= uint64(v) << (i * width)
			}
			for range width {
				to = append(to, byte(word))
				word >>= 8
			}
		}
	} else {
		to = appendPacked(to, values[:whole], width)
		values = values[whole:]
	}
	if len(values) > 0 {
		var last [8]T
		copy(last[:], values)
		to = appendPacked(to, last[:], width)
	}
	return to
}

// appendPacked appends values of width bits each, the lowest bits first. The last byte is padded
// with zeros.
func appendPacked[T int16 | int32 | uint64](to []byte, values []T, width int) []byte {
	word, filled := uint64(0), 0
	for _, v := range values {
		word |= uint64(v) << filled
		if filled += width; filled >= 64 {
			to = binary.LittleEndian.AppendUint64(to, word)
			filled -= 64
			word = uint64(v) >> (width - filled)
		}
	}
	for ; filled > 0; filled -= 8 {
		to = append(to, byte(word))
		word >>= 8
	}
	return to
}

// deltaBlock and deltaMiniblock are the numbers of values in a block and in a miniblock of the
// encoding DELTA_BINARY_PACKED.
const deltaBlock, deltaMiniblock = 128, 32

// appendDeltas appends integers in the encoding DELTA_BINARY_PACKED. The differences between
// integers wrap around on overflow.
func appendDeltas[T int32 | int64](to []byte, values []T) []byte {
	to = binary.AppendUvarint(to, deltaBlock)
	to = binary.AppendUvarint(to, deltaBlock/deltaMiniblock)
	to = binary.AppendUvarint(to, uint64(len(values)))
	if len(values) == 0 {
		return append(to, 0)
	}
	to = binary.AppendVarint(to, int64(values[0]))
	var deltas [deltaBlock]T
	for len(values) > 1 {
		n := min(deltaBlock, len(values)-1)
		least := values[1] - values[0]
		for i := range n {
			deltas[i] = values[i+1] - values[i]
			least = min(least, deltas[i])
		}
		values = values[n:]
		to = appendDeltaBlock(to, deltas[:n], least)
	}
	return to
}

func appendDeltaBlock[T int32 | int64](to []byte, deltas []T, least T) []byte {
	to = binary.AppendVarint(to, int64(least))
	widths := len(to)
	to = append(to, 0, 0, 0, 0)
	for m := 0; len(deltas) > 0; m++ {
		// The numbers to pack. If the last miniblock is not full, zeros follow its numbers.
		var packed [deltaMiniblock]uint64
		all := uint64(0)
		n := min(deltaMiniblock, len(deltas))
		for i, d := range deltas[:n] {
			packed[i] = uint64(d - least)
			if unsafe.Sizeof(d) == 4 {
				packed[i] = uint64(uint32(d - least))
			}
			all |= packed[i]
		}
		deltas = deltas[n:]
		width := bits.Len64(all)
		to[widths+m] = byte(width)
		to = appendPacked(to, packed[:], width)
	}
	return to
}
