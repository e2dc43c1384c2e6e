package encode

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
)

// cell writes the values of a column of a result, one value at a time, as text or MessagePack. Each
// part of a nested type has a cell of its own. A cell is created once per result. For each batch it
// is bound to the column's array, and then called for each row. So decisions about types are made
// per column and not per value, and nothing is allocated per row.
type cell interface {
	// bind sets the array whose values the cell writes next. The array must have the type for which
	// the cell was made.
	bind(arr arrow.Array)
	// isNull reports whether the value in row i of the array is NULL.
	isNull(i int) bool
	// append appends the encoded value of row i to dst, or "null" if it is NULL.
	append(dst []byte, i int) []byte
}

// style is the text format in which a cell (the writer of a column's values) writes values.
type style uint8

const (
	jsonStyle style = iota // jsonStyle writes values as JSON.
	// csvStyle writes values as plain text. Values inside of other values are JSON.
	csvStyle
	// tableStyle is like csvStyle, but values that are not inside of other values look as in
	// DuckDB's shell.
	tableStyle
)

// maxDepth is the maximum depth to which types may be nested in a result.
const maxDepth = 64

// newCells returns one cell for each column of a result. A cell writes values as text.
func newCells(s *arrow.Schema, st style) ([]cell, error) {
	cells := make([]cell, s.NumFields())
	for i, f := range s.Fields() {
		var err error
		if cells[i], err = newCell(f, st, 0); err != nil {
			return nil, base.Wrap(err, "column %q", f.Name)
		}
	}
	return cells, nil
}

// newCell returns the cell that writes the values of a field as text. depth is the number of nested
// types around the field.
func newCell(field arrow.Field, st style, depth int) (cell, error) {
	if depth > maxDepth {
		return nil, base.Errorf(base.Invalid, "type nested deeper than %d", maxDepth)
	}
	dt, m := resolve(field)
	text := textCell{style: st}
	switch m {
	case uuid:
		return &uuidCell{textCell: text}, nil
	case hugeint, uhugeint:
		if dt.ID() == arrow.DECIMAL128 {
			return &decimalCell{textCell: text, unsigned: true}, nil
		}
		return &hugeCell{textCell: text, unsigned: m == uhugeint}, nil
	case timeTZ:
		return &timeTZCell{textCell: text}, nil
	case bitText:
		return &binaryCell{textCell: text, print: appendBits}, nil
	case bignum:
		return &binaryCell{textCell: text, print: appendBignum}, nil
	case bool8:
		return &bool8Cell{}, nil
	case jsonText:
		return &jsonCell{textCell: text}, nil
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return nullCell{}, nil
	case *arrow.BooleanType:
		return &boolCell{}, nil
	case *arrow.Int8Type:
		return &intCell[int8]{}, nil
	case *arrow.Int16Type:
		return &intCell[int16]{}, nil
	case *arrow.Int32Type:
		return &intCell[int32]{}, nil
	case *arrow.Int64Type:
		return &intCell[int64]{}, nil
	case *arrow.Uint8Type:
		return &uintCell[uint8]{}, nil
	case *arrow.Uint16Type:
		return &uintCell[uint16]{}, nil
	case *arrow.Uint32Type:
		return &uintCell[uint32]{}, nil
	case *arrow.Uint64Type:
		return &uintCell[uint64]{}, nil
	case *arrow.Float16Type:
		return &float16Cell{textCell: text}, nil
	case *arrow.Float32Type:
		return &floatCell[float32]{textCell: text, bitSize: 32}, nil
	case *arrow.Float64Type:
		return &floatCell[float64]{textCell: text, bitSize: 64}, nil
	case *arrow.Decimal128Type:
		return &decimalCell{textCell: text, scale: dt.Scale}, nil
	case *arrow.Decimal32Type:
		return &smallDecimalCell[arrow32]{textCell: text, scale: dt.Scale}, nil
	case *arrow.Decimal64Type:
		return &smallDecimalCell[arrow64]{textCell: text, scale: dt.Scale}, nil
	case *arrow.Decimal256Type:
		return &bigDecimalCell{textCell: text, scale: dt.Scale}, nil
	case *arrow.StringType:
		return &stringCell[int32]{textCell: text}, nil
	case *arrow.LargeStringType:
		return &stringCell[int64]{textCell: text}, nil
	case *arrow.StringViewType:
		return &stringViewCell{textCell: text}, nil
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		if st == tableStyle {
			return &binaryCell{textCell: text, print: appendBlobText}, nil
		}
		return &binaryCell{textCell: text, print: appendBase64}, nil
	case *arrow.Date32Type:
		return &dateCell{textCell: text}, nil
	case *arrow.Date64Type:
		return &timestampCell{textCell: text, unit: arrow.Millisecond, dateOnly: true}, nil
	case *arrow.Time32Type:
		return &timeCell[arrow.Time32]{textCell: text, unit: dt.Unit}, nil
	case *arrow.Time64Type:
		return &timeCell[arrow.Time64]{textCell: text, unit: dt.Unit}, nil
	case *arrow.TimestampType:
		return newTimestampCell(text, dt), nil
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, *arrow.DurationType:
		return &intervalCell{textCell: text}, nil
	}
	return newNestedCell(field, dt, st, depth)
}

// nulls is the validity bitmap of an array: it says which rows are NULL.
type nulls struct {
	// bits has one bit per row, which is 0 if the row is NULL. It is nil if no row is NULL.
	bits   []byte
	offset int
}

func (n *nulls) bindNulls(arr arrow.Array) {
	n.bits, n.offset = nil, arr.Data().Offset()
	if arr.NullN() > 0 {
		n.bits = arr.NullBitmapBytes()
	}
}

func (n *nulls) isNull(i int) bool {
	if len(n.bits) == 0 {
		return false
	}
	i += n.offset
	return n.bits[i>>3]>>(i&7)&1 == 0
}

const nullText = "null"

// textCell is embedded in cells (writers of a column's values) that write strings in JSON. In the
// other text formats the same values are plain text.
type textCell struct {
	nulls
	style style
}

// quote appends a quotation mark in jsonStyle, and nothing in other styles. A cell calls it before
// and after a text that needs no escapes.
func (c *textCell) quote(dst []byte) []byte {
	if c.style == jsonStyle {
		return append(dst, '"')
	}
	return dst
}

type nullCell struct{}

func (nullCell) bind(arrow.Array)                {}
func (nullCell) isNull(int) bool                 { return true }
func (nullCell) append(dst []byte, _ int) []byte { return append(dst, nullText...) }

type boolCell struct {
	nulls
	values *array.Boolean
}

func (c *boolCell) bind(arr arrow.Array) {
	c.values = arr.(*array.Boolean)
	c.bindNulls(arr)
}

func (c *boolCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return strconv.AppendBool(dst, c.values.Value(i))
}

type bool8Cell struct {
	nulls
	values []int8
}

func (c *bool8Cell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = arr.(*array.Int8).Int8Values()
	c.bindNulls(arr)
}

func (c *bool8Cell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return strconv.AppendBool(dst, c.values[i] != 0)
}

type intCell[T int8 | int16 | int32 | int64] struct {
	nulls
	values []T
}

func (c *intCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
}

func (c *intCell[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return strconv.AppendInt(dst, int64(c.values[i]), 10)
}

type uintCell[T uint8 | uint16 | uint32 | uint64] struct {
	nulls
	values []T
}

func (c *uintCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
}

func (c *uintCell[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return strconv.AppendUint(dst, uint64(c.values[i]), 10)
}

// fixedValues returns the values of an array of a fixed-width type. The first value is that of the
// array's first row, also if the array is a slice of a larger one.
func fixedValues[T arrow.FixedWidthType](arr arrow.Array) []T {
	data := arr.Data()
	buffer := data.Buffers()[1]
	if buffer == nil || data.Len() == 0 {
		return nil
	}
	return arrow.GetData[T](buffer.Bytes())[data.Offset() : data.Offset()+data.Len()]
}
