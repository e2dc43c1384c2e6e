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

// dictionaryPays reports whether a dictionary takes less memory than plain utf8 text, for a column
// with the given numbers of distinct values and of rows. It does if each value is used at least
// twice on average.
func dictionaryPays(values, rows int) bool { return 2*values <= rows }

// dictPlan is the plan for the dictionary of a copied column. A column is copied from one or more
// pieces (slices of arrays). Its dictionary is that of the only piece, or the union of the
// dictionaries of all pieces.
type dictPlan struct {
	values *dictionary
	// remap[p][i] is the index in the new dictionary of the value that has index i in the
	// dictionary of piece p. It is nil if there is only one piece.
	remap [][]uint32
}

// dictionary has the distinct values of a dictionary-encoded column, from a utf8 array without
// NULLs.
type dictionary struct {
	n       int
	offsets []int32
	text    []byte
}

func (d *dictionary) length(i uint32) int   { return int(d.offsets[i+1] - d.offsets[i]) }
func (d *dictionary) value(i uint32) []byte { return d.text[d.offsets[i]:d.offsets[i+1]] }
func (d *dictionary) bytes() int            { return int(d.offsets[d.n] - d.offsets[0]) }

// dictionaryOf returns the values of a utf8 array without NULLs as a dictionary. It does not copy
// them.
func dictionaryOf(data arrow.ArrayData) *dictionary {
	values := piece{data, data.Offset(), data.Len()}
	d := &dictionary{n: values.n, offsets: offsetsOf(values)}
	if text := data.Buffers()[2]; text != nil {
		d.text = text.Bytes()
	}
	return d
}

// dictionaryHasNulls reports whether the dictionary of the piece p has a NULL among its values. A
// row of p may then be NULL although its index is not.
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

// planDictionary decides whether the copy of a column is dictionary-encoded or plain utf8. It is
// utf8 in two cases: some pieces of the column are not dictionary-encoded (batches of a table may
// be encoded differently), or a dictionary would take more memory.
func (c *column) planDictionary(all bool) error {
	keep := all
	for _, p := range c.pieces {
		dt, ok := p.data.DataType().(*arrow.DictionaryType)
		switch {
		case !ok && p.data.DataType().ID() != arrow.STRING:
			return base.Errorf(base.Internal, "memtable: a dictionary and %s in one column", p.data.DataType())
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

// planUnion plans one dictionary with the values of all pieces of the column. It returns false if
// plain text would take less memory.
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

// fillIndices writes the dictionary index of each row to b, four bytes per row. A NULL row gets the
// index 0, because the index that it has may be invalid.
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

// fill copies the dictionary's values into the memory block of the cursor w, and returns them as an
// array.
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
