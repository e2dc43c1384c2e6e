package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format Parquet. If a file is cut into pieces (bodies of one request each), the
// pieces are Arrow streams.
var Format = &wire.Format{
	Name:       "parquet",
	MediaTypes: []string{"application/vnd.apache.parquet"},
	Endings:    []string{".parquet"},
	Decode: func(body []byte, o wire.Options) ([]arrow.RecordBatch, error) {
		return Decode(body, o.Largest)
	},
	Claimed:     Claimed,
	Cut:         eachPiece,
	PieceFormat: arrowipc.Format,
}
