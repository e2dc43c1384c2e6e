package part

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// places has the positions of the column chunks of a part in its file, as the file's footer gives
// them. It is used to read a few values without arrow-go.
type places struct {
	rows    int64
	columns []placedColumn
	groups  []placedGroup
}

// placedColumn is a column of the table, and its position among the leaves (the columns without
// children) of the file.
type placedColumn struct {
	id       base.ColumnID
	name     string
	declared schema.Type
	nested   bool
	// index of the column's leaf in the file; if the column is nested, index of its first leaf
	leaf     int
	physical parquet.Type
	optional bool
}

// placedGroup is a row group of a part, with the positions of its column chunks in the file.
type placedGroup struct {
	rows int
	// chunks are the positions of the column chunks, by the index of their leaf (column without
	// children).
	chunks []place
}

// place is the position of a column chunk in the file of a part.
type place struct {
	// Offset in the file of the first page, and size in bytes of all pages in the file.
	first, bytes int64
	unpacked     int64 // size of all pages before compression, in bytes
	values       int64 // number of values in the chunk, including NULLs
	codec        compress.Compression
	nulls        bool // whether the chunk may have NULLs
	dictionary   bool // whether the chunk begins with a dictionary page
	min, max     []byte
}

// These are the ids of the fields that are read from the structs of parquet.thrift.
const (
	fileSchema, fileRows, fileGroups = 2, 3, 4

	elementType, elementRepetition, elementName, elementChildren, elementID = 1, 3, 4, 5, 9

	groupColumns, groupRows = 1, 3

	columnMeta = 3

	metaCodec, metaValues, metaUnpacked, metaBytes, metaData, metaDictionary, metaStatistics = 4, 5, 6, 7, 9, 11, 12

	statsNulls, statsMax, statsMin = 3, 5, 6
)

// tailBytes is the number of bytes that are read first from a part's file, from its end. The footer
// of most parts fits into them.
const tailBytes = 32 << 10

// openPlaces opens a part's file, and calls the function do with the file and the positions of its
// column chunks. The argument table is the part's schema version. If the file has other columns,
// the error is Corrupt.
func openPlaces(f *blocks.File, table schema.Table, do func(io.ReaderAt, *places) error) error {
	return openFile(f, func(f io.ReaderAt, size int64) error {
		footer, err := readFooter(f, size)
		if err != nil {
			return err
		}
		p := new(places)
		p.read(&compact{data: footer})
		if !slices.EqualFunc(p.columns, table.Columns, func(c placedColumn, want schema.Column) bool { return c.id == want.ID && c.name == want.Name }) {
			return base.Errorf(base.Corrupt, "the file's columns are not those of version %d of table %s", table.Version, table.QualifiedName())
		}
		for i := range p.columns {
			p.columns[i].declared = table.Columns[i].Type
		}
		rows := int64(0)
		for _, g := range p.groups {
			rows += int64(g.rows)
		}
		if rows != p.rows {
			return base.Errorf(base.Corrupt, "footer counts %d rows, its row groups %d", p.rows, rows)
		}
		return do(f, p)
	})
}

// Groups returns the number of rows of each row group of the part in the file f. The argument table
// is the part's schema version.
func Groups(f *blocks.File, table schema.Table) (rows []int, err error) {
	err = openPlaces(f, table, func(_ io.ReaderAt, p *places) error {
		for _, g := range p.groups {
			rows = append(rows, g.rows)
		}
		return nil
	})
	return rows, err
}

// readFooter returns the bytes of a file's footer. A Parquet file ends with the footer, the
// footer's length, and the magic bytes.
func readFooter(f io.ReaderAt, size int64) ([]byte, error) {
	const end = 8
	tail := make([]byte, min(size, tailBytes))
	if len(tail) < end {
		return nil, base.Errorf(base.Corrupt, "a file of %d bytes", size)
	}
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, unreadable(err)
	}
	last := tail[len(tail)-end:]
	length := int64(binary.LittleEndian.Uint32(last))
	if string(last[4:]) != "PAR1" || length > size-end {
		return nil, base.Errorf(base.Corrupt, "not a Parquet file")
	}
	if have := int64(len(tail) - end); length > have {
		footer := make([]byte, length)
		_, err := f.ReadAt(footer, size-end-length)
		return footer, unreadable(err)
	}
	return tail[len(tail)-end-int(length) : len(tail)-end], nil
}

func (p *places) read(c *compact) {
	c.fields(func(id int) bool {
		switch id {
		case fileSchema:
			p.readSchema(c)
		case fileRows:
			p.rows = c.integer()
		case fileGroups:
			c.list(func() { p.groups = append(p.groups, readGroup(c, len(p.columns))) })
		default:
			return false
		}
		return true
	})
}

// readSchema reads the columns from the footer. The footer lists the tree of columns in preorder:
// the root first, and each column before its children.
func (p *places) readSchema(c *compact) {
	// within is the number of schema elements inside the current column that were not read yet. It
	// is -1 before the root is read.
	leaf, within := 0, int64(-1)
	c.list(func() {
		var e placedColumn
		children := int64(0)
		c.fields(func(id int) bool {
			switch id {
			case elementType:
				e.physical = parquet.Type(c.integer())
			case elementRepetition:
				e.optional = parquet.Repetition(c.integer()) == parquet.Repetitions.Optional
			case elementName:
				e.name = string(c.binary())
			case elementChildren:
				children = c.integer()
			case elementID:
				e.id = base.ColumnID(c.integer())
			default:
				return false
			}
			return true
		})
		switch {
		case within < 0:
			within = 0
			return
		case within == 0:
			e.leaf, e.nested = leaf, children > 0
			p.columns = append(p.columns, e)
		default:
			within--
		}
		within += children
		if children == 0 {
			leaf++
		}
	})
}

// readGroup reads the description of a row group from the footer. The argument leaves is the number
// of leaves (columns without children) that the row group must have.
func readGroup(c *compact, leaves int) (g placedGroup) {
	g.chunks = make([]place, 0, leaves)
	c.fields(func(id int) bool {
		switch id {
		case groupColumns:
			c.list(func() { g.chunks = append(g.chunks, readPlace(c)) })
		case groupRows:
			g.rows = int(c.integer())
		default:
			return false
		}
		return true
	})
	return g
}

func readPlace(c *compact) place {
	p := place{nulls: true}
	dictionary := int64(0)
	statistics := func(id int) bool {
		switch id {
		case statsNulls:
			p.nulls = c.integer() != 0
		case statsMax:
			p.max = c.binary()
		case statsMin:
			p.min = c.binary()
		default:
			return false
		}
		return true
	}
	meta := func(id int) bool {
		switch id {
		case metaCodec:
			p.codec = compress.Compression(c.integer())
		case metaValues:
			p.values = c.integer()
		case metaUnpacked:
			p.unpacked = c.integer()
		case metaBytes:
			p.bytes = c.integer()
		case metaData:
			p.first = c.integer()
		case metaDictionary:
			dictionary = c.integer()
		case metaStatistics:
			c.fields(statistics)
		default:
			return false
		}
		return true
	}
	c.fields(func(id int) bool {
		if id == columnMeta {
			c.fields(meta)
		}
		return id == columnMeta
	})
	if dictionary > 0 {
		p.first, p.dictionary = min(p.first, dictionary), true
	}
	return p
}

// column returns the table's column with the given id, and its position among the leaves (columns
// without children) of the file.
func (p *places) column(id base.ColumnID) (placedColumn, error) {
	at := slices.IndexFunc(p.columns, func(c placedColumn) bool { return c.id == id })
	if at < 0 {
		return placedColumn{}, base.Errorf(base.Internal, "no column %d", id)
	}
	return p.columns[at], nil
}

// chunk returns the table's column with the given id, and the position in the file of its column
// chunk in a row group.
func (p *places) chunk(group int, id base.ColumnID) (c placedColumn, chunk place, err error) {
	if c, err = p.column(id); err != nil {
		return c, chunk, err
	}
	if group < 0 || group >= len(p.groups) {
		return c, chunk, base.Errorf(base.Internal, "row group %d of %d", group, len(p.groups))
	}
	chunk = p.groups[group].chunks[c.leaf]
	if rows := p.groups[group].rows; !c.nested && chunk.values != int64(rows) {
		return c, chunk, base.Errorf(base.Corrupt, "row group %d: column %q has %d values, expected %d", group, c.name, chunk.values, rows)
	}
	return c, chunk, nil
}

// number returns how the file stores a column of whole numbers. ok is false if the column is not
// stored as integers.
func (c placedColumn) number() (n numberColumn, ok bool) {
	if c.nested {
		return n, false
	}
	n = numberColumn{name: c.name, leaf: c.leaf, optional: c.optional, narrow: c.physical == parquet.Types.Int32}
	switch c.declared.Arrow().ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32:
		n.unsigned = true
	}
	return n, c.physical == parquet.Types.Int32 || c.physical == parquet.Types.Int64
}
