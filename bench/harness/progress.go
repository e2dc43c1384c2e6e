package harness

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Progress is a line on the standard error that says what is done now. Where that is no terminal
// there is none: a log would be full of its states.
type Progress struct {
	out       io.Writer
	done, all int
}

// NewProgress begins one of so many steps, with a bar; 0 if it is not known how many.
func NewProgress(steps int) *Progress {
	p := &Progress{out: io.Discard, all: steps}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.out = os.Stderr
	}
	return p
}

// Step says what is done next.
func (p *Progress) Step(what string) {
	const width = 30
	if p.all > 0 {
		filled := min(width, width*p.done/p.all)
		fmt.Fprintf(p.out, "\r\x1b[K[%s%s] %d/%d  %s", strings.Repeat("#", filled), strings.Repeat(".", width-filled), p.done, p.all, what)
	} else {
		fmt.Fprintf(p.out, "\r\x1b[K%5d  %s", p.done+1, what)
	}
	p.done++
}

// Close clears the line.
func (p *Progress) Close() { fmt.Fprint(p.out, "\r\x1b[K") }
