package cut

import (
	"bufio"
	"bytes"
	"io"

	"github.com/scoterdb/scoter/internal/base"
)

// Text finds the row boundaries of a text format, one chunk of bytes after the other.
type Text interface {
	// Scan processes more bytes. They follow the bytes of earlier calls since Next.
	Scan(more []byte)
	// Ends returns the end of the last complete row, counted from Next, and the number of rows up
	// to it; 0 if there is none. At the end of the file (last), the remaining bytes may complete
	// another row.
	Ends(last bool) (end int, rows int64)
	// Body returns the bytes up to that end as a body; at the end of the file, all remaining bytes.
	// It returns nil if there is nothing to send.
	Body(piece []byte, last bool) ([]byte, error)
	// Next starts a new piece after the bytes that Body received.
	Next()
}

// EachText cuts a text file. It calls f with the pieces.
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
