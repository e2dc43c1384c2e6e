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

// readFooter returns the content of a Parquet file's footer. It first checks the parts of the
// footer whose sizes arrow-go would trust.
func readFooter(src Input, size int64) (*metadata.FileMetaData, error) {
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

// tail is the number of bytes after the footer of a Parquet file: the footer's length, and a magic
// word.
const tail = 4 + 4

// footerOf returns the last bytes of a Parquet file. They contain the whole footer, if there is
// one.
func footerOf(src Input, size int64) ([]byte, error) {
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

// checkFooter checks the tree of columns in a Parquet footer. arrow-go builds the tree by
// recursion: a tree that is too deep, or a group with more fields than fit in memory, would end the
// process.
func checkFooter(body []byte) error {
	footer, err := plainFooter(body)
	if err != nil {
		return err
	}
	return checkTree(footer.FileMetaData.Schema)
}

// plainFooter decodes the footer of a Parquet file without interpreting it.
func plainFooter(body []byte) (footer metadata.FileMetaData, err error) {
	if len(body) < tail || string(body[len(body)-4:]) != "PAR1" {
		return footer, base.Errorf(base.Invalid, "Parquet: the body does not end like an unencrypted Parquet file")
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

// Claimed returns the number of bytes that the rows of a Parquet file take in memory, according to
// the file's footer. The result is at most the argument most. It is 0 if the footer is broken,
// because Decode reports that. The file's size says little: a column that repeats one value takes
// almost no space in a file.
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
			default: // one offset per value, and the text
				bytes += min(4*values, most) + min(max(chunk.MetaData.TotalUncompressedSize, 0), most)
			}
			if bytes >= most {
				return most
			}
		}
	}
	return bytes
}

// fresh stores a pointer to a new value of type T in *to. It is needed because arrow-go does not
// export the type T.
func fresh[T any](to **T) { *to = new(T) }

// checkTree checks the elements of a Parquet schema. They are a tree in a list: each element is
// followed by one subtree for each of its children.
func checkTree[E interface{ GetNumChildren() int32 }](elements []E) error {
	// In Parquet, a list takes two groups, one inside of the other, and its element may be a third
	// group. So valid columns have at most three groups per level of nesting.
	const deepest = 3 * ingest.MaxNesting
	// open has, for each group around the current element, the number of children that are still to
	// come.
	var open []int
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

// arrowSchemaKey is the key in a Parquet file's metadata under which Arrow's writers store an Arrow
// schema. That schema has what Parquet's types cannot express, such as time zones and durations.
const arrowSchemaKey = "ARROW:schema"

// checkArrowSchema checks the Arrow schema in a Parquet file's metadata before pqarrow (arrow-go's
// Parquet reader) reads it. It decodes the schema in the same way as pqarrow.
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
