package http

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// diskScript mounts a small disk in a mount namespace of its own, where nobody else sees it,
// and serves from it. Its first argument is the disk's folder.
const diskScript = `mount -t tmpfs -o size=24m scoter-disk "$1" && shift && exec "$@"`

// onSmallDisk starts the program on a disk of 24 MiB, as root, or in a user namespace. It
// returns nil if the machine can do neither.
func onSmallDisk(t *testing.T) (s *binary.Server, disk string) {
	if runtime.GOOS != "linux" {
		return nil, ""
	}
	mountpoint := t.TempDir()
	for _, unshare := range [][]string{{"unshare", "--mount"}, {"unshare", "--mount", "--user", "--map-root-user"}} {
		args := append(unshare, "sh", "-c", diskScript, "sh", mountpoint, binary.Path(t), "serve", "--dir", filepath.Join(mountpoint, "data"),
			"--listen", "127.0.0.1:0", "--flush-bytes", "2MiB", "--flush-age", "200ms", "--write-memory", "16MiB", "--max-body", "4MiB")
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = t.TempDir()
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if cmd.Start() != nil {
			continue
		}
		line, _ := bufio.NewReader(out).ReadString('\n') // none: it did not start
		_, url, ok := strings.Cut(strings.TrimSpace(line), "ready on ")
		if !ok {
			_ = cmd.Wait() // it has said why on standard error
			continue
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
		})
		// From outside, the namespace's files are reached through the process.
		return &binary.Server{URL: url}, fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, mountpoint)
	}
	return nil, ""
}

// TestAFullDisk fills the disk beside the server: a write that cannot be stored is an error, what
// was acknowledged stays and is served, and once there is space, writes go on.
func TestAFullDisk(t *testing.T) {
	s, disk := onSmallDisk(t)
	if s == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
	}
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
	ballast := filepath.Join(disk, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, &endless{}); err == nil {
		t.Fatal("the disk has no end")
	}
	f.Close()

	full := answer{}
	for range 200 {
		a := rows(t, s, "t", ndjson, fmt.Sprintf(`{"request":-1,"text":"%s"}`, noise(4<<20-100)))
		if a.status != 200 {
			full = a
			break
		}
	}
	full.refused(t, 507, "storage_full")
	if full.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	equal(t, s, "SELECT count(*) FROM t WHERE request = 0", "[[200]]")
	sql(t, s, "CREATE TABLE IF NOT EXISTS other (a INTEGER)") // may or may not find space; must not harm
	send(t, s, "GET", "/healthz", "").must(t, 200)

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
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
	equal(t, s, "SELECT request, count(*) FROM t WHERE request >= 0 GROUP BY ALL ORDER BY ALL", "[[0,200],[1,200]]")
	send(t, s, "GET", "/readyz", "").must(t, 200)
}
