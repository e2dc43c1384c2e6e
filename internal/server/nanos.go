package server

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// nanosColumn is the column for the part of a point's time that does not fit into a TIMESTAMPTZ:
// the nanoseconds below its microsecond, 0 to 999. The first point for which this is not 0 adds the
// column to its table. NULL means 0.
//
// DuckDB has no TIMESTAMPTZ with nanoseconds, and cannot compare a TIMESTAMP_NS with a TIMESTAMPTZ:
// time > now() - INTERVAL 1 HOUR would be an error. With this column, time has the type that
// queries expect in whatever precision a client sends it, and two points within one microsecond
// remain distinct.
const nanosColumn = ingest.TimeColumn + "_nanos"

// splitTime returns a batch of points (rows in line protocol) with times that the table can store
// without loss. It changes only a batch with times that are not whole microseconds, and returns nil
// for any other batch. If the table's column time is a TIMESTAMP_NS, the times only lose their time
// zone. Otherwise they are split into the columns time and nanosColumn.
func (s *Server) splitTime(name engine.TableName, rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	at := rec.Schema().FieldIndices(ingest.TimeColumn)
	if len(at) != 1 || !arrow.TypeEqual(rec.Schema().Field(at[0]).Type, ingest.TimestampNS) {
		return nil, nil
	}
	fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
	table, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil && base.KindOf(err) != base.NotFound {
		return nil, err
	}
	whole := columns[at[0]].(*array.Timestamp)
	if c := table.ColumnIndex(ingest.TimeColumn); c >= 0 && table.Columns[c].Type.Kind == schema.TimestampNS {
		columns[at[0]] = withType(whole, &arrow.TimestampType{Unit: arrow.Nanosecond}, whole.Data().Buffers()[1])
	} else {
		if len(rec.Schema().FieldIndices(nanosColumn)) > 0 {
			return nil, base.Errorf(base.Invalid, "table %q: the rows have a column %q, in which Scoter stores the nanoseconds of %q", name.Name, nanosColumn, ingest.TimeColumn).
				WithHint("send precision=us, or give the column another name")
		}
		micros, nanos := splitMicros(whole)
		columns[at[0]] = micros
		columns = append(columns, nanos)
		fields = append(fields, arrow.Field{Name: nanosColumn, Type: nanos.DataType(), Nullable: true})
		defer nanos.Release()
	}
	defer columns[at[0]].Release()
	fields[at[0]].Type = columns[at[0]].DataType()
	metadata := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &metadata), columns, rec.NumRows()), nil
}

// numbersOf has the row numbers of the accepted and of the refused points of a batch. A point is
// InfluxDB's word for a row.
type numbersOf struct{ accepted, refused []int32 }

// dropNanosFields removes points (rows in line protocol) that have a field with the name
// nanosColumn, if other points of the batch need that column for their nanoseconds. It returns the
// remaining points, and the numbers of the remaining and the removed ones. Both results are nil if
// no point of the batch needs the column, or if no point has such a field.
func (s *Server) dropNanosFields(name engine.TableName, rec arrow.RecordBatch) (_ arrow.RecordBatch, numbers *numbersOf, err error) {
	at, own := rec.Schema().FieldIndices(ingest.TimeColumn), rec.Schema().FieldIndices(nanosColumn)
	if len(at) != 1 || len(own) != 1 || !arrow.TypeEqual(rec.Schema().Field(at[0]).Type, ingest.TimestampNS) {
		return nil, nil, nil
	}
	table, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil && base.KindOf(err) != base.NotFound {
		return nil, nil, err
	}
	if c := table.ColumnIndex(ingest.TimeColumn); c >= 0 && table.Columns[c].Type.Kind == schema.TimestampNS {
		return nil, nil, nil
	}
	numbers = &numbersOf{}
	var order []uint32
	for i := range int(rec.NumRows()) {
		if rec.Column(own[0]).IsValid(i) {
			numbers.refused = append(numbers.refused, int32(i))
		} else {
			numbers.accepted, order = append(numbers.accepted, int32(i)), append(order, uint32(i))
		}
	}
	fields, columns := rec.Schema().Fields(), rec.Columns()
	fields, columns = slices.Delete(slices.Clone(fields), own[0], own[0]+1), slices.Delete(slices.Clone(columns), own[0], own[0]+1)
	others := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
	defer others.Release()
	accepted, err := batch.Take([]arrow.RecordBatch{others}, order)
	return accepted, numbers, err
}

// splitMicros splits times with nanoseconds into whole microseconds, rounded down, and the
// remaining nanoseconds.
func splitMicros(times *array.Timestamp) (micros, nanos arrow.Array) {
	offset := times.Data().Offset()
	us, ns := make([]int64, offset+times.Len()), make([]int16, offset+times.Len())
	for i, t := range times.Values() {
		// The function also returns whether the time is in range. This is ignored, because all
		// times are in range.
		m, rest, _ := ingest.Nanosecond.Micros(int64(t))
		us[offset+i], ns[offset+i] = m, int16(rest)
	}
	return withType(times, ingest.TimestampUS, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(us))),
		withType(times, arrow.PrimitiveTypes.Int16, memory.NewBufferBytes(arrow.Int16Traits.CastToBytes(ns)))
}

// withType returns an array of type t with the given values. Its NULLs and its offset are those of
// the array a.
func withType(a *array.Timestamp, t arrow.DataType, values *memory.Buffer) arrow.Array {
	data := array.NewData(t, a.Len(), []*memory.Buffer{a.Data().Buffers()[0], values}, nil, a.NullN(), a.Data().Offset())
	defer data.Release()
	return array.MakeFromData(data)
}
