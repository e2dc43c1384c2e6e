package arrowipc

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format Arrow IPC. It decodes both the stream format and the file format.
var Format = &wire.Format{
	Name:       "arrow",
	MediaTypes: []string{"application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.file"},
	Endings:    []string{".arrow", ".arrows", ".feather", ".ipc"},
	Decode: func(body []byte, o wire.Options) ([]arrow.RecordBatch, error) {
		return Decode(body, o.MaxBody, o.Largest)
	},
	Claimed: Claimed,
	Cut:     eachPiece,
}
