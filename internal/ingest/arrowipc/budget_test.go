package arrowipc

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

func batchOf(a arrow.Array) arrow.RecordBatch {
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
}

// repeated returns rows with the same value, as a dictionary.
func repeated(rows int, value arrow.Array) arrow.Array {
	t := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: value.DataType()}
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	indices.AppendValues(make([]int8, rows), nil)
	return array.NewDictionaryArray(t, indices.NewArray(), value)
}

func valueOf(dt arrow.BinaryDataType, text string) arrow.Array {
	b := array.NewBinaryBuilder(memory.DefaultAllocator, dt)
	b.AppendString(text)
	a := b.NewArray()
	return array.MakeFromData(array.NewData(dt, 1, a.Data().Buffers(), nil, 0, 0))
}

// viewsOf returns rows that all refer to the same bytes of one buffer.
func viewsOf(rows int, dt arrow.DataType, text string) arrow.Array {
	views := make([]byte, 16*rows)
	for i := range rows {
		binary.LittleEndian.PutUint32(views[16*i:], uint32(len(text)))
		copy(views[16*i+4:], text[:4])
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(views), memory.NewBufferBytes([]byte(text))}
	return array.MakeFromData(array.NewData(dt, rows, buffers, nil, 0, 0))
}

func listOf(a arrow.Array) arrow.Array {
	offsets := arrow.Int32Traits.CastToBytes([]int32{0, int32(a.Len())})
	return array.MakeFromData(array.NewData(arrow.ListOf(a.DataType()), 1, []*memory.Buffer{nil, memory.NewBufferBytes(offsets)}, []arrow.ArrayData{a.Data()}, 0, 0))
}

// TestWhatIsWrittenOutIsBounded checks the limit for dictionaries and views, which can repeat a few
// bytes any number of times.
func TestWhatIsWrittenOutIsBounded(t *testing.T) {
	const size = 1 << 20
	long := strings.Repeat("x", size)
	bytes, text := arrow.BinaryTypes.Binary, arrow.BinaryTypes.String
	for name, a := range map[string]arrow.Array{
		"bytes":          repeated(127, valueOf(bytes, long)),
		"large bytes":    repeated(127, valueOf(arrow.BinaryTypes.LargeBinary, long)),
		"texts in lists": listOf(repeated(127, valueOf(text, long))),
		"bytes in views": viewsOf(127, arrow.BinaryTypes.BinaryView, long),
		"texts in views": viewsOf(127, arrow.BinaryTypes.StringView, long),
		// The text of these views must not be read, either.
		"views of a million": viewsOf(1<<20, arrow.BinaryTypes.StringView, long),
	} {
		body := stream(t, []ipc.Option{ipc.WithZstd()}, batchOf(a), batchOf(a), batchOf(a))
		if _, err := Decode(body, 0, 64*size); base.KindOf(err) != base.TooLarge || !strings.Contains(err.Error(), "more than 67108864 bytes in memory") {
			t.Errorf("%s: %v", name, err)
		}
		if a.Len() > 127 {
			continue
		}
		got, err := Decode(body, 0, 3*129*size)
		if err != nil || len(got) != 3 {
			t.Errorf("%s: %d batches, %v", name, len(got), err)
		}
	}
	// A dictionary that is not unpacked counts once per batch.
	a := repeated(127, valueOf(text, long))
	if _, err := Decode(stream(t, nil, batchOf(a), batchOf(a), batchOf(a)), 0, 4*size); err != nil {
		t.Error(err)
	}
}
