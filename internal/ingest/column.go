package ingest

import (
	"math"
	"sort"

	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
)

// Kind is the type that the values of a Column have so far.
type Kind uint8

// These are the types of columns that follow from values alone.
const (
	Null Kind = iota // Null is the kind of a column in which all values so far are NULL.
	Bool
	Int // Int is int64.
	// Uint is uint64. At least one value is above the range of int64, and no value is negative.
	Uint
	Float // Float is float64.
	String
	Binary
	Timestamp // Timestamp has microseconds since 1970 UTC, or nanoseconds if a value needs them.
	List
	Struct
)

var kindNames = [...]string{"NULL", "a boolean", "an integer", "an integer above the signed ones", "a floating-point number",
	"a string", "bytes", "a timestamp", "a list", "an object"}

// String returns the kind as error messages name it.
func (k Kind) String() string { return kindNames[k] }

// Column builds one column of rows in Arrow's layout. The type of the column follows from its
// values.
//
// Values are set by row number, in ascending order. Rows that are skipped are NULL. After a method
// has returned an error, the column must not be used.
type Column struct {
	// name is the column's name. For a nested column it is a path of names, such as "a.b".
	name   string
	nested bool
	kind   Kind
	rows   int
	nulls  int
	// left counts the NULLs that stand for rows without this column. NULLs that were sent are not
	// counted.
	left   int
	shared *shared
	// list is the list column around this column, or nil. If there is one, each row of this column
	// belongs to an element of the list. Otherwise this column has the rows of the table.
	list *Column

	// valid is the validity bitmap of the rows up to the last NULL. All later rows are valid, so
	// for a column without NULLs the bitmap is never written.
	valid     []byte
	validRows int

	// values of Int, Uint, Float (as bits) and Timestamp (in microseconds), one per row
	fixed []uint64
	// nanos is for the kind Timestamp. nanos[i] has the 0 to 999 nanoseconds of row i that follow
	// its last whole microsecond. It ends at the last row that has any nanoseconds.
	nanos []uint16
	bools []byte  // bools has the values of a column of the kind Bool, as a bitmap.
	text  Strings // text has the values of a column of the kind String or Binary.
	// offsets is for a column of the kind List. It says where the elements of each row begin in the
	// elements' column (the field element), and where those of the last row end.
	offsets []int32
	element *Column
	// fields has a column for each field, if this column is of the kind Struct.
	fields columns
}

// shared is the state that all columns of a table share, nested columns included.
type shared struct {
	columns int // columns is the number of columns of the table, including nested columns.
	padding *Padding
}

// Name returns the column's name. For a nested column it is a path of names, such as "a.b".
func (c *Column) Name() string { return c.name }

// Kind returns the type that the values of the column have so far.
func (c *Column) Kind() Kind { return c.kind }

// Rows returns the number of rows of the column, which is also the number of the next row to set.
func (c *Column) Rows() int { return c.rows }

// Row returns the number of the table's row that contains the given row of the column. For a column
// inside of a list, the numbers differ.
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

// pad extends the column to the given number of rows, with NULLs.
func (c *Column) pad(rows int) error {
	n := rows - c.rows
	if n <= 0 {
		return nil
	}
	if c.shared.padding.left -= n; c.shared.padding.left < 0 {
		return base.Errorf(base.TooLarge, "rows leave out more than %d values of columns that other rows have", maxPadding).
			WithHint("send rows with different columns in separate requests")
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

// extendValid extends the validity bitmap to the given number of rows. Rows that it did not have
// before are valid.
func (c *Column) extendValid(rows int) {
	for need := int(bitutil.BytesForBits(int64(rows))); len(c.valid) < need; {
		c.valid = append(c.valid, 0xff)
	}
	c.validRows = rows
}

// fill extends the value buffers of the column to the given number of rows. The new values are
// zero.
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

// become changes a column that has only NULLs into a column of kind k. First it adds NULLs for
// missing rows before the given row.
func (c *Column) become(row int, k Kind) error {
	if err := c.pad(row); err != nil {
		return err
	}
	rows := c.rows
	c.kind, c.rows = k, 0
	switch k {
	case String, Binary:
		// Bytes, and text inside of lists and structs, get no dictionary, because it rarely makes
		// reading faster.
		c.text.plain = k == Binary || c.nested
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

// open prepares the column for a value of kind k in the given row. It adds NULLs for missing rows
// before that row, and sets the column's kind. It returns an error if the row is set already, or if
// k does not fit the column's kind.
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

// SetNull sets the value in the given row to NULL.
func (c *Column) SetNull(row int) error {
	if row < c.rows {
		return c.errorf(row, "the column is given twice")
	}
	// A NULL that was sent does not count as padding.
	c.shared.padding.left = min(c.shared.padding.left+1, maxPadding)
	c.left--
	return c.pad(row + 1)
}

// SetBool sets the value in the given row to the boolean v.
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

// SetInt sets the value in the given row to the integer v. In a column of floating-point numbers,
// it stores the float64 that equals v.
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

// SetUint sets the value in the given row to the integer v. Values up to math.MaxInt64 are stored
// as SetInt stores them.
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

// SetUnsigned sets the value in the given row to v in a column of unsigned integers (Kind Uint),
// also if v would fit into int64.
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

// SetFloat sets the value in the given row to v. Integers that were set before become
// floating-point numbers. It returns an error if an integer would lose a digit by that.
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

// exactFloat returns the integer v as a float64, and whether the conversion is exact.
func exactFloat(v int64) (float64, bool) {
	f := float64(v)
	return f, f < 1<<63 && int64(f) == v
}
