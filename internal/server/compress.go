package server

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"github.com/scoterdb/scoter/internal/encode"
)

// compressFrom is the minimum size in bytes of a response that is compressed.
const compressFrom = 16 << 10

// compress returns middleware that compresses text responses for clients that ask for it. It uses
// the lowest level: on a local network, a response should not wait for compression. Arrow, Parquet
// and MessagePack are not compressed, so that fast formats stay fast. The library is gzhttp, from
// the same module as the codecs of other packages.
func compress() func(http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(compressFrom),
		gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypes([]string{
			encode.JSON.ContentType(), encode.NDJSON.ContentType(), encode.CSV.ContentType(), encode.Table.ContentType(),
		}),
	)
	if err != nil {
		// This cannot happen, because the options are constants.
		panic("server: the options of gzhttp are wrong: " + err.Error())
	}
	return func(h http.Handler) http.Handler { return wrap(h) }
}
