package protobuf

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/base"
)

// DefaultMemory is the value of Options.Memory if that is 0.
const DefaultMemory = 1 << 30

// Options say how to decode a message type.
type Options struct {
	// Columns selects columns by path. nil selects all fields.
	Columns []Column
	// Recursion is how many times a message type is expanded inside itself. At a deeper level, a
	// field of that type is a binary column with the message's bytes.
	Recursion int
	// Memory bounds the fixed-width buffers of one batch, in bytes. The limit is needed because
	// short messages can stand for many rows of many columns. 0 means DefaultMemory.
	Memory int64
	// PoisonMemory overwrites a batch's memory when the batch is released, so that tests detect
	// reads after that. The decoder reuses the memory for its next batch.
	PoisonMemory bool
}

// Plan says how messages of one type become rows. It is immutable and safe for concurrent use.
type Plan struct {
	message protoreflect.MessageDescriptor
	options Options
	budget  int64
	schema  *arrow.Schema
}

// NewPlan returns the plan for a message type. Errors are base.Invalid (a path to a field that does
// not exist, an invalid column name) and base.TooLarge (more columns than ingest.MaxColumns).
func NewPlan(message protoreflect.MessageDescriptor, options Options) (*Plan, error) {
	p := &Plan{message: message, options: options, budget: options.Memory}
	if p.budget <= 0 {
		p.budget = DefaultMemory
	}
	p.budget = min(p.budget, math.MaxInt64/16) * 8 // in bits
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

// Message returns the message type.
func (p *Plan) Message() protoreflect.MessageDescriptor { return p.message }

// Schema returns the columns. A batch has the same names and types, with two exceptions: a
// top-level utf8 column may be a dictionary, and timestamp[us] becomes timestamp[ns] in a batch
// that needs it.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

// NewDecoder returns an empty decoder. Only one goroutine at a time may use it.
func (p *Plan) NewDecoder() *Decoder {
	d := &Decoder{plan: p}
	if err := compile(d); err != nil {
		panic("protobuf: a plan that compiled before does not: " + err.Error())
	}
	d.Reset()
	return d
}

// output is a column of the batch, or a nested part of one.
type output struct {
	name   string
	typ    arrow.DataType // nil for structs, lists and maps
	shape  shape
	col    *column   // nil for structs that are always present
	level  *level    // the level whose rows it has
	fields []*output // struct: fields; list: the element; map: key and value
}

type shape uint8

const (
	shapeFlat shape = iota
	shapeStruct
	shapeList
	shapeMap
)

// field returns the output's natural type, with its name.
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
