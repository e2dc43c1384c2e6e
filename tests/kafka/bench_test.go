package kafka

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestTheBenchmarkRuns runs the benchmark with few messages, and checks that the report has every
// number.
func TestTheBenchmarkRuns(t *testing.T) {
	printed, err := exec.Command(binary.Bench(t), "stream", "--fake", "--messages", "2000", "--repeat", "1", "--latency", "1", "--scratch", t.TempDir()).CombinedOutput()
	out := string(printed)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, figure := range []string{"nested: server CPU", "nested, with parts: server CPU", "normalized with parts: rows", "flat, with parts: messages", "without messages", "a single message"} {
		if !strings.Contains(out, figure) {
			t.Errorf("no %q in\n%s", figure, out)
		}
	}
}
