package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
)

// where has the flags that say on which database a command works: a data directory that is opened
// in this process, or a database of a server.
type where struct {
	Dir      string `help:"Data directory to open in this process, instead of asking a server." type:"path"`
	URL      string `help:"URL of the server. Default: ${server}, unless --dir is given." env:"SCOTER_URL"`
	Token    string `help:"Token for the server." env:"SCOTER_TOKEN"`
	Database string `help:"Database for names without a database." default:"default" env:"SCOTER_DATABASE"`
}

// defaultURL is the URL of a server with default settings.
const defaultURL = "http://127.0.0.1:7287"

// target is the database on which a command works. The database is open in this process, or on a
// server.
type target interface {
	// sql runs the statements of a text, and writes the result of the last one to w. result says
	// whether the last statement has a result. If it has none, its counts are printed on standard
	// error, so that they never mix with a result.
	sql(ctx context.Context, w io.Writer, text string, format encode.Format) (result bool, err error)
	// load stores rows in one edit, all or none. replayed is true if an earlier load has stored
	// them already.
	load(ctx context.Context, rows loadedRows) (replayed bool, err error)
	// backup writes an archive of the whole database.
	backup(ctx context.Context, w io.Writer) error
	close() error
}

// Validate returns an error if the command line has both --dir and --url. If only the environment
// names a server, --dir overrides it.
func (w *where) Validate(k *kong.Context) error {
	named := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			named[p.Flag.Name] = true
		}
	}
	if named["dir"] && named["url"] {
		return errors.New("--dir and --url cannot be combined")
	}
	return nil
}

// printCounts prints on standard error what a statement without a result did, such as how many rows
// it inserted.
func printCounts(verb string, c engine.Counts) {
	fmt.Fprintf(os.Stderr, "%s: %d inserted, %d updated, %d deleted\n", verb, c.Inserted, c.Updated, c.Deleted)
}

func (w *where) open() (target, error) {
	if w.Dir == "" {
		if w.URL == "" {
			w.URL = defaultURL
		}
		return &remote{url: strings.TrimSuffix(w.URL, "/"), token: w.Token, database: w.Database}, nil
	}
	if err := checkMayBeData(w.Dir); err != nil {
		return nil, err
	}
	s, err := config.FromEnvironment()
	if err != nil {
		return nil, err
	}
	s.Dir, s.Database = w.Dir, w.Database
	a, err := app.Open(s, true, newLogger("warn", os.Stderr))
	if err != nil {
		return nil, err
	}
	return &embedded{a, s}, nil
}

func engineName(database, table string) (engine.TableName, error) {
	parts := strings.Split(table, ".")
	switch len(parts) {
	case 1:
		return engine.TableName{Database: database, Schema: engine.DefaultSchema, Name: parts[0]}, nil
	case 2:
		return engine.TableName{Database: database, Schema: parts[0], Name: parts[1]}, nil
	case 3:
		return engine.TableName{Database: parts[0], Schema: parts[1], Name: parts[2]}, nil
	}
	return engine.TableName{}, base.Errorf(base.Invalid, "invalid table name %q", table)
}
