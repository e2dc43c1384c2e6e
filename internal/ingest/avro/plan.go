package avro

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// MaxSchemaBytes bounds the text of a schema.
	MaxSchemaBytes = 16 << 20
	// DefaultMemory is Options.Memory if that is 0.
	DefaultMemory = 1 << 30
	// valueColumn is the name of the only column of a schema that is not a record.
	valueColumn = "value"
)

// Schema is a parsed schema. It is immutable.
type Schema struct{ schema hamba.Schema }

// Parse parses a schema's JSON. References are the texts of schemas whose named types it
// uses, each after those that it uses itself. The error is base.Invalid.
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

// String returns the schema in its canonical form.
func (s *Schema) String() string { return s.schema.String() }

// Options say what to make of a schema.
type Options struct {
	// Memory bounds the fixed-width buffers of one batch, in bytes: short messages can stand
	// for many values. DefaultMemory if 0.
	Memory int64
	// Reader, if not nil, is the schema whose fields the columns are: messages are brought to it by Avro's rules, with its
	// aliases and defaults. Otherwise the columns are those of the writer's schema.
	Reader *Schema
}

// Plan is how messages of one schema become rows. It is immutable and safe for concurrent use.
type Plan struct {
	columns  *Schema   // the reader's, if there is one
	resolver *resolver // of messages to it, or nil
	budget   int64     // in bits
	schema   *arrow.Schema
}

// NewPlan returns the plan for messages that were written with a schema. Errors are
// base.Invalid (a schema that makes no columns, a type that no column can have, or a reader's schema that does not
// fit) and base.TooLarge (more columns than ingest.MaxColumns).
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

// Schema returns the columns. A batch has the same names and types, but that top-level utf8
// may be a dictionary.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

// OfRecords reports whether messages are records. Otherwise the only column is the message itself.
func (p *Plan) OfRecords() bool { return p.columns.schema.Type() == hamba.Record }

// NewDecoder returns a decoder without rows. It is for one goroutine at a time.
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
