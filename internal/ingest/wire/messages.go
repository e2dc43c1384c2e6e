package wire

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/option"
)

// MessageOptions say how the messages of a source are decoded.
type MessageOptions struct {
	// Set has the options of FORMAT name (...).
	*option.Set
	// Keys says that the messages are the keys of records. Each key becomes one value, in a column
	// named KeyColumn.
	Keys bool
	// Connect returns the source's schema registry. It is nil if the options name none. The
	// registry belongs to the caller of OpenMessages. Formats define interfaces of what they need
	// from it, which internal/registry implements.
	Connect func() (any, error)
	// PoisonMemory overwrites the memory of batches when they are released, so that tests detect
	// reads after that.
	PoisonMemory bool
}

// KeyColumn is the name of the only column that decoders of keys return.
const KeyColumn = "key"

// Messages decodes the messages of one source. It is safe for concurrent use.
type Messages interface {
	// Known reports whether the columns are known before the first message.
	Known() bool
	// Split splits a value into the key of its schema and the message. Both alias the value. The
	// key is empty if all values have the same schema. Errors are base.Invalid.
	Split(value []byte) (key, msg []byte, err error)
	// SchemaID returns the id of the schema in a value's header. ok is false if there is none.
	SchemaID(value []byte) (id uint32, ok bool)
	// Decoders returns one decoder for each selection of columns, for messages whose schema has the
	// given key. A nil selection is all columns. Formats that do not project, and keys, have one
	// decoder. Errors of the kinds base.NotFound and base.Invalid are about the schema, other
	// errors about the schema registry.
	Decoders(ctx context.Context, key []byte, selections [][]Column) ([]MessageDecoder, error)
}

// MessageDecoder turns messages of one schema into rows. It is not safe for concurrent use.
type MessageDecoder interface {
	// Append adds a message. An error is about the message and leaves the decoder unchanged. If the
	// error wraps ErrFull, an empty batch may hold the message.
	Append(msg []byte) error
	// FinishWithMessages returns the rows, and the number of each row's message. The numbers are
	// nil if each message made one row. An error is about one of the messages. Afterwards the
	// decoder is empty.
	FinishWithMessages() (arrow.RecordBatch, []int32, error)
	// Reset removes all messages.
	Reset()
}

// ErrFull is wrapped by the error of Append if the batch has no room for the message, but an empty
// one may have.
var ErrFull = base.Errorf(base.TooLarge, "the batch is full")

// KeyBatch returns values as a batch with the column of keys.
func KeyBatch(values arrow.Array) arrow.RecordBatch {
	field := arrow.Field{Name: KeyColumn, Type: values.DataType(), Nullable: true}
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{values}, int64(values.Len()))
}

// KeysOf returns a decoder of keys. They are structs of the columns that d decodes. If single is
// true, they are the values of its only column.
func KeysOf(d MessageDecoder, single bool) MessageDecoder { return keyDecoder{d, single} }

type keyDecoder struct {
	MessageDecoder
	single bool
}

func (d keyDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	rec, _, err := d.MessageDecoder.FinishWithMessages()
	if err != nil {
		return nil, nil, err
	}
	defer rec.Release()
	if rec, err = batch.Copy(rec); err != nil {
		return nil, nil, err
	}
	defer rec.Release()
	if d.single {
		return KeyBatch(rec.Column(0)), nil, nil
	}
	values, err := array.NewStructArrayWithFields(rec.Columns(), rec.Schema().Fields())
	if err != nil {
		return nil, nil, base.Errorf(base.Internal, "keys: %w", err)
	}
	defer values.Release()
	return KeyBatch(values), nil, nil
}
