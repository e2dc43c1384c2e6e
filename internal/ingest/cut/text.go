package cut

import (
	"bufio"
	"bytes"
	"io"

	"github.com/scoterdb/scoter/internal/base"
)

// Text finds the ends of rows in a text format. EachText passes it the bytes of a file in chunks.
type Text interface {
	// Scan processes the next bytes of the current piece.
	Scan(more []byte)
	// Ends returns where the last complete row ends, in bytes from the start of the piece, and the
	// number of rows up to there. Both are 0 if no row is complete. last is set at the end of the
	// file. Then bytes without a line end may be a complete row, too.
	Ends(last bool) (end int, rows int64)
	// Body makes a body of the bytes of the piece, which end where Ends says. At the end of the
	// file (last), they are all remaining bytes. Body returns nil if there is nothing to send.
	Body(piece []byte, last bool) ([]byte, error)
	// Next begins a new piece. EachText passes the bytes after the end of the previous piece to
	// Scan again.
	Next()
}

// EachText cuts a text file into pieces at the ends of rows that t finds, and calls f with the
// pieces. Errors are those of Cutter.
func EachText(file *File, t Text, f func(Piece) error) error {
	in, err := file.Decompressed()
	if err != nil {
		return err
	}
	defer in.Close()
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
		t.Scan(step[:n])
		end, rows := t.Ends(ended)
		if ended {
			end = len(buf)
		} else if len(buf) < Target || end == 0 {
			if len(buf) > Longest {
				return base.Errorf(base.TooLarge, "row %d has more than %d bytes", first+1, Longest).WithHint("a value in quotes is perhaps not closed")
			}
			continue
		}
		body, err := t.Body(buf[:end], ended)
		if err != nil {
			return err
		}
		if body != nil || ended && !sent {
			if err := f(Piece{Body: body, First: first, Rows: rows, Read: file.Share()}); err != nil {
				return err
			}
			sent = true
		}
		first += rows
		buf = append(buf[:0], buf[end:]...)
		t.Next()
		t.Scan(buf)
	}
	return nil
}
