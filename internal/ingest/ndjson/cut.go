package ndjson

import (
	"bytes"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/cut"
)

// eachPiece is the cut.Cutter of the format JSON: it cuts a file into pieces, which fit in one
// request each, and calls f with them.
func eachPiece(file *cut.File, _ cut.Options, f func(cut.Piece) error) error {
	return cut.EachText(file, &cutter{}, f)
}

// cutter finds the ends of the JSON objects in a file. The file has objects one after the other, or
// one array of objects. The pieces (the bytes of one request each) of an array are arrays, too.
// cutter does not report invalid objects, because they are reported when the piece is decoded.
type cutter struct {
	known  bool // whether the first byte of the file that is not white space was read
	array  bool // whether the file is one array: its first byte that is not white space is [
	pieces int  // number of pieces (bodies of one request each) before the current one

	// number of bytes that were scanned so far in the current piece (the body of one request)
	at      int
	end     int   // offset in the current piece, in bytes, of the end of its last complete object
	rows    int64 // number of complete objects in the current piece
	depth   int   // number of open braces and brackets, without the bracket of the file's array
	text    bool  // true while the scan is inside a string
	escaped bool  // true if the last byte was a backslash in a string that escapes the next byte
}

func (j *cutter) Next() {
	j.pieces++
	j.at, j.end, j.rows, j.depth, j.text, j.escaped = 0, 0, 0, 0, false, false
}

func (j *cutter) Ends(bool) (int, int64) { return j.end, j.rows }

func (j *cutter) Scan(more []byte) {
	for _, b := range more {
		j.at++
		switch {
		case j.escaped:
			j.escaped = false
		case j.text:
			j.escaped, j.text = b == '\\', b != '"'
		case b == '"':
			j.text = true
		case !j.known && b > ' ':
			j.known, j.array = true, b == '['
			if !j.array && b == '{' {
				j.depth++
			}
		case b == '{', b == '[':
			j.depth++
		case b == '}', b == ']':
			if j.depth--; j.depth == 0 && b == '}' {
				j.end = j.at
				j.rows++
			}
		}
	}
}

// Body returns a piece of the file as the complete body of a request: unchanged if the file has
// objects one after the other, and as an array if the file is one array.
func (j *cutter) Body(piece []byte, last bool) ([]byte, error) {
	if !j.array {
		if j.pieces > 0 && len(bytes.TrimSpace(piece)) == 0 {
			return nil, nil
		}
		return piece, nil
	}
	if j.pieces > 0 {
		rest := bytes.TrimLeft(piece, " \t\r\n")
		switch {
		case bytes.Equal(bytes.TrimRight(rest, " \t\r\n"), []byte("]")):
			return nil, nil
		case len(rest) > 0 && rest[0] == ',' && !bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t\r\n"), []byte("]")):
			piece = append([]byte("["), rest[1:]...)
		case len(rest) == 0:
			return nil, base.Errorf(base.Invalid, "JSON: the file ends in the middle of its array")
		default:
			return nil, base.Errorf(base.Invalid, "JSON: expected a comma and an object, or the end of the array, but found %q", rest[:min(len(rest), 10)])
		}
	}
	if !last {
		piece = append(bytes.Clone(piece), ']')
	}
	return piece, nil
}
