package main

import (
	"os"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
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
	case "part", "patch": // both are Parquet
		return part.Inspect(vfs.OS, path, os.Stdout)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, catalog.FileName)
	}
	if _, err := os.Stat(path); err != nil { // opening one that is not there would make it
		return base.Errorf(base.NotFound, "%w", err)
	}
	c, _, err := catalog.Open(vfs.OS, path)
	if err != nil {
		return err
	}
	if err := c.Inspect(os.Stdout); err != nil {
		_ = c.Close() // the first error says more
		return err
	}
	return c.Close()
}
