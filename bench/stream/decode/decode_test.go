package decode

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/bench/harness"
)

func TestRunReportsEveryShape(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no getrusage")
	}
	var out bytes.Buffer
	o := Options{Messages: 2000, Batch: 1000, Repeat: 1}
	if err := o.Run(t.Context(), &harness.Env{Table: &out}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nested", "flat", "normalized", "against protobuf-go"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("no %s in\n%s", name, out.String())
		}
	}
}
