// Package diag reports the errors and warnings of `scoter generate` to users. A diagnostic (one
// error or warning) has a code, a place, the source line, and at most one suggestion. Each step of
// the generator adds diagnostics to a List and continues, so that one run reports all errors.
package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// Code identifies a kind of diagnostic, such as a syntax error. The codes never change, because
// other programs compare them.
type Code string

// These are all codes of diagnostics. If SQG, the generator that Scoter replaces, has the same
// code, the spelling is the same.
const (
	ConfigParse       Code = "CONFIG_PARSE_ERROR"
	ConfigInvalid     Code = "CONFIG_VALIDATION_ERROR"
	FileNotFound      Code = "FILE_NOT_FOUND"
	InvalidGenerator  Code = "INVALID_GENERATOR"
	SQLParse          Code = "SQL_PARSE_ERROR"
	SQLInvalid        Code = "SQL_EXECUTION_ERROR"
	DuplicateName     Code = "DUPLICATE_QUERY"
	MissingVariable   Code = "MISSING_VARIABLE"
	UnknownModifier   Code = "UNKNOWN_MODIFIER"
	MisspelledKeyword Code = "MISSPELLED_KEYWORD"
	UnusedVariable    Code = "UNUSED_VARIABLE"
	VariableInString  Code = "VARIABLE_IN_STRING"
	BadOverride       Code = "INVALID_OVERRIDE"
	MissingAlias      Code = "MISSING_ALIAS"
	DuplicateColumn   Code = "DUPLICATE_COLUMN"
	WrongShape        Code = "VALIDATION_ERROR"
	UnknownTable      Code = "UNKNOWN_TABLE"
	BadKey            Code = "INVALID_KEY"
	UnknownType       Code = "UNKNOWN_TYPE"
	NewerEngine       Code = "NEWER_ENGINE"
	Unavailable       Code = "DATABASE_ERROR"
)

// Severity says whether a diagnostic is an error or a warning. After an error, no files are
// written.
type Severity string

// These are the severities of diagnostics.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one error or warning for the user, with its place in a file.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	Message  string   `json:"message"`
	File     string   `json:"file,omitempty"`
	// Line is the line of the place in File, counted from 1. It is 0 if there is no place.
	Line int `json:"line,omitempty"`
	// Col is the column in the line, in characters, counted from 1.
	Col int `json:"column,omitempty"`
	// Excerpt is the source line that the diagnostic is about, without its line end.
	Excerpt string `json:"excerpt,omitempty"`
	// Width is the number of characters that are marked in the excerpt, from column Col on.
	Width int `json:"width,omitempty"`
	// Query is the name of the query block that the diagnostic is about. It is empty if there is
	// none.
	Query      string `json:"query,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

// Error returns the diagnostic as one line of the form file:line:col: message.
func (d *Diagnostic) Error() string {
	place := d.File
	if d.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", d.File, d.Line, d.Col)
	}
	if place != "" {
		place += ": "
	}
	return place + d.Message
}

// Text returns the diagnostic as text for a terminal: the line of Error, the excerpt with a caret
// below it, and the suggestion.
func (d *Diagnostic) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", strings.Replace(d.Error(), d.Message, fmt.Sprintf("%s: %s [%s]", d.Severity, d.Message, d.Code), 1))
	if d.Excerpt != "" {
		number := fmt.Sprintf("%5d", d.Line)
		excerpt, col, width := window([]rune(d.Excerpt), d.Col-1, max(d.Width, 1))
		pad := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, string(excerpt[:min(col, len(excerpt))]))
		fmt.Fprintf(&b, "%s | %s\n%s | %s%s\n", number, string(excerpt), strings.Repeat(" ", len(number)), pad, strings.Repeat("^", width))
	}
	if d.Suggestion != "" {
		fmt.Fprintf(&b, "      = help: %s\n", d.Suggestion)
	}
	return b.String()
}

// maxExcerpt is the maximum number of characters of a source line that a message shows.
const maxExcerpt = 120

// window cuts a long source line to the text around the marked characters. It returns the cut line,
// and the column and width of the mark in it.
func window(line []rune, col, width int) ([]rune, int, int) {
	if len(line) <= maxExcerpt {
		return line, col, width
	}
	width = min(width, maxExcerpt/2)
	from := max(0, col-maxExcerpt/2)
	to := min(len(line), from+maxExcerpt)
	out := append([]rune{}, line[from:to]...)
	if from > 0 {
		out = append([]rune("… "), out...)
		col += 2
	}
	if to < len(line) {
		out = append(out, []rune(" …")...)
	}
	return out, col - from, width
}

// Suggest sets the suggestion of d, the diagnostic, and returns d.
func (d *Diagnostic) Suggest(format string, args ...any) *Diagnostic {
	d.Suggestion = fmt.Sprintf(format, args...)
	return d
}

// In sets the field Query of d, the name of the query block that the diagnostic is about. It
// returns d.
func (d *Diagnostic) In(query string) *Diagnostic {
	d.Query = query
	return d
}

// List collects diagnostics. The zero value is ready to use. Several goroutines may use a list.
type List struct {
	mu  sync.Mutex
	all []*Diagnostic
}

// Add appends the diagnostic d to the list and returns d, so that the caller can add a suggestion.
func (l *List) Add(d *Diagnostic) *Diagnostic {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
	return d
}

// Errorf adds an error that has no place in a file.
func (l *List) Errorf(code Code, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Severity: Error, Code: code, Message: fmt.Sprintf(format, args...)})
}

// All returns all diagnostics of the list, ordered by file, line and column. Diagnostics with the
// same place stay in the order in which they were added.
func (l *List) All() []*Diagnostic {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := append([]*Diagnostic{}, l.all...)
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return out
}

// HasErrors reports whether at least one diagnostic in the list is an error and not a warning. If
// so, no files may be written.
func (l *List) HasErrors() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.all {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// WriteText writes every diagnostic of the list as text for a terminal, in the form of
// Diagnostic.Text.
func (l *List) WriteText(w io.Writer) error {
	for _, d := range l.All() {
		if _, err := io.WriteString(w, d.Text()); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the diagnostics as {"valid": bool, "errors": [...], "warnings": [...]}.
func (l *List) WriteJSON(w io.Writer) error {
	out := struct {
		Valid    bool          `json:"valid"`
		Errors   []*Diagnostic `json:"errors"`
		Warnings []*Diagnostic `json:"warnings"`
	}{Valid: true, Errors: []*Diagnostic{}, Warnings: []*Diagnostic{}}
	for _, d := range l.All() {
		if d.Severity == Error {
			out.Valid = false
			out.Errors = append(out.Errors, d)
		} else {
			out.Warnings = append(out.Warnings, d)
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// Text is the text of a file and the file's name. It converts byte offsets in the text into lines
// and columns.
type Text struct {
	Name string
	Text string
	// starts[i] is the byte offset at which line i of the text begins. The first line is line 0.
	starts []int
}

// NewText makes a Text of a file's name and text, and finds the beginnings of its lines.
func NewText(name, text string) *Text {
	s := &Text{Name: name, Text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// Position returns the line and column of a byte offset in the text, both counted from 1. An offset
// before the text means its beginning, and an offset after the text means its end.
func (s *Text) Position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(s.Text))
	i := sort.SearchInts(s.starts, offset+1) - 1
	return i + 1, utf8.RuneCountInString(s.Text[s.starts[i]:offset]) + 1
}

// Line returns a line of the text without its line end. Lines are counted from 1.
func (s *Text) Line(line int) string {
	if line < 1 || line > len(s.starts) {
		return ""
	}
	end := len(s.Text)
	if line < len(s.starts) {
		end = s.starts[line]
	}
	return strings.TrimRight(s.Text[s.starts[line-1]:end], "\r\n")
}

// At returns a diagnostic about the bytes [from, to) of the source. If these bytes span several
// lines, only the first line is marked.
func (s *Text) At(severity Severity, code Code, from, to int, format string, args ...any) *Diagnostic {
	line, col := s.Position(from)
	excerpt := s.Line(line)
	width := 1
	if to > from {
		width = utf8.RuneCountInString(s.Text[from:min(to, len(s.Text))])
	}
	width = max(1, min(width, utf8.RuneCountInString(excerpt)-col+1))
	return &Diagnostic{
		Severity: severity, Code: code, Message: fmt.Sprintf(format, args...),
		File: s.Name, Line: line, Col: col, Excerpt: excerpt, Width: width,
	}
}
