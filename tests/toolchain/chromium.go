package toolchain

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/andybalholm/brotli"
)

// chromiumPackage has a Chromium in the package itself; the other packages of browsers download one
// when they are installed. Its last version is for Node.js 22 and newer, but nothing of it is run:
// only its files are taken.
const chromiumPackage = `{"private":true,"dependencies":{"@sparticuz/chromium":"153.0.0"}}`

// Chromium returns a command that runs a browser without a window, with a profile of its own; the
// test adds what it is to open. It is skipped where there is none for the machine.
func Chromium(t testing.TB, args ...string) *exec.Cmd {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the package of Chromium is for Linux on x86-64")
	}
	packages := filepath.Join(Packages(t, "chromium", chromiumPackage), "node_modules", "@sparticuz", "chromium", "bin")
	dir := once(t, "chromium-unpacked", chromiumPackage, func(dir string) {
		unpack(t, filepath.Join(packages, "chromium.br"), func(in io.Reader) error { return save(in, filepath.Join(dir, "chromium")) })
		unpack(t, filepath.Join(packages, "al2023.tar.br"), func(in io.Reader) error { return untar(in, dir) })
	})
	args = append([]string{
		"--headless=shell", "--no-sandbox", "--disable-gpu", "--no-zygote", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir=" + t.TempDir(), "--remote-debugging-port=0", // without it this build ends at once
	}, args...)
	c := exec.Command(filepath.Join(dir, "chromium"), args...)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, "lib")) // libraries that the machine may lack
	return c
}

func unpack(t testing.TB, path string, do func(io.Reader) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := do(brotli.NewReader(f)); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func save(in io.Reader, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func untar(in io.Reader, dir string) error {
	files := tar.NewReader(in)
	for {
		h, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeReg && filepath.IsLocal(h.Name) {
			if err := save(files, filepath.Join(dir, h.Name)); err != nil {
				return err
			}
		}
	}
}
