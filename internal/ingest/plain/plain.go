// Package plain decodes keys of Kafka records that are single values, as Kafka's serializers encode
// them: text is UTF-8, and numbers are big-endian.
package plain

import (
	"context"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// These are the wire formats of keys that are single values. They are named like Kafka's
// serializers.
var (
	String = newFormat("string", 0, func() builder { return text{array.NewStringBuilder(memory.DefaultAllocator)} })
	Int    = newFormat("int", 4, func() builder { return int32s{array.NewInt32Builder(memory.DefaultAllocator)} })
	Long   = newFormat("long", 8, func() builder { return int64s{array.NewInt64Builder(memory.DefaultAllocator)} })
	Double = newFormat("double", 8, func() builder { return doubles{array.NewFloat64Builder(memory.DefaultAllocator)} })
)

// newFormat returns the wire format of keys that are single values. Each key has the given size in
// bytes, or any size if size is 0. newBuilder makes a builder for the column of keys.
func newFormat(name string, size int, newBuilder func() builder) *wire.Format {
	return &wire.Format{
		Name:     name,
		OnlyKeys: true,
		OpenMessages: func(o wire.MessageOptions) (wire.Messages, error) {
			if o.End() != nil {
				return nil, base.Errorf(base.Invalid, "%s takes no options", o.What)
			}
			return opened{name, size, newBuilder}, nil
		},
	}
}

// opened is the format of the keys of one source. It makes their decoders.
type opened struct {
	name       string
	size       int
	newBuilder func() builder
}

func (opened) Known() bool { return true }

func (opened) Split(value []byte) (key, msg []byte, err error) { return nil, value, nil }

func (opened) SchemaID([]byte) (uint32, bool) { return 0, false }

func (m opened) Decoders(context.Context, []byte, [][]wire.Column) ([]wire.MessageDecoder, error) {
	return []wire.MessageDecoder{&decoder{opened: m}}, nil
}

// decoder decodes keys that are single values. It collects the keys of a batch, and decodes all of
// them when the batch is finished.
type decoder struct {
	opened
	keys [][]byte
}

func (d *decoder) Append(key []byte) error {
	switch {
	case d.size > 0 && len(key) != d.size:
		return base.Errorf(base.Invalid, "%d bytes; a key of the format %s has %d", len(key), d.name, d.size)
	case d.size == 0 && !utf8.Valid(key):
		return base.Errorf(base.Invalid, "it is not UTF-8")
	}
	d.keys = append(d.keys, key)
	return nil
}

func (d *decoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	defer d.Reset()
	b := d.newBuilder()
	defer b.Release()
	for _, key := range d.keys {
		b.add(key)
	}
	values := b.NewArray()
	defer values.Release()
	return wire.KeyBatch(values), nil, nil
}

func (d *decoder) Reset() { d.keys = nil }

// builder builds a column of decoded keys. Its method add decodes one key, whose size was already
// checked, and appends it to the column.
type builder interface {
	array.Builder
	add(key []byte)
}

type text struct{ *array.StringBuilder }

func (b text) add(key []byte) { b.Append(string(key)) }

type int32s struct{ *array.Int32Builder }

func (b int32s) add(key []byte) { b.Append(int32(binary.BigEndian.Uint32(key))) }

type int64s struct{ *array.Int64Builder }

func (b int64s) add(key []byte) { b.Append(int64(binary.BigEndian.Uint64(key))) }

type doubles struct{ *array.Float64Builder }

func (b doubles) add(key []byte) { b.Append(math.Float64frombits(binary.BigEndian.Uint64(key))) }
