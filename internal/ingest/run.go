package ingest

import (
	"slices"
	"time"
)

// Run prepares a run of values in a column of integers or floats, for the rows from start up to,
// but not including, end. It returns the column's values as 64-bit words, as a slice of the length
// end. The caller writes the words from start on, and then calls CommitRun with the index of the
// row after the last written one. k is Int or Float. The column must have the kind k, or only
// NULLs.
//
// Decoders of columnar formats use it because it costs one call per run, not one per value.
func (c *Column) Run(k Kind, start, end int) ([]uint64, error) {
	if err := c.open(start, k); err != nil {
		return nil, err
	}
	c.fixed = slices.Grow(c.fixed, end-len(c.fixed))
	return c.fixed[:end], nil
}

// CommitRun adds the values that were written since the last call of Run to the column. The
// argument end is the index of the row after the last of these values.
func (c *Column) CommitRun(end int) {
	c.fixed = c.fixed[:end]
	c.rows = end
}

// Reserve allocates memory for the given total number of rows. It does nothing as long as the type
// of the column is not known.
func (c *Column) Reserve(rows int) {
	switch c.kind {
	case Int, Uint, Float, Timestamp:
		c.fixed = slices.Grow(c.fixed, max(rows-len(c.fixed), 0))
	case String:
		c.text.reserve(rows)
	}
}

// FillTime replaces NULLs by the given time now, in a column that ToTime has converted. It also
// adds rows with that time, up to the given number of rows.
func (c *Column) FillTime(rows int, now time.Time) error {
	if c.nulls == 0 && c.rows == rows {
		return nil
	}
	if c.kind == Null {
		c.kind, c.fixed, c.nulls, c.validRows = Timestamp, make([]uint64, rows), rows, rows
		c.valid = make([]byte, (rows+7)/8)
		c.rows = rows
	} else if err := c.pad(rows); err != nil {
		return err
	}
	for i := range c.fixed {
		if !c.isValid(i) {
			c.fixed[i] = uint64(now.UnixMicro())
		}
	}
	c.valid, c.validRows, c.nulls, c.left = nil, 0, 0, 0
	return nil
}
