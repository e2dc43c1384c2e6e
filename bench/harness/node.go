package harness

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// TypeScript compiles the TypeScript program in dir with its tsconfig.json. Before that, it
// installs the packages in the program's package-lock.json into the user's cache folder. Programs
// with the same lock file share these packages.
func TypeScript(ctx context.Context, dir string) error {
	packages, err := installed(dir, "package-lock.json", func(into string) error {
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return base.Errorf(base.Internal, "packages: %w", err)
			}
			if err := os.WriteFile(filepath.Join(into, name), text, 0o644); err != nil {
				return base.Errorf(base.Unavailable, "packages: %w", err)
			}
		}
		return command(ctx, into, "npm", "ci", "--no-audit", "--no-fund")
	})
	if err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		return base.Errorf(base.Unavailable, "packages: %w", err)
	}
	return command(ctx, dir, filepath.Join("node_modules", ".bin", "tsc"), "-p", ".")
}

// Node returns the beginning of the command line that runs a compiled TypeScript program in dir. It
// uses the machine's Node.js or, if the argument newer is true, the newer Node.js that is among the
// program's packages.
func Node(dir string, newer bool) []string {
	node := "node"
	if newer {
		node = filepath.Join(dir, "node_modules", "node", "bin", "node")
	}
	return []string{node, "--no-warnings", "--max-semi-space-size=64"}
}

// installed returns a folder in the user's cache that has a set of packages. version is the name of
// the file in the folder dir that lists the packages. If there is no folder for this list yet,
// installed calls install to fill one.
func installed(dir, version string, install func(into string) error) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, version))
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

// Conversation is a running program that reads commands, one per line, from its standard input, and
// answers each of them.
type Conversation struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	stderr  bytes.Buffer
}

// Converse starts a program. The program must answer each line of its standard input with one or
// more lines of JSON.
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
	c.out.Buffer(nil, 64<<20) // one line of an answer may contain a whole result
	if err := command.Start(); err != nil {
		return nil, base.Errorf(base.Unavailable, "program: %w", err)
	}
	return c, nil
}

// Ask sends a line to the program and decodes each line of the answer. It passes the decoded values
// to the function take, until take returns false.
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

// failed returns the error to report if the program ends before it has answered. err is the error
// of writing to the program or of reading from it. If the program itself ended with an error,
// failed reports that error instead.
func (c *Conversation) failed(err error) error {
	c.in.Close()
	if wait := c.command.Wait(); wait != nil {
		err = wait
	}
	return base.Errorf(base.Internal, "program: %v\n%s", err, strings.TrimSpace(c.stderr.String()))
}

// Close ends the program and waits for it.
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
