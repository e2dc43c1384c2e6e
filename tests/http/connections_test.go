package http

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestIdleConnectionsKeepNobodyOut opens more connections than the process may have file
// descriptors. Meanwhile rows are written and flushed, for which the server needs files.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	const descriptors = 128
	s := binary.ServeWithFileLimit(t, descriptors, t.TempDir(), "--flush-age", "100ms")
	rows(t, s, "t", ndjson, `{"i":0}`).must(t, 200)
	for range 2 * descriptors {
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(s.URL, "http://"), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	written := 1
	for start := time.Now(); time.Since(start) < time.Second; written++ {
		// the server may be about to close this process's connection
		http.DefaultClient.CloseIdleConnections()
		rows(t, s, "t", ndjson, `{"i":1}`).must(t, 200)
		time.Sleep(10 * time.Millisecond)
	}
	send(t, s, "GET", "/readyz", "").must(t, 200)
	if n := s.Rows(t, "SELECT count(*) FROM t")[0][0].(float64); int(n) != written {
		t.Errorf("%v rows, want %d", n, written)
	}
	if strings.Contains(s.Log(), "too many open files") {
		t.Error(s.Log())
	}
}
