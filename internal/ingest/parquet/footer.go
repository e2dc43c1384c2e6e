package parquet

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/thrift/lib/go/thrift"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
)

// readFooter returns what the footer says, once what arrow-go makes of it without a look at sizes is checked.
func readFooter(src Source, size int64) (*metadata.FileMetaData, error) {
	end, err := footerOf(src, size)
	if err != nil {
		return nil, err
	}
	if err := checkFooter(end); err != nil {
		return nil, err
	}
	f, err := file.NewParquetReader(src)
	if err != nil {
		return nil, invalid(err)
	}
	if err := checkArrowSchema(f.MetaData()); err != nil {
		return nil, base.Wrap(err, "Parquet: %s in the footer", arrowSchemaKey)
	}
	return f.MetaData(), nil
}

// tail is the size of what is behind the footer: its size, and a magic word.
const tail = 4 + 4

// footerOf returns the end of a file, with the whole footer if there is one.
func footerOf(src Source, size int64) ([]byte, error) {
	n := min(size, tail)
	for {
		end := make([]byte, n)
		if _, err := src.ReadAt(end, size-n); err != nil && err != io.EOF {
			return nil, base.Errorf(base.Invalid, "Parquet: %w", err)
		}
		if n > tail || n < tail {
			return end, nil
		}
		if n = min(size, tail+int64(binary.LittleEndian.Uint32(end))); n == tail {
			return end, nil
		}
	}
}

// checkFooter checks the tree of the columns, which arrow-go builds by recursion: too deep a one, or a group of
// more fields than there is memory for, ends the process.
func checkFooter(body []byte) error {
	footer, err := plainFooter(body)
	if err != nil {
		return err
	}
	return checkTree(footer.FileMetaData.Schema)
}

// plainFooter returns the footer as it is written.
func plainFooter(body []byte) (footer metadata.FileMetaData, err error) {
	if len(body) < tail || string(body[len(body)-4:]) != "PAR1" {
		return footer, base.Errorf(base.Invalid, "Parquet: the body does not end like a Parquet file that is not encrypted")
	}
	end := len(body) - tail
	size := int(binary.LittleEndian.Uint32(body[end:]))
	if size > end {
		return footer, base.Errorf(base.Invalid, "Parquet: a footer of %d bytes in a body of %d", size, len(body))
	}
	fresh(&footer.FileMetaData)
	source := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(body[end-size : end])}
	if err := footer.Read(context.Background(), thrift.NewTCompactProtocolConf(source, nil)); err != nil {
		return footer, invalid(err)
	}
	return footer, nil
}

// Claimed is how many bytes, but at most so many, the rows of a file take in memory by what its footer says; 0 if it is broken, which Decode tells. A column
// of one value again and again takes next to nothing in a file.
func Claimed(body []byte, most int64) (bytes int64) {
	footer, err := plainFooter(body)
	if err != nil {
		return 0
	}
	for _, group := range footer.RowGroups {
		for _, chunk := range group.Columns {
			if chunk.MetaData == nil {
				continue
			}
			values := min(max(chunk.MetaData.NumValues, group.NumRows, 0), most)
			switch t := parquet.Type(chunk.MetaData.Type); t {
			case parquet.Types.Boolean:
				bytes += values / 8
			case parquet.Types.Int32, parquet.Types.Float:
				bytes += min(4*values, most)
			case parquet.Types.Int64, parquet.Types.Double, parquet.Types.Int96:
				bytes += min(8*values, most)
			default: // offsets, and the texts
				bytes += min(4*values, most) + min(max(chunk.MetaData.TotalUncompressedSize, 0), most)
			}
			if bytes >= most {
				return most
			}
		}
	}
	return bytes
}

// fresh makes a value of a type that is internal to arrow-go.
func fresh[T any](to **T) { *to = new(T) }

// checkTree checks elements of a schema: each is followed by as many subtrees as it has children.
func checkTree[E interface{ GetNumChildren() int32 }](elements []E) error {
	const deepest = 3 * ingest.MaxNesting // a list is a group in a group
	var open []int                        // children to come of the groups around
	columns, needed := 0, 1
	for i, e := range elements {
		n := int(e.GetNumChildren())
		needed += n - 1
		switch {
		case n < 0 || needed >= len(elements)-i:
			return base.Errorf(base.Invalid, "Parquet: a group of %d columns, in a schema of %d elements", n, len(elements))
		case n > 0:
			if open = append(open, n); len(open) > deepest {
				return base.Errorf(base.TooLarge, "Parquet: columns are nested deeper than %d", ingest.MaxNesting)
			}
			continue
		}
		if columns++; columns > ingest.MaxColumns {
			return base.Errorf(base.TooLarge, "Parquet: more than %d columns", ingest.MaxColumns)
		}
		for len(open) > 0 {
			if open[len(open)-1]--; open[len(open)-1] > 0 {
				break
			}
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			break
		}
	}
	return nil
}

// arrowSchemaKey is where Arrow's writers keep what Parquet has no types for: zones, durations and the like.
const arrowSchemaKey = "ARROW:schema"

// checkArrowSchema checks what pqarrow reads below arrowSchemaKey, decoded as it does.
func checkArrowSchema(meta *metadata.FileMetaData) error {
	text := meta.KeyValueMetadata().FindValue(arrowSchemaKey)
	if text == nil {
		return nil
	}
	schema, err := base64.StdEncoding.DecodeString(*text)
	if err != nil || len(*text)%4 != 0 || len(schema) == 0 {
		if schema, err = base64.RawStdEncoding.DecodeString(*text); err != nil {
			return base.Errorf(base.Invalid, "%w", err)
		}
	}
	return arrowipc.CheckSchema(schema)
}
