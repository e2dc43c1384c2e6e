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

// small are the flags of a server that makes parts early and often.
var small = []string{"--flush-bytes", "2MiB", "--flush-age", "200ms", "--write-memory", "16MiB", "--max-body", "4MiB"}

// TestAFullDisk fills the disk beside the server: a write that cannot be stored is an error, what
// was acknowledged stays and is served, and once there is space, writes go on.
func TestAFullDisk(t *testing.T) {
	disk := binary.NewDisk(t, "24m")
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
	}
	s := disk.Serve(t, "data", small...)
	acknowledged := 0
	// The rows do not compress, so that they take the space that they seem to.
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
	sql(t, s, "CREATE TABLE IF NOT EXISTS other (a INTEGER)") // may or may not find space; must not harm
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
