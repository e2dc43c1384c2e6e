package part

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Numbers reads columns of whole numbers of a part, a row group at a time, for who looks for a few rows: it remembers where they
// are, since the footer of a large part takes longer to parse than a row group, and unpacks them in a tenth of the time that arrow-go
// takes. It is immutable, and keeps no file open.
type Numbers struct {
	path    string
	meta    *metadata.FileMetaData // of the columns alone
	columns []numberColumn
	Groups  []NumberGroup
}

// NumberGroup is a row group.
type NumberGroup struct {
	Rows   int
	Bounds []NumberBounds // of each column
}

// NumberBounds are the least and the greatest of some numbers.
type NumberBounds struct{ Min, Max int64 }

// numberColumn is where a column is in the file.
type numberColumn struct {
	name     string
	leaf     int
	optional bool
	narrow   bool // of 32 bits in the file, not of 64
	unsigned bool // likewise
}

// leafOf returns where the column of a table that is no nested one is among a part's.
func leafOf(table schema.Table, at int) (int, error) {
	var leaves []leafPath
	for i, f := range table.Arrow().Fields()[:at] {
		var err error
		if leaves, err = appendLeaves(leaves, i, f); err != nil {
			return 0, err
		}
	}
	return len(leaves), nil
}

// numberColumnOf describes a leaf of a file that is the column of a table; false if it is not stored as integers.
func numberColumnOf(meta *metadata.FileMetaData, table schema.Table, at, leaf int) (c numberColumn, ok bool) {
	field := table.Arrow().Field(at)
	physical := meta.Schema.Column(leaf).PhysicalType()
	c = numberColumn{name: table.Columns[at].Name, leaf: leaf, optional: field.Nullable, narrow: physical == parquet.Types.Int32}
	switch field.Type.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32:
		c.unsigned = true
	}
	return c, physical == parquet.Types.Int32 || physical == parquet.Types.Int64
}

// OpenNumbers finds columns of a part that was written with a version of a table. ok is false if one of them is not of whole numbers, of
// 64 bits with a sign or of 32 without, or holds a NULL.
func OpenNumbers(fsys vfs.FS, path string, table schema.Table, columns []base.ColumnID) (n *Numbers, ok bool, err error) {
	n = &Numbers{path: path}
	var leaves []int
	for _, id := range columns {
		at := table.ColumnByID(id)
		if at < 0 {
			return nil, false, base.Errorf(base.Internal, "part %s has no column %d", path, id)
		}
		switch table.Arrow().Field(at).Type.ID() {
		case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
		default:
			return nil, false, nil
		}
		leaf, err := leafOf(table, at)
		if err != nil {
			return nil, false, err
		}
		leaves = append(leaves, leaf)
	}
	err = open(fsys, path, func(r *file.Reader, footer Footer) error {
		if err := matches(footer, table); err != nil {
			return err
		}
		n.meta = r.MetaData()
		for i, leaf := range leaves {
			c, _ := numberColumnOf(n.meta, table, table.ColumnByID(columns[i]), leaf)
			n.columns = append(n.columns, c)
		}
		for g := range footer.RowGroups {
			group, known, err := n.describe(g)
			if err != nil || !known {
				return err
			}
			n.Groups = append(n.Groups, group)
			all := n.meta.RowGroups[g].Columns
			kept := slices.Repeat(all[n.columns[0].leaf:][:1], len(all)) // nobody asks for the others, but arrow-go counts them
			for _, c := range n.columns {
				kept[c.leaf] = all[c.leaf]
			}
			n.meta.RowGroups[g].Columns = kept
		}
		ok = true
		return nil
	})
	return n, ok, err
}

// describe returns what the footer says of a row group; false if its columns have NULLs or no bounds.
func (n *Numbers) describe(g int) (out NumberGroup, known bool, err error) {
	group := n.meta.RowGroup(g)
	out.Rows = int(group.NumRows())
	for _, c := range n.columns {
		chunk, err := group.ColumnChunk(c.leaf)
		if err != nil {
			return out, false, err
		}
		stats, err := chunk.Statistics()
		if err != nil || stats == nil || !stats.HasMinMax() || !stats.HasNullCount() || stats.NullCount() > 0 {
			return out, false, err
		}
		bound := func(plain []byte) int64 {
			return c.plain(nil, plain, 1)[0]
		}
		out.Bounds = append(out.Bounds, NumberBounds{bound(stats.EncodeMin()), bound(stats.EncodeMax())})
	}
	return out, true, nil
}

// Bytes is about how much memory it holds.
func (n *Numbers) Bytes() int64 {
	const perGroup, perColumn = 512, 1024
	return int64(len(n.Groups) * (perGroup + perColumn*len(n.columns)))
}

// Read returns the columns of a row group.
func (n *Numbers) Read(fsys vfs.FS, group int) (columns []Integers, err error) {
	f, err := fsys.Open(n.path)
	if err != nil {
		return nil, base.Wrap(err, "part")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = parse(func() error {
		for _, c := range n.columns {
			err := c.read(f, n.meta, group, n.Groups[group].Rows, func(values []int64) { columns = append(columns, integersOf(values)) })
			if err != nil {
				return base.Wrap(err, "row group %d: column %q", group, c.name)
			}
		}
		return nil
	})
	return columns, base.Wrap(err, "part %s", n.path)
}

// read gives f the column's values in a row group, of which there are to be so many and no NULL. They hold during the call.
func (c *numberColumn) read(file io.ReaderAt, meta *metadata.FileMetaData, group, rows int, f func(values []int64)) error {
	chunk, err := meta.RowGroup(group).ColumnChunk(c.leaf)
	if err != nil {
		return unreadable(err)
	}
	p, err := openPages(file, chunk, c.optional)
	if err != nil {
		return err
	}
	defer p.close()
	p.numbers = sized(p.numbers, rows)[:0]
	var dictionary []int64
	err = p.each(func(h page, body []byte) error {
		dictionary = c.plain(nil, body, h.values)
		return nil
	}, func(_ int, h page, read func() ([]byte, error)) (bool, error) {
		if len(p.numbers)+h.values > rows {
			return false, base.Errorf(base.Corrupt, "more than %d values", rows)
		}
		data, err := read()
		if err != nil {
			return false, err
		}
		data, _ = p.cutLevels(h, data)
		p.numbers, err = c.unpack(p.numbers, h, data, dictionary)
		return true, err
	})
	if err != nil {
		return err
	}
	if len(p.numbers) != rows {
		return base.Errorf(base.Corrupt, "%d values, expected %d", len(p.numbers), rows)
	}
	f(p.numbers)
	return nil
}

// unpack appends the values of a page that has no NULL.
func (c *numberColumn) unpack(to []int64, h page, data []byte, dictionary []int64) (out []int64, err error) {
	switch h.encoding {
	case parquet.Encodings.Plain:
		return c.plain(to, data, h.values), nil
	case parquet.Encodings.RLEDict:
		return appendUnpacked(to, data[1:], int(data[0]), h.values, func(index uint64) int64 { return dictionary[index] }), nil
	case parquet.Encodings.DeltaBinaryPacked:
		out, err = appendUndelta(to, data, h.values)
		for i := len(to); c.narrow && i < len(out); i++ {
			out[i] = c.widened(int32(out[i]))
		}
		return out, err
	}
	return nil, base.Errorf(base.Corrupt, "whole numbers as %s", h.encoding)
}

// plain appends values of PLAIN encoding.
func (c *numberColumn) plain(to []int64, data []byte, count int) []int64 {
	for i := range count {
		if c.narrow {
			to = append(to, c.widened(int32(binary.LittleEndian.Uint32(data[4*i:]))))
		} else {
			to = append(to, int64(binary.LittleEndian.Uint64(data[8*i:])))
		}
	}
	return to
}

// widened returns what an integer of 32 bits stands for.
func (c *numberColumn) widened(v int32) int64 {
	if c.unsigned {
		return int64(uint32(v))
	}
	return int64(v)
}

// unreadable is an error of arrow-go's: Corrupt, unless it only hands on that the file could not be read.
func unreadable(err error) error {
	var known *base.Error
	if errors.As(err, &known) {
		return err
	}
	return base.Errorf(base.Corrupt, "not readable: %w", err)
}
