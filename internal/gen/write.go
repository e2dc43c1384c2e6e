package gen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Change is a file whose content on disk differs from the generated content.
type Change struct {
	// Path is the file's path for messages, relative to the working folder.
	Path string `json:"path"`
	// Missing means that the file does not exist on disk yet.
	Missing bool `json:"missing"`
	content string
}

// Compare returns the generated files whose content on disk is different, sorted by path. It
// ignores differences in line ends, because git may have changed them.
func (o *Output) Compare() ([]Change, error) {
	var out []Change
	for _, f := range o.Files {
		path := filepath.FromSlash(f.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, path)
		}
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			out = append(out, Change{path, true, f.Content})
		case err != nil:
			return nil, base.Errorf(base.Invalid, "read generated file: %w", err)
		case strings.ReplaceAll(string(old), "\r\n", "\n") != f.Content:
			out = append(out, Change{path, false, f.Content})
		}
	}
	return out, nil
}

// Write writes the generated files that differ from those on disk, and returns what it changed. It
// does not touch the other files, so that their modification times stay as they are for build
// tools. It first writes all files under temporary names, and then renames them. So if the disk is
// full, all old files stay unchanged.
func (o *Output) Write() (changed []Change, err error) {
	if changed, err = o.Compare(); err != nil {
		return nil, err
	}
	scratch := make([]string, len(changed))
	defer func() {
		for _, s := range scratch {
			if s != "" {
				_ = os.Remove(s) // a leftover; the first error is more important than this one
			}
		}
	}()
	for i, c := range changed {
		if scratch[i], err = writeTemporary(c); err != nil {
			return nil, base.Errorf(base.Invalid, "write %s: %w", c.Path, err)
		}
	}
	for i, c := range changed {
		if err := os.Rename(scratch[i], c.Path); err != nil {
			return nil, base.Errorf(base.Invalid, "write %s: %w", c.Path, err)
		}
		scratch[i] = ""
	}
	return changed, nil
}

// writeTemporary writes the new content of a file to a temporary file in the same folder. It
// returns the path of the temporary file.
func writeTemporary(c Change) (path string, err error) {
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(c.Path), ".scoter-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(c.content)
	// CreateTemp makes a file that only its owner can read. Generated code needs the permissions of
	// source code.
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// String returns the change as a line of a message: `new path` or `changed path`.
func (c Change) String() string {
	if c.Missing {
		return fmt.Sprintf("new     %s", c.Path)
	}
	return fmt.Sprintf("changed %s", c.Path)
}
