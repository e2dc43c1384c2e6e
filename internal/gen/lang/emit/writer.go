// Package emit holds what the language backends share: quoting, identifiers,
// the SQL text of queries and bulk writes, and a writer for indented text.
// Everything is decided here or in the backend before text is written.
package emit

import (
	"fmt"
	"strings"
)

// Writer collects lines of code. The zero value writes with four spaces of
// indentation.
type Writer struct {
	b     strings.Builder
	depth int
	// Unit is one step of indentation, "" for four spaces.
	Unit string
}

func (w *Writer) unit() string {
	if w.Unit == "" {
		return "    "
	}
	return w.Unit
}

// Indent returns the present indentation and n steps more.
func (w *Writer) Indent(n int) string { return strings.Repeat(w.unit(), w.depth+n) }

// Line writes one line at the present indentation; an empty one has none.
// With arguments the first is a format.
func (w *Writer) Line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if text != "" {
		w.b.WriteString(w.Indent(0))
	}
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

// In writes a line and indents what body writes.
func (w *Writer) In(head string, body func()) {
	w.Line("%s", head)
	w.depth++
	body()
	w.depth--
}

// Block is In with a closing line.
func (w *Writer) Block(head, tail string, body func()) {
	w.In(head, body)
	w.Line("%s", tail)
}

// Blank writes an empty line unless the text is empty or already ends with
// one or with an opening brace.
func (w *Writer) Blank() {
	s := w.b.String()
	if s == "" || strings.HasSuffix(s, "\n\n") || strings.HasSuffix(s, "{\n") {
		return
	}
	w.b.WriteByte('\n')
}

// String returns the text with exactly one final line end.
func (w *Writer) String() string { return strings.TrimRight(w.b.String(), "\n") + "\n" }
