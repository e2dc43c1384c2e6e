// Package migrate applies the MIGRATE blocks of annotated SQL to a database. It uses the same
// table, checksums and locks as applyMigrations in generated code. So either of them can run first,
// and continue on a database of the other.
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
	// Where is the path of a file, or PostgreSQL's URL or keyword string.
	Where string
	// New means that Where is a file that does not exist yet.
	New bool
}

// magic has the bytes by which a database file is recognised, with their position in the file.
var magic = []struct {
	engine ir.Engine
	at     int
	text   string
}{{ir.SQLite, 0, "SQLite format 3\x00"}, {ir.DuckDB, 8, "DUCK"}}

// endings maps file extensions to the engine of such files.
var endings = map[string]ir.Engine{
	".sqlite": ir.SQLite, ".sqlite3": ir.SQLite, ".db3": ir.SQLite, ".s3db": ir.SQLite,
	".duckdb": ir.DuckDB, ".ddb": ir.DuckDB,
}

// ParseTarget parses postgres://..., host=... dbname=..., sqlite:path, duckdb:path, or a plain
// path. The engine of an existing file is determined from its content. The engine of a new file is
// determined from its extension, or else it is the project's only engine.
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
		return fail("there are no databases of %s://", scheme)
	}
	if t.Where == "" || t.Where == ":memory:" {
		return fail("%q is not a database that lasts", text)
	}
	found, size, err := sniff(t.Where)
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
		t.Engine = endings[strings.ToLower(filepath.Ext(t.Where))]
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
		return fail("what kind of database is %s?", t.Where)
	}
	return t, nil
}

// sniff determines the engine from the content of a file. It returns "" for unknown content.
func sniff(path string) (engine ir.Engine, size int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	head := make([]byte, 16)
	size, err = io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	for _, m := range magic {
		if size >= m.at+len(m.text) && string(head[m.at:m.at+len(m.text)]) == m.text {
			engine = m.engine
		}
	}
	return engine, size, errors.Join(err, f.Close())
}

// DatabaseName returns the name that DuckDB gives to the database in a file: the file's name up to
// its first dot.
func DatabaseName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	switch strings.ToLower(name) {
	case ":memory:", "memory", "temp", "system", "main":
		return strings.Trim(name, ":") + "_db" // the name is taken
	}
	return name
}
