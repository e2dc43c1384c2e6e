package http

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestTheDocumentationIsRight runs the examples of docs/API.md and docs/SQL.md, each page on a new
// server, and compares their output.
func TestTheDocumentationIsRight(t *testing.T) {
	for page, least := range map[string]int{"API.md": 10, "SQL.md": 3} {
		t.Run(page, func(t *testing.T) { runExamples(t, "../../docs/"+page, least) })
	}
}

// runExamples runs the sh blocks of a page in order, and compares their output with the output
// blocks below them. It fails if the page has fewer than least blocks.
func runExamples(t *testing.T, page string, least int) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n(?:```output\n(.*?)^```\n)?").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < least {
		t.Fatalf("%d examples", len(blocks))
	}
	s := binary.Serve(t, t.TempDir())
	for _, b := range blocks {
		script := strings.ReplaceAll(strings.ReplaceAll(b[1], "http://127.0.0.1:7287", s.URL), "curl ", "curl -sS --noproxy '*' ")
		out, err := exec.Command("sh", "-ec", script).CombinedOutput()
		if err != nil {
			t.Errorf("%s%v: %s", b[1], err, out)
			continue
		}
		if got, want := normalize(string(out)), normalize(b[2]); b[2] != "" && got != want {
			t.Errorf("%sprints\n%s\nnot\n%s", b[1], got, want)
		}
	}
}

// normalize replaces everything that differs between runs: times, headers except the status, and
// line ends.
func normalize(text string) string {
	text = regexp.MustCompile(`"elapsed_ms":[0-9.]+`).ReplaceAllString(text, `"elapsed_ms":0`)
	text = strings.ReplaceAll(text, "\r", "")
	text = regexp.MustCompile(`(?m)^[A-Za-z-]+: .*\n`).ReplaceAllString(text, "")
	return strings.TrimSpace(text)
}
