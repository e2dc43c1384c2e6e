package stream

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest"
)

// metadata lists the columns that describe a Kafka record itself, and not its value. In tables, an
// underscore is put before the names listed here.
var metadata = []struct {
	name string
	typ  arrow.DataType
	put  func(b array.Builder, rec *kgo.Record)
}{
	{"topic", arrow.BinaryTypes.String, func(b array.Builder, rec *kgo.Record) { b.(*array.StringBuilder).Append(rec.Topic) }},
	{"partition", arrow.PrimitiveTypes.Int32, func(b array.Builder, rec *kgo.Record) { b.(*array.Int32Builder).Append(rec.Partition) }},
	{"offset", arrow.PrimitiveTypes.Int64, func(b array.Builder, rec *kgo.Record) { b.(*array.Int64Builder).Append(rec.Offset) }},
	{"timestamp", ingest.TimestampUS, func(b array.Builder, rec *kgo.Record) {
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(rec.Timestamp.UnixMicro()))
	}},
	{"key", arrow.BinaryTypes.Binary, func(b array.Builder, rec *kgo.Record) { appendBytes(b, rec.Key) }},
	{"headers", headersType, func(b array.Builder, rec *kgo.Record) { appendHeaders(b, rec) }},
}

// headersType is the type of the column with a record's headers. It is a list and not a map,
// because a record may have several headers of the same name.
var headersType = arrow.ListOf(arrow.StructOf(
	arrow.Field{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "value", Type: arrow.BinaryTypes.Binary, Nullable: true}))

func appendBytes(b array.Builder, value []byte) {
	if value == nil {
		b.AppendNull()
		return
	}
	b.(*array.BinaryBuilder).Append(value)
}

func appendHeaders(b array.Builder, rec *kgo.Record) {
	list := b.(*array.ListBuilder)
	list.Append(true)
	header := list.ValueBuilder().(*array.StructBuilder)
	for _, h := range rec.Headers {
		header.Append(true)
		header.FieldBuilder(0).(*array.StringBuilder).Append(strings.ToValidUTF8(h.Key, "\uFFFD"))
		appendBytes(header.FieldBuilder(1), h.Value)
	}
}

func metadataNames() []string {
	var all []string
	for _, m := range metadata {
		all = append(all, m.name)
	}
	return all
}

func checkMetadata(names []string) error {
	for _, name := range names {
		if !slices.Contains(metadataNames(), strings.ToLower(name)) {
			return base.Errorf(base.Invalid, "unknown metadata %q", name).WithHint("the metadata columns are %s", strings.Join(metadataNames(), ", "))
		}
	}
	return nil
}

// keysOfRows returns, for each row of p, the key of the record from which the row came. keys has
// one key for each record of the batch.
func keysOfRows(p piece, keys arrow.RecordBatch) (arrow.Array, error) {
	order := make([]uint32, len(p.numbers))
	for i, n := range p.numbers {
		order[i] = uint32(n)
	}
	taken, err := batch.Take([]arrow.RecordBatch{keys}, order)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	taken.Column(0).Retain()
	return taken.Column(0), nil
}

// withMetadata appends metadata columns to p's rows, and returns the result. The caller still owns
// p's rows. keys has one key for each row. If keys is nil, the keys are the bytes in the records.
func withMetadata(p piece, records []*kgo.Record, keys arrow.Array, names []string) arrow.RecordBatch {
	if len(names) == 0 {
		p.rows.Retain()
		return p.rows
	}
	fields := slices.Clone(p.rows.Schema().Fields())
	columns := slices.Clone(p.rows.Columns())
	for _, m := range metadata {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, m.name) }) {
			continue
		}
		if m.name == "key" && keys != nil {
			fields = append(fields, arrow.Field{Name: keyColumn, Type: keys.DataType(), Nullable: true})
			columns = append(columns, keys)
			continue
		}
		b := array.NewBuilder(memory.DefaultAllocator, m.typ)
		b.Reserve(len(p.numbers))
		for _, n := range p.numbers {
			m.put(b, records[n])
		}
		column := b.NewArray()
		defer column.Release() // the batch has its own reference
		b.Release()
		fields = append(fields, arrow.Field{Name: "_" + m.name, Type: m.typ, Nullable: true})
		columns = append(columns, column)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, p.rows.NumRows())
}

// withRecordColumns returns p's rows with more columns: the metadata columns in the list names, and
// the primary key columns in the list primary, which are filled from the record's key. keys has one
// key for each record. If keys is nil, the keys are the bytes in the records. The caller still owns
// p's rows.
func withRecordColumns(p piece, records []*kgo.Record, keys arrow.RecordBatch, names, primary []string) (arrow.RecordBatch, error) {
	var own arrow.Array
	if keys != nil {
		var err error
		if own, err = keysOfRows(p, keys); err != nil {
			return nil, err
		}
		defer own.Release()
	}
	rec := withMetadata(p, records, own, names)
	if len(primary) == 0 || own == nil {
		return rec, nil
	}
	defer rec.Release()
	return withPrimaryKey(rec, own, primary)
}
