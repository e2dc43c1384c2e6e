package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"
)

// repair moves the damaged parts of a data directory out of their tables, to the folder damaged/ of
// the directory. It prints which rows are lost.
func repair(ctx context.Context, dir string) (err error) {
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true, KeepOrphans: true}, engine.Components{FS: vfs.OS, Logger: newLogger("error", os.Stderr)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	parts, damages, err := e.DamagedParts(ctx)
	if err != nil {
		return err
	}
	for i, p := range parts {
		fmt.Println(damages[i])
		lost, err := e.Quarantine(ctx, p)
		if err != nil {
			return err
		}
		printLost(lost)
	}
	if len(parts) == 0 {
		fmt.Println("no part is damaged")
	}
	return e.CollectGarbage()
}

func printLost(l engine.QuarantinedPart) {
	fmt.Printf("  table %s lost %d rows of part %d, written %s\n", l.Table.QualifiedName(), l.Rows, l.Part.ID, l.Part.Created.Format("2006-01-02 15:04:05Z"))
	if l.Part.Partition != "" {
		fmt.Printf("  partition: %s\n", l.Part.Partition)
	}
	if len(l.SortKeyRange) > 0 {
		fmt.Printf("  %s: from %s to %s\n", l.SortKeyRange[0], l.SortKeyRange[1], l.SortKeyRange[2])
	}
	if l.OlderRowsVisible {
		fmt.Println("  the table merges on read: older rows of these keys may be visible again")
	}
	if l.Copy == "" {
		fmt.Println("  the file was missing")
	} else {
		fmt.Printf("  the file is now %s\n", l.Copy)
	}
	fmt.Printf("  its entry in the catalog is saved in %s\n", l.Described)
}
