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

// format decodes the values of records, or their keys. It is a wire format with the options of one
// source.
type format struct {
	*wire.Format
	wire.Messages
	registry *registry.Client // nil if the options name no schema registry
}

// isFull reports whether a decoder's error means that its rows must be finished first.
func isFull(err error) bool { return errors.Is(err, wire.ErrFull) }

// poisonMemory is set by tests only. Code that uses the memory of a released batch then reads
// garbage.
var poisonMemory = false

// newFormat reads the options of FORMAT name (...).
func newFormat(values map[string]string) (*format, error) {
	all := formats.OfMessages(false)
	o := option.New("FORMAT", values)
	f := formats.Named(all, o.OneOf("name", "protobuf", formats.Names(all)...))
	if f == nil {
		return nil, o.End()
	}
	return openFormat(f, o, false)
}

// newKeyFormat reads the options of KEY FORMAT name (...). Without options it returns nil, which
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

// openFormat reads the options of a format. If keys is set, the format is for the keys of records.
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

func (f *format) close() {
	if f.registry != nil {
		_ = f.registry.Close() // returns connections to the pool; it never fails
	}
}

// columnName returns the name of a column by path.
func columnName(text string) string {
	c := parseColumn(text)
	return c.ColumnName()
}

// parseColumn parses "path" or "path AS name".
func parseColumn(text string) wire.Column {
	fields := strings.Fields(text)
	if n := len(fields); n == 3 && strings.EqualFold(fields[1], "AS") {
		return wire.Column{Path: fields[0], Name: strings.Trim(fields[2], `"`)}
	}
	return wire.Column{Path: strings.TrimSpace(text)}
}
