package avro

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format Avro, for the messages of Kafka: the binary encoding of single values.
var Format = &wire.Format{Name: "avro", Schemas: true, OpenMessages: openMessages}

// Registry has the methods of a schema registry that this package calls. registry.Client implements
// it, and describes the errors.
type Registry interface {
	// Avro returns the schema with an id.
	Avro(ctx context.Context, id uint32) (*Schema, error)
	// LatestAvro returns the newest schema of a subject.
	LatestAvro(ctx context.Context, subject string) (*Schema, error)
}

// opened decodes the messages of one source. It has the options of the source's FORMAT clause.
type opened struct {
	framing.Schema
	registry Registry // nil if the options name no registry
	// schema is the schema of all values, from files. It is nil if there are no files. If there is
	// also a registry, which knows the writer's schema, it is the reader's schema.
	schema *Schema
	keys   bool                    // the messages are the keys of records
	newest framing.Newest[*Schema] // of the subject
}

func openMessages(o wire.MessageOptions) (wire.Messages, error) {
	m := &opened{keys: o.Keys, Schema: framing.ReadSchema(o.Set, o.Connect != nil)}
	if err := o.End(); err != nil {
		return nil, err
	}
	if err := m.Check(o.What); err != nil {
		return nil, err
	}
	if len(m.Files) > 0 {
		var err error
		if m.schema, err = readSchema(m.Files); err != nil {
			return nil, err
		}
	}
	if o.Connect == nil {
		return m, nil
	}
	r, err := o.Connect()
	if err != nil {
		return nil, err
	}
	m.registry = r.(Registry)
	return m, nil
}

// readSchema reads a schema from the first file. The other files have the schemas that it refers
// to.
func readSchema(files []string) (*Schema, error) {
	var texts []string
	for _, name := range files {
		text, err := framing.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	references := texts[1:]
	slices.Reverse(references)
	s, err := Parse(texts[0], references...)
	return s, base.Wrap(err, "FORMAT schema")
}

// Known returns true if the schema is in files.
func (m *opened) Known() bool { return m.schema != nil }

// Split returns the header of the value as the key if the header has the id of the schema, and an
// empty key otherwise.
func (m *opened) Split(value []byte) (key, msg []byte, err error) {
	key, msg, err = m.Schema.Split(value)
	if !m.ByHeader() {
		key = nil
	}
	return key, msg, err
}

// Decoders returns one decoder. It decodes all columns, or keys.
func (m *opened) Decoders(ctx context.Context, key []byte, _ [][]wire.Column) ([]wire.MessageDecoder, error) {
	plan, err := m.plan(ctx, key)
	if err != nil {
		return nil, err
	}
	var d wire.MessageDecoder = messageDecoder{plan.NewDecoder()}
	if m.keys {
		d = wire.KeysOf(d, !plan.OfRecords())
	}
	return []wire.MessageDecoder{d}, nil
}

// plan returns the plan for values whose schema has this key. For an empty key it returns the plan
// of the subject's newest schema, or of the schema from files.
func (m *opened) plan(ctx context.Context, key []byte) (*Plan, error) {
	writer, err := m.schema, error(nil)
	switch {
	case m.registry == nil, m.schema != nil && len(key) == 0 && m.Subject == "":
	case m.Subject != "":
		writer, err = m.newest.Get(func() (*Schema, error) { return m.registry.LatestAvro(ctx, m.Subject) })
	default:
		var id uint32
		if id, _, err = framing.Cut(key); err == nil {
			writer, err = m.registry.Avro(ctx, id)
		}
	}
	if err != nil {
		return nil, err
	}
	return NewPlan(writer, Options{Reader: m.schema})
}

// messageDecoder adapts Decoder to wire.MessageDecoder. Each message makes one row.
type messageDecoder struct{ *Decoder }

func (d messageDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	return d.Finish(), nil, nil
}
