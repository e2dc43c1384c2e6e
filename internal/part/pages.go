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

// pages reads the pages of one column chunk, for lookups of a few values. arrow-go's reader would
// take several times as long as the lookup itself, because it unpacks every page that it skips into
// fresh memory. A slice that a method returns is valid until the next call of a method, or until
// close.
type pages struct {
	file       io.ReaderAt
	next, end  int64 // offsets in the file of the next page's header, and of the end of the chunk
	values     int64 // number of values in all pages, including NULLs
	unpacked   int64 // size of all pages before compression, in bytes
	codec      compress.Codec
	compressed bool
	// leveled says whether each page begins with definition levels, which say which values are
	// NULL.
	leveled bool
	nulls   bool // whether some values of the chunk are NULL

	*pageMemory
}

// pageMemory has the buffers in which pages are read and unpacked. A pool reuses them.
type pageMemory struct {
	packed, page, dictionary []byte
	numbers, levels          []int64
}

var pageMemories = sync.Pool{New: func() any { return new(pageMemory) }}

// page is the header of a page, and where its body is in the file.
type page struct {
	kind     int32 // kind of the page: dataPage or dictionaryPage
	encoding parquet.Encoding
	values   int // number of values in the page, including NULLs
	at       int64
	packed   int // size in bytes that the page's body has in the file
	unpacked int
}

// These are the kinds of pages, and the ids of the fields in their headers. They are from the
// structs PageType, PageHeader, DataPageHeader and DictionaryPageHeader of parquet.thrift.
const (
	dataPage, dictionaryPage = 0, 2

	headerKind, headerUnpacked, headerPacked, headerData, headerDictionary = 1, 2, 3, 5, 7
	headerValues, headerEncoding                                           = 1, 2
)

// openPages returns a reader of the pages of a column chunk. The column must not be nested. The
// argument optional says whether the file's schema allows NULLs in the column.
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

// header returns the header of the next page. After the last page it returns io.EOF.
func (p *pages) header() (page, error) {
	if p.next >= p.end {
		return page{}, io.EOF
	}
	// A header usually has about 20 bytes, but it may contain the page's least and greatest value,
	// which can be long. So the loop reads more and more bytes of the file until they contain the
	// whole header.
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

// readHeader reads the page header at the start of data. It also returns the length of the header
// in bytes.
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

// body returns the uncompressed bytes of a page. The bytes are in the buffer *to, which is enlarged
// if needed. The capacity of the returned slice is at least eight bytes more than its length.
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

// each calls the function f with each data page of a chunk, until f returns false. If there is a
// dictionary page, it first calls the function dictionary with that page. f receives the index that
// the page's first value has in the chunk (first), and a function that returns the uncompressed
// page (read). If f does not call that function, the page is not unpacked.
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

// cutLevels splits the body of a page into its definition levels and its values. The slice named
// there has a 1 for each row with a value and a 0 for each NULL. The slice is nil if the page has
// no NULLs.
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

// sized returns a slice of n elements. It uses the memory of the slice s again if that is large
// enough.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
