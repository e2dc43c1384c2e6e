package ingest

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

func TestScalesOfDecimals(t *testing.T) {
	wide := func(precision, scale int32) arrow.Array {
		b := array.NewDecimal256Builder(memory.DefaultAllocator, &arrow.Decimal256Type{Precision: precision, Scale: scale})
		b.Append(decimal256.FromI64(12))
		return b.NewArray()
	}
	narrow := func(precision, scale int32) arrow.Array {
		b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: precision, Scale: scale})
		b.Append(decimal128.FromI64(12))
		b.AppendNull()
		return b.NewArray()
	}
	in := func(a arrow.Array) arrow.RecordBatch {
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
	}
	list := array.NewData(arrow.ListOf(narrow(5, 40).DataType()), 1, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2}))},
		[]arrow.ArrayData{narrow(5, 40).Data()}, 0, 0)
	f := func(a arrow.Array, want string) {
		t.Helper()
		got, err := Natural(in(a), NewBudget(1<<20))
		if err != nil {
			if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), `column "a"`) || want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			return
		}
		if text := got.Column(0).DataType().String() + " " + got.Column(0).(*array.Decimal128).Value(0).BigInt().String(); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	f(narrow(5, 2), "decimal(5, 2) 12")
	f(narrow(38, 38), "decimal(38, 38) 12")
	f(narrow(5, 40), "its scale is not between -38 and 38")
	f(narrow(38, math.MaxInt32), "its scale is not between -38 and 38")
	f(narrow(38, math.MinInt32), "its scale is not between -38 and 38")
	f(array.MakeFromData(list), "its scale is not between -38 and 38")
	f(wide(60, 40), "its scale is not between -38 and 38")
	f(wide(60, 38), "decimal(38, 38) 12")
	f(narrow(5, -2), "decimal(7, 0) 1200")
	f(wide(38, -36), "decimal(38, 0) 12000000000000000000000000000000000000")
	f(narrow(5, -37), "does not fit into decimal(38, 0)")
}
