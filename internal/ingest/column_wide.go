package ingest

import (
	"math"

	"github.com/scoterdb/scoter/internal/base"
)

// SetString sets the value in the given row to a copy of the text v. It returns an error if v is
// not valid UTF-8.
func (c *Column) SetString(row int, v []byte) error {
	if c.kind != String || row != c.rows {
		if err := c.open(row, String); err != nil {
			return err
		}
	}
	if !c.text.append(v) {
		return c.textError(row, v)
	}
	c.rows++
	return nil
}

func (c *Column) textError(row int, v []byte) error {
	if !ValidText(v) {
		return c.errorf(row, "text is not valid UTF-8: %s", Quote(v))
	}
	return base.Errorf(base.TooLarge, "column %q holds more than 2 GiB of text", c.name)
}

// SetBinary sets the value in the given row to a copy of the bytes v.
func (c *Column) SetBinary(row int, v []byte) error {
	if err := c.open(row, Binary); err != nil {
		return err
	}
	if !c.text.appendPlain(v) {
		return base.Errorf(base.TooLarge, "column %q holds more than 2 GiB", c.name)
	}
	c.rows++
	return nil
}

// SetTimestamp sets the value in the given row to a point in time: micros microseconds since 1970
// UTC, plus 0 to 999 nanoseconds.
func (c *Column) SetTimestamp(row int, micros int64, nanos uint16) error {
	if err := c.open(row, Timestamp); err != nil {
		return err
	}
	if nanos != 0 {
		c.nanos = append(c.nanos, make([]uint16, row-len(c.nanos))...)
		c.nanos = append(c.nanos, nanos)
	}
	c.fixed = append(c.fixed, uint64(micros))
	c.rows++
	return nil
}

// BeginList begins a list in the given row, and returns the column of its elements. Append each
// element with a Set method of the returned column, at that column's Rows(), and then call EndList.
func (c *Column) BeginList(row int) (*Column, error) {
	if err := c.open(row, List); err != nil {
		return nil, err
	}
	return c.element, nil
}

// EndList ends the list that BeginList began.
func (c *Column) EndList() error {
	if c.element.rows > math.MaxInt32 {
		return base.Errorf(base.TooLarge, "column %q holds more than %d list elements", c.name, math.MaxInt32)
	}
	c.offsets = append(c.offsets, int32(c.element.rows))
	c.rows++
	return nil
}

// BeginStruct begins a struct in the given row. Set its fields in the same row of their columns,
// and then call EndStruct. Fields that are not set are NULL.
func (c *Column) BeginStruct(row int) error { return c.open(row, Struct) }

// Field returns the column of a struct's field with the given name, and creates it if it is new.
// position is the field's place among the fields that this row sets. It is only a hint, which makes
// the search faster.
func (c *Column) Field(position int, name []byte) (*Column, error) {
	f, err := c.fields.get(position, name, c.name+".", c.shared)
	if err == nil {
		f.list = c.list
	}
	return f, err
}

// EndStruct ends the struct that BeginStruct began.
func (c *Column) EndStruct() { c.rows++ }
