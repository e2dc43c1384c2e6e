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

// chromiumPackage is an npm package that contains a Chromium. Other packages of browsers download
// one during installation. Its last version needs Node.js 22 or newer, but only its files are used,
// and its code is not run.
const chromiumPackage = `{"private":true,"dependencies":{"@sparticuz/chromium":"153.0.0"}}`

// Chromium returns a command that runs a browser without a window, with a separate profile. The
// test adds the URL to open. The test is skipped if there is no Chromium for the machine.
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
		// without it this build exits at once
		"--user-data-dir=" + t.TempDir(), "--remote-debugging-port=0",
	}, args...)
	c := exec.Command(filepath.Join(dir, "chromium"), args...)
	// libraries that the machine may lack
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, "lib"))
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
