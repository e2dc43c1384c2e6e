// Package emit has the code that all generators share: quoting, identifiers, the SQL text of
// queries and bulk writes, and a writer for indented text. All decisions, here and in the
// generators, are made before text is written.
package emit

import (
	"fmt"
	"strings"
)

// Writer collects lines of code. The zero value indents with four spaces.
type Writer struct {
	b     strings.Builder
	depth int
	// Unit is the text of one step of indentation. "" means four spaces.
	Unit string
}

func (w *Writer) unit() string {
	if w.Unit == "" {
		return "    "
	}
	return w.Unit
}

// Indent returns the current indentation with n more steps.
func (w *Writer) Indent(n int) string { return strings.Repeat(w.unit(), w.depth+n) }

// Line writes one line with the current indentation. An empty line has no indentation. If there are
// args, format is a format string.
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

// In writes the line head. Lines that body writes are indented below it.
func (w *Writer) In(head string, body func()) {
	w.Line("%s", head)
	w.depth++
	body()
	w.depth--
}

// Block writes the lines head and tail. Lines that body writes are indented between them.
func (w *Writer) Block(head, tail string, body func()) {
	w.In(head, body)
	w.Line("%s", tail)
}

// Blank writes an empty line, unless the text is empty or ends with an empty line or an opening
// brace.
func (w *Writer) Blank() {
	s := w.b.String()
	if s == "" || strings.HasSuffix(s, "\n\n") || strings.HasSuffix(s, "{\n") {
		return
	}
	w.b.WriteByte('\n')
}

// String returns the text with exactly one line end at its end.
func (w *Writer) String() string { return strings.TrimRight(w.b.String(), "\n") + "\n" }
