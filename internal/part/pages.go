package part

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/thrift/lib/go/thrift"

	"github.com/scoterdb/scoter/internal/base"
)

// pages are those of one column chunk, for who looks for a few values: arrow-go's reader unpacks every page that it passes over, all into memory that
// is new each time, which takes several times as long as to look at the values. What it returns holds until the next call, and until close.
type pages struct {
	file       io.ReaderAt
	next, end  int64 // bytes of the file
	values     int64 // of all pages, NULLs included
	unpacked   int64 // bytes of all pages
	codec      compress.Codec
	compressed bool
	leveled    bool // a bit for each value says in front of a page's values whether it is there
	nulls      bool // some are not

	*pageMemory
}

// pageMemory is what pages are read and unpacked into. Whoever reads pages next has it again.
type pageMemory struct {
	packed, page, dictionary []byte
	numbers, words, levels   []int64
}

var pageMemories = sync.Pool{New: func() any { return new(pageMemory) }}

// page is a page's header, and where its body is.
type page struct {
	kind     int32 // of the kinds below
	encoding parquet.Encoding
	values   int // NULLs included
	at       int64
	packed   int // bytes
	unpacked int
}

// The kinds of pages, and the fields of their headers: parquet.thrift's PageType, PageHeader, DataPageHeader and DictionaryPageHeader.
const (
	dataPage, dictionaryPage = 0, 2

	headerKind, headerUnpacked, headerPacked, headerData, headerDictionary = 1, 2, 3, 5, 7
	headerValues, headerEncoding                                           = 1, 2
)

// openPages begins with the first page of a chunk of a column that is not nested.
func openPages(f io.ReaderAt, chunk *metadata.ColumnChunkMetaData, optional bool) (*pages, error) {
	p := &pages{file: f, values: chunk.NumValues(), unpacked: chunk.TotalUncompressedSize(), leveled: optional, nulls: optional,
		compressed: chunk.Compression() != compress.Codecs.Uncompressed}
	if stats, err := chunk.Statistics(); err == nil && stats != nil && stats.HasNullCount() && stats.NullCount() == 0 {
		p.nulls = false
	}
	if p.compressed {
		var err error
		if p.codec, err = compress.GetCodec(chunk.Compression()); err != nil {
			return nil, unreadable(err)
		}
	}
	p.next = chunk.DataPageOffset()
	if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 {
		p.next = min(p.next, chunk.DictionaryPageOffset())
	}
	p.end = p.next + chunk.TotalCompressedSize()
	if p.next < 0 || p.end < p.next {
		return nil, base.Errorf(base.Corrupt, "a column chunk from byte %d to %d", p.next, p.end)
	}
	p.pageMemory = pageMemories.Get().(*pageMemory)
	return p, nil
}

func (p *pages) close() { pageMemories.Put(p.pageMemory) }

// header returns the next page's, io.EOF behind the last one.
func (p *pages) header() (page, error) {
	if p.next >= p.end {
		return page{}, io.EOF
	}
	// Headers are of some 20 bytes, but may hold the least and the greatest value.
	for size := int64(256); ; size *= 16 {
		size = min(size, p.end-p.next)
		p.packed = sized(p.packed, int(size))
		if err := p.read(p.packed, p.next); err != nil {
			return page{}, err
		}
		from := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(p.packed)}
		h, err := readHeader(from)
		if errors.Is(err, io.EOF) && size < p.end-p.next {
			continue
		}
		if err != nil {
			return page{}, base.Errorf(base.Corrupt, "the header of a page at byte %d: %w", p.next, err)
		}
		h.at = p.next + size - int64(from.Len())
		p.next = h.at + int64(h.packed)
		if p.next > p.end || h.packed < 0 || h.unpacked < 0 || int64(h.unpacked) > p.unpacked || h.values < 0 || int64(h.values) > p.values {
			return page{}, base.Errorf(base.Corrupt, "a page at byte %d of %d bytes, %d unpacked, with %d values", h.at, h.packed, h.unpacked, h.values)
		}
		return h, nil
	}
}

func readHeader(from thrift.TTransport) (h page, err error) {
	t := thrift.NewTCompactProtocolConf(from, nil)
	number := func(to *int32) func() error {
		return func() (err error) {
			*to, err = t.ReadI32(context.Background())
			return err
		}
	}
	var packed, unpacked, values, encoding int32
	inner := func() error {
		return readStruct(t, map[int16]func() error{headerValues: number(&values), headerEncoding: number(&encoding)})
	}
	err = readStruct(t, map[int16]func() error{headerKind: number(&h.kind), headerUnpacked: number(&unpacked), headerPacked: number(&packed),
		headerData: inner, headerDictionary: inner})
	h.packed, h.unpacked, h.values, h.encoding = int(packed), int(unpacked), int(values), parquet.Encoding(encoding)
	return h, err
}

// readStruct calls a function for each field that it has one for, and passes over the others.
func readStruct(t thrift.TProtocol, fields map[int16]func() error) error {
	ctx := context.Background()
	if _, err := t.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, id, err := t.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if kind == thrift.STOP {
			return t.ReadStructEnd(ctx)
		}
		read := fields[id]
		if read == nil {
			read = func() error { return t.Skip(ctx, kind) }
		}
		if err := read(); err != nil {
			return err
		}
	}
}

func (p *pages) read(to []byte, at int64) error {
	if _, err := p.file.ReadAt(to, at); err != nil {
		return unreadable(err)
	}
	return nil
}

// body returns a page's bytes as they were before compression, eight more behind them in the slice's capacity.
func (p *pages) body(h page, to *[]byte) ([]byte, error) {
	*to = sized(*to, h.unpacked+8)
	body := (*to)[:h.unpacked]
	if !p.compressed {
		if h.packed != h.unpacked {
			return nil, base.Errorf(base.Corrupt, "a page of %d bytes, expected %d", h.packed, h.unpacked)
		}
		return body, p.read(body, h.at)
	}
	p.packed = sized(p.packed, h.packed)
	if err := p.read(p.packed, h.at); err != nil {
		return nil, err
	}
	got := p.codec.Decode(body, p.packed)
	if len(got) != h.unpacked || h.unpacked > 0 && &got[0] != &body[0] {
		return nil, base.Errorf(base.Corrupt, "a page of %d bytes, expected %d", len(got), h.unpacked)
	}
	return body, nil
}

// each calls f with the pages of a chunk, the dictionary's not included, until it says to stop: with the number of the first value, and
// the values' bytes, for which read is to be called: pages that nobody reads are not unpacked.
func (p *pages) each(dictionary func(h page, body []byte) error, f func(first int, h page, read func() ([]byte, error)) (more bool, err error)) error {
	for first := 0; ; {
		h, err := p.header()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.kind {
		case dictionaryPage:
			body, err := p.body(h, &p.dictionary)
			if err == nil {
				err = dictionary(h, body)
			}
			if err != nil {
				return err
			}
		case dataPage:
			more, err := f(first, h, func() ([]byte, error) { return p.body(h, &p.page) })
			if err != nil || !more {
				return err
			}
			first += h.values
		default:
			return base.Errorf(base.Corrupt, "a page of kind %d", h.kind)
		}
	}
}

// cutLevels returns the values of a page without what says which of them are there, and that: a one for each value that is, nil for all.
func (p *pages) cutLevels(h page, body []byte) (values []byte, there []int64) {
	if !p.leveled {
		return body, nil
	}
	size := 4 + int(binary.LittleEndian.Uint32(body))
	if p.nulls {
		p.levels = appendUnpacked(p.levels[:0], body[4:size], 1, h.values, func(level uint64) int64 { return int64(level) })
		there = p.levels
	}
	return body[size:], there
}

// sized returns a slice of n values, in s's memory if that is large enough.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
