package harness

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Progress shows the current step of a benchmark as a line on standard error. If that is not a
// terminal, it shows nothing, because a log would be full of steps.
type Progress struct {
	out       io.Writer
	done, all int
}

// NewProgress begins a progress line with a bar. steps is the number of steps, or 0 if it is
// unknown.
func NewProgress(steps int) *Progress {
	p := &Progress{out: io.Discard, all: steps}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.out = os.Stderr
	}
	return p
}

// Step starts the next step and shows its name.
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

// Close removes the line from the terminal.
func (p *Progress) Close() { fmt.Fprint(p.out, "\r\x1b[K") }
