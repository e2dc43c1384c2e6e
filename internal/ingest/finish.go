package ingest

import (
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// TextDictionary is the Arrow type of text columns in which values repeat.
var TextDictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}

// TimestampNS is the Arrow type of time columns in which a value needs nanoseconds.
var TimestampNS = &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}

// TimestampUS is the Arrow type of time columns in which no value needs nanoseconds.
var TimestampUS = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// Finish returns the rows of the table as a batch. order lists the columns of the batch, in order;
// nil means all columns. If some rows do not contain a column, the column's field gets the metadata
// key schema.LackingKey with the number of these rows. The table must not be used afterwards.
func (t *Table) Finish(order []*Column) (arrow.RecordBatch, error) {
	if order == nil {
		order = t.set.list
	}
	fields := make([]arrow.Field, len(order))
	arrays := make([]arrow.Array, len(order))
	for i, c := range order {
		data, err := c.finish(t.rows)
		if err != nil {
			for _, done := range arrays[:i] {
				done.Release()
			}
			return nil, err
		}
		arrays[i] = array.MakeFromData(data)
		data.Release()
		fields[i] = arrow.Field{Name: c.name, Type: arrays[i].DataType(), Nullable: true}
		if c.left > 0 {
			fields[i].Metadata = arrow.NewMetadata([]string{schema.LackingKey}, []string{strconv.Itoa(c.left)})
		}
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(t.rows))
	for _, a := range arrays {
		a.Release()
	}
	return batch, nil
}

// finish returns the column as Arrow data. NULLs are added up to the given number of rows.
func (c *Column) finish(rows int) (*array.Data, error) {
	if err := c.pad(rows); err != nil {
		return nil, err
	}
	if c.kind == Null {
		return array.NewData(arrow.Null, rows, []*memory.Buffer{nil}, nil, rows, 0), nil
	}
	var valid *memory.Buffer
	if c.nulls > 0 {
		c.extendValid(rows)
		valid = memory.NewBufferBytes(c.valid)
	}
	flat := func(t arrow.DataType, content []byte) (*array.Data, error) {
		return array.NewData(t, rows, []*memory.Buffer{valid, memory.NewBufferBytes(content)}, nil, c.nulls, 0), nil
	}
	switch c.kind {
	case Bool:
		return flat(arrow.FixedWidthTypes.Boolean, c.bools)
	case Int:
		return flat(arrow.PrimitiveTypes.Int64, arrow.Uint64Traits.CastToBytes(c.fixed))
	case Uint:
		return flat(arrow.PrimitiveTypes.Uint64, arrow.Uint64Traits.CastToBytes(c.fixed))
	case Float:
		return flat(arrow.PrimitiveTypes.Float64, arrow.Uint64Traits.CastToBytes(c.fixed))
	case Timestamp:
		if c.nanos == nil {
			return flat(TimestampUS, arrow.Uint64Traits.CastToBytes(c.fixed))
		}
		if err := c.toNanoseconds(); err != nil {
			return nil, err
		}
		return flat(TimestampNS, arrow.Uint64Traits.CastToBytes(c.fixed))
	case String, Binary:
		return c.finishText(rows, valid), nil
	case List:
		element, err := c.element.finish(c.element.rows)
		if err != nil {
			return nil, err
		}
		defer element.Release()
		buffers := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offsets))}
		return array.NewData(arrow.ListOf(element.DataType()), rows, buffers, []arrow.ArrayData{element}, c.nulls, 0), nil
	}
	return c.finishStruct(rows, valid)
}

func (c *Column) finishText(rows int, valid *memory.Buffer) *array.Data {
	s := &c.text
	if c.kind == String {
		s.chooseLayout()
	}
	if s.plain {
		t := arrow.DataType(arrow.BinaryTypes.String)
		if c.kind == Binary {
			t = arrow.BinaryTypes.Binary
		}
		buffers := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(s.offsets)), memory.NewBufferBytes(s.data)}
		return array.NewData(t, rows, buffers, nil, c.nulls, 0)
	}
	dictionary := s.values.Texts()
	defer dictionary.Release()
	indices := memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(s.indices))
	return array.NewDataWithDictionary(TextDictionary, rows, []*memory.Buffer{valid, indices}, c.nulls, 0, dictionary)
}

func (c *Column) finishStruct(rows int, valid *memory.Buffer) (*array.Data, error) {
	if len(c.fields.list) == 0 {
		return nil, base.Errorf(base.Invalid, "column %q holds only empty objects, which have no type", c.name).
			WithHint("leave the column out, or send null")
	}
	fields := make([]arrow.Field, len(c.fields.list))
	children := make([]arrow.ArrayData, 0, len(fields))
	defer func() {
		for _, child := range children {
			child.Release()
		}
	}()
	for i, f := range c.fields.list {
		child, err := f.finish(rows)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
		fields[i] = arrow.Field{Name: c.fields.names[i], Type: child.DataType(), Nullable: true}
	}
	return array.NewData(arrow.StructOf(fields...), rows, []*memory.Buffer{valid}, children, c.nulls, 0), nil
}

// toNanoseconds converts the values of a Timestamp column from microseconds, with nanoseconds
// stored separately, to single numbers of nanoseconds. It returns an error if a value is out of
// range.
func (c *Column) toNanoseconds() error {
	c.nanos = append(c.nanos, slices.Repeat([]uint16{0}, c.rows-len(c.nanos))...)
	for i, bits := range c.fixed {
		micros := int64(bits)
		// Nanoseconds of 64 bits begin within the microsecond first, and end within the microsecond
		// last.
		const last, first = math.MaxInt64 / 1000, math.MinInt64/1000 - 1
		below := int64(c.nanos[i])
		if micros > last || micros < first || micros == last && below > math.MaxInt64%1000 || micros == first && below < 1000+math.MinInt64%1000 {
			return c.errorf(i, "moment %d us is out of the range of nanoseconds (years 1677 to 2262), which other rows need", micros)
		}
		c.fixed[i] = uint64(micros*1000 + int64(c.nanos[i]))
	}
	return nil
}

// isValid reports whether the value in the given row is not NULL. The row must be set.
func (c *Column) isValid(row int) bool {
	return c.kind != Null && (row >= c.validRows || bitutil.BitIsSet(c.valid, row))
}
