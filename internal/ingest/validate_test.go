package ingest

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

// raw makes a batch of one column from buffers, without checks by arrow-go.
func raw(dt arrow.DataType, rows, nulls, offset int, buffers []*memory.Buffer, children ...arrow.ArrayData) arrow.RecordBatch {
	return rawBatch{data: array.NewData(dt, rows, buffers, children, nulls, offset)}
}

// rawBatch is a batch that only has the data of its column.
type rawBatch struct {
	arrow.RecordBatch
	data arrow.ArrayData
}

func (b rawBatch) NumRows() int64 { return int64(b.data.Len()) }
func (b rawBatch) NumCols() int64 { return 1 }
func (b rawBatch) Schema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "a", Type: b.data.DataType()}}, nil)
}
func (b rawBatch) Column(int) arrow.Array { return rawArray{data: b.data} }

type rawArray struct {
	arrow.Array
	data arrow.ArrayData
}

func (a rawArray) Data() arrow.ArrayData { return a.data }

func TestValidateRefusesWhatCCodeWouldTripOver(t *testing.T) {
	buffer := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	i32 := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v)) }
	text, int64s := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	list := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	child := array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, i32(1, 2)}, nil, 0, 0)
	f := func(batch arrow.RecordBatch, want string) {
		t.Helper()
		err := Validate(batch)
		if want == "" && err != nil || want != "" && (base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f(raw(int64s, 1, 0, 0, []*memory.Buffer{nil, buffer(1, 2, 3, 4, 5, 6, 7, 8)}), "")
	f(raw(int64s, 1, 0, 0, []*memory.Buffer{nil, buffer(1, 2, 3)}), "3 bytes where 1 values")
	f(raw(int64s, 1, 0, 1, []*memory.Buffer{nil, buffer(1, 2, 3, 4, 5, 6, 7, 8)}), "8 bytes where 2 values")
	f(raw(int64s, 1, 0, 0, []*memory.Buffer{nil, nil}), "0 bytes where 1 values")
	f(raw(int64s, 1, 0, 0, []*memory.Buffer{nil}), "1 buffers")
	f(raw(int64s, 1, 1, 0, []*memory.Buffer{nil, buffer(1, 2, 3, 4, 5, 6, 7, 8)}), "1 NULLs without a validity bitmap")
	f(raw(int64s, 1, 0, 0, []*memory.Buffer{buffer(0), buffer(1, 2, 3, 4, 5, 6, 7, 8)}), "1 NULLs where 0 are announced")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(0, 1, 2), buffer('a', 'b')}), "")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(0, 1), buffer('a', 'b')}), "8 bytes of offsets")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(0, 2, 1), buffer('a', 'b')}), "offset 1 of value 2")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(-1, 0, 1), buffer('a', 'b')}), "offset -1")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(0, 1, 3), buffer('a', 'b')}), "offset 3")
	f(raw(text, 2, 0, 0, []*memory.Buffer{nil, i32(0, 1, 2), buffer(0xc3, 0xbc)}), "row 1 is not valid UTF-8")
	f(raw(text, 2, 1, 0, []*memory.Buffer{buffer(2), i32(0, 1, 2), buffer(0xff, 'b')}), "")
	f(raw(arrow.BinaryTypes.Binary, 1, 0, 0, []*memory.Buffer{nil, i32(0, 1), buffer(0xff)}), "")
	f(raw(list, 1, 0, 0, []*memory.Buffer{nil, i32(0, 2)}, child), "")
	f(raw(list, 1, 0, 0, []*memory.Buffer{nil, i32(0, 3)}, child), "offset 3")
	f(raw(list, 1, 0, 0, []*memory.Buffer{nil, i32(0, 2)}), "0 children")
	f(raw(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), 1, 0, 0, []*memory.Buffer{nil}, child), "")
	f(raw(arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32), 1, 0, 0, []*memory.Buffer{nil}, child), "beyond their values")
	one := arrow.StructOf(arrow.Field{Name: "f", Type: arrow.PrimitiveTypes.Int32})
	f(raw(one, 2, 0, 0, []*memory.Buffer{nil}, child), "")
	f(raw(one, 3, 0, 0, []*memory.Buffer{nil}, child), `field "f" has 2 values of 3`)
	two := arrow.StructOf(arrow.Field{Name: "f", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "F", Type: arrow.PrimitiveTypes.Int32})
	f(raw(two, 2, 0, 0, []*memory.Buffer{nil}, child), "1 children of a struct of 2 fields")
	f(raw(arrow.BinaryTypes.StringView, 1, 0, 0, []*memory.Buffer{nil, buffer(13, 0, 0, 0, 'x', 'x', 'x', 'x', 0, 0, 0, 0, 0, 0, 0, 0), buffer('x')}), "row 1 of 13 bytes at 0 in a buffer of 1")
	f(raw(arrow.BinaryTypes.StringView, 1, 0, 0, []*memory.Buffer{nil, buffer(13, 0, 0, 0, 'x', 'x', 'x', 'x', 9, 0, 0, 0, 0, 0, 0, 0)}), "in buffer 9")
	f(raw(arrow.BinaryTypes.StringView, 1, 0, 0, []*memory.Buffer{nil, buffer(2, 0, 0, 0, 0xff, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)}), "not valid UTF-8")
	f(raw(arrow.SparseUnionOf(nil, nil), 1, 0, 0, []*memory.Buffer{nil}), "not supported")

	deep := child
	dt := arrow.DataType(arrow.PrimitiveTypes.Int32)
	for range MaxNesting + 1 {
		dt = arrow.FixedSizeListOf(1, dt)
		deep = array.NewData(dt, 2, []*memory.Buffer{nil}, []arrow.ArrayData{deep}, 0, 0)
	}
	if err := Validate(rawBatch{data: deep}); base.KindOf(err) != base.TooLarge {
		t.Error(err)
	}
}

func TestGuessedUnitsAreCertain(t *testing.T) {
	for v, want := range map[int64]Precision{
		1_700_000_000: Second, -1_700_000_000: Second, 1_700_000_000_000: Millisecond, 1_700_000_000_000_000: Microsecond, 1_700_000_000_000_000_000: Nanosecond,
		guessFrom: Second, guessUntil - 1: Second, guessUntil: Auto, guessFrom - 1: Auto, 1: Auto, 0: Auto, 5_000_000_000: Auto,
		-1 << 63: Auto, 1<<63 - 1: Auto,
	} {
		if got := guess(v); got != want {
			t.Errorf("%d: %d, want %d", v, got, want)
		}
	}
}
