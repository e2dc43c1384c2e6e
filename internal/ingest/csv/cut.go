package csv

import (
	"bytes"

	"github.com/scoterdb/scoter/internal/ingest/cut"
)

// eachPiece is the cut.Cutter of CSV: it cuts a file into pieces, which fit in one request each,
// and calls f with them.
func eachPiece(file *cut.File, o cut.Options, f func(cut.Piece) error) error {
	return cut.EachText(file, newCutter(o.Delimiter), f)
}

// cutter finds the ends of records by the same rules as Decode: a quote begins a quoted value only
// at the start of the value. It does not report invalid records, because they are reported when the
// piece (the bytes of one request) is decoded.
type cutter struct {
	delimiter byte
	// header is the header line with its line end. It is put in front of each piece (the bytes of
	// one request) after the first. It is nil in the first piece, which begins with the header
	// anyway.
	header    []byte
	headerEnd int // where the header ends in the first piece; 0 until it is read
	// single says that the header names only one column. A blank line is then a row.
	single bool

	// at, end and rows describe the current piece: the bytes of the file that become one request.
	at     int   // number of bytes of the piece that were scanned so far
	end    int   // where the last complete record ends, in bytes from the start of the piece
	rows   int64 // number of complete records in the piece
	start  bool  // whether the current position is at the start of a value
	quoted bool  // whether the current position is within quotes
	// whether the last byte was a quote within quotes; a second quote makes it a literal quote
	closes bool
	blank  bool // whether the current line is empty so far
}

func newCutter(delimiter byte) *cutter {
	c := &cutter{delimiter: delimiter, single: true}
	if c.delimiter == 0 {
		c.delimiter = ','
	}
	c.Next()
	return c
}

func (c *cutter) Next() {
	c.at, c.end, c.rows = 0, 0, 0
	c.start, c.quoted, c.closes, c.blank = true, false, false, true
}

func (c *cutter) Ends(last bool) (int, int64) {
	if last && !c.blank && c.headerEnd > 0 {
		return c.at, c.rows + 1
	}
	return c.end, c.rows
}

func (c *cutter) Scan(more []byte) {
	for i := 0; i < len(more); i++ {
		if c.quoted && !c.closes { // fast path for long quoted values
			n := bytes.IndexByte(more[i:], '"')
			if n < 0 {
				c.at += len(more) - i
				return
			}
			i += n
			c.at += n + 1
			c.closes = true
			continue
		}
		b := more[i]
		c.at++
		if c.closes {
			if c.closes = false; b == '"' {
				continue
			}
			c.quoted = false
		}
		switch {
		case b == '\n':
			c.endLine()
		case b == '"' && c.start:
			c.quoted, c.start, c.blank = true, false, false
		case b == '\r' && c.blank: // part of a line end
		default:
			c.start, c.blank = b == c.delimiter, false
			c.single = c.single && (c.headerEnd > 0 || !c.start)
		}
	}
}

// endLine counts a record. It is called after each line end that is not within quotes.
func (c *cutter) endLine() {
	switch {
	case c.headerEnd == 0 && c.blank:
	case c.headerEnd == 0:
		c.headerEnd = c.at
	case !c.blank || c.single:
		c.rows++
	}
	c.end, c.start, c.blank = c.at, true, true
}

func (c *cutter) Body(piece []byte, _ bool) ([]byte, error) {
	if c.header == nil {
		c.header = bytes.Clone(piece[:c.headerEnd])
		return piece, nil
	}
	if len(piece) == 0 || !c.single && len(bytes.TrimSpace(piece)) == 0 {
		return nil, nil
	}
	return append(bytes.Clone(c.header), piece...), nil
}
