package stream

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// The option KEY FORMAT says how the keys of records are decoded. The format is one of the formats
// for values, or one for a single value (such as "int") as Kafka's serializers encode it. Each key
// becomes one value: a struct or a scalar.

// keysOf decodes the keys of records, and returns them as a batch with one column. A record without
// a key has NULL. The result is nil if the source has no KEY FORMAT, because keys then stay bytes.
// An error of kind Invalid or TooLarge means that the key of one of the records is at fault.
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
			return nil, keyError(err)
		}
	}
	if len(records) == 0 && p.keys.format.Known() {
		if _, err := d.find(ctx, nil); err != nil {
			return nil, err
		}
	}
	decoded, err := d.finishAll()
	if err != nil {
		return nil, keyError(err)
	}
	defer releasePieces([][]piece{decoded})
	batches, err := unifyKeyTypes(decoded)
	defer func() { releaseBatches(batches) }()
	if err != nil {
		return nil, keyError(err)
	}
	if len(batches) == 0 {
		none := array.NewNull(len(records))
		defer none.Release()
		return wire.KeyBatch(none), nil
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
		batches = append(batches, wire.KeyBatch(null))
		null.Release()
	}
	return batch.Take(batches, order)
}

// keyError adds to the message of an error that it is about a record's key. If the key's schema
// does not exist (kind NotFound), the kind of the error becomes Invalid.
func keyError(err error) error {
	if base.KindOf(err) == base.NotFound {
		return base.Errorf(base.Invalid, "the record's key: %w", err)
	}
	return base.Wrap(err, "the record's key")
}

// unifyKeyTypes converts decoded keys to one type that fits all of them. Each piece has the keys
// that were decoded with one schema. The result has a batch for each piece.
func unifyKeyTypes(pieces []piece) (out []arrow.RecordBatch, err error) {
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

// withPrimaryKey returns the rows rec with primary key columns, filled from the keys of the rows'
// records. keys has one key for each row. names are the names of the primary key columns. If rec
// already has a column of one of these names, withPrimaryKey replaces it.
func withPrimaryKey(rec arrow.RecordBatch, keys arrow.Array, names []string) (arrow.RecordBatch, error) {
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

// fieldOf returns the values of the field name in s, a column of keys that are structs. If a key is
// NULL, its field is NULL. The caller releases the result.
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
		taken, err := batch.Take([]arrow.RecordBatch{wire.KeyBatch(s.Field(i)), wire.KeyBatch(null)}, order)
		if err != nil {
			return nil, err
		}
		defer taken.Release()
		taken.Column(0).Retain()
		return taken.Column(0), nil
	}
	return nil, base.Errorf(base.Invalid, "the record's key has no field %q, which is part of the primary key", name)
}
