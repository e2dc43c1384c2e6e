package stream

import (
	"encoding/json"
	"maps"
	"regexp"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Definition is the content of CREATE SOURCE, or of a [[source]] in the settings file. The values
// of options are stored as the text that the user wrote.
type Definition struct {
	Kafka map[string]string `json:"kafka"`
	// Key has the options of KEY FORMAT, which says how the keys of records are decoded. If it is
	// empty, keys stay bytes.
	Key    map[string]string `json:"key,omitempty"`
	Format map[string]string `json:"format"`
	Tables []Table           `json:"tables"`
}

// Table is one table that a source fills.
type Table struct {
	Name engine.TableName `json:"name"`
	// Columns lists the table's columns. Each is the path of a field of the message, with an
	// optional name ("a.b AS name"). If the list is empty, the table gets all fields of the
	// message. Columns and Query must not both be given.
	Columns []string `json:"columns,omitempty"`
	// Metadata lists the columns of the table that describe the Kafka record itself: topic,
	// partition, offset, timestamp, key, headers. In the table, the names of these columns begin
	// with an underscore.
	Metadata []string `json:"metadata,omitempty"`
	// Query is an SQL query that computes the table's rows, or empty. It runs once for each batch
	// of records, and reads the batch as the table "messages". That table has all columns of the
	// messages, and all metadata columns.
	Query string `json:"query,omitempty"`
	// View is true if Name is the name of a view. The view merges the results of Query for all
	// batches. These results are stored in a table that has the name of the view with the suffix
	// _states.
	View bool `json:"view,omitempty"`
}

// secrets are the options whose values are never shown.
var secrets = []string{"password", "registry_password", "registry_token"}

// userinfo matches the user and password before the host, in each URL of a comma-separated list.
var userinfo = regexp.MustCompile(`(\s*[a-zA-Z][a-zA-Z0-9+.-]*://)?[^,]*@`)

// Masked returns the definition with the values of secret options hidden.
func (d Definition) Masked() Definition {
	mask := func(options map[string]string) map[string]string {
		options = maps.Clone(options)
		if urls := options["registry"]; urls != "" {
			options["registry"] = userinfo.ReplaceAllString(urls, "${1}***@")
		}
		for _, name := range secrets {
			if options[name] != "" {
				options[name] = "***"
			}
		}
		return options
	}
	d.Kafka, d.Key, d.Format = mask(d.Kafka), mask(d.Key), mask(d.Format)
	return d
}

// storedDefinition is what the catalog stores of a source: its definition, and what it learned from
// its messages.
type storedDefinition struct {
	Definition
	// Messages is the table "messages", which queries over a batch of records read. It has all
	// columns that messages have had so far.
	Messages *schema.Table `json:"messages,omitempty"`
	// Bound has the names of the tables whose query has run successfully at least once. So all
	// columns that such a query names have occurred in messages.
	Bound []engine.TableName `json:"bound,omitempty"`
}

// Encode returns the definition as the JSON text that the catalog stores.
func (d Definition) Encode() ([]byte, error) { return storedDefinition{Definition: d}.encode() }

func (l storedDefinition) encode() ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, base.Errorf(base.Internal, "encode source: %w", err)
	}
	return text, nil
}

func decodeStoredDefinition(text []byte) (l storedDefinition, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return l, base.Errorf(base.Corrupt, "definition of a source: %w", err)
	}
	return l, nil
}
