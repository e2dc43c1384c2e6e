// Package migrate applies migrations, the MIGRATE blocks of annotated SQL files, to a database. It
// uses the same migration table, checksums and locks as the method applyMigrations in generated
// code. So `scoter migrate` and generated code can take turns on one database.
package migrate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Target is a database on which the user runs migrations.
type Target struct {
	Engine ir.Engine
	// Where is the path of a database file, or PostgreSQL's URL or connection string.
	Where string
	// New means that the database is a file that does not exist yet.
	New bool
}

// fileSignatures has the bytes by which the database files of an engine are recognised, with their
// position in the file.
var fileSignatures = []struct {
	engine ir.Engine
	at     int
	text   string
}{{ir.SQLite, 0, "SQLite format 3\x00"}, {ir.DuckDB, 8, "DUCK"}}

// fileExtensions maps the extension of a database file to the engine of such files.
var fileExtensions = map[string]ir.Engine{
	".sqlite": ir.SQLite, ".sqlite3": ir.SQLite, ".db3": ir.SQLite, ".s3db": ir.SQLite,
	".duckdb": ir.DuckDB, ".ddb": ir.DuckDB,
}

// ParseTarget parses the user's text for a database: postgres://..., host=... dbname=...,
// sqlite:path, duckdb:path, or a plain path. The engine of an existing file is determined from its
// content, and that of a new file from its extension. If the extension is unknown, and only one of
// SQLite and DuckDB is in engines, the engine is that one.
func ParseTarget(text string, engines []ir.Engine) (Target, error) {
	fail := func(format string, args ...any) (Target, error) {
		return Target{}, base.Errorf(base.Invalid, format, args...).
			WithHint("write postgres://user:password@host/database, sqlite:path or duckdb:path")
	}
	switch {
	case text == "":
		return fail("no database is given")
	case strings.HasPrefix(text, "postgres://"), strings.HasPrefix(text, "postgresql://"), strings.Contains(text, "dbname="), strings.HasPrefix(text, "host="):
		return Target{Engine: ir.Postgres, Where: text}, nil
	}
	t := Target{Where: text}
	for _, engine := range []ir.Engine{ir.SQLite, ir.DuckDB} {
		if path, ok := strings.CutPrefix(text, string(engine)+":"); ok {
			t = Target{Engine: engine, Where: strings.TrimPrefix(path, "//")}
		}
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok && t.Engine == "" {
		return fail("unknown URL scheme %s://", scheme)
	}
	if t.Where == "" || t.Where == ":memory:" {
		return fail("%q is a temporary database", text)
	}
	found, size, err := detectEngine(t.Where)
	switch {
	case errors.Is(err, os.ErrNotExist):
		t.New = true
	case err != nil:
		return Target{}, base.Errorf(base.Invalid, "open %s: %w", t.Where, err)
	case size > 0 && found == "":
		return fail("%s is neither a SQLite nor a DuckDB database", t.Where)
	case found != "" && t.Engine != "" && found != t.Engine:
		return fail("%s is a %s database", t.Where, found)
	case found != "":
		t.Engine = found
	}
	if t.Engine == "" {
		t.Engine = fileExtensions[strings.ToLower(filepath.Ext(t.Where))]
	}
	if t.Engine == "" {
		for _, e := range engines {
			if e != ir.SQLite && e != ir.DuckDB {
				continue
			}
			if t.Engine != "" {
				return fail("%s may be for SQLite or DuckDB", t.Where)
			}
			t.Engine = e
		}
	}
	if t.Engine == "" {
		return fail("cannot tell the kind of database of %s", t.Where)
	}
	return t, nil
}

// detectEngine determines the engine of a database file from its content, and returns the file's
// size. The engine is "" for unknown content.
func detectEngine(path string) (engine ir.Engine, size int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	head := make([]byte, 16)
	size, err = io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	for _, m := range fileSignatures {
		if size >= m.at+len(m.text) && string(head[m.at:m.at+len(m.text)]) == m.text {
			engine = m.engine
		}
	}
	return engine, size, errors.Join(err, f.Close())
}

// DatabaseName returns the name that DuckDB gives to a database that it attaches from the file at
// path: the file's name up to its first dot.
func DatabaseName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	switch strings.ToLower(name) {
	case ":memory:", "memory", "temp", "system", "main":
		return strings.Trim(name, ":") + "_db" // DuckDB has other databases with these names
	}
	return name
}
