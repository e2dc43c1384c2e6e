package avro

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is Avro's binary encoding of single messages.
var Format = &wire.Format{Name: "avro", Schemas: true, OpenMessages: openMessages}

// Registry is a schema registry.
type Registry interface {
	// Avro returns the schema with an id.
	Avro(ctx context.Context, id uint32) (*Schema, error)
	// LatestAvro returns the newest schema of a subject.
	LatestAvro(ctx context.Context, subject string) (*Schema, error)
}

// opened is the format with the options of a source.
type opened struct {
	framing.Schema
	registry Registry // or nil
	// schema is the schema of all values, or nil. With a registry, which knows the schemas that
	// values were written with, it is the reader's schema.
	schema *Schema
	keys   bool
	newest framing.Newest[*Schema]
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

// readSchema reads a schema's file, and the files that it refers to, which follow it.
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

// Known is true if the schema is in a file.
func (m *opened) Known() bool { return m.schema != nil }

// Split returns the header as the key, if the header names the schema.
func (m *opened) Split(value []byte) (key, msg []byte, err error) {
	key, msg, err = m.Schema.Split(value)
	if !m.ByHeader() {
		key = nil
	}
	return key, msg, err
}

// Decoders returns one decoder: of all columns, or of keys.
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

// plan returns the plan for values whose schema has a key. Without a key it is the plan of the
// schema in a file.
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

// messageDecoder makes one row of each message.
type messageDecoder struct{ *Decoder }

func (d messageDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	return d.Finish(), nil, nil
}
