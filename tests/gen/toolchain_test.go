package gen

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// root is the repository's folder.
func root(t testing.TB) string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// cache is a folder of the repository that git ignores: installed packages
// live there from run to run.
func cache(t testing.TB, parts ...string) string {
	return filepath.Join(append([]string{root(t), ".cache", "gen"}, parts...)...)
}

// run executes a program in a folder and returns its output; a failure ends
// the test with everything it said.
func run(t testing.TB, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		text := string(out) + stderr.String()
		if len(text) > 12000 {
			text = text[:12000] + "\n..."
		}
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
	return string(out)
}

// need skips the test when a program is not installed.
func need(t *testing.T, program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// install runs once per content of the file that pins the versions.
func install(t *testing.T, dir, pin string, do func()) {
	want, err := os.ReadFile(pin)
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(dir, ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == string(want) {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	do()
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(text))
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// server is a PostgreSQL for the tests of this process.
type server struct {
	host, user, password string
	port                 int
}

func (s server) env() []string {
	return []string{"PGHOST=" + s.host, "PGPORT=" + strconv.Itoa(s.port), "PGUSER=" + s.user, "PGPASSWORD=" + s.password}
}

var (
	serverOnce sync.Once
	serverNow  server
	serverNone string
	serverStop = func() {}
)

func TestMain(m *testing.M) {
	code := m.Run()
	serverStop()
	os.Exit(code)
}

// startPostgres returns the one server of this process. The test is skipped
// when there is none.
func startPostgres(t *testing.T) server {
	serverOnce.Do(func() { serverNow, serverNone = newServer(t) })
	if serverNone != "" {
		t.Skip(serverNone)
	}
	return serverNow
}

// newServer starts the newest installed PostgreSQL on a free port with a
// fresh cluster, or uses the one that PGHOST, PGPORT, PGUSER and PGPASSWORD
// name. It returns why there is none.
func newServer(t *testing.T) (s server, none string) {
	if host := os.Getenv("PGHOST"); host != "" {
		port, err := strconv.Atoi(os.Getenv("PGPORT"))
		if err != nil {
			port = 5432
		}
		return server{host: host, port: port, user: os.Getenv("PGUSER"), password: os.Getenv("PGPASSWORD")}, ""
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		t.Fatal(err)
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return server{}, "PostgreSQL is not installed"
	}
	sort.Strings(found)
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "scoter-pg-")
	if err != nil {
		t.Fatal(err)
	}
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		// PostgreSQL refuses to run as root.
		u, err := user.Lookup("nobody")
		if err != nil {
			return server{}, "there is no user to run PostgreSQL as"
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "scoter", "-A", "trust", "-E", "UTF8", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, attr
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	pg := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", strconv.Itoa(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off")
	pg.Dir, pg.SysProcAttr, pg.Stdout, pg.Stderr = dir, attr, log, log
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	serverStop = func() {
		pg.Process.Signal(syscall.SIGINT)
		pg.Wait()
		os.RemoveAll(dir)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("PostgreSQL did not start: %s", text)
		}
	}
	return server{host: "127.0.0.1", port: port, user: "scoter"}, ""
}
