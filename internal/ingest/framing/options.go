package framing

import (
	"os"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/option"
)

// Framing is true if the values of a source's records begin with the header of a schema registry.
type Framing bool

// ReadFraming reads the option framing, which is "none" or "confluent". If the option is not given,
// the argument confluent says which of the two is returned (true for "confluent").
func ReadFraming(o *option.Set, confluent bool) Framing {
	value := "none"
	if confluent {
		value = "confluent"
	}
	return o.OneOf("framing", value, "none", "confluent") == "confluent"
}

// SchemaID returns the id of the schema, from the header at the start of a record's value. ok is
// false if the value has no header.
func (f Framing) SchemaID(value []byte) (id uint32, ok bool) {
	if !f {
		return 0, false
	}
	id, _, err := Cut(value)
	return id, err == nil
}

// Split splits the value of a record, in Avro or JSON, into the header of the schema registry and
// the message. The header is empty if f is false. Both results share the memory of value. Errors
// are base.Invalid. For Protobuf, use CutProtobuf.
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

// Schema has the options of the clause FORMAT that say where the schema of messages is.
type Schema struct {
	Framing
	// Files are the names of the schema files, from the option schema.
	Files []string
	// Subject is a subject in the schema registry. All values have the newest schema of this
	// subject. Subject is empty if the schema is in files, or if the header of each value has the
	// id of its schema.
	Subject string
	// Registry is true if the options name a schema registry.
	Registry bool
}

// ReadSchema reads the options schema, subject and framing. registry must be true if the options
// name a schema registry.
func ReadSchema(o *option.Set, registry bool) Schema {
	s := Schema{Files: o.List("schema"), Subject: o.Text("subject", ""), Registry: registry}
	s.Framing = ReadFraming(o, s.ByHeader())
	return s
}

// ByHeader reports whether the schema of each value is found by the id in the value's header.
func (s Schema) ByHeader() bool { return s.Registry && s.Subject == "" }

// Check returns a base.Invalid error if options contradict each other, or if an option would have
// no effect. The argument what is the name of the clause for error messages, such as "FORMAT avro".
func (s Schema) Check(what string) error {
	switch {
	case len(s.Files) == 0 && !s.Registry:
		return base.Errorf(base.Invalid, "%s needs a schema", what).
			WithHint("FORMAT protobuf (schema = 'event.proto', message = 'package.Event'), or registry = 'http://host:8081'")
	case s.ByHeader() && !bool(s.Framing):
		return base.Errorf(base.Invalid, "%s: without a header in front of values, a registry needs a subject to find the schema", what)
	case s.Subject != "" && !s.Registry:
		return base.Errorf(base.Invalid, "%s: subject needs a registry", what).WithHint("registry = 'http://host:8081'")
	}
	return nil
}

// ReadFile returns the content of a schema file. Errors are base.Invalid.
func ReadFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "FORMAT schema: %w", err)
	}
	return text, nil
}

// Newest caches the newest schema of a subject, so that a source asks the registry for it only
// once. This also ensures that a batch which is decoded again gets the same schema. The zero value
// is an empty cache.
type Newest[T comparable] struct {
	mu     sync.Mutex
	cached T
}

// Get returns the cached schema. If no schema is cached, it calls load, and caches the result
// unless load fails. Concurrent callers wait for load.
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
