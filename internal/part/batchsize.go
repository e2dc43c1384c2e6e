package part

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// BatchSize is the maximum size of a batch: its number of rows, and approximately the number of
// bytes of its values.
type BatchSize struct{ Rows, Bytes int64 }

// The method named of converts the limit s, which counts bytes too, to a number of rows. A batch of
// at most that many rows of the part in the file f takes at most the size s in memory. Values in
// memory may be many times larger than in the file. If the argument dictionaries is true, texts
// that have a dictionary in the file are read as dictionaries.
func (s BatchSize) of(f *blocks.File, table schema.Table, dictionaries bool) (rows int64, err error) {
	var leaves []leafPath
	for i, f := range table.Arrow().Fields() {
		if leaves, err = appendLeaves(leaves, i, f); err != nil {
			return 0, base.Wrap(err, "column %q", f.Name)
		}
	}
	err = openPlaces(f, table, func(f io.ReaderAt, p *places) error {
		// Limit the number of rows to those that exist, because arrow-go allocates memory for the
		// whole batch size.
		rows = min(s.Rows, RowGroupRows, p.rows)
		for i, g := range p.groups {
			if len(g.chunks) != len(leaves) {
				return base.Errorf(base.Corrupt, "row group %d: %d columns, expected %d", i, len(g.chunks), len(leaves))
			}
			bytes, known := int64(0), true
			for at, leaf := range leaves {
				size, sure, err := memoryBytes(f, g.chunks[at], leaf, dictionaries && p.groups[0].chunks[at].dictionary)
				if err != nil {
					return base.Wrap(err, "row group %d: column %q", i, p.columns[leaf.column].name)
				}
				bytes, known = bytes+size, known && sure
			}
			if !known && g.rows < RowGroupRows && i < len(p.groups)-1 {
				// Except for the last one, a row group has fewer than RowGroupRows rows only if its
				// values reached GroupBytes. So it has at least that size.
				bytes = max(bytes, GroupBytes)
			}
			if bytes > 0 && g.rows > 0 {
				rows = min(rows, int64(float64(s.Bytes)/float64(bytes)*float64(g.rows)))
			}
		}
		rows = max(1, rows)
		return nil
	})
	return rows, err
}

// memoryBytes estimates the size in memory of the values of a column chunk. The result sure is
// false if the estimate is not reliable. If coded is true, texts are read as a dictionary.
func memoryBytes(f io.ReaderAt, chunk place, leaf leafPath, coded bool) (bytes int64, sure bool, err error) {
	typ := leaf.typ
	if ext, is := typ.(arrow.ExtensionType); is {
		typ = ext.StorageType()
	}
	if fixed, is := typ.(arrow.FixedWidthDataType); is {
		return max(chunk.unpacked, chunk.values*int64(fixed.BitWidth())/8), true, nil
	}
	if coded && typ.ID() == arrow.STRING && len(leaf.path) == 0 {
		const code = 4
		return max(chunk.unpacked, code*chunk.values), true, nil
	}
	if !chunk.dictionary {
		return chunk.unpacked, true, nil
	}
	// The dictionary does not say how often each text occurs, so the size computed from it is only
	// a guess.
	p, err := openPages(f, chunk, leaf.nullable)
	if err != nil {
		return 0, false, err
	}
	defer p.close()
	h, err := p.header()
	if err != nil {
		return 0, false, unreadable(err)
	}
	return max(chunk.unpacked, int64(float64(h.unpacked)/float64(max(1, h.values))*float64(chunk.values))), false, nil
}
