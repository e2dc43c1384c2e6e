package batch

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/intern"
	"github.com/scoterdb/scoter/internal/schema"
)

// keyBuilder builds sortKeys. It encodes the columns of a sort key as codes (numbers that compare
// like the values), and packs the codes into 64-bit words.
type keyBuilder struct {
	sortKeys
	memory *scratch
	rows   int
	// free is the number of unused low bits in the words of the last level; 0 if that level has
	// texts.
	free int
}

// buildSortKeys returns the encoded sort keys of all rows of the batches. They lie in the
// argument memory, and are valid until it is freed.
func buildSortKeys(recs []arrow.RecordBatch, table schema.Table, memory *scratch) (*sortKeys, error) {
	b := &keyBuilder{memory: memory, rows: Rows(recs)}
	if b.rows > math.MaxUint32 {
		return nil, base.Errorf(base.TooLarge, "sort of %d rows: the limit is 2^32", b.rows)
	}
	for _, f := range table.SortKey {
		i := table.ColumnByID(f.Column)
		if i < 0 {
			return nil, base.Errorf(base.Internal, "sort key names column id %d, which table %s lacks", f.Column, table.QualifiedName())
		}
		chunks := make([]arrow.Array, len(recs))
		for r, rec := range recs {
			chunks[r] = rec.Column(i)
		}
		if err := b.add(chunks, f); err != nil {
			return nil, base.Wrap(err, "sort by column %q", table.Columns[i].Name)
		}
	}
	return &b.sortKeys, nil
}

// add encodes one more column of the sort key. The argument chunks has the arrays of the column in
// all batches.
func (b *keyBuilder) add(chunks []arrow.Array, f schema.SortField) error {
	nulls := nullFlags(chunks, b.rows)
	if len(chunks) == 0 {
		return nil
	}
	dt := chunks[0].DataType()
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	switch dt.ID() {
	case arrow.NULL:
		return nil
	case arrow.STRING, arrow.BINARY, arrow.DICTIONARY:
		return b.addText(chunks, nulls, f)
	case arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128:
		high, low := wideValues(b.words(), b.words(), chunks, dt)
		if high == nil {
			break
		}
		b.push(high, nulls, f)
		for i, null := range nulls {
			if null {
				low[i] = low[0]
			}
		}
		f.NullsFirst = false
		b.push(low, nil, f)
		return nil
	}
	if values := orderedValues(b.words(), chunks, dt); values != nil {
		b.push(values, nulls, f)
		return nil
	}
	return base.Errorf(base.Internal, "type %s has no order", dt)
}

// words returns memory for one 64-bit word per row, as a slice of length 0.
func (b *keyBuilder) words() []uint64 { return scratchOf[uint64](b.memory, b.rows)[:0] }

// nullFlags returns for each row whether it is NULL. If no row is NULL, it returns nil.
func nullFlags(chunks []arrow.Array, rows int) []bool {
	var flags []bool
	at := 0
	for _, c := range chunks {
		if c.NullN() > 0 {
			if flags == nil {
				flags = make([]bool, rows)
			}
			for i := range c.Len() {
				flags[at+i] = c.IsNull(i)
			}
		}
		at += c.Len()
	}
	return flags
}

// push encodes the values of a column as codes (numbers that compare like the values), and packs
// them into words. The numbers in the argument values must compare as unsigned numbers. They are
// overwritten. The argument nulls says which rows are NULL.
func (b *keyBuilder) push(values []uint64, nulls []bool, f schema.SortField) {
	least, most := uint64(math.MaxUint64), uint64(0)
	for i, v := range values {
		if nulls == nil || !nulls[i] {
			least, most = min(least, v), max(most, v)
		}
	}
	if least > most { // this means that all rows are NULL
		return
	}
	span := most - least
	if nulls != nil && span >= math.MaxUint64-1 {
		// The values need all codes, so no code is left for NULL. An additional bit before the
		// value says whether it is NULL.
		flags := b.words()[:b.rows]
		clear(flags)
		for i, null := range nulls {
			if null != f.NullsFirst {
				flags[i] = 1
			}
			if null {
				values[i] = least
			}
		}
		b.pack(flags, 1)
		nulls = nil
	}
	first, nullCode, top := uint64(0), uint64(0), span
	if nulls != nil {
		top, nullCode = span+1, span+1
		if f.NullsFirst {
			first, nullCode = 1, 0
		}
	}
	for i, v := range values {
		switch {
		case nulls != nil && nulls[i]:
			values[i] = nullCode
		case f.Descending:
			values[i] = first + (most - v)
		default:
			values[i] = first + (v - least)
		}
	}
	b.pack(values, bits.Len64(top))
}

// pack adds one code for each row to the sort key. The argument width is the number of bits of a
// code. If the words of the last level have enough free bits, the codes go there, and otherwise
// into a new level. pack takes ownership of the slice codes.
func (b *keyBuilder) pack(codes []uint64, width int) {
	switch {
	case width == 0:
	case width <= b.free:
		words := b.levels[len(b.levels)-1].words
		for i := range words {
			words[i] = words[i]<<width | codes[i]
		}
		b.free -= width
	default:
		b.levels = append(b.levels, sortLevel{words: codes})
		b.free = 64 - width
	}
}

// maxRankedValues is the maximum number of distinct values of a text column that is sorted by the
// ranks of its values.
const maxRankedValues = 1 << 20

// addText encodes a text column of the sort key. If all its arrays are dictionaries, the codes are
// the ranks of the values. Otherwise the column becomes a level of texts.
func (b *keyBuilder) addText(chunks []arrow.Array, nulls []bool, f schema.SortField) error {
	if values, ok := b.rankDictionaries(chunks); ok {
		b.push(values, nulls, f)
		return nil
	}
	text := make([]string, 0, b.rows)
	for _, c := range chunks {
		if d, ok := c.(*array.Dictionary); ok {
			values, ok := d.Dictionary().(*array.String)
			if !ok {
				return base.Errorf(base.Internal, "type %s has no order", d.DataType())
			}
			for i := range d.Len() {
				if d.IsNull(i) {
					text = append(text, "")
				} else {
					text = append(text, values.Value(d.GetValueIndex(i)))
				}
			}
			continue
		}
		o, bytes := offsets(c), valueBytes(c)
		for i := range c.Len() {
			if nulls != nil && nulls[len(text)] {
				text = append(text, "")
				continue
			}
			// The string shares the memory of the batch, which stays valid until the sort has
			// ended.
			text = append(text, unsafe.String(unsafe.SliceData(bytes[o[i]:]), int(o[i+1]-o[i])))
		}
	}
	if nulls != nil {
		flags := b.words()[:b.rows]
		clear(flags)
		for i, null := range nulls {
			if null != f.NullsFirst {
				flags[i] = 1
			}
		}
		b.pack(flags, 1)
	}
	b.levels = append(b.levels, sortLevel{text: text, descending: f.Descending})
	b.free = 0
	return nil
}

// rankDictionaries returns for each row the rank of its value among the values of all dictionaries.
// If an array is not a dictionary of text, or there are too many values, it returns false.
func (b *keyBuilder) rankDictionaries(chunks []arrow.Array) ([]uint64, bool) {
	var distinct intern.Table
	byDictionary := make(map[arrow.ArrayData][]uint32)
	for _, c := range chunks {
		d, ok := c.(*array.Dictionary)
		if !ok || !isTextDictionary(d.DataType()) {
			return nil, false
		}
		values := d.Dictionary().(*array.String)
		if byDictionary[values.Data()] != nil {
			continue
		}
		// One element more than the dictionary has values, because rows that are NULL read element
		// 0 even if the dictionary is empty.
		local := make([]uint32, values.Len()+1)
		for i := range values.Len() {
			local[i] = distinct.IndexText(values.Value(i))
		}
		byDictionary[values.Data()] = local
		if distinct.Len() > maxRankedValues {
			return nil, false
		}
	}
	order := make([]uint32, distinct.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(distinct.Value(a), distinct.Value(b)) })
	ranks := make([]uint64, distinct.Len())
	for rank, id := range order {
		ranks[id] = uint64(rank)
	}
	for _, local := range byDictionary {
		for i := range local[:len(local)-1] {
			local[i] = uint32(ranks[local[i]])
		}
	}
	out := b.words()
	for _, c := range chunks {
		d := c.(*array.Dictionary)
		local := byDictionary[d.Dictionary().Data()]
		for i, code := range words[uint32](d.Indices()) {
			if d.NullN() > 0 && d.IsNull(i) {
				code = 0
			}
			out = append(out, uint64(local[code]))
		}
	}
	return out, true
}

const signBit = 1 << 63

// orderedValues appends a number to the slice out for each row of chunks. These numbers compare as
// unsigned integers in the order of the rows' values. For a NULL row the number has no meaning. If
// the type is not numeric, it returns nil.
func orderedValues(out []uint64, chunks []arrow.Array, dt arrow.DataType) []uint64 {
	for _, c := range chunks {
		switch dt.ID() {
		case arrow.BOOL:
			data := c.Data()
			for i := range c.Len() {
				v := uint64(0)
				if bitutil.BitIsSet(data.Buffers()[1].Bytes(), data.Offset()+i) {
					v = 1
				}
				out = append(out, v)
			}
		case arrow.INT8:
			out = appendSigned[int8](out, c)
		case arrow.INT16:
			out = appendSigned[int16](out, c)
		case arrow.INT32, arrow.DATE32:
			out = appendSigned[int32](out, c)
		case arrow.INT64, arrow.TIME64, arrow.TIMESTAMP:
			out = appendSigned[int64](out, c)
		case arrow.UINT8:
			out = appendUnsigned[uint8](out, c)
		case arrow.UINT16:
			out = appendUnsigned[uint16](out, c)
		case arrow.UINT32:
			out = appendUnsigned[uint32](out, c)
		case arrow.UINT64:
			out = appendUnsigned[uint64](out, c)
		case arrow.FLOAT32:
			for _, v := range words[float32](c) {
				out = append(out, orderedFloat(float64(v)))
			}
		case arrow.FLOAT64:
			for _, v := range words[float64](c) {
				out = append(out, orderedFloat(v))
			}
		default:
			return nil
		}
	}
	return out
}

func appendSigned[T int8 | int16 | int32 | int64](out []uint64, a arrow.Array) []uint64 {
	for _, v := range words[T](a) {
		out = append(out, uint64(v)^signBit)
	}
	return out
}

func appendUnsigned[T uint8 | uint16 | uint32 | uint64](out []uint64, a arrow.Array) []uint64 {
	for _, v := range words[T](a) {
		out = append(out, uint64(v))
	}
	return out
}

// orderedFloat converts floating-point numbers to integers that have the same order as unsigned
// numbers. NaN is above all others, and -0 equals 0.
func orderedFloat(v float64) uint64 {
	if v != v {
		return math.MaxUint64
	}
	if v == 0 {
		return signBit
	}
	b := math.Float64bits(v)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

// wideValues splits values of 16 bytes. It appends the upper half of each value to the slice high
// and the lower half to the slice low, as unsigned numbers. If the type has another width, it
// returns nil.
func wideValues(high, low []uint64, chunks []arrow.Array, dt arrow.DataType) ([]uint64, []uint64) {
	if dt.(arrow.FixedWidthDataType).Bytes() != 16 {
		return nil, nil
	}
	for _, c := range chunks {
		for _, v := range words[[2]uint64](c) {
			// 16 bytes: two's complement, the least significant byte first.
			if dt.ID() == arrow.DECIMAL128 {
				high, low = append(high, v[1]^signBit), append(low, v[0])
			} else { // 16 bytes, the most significant byte first
				high, low = append(high, bits.ReverseBytes64(v[0])), append(low, bits.ReverseBytes64(v[1]))
			}
		}
	}
	return high, low
}
