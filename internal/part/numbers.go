package part

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// Numbers is a reader of those columns of a part that have whole numbers. It reads one row group at
// a time, for lookups of a few rows. It remembers where the column chunks are in the file, and
// unpacks them in a tenth of arrow-go's time. It is immutable and does not hold the file open.
type Numbers struct {
	file    *blocks.File
	sorted  bool // whether the rows are in ascending order of the first column
	columns []numberColumn
	chunks  [][]place // position in the file of each column chunk, by row group and column
	Groups  []NumberGroup
}

// NumberGroup describes one row group of a part, for a Numbers (a reader of columns with whole
// numbers).
type NumberGroup struct {
	Rows   int
	Bounds []NumberBounds // the least and the greatest number of each column
}

// NumberBounds are the least and the greatest number of a column in a row group.
type NumberBounds struct{ Min, Max int64 }

// numberColumn describes how a part's file stores a column of whole numbers.
type numberColumn struct {
	name     string
	leaf     int
	optional bool
	narrow   bool // whether numbers have 32 bits in the file instead of 64
	unsigned bool // whether numbers are unsigned in the file
}

// OpenNumbers returns a reader of some columns of a part that have whole numbers. The argument
// table is the part's schema version. The result ok is false in two cases:
//
//   - One of the columns has NULLs.
//   - One of the columns does not have whole numbers. Signed numbers of at most 64 bits and
//     unsigned numbers of at most 32 bits are supported.
func OpenNumbers(f *blocks.File, table schema.Table, columns []base.ColumnID) (n *Numbers, ok bool, err error) {
	n = &Numbers{file: f, sorted: len(table.SortKey) > 0 && table.SortKey[0].Column == columns[0] && !table.SortKey[0].Descending}
	err = openPlaces(f, table, func(_ io.ReaderAt, p *places) error {
		for _, id := range columns {
			placed, err := p.column(id)
			if err != nil {
				return err
			}
			c, isNumber := placed.number()
			switch placed.declared.Arrow().ID() {
			case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
				ok = isNumber
			default:
				ok = false
			}
			if !ok {
				return nil
			}
			n.columns = append(n.columns, c)
		}
		for _, g := range p.groups {
			if ok = n.add(g); !ok {
				return nil
			}
		}
		return nil
	})
	return n, ok && err == nil, err
}

// add adds a row group that the file's footer describes to the reader. It returns false if in this
// row group one of the reader's columns has a NULL or lacks a least and a greatest value.
func (n *Numbers) add(g placedGroup) bool {
	out := NumberGroup{Rows: g.rows}
	var chunks []place
	for _, c := range n.columns {
		chunk := g.chunks[c.leaf]
		if chunk.nulls || chunk.min == nil || chunk.max == nil {
			return false
		}
		out.Bounds = append(out.Bounds, NumberBounds{c.plain(nil, chunk.min, 1)[0], c.plain(nil, chunk.max, 1)[0]})
		// Both fields are slices of the footer. If they stayed set, all of the footer would stay in
		// memory.
		chunk.min, chunk.max = nil, nil
		chunks = append(chunks, chunk)
	}
	n.Groups, n.chunks = append(n.Groups, out), append(n.chunks, chunks)
	return true
}

// Bytes estimates the memory that n takes, in bytes.
func (n *Numbers) Bytes() int64 {
	const perGroup, perColumn = 96, 128
	return int64(len(n.Groups) * (perGroup + perColumn*len(n.columns)))
}

// Read returns all values of a row group, as one list (Integers) for each column.
func (n *Numbers) Read(group int) (columns []Integers, err error) {
	err = n.open(group, func(f io.ReaderAt) error {
		for i, c := range n.columns {
			err := c.read(f, n.chunks[group][i], n.Groups[group].Rows, func(values []int64) { columns = append(columns, integersOf(values)) })
			if err != nil {
				return base.Wrap(err, "column %q", c.name)
			}
		}
		return nil
	})
	return columns, err
}

// open opens the part's file and calls the function do, which reads pages of a row group.
func (n *Numbers) open(group int, do func(f io.ReaderAt) error) error {
	return openFile(n.file, func(f io.ReaderAt, _ int64) error { return base.Wrap(do(f), "row group %d", group) })
}

// Find returns the rows of a row group in which the columns have the given values, one value per
// column. Rows are counted from the first row of the group, and are in ascending order. Find caches
// nothing, and takes a fraction of the time of Read.
func (n *Numbers) Find(group int, values []int64) (rows []uint32, err error) {
	err = n.open(group, func(f io.ReaderAt) error {
		for i, c := range n.columns {
			var err error
			if i == 0 {
				rows, err = c.find(f, n.chunks[group][i], n.Groups[group].Rows, values[i], n.sorted)
			} else if len(rows) > 0 {
				rows, err = c.among(f, n.chunks[group][i], values[i], rows)
			}
			if err != nil {
				return base.Wrap(err, "column %q", c.name)
			}
		}
		return nil
	})
	return rows, err
}

// find returns the rows of a column chunk that have the given value. The chunk has count rows and
// no NULLs. If sorted is true, the rows are sorted by this column, and find stops reading after the
// last equal value.
func (c *numberColumn) find(file io.ReaderAt, chunk place, count int, value int64, sorted bool) (rows []uint32, err error) {
	look := func(first int, values []int64) (more bool) {
		if sorted && values[len(values)-1] < value {
			return true
		}
		for i, v := range values {
			if v == value {
				rows = append(rows, uint32(first+i))
			}
		}
		return !sorted || values[len(values)-1] == value
	}
	err = c.each(file, chunk, count, func(p *pages, first int, h page, data []byte, dictionary []int64) (more bool, err error) {
		if h.encoding != parquet.Encodings.DeltaBinaryPacked {
			p.numbers, err = c.unpack(p.numbers[:0], h, data, dictionary)
			return err == nil && (h.values == 0 || look(first, p.numbers)), err
		}
		d, err := deltasOf(data, h.values)
		if err != nil {
			return false, err
		}
		if sorted {
			first += d.pass(func(_ int, last int64) bool { return c.widened(last) >= value })
		}
		for some := d.next(); len(some) > 0; some = d.next() {
			c.widen(some)
			if !look(first, some) {
				return false, nil
			}
			first += len(some)
		}
		return true, nil
	})
	return rows, err
}

// among filters the given rows: it returns the rows that have the given value in a column chunk.
// The chunk must not have NULLs.
func (c *numberColumn) among(file io.ReaderAt, chunk place, value int64, rows []uint32) ([]uint32, error) {
	p, err := openPages(file, chunk, c.optional)
	if err != nil {
		return nil, err
	}
	defer p.close()
	t := &taker{column: *c, numbers: true, rows: rows, valid: make([]byte, (len(rows)+7)/8)}
	if err := t.take(p); err != nil {
		return nil, err
	}
	if len(t.whole) != len(rows) {
		return nil, base.Errorf(base.Corrupt, "row %d is missing", rows[len(t.whole)])
	}
	var out []uint32
	for i, v := range t.whole {
		if v == value {
			out = append(out, rows[i])
		}
	}
	return out, nil
}

// each calls the function f with each page of a column chunk, until f returns false. The chunk has
// the given number of rows and no NULLs. f receives the index that the page's first value has in
// the chunk (first).
func (c *numberColumn) each(file io.ReaderAt, chunk place, rows int, f func(p *pages, first int, h page, data []byte, dictionary []int64) (more bool, err error)) error {
	p, err := openPages(file, chunk, c.optional)
	if err != nil {
		return err
	}
	defer p.close()
	var dictionary []int64
	done, more := 0, true
	err = p.each(func(h page, body []byte) error {
		dictionary = c.plain(nil, body, h.values)
		return nil
	}, func(first int, h page, read func() ([]byte, error)) (bool, error) {
		if done = first + h.values; done > rows {
			return false, base.Errorf(base.Corrupt, "more than %d values", rows)
		}
		data, err := read()
		if err != nil {
			return false, err
		}
		data, _ = p.cutLevels(h, data)
		more, err = f(p, first, h, data, dictionary)
		return more, err
	})
	if err == nil && more && done != rows {
		return base.Errorf(base.Corrupt, "%d values, expected %d", done, rows)
	}
	return err
}

// read calls the function f with consecutive pieces of the values of a column chunk. The chunk has
// the given number of rows and no NULLs. The slice that f gets is valid only during the call.
func (c *numberColumn) read(file io.ReaderAt, chunk place, rows int, f func(values []int64)) error {
	return c.each(file, chunk, rows, func(p *pages, first int, h page, data []byte, dictionary []int64) (more bool, err error) {
		if first == 0 {
			p.numbers = sized(p.numbers, rows)[:0]
		}
		p.numbers, err = c.unpack(p.numbers, h, data, dictionary)
		if err == nil && len(p.numbers) == rows {
			f(p.numbers)
		}
		return true, err
	})
}

// unpack appends the values of a page to the given slice. The page must not have NULLs. The
// argument dictionary has the values of the chunk's dictionary page, if there is one.
func (c *numberColumn) unpack(to []int64, h page, data []byte, dictionary []int64) (out []int64, err error) {
	switch h.encoding {
	case parquet.Encodings.Plain:
		return c.plain(to, data, h.values), nil
	case parquet.Encodings.RLEDict:
		return appendUnpacked(to, data[1:], int(data[0]), h.values, func(index uint64) int64 { return dictionary[index] }), nil
	case parquet.Encodings.DeltaBinaryPacked:
		out, err = appendUndelta(to, data, h.values)
		c.widen(out[len(to):])
		return out, err
	}
	return nil, base.Errorf(base.Corrupt, "whole numbers as %s", h.encoding)
}

// plain appends count numbers to the given slice. The argument data has them in PLAIN encoding.
func (c *numberColumn) plain(to []int64, data []byte, count int) []int64 {
	for i := range count {
		if c.narrow {
			to = append(to, c.widened(int64(binary.LittleEndian.Uint32(data[4*i:]))))
		} else {
			to = append(to, int64(binary.LittleEndian.Uint64(data[8*i:])))
		}
	}
	return to
}

// widen replaces each value that was decoded from deltas with the number that it represents (see
// the function widened).
func (c *numberColumn) widen(values []int64) {
	for i := 0; c.narrow && i < len(values); i++ {
		values[i] = c.widened(values[i])
	}
}

// widened returns the number that the decoded value v represents. If the column's numbers have 32
// bits in the file, only the lowest 32 bits of v are valid. They are then extended to 64 bits, with
// or without sign.
func (c *numberColumn) widened(v int64) int64 {
	switch {
	case !c.narrow:
		return v
	case c.unsigned:
		return int64(uint32(v))
	}
	return int64(int32(v))
}

// unreadable converts an error of arrow-go, or of reading a file, to the kind Corrupt. But an error
// that wraps one of Scoter's own errors, such as a failed read, keeps the kind of that error.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	var known *base.Error
	if errors.As(err, &known) {
		return err
	}
	return base.Errorf(base.Corrupt, "not readable: %w", err)
}
