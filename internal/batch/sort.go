package batch

import (
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/schema"
)

// Sort returns the global ordinals (row numbers through all batches) of all rows, in the order of
// the table's sort key. The sort is stable. The order is DuckDB's: NULLs are last in both
// directions, unless the key says otherwise; NaN is the greatest number; -0 equals 0; text is
// ordered by its bytes.
//
// Algorithm: the values of each key column become codes that compare like the values, in as few
// bits as their range needs. For dictionaries, codes are ranks. For numbers, they are differences
// from the minimum. The codes of neighbouring columns are packed into words of 64 bits, so a (tag,
// time) key is one word per row.
//
// Words are sorted by radix, most significant digit first. The buckets of one tag are small, stay
// in the CPU cache, and are often in order already, because rows arrive in time order. Rows with
// equal words are compared by the next word. Plain text that does not fit into a code is a chain of
// words of seven bytes each. These are built only for rows whose preceding words are equal.
func Sort(recs []arrow.RecordBatch, table schema.Table) ([]uint32, error) {
	var memory scratch
	defer memory.free()
	keys, err := buildSortKeys(recs, table, &memory)
	if err != nil {
		return nil, err
	}
	n := Rows(recs)
	ordinals := make([]uint32, n)
	if len(keys.levels) == 0 || keys.sorted(n) {
		for i := range ordinals {
			ordinals[i] = uint32(i)
		}
		return ordinals, nil
	}
	items := scratchOf[item](&memory, n)
	for i := range items {
		items[i] = item{key: keys.levels[0].load(uint32(i), 0), ordinal: uint32(i)}
	}
	keys.sort(items, scratchOf[item](&memory, n), 0, 0)
	for i := range items {
		ordinals[i] = items[i].ordinal
	}
	return ordinals, nil
}

// item is a row that is being sorted. key is the word by which it is currently compared.
type item struct {
	key     uint64
	ordinal uint32
}

// sortKeys has the values of the sort key's columns for all rows, encoded as unsigned words that
// compare like the values. Rows are compared by their words of the first level. If these are equal,
// the words of the next level are compared.
type sortKeys struct {
	levels []sortLevel
}

// sortLevel is one level of sortKeys: rows are compared by it if they are equal in all earlier
// levels. It has one 64-bit word for each row. A level of plain text has the texts instead, and
// words are made of them while sorting.
type sortLevel struct {
	words []uint64
	text  []string // text of each row; used only if words is nil
	// descending says whether texts are sorted in descending order. It is not used for words: in a
	// descending column, their bits are inverted already.
	descending bool
}

// textChunkBytes is the number of bytes of a text that one word has. The lowest byte of the word is
// the number of these bytes.
const textChunkBytes = 7

func (l *sortLevel) load(ordinal uint32, chunk int) uint64 {
	if l.words != nil {
		return l.words[ordinal]
	}
	s := l.text[ordinal]
	s = s[min(len(s), chunk*textChunkBytes):]
	var key uint64
	for i := range min(len(s), textChunkBytes) {
		key |= uint64(s[i]) << (56 - 8*i)
	}
	// A text that ends here sorts before a text that continues after the same bytes. The number 8
	// says that more bytes follow.
	key |= uint64(min(len(s), textChunkBytes+1))
	if l.descending {
		key = ^key
	}
	return key
}

// continues reports whether two rows whose words are both equal to key may differ in later words of
// the same text.
func (l *sortLevel) continues(key uint64) bool {
	if l.words != nil {
		return false
	}
	if l.descending {
		key = ^key
	}
	return key&0xff > textChunkBytes
}

// sorted reports whether the rows 0 to n-1 are in the order of the sort key already.
func (k *sortKeys) sorted(n int) bool {
	for i := 1; i < n; i++ {
		if k.compare(uint32(i-1), uint32(i)) > 0 {
			return false
		}
	}
	return true
}

func (k *sortKeys) compare(a, b uint32) int {
	for l := range k.levels {
		level := &k.levels[l]
		if level.words == nil {
			x, y := level.text[a], level.text[b]
			if x == y {
				continue
			}
			if (x < y) != level.descending {
				return -1
			}
			return 1
		}
		if x, y := level.words[a], level.words[b]; x < y {
			return -1
		} else if x > y {
			return 1
		}
	}
	return 0
}

// sort sorts items by their current words, which are those of the given level, and by all later
// words. If the level has texts, chunk says which seven bytes the current words have. tmp must be
// as long as items. Its content is overwritten.
func (k *sortKeys) sort(items, tmp []item, level, chunk int) {
	for {
		radixSort(items, tmp)
		last := level == len(k.levels)-1
		if last && k.levels[level].words != nil {
			return
		}
		from, whole := 0, false
		for from < len(items) {
			key := items[from].key
			to := from + 1
			for to < len(items) && items[to].key == key {
				to++
			}
			more := k.levels[level].continues(key)
			if to-from > 1 && (more || !last) {
				nextLevel, nextChunk := level+1, 0
				if more {
					nextLevel, nextChunk = level, chunk+1
				}
				run := items[from:to]
				for i := range run {
					run[i].key = k.levels[nextLevel].load(run[i].ordinal, nextChunk)
				}
				if len(run) == len(items) {
					// All items are equal up to this word. The loop continues with the next word
					// instead of recursing, so that long common prefixes use no stack.
					level, chunk, whole = nextLevel, nextChunk, true
					break
				}
				k.sort(run, tmp[from:to], nextLevel, nextChunk)
			}
			from = to
		}
		if !whole {
			return
		}
	}
}

// These are numbers of items at which another way of sorting gets faster. Fewer than insertionRows
// items are sorted by insertion, and fewer than comparisonRows by comparison. From cacheRows on,
// items and tmp do not fit into the second-level cache, so the items are first split by their top
// digit. Halving or doubling any of these numbers does not improve BenchmarkSort.
const (
	insertionRows  = 24
	comparisonRows = 128
	cacheRows      = 16 << 10
)

// radixSort sorts items by their keys, in place. If items with equal keys are in ascending order of
// ordinals, that order is preserved.
func radixSort(items, tmp []item) {
	if len(items) < 2 {
		return
	}
	differing, ordered := uint64(0), true
	for i := 1; i < len(items); i++ {
		differing |= items[i].key ^ items[i-1].key
		ordered = ordered && items[i-1].key <= items[i].key
	}
	switch {
	case ordered:
	case len(items) < insertionRows:
		insertionSort(items)
	case len(items) < comparisonRows:
		slices.SortFunc(items, compareItems)
	case len(items) < cacheRows:
		radixFromLeast(items, tmp, differing)
	default:
		radixFromMost(items, tmp, differing)
	}
}

func compareItems(a, b item) int {
	if a.key != b.key {
		if a.key < b.key {
			return -1
		}
		return 1
	}
	return int(a.ordinal) - int(b.ordinal)
}

func insertionSort(items []item) {
	for i := 1; i < len(items); i++ {
		moving := items[i]
		j := i
		for ; j > 0 && items[j-1].key > moving.key; j-- {
			items[j] = items[j-1]
		}
		items[j] = moving
	}
}

// radixFromLeast sorts items with one pass for each byte in which keys differ. It begins with the
// least significant byte. The argument differing is a mask of the bits in which keys differ.
func radixFromLeast(items, tmp []item, differing uint64) {
	src, dst := items, tmp
	for shift := 0; differing>>shift != 0; {
		if byte(differing>>shift) == 0 {
			shift += 8
			continue
		}
		// Skip bits that are the same in all keys.
		shift += bits.TrailingZeros64(differing >> shift)
		var at [256]uint32
		for i := range src {
			at[byte(src[i].key>>shift)]++
		}
		sum := uint32(0)
		for d, n := range at {
			at[d] = sum
			sum += n
		}
		for i := range src {
			d := byte(src[i].key >> shift)
			dst[at[d]] = src[i]
			at[d]++
		}
		src, dst = dst, src
		shift += 8
	}
	if &src[0] != &items[0] {
		copy(items, src)
	}
}

// digitBits is the number of bits of the top digit by which items are split. With 11 bits there are
// 2,048 buckets, which are written at the same time and still fit into the second-level cache.
const digitBits = 11

// radixFromMost splits items into buckets by the most significant bits in which keys differ, and
// sorts each bucket by the remaining bits. The argument differing is a mask of the bits in which
// keys differ.
func radixFromMost(items, tmp []item, differing uint64) {
	shift := max(0, bits.Len64(differing)-digitBits)
	const mask = 1<<digitBits - 1
	var ends [1 << digitBits]uint32
	for i := range items {
		ends[items[i].key>>shift&mask]++
	}
	sum := uint32(0)
	for d, n := range ends {
		ends[d] = sum
		sum += n
	}
	for i := range items {
		d := items[i].key >> shift & mask
		tmp[ends[d]] = items[i]
		ends[d]++
	}
	from := uint32(0)
	for _, to := range ends {
		if shift > 0 {
			radixSort(tmp[from:to], items[from:to])
		}
		from = to
	}
	copy(items, tmp)
}
