package bulk

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

func TestPythonReadsAndWritesArrow(t *testing.T) {
	t.Parallel()
	said(t, pythonProgram(t)("arrow"), []string{
		"every: 3000",
		"every the same: True",
		"read as: int32 bool int8 int16 int64 decimal128(38, 0) uint8 uint16 uint32 uint64 string float double decimal128(4, 1) decimal128(9, 3) " +
			"decimal128(18, 3) decimal128(38, 10) string binary string date32[day] time64[us] string timestamp[s] timestamp[ms] timestamp[us] timestamp[ns] " +
			"timestamp[us, tz=",
		"beside: (42,)",
		"whole: 200000",
		"insert: 600000",
		"once more: 600000 179999700000 1 x",
		"null: RowError: insert_all_kv: row 600000: column v must not be null",
		"type: RowError: insert_all_kv: row 500001: column k: 'seven': Failed to parse string: 'seven' as a scalar of type int32",
		"digits: RowError: insert_all_kv: row 2: column n: Decimal('1.234'): Rescaling Decimal value would cause data loss",
		"duplicate: RowError: insert_all_kv: row 2: duplicate key k: 7 (Constraint Error: ",
		"missing: ValueError: insert_all_kv: the rows have no column three: they have k, v, n",
		"unknown: ValueError: insert_all_kv: there is no column w, which the rows have, but k, v, n, three",
		"nested: RowError: insert_all_kv: row 1: column three: [1, 2]: ",
		"lists: ValueError: insert_all_kv: rows in Arrow's form: the route is lists",
		"nothing behind: 600000 179999700000 1 x",
		"update: 2",
		"upsert: 2",
		"changed: ('u b w',)",
		"update twice: 100000",
		"last wins: 100000",
		"delete: 300001",
		"of the connection: 300000 90000000000 2 last",
		"left: 0",
	})
}

func TestPythonReadsAndWritesArrowOverHTTP(t *testing.T) {
	t.Parallel()
	bin := toolchain.Python(t)
	dir := t.TempDir()
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", "arrow")
	for _, name := range []string{"scoter.sql", "scoter.yaml"} {
		toolchain.Copy(t, filepath.Join(here, name), filepath.Join(dir, name))
	}
	toolchain.Copy(t, filepath.Join(here, "program.py"), filepath.Join(dir, "python", "program.py"))
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
	checked(t, dir, "-m", "python.program")
	url := binary.Serve(t, t.TempDir()).URL
	said(t, toolchain.Run(t, dir, []string{"PYTHONUTF8=1"}, filepath.Join(bin, "python"), "-m", "python.program", url), []string{
		"one of many: ScoterError: table default.main.kv: row 1, column \"n\": \"12345.67\" is not exact in type DECIMAL(6,2) (rows are counted from row 10001, those before it are stored)",
		"one of many in Arrow's form: ScoterError: table default.main.kv: row 34464, column \"v\": NULL in a column that is NOT NULL (rows are counted from row 65537, those before it are stored)",
		"insert: 100000",
		"inserted: 100000 4999950000 x",
		"null: ScoterError: table default.main.kv: row 2, column \"v\": NULL in a column that is NOT NULL",
		"unknown: ValueError: insert_all_kv: there is no column w, which the rows have, but k, v, n, tags, seen",
		"missing: ValueError: delete_all_kv: the rows have no column k: they have n, seen, tags, v",
		"update: 2",
		"upsert: 2",
		"delete: 50000",
		"changed: 50001 2500100000 b u x",
		"columns: ['k', 'v', 'n', 'tags', 'seen']",
		"rows: 50001",
		"first: [1, 'b', None, ['a', None], None]",
		"some: True",
		"beside: 50001",
		"the rest: False",
		"failing: IncompleteRead",
		"afterwards: 50001 2500100000 b u x",
	})
}

// said fails unless a program printed exactly these lines in this order.
func said(t *testing.T, got string, want []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(got), "\n")
	for i := range max(len(lines), len(want)) {
		switch {
		case i >= len(want):
			t.Errorf("also %q", lines[i])
		case i >= len(lines):
			t.Errorf("there is no %q", want[i])
		case !strings.HasPrefix(lines[i], want[i]):
			t.Errorf("%q, expected %q", lines[i], want[i])
		}
	}
}
