package part

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// TakeRows returns the values of single rows of one column in one row group of a part. The values
// have the column's storage type in table, which is the part's schema version. The argument rows
// has row numbers, counted from the group's first row, in ascending order. TakeRows gives the same
// values as ReadChunk in a tenth of the time. It returns nil for a column whose type only ReadChunk
// supports.
func TakeRows(f *blocks.File, table schema.Table, group int, column base.ColumnID, rows []uint32) (values arrow.Array, err error) {
	if !slices.IsSorted(rows) {
		return nil, base.Errorf(base.Internal, "%s: rows %d do not ascend", f.Name(), rows)
	}
	err = openPlaces(f, table, func(f io.ReaderAt, p *places) error {
		c, chunk, err := p.chunk(group, column)
		if err != nil {
			return err
		}
		if n := len(rows); n > 0 && int64(rows[n-1]) >= chunk.values {
			return base.Errorf(base.Internal, "row %d of %d", rows[n-1], chunk.values)
		}
		want := c.declared.Arrow()
		t := &taker{rows: rows, valid: make([]byte, (len(rows)+7)/8)}
		t.column, t.numbers = c.number()
		switch _, fixed := want.(arrow.FixedWidthDataType); c.physical {
		case parquet.Types.Float:
			// The bits of floating-point numbers are copied as if they were integers.
			t.column.narrow, t.numbers = true, true
		case parquet.Types.Double:
			t.numbers = true
		default:
			t.numbers = t.numbers && fixed
		}
		text := want.ID() == arrow.STRING || want.ID() == arrow.BINARY
		if _, extension := want.(arrow.ExtensionType); extension || c.nested || !t.numbers && !text {
			return nil
		}
		pages, err := openPages(f, chunk, c.optional)
		if err != nil {
			return err
		}
		defer pages.close()
		if err := t.take(pages); err != nil {
			return base.Wrap(err, "row group %d: column %q", group, c.name)
		}
		values, err = t.array(want)
		return err
	})
	return values, err
}

// taker collects the values of single rows of a column chunk from the chunk's pages.
type taker struct {
	column numberColumn
	// numbers says whether values are numbers of 32 or 64 bits in the file; otherwise they are
	// texts.
	numbers bool
	rows    []uint32

	// whole has the numbers that were collected so far, with 0 in place of NULL. It is used only if
	// the field numbers is true.
	whole []int64
	// offsets[i] is the position in text at which the text of rows[i] begins. It is used only for
	// columns of text.
	offsets []int32
	text    []byte
	valid   []byte
	nulls   int

	dictionary []int64 // values of the dictionary page, if they are numbers
	// dictionaryText has the values of the dictionary page, if they are texts. They are in the
	// memory of the pages.
	dictionaryText [][]byte
}

func (t *taker) take(p *pages) error {
	done := 0
	return p.each(t.readDictionary, func(first int, h page, read func() ([]byte, error)) (bool, error) {
		end := done
		for end < len(t.rows) && int(t.rows[end]) < first+h.values {
			end++
		}
		if end == done {
			return end < len(t.rows), nil
		}
		data, err := read()
		if err != nil {
			return false, err
		}
		data, there := p.cutLevels(h, data)
		places, count := t.placesIn(there, first, t.rows[done:end], h.values)
		h.values = count
		if t.numbers {
			err = t.takeNumbers(p, h, data, places)
		} else {
			err = t.takeTexts(p, h, data, places)
		}
		done = end
		return done < len(t.rows), err
	})
}

func (t *taker) readDictionary(h page, body []byte) error {
	if t.numbers {
		t.dictionary = t.column.plain(nil, body, h.values)
		return nil
	}
	for range h.values {
		n := binary.LittleEndian.Uint32(body)
		t.dictionaryText = append(t.dictionaryText, body[4:4+n])
		body = body[4+n:]
	}
	return nil
}

// placesIn returns for each of the rows the index of its value among the values of a page, not
// counting NULLs. The index is -1 if the row is NULL. A page consists of slots, one for each value
// or NULL. The slice named there has a 1 for each slot with a value and a 0 for each NULL, and is
// nil if there are no NULLs. slots is the number of slots, and first is the row of the first slot.
// The result count is the number of values in the page, without NULLs.
func (t *taker) placesIn(there []int64, first int, rows []uint32, slots int) (places []int, count int) {
	places = make([]int, len(rows))
	if there == nil {
		for i, row := range rows {
			places[i] = int(row) - first
		}
		return places, slots
	}
	i := 0
	for slot, is := range there {
		for i < len(rows) && int(rows[i])-first == slot {
			if places[i] = -1; is != 0 {
				places[i] = count
			}
			i++
		}
		count += int(is)
	}
	return places, count
}

// note records whether a requested row has a value or is NULL. row is its index in the list of
// requested rows. The argument named there is true if the row has a value.
func (t *taker) note(row int, there bool) {
	if there {
		bitutil.SetBit(t.valid, row)
	} else {
		t.nulls++
	}
}

func (t *taker) takeNumbers(p *pages, h page, data []byte, places []int) error {
	var at func(place int) int64
	switch h.encoding {
	case parquet.Encodings.Plain:
		width := 8
		if t.column.narrow {
			width = 4
		}
		at = func(place int) int64 { return t.column.plain(p.numbers[:0], data[place*width:], 1)[0] }
	case parquet.Encodings.RLEDict:
		indices := hybridOf(data[1:], int(data[0]))
		at = func(place int) int64 { return t.dictionary[indices.at(place)] }
	case parquet.Encodings.DeltaBinaryPacked:
		d, err := deltasOf(data, h.values)
		if err != nil {
			return err
		}
		var some []int64
		first := 0 // index in the page of the first value in the slice some
		at = func(place int) int64 {
			if place >= first+len(some) {
				first += len(some)
				first += d.pass(func(passed int, _ int64) bool { return place < first+passed })
				some = d.next()
			}
			return t.column.widened(some[place-first])
		}
	default:
		return base.Errorf(base.Corrupt, "whole numbers as %s", h.encoding)
	}
	for _, place := range places {
		t.note(len(t.whole), place >= 0)
		if place < 0 {
			t.whole = append(t.whole, 0)
		} else {
			t.whole = append(t.whole, at(place))
		}
	}
	return nil
}

func (t *taker) takeTexts(p *pages, h page, data []byte, places []int) error {
	add := func(text []byte) {
		t.note(len(t.offsets), text != nil)
		t.offsets, t.text = append(t.offsets, int32(len(t.text))), append(t.text, text...)
	}
	switch h.encoding {
	case parquet.Encodings.RLEDict:
		indices := hybridOf(data[1:], int(data[0]))
		for _, at := range places {
			if at < 0 {
				add(nil)
			} else {
				add(t.dictionaryText[indices.at(at)])
			}
		}
	case parquet.Encodings.Plain:
		next := 0 // index in the page of the value with which data begins
		for _, at := range places {
			if at < 0 {
				add(nil)
				continue
			}
			for ; next < at; next++ {
				data = data[4+binary.LittleEndian.Uint32(data):]
			}
			add(data[4 : 4+binary.LittleEndian.Uint32(data)])
		}
	default:
		return base.Errorf(base.Corrupt, "texts as %s", h.encoding)
	}
	return nil
}

// array returns the collected values as an Arrow array of the type want.
func (t *taker) array(want arrow.DataType) (arrow.Array, error) {
	var valid *memory.Buffer
	if t.nulls > 0 {
		valid = memory.NewBufferBytes(t.valid)
	}
	buffers := []*memory.Buffer{valid}
	if t.numbers {
		bytes, err := numbersAs(want, t.whole)
		if err != nil {
			return nil, base.Wrap(err, "column %q", t.column.name)
		}
		buffers = append(buffers, memory.NewBufferBytes(bytes))
	} else {
		offsets := append(t.offsets, int32(len(t.text)))
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(t.text))
	}
	data := array.NewData(want, len(t.rows), buffers, nil, t.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}
