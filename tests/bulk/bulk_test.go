// Package bulk tests generated bulk writes on all their routes. All routes must leave the same
// rows, report the same errors for rows that cannot be written, and leave nothing half done.
package bulk

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// compiled generates and compiles the code of a folder. The code for DuckDB comes from this folder.
// It returns the command line that runs the program.
func compiled(t *testing.T, folder string) []string {
	return shared(t, filepath.Join("java", folder, "program"), func(dir string) []string { return compiledIn(t, dir, folder) })
}

func compiledIn(t *testing.T, dir, folder string) []string {
	bin, jars := toolchain.Java(t)
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", folder)
	for _, name := range []string{"queries.sql", "scoter.yaml", "Program.java"} {
		toolchain.Copy(t, filepath.Join(here, name), filepath.Join(dir, name))
	}
	toolchain.Copy(t, filepath.Join(toolchain.Root(t), "tests", "bulk", "Hang.java"), filepath.Join(dir, "Hang.java"))
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
	sources, err := filepath.Glob(filepath.Join(dir, "src", "bulk", "*.java"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	toolchain.Javac(t, dir, bin, append([]string{"--release", "17", "-encoding", "UTF-8", "-cp", jars, "-d", out, "Program.java", "Hang.java"}, sources...)...)
	return []string{filepath.Join(bin, "java"), "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", out + ":" + jars}
}

func with(java []string, args ...string) (string, []string) {
	return java[0], append(append([]string{}, java[1:]...), args...)
}

// major returns the major version of a java program.
func major(t *testing.T, java string) int {
	version := toolchain.Run(t, ".", nil, java, "--version")
	major := 0
	if _, err := fmt.Sscanf(strings.Fields(version)[1], "%d", &major); err != nil {
		t.Fatal(err)
	}
	return major
}

// oldJavas returns the installed java programs that have no foreign-function API.
func oldJavas(t *testing.T) []string {
	paths, err := filepath.Glob("/usr/lib/jvm/*/bin/java")
	if err != nil {
		t.Fatal(err)
	}
	var old []string
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			t.Fatal(err)
		}
		if version := major(t, real); version >= 17 && version < 22 && !slices.Contains(old, real) {
			old = append(old, real)
		}
	}
	return old
}

func TestEveryWayWritesTheSameAndSaysTheSame(t *testing.T) {
	t.Parallel()
	java := compiled(t, "")
	const native = "--enable-native-access=ALL-UNNAMED"
	commands := [][]string{append(slices.Clone(java), "bulk.Program", "results", "APPENDER")}
	if major(t, java[0]) >= 22 {
		for _, route := range []string{"", "COLUMNAR", "COLUMNAR_ORDERED"} {
			commands = append(commands, append(slices.Clone(java), native, "bulk.Program", "results", route))
		}
	}
	if major(t, java[0]) >= 24 {
		// The driver may load its native library. The generated code may not use native access.
		_, jars := toolchain.Java(t)
		driver, err := filepath.Glob(filepath.Join(filepath.Dir(jars), "duckdb_jdbc-*.jar"))
		if err != nil || len(driver) != 1 {
			t.Fatal(driver, err)
		}
		denied := append(slices.Clone(java), "--module-path", driver[0], "--add-modules=duckdb.jdbc", "--enable-native-access=duckdb.jdbc", "--illegal-native-access=deny")
		commands = append(commands, append(denied, "bulk.Program", "results", ""))
	}
	for _, old := range oldJavas(t) {
		commands = append(commands, append(append([]string{old}, java[1:]...), "bulk.Program", "results", ""))
	}
	var want string
	for _, command := range commands {
		got := toolchain.Run(t, ".", nil, command[0], command[1:]...)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%v:\n%s\nbut %v:\n%s", command, got, commands[0], want)
		}
	}
	for _, line := range []string{
		"every: 2500",
		"null: SQLException: insertAllKv: row 3: column v must not be null",
		"length: SQLException: insertAllKv: row 2: column three: [1, 2] has 2 elements instead of 3",
		"duplicate: SQLException: insertAllKv: row 2: duplicate key k: 7",
		"half: SQLException: insertAllKv: row 2: column v: ? has half of a surrogate pair, which is no character",
		"batch fails: IllegalStateException: no row 2500", "can only be rolled back: true",
		"dry run in a transaction: SQLException: a dry run needs a connection without an open transaction",
		"appender refuses: SQLException: createAppendedAppender: row 2: column n: 1.234 has more than 2 digits after the point",
		"appender refuses null: SQLException: createAppendedAppender: row 3: column v must not be null", "appender: [600000, 600003]",
		"duplicate of rows that are gone: SQLException: insertAllKv: duplicate key k: 7", "appender at the end: SQLException: createAppendedAppender: duplicate key k: 600000",
		"huge: SQLException: createAppendedMeasuredAppender: row 2: column huge: 170141183460469231731687303715884105728 is not a signed number of 128 bits", "appender refuses huge: [1, 3]",
		"closed: [1, 3]",
		"late: SQLException: insertAllKv: row 150001: column v must not be null",
		"nothing behind: 100000 4999950000 1 a",
		"last wins: 0 90000",
		"rising: 50000", "risen: 50000 0", "falling: 40001", "fallen: 1 40000",
		"mixed: 80000", "mixed rows: 80000 80000",
		"upsert: 120000",
		"rolled back: 70000 5949965000 70000 u100000",
		"taken: half: 30000", "hash(taken): half: 30000", "taken DESC: half: 30000", "other devices: 39600", "deleted: 39390", "by the first: 21210",
		"wrong digits: SQLException: updateAllMeasured: row 50001: column price: 0.123 has more than 2 digits after the point",
	} {
		if !strings.Contains(want, line+"\n") {
			t.Errorf("there is no line %q in\n%s", line, want)
		}
	}
	for _, part := range []string{"", "appender failed: ", "flush failed: ", "close failed: "} {
		line := "appender fails: SQLException: createAppendedMeasuredAppender: row 1: column price: "
		if part != "" {
			line = part + "SQLException: the appender has failed before: createAppendedMeasuredAppender: row 1: column price: "
		}
		if !strings.Contains(want, "\n"+line) {
			t.Errorf("there is no line that begins with %q in\n%s", line, want)
		}
	}
}

// kill starts a program that writes endlessly, and kills it while it writes.
func kill(t *testing.T, operation, dir string, env []string, command ...string) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait() // it was killed, so it fails
	if err != nil || line != "written\n" {
		t.Fatalf("%s: the program says %q: %v", operation, line, err)
	}
}

// killedOn kills a program in the middle of each operation, each time in a separate place. The
// program must then find the rows from before. engine is an argument before the mode, if the
// program supports several engines.
func killedOn(t *testing.T, dir string, env, command []string, engine []string, place func(operation string) string) {
	t.Helper()
	for _, operation := range []string{"insert", "update", "delete", "upsert"} {
		at := place(operation)
		start := func(mode string, behind ...string) []string {
			return slices.Concat(command, engine, []string{mode, at}, behind)
		}
		kill(t, operation, dir, env, start("hang", operation)...)
		count := start("count")
		if got := strings.TrimSpace(toolchain.Run(t, dir, env, count[0], count[1:]...)); got != "1000 1000" {
			t.Errorf("%s: there are %s rows, old rows; want 1000 1000", operation, got)
		}
	}
}

// javaKills are the operations during which a Java program is killed. The values are the numbers of
// all rows and of rows with the old value afterwards: the same as before, except after a completed
// operation.
var javaKills = map[string]string{"insert": "1000 1000", "update": "1000 1000", "delete": "1000 1000", "upsert": "1000 1000", "done": "2000 0"}

func TestKilledInTheMiddleNothingIsWritten(t *testing.T) {
	t.Parallel()
	java := compiled(t, "")
	for operation, want := range javaKills {
		file := filepath.Join(t.TempDir(), "kill.db")
		kill(t, operation, ".", nil, append(slices.Clone(java), "bulk.Program", "hang", file, operation)...)
		name, args := with(java, "bulk.Program", "count", file)
		if got := strings.TrimSpace(toolchain.Run(t, ".", nil, name, args...)); got != want {
			t.Errorf("%s: there are %s rows, old rows; want %s", operation, got, want)
		}
	}
}
