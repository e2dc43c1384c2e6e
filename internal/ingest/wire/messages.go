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
	// Set has the options of the clause FORMAT name (...) or KEY FORMAT name (...).
	*option.Set
	// Keys says that the messages are the keys of records. Each key becomes one value: a struct or
	// a scalar, in a column named KeyColumn.
	Keys bool
	// Connect returns the source's schema registry. Connect is nil if the options name no registry.
	// Each format that uses a registry defines an interface with the methods that it calls, and
	// asserts that the registry has them; registry.Client has all of them. The caller of
	// OpenMessages closes the registry.
	Connect func() (any, error)
	// PoisonMemory is for tests. If it is set, the memory of a batch is overwritten when the batch
	// is released, so that tests detect later reads.
	PoisonMemory bool
}

// KeyColumn is the name of the only column of the batches that decoders of keys return.
const KeyColumn = "key"

// Messages decodes the messages of one source. It is safe for concurrent use.
type Messages interface {
	// Known reports whether the columns of the rows are known before the first message arrives.
	Known() bool
	// Split splits the value of a record into the key that identifies the message's schema, and the
	// message. Both share the memory of value. The key is empty if all messages have the same
	// schema. Errors are base.Invalid and about the value.
	Split(value []byte) (key, msg []byte, err error)
	// SchemaID returns the id of the schema in a value's header. ok is false if the value has no
	// header.
	SchemaID(value []byte) (id uint32, ok bool)
	// Decoders returns the decoders of messages whose schema is identified by key, as Split returns
	// it. There is one decoder for each selection, which is a list of columns; a nil selection
	// selects all columns. There is only one decoder, for all columns, if the messages are keys or
	// Format.Projects is false. Errors of the kinds base.NotFound and base.Invalid are about the
	// schema. Other errors are about the schema registry.
	Decoders(ctx context.Context, key []byte, selections [][]Column) ([]MessageDecoder, error)
}

// MessageDecoder turns messages of one schema into rows. It collects messages until
// FinishWithMessages returns their rows as one batch. It is not safe for concurrent use.
type MessageDecoder interface {
	// Append adds a message to the batch. An error is about the message, and the batch stays as it
	// was. If the error wraps ErrFull, the message may fit into an empty batch.
	Append(msg []byte) error
	// FinishWithMessages returns the rows of the batch, and for each row the number of its message,
	// from 0. The numbers are nil if each message made exactly one row. An error is about one of
	// the messages. After a result, and after an error, the batch is empty.
	FinishWithMessages() (arrow.RecordBatch, []int32, error)
	// Reset removes all messages from the batch.
	Reset()
}

// ErrFull is wrapped by errors of MessageDecoder.Append. It means that the batch has no room for
// the message, but an empty batch may have.
var ErrFull = base.Errorf(base.TooLarge, "the batch is full")

// KeyBatch returns a batch whose only column, named KeyColumn, has these values.
func KeyBatch(values arrow.Array) arrow.RecordBatch {
	field := arrow.Field{Name: KeyColumn, Type: values.DataType(), Nullable: true}
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{values}, int64(values.Len()))
}

// KeysOf returns a decoder of keys from d, a decoder of messages with several columns. It returns
// the columns of a message as one struct column. If single is set, d has only one column, which is
// returned as it is.
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
