package batch

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
)

// Blank returns an array with n copies of an arbitrary value of the type t that is not NULL, in its
// storage type. Such values fill the NOT NULL columns of tombstones (rows that say only that a key
// is deleted), which no query shows. They are valid values, because a query may cast them before it
// hides the rows.
func Blank(t schema.Type, n int) (arrow.Array, error) {
	dt := t.Arrow()
	ext, extended := dt.(arrow.ExtensionType)
	if extended {
		dt = ext.StorageType()
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(blankText(t))
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			b.FieldBuilder(i).AppendNull()
		}
	case *array.ListBuilder:
		b.Append(true)
		if t.Kind == schema.Array {
			for range t.Size {
				b.ValueBuilder().AppendNull()
			}
		}
	default:
		b.AppendEmptyValue()
	}
	one := b.NewArray()
	defer one.Release()
	if extended {
		own := retyped(one, ext)
		defer own.Release()
		return Repeat(own, n)
	}
	return Repeat(one, n)
}

// blankText returns the text that Blank uses as the value of a type that is stored as text.
func blankText(t schema.Type) string {
	switch t.Kind {
	case schema.HugeInt, schema.UHugeInt, schema.Bit:
		return "0"
	case schema.Interval:
		return "00:00:00"
	case schema.TimeTZ:
		return "00:00:00+00"
	case schema.JSON:
		return "null"
	case schema.Enum:
		return t.Values[0]
	}
	return ""
}
