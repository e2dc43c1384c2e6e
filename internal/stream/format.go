package stream

import (
	"errors"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	formats "github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/option"
	"github.com/scoterdb/scoter/internal/registry"
)

// format decodes the values or the keys of a source's records. It is a wire format with the options
// that the source's definition gives it.
type format struct {
	*wire.Format
	wire.Messages
	registry *registry.Client // registry is nil if the options name no schema registry.
}

// isFull reports whether an error means that a decoder has no room for a message. The caller must
// take the rows out of the decoder before it adds the message.
func isFull(err error) bool { return errors.Is(err, wire.ErrFull) }

// poisonMemory makes decoders overwrite the memory of released batches with garbage, so that tests
// detect code that still reads it. Only tests set poisonMemory.
var poisonMemory = false

// newFormat returns the format that the clause FORMAT name (...) describes. values are the options
// of the clause, including the name.
func newFormat(values map[string]string) (*format, error) {
	all := formats.OfMessages(false)
	o := option.New("FORMAT", values)
	f := formats.Named(all, o.OneOf("name", "protobuf", formats.Names(all)...))
	if f == nil {
		return nil, o.End()
	}
	return openFormat(f, o, false)
}

// newKeyFormat returns the format that the clause KEY FORMAT name (...) describes. values are the
// options of the clause, including the name. If there are none, newKeyFormat returns nil, which
// means that keys stay bytes.
func newKeyFormat(values map[string]string) (*format, error) {
	if len(values) == 0 {
		return nil, nil
	}
	all := formats.OfMessages(true)
	o := option.New("FORMAT", values)
	name := strings.ToLower(o.Text("name", ""))
	f := formats.Named(all, name)
	if f == nil {
		return nil, base.Errorf(base.Invalid, "KEY FORMAT %s is none of %s", name, formats.List(formats.Names(all), "and"))
	}
	key, err := openFormat(f, o, true)
	return key, base.Wrap(err, "KEY")
}

// openFormat returns the wire format f with the options in o. If keys is true, it decodes the keys
// of records, and otherwise their values.
func openFormat(f *wire.Format, o *option.Set, keys bool) (*format, error) {
	o.What += " " + f.Name
	opened := &format{Format: f}
	options := wire.MessageOptions{Set: o, Keys: keys, PoisonMemory: poisonMemory}
	if f.Schemas {
		where, err := readRegistry(o)
		if err != nil {
			return nil, err
		}
		if len(where.URLs) > 0 {
			options.Connect = func() (any, error) {
				var err error
				opened.registry, err = registry.New(where)
				return opened.registry, err
			}
		}
	}
	var err error
	if opened.Messages, err = f.OpenMessages(options); err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}

// readRegistry reads the options that give the URLs and the credentials of a schema registry. The
// result has no URLs if the options name no registry.
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
		o.Fail("%s: registry credentials need registry = 'http://host:8081'", o.What)
	}
	return r, nil
}

func (f *format) close() {
	if f.registry != nil {
		_ = f.registry.Close() // it closes idle connections and never fails
	}
}

// columnName returns the name of the column that a text of the form "path" or "path AS name"
// describes.
func columnName(text string) string {
	c := parseColumn(text)
	return c.ColumnName()
}

// parseColumn parses a text of the form "path" or "path AS name": the path of a field of the
// messages, and the name of the column that stores it.
func parseColumn(text string) wire.Column {
	fields := strings.Fields(text)
	if n := len(fields); n == 3 && strings.EqualFold(fields[1], "AS") {
		return wire.Column{Path: fields[0], Name: strings.Trim(fields[2], `"`)}
	}
	return wire.Column{Path: strings.TrimSpace(text)}
}
