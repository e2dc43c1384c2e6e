package stream

import (
	"encoding/json"
	"maps"
	"regexp"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Definition is what CREATE SOURCE, or [[source]] of the settings file, says. Options are text, as
// they were written.
type Definition struct {
	Kafka  map[string]string `json:"kafka"`
	Key    map[string]string `json:"key,omitempty"` // of KEY FORMAT; empty: keys are bytes
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

// userinfo is what a URL, of a list, may have in front of its host.
var userinfo = regexp.MustCompile(`(\s*[a-zA-Z][a-zA-Z0-9+.-]*://)?[^,]*@`)

// Masked returns the definition without secrets.
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

// learned is a definition with what its messages told of themselves: what the catalog keeps.
type learned struct {
	Definition
	Messages *schema.Table      `json:"messages,omitempty"` // what queries over batches read
	Bound    []engine.TableName `json:"bound,omitempty"`    // the targets whose queries have found all that they name
}

// Encode returns the definition as the catalog keeps it.
func (d Definition) Encode() ([]byte, error) { return learned{Definition: d}.encode() }

func (l learned) encode() ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, base.Errorf(base.Internal, "encode source: %w", err)
	}
	return text, nil
}

func decodeLearned(text []byte) (l learned, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return l, base.Errorf(base.Corrupt, "definition of a source: %w", err)
	}
	return l, nil
}
