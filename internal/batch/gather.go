package batch

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/intern"
)

// place is the position of a row in several arrays (chunks): chunk<<32 | row in the chunk. It is a
// single 64-bit word, because memory bandwidth limits the speed of gathering rows.
type place uint64

func makePlace(chunk, row int) place { return place(chunk)<<32 | place(uint32(row)) }
func (p place) chunk() int           { return int(p >> 32) }
func (p place) row() int             { return int(uint32(p)) }

// locate converts global ordinals (row numbers through all chunks) to places: chunk and row in the
// chunk. The argument lengths has the number of rows of each chunk. Instead of a binary search per
// row it uses a table, whose index is the high bits of an ordinal (ordinal>>shift). Element i is
// the first chunk that can contain an ordinal with the high bits i.
func locate(lengths []int, ordinals []uint32) ([]place, error) {
	starts := make([]int, len(lengths)+1)
	for i, n := range lengths {
		starts[i+1] = starts[i] + n
	}
	total := starts[len(lengths)]
	shift := max(0, bits.Len(uint(total))-12)
	hint := make([]int32, total>>shift+1)
	for c, bucket := 0, 0; bucket < len(hint); bucket++ {
		for c < len(lengths) && starts[c+1] <= bucket<<shift {
			c++
		}
		hint[bucket] = int32(c)
	}
	places := make([]place, len(ordinals))
	for i, ordinal := range ordinals {
		o := int(ordinal)
		if o >= total {
			return nil, base.Errorf(base.Internal, "take row %d of %d", o, total)
		}
		c := int(hint[o>>shift])
		for starts[c+1] <= o {
			c++
		}
		places[i] = makePlace(c, o-starts[c])
	}
	return places, nil
}

// gather builds an array of the storage type dt from rows of several chunks. The argument places
// has the positions of the rows, in the order of the result. Chunks that are dictionaries may have
// different dictionaries. Chunks of text may be plain or dictionaries, and so may the result.
func gather(dt arrow.DataType, chunks []arrow.Array, places []place) (arrow.ArrayData, error) {
	validity, nulls := gatherValidity(chunks, places)
	n := len(places)
	physical := dt
	if ext, ok := dt.(arrow.ExtensionType); ok {
		physical = ext.StorageType()
	}
	switch p := physical.(type) {
	case *arrow.NullType:
		return array.NewData(dt, n, []*memory.Buffer{nil}, nil, n, 0), nil
	case *arrow.BooleanType:
		return array.NewData(dt, n, []*memory.Buffer{validity, gatherBits(chunks, places)}, nil, nulls, 0), nil
	case *arrow.StringType, *arrow.BinaryType:
		offsets, bytes, err := gatherBytes(chunks, places, validity)
		if err != nil {
			return nil, err
		}
		return array.NewData(dt, n, []*memory.Buffer{validity, offsets, bytes}, nil, nulls, 0), nil
	case *arrow.DictionaryType:
		return gatherDictionary(p, chunks, places, validity, nulls)
	case *arrow.ListType:
		return gatherLists(dt, p.Elem(), chunks, places, validity, nulls)
	case *arrow.MapType:
		return gatherLists(dt, p.Elem(), chunks, places, validity, nulls)
	case *arrow.StructType:
		return gatherStructs(p, chunks, places, validity, nulls)
	}
	if fixed, ok := physical.(arrow.FixedWidthDataType); ok {
		if values := gatherFixed(chunks, fixed.Bytes(), places); values != nil {
			return array.NewData(dt, n, []*memory.Buffer{validity, values}, nil, nulls, 0), nil
		}
	}
	return nil, base.Errorf(base.Internal, "gather rows of type %s, which is not a storage type", dt)
}

// gatherValidity returns the validity bitmap of the gathered rows, and the number of NULLs. The
// bitmap is nil if no row is NULL.
func gatherValidity(chunks []arrow.Array, places []place) (*memory.Buffer, int) {
	any := false
	for _, c := range chunks {
		any = any || c.NullN() > 0
	}
	if !any {
		return nil, 0
	}
	bitmap := make([]byte, bitutil.BytesForBits(int64(len(places))))
	valid := 0
	for i, p := range places {
		if chunks[p.chunk()].IsValid(p.row()) {
			bitmap[i>>3] |= 1 << (i & 7)
			valid++
		}
	}
	if valid == len(places) {
		return nil, 0
	}
	return memory.NewBufferBytes(bitmap), len(places) - valid
}

func gatherBits(chunks []arrow.Array, places []place) *memory.Buffer {
	out := make([]byte, bitutil.BytesForBits(int64(len(places))))
	for i, p := range places {
		data := chunks[p.chunk()].Data()
		if buffer := data.Buffers()[1]; buffer != nil && bitutil.BitIsSet(buffer.Bytes(), data.Offset()+p.row()) {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return memory.NewBufferBytes(out)
}

func gatherFixed(chunks []arrow.Array, width int, places []place) *memory.Buffer {
	switch width {
	case 1:
		return gatherWords[uint8](chunks, places)
	case 2:
		return gatherWords[uint16](chunks, places)
	case 4:
		return gatherWords[uint32](chunks, places)
	case 8:
		return gatherWords[uint64](chunks, places)
	case 16:
		return gatherWords[[2]uint64](chunks, places)
	}
	return nil
}

func gatherWords[T any](chunks []arrow.Array, places []place) *memory.Buffer {
	inputs := make([][]T, len(chunks))
	for i, c := range chunks {
		inputs[i] = words[T](c)
	}
	out := make([]T, len(places))
	if len(inputs) == 1 {
		for i, p := range places {
			out[i] = inputs[0][uint32(p)]
		}
	} else {
		for i, p := range places {
			out[i] = inputs[p>>32][uint32(p)]
		}
	}
	return memory.NewBufferBytes(asBytes(out))
}

// words returns a view of the values of a fixed-width array as a slice, without a copy. It begins
// at the array's offset.
func words[T any](a arrow.Array) []T {
	data := a.Data()
	if a.Len() == 0 {
		return nil
	}
	var zero T
	b := data.Buffers()[1].Bytes()[data.Offset()*int(unsafe.Sizeof(zero)):]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), a.Len())
}

// asBytes returns a view of the memory of a slice as bytes, without a copy.
func asBytes[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// offsets returns a view of the offsets of a string, binary, list or map array. The values of row i
// are from offsets[i] up to, but not including, offsets[i+1]. Offsets count from the start of all
// values, even if the array is a slice of another one.
func offsets(a arrow.Array) []int32 {
	data := a.Data()
	buffer := data.Buffers()[1]
	if buffer == nil || buffer.Len() == 0 {
		return make([]int32, a.Len()+1) // Arrow allows an empty array without offsets
	}
	b := buffer.Bytes()[data.Offset()*4:]
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), a.Len()+1)
}

// valueBytes returns a view of all bytes of a string or binary array. The array's offsets refer to
// them.
func valueBytes(a arrow.Array) []byte {
	if buffer := a.Data().Buffers()[2]; buffer != nil {
		return buffer.Bytes()
	}
	return nil
}

// resolve removes dictionaries: it replaces each chunk that is a dictionary array by its
// dictionary, and each place in such a chunk by the place of the row's value in the dictionary. For
// a NULL row the new place has no meaning.
func resolve(chunks []arrow.Array, places []place, validity *memory.Buffer) ([]arrow.Array, []place) {
	if !slices.ContainsFunc(chunks, isDictionary) {
		return chunks, places
	}
	chunks, places = slices.Clone(chunks), slices.Clone(places)
	codes := make([][]uint32, len(chunks))
	for i, c := range chunks {
		if d, ok := c.(*array.Dictionary); ok {
			chunks[i], codes[i] = d.Dictionary(), words[uint32](d.Indices())
		}
	}
	for i, p := range places {
		if of := codes[p.chunk()]; of != nil && !gathersNull(validity, i) {
			places[i] = makePlace(p.chunk(), int(of[p.row()]))
		}
	}
	return chunks, places
}

func gatherBytes(chunks []arrow.Array, places []place, validity *memory.Buffer) (offsetBuffer, bytes *memory.Buffer, err error) {
	chunks, places = resolve(chunks, places, validity)
	inputOffsets := make([][]int32, len(chunks))
	inputBytes := make([][]byte, len(chunks))
	for i, c := range chunks {
		inputOffsets[i], inputBytes[i] = offsets(c), valueBytes(c)
	}
	outOffsets := make([]int32, len(places)+1)
	total := 0
	for i, p := range places {
		if gathersNull(validity, i) {
			outOffsets[i+1] = int32(total)
			continue
		}
		o := inputOffsets[p.chunk()]
		row := p.row()
		total += int(o[row+1] - o[row])
		if total > math.MaxInt32 {
			return nil, nil, errTextBytes()
		}
		outOffsets[i+1] = int32(total)
	}
	out := make([]byte, total)
	for i, p := range places {
		if gathersNull(validity, i) {
			continue
		}
		o, row := inputOffsets[p.chunk()], p.row()
		copy(out[outOffsets[i]:outOffsets[i+1]], inputBytes[p.chunk()][o[row]:o[row+1]])
	}
	return memory.NewBufferBytes(asBytes(outOffsets)), memory.NewBufferBytes(out), nil
}

func errTextBytes() error {
	return base.Errorf(base.TooLarge, "a batch's text column is over 2 GiB").WithHint("take fewer rows at a time")
}

// gathersNull reports whether the row with the index row among the gathered rows is NULL. validity
// is the validity bitmap of the gathered rows.
func gathersNull(validity *memory.Buffer, row int) bool {
	return validity != nil && !bitutil.BitIsSet(validity.Bytes(), row)
}

// gatherDictionary builds a dictionary array from rows of several chunks. The dictionary has only
// the values of these rows, in the order in which they first occur. A value is hashed once for each
// chunk and dictionary index, not once for each row.
func gatherDictionary(dt *arrow.DictionaryType, chunks []arrow.Array, places []place, validity *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	const unseen = math.MaxUint32
	codes := make([][]uint32, len(chunks))
	remap := make([][]uint32, len(chunks))
	values := make([]*array.String, len(chunks))
	// shared has, for each dictionary, the new codes (indices in the dictionary of the result) of
	// its values. Chunks from the same batch share a dictionary.
	shared := make(map[arrow.ArrayData][]uint32)
	for i, c := range chunks {
		if plain, ok := c.(*array.String); ok {
			values[i] = plain
			continue
		}
		d, ok := c.(*array.Dictionary)
		if !ok || !isTextDictionary(d.DataType()) {
			return nil, base.Errorf(base.Internal, "gather dictionary rows from %s", c.DataType())
		}
		values[i] = d.Dictionary().(*array.String)
		codes[i] = words[uint32](d.Indices())
		m, ok := shared[values[i].Data()]
		if !ok {
			m = make([]uint32, values[i].Len())
			for j := range m {
				m[j] = unseen
			}
			shared[values[i].Data()] = m
		}
		remap[i] = m
	}
	out := make([]uint32, len(places))
	var distinct intern.Table
	for i, p := range places {
		c := p.chunk()
		if gathersNull(validity, i) {
			continue // the code of a NULL row has no meaning, and may be out of range
		}
		if codes[c] == nil { // this chunk is plain text
			if out[i] = distinct.IndexText(values[c].Value(p.row())); distinct.Bytes() > math.MaxInt32 {
				return nil, errTextBytes()
			}
			continue
		}
		code := codes[c][p.row()]
		to := remap[c][code]
		if to == unseen {
			if to = distinct.IndexText(values[c].Value(int(code))); distinct.Bytes() > math.MaxInt32 {
				return nil, errTextBytes()
			}
			remap[c][code] = to
		}
		out[i] = to
	}
	dictionary := distinct.Texts()
	defer dictionary.Release()
	return array.NewDataWithDictionary(dt, len(places), []*memory.Buffer{validity, memory.NewBufferBytes(asBytes(out))},
		nulls, 0, dictionary), nil
}

func gatherLists(dt, elem arrow.DataType, chunks []arrow.Array, places []place, validity *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	inputOffsets := make([][]int32, len(chunks))
	children := make([]arrow.Array, len(chunks))
	for i, c := range chunks {
		inputOffsets[i] = offsets(c)
		children[i] = array.MakeFromData(c.Data().Children()[0])
	}
	outOffsets := make([]int32, len(places)+1)
	var inner []place
	for i, p := range places {
		o, row := inputOffsets[p.chunk()], p.row()
		if validity == nil || bitutil.BitIsSet(validity.Bytes(), i) {
			for j := o[row]; j < o[row+1]; j++ {
				inner = append(inner, makePlace(p.chunk(), int(j)))
			}
		}
		if len(inner) > math.MaxInt32 {
			return nil, base.Errorf(base.TooLarge, "a batch's list column has over 2^31 elements").WithHint("take fewer rows at a time")
		}
		outOffsets[i+1] = int32(len(inner))
	}
	child, err := gather(elem, children, inner)
	if err != nil {
		return nil, err
	}
	return array.NewData(dt, len(places), []*memory.Buffer{validity, memory.NewBufferBytes(asBytes(outOffsets))},
		[]arrow.ArrayData{child}, nulls, 0), nil
}

func gatherStructs(dt *arrow.StructType, chunks []arrow.Array, places []place, validity *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, dt.NumFields())
	for f := range children {
		fields := make([]arrow.Array, len(chunks))
		for i, c := range chunks {
			fields[i] = c.(*array.Struct).Field(f)
		}
		var err error
		if children[f], err = gather(dt.Field(f).Type, fields, places); err != nil {
			return nil, err
		}
	}
	return array.NewData(dt, len(places), []*memory.Buffer{validity}, children, nulls, 0), nil
}
