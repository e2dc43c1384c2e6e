package stream

import (
	"encoding/json"
	"maps"
	"regexp"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Definition is the content of CREATE SOURCE, or of a [[source]] in the settings file. Options are
// stored as the text that the user wrote.
type Definition struct {
	Kafka map[string]string `json:"kafka"`
	// Key has the options of KEY FORMAT. If it is empty, keys are bytes.
	Key    map[string]string `json:"key,omitempty"`
	Format map[string]string `json:"format"`
	Tables []Table           `json:"tables"`
}

// Table is one table that a source fills.
type Table struct {
	Name engine.TableName `json:"name"`
	// Columns are columns of the message, by path ("a.b AS name"). If it is empty, all columns are
	// taken. Only one of Columns and Query may be given.
	Columns []string `json:"columns,omitempty"`
	// Metadata are the columns that describe the record itself: topic, partition, offset,
	// timestamp, key, headers. In the table, an underscore is put before these names.
	Metadata []string `json:"metadata,omitempty"`
	// Query, if not empty, makes the table's rows. It runs over each batch, which it reads as the
	// table "messages". That table has all columns of the messages, and all metadata.
	Query string `json:"query,omitempty"`
	// View means that Name is a view, which merges the results of Query for all batches. The
	// results are stored in a table that is named after the view, with the suffix _states.
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

// storedDefinition is a definition together with what the source learned from its messages. The
// catalog stores it.
type storedDefinition struct {
	Definition
	// Messages are the columns that queries over batches read.
	Messages *schema.Table `json:"messages,omitempty"`
	// Bound are the tables whose queries ran once with all columns that they name.
	Bound []engine.TableName `json:"bound,omitempty"`
}

// Encode returns the definition as the catalog stores it.
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
