package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
)

type inspectCommand struct {
	What string `arg:"" enum:"wal,part,patch,catalog" help:"wal, part, patch or catalog."`
	Path string `arg:"" help:"The file; for catalog also the data directory."`
}

func (*inspectCommand) Help() string {
	return "Examples:\n  scoter inspect wal data/wal/000000000001.wal\n  scoter inspect part data/parts/1/3.parquet\n  scoter inspect patch data/patches/1/9.parquet\n  scoter inspect catalog data"
}

func (i *inspectCommand) Run() error {
	path, err := filepath.Abs(i.Path)
	if err != nil {
		return err
	}
	switch i.What {
	case "wal":
		return wal.Inspect(vfs.OS, path, os.Stdout)
	case "part", "patch": // both files are in the format Parquet
		return part.Inspect(vfs.OS, path, os.Stdout)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, catalog.FileName)
	}
	return base.Wrap(inspectCatalog(path), "inspect %s", path)
}

// inspectCatalog prints the content of a catalog. It reads a copy, because opening the catalog
// itself would upgrade it to the newest format, and roll back what a crash interrupted. If the
// catalog is in a data directory, inspectCatalog locks the directory, so that no process writes the
// catalog meanwhile.
func inspectCatalog(path string) (err error) {
	lock := filepath.Join(filepath.Dir(path), engine.LockName)
	if _, err := os.Stat(lock); err == nil {
		held, err := vfs.OS.Lock(lock)
		if err != nil {
			return err
		}
		defer held.Close() // closing only releases the lock, so the error is ignored
	}
	dir, err := os.MkdirTemp("", "scoter-inspect-")
	if err != nil {
		return base.Errorf(base.Unavailable, "%w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, catalog.FileName)
	if err := copyFile(path, copied); err != nil {
		return err
	}
	if err := copyFile(path+catalog.JournalSuffix, copied+catalog.JournalSuffix); err != nil && base.KindOf(err) != base.NotFound {
		return err
	}
	c, _, err := catalog.Open(vfs.OS, copied)
	if err != nil {
		return err
	}
	return errors.Join(c.Inspect(os.Stdout), c.Close())
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return base.Errorf(base.NotFound, "%w", err)
	}
	if err != nil {
		return base.Errorf(base.Unavailable, "%w", err)
	}
	defer in.Close() // the error is ignored, since the file was only read
	return vfs.WriteFile(vfs.OS, to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
