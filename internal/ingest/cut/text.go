package cut

import (
	"bufio"
	"bytes"
	"io"

	"github.com/scoterdb/scoter/internal/base"
)

// Text finds the ends of rows in the bytes of a text format. The function EachText passes a file to
// it in chunks.
type Text interface {
	// Scan processes more, the next bytes of the current piece.
	Scan(more []byte)
	// Ends returns where the last complete row of the current piece ends, in bytes from the start
	// of the piece, and the number of rows up to there. Both are 0 if no row is complete. The
	// argument last is true at the end of the file. Then the last row may be complete although no
	// line end follows it.
	Ends(last bool) (end int, rows int64)
	// Body returns the complete body for a piece of the file. The argument piece has the bytes up
	// to the end that Ends returned. If the argument last is true, piece has all remaining bytes of
	// the file. Body returns nil if the piece has nothing to send.
	Body(piece []byte, last bool) ([]byte, error)
	// Next begins a new piece. The bytes after the end of the previous piece are then passed to
	// Scan again.
	Next()
}

// EachText cuts a text file into pieces at the ends of rows, which t finds, and calls f with the
// pieces. An error is an error of f, or has the kind base.Invalid or base.TooLarge.
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
