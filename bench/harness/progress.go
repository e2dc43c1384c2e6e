package harness

import (
	"fmt"
	"os"
	"strings"
)

// Progress is a bar on the standard error.
type Progress struct{ done, all int }

// NewProgress begins one of so many steps.
func NewProgress(steps int) *Progress { return &Progress{all: steps} }

// Step says what is done next.
func (p *Progress) Step(what string) {
	const width = 30
	filled := min(width, width*p.done/max(1, p.all))
	fmt.Fprintf(os.Stderr, "\r\x1b[K[%s%s] %d/%d  %s", strings.Repeat("#", filled), strings.Repeat(".", width-filled), p.done, p.all, what)
	p.done++
}

// Close clears the bar.
func (p *Progress) Close() { fmt.Fprint(os.Stderr, "\r\x1b[K") }
