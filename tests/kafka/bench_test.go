package kafka

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestTheBenchmarkRuns runs it on few messages: every figure is there.
func TestTheBenchmarkRuns(t *testing.T) {
	out, code := binary.Run(t, "bench", "stream", "--fake", "--messages", "2000", "--repeat", "1", "--latency", "1", "--scratch", t.TempDir())
	if code != 0 {
		t.Fatal(out)
	}
	for _, figure := range []string{"nested: server CPU", "nested, with parts: server CPU", "normalized with parts: rows", "flat, with parts: messages", "without messages", "a single message"} {
		if !strings.Contains(out, figure) {
			t.Errorf("no %q in\n%s", figure, out)
		}
	}
}
