package part

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// storage is how one leaf is stored in one file.
type storage struct {
	dictionary bool
	encoding   parquet.Encoding // without a dictionary
	codec      compress.Compression
	level      int
}

func (s storage) properties(path string) []parquet.WriterProperty {
	return []parquet.WriterProperty{
		parquet.WithDictionaryFor(path, s.dictionary), parquet.WithEncodingFor(path, s.encoding),
		parquet.WithCompressionFor(path, s.codec), parquet.WithCompressionLevelFor(path, s.level),
	}
}

// override lets a benchmark try what choose would not.
var override func(leaf leafPath, s storage) storage

// choose decides on the first row group.
func choose(leaf leafPath, c column, profile Profile) storage {
	s := storage{encoding: parquet.Encodings.Plain, codec: compress.Codecs.Snappy, level: compress.DefaultCompressionLevel}
	if profile == Best {
		s.codec = compress.Codecs.Zstd
	}
	s.dictionary = c.array == nil
	if override != nil {
		s = override(leaf, s)
	}
	return s
}
