package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/scoterdb/scoter/bench/stream/broker"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// TestStream runs the example with a separate Kafka broker.
func TestStream(t *testing.T) {
	kafka, err := broker.Start(t.Context(), t.TempDir())
	if err != nil && base.KindOf(err) == base.Unavailable {
		t.Skip("NO KAFKA:", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kafka.Kill)
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(example(t, "stream-openrtb"))); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(work, "scoter.toml")
	edit(t, settings, "127.0.0.1:9092", kafka.Addr)
	edit(t, settings, `"bid.proto"`, fmt.Sprintf("%q", filepath.Join(work, "bid.proto")))
	toolchain.Run(t, toolchain.Root(t), nil, "go", "run", "./examples/stream-openrtb", "-brokers", kafka.Addr)

	s := binary.Serve(t, t.TempDir(), "--config", settings)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if fmt.Sprint(s.Rows(t, "SELECT messages FROM scoter.sources")) == "[[100000]]" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(s.Rows(t, "FROM scoter.sources"), s.Log())
		}
	}
	queries, err := filepath.Glob(filepath.Join(work, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	output := ""
	for _, q := range queries {
		code, out, stderr := scoter(t, work, "sql", "--url", s.URL, q)
		if code != 0 {
			t.Fatal(stderr)
		}
		output += out
	}
	check(t, "stream-openrtb", output)
}
