package examples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
)

// root is the repository's folder.
func root(t testing.TB) string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// run executes a program in a folder and returns its output; a failure ends
// the test with everything that it said.
func run(t testing.TB, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// need skips the test when a program is not installed.
func need(t testing.TB, program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// tools returns the folder with a language's packages. The tests of the
// generator install the same ones: theirs are used where they are complete.
// They may be installing at this moment, so this test installs elsewhere.
func tools(t *testing.T, language, pin string, install func(dir string)) string {
	pin = filepath.Join(root(t), "tests", "gen", "runtime", language, pin)
	want, err := os.ReadFile(pin)
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	for _, owner := range []string{"gen", "examples"} {
		dir = filepath.Join(root(t), ".cache", owner, language)
		if have, err := os.ReadFile(filepath.Join(dir, ".installed")); err == nil && string(have) == string(want) {
			return dir
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	install(dir)
	if err := os.WriteFile(filepath.Join(dir, ".installed"), want, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// jdk is the bin folder of the newest JDK, or the test is skipped.
func jdk(t *testing.T) string {
	var found []string
	for _, pattern := range []string{os.Getenv("JAVA_HOME") + "/bin/javac", "/usr/lib/jvm/*/bin/javac", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/javac"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, paths...)
	}
	best, newest := "", 16
	for _, path := range found {
		version := 0
		if _, err := fmt.Sscanf(run(t, ".", nil, path, "-version"), "javac %d", &version); err == nil && version > newest {
			best, newest = filepath.Dir(path), version
		}
	}
	if best == "" {
		t.Skip("no JDK of version 17 or newer is installed")
	}
	return best
}

// database is a PostgreSQL for this test process: the embedded one, with a
// TCP port that leads to its socket, since JDBC knows no other way.
type database struct {
	server *postgres.Server
	listen net.Listener
	wait   sync.WaitGroup
}

func startDatabase(t *testing.T) *database {
	server, err := postgres.StartServer(context.Background())
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	d := &database{server: server}
	t.Cleanup(d.close)
	if d.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	d.wait.Go(func() {
		for {
			client, err := d.listen.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			d.wait.Go(func() { join(t, client, socket) })
		}
	})
	return d
}

// join copies both ways until either side ends.
func join(t *testing.T, client net.Conn, socket string) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		t.Error(err)
		return
	}
	go func() {
		_, _ = io.Copy(server, client) // ends with the connection
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

func (d *database) close() {
	if d.listen != nil {
		d.listen.Close()
	}
	_ = d.server.Close()
	d.wait.Wait()
}

// create makes an empty database and returns its address, host and all.
func (d *database) create(t *testing.T, name string) string {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("//%s/%s", d.listen.Addr(), name)
}
