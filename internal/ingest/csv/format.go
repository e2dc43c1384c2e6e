package csv

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/schema"
)

// Format is the wire format CSV. The delimiter between values may be another than a comma, such as
// a tab in .tsv files.
var Format = &wire.Format{
	Name:       "csv",
	MediaTypes: []string{"text/csv"},
	Endings:    []string{".csv", ".tsv", ".txt"},
	Delimiters: map[string]byte{".tsv": '\t'},
	Decode:     decode,
	Cut:        eachPiece,
}

func decode(body []byte, o wire.Options) ([]arrow.RecordBatch, error) {
	types := make(map[string]arrow.DataType, len(o.Types))
	for _, c := range o.Types {
		types[schema.Fold(c.Name)] = c.Type.Arrow()
	}
	return wire.One(Decode(body, Options{Delimiter: o.Delimiter, NullText: o.NullText, Types: types}))
}
