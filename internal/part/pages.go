package part

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

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
	numbers, levels          []int64
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
func openPages(f io.ReaderAt, chunk place, optional bool) (*pages, error) {
	p := &pages{file: f, next: chunk.first, end: chunk.first + chunk.bytes, values: chunk.values, unpacked: chunk.unpacked,
		leveled: optional, nulls: optional && chunk.nulls, compressed: chunk.codec != compress.Codecs.Uncompressed}
	if p.compressed {
		var err error
		if p.codec, err = compress.GetCodec(chunk.codec); err != nil {
			return nil, unreadable(err)
		}
	}
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
		h, length, err := readHeader(p.packed)
		if err != nil && size < p.end-p.next {
			continue
		}
		if err != nil {
			return page{}, base.Errorf(base.Corrupt, "the header of a page at byte %d: %w", p.next, err)
		}
		h.at = p.next + int64(length)
		p.next = h.at + int64(h.packed)
		if p.next > p.end || h.packed < 0 || h.unpacked < 0 || int64(h.unpacked) > p.unpacked || h.values < 0 || int64(h.values) > p.values {
			return page{}, base.Errorf(base.Corrupt, "a page at byte %d of %d bytes, %d unpacked, with %d values", h.at, h.packed, h.unpacked, h.values)
		}
		return h, nil
	}
}

// readHeader reads a header from the bytes that begin with it, and returns how many of them are the header's.
func readHeader(data []byte) (h page, length int, err error) {
	c := &compact{data: data}
	inner := func(id int) bool {
		switch id {
		case headerValues:
			h.values = int(c.integer())
		case headerEncoding:
			h.encoding = parquet.Encoding(c.integer())
		default:
			return false
		}
		return true
	}
	err = parse(func() error {
		c.fields(func(id int) bool {
			switch id {
			case headerKind:
				h.kind = int32(c.integer())
			case headerUnpacked:
				h.unpacked = int(c.integer())
			case headerPacked:
				h.packed = int(c.integer())
			case headerData, headerDictionary:
				c.fields(inner)
			default:
				return false
			}
			return true
		})
		return nil
	})
	return h, len(data) - len(c.data), err
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
