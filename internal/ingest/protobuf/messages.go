package protobuf

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/option"
)

// Format is the wire format Protobuf, for Kafka messages. Each message is decoded as soon as it is
// added to a batch.
var Format = &wire.Format{Name: "protobuf", Schemas: true, Projects: true, OpenMessages: openMessages}

// Registry has the methods of a schema registry that this package calls. The type Client of package
// registry implements it. That package describes the errors.
type Registry interface {
	// Message returns the message type that a header names. The header is the first result of
	// framing.CutProtobuf.
	Message(ctx context.Context, header []byte) (protoreflect.MessageDescriptor, error)
	// LatestMessage returns a message type of the newest schema of a subject: the type with the
	// given full name, or the first type of the schema if the name is empty.
	LatestMessage(ctx context.Context, subject, name string) (protoreflect.MessageDescriptor, error)
}

// opened is the format Protobuf with the options of one source's FORMAT clause. It makes the
// decoders of the source's messages.
type opened struct {
	framing.Schema
	registry Registry // the schema registry; nil if the options name none
	name     string   // full name of the message type, such as package.Event
	// message is the message type of all values, from files. It is nil if the registry tells the
	// type.
	message protoreflect.MessageDescriptor
	options Options
	// whether the messages are the keys of records
	keys bool
	// caches the newest message type of the registry's subject
	newest framing.Newest[protoreflect.MessageDescriptor]
}

func openMessages(o wire.MessageOptions) (wire.Messages, error) {
	m := &opened{keys: o.Keys, options: Options{PoisonMemory: o.PoisonMemory}}
	m.name = o.Text("message", "")
	root := o.Text("schema_dir", "")
	m.options.Recursion = option.Parsed(o.Set, "recursion", 0, strconv.Atoi)
	m.Schema = framing.ReadSchema(o.Set, o.Connect != nil)
	if err := o.End(); err != nil {
		return nil, err
	}
	if err := m.check(o.What, root); err != nil {
		return nil, err
	}
	if len(m.Files) > 0 {
		var err error
		if m.message, err = readMessage(m.Files, root, m.name); err != nil {
			return nil, err
		}
	}
	var err error
	m.registry, err = wire.Connect[Registry](o)
	return m, err
}

// check returns a base.Invalid error if options contradict each other, or if an option would have
// no effect. The argument what is the name of the clause for error messages, such as "FORMAT
// protobuf". root is the value of the option schema_dir.
func (m *opened) check(what, root string) error {
	if len(m.Files) > 0 && m.Registry {
		return base.Errorf(base.Invalid, "%s: a schema is given, and a registry", what).
			WithHint("framing = 'confluent' skips the header of messages if their schema is in a file")
	}
	if err := m.Check(what); err != nil {
		return err
	}
	switch {
	case m.name != "" && m.ByHeader():
		return base.Errorf(base.Invalid, "%s: message is given, but the registry's header in front of values says which type they have", what)
	case root != "" && (len(m.Files) == 0 || !isProto(m.Files[0])):
		return base.Errorf(base.Invalid, "%s: schema_dir needs a schema in .proto files", what)
	}
	return nil
}

// isProto reports whether a schema file is a .proto file, which has to be compiled. Other schema
// files are compiled descriptor sets.
func isProto(name string) bool { return strings.HasSuffix(name, ".proto") }

// readMessage reads schema files, which are .proto files or one descriptor set, and returns the
// message type with the full name message.
func readMessage(files []string, root, message string) (protoreflect.MessageDescriptor, error) {
	found, err := readSchema(files, root)
	if err != nil {
		return nil, err
	}
	if message == "" {
		return nil, base.Errorf(base.Invalid, "FORMAT protobuf with a schema needs the message's name").WithHint("message = 'package.Event'")
	}
	return FindMessage(found, message)
}

// readSchema reads and compiles schema files, which are .proto files or one descriptor set. Imports
// in .proto files are relative to root. If root is empty, they are relative to the folder of the
// first file.
func readSchema(files []string, root string) (*protoregistry.Files, error) {
	if !isProto(files[0]) {
		text, err := framing.ReadFile(files[0])
		if err != nil {
			return nil, err
		}
		found, err := ParseDescriptorSet(text)
		return found, base.Wrap(err, "FORMAT schema")
	}
	if root == "" {
		root = filepath.Dir(files[0])
		for i, name := range files {
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", err)
			}
			files[i] = filepath.ToSlash(relative)
		}
	}
	found, err := CompileProto(context.Background(), os.DirFS(root), files...)
	return found, base.Wrap(err, "FORMAT schema")
}

// Known reports whether the columns of the messages are known in advance, because the schema is in
// files and not in a registry.
func (m *opened) Known() bool { return m.message != nil }

// Split splits the value of a record into a key, which identifies the schema, and the message. The
// key is the header of the schema registry if the id in it decides the schema. Otherwise the key is
// empty.
func (m *opened) Split(value []byte) (key, msg []byte, err error) {
	if !m.Framing {
		return nil, value, nil
	}
	key, msg, err = framing.CutProtobuf(value)
	if !m.ByHeader() {
		key = nil
	}
	return key, msg, err
}

// Decoders returns decoders for messages whose schema is identified by key: one for each selection
// of columns. If the messages are keys of records, it returns one decoder, for all columns.
func (m *opened) Decoders(ctx context.Context, key []byte, selections [][]wire.Column) ([]wire.MessageDecoder, error) {
	message, err := m.messageType(ctx, key)
	if err != nil {
		return nil, err
	}
	if m.keys {
		selections = [][]wire.Column{nil}
	}
	var all []wire.MessageDecoder
	for _, columns := range selections {
		o := m.options
		o.Columns = columns
		plan, err := NewPlan(message, o)
		if err != nil {
			return nil, err
		}
		all = append(all, messageDecoder{plan.NewDecoder()})
	}
	if m.keys {
		all[0] = wire.KeysOf(all[0], false)
	}
	return all, nil
}

// messageType returns the message type of messages whose schema is identified by key, as Split
// returns it.
func (m *opened) messageType(ctx context.Context, key []byte) (protoreflect.MessageDescriptor, error) {
	switch {
	case m.message != nil:
		return m.message, nil
	case m.Subject != "":
		return m.newest.Get(func() (protoreflect.MessageDescriptor, error) {
			return m.registry.LatestMessage(ctx, m.Subject, m.name)
		})
	}
	return m.registry.Message(ctx, key)
}

// messageDecoder adapts the Protobuf Decoder to the interface wire.MessageDecoder, in which the
// method FinishWithMessages also returns an error.
type messageDecoder struct{ *Decoder }

func (d messageDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	rec, messages := d.Decoder.FinishWithMessages()
	return rec, messages, nil
}
