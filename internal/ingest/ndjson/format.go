package ndjson

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format JSON. A body or file has objects one after the other, or one array of
// objects. A Kafka message is one object.
var Format = &wire.Format{
	Name:       "json",
	MediaTypes: []string{"application/x-ndjson", "application/json"},
	Aliases:    []string{"application/ndjson", "application/jsonl"},
	Endings:    []string{".ndjson", ".jsonl", ".json"},
	Decode: func(body []byte, o wire.Options) ([]arrow.RecordBatch, error) {
		return wire.One(Decode(body, Options{Types: o.Types, Moments: true}))
	},
	Cut:          eachPiece,
	OpenMessages: openMessages,
}
