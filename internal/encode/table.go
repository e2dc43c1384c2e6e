package encode

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/mattn/go-runewidth"
)

// TableOptions shape the table on a terminal.
type TableOptions struct {
	// Rows is how many rows are printed; a line says how many more there are. 0 is 40,
	// negative is all.
	Rows int
	// Width is the terminal's width in columns; wide columns are cut until the table fits.
	// 0 is no limit.
	Width int
}

const (
	defaultTableRows = 40
	// minColumnWidth is what a column that is cut to fit keeps.
	minColumnWidth = 8
	// maxCellBytes bounds what is kept of one value.
	maxCellBytes = 4096
)

// tableEncoder gathers the rows that it will print, because a column's width is that of its
// widest value, and counts the others.
type tableEncoder struct {
	out     *out
	schema  *arrow.Schema
	cells   []cell
	numbers []bool // right-aligned columns
	opt     TableOptions
	text    []byte // printed values, row after row
	ends    []int
	nulls   []bool
}

func newTableEncoder(schema *arrow.Schema, o *out, opt TableOptions) (*tableEncoder, error) {
	cells, err := newCells(schema, tableStyle)
	if opt.Rows == 0 {
		opt.Rows = defaultTableRows
	}
	e := &tableEncoder{out: o, schema: schema, cells: cells, opt: opt}
	for _, f := range schema.Fields() {
		dt, m := resolve(f)
		id := dt.ID()
		e.numbers = append(e.numbers, m == hugeint || m == uhugeint ||
			m == plain && (arrow.IsInteger(id) || arrow.IsFloating(id) || arrow.IsDecimal(id)))
	}
	return e, err
}

func (e *tableEncoder) begin() error { return nil }

// rows returns how many rows were gathered.
func (e *tableEncoder) rows() int {
	if len(e.cells) == 0 {
		return 0
	}
	return len(e.ends) / len(e.cells)
}

func (e *tableEncoder) batch(rec arrow.RecordBatch) error {
	n := int(rec.NumRows())
	if e.opt.Rows > 0 {
		n = min(n, e.opt.Rows-e.rows())
	}
	if n <= 0 || len(e.cells) == 0 {
		return nil
	}
	for j, c := range e.cells {
		c.bind(rec.Column(j))
	}
	var buf []byte
	for i := range n {
		for _, c := range e.cells {
			null := c.isNull(i)
			if null {
				buf = append(buf[:0], "NULL"...)
			} else {
				buf = c.append(buf[:0], i)
			}
			e.text = appendPrintable(e.text, cutCell(buf))
			e.ends = append(e.ends, len(e.text))
			e.nulls = append(e.nulls, null)
		}
	}
	return nil
}

// cutCell returns what is kept of a value.
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

// appendPrintable appends text with control characters made visible: a value must not be
// able to move the cursor or to colour the terminal.
func appendPrintable(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r < 0x20 || r == 0x7F:
			dst = appendEscape(dst, byte(r))
		case !unicode.IsPrint(r) && r != 0x200D: // the joiner of emoji
			dst = append(dst, '\\', 'u', '{')
			dst = append(strconv.AppendInt(dst, int64(r), 16), '}')
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// value returns a gathered value's text.
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
	shown := e.fit(widths)

	e.border(widths, shown, "┌", "┬", "┐")
	e.line(widths, shown, func(j int) (string, alignment) { return names[j], center })
	e.line(widths, shown, func(j int) (string, alignment) { return types[j], center })
	e.border(widths, shown, "├", "┼", "┤")
	for i := range e.rows() {
		e.line(widths, shown, func(j int) (string, alignment) {
			index := i*len(e.cells) + j
			if e.numbers[j] {
				return e.value(index), right
			}
			return e.value(index), left
		})
		if err := e.flushFull(); err != nil {
			return err
		}
	}
	e.border(widths, shown, "└", "┴", "┘")
	e.summary(t, shown)
	return nil
}

func (e *tableEncoder) flushFull() error {
	if len(e.out.buf) < flushAt {
		return nil
	}
	return e.out.flush()
}

// fit narrows the widest columns until the table fits into the terminal, and if that is not
// enough returns how many columns are shown.
func (e *tableEncoder) fit(widths []int) int {
	if e.opt.Width <= 0 {
		return len(widths)
	}
	total := 1 // each column adds its width, two blanks and a border
	for _, w := range widths {
		total += w + 3
	}
	for total > e.opt.Width {
		widest := 0
		for j, w := range widths {
			if w > widths[widest] {
				widest = j
			}
		}
		if widths[widest] <= minColumnWidth {
			break
		}
		cut := max(1, min(total-e.opt.Width, widths[widest]-minColumnWidth, widths[widest]/8))
		widths[widest] -= cut
		total -= cut
	}
	shown := len(widths)
	for ; total > e.opt.Width && shown > 1; shown-- {
		total -= widths[shown-1] + 3
	}
	return shown
}

func (e *tableEncoder) border(widths []int, shown int, first, between, last string) {
	b := append(e.out.buf, first...)
	for j := range shown {
		if j > 0 {
			b = append(b, between...)
		}
		for range widths[j] + 2 {
			b = append(b, "─"...)
		}
	}
	b = append(b, last...)
	e.out.buf = append(b, '\n')
}

type alignment uint8

const (
	left alignment = iota
	right
	center
)

func (e *tableEncoder) line(widths []int, shown int, text func(j int) (string, alignment)) {
	b := e.out.buf
	for j := range shown {
		b = append(b, "│ "...)
		s, align := text(j)
		width := runewidth.StringWidth(s)
		if width > widths[j] {
			s = runewidth.Truncate(s, widths[j], "…")
			width = runewidth.StringWidth(s)
		}
		before := 0
		switch pad := widths[j] - width; align {
		case right:
			before = pad
		case center:
			before = pad / 2
		}
		b = appendBlanks(b, before)
		b = append(b, s...)
		b = appendBlanks(b, widths[j]-width-before+1)
	}
	e.out.buf = append(b, "│\n"...)
}

func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// summary prints "… n more rows" and the size of the result.
func (e *tableEncoder) summary(t tail, shown int) {
	b := e.out.buf
	if more := t.rows - int64(e.rows()); more > 0 {
		b = append(b, "… "...)
		b = append(appendCount(b, more, "more row"), '\n')
	}
	if hidden := len(e.cells) - shown; hidden > 0 {
		b = append(b, "… "...)
		b = append(appendCount(b, int64(hidden), "more column"), '\n')
	}
	b = appendCount(b, t.rows, "row")
	if t.truncated {
		b = append(b, " (cut by the row limit)"...)
	}
	if t.timed {
		b = append(b, " in "...)
		b = append(strconv.AppendFloat(b, milliseconds(t), 'f', 1, 64), " ms"...)
	}
	e.out.buf = append(b, '\n')
}

// appendCount appends a number with its digits in groups and a noun.
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
