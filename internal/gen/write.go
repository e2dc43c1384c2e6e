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
	// Missing means that the file does not exist yet.
	Missing bool `json:"missing"`
	content string
}

// Compare returns the generated files that differ from the files on disk, sorted by path. Line ends
// are ignored, because git may have changed them.
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

// Write writes the generated files that differ from those on disk, and returns them. It does not
// touch the other files, so that build tools see no new modification time. It first writes all
// files under temporary names, and then renames them. So if the disk is full, all old files stay
// unchanged.
func (o *Output) Write() (changed []Change, err error) {
	if changed, err = o.Compare(); err != nil {
		return nil, err
	}
	scratch := make([]string, len(changed))
	defer func() {
		for _, s := range scratch {
			if s != "" {
				_ = os.Remove(s) // a leftover; the first error is more important
			}
		}
	}()
	for i, c := range changed {
		if scratch[i], err = beside(c); err != nil {
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

// beside writes the new text of a file to a temporary file in the same folder. It returns the
// temporary file's path.
func beside(c Change) (path string, err error) {
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

// String returns the change as a line for a message: `new path` or `changed path`.
func (c Change) String() string {
	if c.Missing {
		return fmt.Sprintf("new     %s", c.Path)
	}
	return fmt.Sprintf("changed %s", c.Path)
}
