package binary

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// diskScript mounts a small disk in a separate mount namespace, where other processes do not see
// it, and stays running. Its arguments are the disk's folder and its size.
const diskScript = `mount -t tmpfs -o size="$2" scoter-disk "$1" && echo mounted && exec sleep 3600`

// Disk is a separate disk, and the paths under which programs see it.
type Disk struct {
	Dir     string // as the programs see it
	Outside string // the same folder as this process sees it
	enter   []string
}

// NewDisk mounts a disk of a size ("24m") as root, or in a user namespace. It returns nil if the
// machine supports neither.
func NewDisk(t testing.TB, size string) *Disk {
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
		holder := exec.Command("unshare", append(args, "sh", "-c", diskScript, "sh", mountpoint, size)...)
		out, err := holder.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if holder.Start() != nil {
			continue // unshare is not installed
		}
		t.Cleanup(func() {
			_ = holder.Process.Kill() // it may have ended
			_ = holder.Wait()
		})
		line, _ := bufio.NewReader(out).ReadString('\n') // no line: mounting is not allowed
		if line != "mounted\n" {
			continue
		}
		pid := strconv.Itoa(holder.Process.Pid)
		d := &Disk{mountpoint, "/proc/" + pid + "/root" + mountpoint, append([]string{"nsenter", "--target", pid, "--mount"}, user...)}
		if user != nil {
			d.enter = append(d.enter, "--preserve-credentials")
		}
		if exec.Command(d.enter[0], append(d.enter[1:], "true")...).Run() == nil {
			return d
		}
	}
	return nil
}

// Serve is Serve for a folder of the disk.
func (d *Disk) Serve(t testing.TB, dir string, flags ...string) *Server {
	t.Helper()
	return serve(t, d.enter, filepath.Join(d.Dir, dir), flags)
}

// Command returns a command of the program on the disk.
func (d *Disk) Command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return command(t, d.enter, args...)
}

// Fill fills the disk until free is called.
func (d *Disk) Fill(t testing.TB) (free func()) {
	t.Helper()
	ballast := filepath.Join(d.Outside, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 1<<20); len(chunk) > 0; {
		if _, err := f.Write(chunk); err != nil {
			chunk = chunk[:len(chunk)/2]
		}
	}
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}
