package msgpack

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Format is the wire format MessagePack. A body in which each row names its table has the form that
// the database Arc accepts.
var Format = &wire.Format{
	Name:       "msgpack",
	MediaTypes: []string{"application/msgpack"},
	Aliases:    []string{"application/x-msgpack", "application/vnd.msgpack"},
	Decode: func(body []byte, o wire.Options) ([]arrow.RecordBatch, error) {
		return wire.One(DecodeTable(body, o.Types))
	},
	DecodeTables: func(body []byte, o wire.TableOptions) (wire.Tables, error) {
		rows, err := Decode(body, Options{Now: o.Now, Precision: o.Precision})
		return wire.Tables{Rows: rows}, err
	},
}
