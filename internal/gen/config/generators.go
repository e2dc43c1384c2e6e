package config

import (
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Generator identifies a code generator by three parts: language, database engine and driver.
type Generator struct {
	Language string
	Engine   ir.Engine
	Driver   string
}

// ID returns the generator's full id, such as "typescript/sqlite/better-sqlite3".
func (g Generator) ID() string { return g.Language + "/" + string(g.Engine) + "/" + g.Driver }

// Generators are all code generators that exist. The short id `language/engine` means the first
// generator in this list with that language and engine.
var Generators = []Generator{
	{"typescript", ir.SQLite, "better-sqlite3"},
	{"typescript", ir.SQLite, "node"},
	{"typescript", ir.SQLite, "libsql"},
	{"typescript", ir.SQLite, "turso"},
	{"typescript", ir.DuckDB, "node-api"},
	{"typescript", ir.Postgres, "pg"},
	{"typescript", ir.Scoter, "http"},
	{"java", ir.SQLite, "jdbc"},
	{"java", ir.DuckDB, "jdbc"},
	{"java", ir.DuckDB, "arrow"},
	{"java", ir.Postgres, "jdbc"},
	{"java", ir.Scoter, "http"},
	{"python", ir.SQLite, "sqlite3"},
	{"python", ir.DuckDB, "duckdb"},
	{"python", ir.Postgres, "psycopg"},
	{"python", ir.Scoter, "http"},
	{"go", ir.SQLite, "sql"},
	{"go", ir.DuckDB, "duckdb-go"},
	{"go", ir.Postgres, "pgx"},
	{"go", ir.Scoter, "http"},
}

// old maps former ids of generators to the present ids. Configurations of SQG, the generator that
// Scoter replaces, still use the former ids.
var old = map[string]string{
	"typescript/better-sqlite3": "typescript/sqlite/better-sqlite3",
	"typescript/duckdb":         "typescript/duckdb/node-api",
	"java/duckdb-arrow":         "java/duckdb/arrow",
}

// aliases maps other words for a language or engine to the word that generator ids have, such as
// "ts" to "typescript".
var aliases = map[string]string{"ts": "typescript", "py": "python", "golang": "go", "postgresql": "postgres", "pg": "postgres"}

// FindGenerator returns the generator with the given full or short id. If there is none, the result
// ok is false, and the result nearest is the most similar existing id.
func FindGenerator(id string) (g Generator, nearest string, ok bool) {
	wanted := strings.ToLower(strings.TrimSpace(id))
	if full, known := old[wanted]; known {
		wanted = full
	}
	parts := strings.Split(wanted, "/")
	for i := range min(2, len(parts)) {
		if word, known := aliases[parts[i]]; known {
			parts[i] = word
		}
	}
	wanted = strings.Join(parts, "/")
	var ids []string
	for _, g := range Generators {
		if g.ID() == wanted || g.Language+"/"+string(g.Engine) == wanted {
			return g, "", true
		}
		ids = append(ids, g.Language+"/"+string(g.Engine), g.ID())
	}
	return Generator{}, base.Nearest(wanted, ids), false
}

// IDs returns the full ids of all generators, for error messages.
func IDs() []string {
	var out []string
	for _, g := range Generators {
		out = append(out, g.ID())
	}
	return out
}
