package avro

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format Avro for Kafka messages. Each message is one value in Avro's binary
// encoding, without a file header.
var Format = &wire.Format{Name: "avro", Schemas: true, OpenMessages: openMessages}

// Registry has the methods of a schema registry that this package calls. The type Client of package
// registry implements it. That package describes the errors.
type Registry interface {
	// Avro returns the schema with an id.
	Avro(ctx context.Context, id uint32) (*Schema, error)
	// LatestAvro returns the newest schema of a subject.
	LatestAvro(ctx context.Context, subject string) (*Schema, error)
}

// opened is the format Avro with the options of one source's FORMAT clause. It makes the decoders
// of the source's messages.
type opened struct {
	framing.Schema
	registry Registry // the schema registry; nil if the options name none
	// schema is the schema in the files that the options name, or nil if they name none. If a
	// schema registry is also given, schema is the reader's schema, and the registry has the
	// writer's schemas.
	schema *Schema
	keys   bool                    // whether the messages are the keys of records
	newest framing.Newest[*Schema] // caches the newest schema of the registry's subject
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
	var err error
	m.registry, err = wire.Connect[Registry](o)
	return m, err
}

// readSchema reads a schema from the first of files. The other files have the schemas to which this
// schema refers.
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

// Known reports whether the columns of the messages are known in advance, because the schema is in
// files.
func (m *opened) Known() bool { return m.schema != nil }

// Split splits the value of a record into a key, which identifies the schema, and the message. The
// key is the header of the schema registry if the id in it decides the schema. Otherwise the key is
// empty.
func (m *opened) Split(value []byte) (key, msg []byte, err error) {
	key, msg, err = m.Schema.Split(value)
	if !m.ByHeader() {
		key = nil
	}
	return key, msg, err
}

// Decoders returns one decoder, for messages whose schema is identified by key (see Split). If the
// messages are the keys of Kafka records, it decodes all columns of a message into a single column
// (see wire.KeysOf).
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

// plan returns the decoding plan for messages whose schema is identified by key, as Split returns
// it. For an empty key, the schema is the newest one of the registry's subject, or the one in
// files.
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

// messageDecoder adapts the Avro Decoder to the interface wire.MessageDecoder. Each message makes
// one row.
type messageDecoder struct{ *Decoder }

func (d messageDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	return d.Finish(), nil, nil
}
