package framing

import (
	"os"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
)

// Framing says whether values begin with the header of a schema registry.
type Framing bool

// ReadFraming reads the option framing. confluent is its default.
func ReadFraming(o *option.Set, confluent bool) Framing {
	value := "none"
	if confluent {
		value = "confluent"
	}
	return o.OneOf("framing", value, "none", "confluent") == "confluent"
}

// SchemaID returns the id in a value's header. ok is false if there is none.
func (f Framing) SchemaID(value []byte) (id uint32, ok bool) {
	if !f {
		return 0, false
	}
	id, _, err := Cut(value)
	return id, err == nil
}

// Split returns the header of a value, which is empty without framing, and the rest of the value.
// Errors are base.Invalid. For Protobuf see CutProtobuf.
func (f Framing) Split(value []byte) (header, msg []byte, err error) {
	if !f {
		return nil, value, nil
	}
	_, msg, err = Cut(value)
	if err != nil {
		return nil, nil, err
	}
	return value[:len(value)-len(msg)], msg, nil
}

// Schema has the options that say where the schema of messages is.
type Schema struct {
	Framing
	Files    []string // option schema
	Subject  string   // subject whose newest schema all values have; empty if their headers say it
	Registry bool     // a schema registry is given
}

// ReadSchema reads the options schema, subject and framing. registry says that the options of a
// registry are given.
func ReadSchema(o *option.Set, registry bool) Schema {
	s := Schema{Files: o.List("schema"), Subject: o.Text("subject", ""), Registry: registry}
	s.Framing = ReadFraming(o, s.ByHeader())
	return s
}

// ByHeader reports whether the registry's header in front of each value names its schema.
func (s Schema) ByHeader() bool { return s.Registry && s.Subject == "" }

// Check returns a base.Invalid error for options that contradict each other, or have no effect.
// what names the clause in errors.
func (s Schema) Check(what string) error {
	switch {
	case len(s.Files) == 0 && !s.Registry:
		return base.Errorf(base.Invalid, "%s needs a schema", what).
			WithHint("FORMAT protobuf (schema = 'event.proto', message = 'package.Event'), or registry = 'http://host:8081'")
	case s.ByHeader() && !bool(s.Framing):
		return base.Errorf(base.Invalid, "%s: without a header in front of values, a registry needs a subject to find the schema", what)
	case s.Subject != "" && !s.Registry:
		return base.Errorf(base.Invalid, "%s: a subject is of a registry, which is not given", what).WithHint("registry = 'http://host:8081'")
	}
	return nil
}

// ReadFile returns the content of a schema's file. Errors are base.Invalid.
func ReadFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", err)
	}
	return text, nil
}

// Newest caches the newest schema of a subject. A source asks the registry only once: a batch that
// is decoded a second time must have the same schema. The zero value is empty.
type Newest[T comparable] struct {
	mu     sync.Mutex
	cached T
}

// Get returns the cached schema. Without one it calls load, and caches the result unless load
// returns an error.
func (n *Newest[T]) Get(load func() (T, error)) (T, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var none T
	if n.cached != none {
		return n.cached, nil
	}
	got, err := load()
	if err == nil {
		n.cached = got
	}
	return got, err
}
