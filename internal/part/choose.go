package part

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/scoterdb/scoter/internal/intern"
)

// storage says how a leaf (a Parquet column without children) is stored in the file. It is chosen
// from a sample of the first row group in which the leaf has values. The following was measured
// with DuckDB 1.5.5 on a million rows of a sorted timestamp, two dictionary strings and three
// random doubles. The columns are CPU s to write, bytes per row, and CPU ms for DuckDB to scan all
// rows:
//
//	plain, not compressed                              0.05   32.7   18
//	plain, Snappy                                      0.07   30.3   26
//	plain, LZ4                                         0.07   29.2   21
//	plain, zstd 1 | 3                                  0.09 | 0.11   27.0 | 26.7   26
//	doubles byte stream split, zstd 1                  0.12   24.3   33
//	timestamps delta, nothing else                     0.05   26.4   19
//	DuckDB's own COPY, Snappy | zstd                   0.14 | 0.17   30.3 | 25.4   24 | 37
//
// So the rules are:
//   - Integers are stored as deltas if that saves a quarter of their size.
//   - Values are stored uncompressed if compression saves less than a sixth (see the function
//     pays).
//   - Files of the profile Fast use LZ4. Files of the profile Best use zstd 1 if it saves much more
//     than LZ4 (see compressionPays).
//   - Byte stream split is not used.
//   - If few values are distinct, such as names or measurements with one or two decimals, files of
//     both profiles use a dictionary. It takes a third of LZ4's time, and DuckDB reads it faster
//     than compressed data. A GROUP BY of texts is up to five times as fast (TPC-H's l_shipmode).
type storage struct {
	encoding parquet.Encoding // encoding of values that are stored without a dictionary
	codec    compress.Compression

	dictionary      bool // whether to try a dictionary; it is not used if it gets too large
	dictionaryCodec compress.Compression
}

// plainly says how a leaf (a Parquet column without children) is stored if its values are neither
// encoded nor compressed.
var plainly = storage{encoding: parquet.Encodings.Plain, codec: compress.Codecs.Uncompressed}

const zstdLevel = 1

const (
	// A sample consists of sampleRuns runs of sampleRunLength consecutive values each. Consecutive
	// values show how large deltas are. The runs are spread evenly over all values, so that they
	// represent all parts of the data.
	sampleRuns, sampleRunLength = 8, 512
	// maxSampleBytes is the maximum size in bytes of the data that is compressed to see whether
	// compression pays.
	maxSampleBytes = 64 << 10
	// maxDictionaryBytes is the maximum size of a dictionary page in bytes.
	maxDictionaryBytes = 1 << 20
)

func choose(leaf leafPath, c column, profile Profile) storage {
	codec := profile.codec()
	if c.dictionary != nil {
		return storage{encoding: parquet.Encodings.Plain, codec: codec, dictionaryCodec: codec, dictionary: c.repeats()}
	}
	runs, total := c.sample(leaf)
	defer release(runs)
	s, valueBits := withoutDictionary(runs, codec)
	physical := physicalBytes(leaf.typ)
	if leaf.typ.ID() == arrow.BOOL {
		return s
	}
	seen := countDistinct(runs, physical)
	if distinct, ok := seen.among(float64(total)); ok {
		indexBits := bits.Len(uint(distinct))
		// A dictionary is used if the indices and the dictionary together save at least a quarter
		// of the size of the values.
		s.dictionary = 4*(distinct*seen.bits()/float64(total)+float64(indexBits)) <= 3*valueBits
		s.dictionaryCodec = codec
		if physical > 0 && !pays(appendHybrid(nil, seen.indices, indexBits), codec) {
			s.dictionaryCodec = compress.Codecs.Uncompressed
		}
	}
	return s
}

// chooseAgain chooses the storage of a leaf (a Parquet column without children) after its
// dictionary turned out to be too large. The chosen storage has no dictionary.
func chooseAgain(leaf leafPath, c column, profile Profile) storage {
	runs, _ := c.sample(leaf)
	defer release(runs)
	s, _ := withoutDictionary(runs, profile.codec())
	return s
}

// withoutDictionary returns the best storage without a dictionary for the values of a sample. It
// also returns the average number of bits that this storage needs per value before compression.
func withoutDictionary(runs []arrow.Array, codec compress.Compression) (s storage, valueBits float64) {
	// Deltas are used only if they save a quarter of the size, because unpacking them takes time.
	// It is not worth compressing packed deltas.
	if width, deltaBits := deltaWidth(runs); deltaBits >= 0 && 4*deltaBits <= 3*width {
		return storage{encoding: parquet.Encodings.DeltaBinaryPacked, codec: compress.Codecs.Uncompressed}, float64(deltaBits)
	}
	data := plainSample(runs)
	if codec == compress.Codecs.Zstd && !compressionPays(data.bytes) {
		codec = compress.Codecs.Lz4Raw
	}
	if !pays(data.bytes, codec) {
		return plainly, data.bits()
	}
	return storage{encoding: parquet.Encodings.Plain, codec: codec}, data.bits()
}

// compressionPays reports whether zstd is worth its slow decompression: whether it saves at least a
// fifth of the sample's size more than LZ4 does.
//
// DuckDB decompresses LZ4 three to four times as fast as zstd: 0.7 ns less per decompressed byte.
// If zstd saves only a tenth more, as for TPC-H's comments, decompression costs readers as much as
// reading that tenth from a disk of 140 MB/s per core. Queries over the comments then take up to
// 2.3 times as long.
func compressionPays(data []byte) bool {
	return 5*(compressedBytes(data, compress.Codecs.Lz4Raw)-compressedBytes(data, compress.Codecs.Zstd)) >= len(data)
}

func (p Profile) codec() compress.Compression {
	if p == Best {
		return compress.Codecs.Zstd
	}
	return compress.Codecs.Lz4Raw
}

func release(runs []arrow.Array) {
	for _, r := range runs {
		r.Release()
	}
}

// physicalBytes returns the number of bytes that Parquet takes for one number of the Arrow type t.
// It returns 0 if t is not a type of numbers.
func physicalBytes(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		switch {
		case t.Precision <= 9:
			return 4
		case t.Precision <= 18:
			return 8
		}
	case *arrow.BooleanType, *arrow.FixedSizeBinaryType, arrow.ExtensionType:
	case arrow.FixedWidthDataType:
		return max(4, t.Bytes())
	}
	return 0
}

// hasValues reports whether the leaf (a Parquet column without children) has any value that is not
// NULL.
func (c column) hasValues(leaf leafPath) bool {
	if c.dictionary != nil {
		return c.dictionary.Len() > 0
	}
	return slices.ContainsFunc(c.values(leaf), func(a arrow.Array) bool { return a.NullN() < a.Len() })
}

// values returns the arrays with the values of the leaf, which may be inside a nested column. The
// caller does not own the arrays.
func (c column) values(leaf leafPath) (all []arrow.Array) {
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
	}
	return all
}

// sample takes a sample of the leaf's values. It returns some runs of consecutive values, which the
// caller releases, and the total number of the leaf's values.
func (c column) sample(leaf leafPath) (runs []arrow.Array, total int) {
	all := c.values(leaf)
	for _, a := range all {
		total += a.Len()
	}
	if total <= sampleRuns*sampleRunLength {
		for _, a := range all {
			a.Retain()
		}
		return all, total
	}
	before, chunk := 0, 0 // before is the number of values in the arrays that precede all[chunk]
	for i := range sampleRuns {
		from := i * (total - sampleRunLength) / (sampleRuns - 1)
		for from >= before+all[chunk].Len() {
			before += all[chunk].Len()
			chunk++
		}
		from -= before
		runs = append(runs, array.NewSlice(all[chunk], int64(from), int64(min(from+sampleRunLength, all[chunk].Len()))))
	}
	return runs, total
}

// deltaWidth measures how well runs of integers can be stored as deltas (differences between
// neighbours). width is the number of bits of an integer, and average is the average number of bits
// of a delta. Deltas are packed in miniblocks of 32 values, as in DELTA_BINARY_PACKED. If the type
// is not an integer, average is -1.
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

// distinctSample describes the distinct values among the values of a sample.
type distinctSample struct {
	// values is the number of values in the sample. distinct is the number of distinct values among
	// them, and bytes is the total size of the distinct values in bytes.
	values, distinct, bytes int
	// indices[i] is the index of value i of the sample among the distinct values.
	indices []int32
}

func countDistinct(runs []arrow.Array, physical int) distinctSample {
	switch physical {
	case 4:
		return countNumbers(words32, runs)
	case 8:
		return countNumbers(words64, runs)
	}
	s := distinctSample{}
	var seen intern.Table
	var value []byte
	for _, r := range runs {
		for i := range r.Len() {
			if r.IsNull(i) {
				continue
			}
			value = plain(value[:0], r, i)
			s.indices = append(s.indices, int32(seen.Index(value)))
		}
	}
	s.values, s.distinct, s.bytes = len(s.indices), seen.Len(), seen.Bytes()
	return s
}

func countNumbers[T int32 | int64](gather func(arrow.Array, selection) ([]T, bool), runs []arrow.Array) (s distinctSample) {
	t := newNumberTable[T]()
	for _, r := range runs {
		valid := selectValid(r, true)
		from := len(s.indices)
		s.indices = append(s.indices, make([]int32, valid.len())...)
		numbers, _ := gather(r, valid)
		t.indexes(numbers, s.indices[from:], math.MaxInt)
	}
	s.values, s.distinct, s.bytes = len(s.indices), len(t.values), len(bytesOf(t.values))
	return s
}

// bits returns the average number of bits that a distinct value takes.
func (s distinctSample) bits() float64 { return 8 * float64(s.bytes) / float64(s.distinct) }

// among estimates the number of distinct values among all values from which the sample was drawn.
// total is the number of these values. The result ok is false if too few values of the sample
// repeat for an estimate.
func (s distinctSample) among(total float64) (distinct float64, ok bool) {
	n, d := float64(s.values), float64(s.distinct)
	if s.values == 0 || 20*d > 19*n {
		return 0, false
	}
	// If n values are drawn from N distinct values, the drawn values have about N(1-exp(-n/N))
	// distinct values. This number grows with N.
	expected := func(N, n float64) float64 { return -N * math.Expm1(-n/N) }
	low, high := d, 32*n
	for range 40 {
		if middle := (low + high) / 2; expected(middle, n) < d {
			low = middle
		} else {
			high = middle
		}
	}
	return max(1, expected(high, total)), true
}

// plainBytes is a sample of values in nearly the encoding PLAIN. It is used to estimate sizes.
type plainBytes struct {
	bytes  []byte
	values int
}

func (p plainBytes) bits() float64 { return 8 * float64(len(p.bytes)) / float64(max(1, p.values)) }

func plainSample(runs []arrow.Array) (p plainBytes) {
	for _, r := range runs {
		for i := 0; i < r.Len() && len(p.bytes) < maxSampleBytes; i++ {
			if r.IsValid(i) {
				p.bytes = plain(p.bytes, r, i)
				p.values++
			}
		}
	}
	return p
}

// pays reports whether it is worth compressing values with the codec. The argument data is a sample
// of the values, and compression must save at least a sixth of its bytes.
func pays(data []byte, codec compress.Compression) bool {
	return len(data) > 0 && 6*compressedBytes(data, codec) <= 5*len(data)
}

// compressedBytes returns the size in bytes of data after compression. If arrow-go does not have
// the codec, it returns the size before compression.
func compressedBytes(data []byte, codec compress.Compression) int {
	c, err := compress.GetCodec(codec)
	if err != nil {
		return len(data)
	}
	return len(c.EncodeLevel(make([]byte, 0, c.CompressBound(int64(len(data)))), data, zstdLevel))
}

// plain appends value i of the array a to a byte slice. The encoding is nearly PLAIN, but some
// values, such as booleans, take another number of bytes.
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
	value := a.Data().Buffers()[1].Bytes()[from : from+width]
	physical := physicalBytes(a.DataType())
	if physical == 0 {
		return append(to, value...)
	}
	to = append(to, value[:min(width, physical)]...)
	for ; width < physical; width++ { // integers in Parquet have at least four bytes
		to = append(to, 0)
	}
	return to
}
