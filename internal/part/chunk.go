package part

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/scoterdb/scoter/internal/base"
)

// pageBytes is the approximate size of a data page before compression. Small pages make queries
// slower, since each page has a fixed cost. Large pages make lookups slower, since the lookup of a
// single value unpacks a whole page. The following was measured with DuckDB 1.5.5 on TPC-H's
// lineitem. The columns are the relative CPU time of 17 queries over flushed and over merged parts,
// and the time to look up one price:
//
//	1 MiB     1    | 1      547 µs
//	256 KiB   1.01 | 0.98   204 µs
//	128 KiB   1.03 | 0.99   121 µs
const pageBytes = 256 << 10

// pageStep is the number of rows that DuckDB reads in one step. The number of rows of a page is a
// multiple of pageStep, unless pageStep rows are too large for a page. If a filter excludes
// pageStep rows, DuckDB can skip them only if they are all in one page. With pages of 128 KiB that
// began at any row, queries with few result rows took 1.25 to 1.38 times as long.
const pageStep = 2048

// chunk writes a column chunk (one column of one row group), page by page. Each page begins with a
// new row.
type chunk struct {
	pages   file.PageWriter
	descr   *pqschema.Column
	encoder encoder
	kind    parquet.Encoding

	slots int // number of slots in the current page; a slot is one value, NULL or empty list
	// step is the unit in which slots (values, NULLs and empty lists) are added to a page. The
	// number of slots of each page is a multiple of step, unless step slots are too large for a
	// page.
	step     int
	def, rep []int16

	page       []byte // buffer in which pages are encoded, reused for each page
	compressed bytes.Buffer
}

func newChunk(pages file.PageWriter, descr *pqschema.Column, s storage) *chunk {
	step := pageStep
	if descr.MaxRepetitionLevel() > 0 {
		// DuckDB reads rows in steps, but in a nested column slots (values, NULLs and empty lists)
		// are not rows
		step = 1
	}
	return &chunk{pages: pages, descr: descr, encoder: newEncoder(s, descr), kind: s.encoding, step: step}
}

// useDictionary writes the page with the dictionary d. From then on the method add must get indices
// of the dictionary instead of values.
func (c *chunk) useDictionary(d dictionary) error {
	c.encoder, c.kind = newIndexEncoder(d.values), parquet.Encodings.RLEDict
	_, err := c.pages.WriteDictionaryPage(file.NewDictionaryPage(memory.NewBufferBytes(d.page), int32(d.values), parquet.Encodings.Plain))
	return err
}

// add writes the values and NULLs of some rows to pages, and begins new pages as needed.
func (c *chunk) add(s shredded) error {
	values := s.values
	if ext, ok := values.(array.ExtensionArray); ok {
		values = ext.Storage()
	}
	most := c.descr.MaxDefinitionLevel()
	steps := c.step*averageBytes(values, s.present) <= pageBytes
	taken := 0 // number of values of s that were added to pages so far
	for at := 0; at < s.slots; {
		left := s.present.slice(taken, s.present.len())
		to := at + c.room(values, left, s.slots-at, steps)
		if to == at {
			if err := c.flush(); err != nil {
				return err
			}
			continue
		}
		if to < s.slots && s.rep != nil {
			for to < s.slots && s.rep[to] != 0 {
				to++
			}
		}
		n := to - at
		if s.def != nil {
			n = count(s.def[at:to], most)
			c.def = append(c.def, s.def[at:to]...)
		}
		if s.rep != nil {
			c.rep = append(c.rep, s.rep[at:to]...)
		}
		if err := c.encoder.add(values, s.present.slice(taken, taken+n)); err != nil {
			return err
		}
		c.slots += to - at
		taken, at = taken+n, to
		if c.full() {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	if taken != s.present.len() {
		return base.Errorf(base.Internal, "levels say %d values, there are %d", taken, s.present.len())
	}
	return nil
}

// maxPageSlots is the maximum number of slots (values, NULLs and empty lists) of a page. It matters
// for columns with so few or small values that pageBytes does not limit them.
const maxPageSlots = RowGroupRows

// room returns how many more slots (values, NULLs and empty lists) the caller may add to the
// current page before it checks again whether the page is full. The result is 0 if the page must be
// written first. The argument slots is the number of slots that are not in a page yet, and the
// selection left has their values. If steps is true, the number of slots in each page must be a
// multiple of c.step.
func (c *chunk) room(values arrow.Array, left selection, slots int, steps bool) int {
	within := func(bytes int) int {
		if n := fitting(values, left, bytes); n < left.len() {
			return n // a slot has at most one value, so at least n slots fit
		}
		return slots
	}
	size := c.encoder.size()
	n := within(pageBytes - size)
	if past := (c.slots + n) % c.step; past < n {
		n -= past
	} else if steps {
		// The page gets full in the middle of a step (the slots that DuckDB reads together).
		// Complete this step, and then add no more to the page.
		n = min(within(2*pageBytes-size), c.step-c.slots%c.step)
	}
	if n == 0 && size < pageBytes/2 {
		n = 1
	}
	return min(n, slots, maxPageSlots-c.slots)
}

// averageBytes returns the average size in bytes of the selected values in PLAIN encoding.
func averageBytes(values arrow.Array, s selection) int {
	texts, ok := values.(textArray)
	if !ok {
		return widthOf(values)
	}
	if s.len() == 0 {
		return 0
	}
	return lengthBytes + int(textBytes(texts, s))/s.len()
}

// fitting returns how many of the selected values, beginning with the first, take at most the given
// number of bytes. For texts it adds up their lengths instead of using an average, because all
// remaining texts may be the same few large texts of a dictionary.
func fitting(values arrow.Array, s selection, bytes int) int {
	texts, ok := values.(textArray)
	switch {
	case !ok:
		return max(0, min(bytes/widthOf(values), s.len()))
	case s.len() == 0:
		return 0
	}
	offsets := texts.ValueOffsets()
	if s.positions == nil {
		ends := offsets[s.from : s.from+s.n+1]
		return sort.Search(s.n, func(i int) bool { return lengthBytes*(i+1)+int(ends[i+1]-ends[0]) > bytes })
	}
	for i, p := range s.positions {
		if bytes -= lengthBytes + int(offsets[p+1]-offsets[p]); bytes < 0 {
			return i
		}
	}
	return len(s.positions)
}

// widthOf returns the approximate size in bytes of each value of an array. It is not for arrays of
// texts.
func widthOf(values arrow.Array) int {
	if fixed, ok := values.DataType().(arrow.FixedWidthDataType); ok {
		return max(1, fixed.Bytes())
	}
	return 16
}

// full reports whether the current page is full, so that it must be written before more values are
// added.
func (c *chunk) full() bool {
	size := c.encoder.size()
	step := size * c.step / c.slots // average size in bytes of c.step slots
	if step > pageBytes {
		return size >= pageBytes
	}
	return c.slots%c.step == 0 && size+step > pageBytes || c.slots >= maxPageSlots
}

func count(levels []int16, level int16) (n int) {
	for _, l := range levels {
		if l == level {
			n++
		}
	}
	return n
}

// flush writes the current page to the file, and begins the next page.
func (c *chunk) flush() error {
	if c.slots == 0 {
		return nil
	}
	c.page = appendLevels(c.page[:0], c.rep, c.descr.MaxRepetitionLevel())
	c.page = appendLevels(c.page, c.def, c.descr.MaxDefinitionLevel())
	c.page = c.encoder.flush(c.page)
	if len(c.page) > math.MaxInt32 { // the lengths in page headers have 32 bits
		return base.Errorf(base.TooLarge, "a row with %d bytes in one column", len(c.page))
	}
	data := c.page
	if c.pages.HasCompressor() {
		c.compressed.Reset()
		data = c.pages.Compress(&c.compressed, data)
	}
	page := file.NewDataPageV1(memory.NewBufferBytes(data), int32(c.slots), c.kind, parquet.Encodings.RLE, parquet.Encodings.RLE, int32(len(c.page)))
	defer page.Release()
	c.slots, c.def, c.rep = 0, c.def[:0], c.rep[:0]
	_, err := c.pages.WriteDataPage(page)
	return err
}

// appendLevels appends the encoded definition or repetition levels of a page to a byte slice, with
// the length of their encoding before them. The argument highest is the greatest possible level. If
// it is 0, nothing is appended.
func appendLevels(to []byte, levels []int16, highest int16) []byte {
	if highest == 0 {
		return to
	}
	start := len(to)
	to = appendHybrid(append(to, 0, 0, 0, 0), levels, bits.Len16(uint16(highest)))
	binary.LittleEndian.PutUint32(to[start:], uint32(len(to)-start-4))
	return to
}

// close writes the last page and ends the column chunk.
func (c *chunk) close() error {
	if err := c.flush(); err != nil {
		return err
	}
	return c.pages.Close(c.kind == parquet.Encodings.RLEDict, false)
}
