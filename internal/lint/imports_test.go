// Package lint holds the rules of the house that a compiler does not check.
package lint

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/scoterdb/scoter"

// floors lists the packages from the ground up. A package may import those on lower
// floors, and on its own floor only what lies below its own path.
var floors = [][]string{
	{"internal/base", "internal/version"},
	{"internal/vfs", "internal/mapped", "internal/option", "internal/intern", "internal/sqltoken", "internal/schema", "internal/ledger"},
	{"internal/blocks", "internal/config"},
	{"internal/batch", "internal/duck", "internal/encode", "internal/spool"},
	{"internal/wal", "internal/memtable", "internal/catalog", "internal/part", "internal/patch", "internal/ingest", "internal/sample", "internal/livescan"},
	{"internal/snapshot", "internal/registry"},
	{"internal/keys"},
	{"internal/engine"},
	{"internal/sqlquery"},
	{"internal/overlay", "internal/spill", "internal/clause", "internal/stream", "internal/export", "internal/backup"},
	{"internal/query", "internal/statement", "internal/tx", "internal/incoming", "internal/merge"},
	{"internal/ddl", "internal/storable"},
	{"internal/dml"},
	{"internal/write"},
	{"internal/session", "internal/system", "internal/metrics"},
	{"internal/server"},
	{"internal/app"},
	{"."},
	{"scotertest", "bench"},
	{"cmd", "tests", "examples", "internal/lint"},
}

// generator lists the packages of the code generator. It and the database do not import each other,
// except for the lowest floors. Benchmarks measure both.
var generator = [][]string{
	{"internal/gen/ir", "internal/gen/diag"},
	{"internal/gen/config", "internal/gen/sqg", "internal/gen/sqlfile"},
	{"internal/gen/analyze", "clients"},
	{"internal/gen/lang", "internal/gen/migrate"},
	{"internal/gen"},
}

func floorOf(floors [][]string, path string) (floor int, name string) {
	best := ""
	for f, packages := range floors {
		for _, r := range packages {
			if (path == r || strings.HasPrefix(path, r+"/") || r == ".") && len(r) > len(best) {
				if r == "." && path != "." {
					continue
				}
				floor, best = f, r
			}
		}
	}
	return floor, best
}

func TestImportsPointDownward(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		from := short(fields[0])
		house := floors
		if _, name := floorOf(generator, from); name != "" {
			house = append([][]string{{"internal/base"}}, generator...)
		}
		fromFloor, fromName := floorOf(house, from)
		if fromName == "" {
			t.Errorf("%s stands on no floor: give it one in this test", from)
			continue
		}
		for _, imported := range fields[1:] {
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			to := short(imported)
			toFloor, toName := floorOf(house, to)
			top := fromFloor == len(floors)-1 && len(house) == len(floors)
			switch {
			case toName == "" && !top && fromName != "bench":
				t.Errorf("%s imports %s, which is in another house", from, to)
			case toName == fromName, toFloor < fromFloor, top:
			default:
				t.Errorf("%s (floor %d) imports %s (floor %d)", from, fromFloor, to, toFloor)
			}
		}
	}
}

func short(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// TestOnlyDuckAndOverlayNeedC keeps everything below queries testable without a C compiler.
func TestOnlyDuckAndOverlayNeedC(t *testing.T) {
	var pure []string
	for _, packages := range floors[:9] {
		for _, r := range packages {
			if r != "internal/duck" && r != "internal/livescan" {
				pure = append(pure, module+"/"+r+"/...")
			}
		}
	}
	list := exec.Command("go", append([]string{"list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}"}, pure...)...)
	list.Env = append(list.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		// The standard library has its own choice of cgo and does without.
		if strings.Contains(path, ".") {
			t.Errorf("%s uses cgo", path)
		}
	}
}

func TestOnlyDuckImportsTheDuckDBModules(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/internal/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		from, imports, _ := strings.Cut(line, " ")
		if strings.Contains(imports, "github.com/duckdb/") && short(from) != "internal/duck" && !strings.HasPrefix(short(from), "internal/gen/") {
			t.Errorf("%s imports DuckDB's Go modules; package duck is there for that", short(from))
		}
	}
}

// TestTheServersBinaryHasNoBenchmarks keeps what only benchmarks and tests need out of what is
// shipped.
func TestTheServersBinaryHasNoBenchmarks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/scoter").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		for _, workshop := range []string{module + "/bench", module + "/tests", module + "/scotertest", "github.com/twmb/franz-go/pkg/kfake"} {
			if path == workshop || strings.HasPrefix(path, workshop+"/") {
				t.Errorf("cmd/scoter depends on %s", path)
			}
		}
	}
}

func TestEverythingIsFormatted(t *testing.T) {
	out, err := exec.Command("gofmt", "-l", "../..").CombinedOutput()
	if err != nil {
		t.Fatalf("gofmt: %v: %s", err, out)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.Contains(path, "node_modules") && !strings.Contains(path, "/.cache/") {
			t.Errorf("%s is not formatted: make fmt", path)
		}
	}
}
