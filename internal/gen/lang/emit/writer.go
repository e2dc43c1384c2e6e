// Package emit has what all code generators share: quoting, identifiers, the SQL text of queries
// and bulk writes, and a writer for indented text. All decisions, here and in the generators, are
// made before text is written.
package emit

import (
	"fmt"
	"strings"
)

// Writer collects lines of code. The zero value indents with four spaces.
type Writer struct {
	b     strings.Builder
	depth int
	// Unit is the white space of one step of indentation. "" means four spaces.
	Unit string
}

func (w *Writer) unit() string {
	if w.Unit == "" {
		return "    "
	}
	return w.Unit
}

// Indent returns the white space of the current indentation with n more steps.
func (w *Writer) Indent(n int) string { return strings.Repeat(w.unit(), w.depth+n) }

// Line writes one line with the current indentation. An empty line has no indentation. If there are
// args, format is a format string for them. Otherwise format is the line itself.
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

// Indented writes head as a line and then calls body. The lines that body writes are indented.
func (w *Writer) Indented(head string, body func()) {
	w.Line("%s", head)
	w.depth++
	body()
	w.depth--
}

// Block writes head as a line, then calls body, and then writes tail as a line. The lines that body
// writes are indented.
func (w *Writer) Block(head, tail string, body func()) {
	w.Indented(head, body)
	w.Line("%s", tail)
}

// Blank writes an empty line. It writes nothing if the text so far is empty, or ends with an empty
// line or an opening brace.
func (w *Writer) Blank() {
	s := w.b.String()
	if s == "" || strings.HasSuffix(s, "\n\n") || strings.HasSuffix(s, "{\n") {
		return
	}
	w.b.WriteByte('\n')
}

// String returns the text written so far, with exactly one line end at its end.
func (w *Writer) String() string { return strings.TrimRight(w.b.String(), "\n") + "\n" }
