package gen

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// manifest is a kind of file in which an application names the version of its DuckDB driver. The
// expression's first group is the version. Drivers of DuckDB have the version of DuckDB in their
// own version, mostly at its beginning.
type manifest struct {
	file    string
	version *regexp.Regexp
}

// manifests are the files that name the driver's version, by language. A file that says which
// version is installed is before a file that only says which versions are allowed.
var manifests = map[string][]manifest{
	"typescript": {
		{"node_modules/@duckdb/node-api/package.json", regexp.MustCompile(`"version"\s*:\s*"(\d+\.\d+\.\d+)`)},
		{"package.json", regexp.MustCompile(`"@duckdb/node-api"\s*:\s*"[~^=>v ]*(\d+\.\d+\.\d+)`)},
	},
	"python": {
		{"uv.lock", regexp.MustCompile(`(?m)^name = "duckdb"\nversion = "(\d+\.\d+\.\d+)`)},
		{"poetry.lock", regexp.MustCompile(`(?m)^name = "duckdb"\nversion = "(\d+\.\d+\.\d+)`)},
		{"requirements.txt", regexp.MustCompile(`(?m)^duckdb\s*[=~>]=\s*(\d+\.\d+\.\d+)`)},
		{"pyproject.toml", regexp.MustCompile(`["']duckdb\s*[=~>]=\s*(\d+\.\d+\.\d+)`)},
	},
	"java": {
		{"pom.xml", regexp.MustCompile(`<artifactId>duckdb_jdbc</artifactId>\s*<version>(\d+\.\d+\.\d+)`)},
		{"build.gradle", regexp.MustCompile(`org\.duckdb:duckdb_jdbc:(\d+\.\d+\.\d+)`)},
		{"build.gradle.kts", regexp.MustCompile(`org\.duckdb:duckdb_jdbc:(\d+\.\d+\.\d+)`)},
	},
	// The Go driver v2.10506.0 has DuckDB 1.5.6: two digits for each number, except the first.
	"go": {{"go.mod", regexp.MustCompile(`github\.com/duckdb/duckdb-go/v2 v2\.(\d{5,})\.`)}},
}

// driverIsNewer adds a warning to list if the application's driver has a newer DuckDB than the one
// that analysed the queries. A newer DuckDB may refuse a query that the older one accepts, or
// return other types. Drivers of the other engines do not tell the engine's version: it is that of
// a server, or the driver's version has nothing to do with it.
func driverIsNewer(dir, analysed string, t ir.Target, list *diag.List) {
	if t.Engine != ir.DuckDB {
		return
	}
	file, version := driverVersion(filepath.Join(dir, filepath.FromSlash(t.Output)), t.Language)
	theirs, ours := numbers(version), numbers(analysed)
	if theirs == nil || ours == nil || slices.Compare(theirs, ours) <= 0 {
		return
	}
	// Diagnostics name files by their path from the project's folder.
	if from, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(from, file); err == nil {
			file = filepath.ToSlash(rel)
		}
	}
	d := &diag.Diagnostic{Severity: diag.Warning, Code: diag.NewerEngine, File: file,
		Message: "the driver has DuckDB " + dotted(theirs) + ", and the queries were analysed with the older DuckDB " + dotted(ours)}
	list.Add(d.Suggest("a newer DuckDB may refuse some of the queries: update scoter, or use the driver for %s", dotted(ours)))
}

// driverVersion returns the version of the DuckDB driver in the application to which the generated
// file belongs, and the path of the file that says so. It looks in the folder of the generated file
// and the folders above it, and stops at the first one that names a version. The version is empty
// if there is none.
func driverVersion(generated, language string) (file, version string) {
	dir, err := filepath.Abs(generated)
	if err != nil {
		return "", ""
	}
	for {
		for _, m := range manifests[language] {
			path := filepath.Join(dir, filepath.FromSlash(m.file))
			text, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			if found := m.version.FindSubmatch(text); found != nil {
				return path, string(found[1])
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

var versionNumber = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)`)

// numbers returns the three numbers of a version such as "v1.5.6", "1.5.6.0" or "10506". It returns
// nil if the text has another form.
func numbers(version string) []int {
	if n, err := strconv.Atoi(version); err == nil {
		return []int{n / 10000, n / 100 % 100, n % 100}
	}
	found := versionNumber.FindStringSubmatch(version)
	if found == nil {
		return nil
	}
	out := make([]int, 3)
	for i := range out {
		n, err := strconv.Atoi(found[i+1])
		if err != nil {
			return nil
		}
		out[i] = n
	}
	return out
}

func dotted(v []int) string {
	return strconv.Itoa(v[0]) + "." + strconv.Itoa(v[1]) + "." + strconv.Itoa(v[2])
}
