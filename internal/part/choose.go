package part

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// How a leaf is stored is chosen on a sample of the first row group. Measured with DuckDB
// 1.5.5 on a million rows of a sorted timestamp, two dictionary strings and three random
// doubles (CPU s to write; bytes per row; CPU ms for DuckDB to scan all):
//
//	plain, not compressed                              0.05   32.7   18
//	plain, Snappy                                      0.07   30.3   26
//	plain, LZ4                                         0.07   29.2   21
//	plain, zstd 1 | 3                                  0.09 | 0.11   27.0 | 26.7   26
//	doubles byte stream split, zstd 1                  0.12   24.3   33
//	timestamps delta, nothing else                     0.05   26.4   19
//	DuckDB's own COPY, Snappy | zstd                   0.14 | 0.17   30.3 | 25.4   24 | 37
//
// So: deltas for integers that they make smaller, no compression where it does not
// pay, LZ4 for a fast file, zstd 1 for a small one, no byte stream split.
type storage struct {
	dictionary bool
	encoding   parquet.Encoding // without a dictionary
	codec      compress.Compression
}

const zstdLevel = 1

func (s storage) properties(path string) []parquet.WriterProperty {
	properties := []parquet.WriterProperty{
		parquet.WithDictionaryFor(path, s.dictionary), parquet.WithEncodingFor(path, s.encoding), parquet.WithCompressionFor(path, s.codec),
	}
	if s.codec == compress.Codecs.Zstd {
		properties = append(properties, parquet.WithCompressionLevelFor(path, zstdLevel))
	}
	return properties
}

const (
	// A sample is so many runs of so many values: runs show deltas, their distance other parts.
	sampleRuns, sampleRunLength = 8, 512
	// maxSampleBytes bounds what is compressed to see whether it pays.
	maxSampleBytes = 64 << 10
	// A dictionary's page holds at most so many bytes.
	maxDictionaryBytes = 1 << 20
)

func choose(leaf leafPath, c column, profile Profile) storage {
	s := storage{encoding: parquet.Encodings.Plain, codec: compress.Codecs.Lz4Raw}
	if profile == Best {
		s.codec = compress.Codecs.Zstd
	}
	if c.dictionary != nil {
		s.dictionary = c.repeats()
		return s
	}
	runs := c.sample(leaf)
	defer func() {
		for _, r := range runs {
			r.Release()
		}
	}()
	width, deltaBits := deltaWidth(runs)
	if profile == Best && width != 1 {
		values, distinct := countDistinct(runs)
		if indexBits := bits.Len(uint(distinct)); 4*distinct <= values && (deltaBits < 0 || indexBits < deltaBits) {
			s.dictionary = true
			return s
		}
	}
	// Packing by deltas must save a quarter to be worth unpacking; what is packed is not
	// worth compressing.
	if deltaBits >= 0 && 4*deltaBits <= 3*width {
		s.encoding, s.codec = parquet.Encodings.DeltaBinaryPacked, compress.Codecs.Uncompressed
		return s
	}
	if !pays(runs, s.codec) {
		s.codec = compress.Codecs.Uncompressed
	}
	return s
}

// sample returns runs of the leaf's values, wherever they lie in nested rows.
func (c column) sample(leaf leafPath) []arrow.Array {
	var all []arrow.Array
	total := 0
	for _, chunk := range c.chunks {
		a := chunk.column
		for _, st := range leaf.path {
			if st.repeated {
				a = a.(array.ListLike).ListValues()
			} else {
				a = a.(*array.Struct).Field(st.child)
			}
		}
		if ext, ok := a.(array.ExtensionArray); ok {
			a = ext.Storage()
		}
		all = append(all, a)
		total += a.Len()
	}
	if total <= sampleRuns*sampleRunLength {
		for _, a := range all {
			a.Retain()
		}
		return all
	}
	var runs []arrow.Array
	before, chunk := 0, 0 // values in the chunks before, and how many those are
	for i := range sampleRuns {
		from := i * (total - sampleRunLength) / (sampleRuns - 1)
		for from >= before+all[chunk].Len() {
			before += all[chunk].Len()
			chunk++
		}
		from -= before
		runs = append(runs, array.NewSlice(all[chunk], int64(from), int64(min(from+sampleRunLength, all[chunk].Len()))))
	}
	return runs
}

// deltaWidth returns how many bits an integer has and how many of them deltas need on
// average, in miniblocks of 32 as DELTA_BINARY_PACKED has them; -1 for other types.
func deltaWidth(runs []arrow.Array) (width, average int) {
	const miniblock = 32
	total, blocks := 0, 0
	for _, r := range runs {
		var values []int64
		if v, ok := int64s(r, selectAll(r)); ok && !isDecimal(r) {
			width, values = 64, v
		} else if v, ok := int32s(r, selectAll(r)); ok && !isDecimal(r) {
			width, values = 32, widen(v)
		} else {
			return 0, -1
		}
		for ; len(values) > 1; values = values[min(miniblock, len(values)-1):] {
			lo, hi := values[1]-values[0], values[1]-values[0]
			for i := 1; i < min(miniblock+1, len(values)); i++ {
				d := values[i] - values[i-1]
				lo, hi = min(lo, d), max(hi, d)
			}
			total += bits.Len64(uint64(hi - lo))
			blocks++
		}
	}
	if blocks == 0 {
		return width, width
	}
	return width, total / blocks
}

func isDecimal(a arrow.Array) bool { return a.DataType().ID() == arrow.DECIMAL128 }

func widen(values []int32) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

// countDistinct returns how many values a sample has and how many different ones; types
// that a dictionary does not suit have none.
func countDistinct(runs []arrow.Array) (values, distinct int) {
	seen := map[string]struct{}{}
	for _, r := range runs {
		if r.DataType().ID() == arrow.BOOL {
			return 0, 1
		}
		for i := range r.Len() {
			if r.IsValid(i) {
				values++
				seen[string(plain(nil, r, i))] = struct{}{}
			}
		}
	}
	return values, max(len(seen), 1)
}

// pays reports whether a codec takes at least a sixth off a sample.
func pays(runs []arrow.Array, codec compress.Compression) bool {
	var data []byte
	for _, r := range runs {
		for i := 0; i < r.Len() && len(data) < maxSampleBytes; i++ {
			if r.IsValid(i) {
				data = plain(data, r, i)
			}
		}
	}
	if len(data) == 0 {
		return false
	}
	c, err := compress.GetCodec(codec)
	if err != nil {
		return false
	}
	out := c.EncodeLevel(make([]byte, 0, c.CompressBound(int64(len(data)))), data, zstdLevel)
	return 6*len(out) <= 5*len(data)
}

// plain appends a value about as PLAIN encoding has it.
func plain(to []byte, a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.String:
		return append(binary.LittleEndian.AppendUint32(to, uint32(len(a.Value(i)))), a.Value(i)...)
	case *array.Binary:
		return append(binary.LittleEndian.AppendUint32(to, uint32(len(a.Value(i)))), a.Value(i)...)
	case *array.Boolean:
		if a.Value(i) {
			return append(to, 1)
		}
		return append(to, 0)
	}
	width := a.DataType().(arrow.FixedWidthDataType).Bytes()
	from := (a.Data().Offset() + i) * width
	return append(to, a.Data().Buffers()[1].Bytes()[from:from+width]...)
}
