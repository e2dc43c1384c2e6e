package batch

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/intern"
	"github.com/scoterdb/scoter/internal/schema"
)

// Overlay returns a copy of a column in which some rows have other values: the row with the number
// rows[i] gets the value values[from+i]. The arguments column and values must have the same storage
// type, except that column may be a dictionary of text and values plain text. The caller releases
// the result.
func Overlay(column arrow.Array, rows []uint32, values arrow.Array, from int) (arrow.Array, error) {
	// If column is a dictionary, values become one too, and it should have only values that rows
	// get. So cut values to these first.
	values = array.NewSlice(values, int64(from), int64(from+len(rows)))
	defer func() { values.Release() }()
	if column.DataType().ID() == arrow.DICTIONARY {
		coded, err := encodeDictionary(values, math.MaxInt)
		if err != nil {
			return nil, err
		}
		values.Release()
		values = coded
	}
	if !arrow.TypeEqual(column.DataType(), values.DataType()) {
		return nil, base.Errorf(base.Internal, "values of type %s for a column of type %s", values.DataType(), column.DataType())
	}
	places := make([]place, column.Len())
	for i := range places {
		places[i] = makePlace(0, i)
	}
	for i, row := range rows {
		places[row] = makePlace(1, i)
	}
	data, err := gather(column.DataType(), []arrow.Array{column, values}, places)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// Nulled returns a copy of a column that has NULL in the given rows. The caller releases it.
func Nulled(column arrow.Array, rows []uint32) (arrow.Array, error) {
	nulls := array.MakeArrayOfNull(memory.DefaultAllocator, column.DataType(), len(rows))
	defer nulls.Release()
	return Overlay(column, rows, nulls, 0)
}

// Repeating returns a text column as a dictionary, if each value occurs at least four times on
// average. Otherwise, and for other types, it returns the column itself. The caller releases the
// result.
func Repeating(a arrow.Array) (arrow.Array, error) {
	if a.DataType().ID() == arrow.STRING {
		if coded, err := encodeDictionary(a, a.Len()/4); coded != nil || err != nil {
			return coded, err
		}
	}
	a.Retain()
	return a, nil
}

// encodeDictionary returns an array of text as a dictionary array, whose dictionary has each
// distinct value once. If the array has more distinct values than the argument most allows, it
// returns nil.
func encodeDictionary(a arrow.Array, most int) (arrow.Array, error) {
	text, ok := a.(*array.String)
	if !ok {
		return nil, base.Errorf(base.Internal, "a dictionary of %s", a.DataType())
	}
	var distinct intern.Table
	codes := make([]uint32, text.Len())
	validity := make([]byte, bitutil.BytesForBits(int64(text.Len())))
	for i := range codes {
		if text.IsNull(i) {
			continue
		}
		bitutil.SetBit(validity, i)
		if codes[i] = distinct.IndexText(text.Value(i)); distinct.Len() > most {
			return nil, nil
		}
	}
	values := distinct.Texts()
	defer values.Release()
	data := array.NewDataWithDictionary(textDictionary, len(codes), []*memory.Buffer{memory.NewBufferBytes(validity), memory.NewBufferBytes(asBytes(codes))},
		text.NullN(), 0, values)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// Convert converts a column from one storage type to that of the type t, by the rules of Conform.
// It cannot fail if schema.Widen returned t for the old type.
func Convert(a arrow.Array, t schema.Type) (arrow.Array, error) {
	converted, f := convert(a, t, false)
	if f != nil {
		return nil, base.Errorf(base.Invalid, "row %d: %s: %s", f.row+1, f.value, f.why)
	}
	return converted, nil
}

// Copy returns a copy of a batch in memory on Go's heap, with plain values in place of
// dictionaries. It is for rows that are needed after their batch was released.
func Copy(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	places := make([]place, rec.NumRows())
	for i := range places {
		places[i] = makePlace(0, i)
	}
	fields := rec.Schema().Fields()
	columns := make([]arrow.Array, len(fields))
	defer releaseAll(columns)
	for i := range fields {
		column := rec.Column(i)
		if d, ok := column.(*array.Dictionary); ok {
			plain, err := decodeDictionary(d)
			if err != nil {
				return nil, base.Wrap(err, "column %q", fields[i].Name)
			}
			defer plain.Release()
			column = plain
		}
		fields[i].Type = column.DataType()
		data, err := gather(column.DataType(), []arrow.Array{column}, places)
		if err != nil {
			return nil, base.Wrap(err, "column %q", fields[i].Name)
		}
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows()), nil
}
