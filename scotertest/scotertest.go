// Package scotertest gives tests a Scoter of their own: a real server on a free port and a
// temporary directory, in the test's process.
package scotertest

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
)

// Server is a running server.
type Server struct {
	URL string // http://127.0.0.1:port
	Dir string // its data directory
}

// Start starts a server that ends with the test. Its only database is "default".
func Start(t testing.TB) *Server {
	t.Helper()
	settings := config.Default()
	settings.Dir, settings.Listen = t.TempDir(), "127.0.0.1:0"
	a, err := app.Open(settings, false, slog.New(slog.NewTextHandler(testLog{t}, nil)))
	if err != nil {
		t.Fatalf("open scoter: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- a.Serve(ctx, func(at string) { address <- at }) }()
	select {
	case at := <-address:
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Errorf("scoter: %v", err)
			}
			if err := a.Close(); err != nil {
				t.Errorf("close scoter: %v", err)
			}
		})
		return &Server{URL: "http://" + at, Dir: settings.Dir}
	case err := <-ended:
		stop()
		_ = a.Close() // the error that ended it says more
		t.Fatalf("start scoter: %v", err)
	}
	return nil
}

// testLog writes what a server logs to the test's log.
type testLog struct{ t testing.TB }

var _ io.Writer = testLog{}

func (l testLog) Write(line []byte) (int, error) {
	l.t.Logf("%s", line)
	return len(line), nil
}
