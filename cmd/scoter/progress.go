package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on standard error how much of a file is loaded. On a terminal it shows a bar. At
// the end it prints a line, also without a terminal.
type progress struct {
	name    string
	size    int64 // size of the file in bytes
	rows    int64
	before  int64 // number of rows that an earlier load has stored already
	started time.Time
	bar     *progressbar.ProgressBar
}

func startProgress(name string, size int64) *progress {
	return &progress{name: name, size: size, started: time.Now(), bar: newBar(name, size)}
}

// newBar returns a progress bar for size bytes. A negative size means that the size is unknown. If
// standard error is not a terminal, the bar shows nothing.
func newBar(name string, size int64) *progressbar.ProgressBar {
	var w io.Writer = os.Stderr
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		w = io.Discard
	}
	return progressbar.NewOptions64(size, progressbar.OptionSetDescription(name), progressbar.OptionSetWriter(w),
		progressbar.OptionShowBytes(true), progressbar.OptionShowCount(), progressbar.OptionShowTotalBytes(true), progressbar.OptionUseIECUnits(true), progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

// add adds rows to the progress. The argument before is true if an earlier load has already stored
// these rows. The argument read is the share of the file that has been read, from 0 to 1.
func (p *progress) add(rows int64, before bool, read float64) error {
	p.rows += rows
	if before {
		p.before += rows
	}
	p.bar.Describe(fmt.Sprintf("%s  %d rows", p.name, p.rows))
	return p.bar.Set64(int64(read * float64(p.size)))
}

// finish replaces the progress bar by a line that sums up the load.
func (p *progress) finish() error {
	err := p.bar.Finish()
	took := time.Since(p.started)
	before := ""
	if p.before > 0 {
		before = fmt.Sprintf(", %d of them already stored by an earlier load (--again stores them again)", p.before)
	}
	fmt.Fprintf(os.Stderr, "%s: %d rows%s, %s in %.1f s (%s/s)\n", p.name, p.rows, before, size(float64(p.size)), took.Seconds(), size(float64(p.size)/max(took.Seconds(), 1e-3)))
	return err
}

// abandon stops the progress bar and leaves it as it is.
func (p *progress) abandon() error { return p.bar.Exit() }

// size formats a number of bytes for people, with a unit such as MiB.
func size(bytes float64) string {
	unit := 0
	for ; bytes >= 1000 && unit < 4; unit++ {
		bytes /= 1024
	}
	if unit == 0 {
		return fmt.Sprintf("%.0f B", bytes)
	}
	return fmt.Sprintf("%.1f %ciB", bytes, " KMGT"[unit])
}
