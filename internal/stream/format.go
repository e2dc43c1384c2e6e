package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/avro"
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
	"github.com/scoterdb/scoter/internal/option"
	"github.com/scoterdb/scoter/internal/registry"
	"github.com/scoterdb/scoter/internal/schema"
)

// format decodes the value of a record into rows.
type format struct {
	name        string // protobuf, avro or json
	confluent   bool   // values begin with the header of a schema registry
	registry    *registry.Client
	messageName string // the message type within the subject's schema
	// subject is the subject whose newest schema all values have. If it is empty, the header tells
	// the schema.
	subject string
	// message is the type of all values. It is nil if the registry tells the type.
	message protoreflect.MessageDescriptor
	// schema is the Avro schema of all values. With a registry, which knows the writer's schema, it
	// is the reader's schema.
	schema *avro.Schema
	// types are the declared columns of JSON.
	types   []schema.Field
	options protobuf.Options
	ofKeys  bool   // this is a key format: each key becomes one value
	newest  newest // of the subject
}

// newest has the types of a subject's newest schema. A plan asks the registry for it once, because
// a batch that is decoded again must have the same schema.
type newest struct {
	mu      sync.Mutex
	message protoreflect.MessageDescriptor
	schema  *avro.Schema
}

// decoder turns messages of one schema into rows.
type decoder interface {
	// Append adds a message. An error is about the message, unless isFull holds for it.
	Append(msg []byte) error
	// FinishWithMessages returns the rows and the number of each row's message. The numbers are nil
	// if each message made exactly one row. An error is about one of the messages.
	FinishWithMessages() (arrow.RecordBatch, []int32, error)
	Reset()
}

// isFull reports whether a decoder's error means that its rows must be finished first.
func isFull(err error) bool { return errors.Is(err, protobuf.ErrFull) || errors.Is(err, avro.ErrFull) }

// poisonMemory is set by tests only. Code that uses the memory of a released batch then reads
// garbage.
var poisonMemory = false

// newFormat reads the options of FORMAT name (...).
func newFormat(values map[string]string) (*format, error) {
	o := option.New("FORMAT", values)
	f := &format{name: o.OneOf("name", "protobuf", "protobuf", "avro", "json"), options: protobuf.Options{PoisonMemory: poisonMemory}}
	o.What += " " + f.name
	if f.name == "json" {
		f.readFraming(o, "none")
		f.types = option.Parsed(o, "types", nil, parseTypes)
		return f, o.End()
	}
	files, root := o.List("schema"), ""
	if f.name == "protobuf" {
		f.messageName, root = o.Text("message", ""), o.Text("schema_dir", "")
		f.options.Recursion = option.Parsed(o, "recursion", 0, strconv.Atoi)
	}
	f.subject = o.Text("subject", "")
	where, err := readRegistry(o)
	if err != nil {
		return nil, err
	}
	framing := "none"
	if len(where.URLs) > 0 && f.subject == "" {
		framing = "confluent"
	}
	f.readFraming(o, framing)
	if err := o.End(); err != nil {
		return nil, err
	}
	if err := f.check(files, root, len(where.URLs) > 0); err != nil {
		return nil, err
	}
	switch {
	case len(files) == 0:
	case f.name == "avro":
		f.schema, err = readAvro(files)
	default:
		f.message, err = readMessage(files, root, f.messageName)
	}
	if err == nil && len(where.URLs) > 0 {
		f.registry, err = registry.New(where)
	}
	return f, err
}

// readFraming reads the option that says whether values begin with a schema registry's header.
func (f *format) readFraming(o *option.Set, value string) {
	f.confluent = o.OneOf("framing", value, "none", "confluent") == "confluent"
}

// readRegistry reads the address of a schema registry and its credentials. Without URLs there is no
// registry.
func readRegistry(o *option.Set) (r registry.Options, err error) {
	r.URLs, r.Username = o.List("registry"), o.Text("registry_user", "")
	if r.Password, err = o.Secret("registry_password"); err != nil {
		return r, err
	}
	if r.Token, err = o.Secret("registry_token"); err != nil {
		return r, err
	}
	if r.TLS, err = o.TLS("registry_tls"); err != nil {
		return r, err
	}
	if len(r.URLs) == 0 && (r.Username != "" || r.Password != "" || r.Token != "" || r.TLS != nil) {
		o.Fail("%s: how to speak to a registry is given, but not registry = 'http://host:8081'", o.What)
	}
	return r, nil
}

// check refuses options that contradict each other, and options that would have no effect.
func (f *format) check(files []string, root string, registry bool) error {
	header := registry && f.subject == ""
	switch {
	case len(files) == 0 && !registry:
		return base.Errorf(base.Invalid, "FORMAT %s needs a schema", f.name).
			WithHint("FORMAT protobuf (schema = 'event.proto', message = 'package.Event'), or registry = 'http://host:8081'")
	case len(files) > 0 && registry && f.name == "protobuf":
		return base.Errorf(base.Invalid, "FORMAT protobuf: a schema is given, and a registry").
			WithHint("framing = 'confluent' passes over the header of messages whose schema is in a file")
	case header && !f.confluent:
		return base.Errorf(base.Invalid, "FORMAT %s: without a header in front of values, a registry needs a subject to find the schema", f.name)
	case f.subject != "" && !registry:
		return base.Errorf(base.Invalid, "FORMAT %s: a subject is of a registry, which is not given", f.name).WithHint("registry = 'http://host:8081'")
	case f.messageName != "" && header:
		return base.Errorf(base.Invalid, "FORMAT protobuf: message is given, but the registry's header in front of values says which type they have")
	case root != "" && (len(files) == 0 || !isProto(files[0])):
		return base.Errorf(base.Invalid, "FORMAT protobuf: schema_dir is the folder that imports of .proto files refer to, of which there are none")
	}
	return nil
}

// isProto reports whether a schema file is Protobuf source, which has to be compiled, and not a
// descriptor set.
func isProto(name string) bool { return strings.HasSuffix(name, ".proto") }

// readAvro reads a schema and the schemas that it refers to. These come after it in files.
func readAvro(files []string) (*avro.Schema, error) {
	var texts []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", err)
		}
		texts = append(texts, string(text))
	}
	references := texts[1:]
	slices.Reverse(references)
	s, err := avro.Parse(texts[0], references...)
	return s, base.Wrap(err, "FORMAT schema")
}

// readMessage reads a message type from .proto files or one descriptor set.
func readMessage(files []string, root, message string) (protoreflect.MessageDescriptor, error) {
	var found *protoregistry.Files
	var err error
	if isProto(files[0]) {
		if root == "" {
			root = filepath.Dir(files[0])
			for i, name := range files {
				if files[i], err = filepath.Rel(root, name); err != nil {
					return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", err)
				}
				files[i] = filepath.ToSlash(files[i])
			}
		}
		found, err = protobuf.CompileProto(context.Background(), os.DirFS(root), files...)
	} else {
		text, readErr := os.ReadFile(files[0])
		if readErr != nil {
			return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", readErr)
		}
		found, err = protobuf.ParseDescriptorSet(text)
	}
	if err != nil {
		return nil, base.Wrap(err, "FORMAT schema")
	}
	if message == "" {
		return nil, base.Errorf(base.Invalid, "FORMAT protobuf with a schema needs the message's name").WithHint("message = 'package.Event'")
	}
	return protobuf.FindMessage(found, message)
}

// cut splits a value into the key of its schema (empty if there is only one schema) and the
// message. The error is about the value.
func (f *format) cut(value []byte) (key, msg []byte, err error) {
	switch {
	case !f.confluent:
		return nil, value, nil
	case f.name == "protobuf":
		key, msg, err = registry.CutProtobuf(value)
	default:
		if _, msg, err = registry.Cut(value); err == nil {
			key = value[:len(value)-len(msg)]
		}
	}
	if f.registry == nil || f.subject != "" {
		key = nil
	}
	return key, msg, err
}

// schemaID returns the id in a value's header, or false if the value has no header.
func (f *format) schemaID(value []byte) (uint32, bool) {
	if !f.confluent {
		return 0, false
	}
	id, _, err := registry.Cut(value)
	return id, err == nil
}

// decoders returns one decoder for each set of columns. Errors of kind NotFound and Invalid are
// about the schema. Other errors come from the registry.
func (f *format) decoders(ctx context.Context, key []byte, shapes [][]protobuf.Column) ([]decoder, error) {
	if f.ofKeys {
		one, err := f.keyDecoder(ctx, key)
		return []decoder{one}, err
	}
	return f.valueDecoders(ctx, key, shapes)
}

// valueDecoders returns the decoders of values.
func (f *format) valueDecoders(ctx context.Context, key []byte, shapes [][]protobuf.Column) ([]decoder, error) {
	if f.name == "json" {
		return []decoder{&jsonDecoder{types: f.types}}, nil
	}
	if f.name == "avro" {
		plan, err := f.avroPlan(ctx, key)
		if err != nil {
			return nil, err
		}
		return []decoder{whole{plan.NewDecoder()}}, nil
	}
	message, err := f.messageType(ctx, key)
	if err != nil {
		return nil, err
	}
	var all []decoder
	for _, columns := range shapes {
		o := f.options
		o.Columns = columns
		plan, err := protobuf.NewPlan(message, o)
		if err != nil {
			return nil, err
		}
		all = append(all, protobufDecoder{plan.NewDecoder()})
	}
	return all, nil
}

// avroPlan returns the plan for values whose schema has this key. For an empty key it returns the
// plan of the schema from the file.
func (f *format) avroPlan(ctx context.Context, key []byte) (*avro.Plan, error) {
	writer, err := f.schema, error(nil)
	switch {
	case f.registry == nil, f.schema != nil && len(key) == 0 && f.subject == "":
	case f.subject != "":
		writer, err = once(&f.newest.mu, &f.newest.schema, func() (*avro.Schema, error) { return f.registry.LatestAvro(ctx, f.subject) })
	default:
		var id uint32
		if id, _, err = registry.Cut(key); err == nil {
			writer, err = f.registry.Avro(ctx, id)
		}
	}
	if err != nil {
		return nil, err
	}
	return avro.NewPlan(writer, avro.Options{Reader: f.schema})
}

func (f *format) messageType(ctx context.Context, key []byte) (protoreflect.MessageDescriptor, error) {
	switch {
	case f.message != nil:
		return f.message, nil
	case f.subject != "":
		return once(&f.newest.mu, &f.newest.message, func() (protoreflect.MessageDescriptor, error) {
			return f.registry.LatestMessage(ctx, f.subject, f.messageName)
		})
	}
	return f.registry.Message(ctx, key)
}

// once returns the first result of ask that was not an error, and caches it.
func once[T comparable](mu *sync.Mutex, kept *T, ask func() (T, error)) (T, error) {
	mu.Lock()
	defer mu.Unlock()
	var none T
	if *kept != none {
		return *kept, nil
	}
	got, err := ask()
	if err == nil {
		*kept = got
	}
	return got, err
}

// known reports whether the columns are known before the first message.
func (f *format) known() bool { return f.message != nil || f.schema != nil || plainKeys[f.name] != nil }

func (f *format) close() {
	if f.registry != nil {
		_ = f.registry.Close() // returns connections to the pool; it never fails
	}
}

// whole is a decoder that makes one row of each message.
type whole struct{ *avro.Decoder }

func (d whole) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	return d.Decoder.Finish(), nil, nil
}

type protobufDecoder struct{ *protobuf.Decoder }

func (d protobufDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	rec, messages := d.Decoder.FinishWithMessages()
	return rec, messages, nil
}

// columnName returns the name of a column by path.
func columnName(text string) string {
	c := parseColumn(text)
	return c.ColumnName()
}

// parseColumn reads "path" or "path AS name".
func parseColumn(text string) protobuf.Column {
	fields := strings.Fields(text)
	if n := len(fields); n == 3 && strings.EqualFold(fields[1], "AS") {
		return protobuf.Column{Path: fields[0], Name: strings.Trim(fields[2], `"`)}
	}
	return protobuf.Column{Path: strings.TrimSpace(text)}
}
