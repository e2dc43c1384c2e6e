package lint

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/version"
)

const (
	extension = "internal/duck/ext"     // the only package that may include DuckDB's C++ headers
	headers   = "internal/duck/include" // DuckDB's headers themselves
)

// include matches a line that includes a header, in C++, C, and the C code of Go files.
var include = regexp.MustCompile(`^\s*#\s*include\s*[<"]([^>"]+)[>"]`)

// TestOnlyExtIncludesDuckDBsInside keeps all that must change with DuckDB's version in one package.
// Other packages may include DuckDB's C API.
func TestOnlyExtIncludesDuckDBsInside(t *testing.T) {
	found := 0
	for _, path := range repositoryFiles(t, ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".go") {
		for _, name := range included(t, path) {
			if !isDuckDBs(name) {
				continue
			}
			found++
			if !strings.HasPrefix(path, extension+"/") {
				t.Errorf("%s includes %s: only %s may use DuckDB's inside", path, name, extension)
			}
		}
	}
	if found == 0 {
		t.Error("no file includes a header of DuckDB: the check finds nothing")
	}
}

// isDuckDBs reports whether a header is one of DuckDB's, apart from its C API.
func isDuckDBs(name string) bool {
	if name == "duckdb.h" {
		return false
	}
	for _, folder := range []string{"", "fastpforlib", "miniz", "parquet", "parquet_types", "re2", "thrift", "zstd"} {
		if info, err := os.Stat(filepath.Join(root, headers, folder, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return strings.HasPrefix(name, "duckdb")
}

func included(t *testing.T, path string) []string {
	file, err := os.Open(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var names []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20) // generated Go files have long lines
	for lines.Scan() {
		if match := include.FindStringSubmatch(lines.Text()); match != nil {
			names = append(names, match[1])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return names
}

// TestOneVersionOfDuckDB compares the versions of the headers, of the library and of what Scoter
// says about itself.
func TestOneVersionOfDuckDB(t *testing.T) {
	code, err := os.ReadFile(filepath.Join(root, extension, "version.cc"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(code), `version = "v`+version.DuckDB+`";`) {
		t.Errorf("%s/version.cc names another version than internal/version: %s", extension, version.DuckDB)
	}
	// The bindings of 1.5.6 are v0.10506.0.
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/duckdb/duckdb-go-bindings").Output()
	if err != nil {
		t.Fatal(err)
	}
	bindings := regexp.MustCompile(`^v0\.(\d+)(\d\d)(\d\d)\.\d+$`).FindStringSubmatch(strings.TrimSpace(string(out)))
	if bindings == nil {
		t.Fatalf("the version %s of DuckDB's bindings names no version of DuckDB", out)
	}
	for i, number := range bindings[1:] {
		bindings[i+1] = strings.TrimLeft(number[:len(number)-1], "0") + number[len(number)-1:]
	}
	if library := strings.Join(bindings[1:], "."); library != version.DuckDB {
		t.Errorf("go.mod links DuckDB %s, internal/version says %s", library, version.DuckDB)
	}
}
