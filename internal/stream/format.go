package stream

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
	"github.com/scoterdb/scoter/internal/ingest/protobuf"
	"github.com/scoterdb/scoter/internal/registry"
)

// format is how a record's value becomes rows.
type format struct {
	name      string // protobuf or json
	confluent bool   // values begin with the header of a schema registry
	registry  *registry.Client
	message   protoreflect.MessageDescriptor // of all values; nil if the registry knows
	options   protobuf.Options
}

// decoder turns messages of one schema into rows.
type decoder interface {
	// Append adds a message. An error is about the message, but for one that wraps protobuf.ErrFull.
	Append(msg []byte) error
	// FinishWithMessages returns the rows and, unless each message made one, the number of each row's message. An error
	// is about one of the messages.
	FinishWithMessages() (arrow.RecordBatch, []int32, error)
	Reset()
}

// newFormat reads the options of FORMAT name (...).
func newFormat(values map[string]string) (*format, error) {
	o := newOptions("FORMAT", values)
	f := &format{name: o.oneOf("name", "protobuf", "json")}
	f.options.Recursion = parsed(o, "recursion", 0, strconv.Atoi)
	message, files, root := o.text("message", ""), o.list("schema"), o.text("schema_dir", "")
	urls := o.list("registry")
	framing := "none"
	if len(urls) > 0 {
		framing = "confluent"
	}
	f.confluent = o.oneOf("framing", framing, "none", "confluent") == "confluent"
	user := o.text("registry_user", "")
	password, err := o.secret("registry_password")
	if err != nil {
		return nil, err
	}
	token, err := o.secret("registry_token")
	if err != nil {
		return nil, err
	}
	security, err := o.tls("registry_tls")
	if err != nil {
		return nil, err
	}
	if err := o.end(); err != nil {
		return nil, err
	}
	switch {
	case f.name == "json":
		if message != "" || len(files) > 0 {
			return nil, base.Errorf(base.Invalid, "FORMAT json needs no schema")
		}
		return f, nil
	case len(files) > 0:
		f.message, err = readMessage(files, root, message)
	case len(urls) > 0 && f.confluent:
		f.registry, err = registry.New(registry.Options{URLs: urls, Username: user, Password: password, Token: token, TLS: security})
	default:
		err = base.Errorf(base.Invalid, "FORMAT protobuf needs a schema").
			WithHint("FORMAT protobuf (schema = 'event.proto', message = 'package.Event'), or registry = 'http://host:8081'")
	}
	return f, err
}

// readMessage reads a message type from .proto files or one descriptor set.
func readMessage(files []string, root, message string) (protoreflect.MessageDescriptor, error) {
	var found *protoregistry.Files
	var err error
	if strings.HasSuffix(files[0], ".proto") {
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

// cut splits a value into the key of its schema (empty: there is only one) and the message. The error is
// about the value.
func (f *format) cut(value []byte) (key, msg []byte, err error) {
	switch {
	case !f.confluent:
		return nil, value, nil
	case f.name == "protobuf":
		key, msg, err = registry.CutProtobuf(value)
	default:
		_, msg, err = registry.Cut(value)
	}
	if f.registry == nil {
		key = nil
	}
	return key, msg, err
}

// schemaID returns the id in a value's header; false if there is none.
func (f *format) schemaID(value []byte) (uint32, bool) {
	if !f.confluent {
		return 0, false
	}
	id, _, err := registry.Cut(value)
	return id, err == nil
}

// decoders returns one decoder for each set of columns. NotFound and Invalid are about the schema, other errors the
// registry's.
func (f *format) decoders(ctx context.Context, key []byte, shapes [][]protobuf.Column) ([]decoder, error) {
	if f.name == "json" {
		return []decoder{&jsonDecoder{}}, nil
	}
	message := f.message
	if f.registry != nil {
		var err error
		if message, err = f.registry.Message(ctx, key); err != nil {
			return nil, err
		}
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

// known reports whether the columns are known before the first message.
func (f *format) known() bool { return f.message != nil }

func (f *format) close() {
	if f.registry != nil {
		_ = f.registry.Close() // gives back connections, and has no error to tell
	}
}

type protobufDecoder struct{ *protobuf.Decoder }

func (d protobufDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	rec, messages := d.Decoder.FinishWithMessages()
	return rec, messages, nil
}

// parseColumn reads "path" or "path AS name".
func parseColumn(text string) protobuf.Column {
	fields := strings.Fields(text)
	if n := len(fields); n == 3 && strings.EqualFold(fields[1], "AS") {
		return protobuf.Column{Path: fields[0], Name: strings.Trim(fields[2], `"`)}
	}
	return protobuf.Column{Path: strings.TrimSpace(text)}
}
