package ingest

import (
	"slices"
	"time"
)

// Run opens a run of values of a column of 8-byte values: it returns the column's
// values with room up to row end, to be written from row start on. CommitRun then
// says how far they were. k is Int or Float and the column's kind, or the column
// holds nothing but NULLs.
//
// This is the way in for decoders of columnar formats: a run costs one call, not
// one per value.
func (c *Column) Run(k Kind, start, end int) ([]uint64, error) {
	if err := c.open(start, k); err != nil {
		return nil, err
	}
	c.fixed = slices.Grow(c.fixed, end-len(c.fixed))
	return c.fixed[:end], nil
}

// CommitRun sets the rows up to end to what was written into the last Run.
func (c *Column) CommitRun(end int) {
	c.fixed = c.fixed[:end]
	c.rows = end
}

// Reserve makes room for rows in total, as far as the column's kind is known.
func (c *Column) Reserve(rows int) {
	switch c.kind {
	case Int, Uint, Float, Timestamp:
		c.fixed = slices.Grow(c.fixed, max(rows-len(c.fixed), 0))
	case String:
		c.text.reserve(rows)
	}
}

// FillTime replaces NULLs of a column that ToTime has turned into moments, and the
// rows missing up to rows, by now.
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
