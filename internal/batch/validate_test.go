package batch

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

func TestValidateAcceptsWhatBuildersMake(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 30 {
		recs, _ := randomBatches(t, r, storedTypes, 3, 30)
		for _, rec := range recs {
			if err := Validate(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	views := array.NewStringViewBuilder(allocator)
	views.AppendValues([]string{"short", "a text that is too long to be inline", ""}, []bool{true, true, false})
	rec := decoded(t, "v", nil, views.NewArray(), "f", arrow.FixedSizeListOf(2, i64), "[[1, 2], null, [3, 4]]", "l", arrow.BinaryTypes.LargeString, `["a", null, "b"]`)
	for _, part := range []arrow.RecordBatch{rec, rec.NewSlice(1, 3), rec.NewSlice(0, 0)} {
		if err := Validate(part); err != nil {
			t.Error(err)
		}
	}
}

func TestValidateRefusesBuffersThatDoNotHoldTheirRows(t *testing.T) {
	words := func(values ...int32) *memory.Buffer {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return memory.NewBufferBytes(b)
	}
	four := array.NewData(arrow.PrimitiveTypes.Int32, 4, []*memory.Buffer{nil, words(1, 2, 3, 4)}, nil, 0, 0)
	list := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	text := decoded(t, "d", utf8Type, `["a"]`).Column(0).Data().(*array.Data)
	for name, data := range map[string]arrow.ArrayData{
		"values too short":      array.NewData(arrow.PrimitiveTypes.Int32, 5, []*memory.Buffer{nil, words(1, 2)}, nil, 0, 0),
		"values at an offset":   array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, words(1, 2)}, nil, 0, 1),
		"validity too short":    array.NewData(arrow.PrimitiveTypes.Int8, 9, []*memory.Buffer{memory.NewBufferBytes([]byte{255}), words(1, 2, 3)}, nil, 0, 0),
		"no values":             array.NewData(arrow.PrimitiveTypes.Int32, 1, []*memory.Buffer{nil, nil}, nil, 0, 0),
		"offsets too few":       array.NewData(list, 3, []*memory.Buffer{nil, words(0, 1)}, []arrow.ArrayData{four}, 0, 0),
		"offsets descend":       array.NewData(list, 2, []*memory.Buffer{nil, words(0, 3, 1)}, []arrow.ArrayData{four}, 0, 0),
		"offsets negative":      array.NewData(list, 2, []*memory.Buffer{nil, words(-1, 0, 1)}, []arrow.ArrayData{four}, 0, 0),
		"offsets beyond":        array.NewData(list, 2, []*memory.Buffer{nil, words(0, 1, 5)}, []arrow.ArrayData{four}, 0, 0),
		"text offsets descend":  array.NewData(utf8Type, 2, []*memory.Buffer{nil, words(0, 5, 1), words(0, 0)}, nil, 0, 0),
		"a struct's child":      array.NewData(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}), 5, []*memory.Buffer{nil}, []arrow.ArrayData{four}, 0, 0),
		"a fixed list's child":  array.NewData(arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32), 2, []*memory.Buffer{nil}, []arrow.ArrayData{four}, 0, 0),
		"a dictionary's index":  array.NewDataWithDictionary(textDictionary, 2, []*memory.Buffer{nil, words(0, 1)}, 0, 0, text),
		"a view beyond its end": array.NewData(arrow.BinaryTypes.StringView, 1, []*memory.Buffer{nil, words(20, 0, 0, 10), words(0, 0, 0)}, nil, 0, 0),
		"more rows than can be": array.NewData(arrow.FixedSizeListOf(1<<30, arrow.PrimitiveTypes.Int32), 1<<40, []*memory.Buffer{nil}, []arrow.ArrayData{four}, 0, 0),
	} {
		if err := validateData(data, 0); base.KindOf(err) != base.Invalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
