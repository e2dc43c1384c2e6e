package protobuf

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// DefaultMemory is the number of bytes that Options.Memory means if it is 0.
const DefaultMemory = 1 << 30

// Options say how to decode messages of a protobuf type into rows.
type Options struct {
	// Columns selects columns by the paths of their fields. nil selects all fields.
	Columns []wire.Column
	// Recursion is how many times a message type is expanded inside of itself. Deeper than that, a
	// field of this type is a binary column with the message's bytes.
	Recursion int
	// Memory is the maximum size in bytes of the fixed-width buffers of one batch. The limit is
	// needed because short messages can stand for many rows of many columns. 0 means DefaultMemory.
	Memory int64
	// PoisonMemory is for tests. It overwrites the memory of a batch when the batch is released, so
	// that a test detects reads after that. The decoder reuses this memory for its next batch.
	PoisonMemory bool
}

// Plan says how protobuf messages of one type become rows. It is immutable and safe for concurrent
// use.
type Plan struct {
	message protoreflect.MessageDescriptor
	options Options
	budget  int64
	schema  *arrow.Schema
}

// NewPlan returns the plan for decoding messages of a type. Errors are base.Invalid (a path to a
// field that does not exist, an invalid column name) and base.TooLarge (more columns than
// ingest.MaxColumns).
func NewPlan(message protoreflect.MessageDescriptor, options Options) (*Plan, error) {
	p := &Plan{message: message, options: options, budget: options.Memory}
	if p.budget <= 0 {
		p.budget = DefaultMemory
	}
	p.budget = min(p.budget, math.MaxInt64/16) * 8 // the budget is in bits
	d := &Decoder{plan: p}
	if err := compile(d); err != nil {
		return nil, base.Wrap(err, "message %s", message.FullName())
	}
	fields := make([]arrow.Field, len(d.outputs))
	for i, o := range d.outputs {
		fields[i] = o.field()
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

// Message returns the type of the messages that the plan is for.
func (p *Plan) Message() protoreflect.MessageDescriptor { return p.message }

// Schema returns the columns of decoded batches. A batch has the same names and types, with two
// exceptions: a top-level utf8 column may be a dictionary, and timestamp[us] becomes timestamp[ns]
// in a batch that needs it.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

// NewDecoder returns a decoder without rows. Only one goroutine at a time may use it.
func (p *Plan) NewDecoder() *Decoder {
	d := &Decoder{plan: p}
	if err := compile(d); err != nil {
		panic("protobuf: a plan that compiled before does not: " + err.Error())
	}
	d.Reset()
	return d
}

// output is a column of the decoded batch, or a nested part of such a column.
type output struct {
	name  string
	typ   arrow.DataType // typ is the Arrow type. It is nil for structs, lists and maps.
	shape shape
	// col is the column that has the values. It is nil for structs that are always present.
	col   *column
	level *level // level is the sequence of rows to which this output belongs.
	// fields are the fields of a struct, the element of a list, or the key and the value of a map.
	fields []*output
}

type shape uint8

const (
	shapeFlat shape = iota
	shapeStruct
	shapeList
	shapeMap
)

// field returns the Arrow field of the output, with its name and the type that decoded batches
// have.
func (o *output) field() arrow.Field {
	var t arrow.DataType
	switch o.shape {
	case shapeFlat:
		t = o.typ
	case shapeStruct:
		fields := make([]arrow.Field, len(o.fields))
		for i, f := range o.fields {
			fields[i] = f.field()
		}
		t = arrow.StructOf(fields...)
	case shapeList:
		t = arrow.ListOf(o.fields[0].field().Type)
	case shapeMap:
		t = arrow.MapOf(o.fields[0].field().Type, o.fields[1].field().Type)
	}
	return arrow.Field{Name: o.name, Type: t, Nullable: true}
}
