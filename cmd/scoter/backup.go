package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

type backupCommand struct {
	where `embed:""`
	File  string `arg:"" help:"File to write the backup to, or - for standard output."`
}

func (*backupCommand) Help() string {
	return "The backup holds all rows that were acknowledged when it began. Reads and writes continue meanwhile.\n" +
		"Examples:\n  scoter backup monday.tar\n  scoter backup --dir ./data - | zstd > monday.tar.zst"
}

func (b *backupCommand) Run(ctx context.Context) error {
	if b.Dir != "" {
		if err := checkIsData(b.Dir); err != nil {
			return err
		}
	}
	t, err := b.open()
	if err != nil {
		return err
	}
	return errors.Join(b.write(ctx, t), t.close())
}

func (b *backupCommand) write(ctx context.Context, t target) error {
	if b.File == "-" {
		return t.backup(ctx, os.Stdout)
	}
	path, err := filepath.Abs(b.File)
	if err != nil {
		return err
	}
	if f, err := openNonRegular(ctx, path); err != nil {
		return err
	} else if f != nil {
		return errors.Join(t.backup(ctx, f), f.Close())
	}
	p := newBar("backup", -1)
	err = vfs.WriteFile(vfs.OS, path, func(w io.Writer) error { return t.backup(ctx, io.MultiWriter(w, p)) })
	if err := errors.Join(err, p.Finish()); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return base.Errorf(base.Internal, "%w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", b.File, size(float64(info.Size())))
	return nil
}

// openNonRegular opens the file at path for writing if it exists and is not a regular file, for
// example a pipe or a device. Such a file must not be replaced by another one. For a regular file
// it returns nil. A pipe can be opened only when it has a reader, so openNonRegular waits for one
// until ctx ends.
func openNonRegular(ctx context.Context, path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil, nil // the caller reports the error when it creates the file
	}
	type opened struct {
		*os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case f := <-done:
		if f.err != nil {
			return nil, base.Errorf(base.Invalid, "%w", f.err)
		}
		return f.File, nil
	case <-ctx.Done():
		// The goroutine that opens the pipe still waits for a reader. It ends with the process,
		// which is about to end.
		return nil, base.Wrap(ctx.Err(), "open %s: no process reads it", path)
	}
}

type restoreCommand struct {
	File string `arg:"" help:"File of the backup, or - for standard input."`
	Dir  string `arg:"" help:"Data directory to create. The path must not exist, or be an empty folder." type:"path"`
}

func (*restoreCommand) Help() string {
	return "The files are compared with the backup's checksums, and then verified as by scoter check. A restored directory that is damaged is removed again.\nExamples:\n  scoter restore monday.tar ./data2\n  zstd -d < monday.tar.zst | scoter restore - ./data2"
}

func (r *restoreCommand) Run(ctx context.Context) error {
	in := os.Stdin
	if r.File != "-" {
		f, err := os.Open(r.File)
		if err != nil {
			return base.Errorf(base.NotFound, "%w", err)
		}
		defer f.Close() // the error is ignored, since the file was only read
		in = f
	}
	p := newBar("restore", -1)
	err := backup.Restore(ctx, vfs.OS, io.TeeReader(bufio.NewReaderSize(in, 1<<20), p), r.Dir)
	if err := errors.Join(err, p.Finish()); err != nil {
		return err
	}
	err = check(ctx, r.Dir)
	if kind := base.KindOf(err); kind == base.Corrupt || kind == base.Invalid {
		return errors.Join(err, backup.Remove(vfs.OS, r.Dir))
	}
	return base.Wrap(err, "%s is restored, but not checked: run scoter check %s", r.Dir, r.Dir)
}
