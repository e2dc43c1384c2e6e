package stream

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// Definition is what CREATE SOURCE, or [[source]] of the settings file, says. Options are text, as
// they were written.
type Definition struct {
	Kafka  map[string]string `json:"kafka"`
	Format map[string]string `json:"format"`
	Tables []Table           `json:"tables"`
}

// Table is one table that a source fills.
type Table struct {
	Name engine.TableName `json:"name"`
	// Columns are those of the message, by path ("a.b AS name"); empty: all. Only one of Columns and
	// Query may be given.
	Columns []string `json:"columns,omitempty"`
	// Metadata are the columns that tell of the record itself: topic, partition, offset, timestamp,
	// key, headers, each with an underscore before its name.
	Metadata []string `json:"metadata,omitempty"`
	// Query, if not empty, is run over each batch, as the table "messages" with all columns and
	// all metadata.
	Query string `json:"query,omitempty"`
	// View says that Name is a view, which merges what Query gives of the batches. That is in the table Name_states.
	View bool `json:"view,omitempty"`
}

// secrets are the options that nobody is shown.
var secrets = []string{"password", "registry_password", "registry_token"}

// Masked returns the definition without secrets.
func (d Definition) Masked() Definition {
	mask := func(options map[string]string) map[string]string {
		options = maps.Clone(options)
		for _, name := range secrets {
			if options[name] != "" {
				options[name] = "***"
			}
		}
		return options
	}
	d.Kafka, d.Format = mask(d.Kafka), mask(d.Format)
	return d
}

// Encode returns the definition as the catalog keeps it.
func (d Definition) Encode() ([]byte, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, base.Errorf(base.Internal, "encode source: %w", err)
	}
	return text, nil
}

func decodeDefinition(text []byte) (d Definition, err error) {
	if err := json.Unmarshal(text, &d); err != nil {
		return d, base.Errorf(base.Corrupt, "definition of a source: %w", err)
	}
	return d, nil
}

// options reads a set of options; what is not read is an error.
type options struct {
	what   string
	values map[string]string
	used   map[string]bool
	err    error
}

func newOptions(what string, values map[string]string) *options {
	return &options{what: what, values: values, used: map[string]bool{}}
}

func (o *options) text(name, value string) string {
	o.used[name] = true
	if v, ok := o.values[name]; ok {
		return v
	}
	return value
}

func (o *options) list(name string) []string {
	var all []string
	for item := range strings.SplitSeq(o.text(name, ""), ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

func (o *options) oneOf(name, value string, values ...string) string {
	v := strings.ToLower(o.text(name, value))
	if !slices.Contains(values, v) {
		o.fail("%s %s = %q is none of %s", o.what, name, v, strings.Join(values, ", "))
	}
	return v
}

// parsed reads an option with a parser; absent, it is value.
func parsed[T any](o *options, name string, value T, parse func(string) (T, error)) T {
	text := o.text(name, "")
	if text == "" {
		return value
	}
	v, err := parse(text)
	if err != nil {
		o.fail("%s %s = %q: %w", o.what, name, text, err)
		return value
	}
	return v
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = base.Errorf(base.Invalid, format, args...)
	}
}

// end returns the first error, or that an option is unknown.
func (o *options) end() error {
	if o.err != nil {
		return o.err
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if !o.used[name] {
			return base.Errorf(base.Invalid, "%s has no option %q", o.what, name).
				WithHint("there are %s", strings.Join(slices.Sorted(maps.Keys(o.used)), ", "))
		}
	}
	return nil
}
