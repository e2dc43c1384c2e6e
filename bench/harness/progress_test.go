package harness

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestProgress(t *testing.T) {
	_, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer func(terminal *os.File) { os.Stderr = terminal }(os.Stderr)
	os.Stderr = w
	if p := NewProgress(3); p.out != io.Discard {
		t.Error("progress is shown where the standard error is no terminal")
	}
	var out strings.Builder
	p := &Progress{out: &out, all: 2}
	p.Step("one")
	p.Step("two")
	p.Close()
	want := "\r\x1b[K[" + strings.Repeat(".", 30) + "] 0/2  one\r\x1b[K[" + strings.Repeat("#", 15) + strings.Repeat(".", 15) + "] 1/2  two\r\x1b[K"
	if out.String() != want {
		t.Errorf("progress is %q, want %q", out.String(), want)
	}
	out.Reset()
	p = &Progress{out: &out}
	p.Step("one")
	if want := "\r\x1b[K    1  one"; out.String() != want {
		t.Errorf("progress of an unknown number of steps is %q, want %q", out.String(), want)
	}
}
