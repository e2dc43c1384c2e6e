package memtable

import (
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
)

// How a batch is copied into one block of memory. There are two passes: planColumn computes the
// size of every buffer, and then fill writes the buffers. Each column of the copy is made from a
// list of pieces (slices of arrays). So the same code copies one batch, and joins several batches
// to one.

// piece is a slice of an array: n rows of data. The field off is the index of the first of these
// rows in the array's buffers.
type piece struct {
	data arrow.ArrayData
	off  int
	n    int
}

// column is the plan for the copy of one column of a batch: its pieces, and the sizes of its
// buffers. The pieces are slices of arrays, which the copy puts one after the other.
type column struct {
	dt       arrow.DataType // Arrow type of the copy
	pieces   []piece
	rows     int
	nulls    int
	width    int       // bytes per value; set only for types of fixed width
	text     int       // total bytes of the values; set only for utf8 and binary
	dict     *dictPlan // plan for the dictionary; nil if the copy is not dictionary-encoded
	children []*column // plans for the child columns; set only for list, map and struct
	offsets  bool      // whether the column has a buffer of int32 offsets
	bits     bool      // whether each value is a single bit
}

func wholePiece(a arrow.Array) piece { return piece{a.Data(), a.Data().Offset(), a.Len()} }

// storageOf returns the storage type of an extension type, because that determines the layout of
// the buffers. It returns other types as they are.
func storageOf(dt arrow.DataType) arrow.DataType {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return ext.StorageType()
	}
	return dt
}

// planColumn plans the copy of a column that consists of the given pieces (slices of arrays of the
// same logical type).
func planColumn(pieces []piece) (*column, error) {
	c := &column{dt: pieces[0].data.DataType(), pieces: pieces}
	for _, p := range pieces {
		c.rows += p.n
		c.nulls += countNulls(p)
	}
	isDict := 0
	for _, p := range pieces {
		if p.data.DataType().ID() == arrow.DICTIONARY {
			isDict++
		}
	}
	if isDict > 0 {
		return c, c.planDictionary(isDict == len(pieces))
	}
	switch dt := storageOf(c.dt).(type) {
	case *arrow.BooleanType:
		c.bits = true
	case *arrow.StringType, *arrow.BinaryType:
		c.offsets = true
		for _, p := range pieces {
			offsets := offsetsOf(p)
			c.text += int(offsets[p.n] - offsets[0])
		}
		return c, checkOffsets(c.text)
	case *arrow.ListType, *arrow.MapType:
		c.offsets = true
		return c, c.planElements()
	case *arrow.StructType:
		return c, c.planFields(dt.NumFields())
	case arrow.FixedWidthDataType:
		if dt.BitWidth() == 0 || dt.BitWidth()%8 != 0 {
			return nil, base.Errorf(base.Internal, "memtable: values of type %s are not whole bytes", c.dt)
		}
		c.width = dt.BitWidth() / 8
	default:
		return nil, base.Errorf(base.Internal, "memtable: type %s is not a storage type", c.dt)
	}
	return c, nil
}

func (c *column) planElements() error {
	elements := make([]piece, len(c.pieces))
	total := 0
	for i, p := range c.pieces {
		offsets := offsetsOf(p)
		child := p.data.Children()[0]
		n := int(offsets[p.n] - offsets[0])
		elements[i] = piece{child, child.Offset() + int(offsets[0]), n}
		total += n
	}
	child, err := planColumn(elements)
	c.children = []*column{child}
	if err != nil {
		return err
	}
	return checkOffsets(total)
}

func (c *column) planFields(fields int) error {
	for f := range fields {
		pieces := make([]piece, len(c.pieces))
		for i, p := range c.pieces {
			// Slicing a struct array does not slice its children. So the rows of a child begin at
			// the struct's offset.
			child := p.data.Children()[f]
			pieces[i] = piece{child, child.Offset() + p.off, p.n}
		}
		child, err := planColumn(pieces)
		if err != nil {
			return err
		}
		c.children = append(c.children, child)
	}
	return nil
}

func checkOffsets(n int) error {
	if n > math.MaxInt32 {
		return base.Errorf(base.TooLarge, "a column of %d bytes in one batch: the limit is %d", n, math.MaxInt32)
	}
	return nil
}

// size returns the number of bytes that the column takes of a memory block when fill copies it.
func (c *column) size() int {
	n := 0
	if c.nulls > 0 {
		n += padded(bitmapBytes(c.rows))
	}
	switch {
	case c.bits:
		n += padded(bitmapBytes(c.rows))
	case c.offsets:
		n += padded(4*(c.rows+1)) + padded(c.text)
	default:
		n += padded(c.width * c.rows)
	}
	if c.dict != nil {
		n += padded(4*(c.dict.values.n+1)) + padded(c.dict.values.bytes())
	}
	for _, child := range c.children {
		n += child.size()
	}
	return n
}

// padded rounds up the size of a buffer, in bytes, so that the next buffer in the block is aligned.
// It rounds to a multiple of 64, as Arrow recommends. Buffers below 1 KiB would then be mostly
// padding, so they are rounded to a multiple of 16, which is enough for the widest values.
func padded(n int) int {
	if n < 1024 {
		return alignUp(n, 16)
	}
	return alignUp(n, 64)
}

func bitmapBytes(rows int) int { return (rows + 7) / 8 }

// cursor hands out the memory of a block from start to end. The field rest is the memory that it
// has not handed out yet.
type cursor struct{ rest []byte }

// next returns the next n bytes of the block, and skips the padding after them. The returned slice
// is not nil even if n is 0, because C code may use its address.
func (c *cursor) next(n int) []byte {
	b := c.rest[:n:n]
	c.rest = c.rest[padded(n):]
	return b
}

// fill copies all pieces of the column into the memory block of the cursor w, one after the other.
// It returns the copy as an array.
func (c *column) fill(w *cursor) arrow.ArrayData {
	buffers := []*memory.Buffer{nil}
	if c.nulls > 0 {
		validity := w.next(bitmapBytes(c.rows))
		c.fillValidity(validity)
		buffers[0] = memory.NewBufferBytes(validity)
	}
	switch {
	case c.dict != nil:
		indices := w.next(4 * c.rows)
		c.fillIndices(indices)
		buffers = append(buffers, memory.NewBufferBytes(indices))
		values := c.dict.values.fill(w)
		return array.NewDataWithDictionary(c.dt, c.rows, buffers, c.nulls, 0, values)
	case c.bits:
		values := w.next(bitmapBytes(c.rows))
		clear(values)
		at := 0
		for _, p := range c.pieces {
			if p.n > 0 { // an empty array may have no buffers
				bitutil.CopyBitmap(p.data.Buffers()[1].Bytes(), p.off, p.n, values, at)
				at += p.n
			}
		}
		buffers = append(buffers, memory.NewBufferBytes(values))
	case c.offsets:
		offsets := w.next(4 * (c.rows + 1))
		c.fillOffsets(int32s(offsets))
		buffers = append(buffers, memory.NewBufferBytes(offsets))
		if len(c.children) == 0 {
			text := w.next(c.text)
			c.fillText(text)
			buffers = append(buffers, memory.NewBufferBytes(text))
		}
	case c.width > 0:
		values := w.next(c.width * c.rows)
		at := 0
		for _, p := range c.pieces {
			if p.n > 0 {
				at += copy(values[at:], p.data.Buffers()[1].Bytes()[p.off*c.width:(p.off+p.n)*c.width])
			}
		}
		buffers = append(buffers, memory.NewBufferBytes(values))
	}
	children := make([]arrow.ArrayData, len(c.children))
	for i, child := range c.children {
		children[i] = child.fill(w)
	}
	return array.NewData(c.dt, c.rows, buffers, children, c.nulls, 0)
}

func (c *column) fillValidity(validity []byte) {
	clear(validity)
	at := 0
	for _, p := range c.pieces {
		if dictionaryHasNulls(p) {
			for i := range p.n {
				bitutil.SetBitTo(validity, at+i, !isNull(p, i))
			}
		} else if bits := validityOf(p); bits != nil {
			bitutil.CopyBitmap(bits, p.off, p.n, validity, at)
		} else {
			bitutil.SetBitsTo(validity, int64(at), int64(p.n), true)
		}
		at += p.n
	}
}

// fillOffsets stores in out the offset at which each value of the copied column begins, and the
// offset at which the last value ends. The first value begins at 0.
func (c *column) fillOffsets(out []int32) {
	at, total := 0, int32(0)
	for _, p := range c.pieces {
		if p.data.DataType().ID() == arrow.DICTIONARY {
			values := dictionaryOf(p.data.Dictionary())
			for i, index := range indicesOf(p) {
				out[at+i] = total
				if !isNull(p, i) {
					total += int32(values.length(index))
				}
			}
		} else {
			in := offsetsOf(p)
			shift := total - in[0]
			for i := range p.n {
				out[at+i] = in[i] + shift
			}
			total = in[p.n] + shift
		}
		at += p.n
	}
	out[at] = total
}

func (c *column) fillText(out []byte) {
	at := 0
	for _, p := range c.pieces {
		if p.data.DataType().ID() == arrow.DICTIONARY {
			values := dictionaryOf(p.data.Dictionary())
			for i, index := range indicesOf(p) {
				if !isNull(p, i) {
					at += copy(out[at:], values.value(index))
				}
			}
		} else if offsets := offsetsOf(p); offsets[p.n] > offsets[0] {
			at += copy(out[at:], p.data.Buffers()[2].Bytes()[offsets[0]:offsets[p.n]])
		}
	}
}

func validityOf(p piece) []byte {
	if b := p.data.Buffers()[0]; b != nil && b.Len() > 0 {
		return b.Bytes()
	}
	return nil
}

func countNulls(p piece) int {
	if dictionaryHasNulls(p) {
		n := 0
		for i := range p.n {
			if isNull(p, i) {
				n++
			}
		}
		return n
	}
	bits := validityOf(p)
	if bits == nil || p.data.NullN() == 0 {
		return 0
	}
	return p.n - bitutil.CountSetBits(bits, p.off, p.n)
}

var noOffsets = []int32{0}

// offsetsOf returns the n+1 offsets of the n values of a piece. If the array has no offsets buffer,
// which is allowed for an empty array, it returns a single 0.
func offsetsOf(p piece) []int32 {
	b := p.data.Buffers()[1]
	if p.n == 0 && (b == nil || b.Len() < 4*(p.off+1)) {
		return noOffsets
	}
	return int32s(b.Bytes())[p.off : p.off+p.n+1]
}

// int32s returns the memory of b as int32 values, without a copy. Arrow's buffers are aligned for
// int32.
func int32s(b []byte) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
