package encode

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// newPackCell returns the cell that appends values of a field as MessagePack. depth is the number
// of nested types around the field. Types that MessagePack does not have become strings, with the
// same text as in JSON.
func newPackCell(field arrow.Field, depth int) (cell, error) {
	if depth > maxDepth {
		return nil, base.Errorf(base.Invalid, "type nested deeper than %d", maxDepth)
	}
	dt, m := resolve(field)
	switch m {
	case hugeint, uhugeint:
		text, err := newCell(field, csvStyle, depth)
		if err != nil {
			return nil, err
		}
		return &packDecimal{cell: text, numbers: text.(decimalValues)}, nil
	case jsonText:
		return newPackText(field, csvStyle)
	case bool8:
		return &packBool8{}, nil
	case plain:
	default:
		return newPackText(field, csvStyle)
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return packNull{}, nil
	case *arrow.BooleanType:
		return &packBool{}, nil
	case *arrow.Int8Type:
		return &packSigned[int8]{}, nil
	case *arrow.Int16Type:
		return &packSigned[int16]{}, nil
	case *arrow.Int32Type, *arrow.Date32Type, *arrow.Time32Type:
		return &packSigned[int32]{}, nil
	case *arrow.Int64Type, *arrow.Date64Type, *arrow.Time64Type, *arrow.TimestampType:
		return &packSigned[int64]{}, nil
	case *arrow.Uint8Type:
		return &packUnsigned[uint8]{}, nil
	case *arrow.Uint16Type:
		return &packUnsigned[uint16]{}, nil
	case *arrow.Uint32Type:
		return &packUnsigned[uint32]{}, nil
	case *arrow.Uint64Type:
		return &packUnsigned[uint64]{}, nil
	case *arrow.Float16Type:
		return &packHalf{}, nil
	case *arrow.Float32Type:
		return &packSingle{}, nil
	case *arrow.Float64Type:
		return &packDoubles{}, nil
	case *arrow.Decimal32Type, *arrow.Decimal64Type, *arrow.Decimal128Type:
		text, err := newCell(field, csvStyle, depth)
		if err != nil {
			return nil, err
		}
		return &packDecimal{cell: text, numbers: text.(decimalValues), scale: dt.(arrow.DecimalType).GetScale()}, nil
	case *arrow.StringType:
		return &packStrings[int32]{}, nil
	case *arrow.LargeStringType:
		return &packStrings[int64]{}, nil
	case *arrow.StringViewType:
		return newPackText(field, csvStyle)
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return &packBytes{}, nil
	}
	return newPackNested(field, dt, depth)
}

// fixedCell is embedded in cells for values of a fixed width, such as integers and floats.
type fixedCell[T arrow.FixedWidthType] struct {
	nulls
	values []T
}

func (c *fixedCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
}

type packNull struct{}

func (packNull) bind(arrow.Array)                {}
func (packNull) isNull(int) bool                 { return true }
func (packNull) append(dst []byte, _ int) []byte { return append(dst, packNil) }

func packBoolean(v bool) byte {
	if v {
		return packTrue
	}
	return packFalse
}

type packBool struct{ boolCell }

func (c *packBool) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return append(dst, packBoolean(c.values.Value(i)))
}

type packBool8 struct{ fixedCell[int8] }

func (c *packBool8) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return append(dst, packBoolean(c.values[i] != 0))
}

type packSigned[T int8 | int16 | int32 | int64] struct{ fixedCell[T] }

func (c *packSigned[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return packInt(dst, int64(c.values[i]))
}

func (c *packSigned[T]) appendAll(dst []byte, rows int) []byte {
	for i, v := range c.values[:rows] {
		if c.isNull(i) {
			dst = append(dst, packNil)
		} else {
			dst = packInt(dst, int64(v))
		}
	}
	return dst
}

type packUnsigned[T uint8 | uint16 | uint32 | uint64] struct{ fixedCell[T] }

func (c *packUnsigned[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return packUint(dst, uint64(c.values[i]))
}

type packHalf struct{ float16Cell }

func (c *packHalf) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return binary.BigEndian.AppendUint32(append(dst, packFloat32), math.Float32bits(c.values.Value(i).Float32()))
}

type packSingle struct{ fixedCell[float32] }

func (c *packSingle) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return binary.BigEndian.AppendUint32(append(dst, packFloat32), math.Float32bits(c.values[i]))
}

type packDoubles struct{ fixedCell[float64] }

func (c *packDoubles) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return packFloat64(dst, c.values[i])
}

func (c *packDoubles) appendAll(dst []byte, rows int) []byte {
	const size = 9
	start := len(dst)
	dst = slices.Grow(dst, rows*size)[:start+rows*size]
	room := dst[start:]
	for i, v := range c.values[:rows] {
		if c.isNull(i) {
			room[0] = packNil
			room = room[1:]
			continue
		}
		room[0] = packDouble
		binary.BigEndian.PutUint64(room[1:size], math.Float64bits(v))
		room = room[size:]
	}
	return dst[:len(dst)-len(room)]
}

// decimalValues is a cell whose values are decimals of at most 128 bits.
type decimalValues interface {
	value(i int) (magnitude uint128, negative bool)
}

// packDecimal appends HUGEINT, UHUGEINT and DECIMAL as MessagePack. A whole number of at most 64
// bits becomes an integer. Any other value becomes a double if that loses no digit, and otherwise a
// string.
type packDecimal struct {
	cell    // cell is the embedded text cell (the writer of the column's values as text).
	numbers decimalValues
	scale   int32
	text    []byte
}

func (c *packDecimal) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	magnitude, negative := c.numbers.value(i)
	if c.scale == 0 && magnitude.hi == 0 {
		switch {
		case !negative:
			return packUint(dst, magnitude.lo)
		case magnitude.lo <= 1<<63:
			return packInt(dst, -int64(magnitude.lo))
		}
	}
	c.text = c.cell.append(c.text[:0], i)
	if c.scale > 0 && magnitude.fitsDouble(c.scale) {
		if v, err := strconv.ParseFloat(string(c.text), 64); err == nil {
			return packFloat64(dst, v)
		}
	}
	return packText(dst, c.text)
}

type packStrings[O int32 | int64] struct {
	stringCell[O]
	ascii bool // ascii says that all strings of the batch are ASCII.
}

func (c *packStrings[O]) bind(arr arrow.Array) {
	c.stringCell.bind(arr)
	c.ascii = len(c.offsets) == 0 || isASCII(c.bytes[c.offsets[0]:c.offsets[len(c.offsets)-1]])
}

func (c *packStrings[O]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	s := c.value(i)
	if !c.ascii {
		return packText(dst, s)
	}
	if len(s) < 32 {
		dst = append(dst, 0xa0|byte(len(s)))
	} else {
		dst = packHeader(dst, len(s), 0xa0, 32, 0xd9, 0xda)
	}
	return append(dst, s...)
}

func (c *packStrings[O]) appendAll(dst []byte, rows int) []byte {
	for i := range rows {
		dst = c.append(dst, i)
	}
	return dst
}

type packBytes struct{ binaryCell }

func (c *packBytes) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	return packBinary(dst, c.values.Value(i))
}

// packTexts writes values as MessagePack strings. The embedded cell (a writer of a column's values)
// makes their text.
type packTexts struct {
	cell
	// quoted says that the embedded cell puts its text in JSON quotes, which packTexts removes. The
	// type must be one whose texts need no escapes.
	quoted bool
	text   []byte
}

func newPackText(field arrow.Field, st style) (cell, error) {
	text, err := newCell(field, st, 0)
	return &packTexts{cell: text, quoted: st == jsonStyle}, err
}

func (c *packTexts) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, packNil)
	}
	c.text = c.cell.append(c.text[:0], i)
	text := c.text
	if c.quoted {
		text = text[1 : len(text)-1]
	}
	return packText(dst, text)
}
