package cut

import (
	"bytes"

	"github.com/scoterdb/scoter/internal/ingest/format"
)

// csvText finds the ends of records of CSV, as package ingest/csv reads them: a quote opens a value only where that begins. What is wrong with a
// record is not told here, but by who decodes the piece.
type csvText struct {
	delimiter byte
	header    []byte // with the end of its line; nil in the first piece, which begins with it
	headerEnd int    // in the first piece; 0 until it is read
	single    bool   // the header names one column, as far as it is read: a blank line is a row

	at     int // bytes since next
	end    int // where the last complete record ends
	rows   int64
	start  bool // of a value
	quoted bool // within quotes
	closes bool // the byte before was a quote within quotes: a second one goes on
	blank  bool // nothing is on the line yet
}

func newCSV(o Options) *csvText {
	c := &csvText{delimiter: o.Delimiter, single: true}
	if c.delimiter == 0 {
		c.delimiter = ','
	}
	c.next()
	return c
}

func (*csvText) format() format.Format { return format.CSV }

func (c *csvText) next() {
	c.at, c.end, c.rows = 0, 0, 0
	c.start, c.quoted, c.closes, c.blank = true, false, false, true
}

func (c *csvText) ends(last bool) (int, int64) {
	if last && !c.blank && c.headerEnd > 0 {
		return c.at, c.rows + 1
	}
	return c.end, c.rows
}

func (c *csvText) scan(more []byte) {
	for i := 0; i < len(more); i++ {
		if c.quoted && !c.closes { // the quick way through long values
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
		case b == '\r' && c.blank: // of an end of line
		default:
			c.start, c.blank = b == c.delimiter, false
			c.single = c.single && (c.headerEnd > 0 || !c.start)
		}
	}
}

// endLine is called behind the end of a line that is not within quotes.
func (c *csvText) endLine() {
	switch {
	case c.headerEnd == 0 && c.blank:
	case c.headerEnd == 0:
		c.headerEnd = c.at
	case !c.blank || c.single:
		c.rows++
	}
	c.end, c.start, c.blank = c.at, true, true
}

func (c *csvText) body(piece []byte, _ bool) ([]byte, error) {
	if c.header == nil {
		c.header = bytes.Clone(piece[:c.headerEnd])
		return piece, nil
	}
	if len(piece) == 0 || !c.single && len(bytes.TrimSpace(piece)) == 0 {
		return nil, nil
	}
	return append(bytes.Clone(c.header), piece...), nil
}
