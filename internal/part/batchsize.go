package part

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// BatchSize is the largest size of a batch: in rows, and approximately in bytes of values.
type BatchSize struct{ Rows, Bytes int64 }

// of returns how many rows of the part in f have the size s in memory. Values in memory may be many
// times larger than in the file. dictionaries says that texts are read as dictionaries if the file
// has them.
func (s BatchSize) of(f *blocks.File, table schema.Table, dictionaries bool) (rows int64, err error) {
	var leaves []leafPath
	for i, f := range table.Arrow().Fields() {
		if leaves, err = appendLeaves(leaves, i, f); err != nil {
			return 0, base.Wrap(err, "column %q", f.Name)
		}
	}
	err = openPlaces(f, table, func(f io.ReaderAt, p *places) error {
		// arrow-go allocates memory for the batch size even if there are fewer rows.
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
				// Less than RowGroupRows: the group ended at GroupBytes.
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

// memoryBytes estimates the size in memory of the values of a column chunk. If sure is false, the
// estimate is not reliable. coded says that texts are read as a dictionary.
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
	// The dictionary alone does not tell how often each text occurs, so the size is only a guess.
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
