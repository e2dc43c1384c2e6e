package parquet

import (
	"errors"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// This init function replaces arrow-go's zstd and snappy codecs by boundedCodec. arrow-go's codecs
// decompress as much as a page's data claims, not as much as the page's header says. So a page of
// one megabyte can use up all memory. boundedCodec refuses to write more than the output buffer dst
// holds, and otherwise uses arrow-go's codec. The table of codecs is global to the process, so the
// bound applies to all Parquet readers of the process.
func init() {
	for compression, decode := range map[compress.Compression]func(dst, src []byte) ([]byte, error){
		compress.Codecs.Zstd:   decodeZstd,
		compress.Codecs.Snappy: decodeSnappy,
	} {
		codec, err := compress.GetCodec(compression)
		if err != nil {
			panic(err)
		}
		bounded := boundedCodec{Codec: codec, decode: decode}
		if streaming, ok := codec.(compress.StreamingCodec); ok {
			compress.RegisterCodec(compression, struct {
				boundedCodec
				compress.StreamingCodec
			}{bounded, streaming})
			continue
		}
		compress.RegisterCodec(compression, bounded)
	}
}

type boundedCodec struct {
	compress.Codec
	decode func(dst, src []byte) ([]byte, error)
}

// Decode decompresses src into dst, and refuses to write more than dst holds. It panics on broken
// data, as arrow-go's codecs do.
func (c boundedCodec) Decode(dst, src []byte) []byte {
	if dst == nil { // a caller that passes nil sets no bound
		return c.Codec.Decode(dst, src)
	}
	out, err := c.decode(dst, src)
	if err != nil {
		panic(err)
	}
	return out
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
})

func decodeZstd(dst, src []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}

func decodeSnappy(dst, src []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && n > len(dst) {
		err = errors.New("snappy: more than the page's size")
	}
	if err != nil {
		return nil, err
	}
	return snappy.Decode(dst, src)
}
