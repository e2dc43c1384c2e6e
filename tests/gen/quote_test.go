package gen

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// nasty are texts that are difficult to quote: every pair of characters that have a special meaning
// to some compiler, and some thousand random texts.
var nasty = func() []string {
	atoms := []string{"\\", "\"", "'", "`", "$", "{", "}", "\n", "\r", "\t", "\x00", "\x1a", "\x7f", "u000a", "\\u000a", "*/", "//", "/*", "#", "%", " ", "\u00a0",
		"\u2028", "\u2029", "\ufeff", "\U0001f600", "é", "\u0301", "日", "\"\"\"", "'''", "${x}", "\\N{DASH}", "\x1b", "8", "x41", "\v", "\f", "\u0085", "\u200f", "\ue000"}
	out := []string{""}
	for _, a := range atoms {
		for _, b := range atoms {
			out = append(out, a+b)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(atoms[r.IntN(len(atoms))])
			if r.IntN(4) == 0 {
				b.WriteString("a \n  b \t\n")
			}
		}
		out = append(out, b.String())
	}
	for n := range 10 {
		quotes := strings.Repeat(`"`, n)
		out = append(out, "\n"+quotes, quotes+"\n", "a\n"+quotes+"b\n"+quotes+quotes)
	}
	return append(out, strings.Repeat("long \\ é\n", 20000))
}()

// checkQuotes compares the texts that a program printed. Each is printed twice in hexadecimal: as a
// literal, and as a multi-line literal.
func checkQuotes(t *testing.T, output string) {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	if len(lines) != 2*len(nasty) {
		t.Fatalf("%d lines for %d texts", len(lines), len(nasty))
	}
	for i, s := range nasty {
		want := hex.EncodeToString([]byte(s))
		for j, got := range lines[2*i : 2*i+2] {
			if strings.TrimSpace(got) != want {
				t.Errorf("text %q became %.60q (block: %v)", s, got, j == 1)
			}
		}
	}
}
