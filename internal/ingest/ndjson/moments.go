package ndjson

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// withMoments marks each text column of a batch in which all values are dates or times, and returns
// the batch. The mark is the type of the values, in the metadata of the column's Arrow field.
// Columns with a declared type (in types) are not marked. withMoments takes over the caller's
// reference to rec.
func withMoments(rec arrow.RecordBatch, types []schema.Field) arrow.RecordBatch {
	var fields []arrow.Field
	for i, column := range rec.Columns() {
		if ingest.TypeNamed(types, []byte(rec.ColumnName(i))) != nil {
			continue
		}
		if d, ok := column.(*array.Dictionary); ok {
			column = d.Dictionary()
		}
		text, ok := column.(*array.String)
		if !ok {
			continue
		}
		kind, ok := momentsOf(text)
		if !ok {
			continue
		}
		if fields == nil {
			fields = rec.Schema().Fields() // Fields returns a copy, which may be changed
		}
		old := fields[i].Metadata
		fields[i].Metadata = arrow.NewMetadata(append(old.Keys(), schema.NaturalKey), append(old.Values(), schema.Of(kind).String()))
	}
	if fields == nil {
		return rec
	}
	defer rec.Release()
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows())
}

// momentsOf returns the type of dates or times that fits all values of a text column. The second
// result is false if there is no such type.
func momentsOf(text *array.String) (schema.Kind, bool) {
	kind := schema.Null
	nanos, far := false, false
	for i := range text.Len() {
		if text.IsNull(i) {
			continue
		}
		s := text.Value(i)
		m, ok := ingest.ParseTimestamp(unsafe.Slice(unsafe.StringData(s), len(s)))
		if !ok {
			return 0, false
		}
		of := schema.Timestamp
		switch {
		case m.IsDate:
			of = schema.Date
		case m.Zoned:
			of = schema.TimestampTZ
		}
		if kind != schema.Null && kind != of {
			return 0, false
		}
		kind = of
		nanos = nanos || m.Nanos != 0
		_, near := m.UnixNanos()
		far = far || !near
	}
	switch {
	case kind == schema.Null, nanos && (far || kind == schema.TimestampTZ):
		return 0, false // no type fits all values
	case nanos:
		kind = schema.TimestampNS
	}
	return kind, true
}
