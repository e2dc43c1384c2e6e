package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest/arrowipc"
	"github.com/scoterdb/scoter/internal/ingest/cut"
)

// eachPiece is the cut.Cutter of Parquet: it cuts a file into pieces, which fit in one request
// each, and calls f with them. The pieces are Arrow streams. At most MaxBatchRows rows are in
// memory at a time, and fewer if the rows are large.
func eachPiece(file *cut.File, _ cut.Options, f func(cut.Piece) error) error {
	out := arrowipc.NewPieces(f)
	return Each(file, file.Size, Bounds{Rows: MaxBatchRows, Bytes: 8 * cut.Target}, func(rec arrow.RecordBatch, total int64) error {
		return out.Add(rec, float64(out.Rows()+rec.NumRows())/float64(max(total, 1)))
	})
}
