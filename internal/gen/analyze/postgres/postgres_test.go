package postgres

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shared is one embedded server for all tests.
var shared string

func TestMain(m *testing.M) {
	flag.Parse()
	shared = os.Getenv("SCOTER_POSTGRES_URL")
	var server *Server
	if shared == "" {
		var err error
		if server, err = StartServer(context.Background()); err == nil {
			shared = server.URL()
		}
	}
	code := m.Run()
	if server != nil {
		if err := server.Close(); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

func open(t *testing.T) analyze.Engine {
	t.Helper()
	if shared == "" {
		t.Skip("no PostgreSQL: it can be neither downloaded nor reached")
	}
	e, err := Open(context.Background(), shared)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestFilesAreAnalysedAsRecorded(t *testing.T) {
	analyzetest.CheckGolden(t, ir.Postgres, *update, open)
}
