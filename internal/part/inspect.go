package part

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Inspect prints a part's footer to w as text: its columns with their statistics, and its row
// groups with the encoding and compression of each column. Equal files give equal text.
func Inspect(fsys vfs.FS, path string, w io.Writer) error {
	var out []byte
	err := open(blocks.Unchecked(fsys, path), func(r *file.Reader, footer summary) error {
		out = fmt.Appendf(out, "part of table %d version %d: %d rows in %d row groups\n", footer.Table, footer.SchemaVersion, footer.Rows, footer.RowGroups)
		for _, c := range footer.Columns {
			s := footer.Stats[c.ID]
			out = fmt.Appendf(out, "column %d %q: min %s, max %s, nulls %d\n", c.ID, c.Name, s.Min, s.Max, s.Nulls)
		}
		for g := range footer.RowGroups {
			group := r.MetaData().RowGroup(g)
			out = fmt.Appendf(out, "row group %d: %d rows\n", g, group.NumRows())
			for i := range group.NumColumns() {
				chunk, err := group.ColumnChunk(i)
				if err != nil {
					return err
				}
				out = fmt.Appendf(out, "  %s: %s, %s %v, %d of %d bytes\n", chunk.PathInSchema(), chunk.Type(), chunk.Compression(),
					chunk.Encodings(), chunk.TotalCompressedSize(), chunk.TotalUncompressedSize())
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}
