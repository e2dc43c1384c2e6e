package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/scoterdb/scoter/internal/base"
)

// statementError is an error in an SQL text, together with that text. The error's position is a
// position in this text.
type statementError struct {
	error
	text string
}

func (e *statementError) Unwrap() error { return e.error }

// inText returns err together with text, the SQL text in which the error's position is, so that the
// position can be shown. If err is nil, it returns nil.
func inText(err error, text string) error {
	if err == nil {
		return nil
	}
	return &statementError{err, text}
}

// printError prints an error for people: label and message, then the line of the SQL text with the
// error's position, then the hint.
func printError(w io.Writer, label string, err error) {
	fmt.Fprintf(w, "%s: %v\n", label, err)
	e, in := new(base.Error), new(statementError)
	if !errors.As(err, &e) {
		return
	}
	switch {
	case e.Position > 0 && errors.As(err, &in):
		fmt.Fprint(w, excerpt(in.text, e.Position))
	case e.Position > 0:
		fmt.Fprintf(w, "  at byte %d\n", e.Position)
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", e.Hint)
	}
}

// If a line is long, only a part of it is shown: shownBefore and shownAfter are the numbers of
// characters that are shown before and after the position.
const (
	shownBefore = 50
	shownAfter  = 30
)

// excerpt returns the line of text that contains a position, and below it a line with a mark under
// the character at the position. The position counts bytes from 1.
func excerpt(text string, position int) string {
	at := min(position-1, len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line := text[start:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	before, after := []rune(printable(line[:min(at-start, len(line))])), []rune(printable(line[min(at-start, len(line)):]))
	if n := len(before) - shownBefore; n > 0 {
		before = append([]rune("..."), before[n:]...)
	}
	if len(after) > shownAfter {
		after = append(after[:shownAfter:shownAfter], []rune("...")...)
	}
	label := ""
	if strings.Contains(strings.TrimSpace(text), "\n") {
		label = fmt.Sprintf("line %d: ", strings.Count(text[:start], "\n")+1)
	}
	return fmt.Sprintf("  %s%s%s\n  %s^\n", label, string(before), string(after), strings.Repeat(" ", runewidth.StringWidth(label+string(before))))
}

// printable replaces invalid characters, and control characters, which could move the cursor of the
// terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
}
