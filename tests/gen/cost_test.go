package gen

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang"
	"github.com/scoterdb/scoter/tests/toolchain"
)

const costSQL = `
engines: sqlite

-- queries.sql --
-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);

-- WRITE users insert

-- QUERY user_by_id :one
@set id = 1
SELECT id, name, email FROM users WHERE id = ${id};

-- QUERY users_by_ids
@set ids = (1, 2)
SELECT id, name, email FROM users WHERE id IN ${ids};

-- QUERY names :pluck
@set before = 1
SELECT name FROM users WHERE id < ${before};

-- QUERY page
@set start = 1
@set size = 1
SELECT id, name, email FROM users WHERE id >= ${start} ORDER BY id LIMIT ${size};

-- EXEC set_email
@set email = null
@set id = 1
UPDATE users SET email = ${email} WHERE id = ${id};
`

// BenchmarkSQLiteOverhead prints what generated TypeScript costs over prepared
// statements written by hand: driver, what, nanoseconds by hand and generated,
// percent.
func BenchmarkSQLiteOverhead(b *testing.B) {
	node := toolchain.Need(b, "node")
	dir := toolchain.TypeScript(b)
	src := toolchain.Empty(b, filepath.Join(dir, "src"))
	toolchain.Empty(b, filepath.Join(dir, "out"))
	toolchain.Copy(b, "runtime/typescript/tsconfig.json", filepath.Join(dir, "tsconfig.json"))
	toolchain.Copy(b, "runtime/typescript/cost.ts", filepath.Join(src, "cost.ts"))
	f := &caseFile{path: "cost.txtar", engines: []ir.Engine{ir.SQLite}, archive: txtar.Parse([]byte(costSQL))}
	c, err := analyzed(b, f, ir.SQLite, nil)
	if err != nil {
		b.Fatal(err)
	}
	t := ir.Target{Generator: "typescript/sqlite/better-sqlite3", Language: "typescript", Engine: ir.SQLite, Driver: "better-sqlite3", Output: "cost/",
		Name: ir.NewName("cost"), Config: ir.TargetConfig{Migrations: true}}
	files, err := lang.Generate(c.module, t)
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		toolchain.Write(b, filepath.Join(src, file.Path), file.Content)
	}
	toolchain.Run(b, dir, nil, "node_modules/.bin/tsc", "-p", ".")
	b.Logf("\n%s%s", toolchain.Run(b, dir, nil, node, "out/cost.js", "better-sqlite3"),
		toolchain.Run(b, dir, nil, toolchain.Node(b), "--no-warnings", "out/cost.js", "node"))
}
