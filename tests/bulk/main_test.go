package bulk

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// programs are what tests share: generated and compiled for the first that asks.
var programs struct {
	sync.Mutex
	dir  string
	made map[string]*program
}

type program struct {
	sync.Mutex
	value any
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "scoter-bulk-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs.dir, programs.made = dir, map[string]*program{}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// shared returns what build made in a folder of its own, of that name, which nothing else writes
// to.
func shared[T any](t *testing.T, name string, build func(dir string) T) T {
	programs.Lock()
	p := programs.made[name]
	if p == nil {
		p = &program{}
		programs.made[name] = p
	}
	programs.Unlock()
	p.Lock()
	defer p.Unlock()
	if p.value == nil {
		dir := filepath.Join(programs.dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p.value = build(dir)
	}
	return p.value.(T)
}
