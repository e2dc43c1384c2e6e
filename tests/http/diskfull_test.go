package http

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// diskScript mounts a small disk in a mount namespace of its own, where nobody else sees it,
// and keeps it. Its argument is the disk's folder.
const diskScript = `mount -t tmpfs -o size=24m scoter-disk "$1" && echo mounted && exec sleep 3600`

// smallDisk is a disk of 24 MiB, and how to run a program that sees it.
type smallDisk struct {
	dir     string   // as the programs see it
	outside string   // the same, from here
	enter   []string // the command line before the program's
}

// newSmallDisk mounts one as root, or in a user namespace. It returns nil if the machine can
// do neither.
func newSmallDisk(t *testing.T) *smallDisk {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	for _, user := range [][]string{nil, {"--user"}} {
		mountpoint := t.TempDir()
		args := []string{"--mount"}
		if user != nil {
			args = append(args, "--user", "--map-root-user")
		}
		holder := exec.Command("unshare", append(args, "sh", "-c", diskScript, "sh", mountpoint)...)
		out, err := holder.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if holder.Start() != nil {
			continue // there is no unshare
		}
		t.Cleanup(func() {
			_ = holder.Process.Kill() // it may have ended
			_ = holder.Wait()
		})
		line, _ := bufio.NewReader(out).ReadString('\n') // none: it may not mount
		if line != "mounted\n" {
			continue
		}
		pid := strconv.Itoa(holder.Process.Pid)
		d := &smallDisk{mountpoint, "/proc/" + pid + "/root" + mountpoint, append([]string{"nsenter", "--target", pid, "--mount"}, user...)}
		if user != nil {
			d.enter = append(d.enter, "--preserve-credentials")
		}
		if exec.Command(d.enter[0], append(d.enter[1:], "true")...).Run() == nil {
			return d
		}
	}
	return nil
}

// command is a command of the program on the disk.
func (d *smallDisk) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	all := append(append([]string{}, d.enter[1:]...), append([]string{binary.Path(t)}, args...)...)
	cmd := exec.Command(d.enter[0], all...)
	cmd.Dir = t.TempDir()
	return cmd
}

// serve starts a server on the disk; kill ends it as kill -9 does.
func (d *smallDisk) serve(t *testing.T) (s *binary.Server, kill func()) {
	t.Helper()
	cmd := d.command(t, "serve", "--dir", filepath.Join(d.dir, "data"), "--listen", "127.0.0.1:0",
		"--flush-bytes", "2MiB", "--flush-age", "200ms", "--write-memory", "16MiB", "--max-body", "4MiB")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "ready on ")
	if !ok {
		_ = cmd.Wait()
		t.Fatalf("scoter did not start: %s", &log)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	return &binary.Server{URL: url}, kill
}

// TestAFullDisk fills the disk beside the server: a write that cannot be stored is an error, what
// was acknowledged stays and is served, and once there is space, writes go on.
func TestAFullDisk(t *testing.T) {
	disk := newSmallDisk(t)
	if disk == nil {
		t.Skip("THIS MACHINE CANNOT MOUNT A SMALL DISK: a full disk is tested in memory only (internal/engine)")
	}
	s, kill := disk.serve(t)
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
	ballast := filepath.Join(disk.outside, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, &endless{}); err == nil {
		t.Fatal("the disk has no end")
	}
	f.Close()

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
	const query = "SELECT request, count(*) FROM t GROUP BY ALL ORDER BY ALL"
	want := "[[0,200],[1,200]]"
	if large > 0 {
		want = fmt.Sprintf("[[-1,%d],[0,200],[1,200]]", large)
	}
	equal(t, s, query, want)
	send(t, s, "GET", "/readyz", "").must(t, 200)

	kill()
	if out, err := disk.command(t, "check", filepath.Join(disk.dir, "data")).CombinedOutput(); err != nil {
		t.Errorf("scoter check: %v %s", err, out)
	}
	s, _ = disk.serve(t)
	equal(t, s, query, want)
}
