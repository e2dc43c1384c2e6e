package csv

import (
	"bytes"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// field is one value of a CSV record.
type field struct {
	// text is the value without the quotes around it. It is valid until the next record.
	text   []byte
	quoted bool
}

// scanner splits a CSV body into records. The package encoding/csv is not used for three reasons:
// it does not distinguish a quoted value from an unquoted one (NULL from an empty string), its only
// quote is ", and it rewrites CR LF inside of values.
type scanner struct {
	src       []byte
	p         int
	line      int // line is the number of the last record's line, counted from 1.
	nextLine  int
	delimiter byte
	quote     byte
	fields    []field
	scratch   []byte
}

func newScanner(body []byte, opts Options) *scanner {
	return &scanner{src: body, nextLine: 1, delimiter: opts.Delimiter, quote: opts.Quote}
}

func (s *scanner) errorf(at int, format string, args ...any) error {
	e := base.Errorf(base.Invalid, format, args...).At(at + 1)
	return base.Wrap(e, "line %d", s.line)
}

// record returns the values of the next record, or nil at the end of the body. It skips blank
// lines. If blank is true, it does not skip them: a blank line is then a record with one empty
// value.
func (s *scanner) record(blank bool) ([]field, error) {
	for {
		if s.p >= len(s.src) {
			return nil, nil
		}
		s.line = s.nextLine
		if end := s.lineEnd(s.p); end > 0 && !blank {
			s.p = end
			s.nextLine++
			continue
		}
		break
	}
	s.fields, s.scratch = s.fields[:0], s.scratch[:0]
	for {
		f, err := s.field()
		if err != nil {
			return nil, err
		}
		if len(s.fields) == ingest.MaxColumns {
			return nil, base.Errorf(base.TooLarge, "line %d: more than %d values", s.line, ingest.MaxColumns)
		}
		s.fields = append(s.fields, f)
		if s.p < len(s.src) && s.src[s.p] == s.delimiter {
			s.p++
			continue
		}
		if s.p < len(s.src) {
			s.p = s.lineEnd(s.p)
			s.nextLine++
		}
		return s.fields, nil
	}
}

// lineEnd returns the position after the line end at p. It returns 0 if there is no line end at p.
func (s *scanner) lineEnd(p int) int {
	switch {
	case s.src[p] == '\n':
		return p + 1
	case s.src[p] == '\r' && p+1 == len(s.src):
		return p + 1
	case s.src[p] == '\r' && s.src[p+1] == '\n':
		return p + 2
	}
	return 0
}

const lineEndsHint = "end lines with LF or CR LF, and put values that hold a CR into quotes"

// field reads the next value. After that, the scanner is at the delimiter or line end behind the
// value.
func (s *scanner) field() (field, error) {
	start := s.p
	if start < len(s.src) && s.src[start] == s.quote {
		return s.quoted()
	}
	p := start
	for ; p < len(s.src); p++ {
		c := s.src[p]
		if c == s.delimiter || c == '\n' || c == '\r' && s.lineEnd(p) > 0 {
			break
		}
		if c == s.quote {
			return field{}, s.errorf(p, "a quote inside a value that does not begin with one").(*base.Error).
				WithHint("put the value into quotes and double those in it, or choose another quote character")
		}
		if c == '\r' {
			return field{}, s.errorf(p, "a carriage return that no line feed follows").(*base.Error).
				WithHint(lineEndsHint)
		}
	}
	s.p = p
	return field{text: s.src[start:p]}, nil
}

func (s *scanner) quoted() (field, error) {
	start, mark := s.p, len(s.scratch)
	for p := start + 1; ; {
		i := bytes.IndexByte(s.src[p:], s.quote)
		if i < 0 {
			return field{}, s.errorf(start, "a quoted value is not closed")
		}
		piece, end := s.src[p:p+i], p+i+1
		s.nextLine += bytes.Count(piece, []byte{'\n'})
		if end < len(s.src) && s.src[end] == s.quote { // a doubled quote is a literal quote
			s.scratch = append(s.scratch, s.src[p:end]...)
			p = end + 1
			continue
		}
		if end < len(s.src) && s.src[end] != s.delimiter && s.lineEnd(end) == 0 {
			err := s.errorf(end, "expected a delimiter after a quoted value")
			if s.src[end] == '\r' {
				err = err.(*base.Error).WithHint(lineEndsHint)
			}
			return field{}, err
		}
		s.p = end
		if len(s.scratch) == mark {
			return field{text: piece, quoted: true}, nil
		}
		s.scratch = append(s.scratch, piece...)
		return field{text: s.scratch[mark:], quoted: true}, nil
	}
}
