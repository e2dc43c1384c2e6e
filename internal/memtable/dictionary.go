package memtable

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/intern"
)

// dictionaryPays says when a dictionary is kept rather than written out: it must be
// used at least twice over, otherwise its own values and the indices are the larger half.
func dictionaryPays(values, rows int) bool { return 2*values <= rows }

// dictPlan is the dictionary of a copy: either that of its only piece, or the union of
// those of all pieces.
type dictPlan struct {
	values *dictionary
	remap  [][]uint32 // per piece: old index -> new; nil if there is one piece
}

// dictionary is the values of a dictionary array: utf8 without nulls.
type dictionary struct {
	n       int
	offsets []int32
	text    []byte
}

func (d *dictionary) length(i uint32) int   { return int(d.offsets[i+1] - d.offsets[i]) }
func (d *dictionary) value(i uint32) []byte { return d.text[d.offsets[i]:d.offsets[i+1]] }
func (d *dictionary) bytes() int            { return int(d.offsets[d.n] - d.offsets[0]) }

// dictionaryOf borrows an array of texts without nulls.
func dictionaryOf(data arrow.ArrayData) *dictionary {
	values := piece{data, data.Offset(), data.Len()}
	d := &dictionary{n: values.n, offsets: offsetsOf(values)}
	if text := data.Buffers()[2]; text != nil {
		d.text = text.Bytes()
	}
	return d
}

// dictionaryHasNulls reports whether a row may be NULL because its dictionary value is.
func dictionaryHasNulls(p piece) bool {
	return p.data.DataType().ID() == arrow.DICTIONARY && p.data.Dictionary().NullN() != 0
}

func isNull(p piece, i int) bool {
	if bits := validityOf(p); bits != nil && bitutil.BitIsNotSet(bits, p.off+i) {
		return true
	}
	if !dictionaryHasNulls(p) {
		return false
	}
	values := p.data.Dictionary()
	bits := validityOf(piece{data: values})
	return bits != nil && bitutil.BitIsNotSet(bits, values.Offset()+int(indicesOf(p)[i]))
}

func indicesOf(p piece) []uint32 {
	if p.n == 0 {
		return nil
	}
	b := p.data.Buffers()[1].Bytes()
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)[p.off : p.off+p.n]
}

// planDictionary decides between a dictionary and utf8. Pieces may be either when a
// table's batches were encoded differently; then, and where a dictionary does not pay, the
// copy is utf8.
func (c *column) planDictionary(all bool) error {
	keep := all
	for _, p := range c.pieces {
		dt, ok := p.data.DataType().(*arrow.DictionaryType)
		switch {
		case !ok && p.data.DataType().ID() != arrow.STRING:
			return base.Errorf(base.Internal, "memtable: a dictionary beside %s in one column", p.data.DataType())
		case ok && (dt.IndexType.ID() != arrow.UINT32 || dt.ValueType.ID() != arrow.STRING):
			return base.Errorf(base.Internal, "memtable: %s is not a storage type", dt)
		}
		keep = keep && !dictionaryHasNulls(p)
	}
	if keep && c.planUnion() {
		return nil
	}
	c.dt, c.offsets = arrow.BinaryTypes.String, true
	for _, p := range c.pieces {
		if p.data.DataType().ID() != arrow.DICTIONARY {
			offsets := offsetsOf(p)
			c.text += int(offsets[p.n] - offsets[0])
			continue
		}
		values := dictionaryOf(p.data.Dictionary())
		for i, index := range indicesOf(p) {
			if !isNull(p, i) {
				c.text += values.length(index)
			}
		}
	}
	return checkOffsets(c.text)
}

// planUnion unites the pieces' dictionaries; false if the result does not pay.
func (c *column) planUnion() bool {
	if len(c.pieces) == 1 {
		d := dictionaryOf(c.pieces[0].data.Dictionary())
		if !dictionaryPays(d.n, c.rows) {
			return false
		}
		c.width, c.dict = 4, &dictPlan{values: d}
		return true
	}
	var union intern.Table
	remap := make([][]uint32, len(c.pieces))
	for i, p := range c.pieces {
		d := dictionaryOf(p.data.Dictionary())
		remap[i] = make([]uint32, d.n)
		for v := range remap[i] {
			remap[i][v] = union.Index(d.value(uint32(v)))
			if !dictionaryPays(union.Len(), c.rows) {
				return false
			}
		}
	}
	c.width, c.dict = 4, &dictPlan{values: dictionaryOf(union.Texts()), remap: remap}
	return true
}

// fillIndices writes the rows' indices; NULL rows get 0, as theirs may be anything.
func (c *column) fillIndices(b []byte) {
	out := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), c.rows)
	at := 0
	for k, p := range c.pieces {
		bits := validityOf(p)
		if c.dict.remap == nil && bits == nil {
			at += copy(out[at:], indicesOf(p))
			continue
		}
		for i, index := range indicesOf(p) {
			switch {
			case bits != nil && bitutil.BitIsNotSet(bits, p.off+i):
				out[at] = 0
			case c.dict.remap == nil:
				out[at] = index
			default:
				out[at] = c.dict.remap[k][index]
			}
			at++
		}
	}
}

// fill writes the dictionary's values.
func (d *dictionary) fill(w *cursor) *array.Data {
	offsets := w.next(4 * (d.n + 1))
	text := w.next(d.bytes())
	first, out := d.offsets[0], int32s(offsets)
	for i, o := range d.offsets {
		out[i] = o - first
	}
	copy(text, d.text[first:])
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(offsets), memory.NewBufferBytes(text)}
	return array.NewData(arrow.BinaryTypes.String, d.n, buffers, nil, 0, 0)
}
