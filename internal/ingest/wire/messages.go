package wire

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/option"
)

// MessageOptions say how the Kafka messages of a source are decoded.
type MessageOptions struct {
	// Set has the options that the clause FORMAT name (...) or KEY FORMAT name (...) gives.
	*option.Set
	// Keys is true if the messages are the keys of records, and not their values. Each key is then
	// decoded to one value, a struct or a scalar, in a column named KeyColumn.
	Keys bool
	// Connect returns the source's schema registry. It is nil if the options name no registry.
	// Formats do not call this field, but the function Connect of this package, which also converts
	// the result to their interface. The caller of OpenMessages closes the registry.
	Connect func() (any, error)
	// PoisonMemory is for tests. If it is true, the memory of a batch is overwritten when the batch
	// is released, so that tests detect code that still reads it.
	PoisonMemory bool
}

// Connect returns the source's schema registry as an R, or nil if the options name no registry. R
// is an interface with the methods that a format calls. registry.Client has the methods of all
// formats.
func Connect[R any](o MessageOptions) (r R, err error) {
	if o.Connect == nil {
		return r, nil
	}
	client, err := o.Connect()
	if err != nil {
		return r, err
	}
	return client.(R), nil
}

// KeyColumn is the name of the only column in batches of decoded keys.
const KeyColumn = "key"

// Messages is a wire format with the options of one source. It makes decoders for the source's
// messages. It is safe for concurrent use.
type Messages interface {
	// Known reports whether the columns of the rows are known before the first message arrives.
	Known() bool
	// Split splits the value of a record into a key, which identifies the schema of the message,
	// and the message. Both share the memory of value. The key is empty if all messages have the
	// same schema. An error has the kind base.Invalid and means that the value is invalid.
	Split(value []byte) (key, msg []byte, err error)
	// SchemaID returns the id of the schema, from the header at the start of a record's value. ok
	// is false if the value has no header.
	SchemaID(value []byte) (id uint32, ok bool)
	// Decoders returns decoders for messages whose schema is identified by key, as Split returns
	// it. There is one decoder for each selection. A selection is a list of columns, and nil means
	// all columns. If the messages are keys, or the format cannot decode only some columns
	// (Format.Projects is false), there is a single decoder, for all columns. An error of the kind
	// base.NotFound or base.Invalid means that the schema does not exist or is invalid. Other
	// errors are errors of the schema registry.
	Decoders(ctx context.Context, key []byte, selections [][]Column) ([]MessageDecoder, error)
}

// MessageDecoder turns messages of one schema into rows. It collects messages until
// FinishWithMessages returns their rows as one batch. It is not safe for concurrent use.
type MessageDecoder interface {
	// Append adds a message to the batch. After an error, the batch does not have the message, but
	// still has the earlier messages. If the error wraps ErrFull, the batch is full, and the
	// message may fit into an empty batch. Any other error means that the message is at fault.
	Append(msg []byte) error
	// FinishWithMessages returns the rows of the batch, and for each row the number of the message
	// from which it came, counted from 0. The numbers are nil if each message made exactly one row.
	// An error means that one of the messages is at fault. The batch is empty after a success and
	// after an error.
	FinishWithMessages() (arrow.RecordBatch, []int32, error)
	// Reset removes all messages from the batch.
	Reset()
}

// ErrFull means that a decoder's batch has no room for a message, but an empty batch may have.
// Errors of MessageDecoder.Append wrap it.
var ErrFull = base.Errorf(base.TooLarge, "the batch is full")

// KeyBatch returns a batch with one column, named KeyColumn, which has the given values.
func KeyBatch(values arrow.Array) arrow.RecordBatch {
	field := arrow.Field{Name: KeyColumn, Type: values.DataType(), Nullable: true}
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{values}, int64(values.Len()))
}

// KeysOf returns a decoder of keys that uses d, a decoder of messages. The columns that d returns
// become the fields of one struct column. If single is true, d returns only one column, which is
// used as it is.
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
