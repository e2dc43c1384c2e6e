package config

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func TestUnknownVariablesOfTheEnvironment(t *testing.T) {
	for _, good := range []string{
		"SCOTER_WRITE_MEMORY=1GiB", "SCOTER_TOKEN=x", "SCOTER_URL=http://a", "PATH=/bin", "MY_SCOTER_X=1", "scoter_x=1",
		// Kubernetes sets these variables for services that are called scoter and scoter-read.
		"SCOTER_SERVICE_HOST=10.0.0.1", "SCOTER_SERVICE_PORT=7287", "SCOTER_SERVICE_PORT_HTTP=7287", "SCOTER_PORT=tcp://10.0.0.1:7287",
		"SCOTER_PORT_7287_TCP=tcp://10.0.0.1:7287", "SCOTER_PORT_7287_TCP_PROTO=tcp", "SCOTER_PORT_7287_TCP_PORT=7287", "SCOTER_PORT_7287_TCP_ADDR=10.0.0.1",
		"SCOTER_READ_SERVICE_HOST=10.0.0.1", "SCOTER_READ_PORT=tcp://10.0.0.1:7287",
	} {
		if err := CheckEnvironment([]string{good}); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, near := range map[string]string{
		"SCOTER_WRITE_MEMROY=1GiB": "did you mean SCOTER_WRITE_MEMORY?", "SCOTER_LISTENS=:1": "did you mean SCOTER_LISTEN?", "SCOTER_PORT=7287": "",
		"SCOTER_NOTHING_LIKE_IT=1": "scoter config", "SCOTER_=1": "scoter config",
	} {
		err := CheckEnvironment([]string{"A=1", bad})
		e := new(base.Error)
		if name, _, _ := strings.Cut(bad, "="); !errors.As(err, &e) || e.Kind != base.Invalid || !strings.Contains(e.Message, " "+name+" ") || !strings.Contains(e.Hint, near) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	t.Setenv("SCOTER_WRITE_MEMROY", "1GiB")
	if _, err := FromEnvironment(); base.KindOf(err) != base.Invalid || err == nil {
		t.Errorf("%v", err)
	}
}

// TestVariablesOfTheRepositoryAreKnown checks all names with the prefix in programs, tests and
// documents of the repository.
func TestVariablesOfTheRepositoryAreKnown(t *testing.T) {
	list := exec.Command("git", "ls-files", "*.go", "*.java", "*.py", "*.ts", "*.mjs", "*.md", "*.service", "Makefile")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("this is no checkout of git: %v", err)
	}
	read := regexp.MustCompile("(?:env|ENV|Env|setting|environ)[^\\n]{0,25}[\"'`(](SCOTER_[A-Z_]+[A-Z])\\b|`(SCOTER_[A-Z_]+[A-Z])[=`]|(?:^|\\s)(SCOTER_[A-Z_]+[A-Z])=")
	found := map[string]bool{}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if strings.HasPrefix(path, "internal/config/") || strings.HasSuffix(path, "CHANGELOG.md") {
			continue // this test itself
		}
		text, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, prefix) || strings.Contains(line, "Setenv(") {
				continue
			}
			for _, m := range read.FindAllStringSubmatch(line, -1) {
				name := m[1] + m[2] + m[3]
				found[name] = true
				if err := CheckEnvironment([]string{name + "="}); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
	for _, name := range elsewhere {
		if !found[name] {
			t.Errorf("nothing reads %s", name)
		}
	}
}
