// Package baseline decodes Protobuf messages as most pipelines do, as a comparison for Scoter's
// decoder. protobuf-go reads each message into a dynamic message, and the fields of that are
// appended to Arrow's builders.
package baseline

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Decoder decodes messages into the rows of a batch.
type Decoder struct {
	md      protoreflect.MessageDescriptor
	builder *array.RecordBuilder
	message *dynamicpb.Message
}

// New returns a decoder for messages of a type. The schema must have all fields in the order of the
// descriptor, as that of protobuf.Plan does.
func New(md protoreflect.MessageDescriptor, schema *arrow.Schema) *Decoder {
	return &Decoder{md: md, builder: array.NewRecordBuilder(memory.DefaultAllocator, schema), message: dynamicpb.NewMessage(md)}
}

// Append decodes a message and adds its row.
func (d *Decoder) Append(msg []byte) error {
	proto.Reset(d.message)
	if err := proto.Unmarshal(msg, d.message); err != nil {
		return fmt.Errorf("unmarshal: %w", err)
	}
	fields := d.md.Fields()
	for i := range fields.Len() {
		if err := appendField(d.builder.Field(i), d.message, fields.Get(i)); err != nil {
			return err
		}
	}
	return nil
}

// Finish returns the decoded rows as a batch, and starts an empty one.
func (d *Decoder) Finish() arrow.RecordBatch { return d.builder.NewRecordBatch() }

func appendField(to array.Builder, m protoreflect.Message, fd protoreflect.FieldDescriptor) error {
	switch {
	case fd.IsList():
		b := to.(*array.ListBuilder)
		b.Append(true)
		list := m.Get(fd).List()
		for i := range list.Len() {
			if err := appendValue(b.ValueBuilder(), fd, list.Get(i)); err != nil {
				return err
			}
		}
		return nil
	case fd.IsMap():
		b := to.(*array.MapBuilder)
		b.Append(true)
		var failed error
		m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			if failed = appendValue(b.KeyBuilder(), fd.MapKey(), k.Value()); failed == nil {
				failed = appendValue(b.ItemBuilder(), fd.MapValue(), v)
			}
			return failed == nil
		})
		return failed
	case fd.HasPresence() && !m.Has(fd):
		to.AppendNull()
		return nil
	}
	return appendValue(to, fd, m.Get(fd))
}

func appendValue(to array.Builder, fd protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch b := to.(type) {
	case *array.BooleanBuilder:
		b.Append(v.Bool())
	case *array.Int32Builder:
		b.Append(int32(v.Int()))
	case *array.Int64Builder:
		b.Append(v.Int())
	case *array.Uint32Builder:
		b.Append(uint32(v.Uint()))
	case *array.Uint64Builder:
		b.Append(v.Uint())
	case *array.Float32Builder:
		b.Append(float32(v.Float()))
	case *array.Float64Builder:
		b.Append(v.Float())
	case *array.StringBuilder:
		if fd.Kind() == protoreflect.EnumKind {
			b.Append(string(fd.Enum().Values().ByNumber(v.Enum()).Name()))
			return nil
		}
		b.Append(v.String())
	case *array.BinaryBuilder:
		b.Append(v.Bytes())
	case *array.TimestampBuilder:
		m := v.Message()
		seconds, nanos := m.Descriptor().Fields().ByNumber(1), m.Descriptor().Fields().ByNumber(2)
		b.Append(arrow.Timestamp(m.Get(seconds).Int()*1_000_000 + m.Get(nanos).Int()/1000))
	case *array.StructBuilder:
		b.Append(true)
		m, fields := v.Message(), fd.Message().Fields()
		for i := range fields.Len() {
			if err := appendField(b.FieldBuilder(i), m, fields.Get(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("field %s: no conversion to %v", fd.FullName(), to.Type())
	}
	return nil
}
