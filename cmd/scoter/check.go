package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

type checkCommand struct {
	Dir    string `arg:"" help:"Data directory. It must not be open in a server." type:"existingdir"`
	Repair bool   `help:"Move damaged parts to the folder 'damaged' and remove them from their tables. Their rows are lost: restore a backup if there is one."`
}

func (*checkCommand) Help() string {
	return "Every file is read and compared with its checksum. The check removes only an incomplete record at the end of the log, as the server does when it opens the directory. A directory of an older format is neither checked nor changed.\n" +
		"With --repair, parts whose file is damaged or missing are moved to quarantine, one at a time and atomically, and the lost rows are listed. Try to restore a backup first.\n" +
		"Example: scoter check ./data"
}

func (c *checkCommand) Run(ctx context.Context) error {
	if err := checkIsData(c.Dir); err != nil {
		return err
	}
	if err := checkFormat(c.Dir); err != nil {
		return err
	}
	if c.Repair {
		if err := repair(ctx, c.Dir); err != nil {
			return err
		}
	}
	return check(ctx, c.Dir)
}

// checkFormat returns an error if opening the data directory would change its format version. A
// user who checks a directory before an upgrade may still want to use it with the version of Scoter
// that wrote it.
func checkFormat(dir string) error {
	lock, err := vfs.OS.Lock(filepath.Join(dir, engine.LockName))
	if err != nil {
		return err
	}
	format, err := catalog.Format(vfs.OS, filepath.Join(dir, catalog.FileName))
	if err := errors.Join(err, lock.Close()); err != nil || format == catalog.FormatVersion {
		return err
	}
	return base.Errorf(base.Invalid, "%s has format %d: a check by this version would change it to format %d, which older versions cannot open", dir, format, catalog.FormatVersion).
		WithHint("check it with the version that wrote it, or check a copy (restore a backup)")
}

// checkIsData returns an error if a folder is not a data directory. Without this check, opening the
// folder would make it an empty data directory.
func checkIsData(dir string) error {
	is, err := engine.Exists(vfs.OS, dir)
	if err == nil && !is {
		err = base.Errorf(base.NotFound, "%s is not a data directory: %s is missing or empty", dir, catalog.FileName)
	}
	return err
}

// checkMayBeData returns an error if a folder has files that do not belong in a data directory.
func checkMayBeData(dir string) error {
	names, err := vfs.OS.List(dir)
	if base.KindOf(err) == base.NotFound && err != nil {
		return nil // a folder that does not exist will be created
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(engine.AllowedNames, name) || slices.Contains(engine.DataDirNames, name)
	})
	if err != nil || len(names) == 0 {
		return err
	}
	return checkIsData(dir)
}

// check reads and verifies all data: the invariants of the catalog, every part with its checksums
// and statistics, and every record of the log.
func check(ctx context.Context, dir string) (err error) {
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true, KeepOrphans: true}, engine.Components{FS: vfs.OS, Logger: newLogger("warn", os.Stderr)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := e.Check(ctx); err != nil {
		return err
	}
	snap, err := e.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	var rows int64
	parts := 0
	for _, t := range snap.Tables {
		rows += t.Rows()
		parts += len(t.Parts)
	}
	if left := e.Orphans(); len(left) > 0 {
		fmt.Printf("the catalog does not list %d paths, such as %s: a crash during a flush or merge left them, unless the catalog is an older copy; the next start removes them\n", len(left), left[0])
	}
	fmt.Printf("%d tables, %d parts, %d rows: all is well\n", len(snap.Tables), parts, rows)
	return nil
}
