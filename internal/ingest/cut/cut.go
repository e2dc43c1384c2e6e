// Package cut cuts files of rows into pieces, each of which is a body of rows by itself: what a request may hold, or a transaction. Of a
// file of any size a piece is in memory, and of Parquet and Arrow what its writer made a unit.
//
// The pieces of a file depend on its content alone: who reads it again, or a file that begins alike, gets the same ones.
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
	// target is how many bytes a piece has, if its last row does not exceed them.
	target = 8 << 20
	// longest is how many bytes one row may have.
	longest = 64 << 20
)

// Piece is some rows of a file.
type Piece struct {
	Format format.Format // of the body, which need not be that of the file
	Body   []byte        // valid until the function that got it returns
	First  int64         // how many rows of the file are before it
	Rows   int64
	Read   float64 // the share of the file that is read, from 0 to 1
}

// Options say what a file does not say itself.
type Options struct {
	Delimiter byte // of CSV; 0 is a comma
}

// Each calls f with the pieces of a file in order. Errors are those of f, base.NotFound, base.Invalid and base.TooLarge.
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

// encodingNamed is how a file is compressed, as its name says.
func encodingNamed(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ingest.Identity
}

// counter knows how much of a file was read.
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

// text is a format that is cut between rows, by what it says of bytes one after the other.
type text interface {
	format() format.Format
	// scan takes the bytes behind those that it was given since next.
	scan(more []byte)
	// ends returns where the last complete row ends, counted from next, and how many rows are complete up to there; 0: none is. The end of the
	// file may complete one more.
	ends(last bool) (end int, rows int64)
	// body returns bytes up to there, or, at the end of the file, all that are left, as a body; nil if there is nothing to send.
	body(piece []byte, last bool) ([]byte, error)
	// next begins a piece behind the one that body was given.
	next()
}

// textPieces cuts what in has.
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
