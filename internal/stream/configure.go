package stream

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
)

// ParseConfig returns the name and the definition of a source from a [[source]] of the settings
// file:
//
//	[[source]]
//	name = "bids"
//	kafka = {brokers = "127.0.0.1:9092", topic = "bids"}
//	format = {name = "protobuf", schema = "bid.proto", message = "rtb.Bid"}
//	[[source.table]]
//	name = "bids"
//	metadata = ["offset"]
//
// A source or table whose name has no database is in the given database.
func ParseConfig(values map[string]any, database string) (name catalog.SourceName, d Definition, err error) {
	r := configReader{}
	name = catalog.SourceName(r.name(values["name"], database))
	d = Definition{Kafka: r.options(values["kafka"], "kafka"), Format: r.options(values["format"], "format")}
	if key := values["key"]; key != nil {
		d.Key = r.options(key, "key")
	}
	tables, ok := values["table"].([]map[string]any)
	if !ok {
		r.fail("[[source.table]] is missing")
	}
	for _, t := range tables {
		d.Tables = append(d.Tables, Table{Name: r.name(t["name"], database), Columns: r.list(t["columns"]), Metadata: r.list(t["metadata"]), Query: r.text(t["query"]), View: r.truth(t["view"])})
		r.onlyKeys(t, "name", "columns", "metadata", "query", "view")
	}
	r.onlyKeys(values, "name", "kafka", "key", "format", "table")
	return name, d, base.Wrap(r.err, "source %q of the settings file", name.Name)
}

// configReader converts values that the TOML library has parsed to Go types. It stores the first
// error in its field err.
type configReader struct{ err error }

func (r *configReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = base.Errorf(base.Invalid, format, args...)
	}
}

func (r *configReader) onlyKeys(values map[string]any, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) {
			if near := base.Nearest(key, known); near != "" {
				r.fail("unknown setting %q: did you mean %q?", key, near)
			}
			r.fail("unknown setting %q: the settings are %s", key, strings.Join(known, ", "))
		}
	}
}

func (r *configReader) text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return strings.Join(r.list(v), ",")
	case bool, int64, float64:
		return fmt.Sprint(v)
	}
	r.fail("text is expected, not a %T", v)
	return ""
}

func (r *configReader) truth(v any) bool {
	on, ok := v.(bool)
	if v != nil && !ok {
		r.fail("true or false is expected, not a %T", v)
	}
	return on
}

func (r *configReader) list(v any) (all []string) {
	switch v := v.(type) {
	case nil:
	case []any:
		for _, item := range v {
			all = append(all, r.text(item))
		}
	default:
		r.fail("a list is expected, not a %T", v)
	}
	return all
}

func (r *configReader) options(v any, what string) map[string]string {
	values, ok := v.(map[string]any)
	if !ok {
		r.fail("%s is missing", what)
	}
	out := map[string]string{}
	for key, value := range values {
		out[key] = r.text(value)
	}
	return out
}

// name converts a text of the form [[database.]schema.]name to the name of a table. If the text has
// no database or no schema, name uses the given database or the default schema.
func (r *configReader) name(v any, database string) engine.TableName {
	n := engine.TableName{Database: database, Schema: engine.DefaultSchema}
	switch parts := strings.Split(r.text(v), "."); len(parts) {
	case 1:
		n.Name = parts[0]
	case 2:
		n.Schema, n.Name = parts[0], parts[1]
	case 3:
		n.Database, n.Schema, n.Name = parts[0], parts[1], parts[2]
	}
	if n.Name == "" {
		r.fail("invalid name %q", r.text(v))
	}
	return n
}
