package server

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"github.com/scoterdb/scoter/internal/encode"
)

// compressFrom is the size from which an answer is worth compressing.
const compressFrom = 16 << 10

// compress returns what packs a handler's text answers for clients that ask for it, with
// the least effort: an answer in the same room should not wait for it. Arrow, Parquet and MessagePack
// are left as they are, so that what is fast stays so. The library is gzhttp, from the module that the codecs come from.
func compress() func(http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(compressFrom),
		gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypes([]string{
			encode.JSON.ContentType(), encode.NDJSON.ContentType(), encode.CSV.ContentType(), encode.Table.ContentType(),
		}),
	)
	if err != nil {
		panic("server: the options of gzhttp are wrong: " + err.Error()) // they are constants
	}
	return func(h http.Handler) http.Handler { return wrap(h) }
}
