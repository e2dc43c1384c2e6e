package ingest

import (
	"math"
	"sort"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
)

// Kind says what a Column holds so far.
type Kind uint8

// The kinds of columns that values alone can tell.
const (
	Null Kind = iota // only NULLs so far
	Bool
	Int   // int64
	Uint  // uint64: at least one value beyond int64, none negative
	Float // float64
	String
	Binary
	Timestamp // microseconds of UTC, nanoseconds where the digits need it
	List
	Struct
)

var kindNames = [...]string{"NULL", "a boolean", "an integer", "an integer above the signed ones", "a floating-point number",
	"a string", "bytes", "a timestamp", "a list", "an object"}

// String names the kind as error messages do.
func (k Kind) String() string { return kindNames[k] }

// Column grows one column in Arrow's layout; its type follows from its values.
//
// Values are set by row number, ascending; rows left out are NULL. A method that
// returns an error leaves the column unusable.
type Column struct {
	name   string // path from the table: "a", "a.b"
	nested bool
	kind   Kind
	rows   int
	nulls  int
	left   int // rows that left it out: of nulls, those that were not sent
	shared *shared
	list   *Column // whose elements the rows are, or the elements' fields; nil if they are the table's rows

	// valid is the validity bitmap of the rows up to the last NULL; later rows are
	// valid. So columns without NULLs, and runs without them, never touch it.
	valid     []byte
	validRows int

	fixed   []uint64 // Int, Uint, Float (bits), Timestamp (microseconds): one per row
	nanos   []uint16 // Timestamp: nanoseconds below the microsecond, rows up to the last that has any
	bools   []byte   // Bool: bitmap
	text    Strings  // String, Binary
	offsets []int32  // List: one more than rows, into element
	element *Column
	fields  columns // Struct
}

// shared is what all columns of a table draw on.
type shared struct {
	columns int // how many there are, nested ones included
	padding *Padding
}

// Name returns the column's name, a path for a nested one.
func (c *Column) Name() string { return c.name }

// Kind returns what the column holds so far.
func (c *Column) Kind() Kind { return c.kind }

// Rows returns how many rows are set.
func (c *Column) Rows() int { return c.rows }

// Row returns the row of the table that a row of the column is in: they differ within lists.
func (c *Column) Row(row int) int {
	for list := c.list; list != nil; list = list.list {
		row = sort.Search(len(list.offsets), func(i int) bool { return int(list.offsets[i]) > row }) - 1
	}
	return row
}

func (c *Column) errorf(row int, format string, args ...any) *base.Error {
	e := base.Errorf(base.Invalid, format, args...)
	e.Message = "row " + itoa(c.Row(row)+1) + ", column " + Quote([]byte(c.name)) + ": " + e.Message
	return e
}

func (c *Column) mismatch(row int, k Kind) error {
	return c.errorf(row, "%v in a column that holds %v before", k, c.kind)
}

// pad makes the column rows long, with NULLs.
func (c *Column) pad(rows int) error {
	n := rows - c.rows
	if n <= 0 {
		return nil
	}
	if c.shared.padding.left -= n; c.shared.padding.left < 0 {
		return base.Errorf(base.TooLarge, "rows leave out more than %d values of columns that other rows have", maxPadding).
			WithHint("send rows of different columns in different requests")
	}
	c.nulls += n
	c.left += n
	if c.kind == Null {
		c.rows = rows
		return nil
	}
	c.extendValid(rows)
	bitutil.SetBitsTo(c.valid, int64(c.rows), int64(n), false)
	if err := c.fill(rows); err != nil {
		return err
	}
	c.rows = rows
	return nil
}

// extendValid makes the bitmap cover rows; the rows it did not cover are valid.
func (c *Column) extendValid(rows int) {
	for need := int(bitutil.BytesForBits(int64(rows))); len(c.valid) < need; {
		c.valid = append(c.valid, 0xff)
	}
	c.validRows = rows
}

// fill gives the rows from c.rows on to rows the zero value in the kind's buffers.
func (c *Column) fill(rows int) error {
	n := rows - c.rows
	switch c.kind {
	case Bool:
		for need := int(bitutil.BytesForBits(int64(rows))); len(c.bools) < need; {
			c.bools = append(c.bools, 0)
		}
	case String, Binary:
		c.text.appendNulls(n)
	case List:
		for range n {
			c.offsets = append(c.offsets, int32(c.element.rows))
		}
	case Struct:
		for _, f := range c.fields.list {
			if err := f.pad(rows); err != nil {
				return err
			}
		}
	default:
		c.fixed = append(c.fixed, make([]uint64, n)...)
	}
	return nil
}

// become turns a column of only NULLs into one of kind k, and pads it up to row.
func (c *Column) become(row int, k Kind) error {
	if err := c.pad(row); err != nil {
		return err
	}
	rows := c.rows
	c.kind, c.rows = k, 0
	switch k {
	case String, Binary:
		c.text.plain = k == Binary || c.nested // few readers profit from dictionaries inside lists and structs
		c.text.reserve(0)
	case List:
		c.offsets = []int32{0}
		element, err := newColumn(c.name+"[]", c.shared)
		if err != nil {
			return err
		}
		element.nested, element.list = true, c
		c.element = element
	}
	if rows > 0 {
		c.extendValid(rows)
		bitutil.SetBitsTo(c.valid, 0, int64(rows), false)
		if err := c.fill(rows); err != nil {
			return err
		}
	}
	c.rows = rows
	return nil
}

// open prepares the column for a value of kind k at row: pads it, gives it its
// kind. A row set twice is an error, as is a kind that does not fit.
func (c *Column) open(row int, k Kind) error {
	switch {
	case row < c.rows:
		return c.errorf(row, "the column is given twice")
	case c.kind == k:
		return c.pad(row)
	case c.kind == Null:
		return c.become(row, k)
	}
	return c.mismatch(row, k)
}

// SetNull sets row to NULL.
func (c *Column) SetNull(row int) error {
	if row < c.rows {
		return c.errorf(row, "the column is given twice")
	}
	c.shared.padding.left = min(c.shared.padding.left+1, maxPadding) // a NULL that was sent is not an implied one
	c.left--
	return c.pad(row + 1)
}

// SetBool sets row to v.
func (c *Column) SetBool(row int, v bool) error {
	if c.kind != Bool || row != c.rows {
		if err := c.open(row, Bool); err != nil {
			return err
		}
	}
	if c.rows&7 == 0 {
		c.bools = append(c.bools, 0)
	}
	if v {
		c.bools[c.rows>>3] |= 1 << (c.rows & 7)
	}
	c.rows++
	return nil
}

// SetInt sets row to v, or to the equal float64 in a column of those.
func (c *Column) SetInt(row int, v int64) error {
	if c.kind != Int || row != c.rows {
		return c.setIntSlow(row, v)
	}
	c.fixed = append(c.fixed, uint64(v))
	c.rows++
	return nil
}

func (c *Column) setIntSlow(row int, v int64) error {
	bits := uint64(v)
	switch {
	case c.kind == Float:
		f, ok := exactFloat(v)
		if !ok {
			return c.errorf(row, "integer %d has no exact floating-point value, which the column's other values are", v)
		}
		bits = math.Float64bits(f)
	case c.kind == Uint && v < 0:
		return c.errorf(row, "negative integer %d in a column that holds an integer above %d before", v, math.MaxInt64)
	}
	kind := Int
	if c.kind == Float || c.kind == Uint {
		kind = c.kind
	}
	if err := c.open(row, kind); err != nil {
		return err
	}
	c.fixed = append(c.fixed, bits)
	c.rows++
	return nil
}

// SetUint sets row to v. Up to math.MaxInt64 this is SetInt.
func (c *Column) SetUint(row int, v uint64) error {
	if v <= math.MaxInt64 {
		return c.SetInt(row, int64(v))
	}
	bits, kind := v, Uint
	switch c.kind {
	case Int:
		for i, old := range c.fixed {
			if int64(old) < 0 {
				return c.errorf(row, "integer %d does not fit together with the negative %d of row %d", v, int64(old), c.Row(i)+1)
			}
		}
		c.kind = Uint
	case Float:
		f := float64(v)
		if f >= 1<<64 || uint64(f) != v {
			return c.errorf(row, "integer %d has no exact floating-point value, which the column's other values are", v)
		}
		bits, kind = math.Float64bits(f), Float
	}
	if err := c.open(row, kind); err != nil {
		return err
	}
	c.fixed = append(c.fixed, bits)
	c.rows++
	return nil
}

// SetUnsigned sets row to v in a column of unsigned integers, however small v is.
func (c *Column) SetUnsigned(row int, v uint64) error {
	if c.kind != Uint || row != c.rows {
		if err := c.open(row, Uint); err != nil {
			return err
		}
	}
	c.fixed = append(c.fixed, v)
	c.rows++
	return nil
}

// SetFloat sets row to v. Integers set before become floating-point numbers, which
// is an error if one of them would lose a digit.
func (c *Column) SetFloat(row int, v float64) error {
	if c.kind != Float || row != c.rows {
		if err := c.floatFromIntegers(row); err != nil {
			return err
		}
		if err := c.open(row, Float); err != nil {
			return err
		}
	}
	c.fixed = append(c.fixed, math.Float64bits(v))
	c.rows++
	return nil
}

func (c *Column) floatFromIntegers(row int) error {
	switch c.kind {
	case Int:
		for i, old := range c.fixed {
			f, ok := exactFloat(int64(old))
			if !ok {
				return c.errorf(i, "integer %d has no exact floating-point value, which row %d needs", int64(old), c.Row(row)+1)
			}
			c.fixed[i] = math.Float64bits(f)
		}
	case Uint:
		for i, old := range c.fixed {
			f := float64(old)
			if f >= 1<<64 || uint64(f) != old {
				return c.errorf(i, "integer %d has no exact floating-point value, which row %d needs", old, c.Row(row)+1)
			}
			c.fixed[i] = math.Float64bits(f)
		}
	default:
		return nil
	}
	c.kind = Float
	return nil
}

// exactFloat returns v as a float64 if that loses nothing.
func exactFloat(v int64) (float64, bool) {
	f := float64(v)
	return f, f < 1<<63 && int64(f) == v
}
