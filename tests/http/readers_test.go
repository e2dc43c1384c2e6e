//go:build linux

package http

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// slowReader requests a result that is larger than any buffer, and reads nothing.
func slowReader(t *testing.T, url, sql, format string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(128 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "POST /api/v1/sql?format=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", format, len(sql), sql); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestReadersThatTakeNothingKeepNobodyOut has readers that read nothing, and readers that read a
// few bytes at a time. They must not occupy the right of other queries to run (a slot among
// max_queries), nor memory, nor more disk space than allowed.
func TestReadersThatTakeNothingKeepNobodyOut(t *testing.T) {
	const places, readers, space = 8, 40, 64 << 20
	s := binary.Serve(t, t.TempDir(), "--max-queries", strconv.Itoa(places), "--query-memory", "256MiB", "--result-space", strconv.Itoa(space)+"B")
	if got := s.Rows(t, "SELECT sum(i) FROM range(1000) t(i)"); fmt.Sprint(got) != "[[499500]]" {
		t.Fatal(got)
	}
	before := resident(t, s.PID())
	var conns []net.Conn
	for i := range readers {
		sql := "SELECT i, repeat('x', 1000) FROM range(100000000) t(i)"
		if i%4 == 0 {
			// less than the spool limit of one reader
			sql = "SELECT i, repeat('x', 1000) FROM range(6000) t(i)"
		}
		conn := slowReader(t, s.URL, sql, []string{"csv", "json", "arrow"}[i%3])
		conns = append(conns, conn)
		if i%5 == 0 {
			go func() {
				for {
					if _, err := conn.Read(make([]byte, 10)); err != nil {
						return
					}
					time.Sleep(50 * time.Millisecond)
				}
			}()
		}
	}
	// Measure from the start on, while the queries of most readers still wait until they may run.
	var took []time.Duration
	for until := time.Now().Add(readers/places*time.Second + 5*time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		began := time.Now()
		s.Rows(t, "SELECT 1")
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	// Allow some exceptions, because other tests may use the processors for a moment.
	if most, longest := took[len(took)*9/10], took[len(took)-1]; most > time.Second || longest > 5*time.Second {
		t.Errorf("of %d times SELECT 1 beside readers that take nothing, 9 of 10 took up to %v, and the longest %v", len(took), most, longest)
	}
	if running := gauge(t, s.URL, "scoter_result_space_bytes"); running > space || running == 0 {
		t.Errorf("%d bytes of results are kept", running)
	}
	with := resident(t, s.PID())
	t.Logf("%d MiB before, %d with the readers", before>>20, with>>20)
	// Each running query has some chunks of 2 MiB, and buffers of its format. The queries of
	// readers that wait for the rest of their result have ended.
	if with > before+2*places*16<<20 {
		t.Errorf("%d readers that take nothing cost %d MiB", readers, (with-before)>>20)
	}
	// A reader that reads the rest at last gets all of a spooled result, or the reason why it ends.
	rest := func(conn net.Conn) string {
		_ = conn.SetReadDeadline(time.Now().Add(15 * time.Second))
		text, _ := io.ReadAll(conn) // the connection is kept alive for another request, or cut
		return string(text)
	}
	if whole := rest(conns[4]); len(whole) < 6000*1000 {
		t.Errorf("of a result that was kept %d bytes come", len(whole))
	}
	if part := rest(conns[1]); !strings.Contains(part, "too slowly") {
		t.Errorf("what ends a result that is too large: %d bytes, at last %q\n%s", len(part), part[max(0, len(part)-300):], s.Log())
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	for until := time.Now().Add(10 * time.Second); gauge(t, s.URL, "scoter_result_space_bytes") > 0; {
		if time.Now().After(until) {
			t.Fatal("the readers are gone, and their results are kept")
		}
		time.Sleep(50 * time.Millisecond)
	}
	const left = 64 << 20 // caches, and mapped files
	for until := time.Now().Add(time.Minute); resident(t, s.PID()) > before+left; time.Sleep(time.Second) {
		if time.Now().After(until) {
			t.Fatalf("a minute after the readers went, the process has %d MiB, and had %d before them", resident(t, s.PID())>>20, before>>20)
		}
	}
}

// resident returns the resident memory of a process, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// gauge returns the value of a metric.
func gauge(t *testing.T, url, name string) int64 {
	t.Helper()
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + ` (\d+)`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s", name)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
