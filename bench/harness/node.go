package harness

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Node is a compiled TypeScript program of a benchmark.
type Node struct {
	// Dir is a folder for the program's data, removed by Close.
	Dir     string
	program string
}

// Node compiles a benchmark's TypeScript program: files has scoter.yaml with its queries, of which
// code is generated, package.json and its lock file, tsconfig.json, and the sources in src/. The
// packages are installed once per lock file, in the user's cache folder.
func (e *Env) Node(files fs.FS) (_ *Node, err error) {
	dir, err := os.MkdirTemp(e.Dir, "scoter-bench-node-")
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "temporary folder: %w", err)
	}
	n := &Node{Dir: filepath.Join(dir, "data"), program: dir}
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	if err := os.CopyFS(dir, files); err != nil {
		return nil, base.Errorf(base.Unavailable, "copy the program: %w", err)
	}
	if err := os.Mkdir(n.Dir, 0o755); err != nil {
		return nil, base.Errorf(base.Unavailable, "data folder: %w", err)
	}
	packages, err := installed(dir, "package-lock.json", func(into string) error {
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return base.Errorf(base.Internal, "packages: %w", err)
			}
			if err := os.WriteFile(filepath.Join(into, name), text, 0o644); err != nil {
				return base.Errorf(base.Unavailable, "packages: %w", err)
			}
		}
		return command(into, "npm", "ci", "--no-audit", "--no-fund")
	})
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		return nil, base.Errorf(base.Unavailable, "packages: %w", err)
	}
	scoter, err := os.Executable()
	if err != nil {
		return nil, base.Errorf(base.Internal, "this program: %w", err)
	}
	if err := command(dir, scoter, "generate"); err != nil {
		return nil, err
	}
	return n, command(dir, filepath.Join("node_modules", ".bin", "tsc"), "-p", ".")
}

// installed returns a folder with the packages that a file of dir pins; install puts them there
// unless an earlier benchmark has.
func installed(dir, pin string, install func(into string) error) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, pin))
	if err != nil {
		return "", base.Errorf(base.Internal, "packages: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", base.Errorf(base.Unavailable, "packages: %w", err)
	}
	sum := sha256.Sum256(text)
	folder := filepath.Join(cache, "scoter", "bench", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", base.Errorf(base.Unavailable, "packages: %w", err)
	}
	into, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "packages: %w", err)
	}
	defer os.RemoveAll(into)
	if err := install(into); err != nil {
		return "", err
	}
	if err := os.Rename(into, folder); err != nil && !os.IsExist(err) {
		return "", base.Errorf(base.Unavailable, "packages: %w", err)
	}
	return folder, nil
}

// Close removes the program and its data.
func (n *Node) Close() error { return os.RemoveAll(n.program) }

// Start runs a file of the program in Node.js: the machine's, or the newer one among the packages.
func (n *Node) Start(newer bool, args ...string) (*Conversation, error) {
	node := "node"
	if newer {
		node = filepath.Join(n.program, "node_modules", "node", "bin", "node")
	}
	c := exec.Command(node, append([]string{"--no-warnings", "--max-semi-space-size=64"}, args...)...)
	c.Dir = n.program
	return Converse(c)
}

// Conversation is a running program that is asked line by line.
type Conversation struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	stderr  bytes.Buffer
}

// Converse starts a program that answers lines of its standard input with lines of JSON.
func Converse(command *exec.Cmd) (*Conversation, error) {
	c := &Conversation{command: command}
	command.Stderr = &c.stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, base.Errorf(base.Internal, "program: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, base.Errorf(base.Internal, "program: %w", err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := command.Start(); err != nil {
		return nil, base.Errorf(base.Unavailable, "program: %w", err)
	}
	return c, nil
}

// Ask sends a line and hands over the answers until take returns false.
func Ask[T any](c *Conversation, line string, take func(T) bool) error {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		return c.failed(err)
	}
	for c.out.Scan() {
		var answer T
		if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
			return base.Errorf(base.Internal, "the program says %q", c.out.Text())
		}
		if !take(answer) {
			return nil
		}
	}
	return c.failed(c.out.Err())
}

// failed is the error of a program that has ended too early.
func (c *Conversation) failed(err error) error {
	c.in.Close()
	if wait := c.command.Wait(); wait != nil {
		err = wait
	}
	return base.Errorf(base.Internal, "program: %v\n%s", err, strings.TrimSpace(c.stderr.String()))
}

// Close ends the program.
func (c *Conversation) Close() error {
	c.in.Close()
	if c.command.ProcessState != nil {
		return nil
	}
	if err := c.command.Wait(); err != nil {
		return base.Errorf(base.Internal, "program: %w\n%s", err, strings.TrimSpace(c.stderr.String()))
	}
	return nil
}
