package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

func TestWaitingForAReaderOfAPipeCanBeStopped(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := openNonRegular(ctx, pipe); f != nil || base.KindOf(err) != base.Canceled {
		t.Errorf("%v, %v", f, err)
	}
	// This releases a writer that still waits for a reader of the pipe.
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	f, err := openNonRegular(t.Context(), pipe)
	if err != nil || f == nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// until is a context that ends once a file exists.
type until struct {
	context.Context
	path string
}

func (u until) Err() error {
	if _, err := os.Stat(u.path); err == nil {
		return context.Canceled
	}
	return u.Context.Err()
}

// TestARestoreWhoseCheckIsStoppedStays stops the check after all files are restored. Stopping the
// check does not mean that the data is damaged.
func TestARestoreWhoseCheckIsStoppedStays(t *testing.T) {
	dir, archive, restored := t.TempDir(), filepath.Join(t.TempDir(), "b.tar"), filepath.Join(t.TempDir(), "restored")
	at := where{Dir: dir, Database: "default"}
	// The table is large enough to have parts.
	if err := (&sqlCommand{where: at, Command: "CREATE TABLE t AS SELECT range AS a FROM range(5000000)", Format: "csv"}).Run(); err != nil {
		t.Fatal(err)
	}
	if err := (&backupCommand{where: at, File: archive}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := (&restoreCommand{File: archive, Dir: restored}).Run(until{t.Context(), filepath.Join(restored, "catalog.db")})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := (&checkCommand{Dir: restored}).Run(t.Context()); err != nil {
		t.Error(err)
	}
}
