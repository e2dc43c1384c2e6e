package bulk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// typeScriptPrograms generates the code of all TypeScript programs and compiles them together,
// because that reads the drivers' types only once. It returns the folder of the programs. The
// compiled files are in its folder `out`.
func typeScriptPrograms(t *testing.T) (dir string) {
	toolchain.Need(t, "node")
	packages := toolchain.TypeScript(t)
	return shared(t, "typescript", func(dir string) string {
		here := filepath.Join(toolchain.Root(t), "tests", "bulk")
		for _, folder := range []string{"typescript", "transactions", "roundtrip", "arrow"} {
			if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(here, folder))); err != nil {
				t.Fatal(err)
			}
			program, to := "program.ts", "src/program.ts"
			if folder == "arrow" {
				program, to = "main.ts", "typescript/main.ts"
			}
			toolchain.Copy(t, filepath.Join(here, folder, program), filepath.Join(dir, folder, to))
			toolchain.Run(t, filepath.Join(dir, folder), nil, binary.Path(t), "generate")
		}
		config, err := os.ReadFile(filepath.Join(toolchain.Root(t), "tests", "gen", "runtime", "typescript", "tsconfig.json"))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.NewReplacer(`"src/**/*.ts"`, `"*/src/**/*.ts", "*/typescript/**/*.ts"`, `"rootDir":"src"`, `"rootDir":"."`)
		toolchain.Write(t, filepath.Join(dir, "tsconfig.json"), all.Replace(string(config)))
		toolchain.Copy(t, filepath.Join(packages, "package.json"), filepath.Join(dir, "package.json"))
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		toolchain.Run(t, dir, nil, "node_modules/.bin/tsc", "-p", ".")
		return dir
	})
}

// typeScript returns the folder of a program, and a function that returns the command to run it on
// a driver.
func typeScript(t *testing.T, folder string) (dir string, command func(driver string) []string) {
	system := toolchain.Need(t, "node")
	return typeScriptPrograms(t), func(driver string) []string {
		node := system
		if driver == "node" {
			node = toolchain.Node(t)
		}
		return []string{node, "--no-warnings", "out/" + folder + "/src/program.js", driver}
	}
}

func TestTypeScriptKilledInTheMiddleNothingIsWritten(t *testing.T) {
	t.Parallel()
	dir, command := typeScript(t, "typescript")
	pg := postgres(t)
	for _, driver := range []string{"better-sqlite3", "node", "libsql", "turso", "duckdb", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			place := in(t.TempDir())
			if driver == "postgres" {
				place = func(operation string) string {
					pg.Create(t, "ts_killed_"+operation)
					return "ts_killed_" + operation
				}
			}
			killedOn(t, dir, pg.Env(), command(driver), nil, place)
		})
	}
}

func TestTypeScriptWritesTheSameOnEveryDriverAndRoute(t *testing.T) {
	t.Parallel()
	dir, command := typeScript(t, "typescript")
	pg := postgres(t)
	var want string
	for _, way := range []struct{ driver, place, route string }{
		{"better-sqlite3", "", ""},
		{"node", "", ""},
		{"libsql", filepath.Join(t.TempDir(), "libsql.db"), ""},
		{"turso", "", ""},
		{"duckdb", "", ""},
		{"postgres", "bulk_ts", ""},
		{"postgres", "bulk_ts_unnest", "unnest"},
		{"postgres", "bulk_ts_copy", "copy"},
	} {
		if way.driver == "postgres" {
			pg.Create(t, way.place)
		}
		node := command(way.driver)
		got := toolchain.Run(t, dir, pg.Env(), node[0], append(node[1:], "results", way.place, way.route)...)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s %s:\n%s\nbut better-sqlite3:\n%s", way.driver, way.route, got, want)
		}
	}
	for _, line := range []string{
		"insert 3000: 3000",
		"null 3: RowError: insertAllKv: row 2: column v must not be null",
		"null 3000: RowError: insertAllKv: row 2346: column v must not be null",
		"duplicate 3: RowError: insertAllKv: row 2",
		"duplicate 3000: RowError: insertAllKv: row 2346",
		"broken 3: Error: no row 1",
		"broken 3000: Error: no row 2345",
		"nothing behind 3000: a 3000 0 2999",
		"update 3000: 2999",
		"updated 3000: a 1 0 0, last 2999 1 2999",
		"update null 3000: RowError: updateAllKv: row 2346: column v must not be null",
		"upsert 3000: 3001",
		"upserted 3000: a 1 0 0, u 3001 1 3001",
		"delete 3000: 3002",
		"deleted 3000: ",
		"no rows: 0",
		"after it 3000: ",
		"after them 3000: t 1 0 0, tt 2999 1 2999",
		"fails inside 3000: RowError: insertAllKv: row 2346",
		"after that 3000: t 1 0 0, tt 2999 1 2999",
		"goes on 3: t 1 0 0, tt 2 1 2",
		"goes on 3000: t 1 0 0, tt 2999 1 2999",
	} {
		if !strings.Contains(want, line+"\n") {
			t.Errorf("there is no line %q in\n%s", line, want)
		}
	}
}
