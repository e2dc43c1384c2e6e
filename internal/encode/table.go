package encode

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/mattn/go-runewidth"
)

const (
	// tableRows is the maximum number of rows that a table in the terminal shows. A line below it
	// says how many more rows the result has.
	tableRows = 40
	// maxCellBytes is the maximum number of bytes of a value that a table in the terminal shows.
	maxCellBytes = 4096
)

// tableEncoder prints a result as a table for a terminal. The width of a column depends on all its
// values, so the encoder gathers the rows that it will print. It only counts the other rows.
type tableEncoder struct {
	out     *out
	schema  *arrow.Schema
	cells   []cell
	numbers []bool // numbers[i] says whether column i has numbers. They are aligned to the right.
	text    []byte // text has the texts of the gathered values, row after row.
	ends    []int
}

func newTableEncoder(schema *arrow.Schema, o *out) (*tableEncoder, error) {
	cells, err := newCells(schema, tableStyle)
	e := &tableEncoder{out: o, schema: schema, cells: cells}
	for _, f := range schema.Fields() {
		dt, m := resolve(f)
		id := dt.ID()
		e.numbers = append(e.numbers, m == hugeint || m == uhugeint ||
			m == plain && (arrow.IsInteger(id) || arrow.IsFloating(id) || arrow.IsDecimal(id)))
	}
	return e, err
}

func (e *tableEncoder) begin() error { return nil }

// rows returns the number of rows gathered so far.
func (e *tableEncoder) rows() int {
	if len(e.cells) == 0 {
		return 0
	}
	return len(e.ends) / len(e.cells)
}

func (e *tableEncoder) batch(rec arrow.RecordBatch) error {
	n := min(int(rec.NumRows()), tableRows-e.rows())
	if n == 0 || len(e.cells) == 0 {
		return nil
	}
	for j, c := range e.cells {
		c.bind(rec.Column(j))
	}
	var buf []byte
	for i := range n {
		for _, c := range e.cells {
			if buf = append(buf[:0], "NULL"...); !c.isNull(i) {
				buf = c.append(buf[:0], i)
			}
			e.text = appendPrintable(e.text, cutCell(buf))
			e.ends = append(e.ends, len(e.text))
		}
	}
	return nil
}

// cutCell cuts the text of a value to maxCellBytes.
func cutCell(s []byte) []byte {
	if len(s) <= maxCellBytes {
		return s
	}
	end := maxCellBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return append(s[:end:end], "…"...)
}

// appendPrintable appends text to dst and escapes its control characters. They could move the
// cursor or change the terminal's colours.
func appendPrintable(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r < 0x20 || r == 0x7F:
			dst = appendEscape(dst, byte(r))
		// U+200D, the joiner inside emoji, is printed as it is
		case !unicode.IsPrint(r) && r != 0x200D:
			dst = append(dst, '\\', 'u', '{')
			dst = append(strconv.AppendInt(dst, int64(r), 16), '}')
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// value returns the text of one of the gathered values. The argument index counts the values row by
// row.
func (e *tableEncoder) value(index int) string {
	start := 0
	if index > 0 {
		start = e.ends[index-1]
	}
	return string(e.text[start:e.ends[index]])
}

func (e *tableEncoder) end(t tail) error {
	if len(e.cells) == 0 {
		e.out.buf = append(appendCount(e.out.buf, t.rows, "row"), '\n')
		return nil
	}
	names, types := make([]string, len(e.cells)), make([]string, len(e.cells))
	widths := make([]int, len(e.cells))
	for j, f := range e.schema.Fields() {
		names[j] = string(appendPrintable(nil, []byte(f.Name)))
		types[j] = string(appendPrintable(nil, []byte(typeName(f))))
		widths[j] = max(runewidth.StringWidth(names[j]), min(runewidth.StringWidth(types[j]), 24), 1)
	}
	for index := range e.ends {
		j := index % len(e.cells)
		widths[j] = max(widths[j], runewidth.StringWidth(e.value(index)))
	}

	b := appendBorder(e.out.buf, widths, "┌", "┬", "┐")
	b = appendLine(b, widths, func(j int) (string, alignment) { return names[j], center })
	b = appendLine(b, widths, func(j int) (string, alignment) { return types[j], center })
	e.out.buf = appendBorder(b, widths, "├", "┼", "┤")
	err := e.out.rows(e.rows(), func(b []byte, i int) []byte {
		return appendLine(b, widths, func(j int) (string, alignment) {
			index := i*len(e.cells) + j
			if e.numbers[j] {
				return e.value(index), right
			}
			return e.value(index), left
		})
	})
	e.out.buf = e.appendSummary(appendBorder(e.out.buf, widths, "└", "┴", "┘"), t)
	return err
}

func appendBorder(dst []byte, widths []int, first, between, last string) []byte {
	dst = append(dst, first...)
	for j, width := range widths {
		if j > 0 {
			dst = append(dst, between...)
		}
		for range width + 2 {
			dst = append(dst, "─"...)
		}
	}
	return append(append(dst, last...), '\n')
}

type alignment uint8

const (
	left alignment = iota
	right
	center
)

func appendLine(dst []byte, widths []int, text func(j int) (string, alignment)) []byte {
	for j, width := range widths {
		dst = append(dst, "│ "...)
		s, align := text(j)
		// only the name of a type can be wider than its column
		if runewidth.StringWidth(s) > width {
			s = runewidth.Truncate(s, width, "…")
		}
		pad, before := width-runewidth.StringWidth(s), 0
		switch align {
		case right:
			before = pad
		case center:
			before = pad / 2
		}
		dst = append(appendBlanks(dst, before), s...)
		dst = appendBlanks(dst, pad-before+1)
	}
	return append(dst, "│\n"...)
}

func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// appendSummary appends the last line of the table: "… n more rows" if some are not shown, then the
// number of rows of the result and the time it took.
func (e *tableEncoder) appendSummary(b []byte, t tail) []byte {
	if more := t.rows - int64(e.rows()); more > 0 {
		b = append(b, "… "...)
		b = append(appendCount(b, more, "more row"), '\n')
	}
	b = appendCount(b, t.rows, "row")
	if t.truncated {
		b = append(b, " (cut by the row limit)"...)
	}
	if t.timed {
		b = append(b, " in "...)
		b = append(strconv.AppendFloat(b, milliseconds(t), 'f', 1, 64), " ms"...)
	}
	return append(b, '\n')
}

// appendCount appends a number, with its digits in groups of three, and a noun such as "row".
func appendCount(dst []byte, n int64, noun string) []byte {
	digits := strconv.FormatInt(n, 10)
	for i, d := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d)
	}
	dst = append(append(dst, ' '), noun...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

func (e *tableEncoder) fail(error) {}
func (e *tableEncoder) release()   {}
