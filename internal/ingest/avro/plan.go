package avro

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// MaxSchemaBytes is the maximum size in bytes of the text of an Avro schema.
	MaxSchemaBytes = 16 << 20
	// DefaultMemory is the number of bytes that Options.Memory means if it is 0.
	DefaultMemory = 1 << 30
	// valueColumn is the name of the only column, if the schema of messages is not a record.
	valueColumn = "value"
)

// Schema is a parsed Avro schema. It is immutable.
type Schema struct{ schema hamba.Schema }

// Parse parses an Avro schema from its JSON text. references are the texts of other schemas, which
// define named types that the schema uses. If a reference uses types of another reference, it must
// come after that one. Errors are base.Invalid.
func Parse(text string, references ...string) (*Schema, error) {
	cache := &hamba.SchemaCache{}
	for _, r := range references {
		if _, err := parse(r, cache); err != nil {
			return nil, err
		}
	}
	s, err := parse(text, cache)
	if err != nil {
		return nil, err
	}
	return &Schema{s}, nil
}

func parse(text string, cache *hamba.SchemaCache) (hamba.Schema, error) {
	if len(text) > MaxSchemaBytes {
		return nil, base.Errorf(base.Invalid, "an Avro schema of %d bytes, more than %d", len(text), MaxSchemaBytes)
	}
	s, err := hamba.ParseWithCache(text, "", cache)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "Avro schema: %w", err)
	}
	return s, nil
}

// String returns the schema in Avro's canonical form.
func (s *Schema) String() string { return s.schema.String() }

// Options say how to decode Avro messages into rows.
type Options struct {
	// Memory is the maximum size in bytes of the fixed-width buffers of one batch. The limit is
	// needed because short messages can stand for many values. 0 means DefaultMemory.
	Memory int64
	// Reader is the schema whose fields are the columns. Messages are resolved to it by Avro's
	// rules, with its aliases and defaults. nil means the schema with which the messages were
	// written.
	Reader *Schema
}

// Plan says how Avro messages that were written with one schema become rows. It is immutable and
// safe for concurrent use.
type Plan struct {
	columns *Schema // columns is the schema whose fields are the columns.
	// resolver converts messages to the reader's schema. It is nil if there is no reader's schema.
	resolver *resolver
	budget   int64 // budget is the maximum size of the fixed-width buffers of a batch, in bits.
	schema   *arrow.Schema
}

// NewPlan returns the plan for messages that were written with the given schema. Errors are
// base.Invalid (a schema without columns, a type that no column can have, a reader's schema that
// does not fit) and base.TooLarge (more columns than ingest.MaxColumns).
func NewPlan(writer *Schema, options Options) (*Plan, error) {
	p := &Plan{columns: writer, budget: options.Memory}
	if p.budget <= 0 {
		p.budget = DefaultMemory
	}
	p.budget = min(p.budget, math.MaxInt32) * 8
	if options.Reader != nil {
		p.columns = options.Reader
	}
	root, err := compile(p.columns.schema)
	if err != nil {
		return nil, err
	}
	if len(root.fields) == 0 {
		return nil, base.Errorf(base.Invalid, "an Avro schema without fields makes no columns")
	}
	p.schema = arrow.NewSchema(root.arrowFields(), nil)
	if p.columns.String() != writer.String() {
		p.resolver, err = newResolver(writer.schema, p.columns.schema)
	}
	return p, err
}

// Schema returns the columns of decoded batches. A batch has the same names and types, except that
// a top-level utf8 column may be a dictionary.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

// OfRecords reports whether messages are Avro records. If not, a batch has only one column, which
// contains the messages themselves.
func (p *Plan) OfRecords() bool { return p.columns.schema.Type() == hamba.Record }

// NewDecoder returns a decoder without rows. Only one goroutine at a time may use it.
func (p *Plan) NewDecoder() *Decoder {
	root, err := compile(p.columns.schema)
	if err != nil {
		panic("avro: a plan that compiled before does not: " + err.Error())
	}
	d := &Decoder{plan: p, root: root}
	if p.resolver != nil {
		d.resolution = &resolution{root: p.resolver}
	}
	d.Reset()
	return d
}
