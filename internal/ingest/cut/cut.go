// Package cut cuts files of rows into pieces. Each piece is a complete body that fits in one
// request or transaction. Only one piece of a file is in memory at a time; for Parquet and Arrow,
// one unit that its writer made (a row group or a batch).
//
// The pieces depend only on the file's content: reading a file again gives the same pieces, and
// files with the same beginning have the same first pieces.
package cut

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/format"
)

const (
	// target is the size of a piece in bytes. Its last row may exceed it.
	target = 8 << 20
	// longest is the largest size of one row in bytes.
	longest = 64 << 20
)

// Piece is a range of a file's rows.
type Piece struct {
	Format format.Format // format of the body, which may differ from the file's
	Body   []byte        // valid until the function that receives the piece returns
	First  int64         // number of the file's rows before the piece
	Rows   int64
	Read   float64 // the share of the file that has been read, from 0 to 1
}

// Options are properties of a file that its content does not tell.
type Options struct {
	Delimiter byte // for CSV; 0 is a comma
}

// Each calls f with the pieces of the file called name, in order. Errors are those of f,
// base.NotFound, base.Invalid and base.TooLarge.
func Each(name string, of format.Format, o Options, f func(Piece) error) error {
	file, err := os.Open(name)
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	if of == format.Parquet {
		return parquetPieces(file, info.Size(), f)
	}
	counted := &counter{Reader: file, size: info.Size()}
	in, err := ingest.NewDecompressor(counted, encodingNamed(name))
	if err != nil {
		return err
	}
	defer in.Close()
	switch of {
	case format.Arrow:
		return arrowPieces(file, in, counted, f)
	case format.CSV:
		return textPieces(in, counted, newCSV(o), f)
	case format.JSON:
		return textPieces(in, counted, &jsonText{}, f)
	}
	return base.Errorf(base.Invalid, "files of %s cannot be loaded", of.MediaType())
}

// encodingNamed returns the compression that the name of a file announces.
func encodingNamed(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ingest.Identity
}

// counter counts the bytes that are read from a file.
type counter struct {
	io.Reader
	size, read int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}

func (c *counter) share() float64 { return min(1, float64(c.read)/float64(max(c.size, 1))) }

// text finds the row boundaries of a text format, one chunk of bytes after the other.
type text interface {
	format() format.Format
	// scan processes more bytes. They follow the bytes of earlier calls since next.
	scan(more []byte)
	// ends returns the end of the last complete row, counted from next, and the number of rows up
	// to it; 0 if there is none. At the end of the file (last), the remaining bytes may complete
	// another row.
	ends(last bool) (end int, rows int64)
	// body returns the bytes up to that end as a body; at the end of the file, all remaining bytes.
	// It returns nil if there is nothing to send.
	body(piece []byte, last bool) ([]byte, error)
	// next starts a new piece after the bytes that body received.
	next()
}

// textPieces cuts the text that it reads from in.
func textPieces(in io.Reader, counted *counter, t text, f func(Piece) error) error {
	r := bufio.NewReader(in)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(3)
	}
	var buf []byte
	first, sent := int64(0), false
	step := make([]byte, 1<<20)
	for ended := false; !ended; {
		n, err := io.ReadFull(r, step)
		ended = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return err
		}
		buf = append(buf, step[:n]...)
		t.scan(step[:n])
		end, rows := t.ends(ended)
		if ended {
			end = len(buf)
		} else if len(buf) < target || end == 0 {
			if len(buf) > longest {
				return base.Errorf(base.TooLarge, "row %d has more than %d bytes", first+1, longest).WithHint("a value in quotes is perhaps not closed")
			}
			continue
		}
		body, err := t.body(buf[:end], ended)
		if err != nil {
			return err
		}
		if body != nil || ended && !sent {
			if err := f(Piece{Format: t.format(), Body: body, First: first, Rows: rows, Read: counted.share()}); err != nil {
				return err
			}
			sent = true
		}
		first += rows
		buf = append(buf[:0], buf[end:]...)
		t.next()
		t.scan(buf)
	}
	return nil
}
