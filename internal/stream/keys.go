package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// The option KEY FORMAT says how the keys of records are decoded. The format is one of those for
// values, or a single value as Kafka's serializers encode it. Each key becomes one value: a struct
// or a scalar.

// plainKeys are the key formats that encode a single value, by name, with the type of the value.
// Numbers are big endian.
var plainKeys = map[string]arrow.DataType{
	"string": arrow.BinaryTypes.String, "int": arrow.PrimitiveTypes.Int32, "long": arrow.PrimitiveTypes.Int64, "double": arrow.PrimitiveTypes.Float64,
}

// newKeyFormat reads the options of KEY FORMAT name (...). Without options it returns nil, which
// means that keys stay bytes.
func newKeyFormat(values map[string]string) (*format, error) {
	name := strings.ToLower(values["name"])
	switch {
	case len(values) == 0:
		return nil, nil
	case plainKeys[name] != nil && len(values) > 1:
		return nil, base.Errorf(base.Invalid, "KEY FORMAT %s takes no options", name)
	case plainKeys[name] != nil:
		return &format{name: name, ofKeys: true}, nil
	case name != "json" && name != "avro" && name != "protobuf":
		return nil, base.Errorf(base.Invalid, "KEY FORMAT %s is none of string, int, long, double, json, avro and protobuf", name)
	}
	f, err := newFormat(values)
	if err != nil {
		return nil, base.Wrap(err, "KEY")
	}
	f.ofKeys = true
	if len(f.types) > 0 {
		f.types = []schema.Field{{Name: keyValue, Type: schema.StructOf(f.types...)}}
	}
	return f, nil
}

// keyValue is the name of the only column that key decoders return.
const keyValue = "key"

// keyDecoder returns the decoder for keys whose schema is identified by key, the first bytes of an
// encoded key.
func (f *format) keyDecoder(ctx context.Context, key []byte) (decoder, error) {
	switch {
	case plainKeys[f.name] != nil:
		return &plainKeyDecoder{name: f.name}, nil
	case f.name == "json":
		return &jsonKeyDecoder{jsonDecoder{types: f.types}}, nil
	case f.name == "avro":
		plan, err := f.avroPlan(ctx, key)
		if err != nil {
			return nil, err
		}
		return structDecoder{whole{plan.NewDecoder()}, !plan.OfRecords()}, nil
	}
	all, err := f.valueDecoders(ctx, key, wholeShape)
	if err != nil {
		return nil, err
	}
	return structDecoder{all[0], false}, nil
}

// plainKeyDecoder decodes keys that are single values.
type plainKeyDecoder struct {
	name string
	keys [][]byte
}

func (d *plainKeyDecoder) Append(key []byte) error {
	bytes := map[string]int{"int": 4, "long": 8, "double": 8}[d.name]
	switch {
	case bytes > 0 && len(key) != bytes:
		return base.Errorf(base.Invalid, "%d bytes; a key of the format %s has %d", len(key), d.name, bytes)
	case bytes == 0 && !utf8.Valid(key):
		return base.Errorf(base.Invalid, "it is no UTF-8")
	}
	d.keys = append(d.keys, key)
	return nil
}

func (d *plainKeyDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	defer d.Reset()
	b := array.NewBuilder(memory.DefaultAllocator, plainKeys[d.name])
	defer b.Release()
	for _, key := range d.keys {
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(string(key))
		case *array.Int32Builder:
			b.Append(int32(binary.BigEndian.Uint32(key)))
		case *array.Int64Builder:
			b.Append(int64(binary.BigEndian.Uint64(key)))
		case *array.Float64Builder:
			b.Append(math.Float64frombits(binary.BigEndian.Uint64(key)))
		}
	}
	values := b.NewArray()
	defer values.Release()
	return oneColumn(values), nil, nil
}

func (d *plainKeyDecoder) Reset() { d.keys = nil }

// oneColumn returns a batch whose only column, named keyValue, has these values.
func oneColumn(values arrow.Array) arrow.RecordBatch {
	field := arrow.Field{Name: keyValue, Type: values.DataType(), Nullable: true}
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{values}, int64(values.Len()))
}

// jsonKeyDecoder decodes keys that are JSON values of any kind, not only objects.
type jsonKeyDecoder struct{ jsonDecoder }

func (d *jsonKeyDecoder) Append(key []byte) error {
	if !jsontext.Value(key).IsValid(jsontext.AllowDuplicateNames(true)) {
		return base.Errorf(base.Invalid, "it is no JSON")
	}
	return d.jsonDecoder.Append([]byte(`{"` + keyValue + `":` + string(key) + `}`))
}

// structDecoder returns the columns of a message as one struct column. If single is set, the
// message has only one column, which is returned as it is.
type structDecoder struct {
	decoder
	single bool
}

func (d structDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	rec, _, err := d.decoder.FinishWithMessages()
	if err != nil {
		return nil, nil, err
	}
	defer rec.Release()
	if rec, err = batch.Copy(rec); err != nil {
		return nil, nil, err
	}
	defer rec.Release()
	if d.single {
		return oneColumn(rec.Column(0)), nil, nil
	}
	values, err := array.NewStructArrayWithFields(rec.Columns(), rec.Schema().Fields())
	if err != nil {
		return nil, nil, base.Errorf(base.Internal, "keys: %w", err)
	}
	defer values.Release()
	return oneColumn(values), nil, nil
}

// keysOf returns the keys of records as one column, with NULL for a record without a key. It
// returns nil if keys stay bytes. If ofMessage is true for the error, the key of one of the records
// is the cause.
func (s *source) keysOf(ctx context.Context, p *plan, records []*kgo.Record) (arrow.RecordBatch, error) {
	if p.keys == nil {
		return nil, nil
	}
	d := newDecodings(p.keys)
	missing := false
	for i, rec := range records {
		if rec.Key == nil {
			missing = true
			continue
		}
		if err := d.add(ctx, &kgo.Record{Value: rec.Key}, i); errors.Is(err, errFull) {
			return nil, base.Errorf(base.TooLarge, "the keys of %d records do not fit into one batch", len(records))
		} else if err != nil {
			return nil, errOfKey(err)
		}
	}
	if len(records) == 0 && p.keys.format.known() {
		if _, err := d.find(ctx, nil); err != nil {
			return nil, err
		}
	}
	decoded, err := d.finishAll()
	if err != nil {
		return nil, errOfKey(err)
	}
	defer releasePieces([][]piece{decoded})
	batches, err := alike(decoded)
	defer func() { releaseBatches(batches) }()
	if err != nil {
		return nil, errOfKey(err)
	}
	if len(batches) == 0 {
		none := array.NewNull(len(records))
		defer none.Release()
		return oneColumn(none), nil
	}
	order := make([]uint32, len(records))
	next := uint32(0)
	none := uint32(batch.Rows(batches))
	for i := range order {
		order[i] = none
	}
	for _, one := range decoded {
		for _, number := range one.numbers {
			order[number] = next
			next++
		}
	}
	if missing {
		null := array.MakeArrayOfNull(memory.DefaultAllocator, batches[0].Column(0).DataType(), 1)
		batches = append(batches, oneColumn(null))
		null.Release()
	}
	return batch.Take(batches, order)
}

// errOfKey says in an error that it is about a record's key. If the key's schema is missing, the
// kind of the error becomes Invalid.
func errOfKey(err error) error {
	if base.KindOf(err) == base.NotFound {
		return base.Errorf(base.Invalid, "the record's key: %w", err)
	}
	return base.Wrap(err, "the record's key")
}

// alike converts keys that were decoded with several schemas to one type that fits all of them.
func alike(pieces []piece) (out []arrow.RecordBatch, err error) {
	if len(pieces) == 1 {
		pieces[0].rows.Retain()
		return []arrow.RecordBatch{pieces[0].rows}, nil
	}
	var t schema.Table
	for i, p := range pieces {
		if i == 0 {
			if t, err = batch.InferTable("", engine.DefaultSchema, Messages, p.rows, nil, batch.InferOptions{}); err == nil {
				t.SortKey = nil
				t, err = schema.New(t)
			}
		} else {
			t, _, err = batch.Evolve(p.rows, t, nil)
		}
		if err != nil {
			return out, err
		}
	}
	for _, p := range pieces {
		rec, err := batch.Conform(p.rows, t, batch.ConformOptions{})
		if err != nil {
			return out, err
		}
		out = append(out, rec)
	}
	return out, nil
}

// keyed adds primary key columns to rows, and fills them from the keys of the rows' records. keys
// has one key for each row. names are the names of the columns.
func keyed(rec arrow.RecordBatch, keys arrow.Array, names []string) (arrow.RecordBatch, error) {
	fields, columns := rec.Schema().Fields(), rec.Columns()
	var outFields []arrow.Field
	var outColumns []arrow.Array
	for i, f := range fields {
		if !slices.ContainsFunc(names, func(name string) bool { return schema.Fold(name) == schema.Fold(f.Name) }) {
			outFields, outColumns = append(outFields, f), append(outColumns, columns[i])
		}
	}
	for _, name := range names {
		value := keys
		if s, ok := keys.(*array.Struct); ok {
			var err error
			if value, err = fieldOf(s, name); err != nil {
				return nil, err
			}
			defer value.Release()
		} else if len(names) > 1 {
			return nil, base.Errorf(base.Invalid, "the record's key is a single value, and the primary key has %d columns", len(names))
		}
		outFields, outColumns = append(outFields, arrow.Field{Name: name, Type: value.DataType(), Nullable: true}), append(outColumns, value)
	}
	md := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(outFields, &md), outColumns, rec.NumRows()), nil
}

// fieldOf returns the values of one field of keys that are structs. If a key is NULL, its field is
// NULL. The caller releases the result.
func fieldOf(s *array.Struct, name string) (arrow.Array, error) {
	for i, f := range s.DataType().(*arrow.StructType).Fields() {
		if schema.Fold(f.Name) != schema.Fold(name) {
			continue
		}
		if s.NullN() == 0 {
			s.Field(i).Retain()
			return s.Field(i), nil
		}
		order := make([]uint32, s.Len())
		for row := range order {
			if order[row] = uint32(row); s.IsNull(row) {
				order[row] = uint32(s.Len())
			}
		}
		null := array.MakeArrayOfNull(memory.DefaultAllocator, f.Type, 1)
		defer null.Release()
		taken, err := batch.Take([]arrow.RecordBatch{oneColumn(s.Field(i)), oneColumn(null)}, order)
		if err != nil {
			return nil, err
		}
		defer taken.Release()
		taken.Column(0).Retain()
		return taken.Column(0), nil
	}
	return nil, base.Errorf(base.Invalid, "the record's key has no field %q, which is part of the primary key", name)
}
