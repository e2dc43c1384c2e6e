//go:build cgo

package gen

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/migrate"
)

// databases creates one live database for each engine.
func databases(t *testing.T) map[ir.Engine]migrate.Target {
	dir := t.TempDir()
	out := map[ir.Engine]migrate.Target{
		ir.SQLite: {Engine: ir.SQLite, Where: filepath.Join(dir, "app.sqlite")},
		ir.DuckDB: {Engine: ir.DuckDB, Where: filepath.Join(dir, "app.duckdb")},
	}
	server, err := postgres.StartServer(context.Background())
	if err != nil {
		t.Log("without PostgreSQL:", err)
		return out
	}
	t.Cleanup(func() { _ = server.Close() })
	out[ir.Postgres] = migrate.Target{Engine: ir.Postgres, Where: server.URL()}
	return out
}

func execute(t *testing.T, target migrate.Target, statements ...string) {
	t.Helper()
	driver := map[ir.Engine]string{ir.SQLite: "sqlite3", ir.DuckDB: "duckdb", ir.Postgres: "pgx"}[target.Engine]
	where := target.Where
	if target.Engine == ir.SQLite {
		where = "file:" + where
	}
	db, err := sql.Open(driver, where)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
}

func TestVerifyListsHowALiveDatabaseDiffers(t *testing.T) {
	for engine, target := range databases(t) {
		t.Run(string(engine), func(t *testing.T) {
			ctx := context.Background()
			path := project(t, "typescript/sqlite", "java/sqlite", "go/duckdb", "java/"+map[bool]string{true: "postgres", false: "duckdb"}[engine == ir.Postgres], "db/db.go", "j/Db.java",
				"-- EXEC rename", "-- QUERY names :pluck\nSELECT name FROM users;\n\n-- EXEC rename")
			g := New("")
			defer func() {
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}()
			verify := func() (*Verified, string) {
				var list diag.List
				v, err := g.Verify(ctx, path, target, "", &list)
				if err != nil {
					t.Fatal(err)
				}
				return v, said(t, path, &list)
			}
			var list diag.List
			name, all, err := Migrations(path, engine, "", &list)
			if err != nil || name != "app" || len(all) != 1 {
				t.Fatal(name, all, err)
			}
			if _, err := migrate.Run(ctx, target, name, all, false); err != nil {
				t.Fatal(err)
			}
			if v, text := verify(); v == nil || v.Differences != 0 || v.Queries != 4 || text != "" {
				t.Fatal(v, text)
			}
			// the same database with another URL: it must not be compared with itself
			if engine == ir.Postgres {
				execute(t, target, "ALTER TABLE users ALTER name DROP NOT NULL")
				var list diag.List
				other := New(target.Where + " application_name=other")
				v, err := other.Verify(ctx, path, target, "", &list)
				if err != nil || v == nil || v.Differences == 0 {
					t.Error(v, err)
				}
				if err := other.Close(); err != nil {
					t.Error(err)
				}
				// The same applies if the role may not ask for the database's identity.
				execute(t, target, "CREATE ROLE ordinary LOGIN", "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
				other = New(strings.Replace(target.Where, "user=postgres", "user=ordinary", 1))
				if v, err = other.Verify(ctx, path, target, "", &diag.List{}); err != nil || v == nil || v.Differences == 0 {
					t.Error(v, err)
				}
				if err := other.Close(); err != nil {
					t.Error(err)
				}
			}
			execute(t, target, "DROP TABLE users", "CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR, mail VARCHAR, age INTEGER)")
			v, text := verify()
			for _, want := range []string{
				"queries.sql:3:18: error: in the live database: ", "queries.sql:5:10: error: names: column name may be null in the live database, but is never null in the files",
				"users: column 3 is mail in the live database, email in the files",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if v == nil || v.Differences != strings.Count(text, "error: ") || v.Differences < 3 {
				t.Error(v, text)
			}
		})
	}
}

func TestAnUpsertWithoutItsKeyIsADifference(t *testing.T) {
	target := databases(t)[ir.SQLite]
	path := project(t)
	execute(t, target, "CREATE TABLE users (id INTEGER NOT NULL, name VARCHAR NOT NULL, email VARCHAR)")
	var list diag.List
	v, err := New("").Verify(context.Background(), path, target, "", &list)
	if err != nil || v == nil || v.Differences != 1 {
		t.Fatal(v, err, list.All())
	}
	if text := said(t, path, &list); !strings.Contains(text, "an upsert needs a primary key or unique constraint on exactly its key") {
		t.Error(text)
	}
}

func TestVerifyComparesWhatBulkMethodsRestOn(t *testing.T) {
	target := databases(t)[ir.SQLite]
	path := folder(t, map[string]string{
		"sqg.yaml": "version: 1\nname: app\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: python/sqlite, output: p/}\n",
		"q.sql": "-- MIGRATE 1\nCREATE TABLE a (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE);\nCREATE TABLE b (id INTEGER PRIMARY KEY, n INTEGER);\n\n" +
			"-- TABLE a :write key(mail)\n\n-- TABLE b :write\n",
	})
	execute(t, target, "CREATE TABLE a (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)", "CREATE TABLE b (id INTEGER PRIMARY KEY, n INTEGER AS (id + 1))")
	var list diag.List
	v, err := New("").Verify(context.Background(), path, target, "", &list)
	if err != nil || v == nil {
		t.Fatal(v, err)
	}
	text := said(t, path, &list)
	for _, want := range []string{"a: (mail) has no unique constraint in the live database", "b: an insert writes (id) in the live database, (id, n) in the files"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestVerifyComparesEnums(t *testing.T) {
	target := databases(t)[ir.DuckDB]
	path := folder(t, map[string]string{
		"sqg.yaml": "version: 1\nname: app\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: python/duckdb, output: p/}\n",
		"q.sql":    "-- MIGRATE 1\nCREATE TYPE mood AS ENUM ('sad', 'ok');\nCREATE TABLE t (m mood NOT NULL);\n\n-- QUERY moods\nSELECT m FROM t;\n",
	})
	execute(t, target, "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')", "CREATE TABLE t (m mood NOT NULL)")
	var list diag.List
	v, err := New("").Verify(context.Background(), path, target, "", &list)
	if err != nil || v == nil || v.Differences != 1 {
		t.Fatal(v, err)
	}
	if text := said(t, path, &list); !strings.Contains(text, "column m is enum(sad, ok, happy) in the live database, enum(sad, ok) in the files") {
		t.Error(text)
	}
}

func TestVerifyAsksWhichEntryIsMeant(t *testing.T) {
	one := "  - files: [%s]\n    gen:\n      - {generator: python/sqlite, output: p/}\n"
	path := folder(t, map[string]string{
		"sqg.yaml": "version: 1\nname: app\nsql:\n" + fmt.Sprintf(one, "a.sql") + fmt.Sprintf(one, "b.sql"),
		"a.sql":    "-- QUERY a :pluck\nSELECT 1 AS one;\n", "b.sql": "-- QUERY b :pluck\nSELECT 1 AS one;\n",
	})
	target := migrate.Target{Engine: ir.SQLite, Where: filepath.Join(t.TempDir(), "x.sqlite")}
	execute(t, target, "CREATE TABLE t (a)")
	var list diag.List
	if _, err := New("").Verify(context.Background(), path, target, "", &list); err == nil || !strings.Contains(err.Error(), "2 entries") {
		t.Error(err)
	}
	if v, err := New("").Verify(context.Background(), path, target, "b.sql", &list); err != nil || v == nil || v.Queries != 1 {
		t.Error(v, err)
	}
	if _, err := os.Stat(target.Where); err != nil {
		t.Error(err)
	}
}

// attached has queries of DuckDB over an attached PostgreSQL.
const attached = `-- BASELINE orders :source=prod
CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL, total numeric(10, 2));

-- QUERY get_order :one
@set id = 1
SELECT o.customer, o.total FROM prod.public.orders o WHERE o.id = ${id};
`

func TestAttachedDatabasesAreAnalysedThroughAStandIn(t *testing.T) {
	server, err := postgres.StartServer(context.Background())
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	defer func() { _ = server.Close() }()
	g := New(server.URL())
	generate := func(sql string) (*Output, string) {
		path := folder(t, map[string]string{"q.sql": sql,
			"sqg.yaml": "version: 1\nname: app\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: python/duckdb, output: p/}\nsources:\n  - {name: prod, type: postgres}\n"})
		var list diag.List
		out, err := g.Generate(context.Background(), path, &list)
		if err != nil {
			t.Fatal(err)
		}
		return out, said(t, path, &list)
	}
	out, text := generate(attached)
	if out == nil {
		t.Fatal(text)
	}
	if code := out.Files[0].Content; !strings.Contains(code, "customer: str\n") || !strings.Contains(code, "total: _decimal.Decimal | None") || !strings.Contains(code, "attach") {
		t.Error(code)
	}
	if out, text = generate(strings.Replace(attached, "bigint", "bigitn", 1)); out != nil || !strings.Contains(text, "q.sql:2:25: error: type \"bigitn\" does not exist") || strings.Count(text, "error:") != 1 {
		t.Error(text)
	}
}

func TestVerifyFindsParametersThatMayNoLongerBeNull(t *testing.T) {
	ctx := context.Background()
	yaml := "version: 1\nname: app\nsignatures: {nullableParameters: true}\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: go/sqlite, output: p/}\n"
	text := schema + "-- EXEC change\n@set email = 'x'\nUPDATE users SET email = ${email};\n"
	path := filepath.Join(filepath.Dir(folder(t, map[string]string{"scoter.yaml": yaml, "q.sql": text})), "scoter.yaml")
	for live, want := range map[string]string{
		"email VARCHAR":          "",
		"email VARCHAR NOT NULL": "q.sql:3:9: error: change: parameter email may be null in the files, but the live database does not take null",
	} {
		target := migrate.Target{Engine: ir.SQLite, Where: filepath.Join(t.TempDir(), "app.sqlite")}
		execute(t, target, "CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, "+live+")")
		var list diag.List
		v, err := New("").Verify(ctx, path, target, "", &list)
		if err != nil || v == nil {
			t.Fatal(err, list.All())
		}
		if text := said(t, path, &list); (v.Differences > 0) != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: %d differences\n%s", live, v.Differences, text)
		}
	}
}
