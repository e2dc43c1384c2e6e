package bulk

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// mypy is held while mypy checks a program. The programs are checked one after the other, because
// they share mypy's cache of the packages.
var mypy sync.Mutex

// checked runs mypy in strict mode.
func checked(t *testing.T, dir string, args ...string) {
	mypy.Lock()
	defer mypy.Unlock()
	cache := toolchain.Folder(t, "python", "mypy-bulk")
	toolchain.Run(t, dir, nil, filepath.Join(toolchain.Python(t), "mypy"), append([]string{"--strict", "--cache-dir", cache}, args...)...)
}

// pythonProgram generates the code and checks it. It returns a function that runs the program.
func pythonProgram(t *testing.T) func(mode string) string {
	bin := toolchain.Python(t)
	dir := shared(t, "python", func(dir string) string {
		here := filepath.Join(toolchain.Root(t), "tests", "bulk")
		for _, name := range []string{"queries.sql", "scoter.yaml"} {
			toolchain.Copy(t, filepath.Join(here, name), filepath.Join(dir, name))
		}
		toolchain.Copy(t, filepath.Join(here, "program.py"), filepath.Join(dir, "python", "program.py"))
		toolchain.Run(t, dir, nil, binary.Path(t), "generate")
		checked(t, dir, "-m", "python.program")
		return dir
	})
	return func(mode string) string {
		return toolchain.Run(t, dir, []string{"PYTHONUTF8=1"}, filepath.Join(bin, "python"), "-m", "python.program", mode)
	}
}

func TestPythonWritesTheSameWithAndWithoutArrow(t *testing.T) {
	t.Parallel()
	run := pythonProgram(t)
	got, want := run("types"), run("lists")
	if !strings.HasPrefix(want, "every: 300\n") {
		t.Fatalf("by lists:\n%s", want)
	}
	theirs := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(theirs) || line != theirs[i] {
			t.Fatalf("line %d by Arrow:\n%s\nby lists:\n%s", i, line, want)
		}
	}
}

func TestPythonNamesRowsAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	run := pythonProgram(t)
	got := run("results")
	for _, line := range []string{
		"insert: 100000",
		"null: RowError: insert_all_kv: row 3: column v must not be null",
		"type: RowError: insert_all_kv: row 2: column k: 'seven': Could not convert 'seven' with type str: tried to convert to int32",
		"digits: RowError: insert_all_kv: row 2: column n: Decimal('1.234'): Rescaling Decimal value would cause data loss",
		"length: RowError: insert_all_kv: row 2: column three: [1, 2]: Length of item not correct: expected 3 but got array of size 2",
		"duplicate: RowError: insert_all_kv: row 2: duplicate key k: 7 (Constraint Error: ",
		"twice: RowError: insert_all_kv: row 3: duplicate key k: 200000 (Constraint Error: ",
		"late: RowError: insert_all_kv: row 150001: column v must not be null",
		"broken: LookupError: no row 150000",
		"nothing behind: 100000 4999950000 1 a",
		"update: 90000",
		"update some: 2",
		"last wins: 0 89998",
		"update twice: 1",
		"upsert: 120000",
		"upsert some: 2",
		"upserted: 120001 7200060000 120001 u0",
		"delete: 50000",
		"delete some: 1",
		"no rows: 0",
		"own transaction: 100000",
		"rolled back: 70000 5950035000 70000 u100000",
		"committed: 70010 5953035045 70001 t",
		"left: 0",
	} {
		if !strings.HasSuffix(line, "Error: ") {
			line += "\n"
		}
		if !strings.Contains(got, line) {
			t.Errorf("there is no line %q in\n%s", line, got)
		}
	}
	// 300,000 rows of more than 100 bytes each.
	if held, err := strconv.Atoi(strings.TrimSpace(run("memory"))); err != nil || held > 40 {
		t.Errorf("Python held %d MB: %v", held, err)
	}
}
