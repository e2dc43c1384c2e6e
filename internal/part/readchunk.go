package part

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// ReadChunk returns the values of one column in one row group of a part, on Go's heap. They have
// the column's storage type in table, which is the part's schema version. If the column is nested,
// the error is Internal: arrow-go reads nested columns with goroutines of its own, where a panic on
// a damaged page cannot be recovered.
func ReadChunk(f *blocks.File, table schema.Table, group int, column base.ColumnID) (values arrow.Array, err error) {
	at := table.ColumnByID(column)
	if at < 0 {
		return nil, base.Errorf(base.Internal, "%s has no column %d", f.Name(), column)
	}
	if values, err = readNumbers(f, table, group, column); values != nil || err != nil {
		return values, err
	}
	err = open(f, func(r *file.Reader, footer summary) error {
		if err := matches(footer, table); err != nil {
			return err
		}
		want := table.Arrow().Field(at).Type
		if _, nested := want.(arrow.NestedType); nested {
			return base.Errorf(base.Internal, "column %d is nested", column)
		}
		fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{BatchSize: r.MetaData().RowGroup(group).NumRows()}, memory.DefaultAllocator)
		if err != nil {
			return err
		}
		read, err := fr.RowGroup(group).Column(at).Read(context.Background())
		if err != nil {
			return err
		}
		defer read.Release()
		whole, err := array.Concatenate(read.Chunks(), memory.DefaultAllocator)
		if err != nil {
			return err
		}
		defer whole.Release()
		data, err := relabel(whole.Data(), want)
		if err != nil {
			return err
		}
		values = array.MakeFromData(data)
		data.Release()
		return nil
	})
	return values, err
}

// readNumbers does the work of ReadChunk for a column that Parquet stores as integers and that has
// no NULLs in the row group. For any other column it returns nil. It exists because arrow-go takes
// twice as long, mostly because it fills memory only to copy from it.
func readNumbers(f *blocks.File, table schema.Table, group int, column base.ColumnID) (values arrow.Array, err error) {
	err = openPlaces(f, table, func(f io.ReaderAt, p *places) error {
		placed, chunk, err := p.chunk(group, column)
		if err != nil {
			return err
		}
		want := placed.declared.Arrow()
		c, isNumber := placed.number()
		_, fixed := want.(arrow.FixedWidthDataType)
		if _, extension := want.(arrow.ExtensionType); !isNumber || !fixed || extension || chunk.nulls {
			return nil
		}
		rows := int(chunk.values)
		var bytes []byte
		var unknown error
		if err := c.read(f, chunk, rows, func(numbers []int64) { bytes, unknown = numbersAs(want, numbers) }); err != nil {
			return base.Wrap(err, "row group %d: column %q", group, c.name)
		}
		if unknown != nil {
			return base.Wrap(unknown, "column %q", c.name)
		}
		data := array.NewData(want, rows, []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0)
		defer data.Release()
		values = array.MakeFromData(data)
		return nil
	})
	return values, err
}

// numbersAs returns the numbers as the bytes of an Arrow array of the type want. Parquet must store
// that type as integers. The bytes are a copy.
func numbersAs(want arrow.DataType, numbers []int64) ([]byte, error) {
	width, fixed := want.(arrow.FixedWidthDataType)
	switch {
	case want.ID() == arrow.DECIMAL128:
		wide := make([]decimal128.Num, len(numbers))
		for i, v := range numbers {
			wide[i] = decimal128.FromI64(v)
		}
		return arrow.Decimal128Traits.CastToBytes(wide), nil
	case fixed && width.Bytes() == 8:
		return bytesOf(slices.Clone(numbers)), nil
	case fixed && width.Bytes() == 4:
		return bytesOf(narrowed[int32](numbers)), nil
	case fixed && width.Bytes() == 2:
		return arrow.Int16Traits.CastToBytes(narrowed[int16](numbers)), nil
	case fixed && width.Bytes() == 1:
		return arrow.Int8Traits.CastToBytes(narrowed[int8](numbers)), nil
	}
	return nil, base.Errorf(base.Internal, "type %s is stored as integers", want)
}

func narrowed[T int8 | int16 | int32](numbers []int64) []T {
	out := make([]T, len(numbers))
	for i, v := range numbers {
		out[i] = T(v)
	}
	return out
}
