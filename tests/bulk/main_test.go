package bulk

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// programs are shared by tests. The first test that needs one generates and compiles it.
var programs struct {
	sync.Mutex
	dir  string
	made map[string]*program
}

// server is the PostgreSQL of all tests. Each test creates databases of its own names.
var server struct {
	sync.Mutex
	*toolchain.Postgres
}

// postgres returns the PostgreSQL of all tests. The test is skipped if it cannot be started.
func postgres(t *testing.T) *toolchain.Postgres {
	server.Lock()
	defer server.Unlock()
	if server.Postgres == nil {
		started, err := toolchain.OpenPostgres()
		if err != nil {
			t.Skip("no PostgreSQL:", err)
		}
		server.Postgres = started
	}
	return server.Postgres
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
	if server.Postgres != nil {
		server.Close()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// shared returns the result of build for a name. build gets a folder of that name, to which nothing
// else writes.
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
