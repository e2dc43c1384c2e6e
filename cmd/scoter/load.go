package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/cut"
	"github.com/scoterdb/scoter/internal/ingest/format"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/write"
)

type loadCommand struct {
	where     `embed:""`
	Files     []string `arg:"" help:"CSV, NDJSON, JSON, Parquet or Arrow files; .gz or .zst may follow the extension." type:"path"`
	Table     string   `help:"Table to load into. It is created if it does not exist." required:""`
	Mode      string   `help:"How to handle rows whose key exists: insert (depends on the table's option on_insert), append, upsert, update or delete." default:"insert"`
	Key       []string `help:"Columns by which --mode upsert, update or delete finds rows. Default: the primary key."`
	Delimiter string   `help:"Character between CSV values. Default: a comma, or a tab in .tsv files."`
	Null      string   `help:"Text for NULL in CSV. Default: an empty value."`
	Again     bool     `help:"Load the files again, even if an earlier command has loaded them."`
}

func (*loadCommand) Help() string {
	return `Example: scoter load *.parquet --table trips

Rows are read as over HTTP, and stored a few megabytes at a time. If a load fails in the
middle, the rows that were stored before the error stay. Correct the error and repeat the
command within 24 hours: it continues after the stored rows, which it recognizes by the
file's name and content.`
}

func (l *loadCommand) Run(ctx context.Context) error {
	t, err := l.open()
	if err != nil {
		return err
	}
	return errors.Join(l.run(ctx, t), t.close())
}

func (l *loadCommand) run(ctx context.Context, t target) error {
	rows := loadedRows{key: l.Key, null: l.Null}
	var err error
	if rows.mode, err = write.ParseMode(l.Mode); err != nil {
		return err
	}
	if err := rows.mode.CheckKey(l.Key); err != nil {
		return err
	}
	if rows.table, err = engineName(l.Database, l.Table); err != nil {
		return err
	}
	for _, file := range l.Files {
		if err := l.file(ctx, t, file, rows); err != nil {
			return base.Wrap(err, "load %s", file)
		}
	}
	return nil
}

// loadedRows are the rows of one piece (the part of a file that is loaded at a time), with what is
// needed to load them into a table.
type loadedRows struct {
	table     engine.TableName
	mode      write.Mode
	key       []string
	delimiter byte
	null      string
	format    *wire.Format // the wire format of the rows
	cut.Piece
	// once is the idempotency key of the rows. If the command is repeated, the same rows of a file
	// get the same key, so they are not stored twice.
	once string
}

func (l *loadCommand) file(ctx context.Context, t target, file string, rows loadedRows) error {
	info, err := os.Stat(file)
	if err != nil {
		return base.Errorf(base.NotFound, "%w", err)
	}
	of, delimiter, err := format.OfFile(file)
	if err != nil {
		return err
	}
	if l.Delimiter != "" {
		if delimiter, err = format.Delimiter(l.Delimiter); err != nil {
			return err
		}
	}
	rows.format, rows.delimiter = of.ForPieces(), delimiter
	id, err := l.identity(file, rows)
	if err != nil {
		return err
	}
	p := startProgress(filepath.Base(file), info.Size())
	stored := int64(0)
	err = cut.Each(file, of.Cut, cut.Options{Delimiter: rows.delimiter}, func(piece cut.Piece) error {
		rows.Piece = piece
		rows.once = fmt.Sprintf("load-%x", sha256.Sum256(fmt.Appendf(nil, "%x %d %x", id, piece.First, sha256.Sum256(piece.Body))))
		replayed, err := t.load(ctx, rows)
		if err != nil {
			return err
		}
		stored = piece.First + piece.Rows
		return p.add(piece.Rows, replayed, piece.Read)
	})
	if err != nil {
		return errors.Join(l.stopped(err, stored), p.abandon())
	}
	return p.finish()
}

// identity returns a hash of the file's path and of the options of the command. It is the same for
// every command that loads the same file with the same options, unless the option --again is set.
func (l *loadCommand) identity(file string, rows loadedRows) ([]byte, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "%w", err)
	}
	nonce := ""
	if l.Again {
		nonce = rand.Text()
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d %q %q", path, rows.table, l.Mode, rows.key, rows.delimiter, rows.null, nonce))
	return id[:], nil
}

// stopped adds to the error of a load how many rows of the file are stored, and how to continue.
func (l *loadCommand) stopped(err error, stored int64) error {
	switch kind := base.KindOf(err); {
	// If the response was lost, more rows may be stored than this command knows of.
	case kind != base.Invalid && kind != base.TooLarge && kind != base.Conflict:
		err = base.Wrap(err, "at least its first %d rows are stored", stored)
	case stored == 0:
		err = base.Wrap(err, "none of its rows is stored")
	default:
		err = base.Wrap(err, "its first %d rows are stored; in the rows after them (row numbers start there)", stored)
	}
	e := new(base.Error)
	if !errors.As(err, &e) {
		return err
	}
	e = e.At(0) // remove the position, which refers to a piece and not to the file
	if stored > 0 && !l.Again {
		hint := "repeat the command to continue after the stored rows; that part of the file must not change"
		if e.Hint != "" {
			hint = e.Hint + "; then " + hint
		}
		e = e.WithHint("%s", hint)
	}
	return e
}
