//go:build cgo

package gen

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
)

func TestOneGeneratorWithoutAConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("schema.sql", schema)
	write("my-queries.sql", "-- EXEC set_email\n@set id = 1\n@set email = 'x'\nUPDATE users SET email = ${email} WHERE id = ${id};\n\n-- QUERY names :pluck\nSELECT name FROM users;\n")
	g := New("")
	for id, want := range map[string][]string{
		"go/sqlite":         {"package db", "func (q *MyQueries) SetEmail(ctx context.Context, id int64, email *string)"},
		"ts/duckdb":         {"export class MyQueries", "setEmail(id: number, email: string | null)"},
		"python/sqlite":     {"class MyQueries", "def set_email(self, id: int, email: str | None)"},
		"java/duckdb/arrow": {"class MyQueries", "applyMigrations"},
	} {
		var list diag.List
		code, err := g.One(context.Background(), id, []string{"my-queries.sql", "schema.sql"}, &list)
		if err != nil || list.HasErrors() {
			t.Fatal(id, err, list.All())
		}
		for _, w := range want {
			if !strings.Contains(code, w) {
				t.Errorf("%s: no %q in\n%s", id, w, code)
			}
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 2 {
		t.Error("files were written", files, err)
	}
	var list diag.List
	if code, err := g.One(context.Background(), "go/sqlite", []string{"my-queries.sql"}, &list); code != "" || err != nil || !list.HasErrors() {
		t.Error("a query of a missing table is accepted", code, err)
	} else if d := list.All()[0]; d.File != "my-queries.sql" || d.Line != 4 {
		t.Error(d.Error())
	}
	if _, err := g.One(context.Background(), "go/sqlit", []string{"schema.sql"}, &list); base.KindOf(err) != base.Invalid {
		t.Error(err)
	}
	if _, err := g.One(context.Background(), "go/sqlite", []string{"none.sql"}, &list); base.KindOf(err) != base.NotFound {
		t.Error(err)
	}
}

func TestADriverWithANewerDuckDBIsAWarning(t *testing.T) {
	for file, text := range map[string]string{
		"package.json": `{"dependencies": {"@duckdb/node-api": "^9.8.7-r.1"}}`,
		"node_modules/@duckdb/node-api/package.json": "{\n  \"version\": \"9.8.7-r.2\"}",
		"uv.lock":          "name = \"duckdb\"\nversion = \"9.8.7\"\n",
		"requirements.txt": "pytz==2024.1\nduckdb>=9.8.7\n",
		"pom.xml":          "<artifactId>duckdb_jdbc</artifactId>\n  <version>9.8.7.0</version>",
		"build.gradle":     "implementation 'org.duckdb:duckdb_jdbc:9.8.7.0'",
		"go.mod":           "require github.com/duckdb/duckdb-go/v2 v2.90807.0\n",
	} {
		generator := map[string]string{"package.json": "typescript", "uv.lock": "python", "requirements.txt": "python", "pom.xml": "java", "build.gradle": "java", "go.mod": "go"}[filepath.Base(file)]
		for version, warned := range map[string]bool{"9.8.7": true, "1.4.7": false} {
			path := project(t, "typescript/sqlite, output: ts/", generator+"/duckdb, output: src/", "      - {generator: go/duckdb, output: db/db.go}\n", "")
			at := filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(strings.NewReplacer("9.8.7", version, "90807", strings.NewReplacer("9.8.7", "90807", "1.4.7", "10407").Replace(version)).Replace(text)), 0o644); err != nil {
				t.Fatal(err)
			}
			out, said := run(t, path)
			want := file + ": warning: the driver has DuckDB 9.8.7, and the queries were analysed with the older DuckDB 1."
			if out == nil || strings.Contains(said, want) != warned || !warned && said != "" {
				t.Errorf("%s %s: %s", file, version, said)
			}
		}
	}
}
