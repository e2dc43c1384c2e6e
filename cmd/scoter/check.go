package main

import (
	"context"
	"fmt"
	"os"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

type checkCommand struct {
	Dir string `arg:"" help:"Data directory; no server may have it open." type:"existingdir"`
}

func (*checkCommand) Help() string { return "Example: scoter check ./data" }

func (c *checkCommand) Run(ctx context.Context) error { return check(ctx, c.Dir) }

// check reads everything: the catalog's invariants, every part against its checksum and
// statistics, every record of the log.
func check(ctx context.Context, dir string) error {
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{FS: vfs.OS, Logger: newLogger("warn", os.Stderr)})
	if err != nil {
		return err
	}
	err = e.Check(ctx)
	snap, snapErr := e.Snapshot()
	if err == nil && snapErr == nil {
		var rows int64
		parts := 0
		for _, t := range snap.Tables {
			rows += t.Rows()
			parts += len(t.Parts)
		}
		fmt.Printf("%d tables, %d parts, %d rows: all is well\n", len(snap.Tables), parts, rows)
	}
	if snapErr == nil {
		snap.Release()
	}
	if closeErr := e.Close(); err == nil {
		err = closeErr
	}
	return err
}
