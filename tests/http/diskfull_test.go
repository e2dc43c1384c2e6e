package http

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// small are the flags of a server that flushes early and often.
var small = []string{"--flush-bytes", "2MiB", "--flush-age", "200ms", "--write-memory", "16MiB", "--max-body", "4MiB"}

// TestAFullDisk fills the server's disk. A write that cannot be stored is an error. Acknowledged
// rows stay and can be read. After space is freed, writes work again.
func TestAFullDisk(t *testing.T) {
	disk := binary.NewDisk(t, "24m")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
	}
	s := disk.Serve(t, "data", small...)
	acknowledged := 0
	// The rows do not compress, so that they need as much space as their text.
	write := func() (int, string) {
		var body strings.Builder
		for range 200 {
			fmt.Fprintf(&body, `{"request":%d,"text":"%s"}`+"\n", acknowledged, noise(1000))
		}
		a := rows(t, s, "t", ndjson, body.String())
		if a.status == http.StatusOK {
			acknowledged++
		}
		return a.status, a.body
	}
	if status, text := write(); status != 200 {
		t.Fatal(status, text)
	}
	free := disk.Fill(t)

	full, large := answer{}, 0
	for range 200 {
		a := rows(t, s, "t", ndjson, fmt.Sprintf(`{"request":-1,"text":"%s"}`, noise(4<<20-100)))
		if a.status != 200 {
			full = a
			break
		}
		large++
	}
	full.refused(t, 507, "storage_full")
	if full.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	equal(t, s, "SELECT count(*) FROM t WHERE request = 0", "[[200]]")
	// may or may not find space; must not do harm
	sql(t, s, "CREATE TABLE IF NOT EXISTS other (a INTEGER)")
	send(t, s, "GET", "/healthz", "").must(t, 200)

	free()
	deadline := time.Now().Add(30 * time.Second)
	for {
		status, text := write()
		if status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("space is there again, and still: %d %s", status, text)
		}
		time.Sleep(100 * time.Millisecond)
	}
	const query = "SELECT request, count(*) FROM t GROUP BY ALL ORDER BY ALL"
	want := "[[0,200],[1,200]]"
	if large > 0 {
		want = fmt.Sprintf("[[-1,%d],[0,200],[1,200]]", large)
	}
	equal(t, s, query, want)
	send(t, s, "GET", "/readyz", "").must(t, 200)

	s.Kill()
	if out, err := disk.Command(t, "check", filepath.Join(disk.Dir, "data")).CombinedOutput(); err != nil {
		t.Errorf("scoter check: %v %s", err, out)
	}
	s = disk.Serve(t, "data", small...)
	equal(t, s, query, want)
}

// TestAServerOnAFullDiskReadsAndDeletes starts a server on a disk without free space.
func TestAServerOnAFullDiskReadsAndDeletes(t *testing.T) {
	disk := binary.NewDisk(t, "24m")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
	}
	s := disk.Serve(t, "data", small...)
	sql(t, s, "CREATE TABLE big AS SELECT i, repeat('x', 100) AS s FROM range(1000) r(i)")
	sql(t, s, "CREATE TABLE t AS SELECT i FROM range(10) r(i)")
	s.Kill()
	free := disk.Fill(t)

	s = disk.Serve(t, "data", small...)
	equal(t, s, "SELECT count(*) FROM t", "[[10]]")
	send(t, s, "GET", "/readyz", "").refused(t, 507, "storage_full")
	if metrics := send(t, s, "GET", "/metrics", "").body; !strings.Contains(metrics, "\nscoter_writable 0\n") {
		t.Error("scoter_writable is not 0")
	}
	rows(t, s, "t", ndjson, `{"i":10}`).refused(t, 507, "storage_full")
	sql(t, s, "DELETE FROM t WHERE i < 5").must(t, 200)
	equal(t, s, "SELECT count(*) FROM t", "[[5]]")
	// the reserve is only for deletions
	rows(t, s, "t", ndjson, `{"i":10}`).refused(t, 507, "storage_full")
	sql(t, s, "DROP TABLE big").must(t, 200)

	free()
	for deadline := time.Now().Add(30 * time.Second); send(t, s, "GET", "/readyz", "").status != 200; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("space is there again, and it is not ready")
		}
	}
	rows(t, s, "t", ndjson, `{"i":10}`).must(t, 200)
	s.Kill()
	s = disk.Serve(t, "data", small...)
	equal(t, s, "SELECT count(*) FROM t", "[[6]]")
}
