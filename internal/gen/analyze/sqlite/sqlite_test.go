package sqlite

import (
	"flag"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

func open(t *testing.T) analyze.Engine {
	t.Helper()
	e, err := Open()
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
	analyzetest.CheckGolden(t, ir.SQLite, *update, open)
}
