package examples

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// upstream are SQG's own example projects with the class to run. For projects without one, the code
// is only compiled: they are benchmarks of many minutes, or need a container.
var upstream = []struct{ name, main string }{
	{"java-duckdb", "example.Main"},
	{"java-duckdb-benchmark", ""},
	{"java-postgres-benchmark", ""},
	{"typescript-duckdb", "dist/main.js"},
	{"typescript-sqlite", "dist/main.js"},
	{"typescript-sqlite-benchmark", ""},
}

// TestExamplesOfSQGCompileAndRunUnchanged needs a checkout of github.com/sqg-dev/sqg in SQG_DIR, in
// version 0.23.0 (d1f9cdf) or the next commit (29f3bcf): `make sqg SQG_DIR=...`.
func TestExamplesOfSQGCompileAndRunUnchanged(t *testing.T) {
	checkout := os.Getenv("SQG_DIR")
	if checkout == "" {
		t.Skip("SQG_DIR is not set")
	}
	for _, e := range upstream {
		t.Run(e.name, func(t *testing.T) {
			from := filepath.Join(checkout, "examples", e.name)
			compile := compileJava
			if strings.HasPrefix(e.name, "typescript") {
				compile = compileTypeScript
			}
			output := compile(t, checkout, from, e.name, e.main)
			if e.main != "" && (!strings.Contains(output, "Alice") || !strings.HasSuffix(output, "Done!\n")) {
				t.Errorf("it prints\n%s", output)
			}
		})
	}
}

// generateUpstream copies a project and generates its code. It checks that the generated code has
// all names of the code that SQG generated, which is part of the project.
func generateUpstream(t *testing.T, from, work string) {
	if err := os.CopyFS(work, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	theirs := sources(t, work)
	pg := toolchain.StartPostgres(t)
	toolchain.Run(t, work, []string{"SQG_POSTGRES_URL=" + pg.URL()}, binary.Path(t), "generate")
	ours, all := sources(t, work), ""
	for path, text := range ours {
		if theirs[path] != text { // it is generated
			all += text
		}
	}
	declared := regexp.MustCompile(`(?m)^\s*(?:public |static |async |export )+(?:[\w<>\[\], .]+ )?(\w+)\(`)
	for path, text := range theirs {
		if ours[path] == text {
			continue // it is the program
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			// Scoter's appenders do not wrap the driver's appender, so they cannot return it.
			if m[1] != "getAppender" && !strings.Contains(all, m[1]+"(") {
				t.Errorf("%s: %s is missing", path, m[1])
			}
		}
	}
}

// sources reads the Java and TypeScript files of a folder.
func sources(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".java" && filepath.Ext(path) != ".ts" {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	dependency = regexp.MustCompile(`(?:implementation|runtimeOnly)\("([^:"]+):([^:"]+):([^"]+)"\)`)
	language   = regexp.MustCompile(`JavaLanguageVersion\.of\((\d+)\)`)
)

// compileJava compiles a project with the dependencies of its Gradle file, using Maven and javac,
// and runs one of its classes.
func compileJava(t *testing.T, _, from, name, main string) string {
	gradle, err := os.ReadFile(filepath.Join(from, "build.gradle.kts"))
	if err != nil {
		t.Fatal(err)
	}
	least := 17
	if m := language.FindSubmatch(gradle); m != nil {
		if least, err = strconv.Atoi(string(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	jdk := toolchain.JDK(t, least)
	var pom strings.Builder
	pom.WriteString(`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>sqg</groupId><artifactId>` + name +
		"</artifactId><version>1</version><dependencies>\n")
	for _, d := range dependency.FindAllSubmatch(gradle, -1) {
		if string(d[2]) == "pgbulkinsert" { // only SQG's code uses it
			continue
		}
		fmt.Fprintf(&pom, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n", d[1], d[2], d[3])
	}
	pom.WriteString("</dependencies></project>\n")
	jars := toolchain.Jars(t, "sqg-"+name, pom.String())
	work := t.TempDir()
	generateUpstream(t, from, work)
	args := []string{"-proc:none", "-cp", jars, "-d", "out"}
	for path := range sources(t, work) {
		args = append(args, path)
	}
	toolchain.Javac(t, work, jdk, args...)
	if main == "" {
		return ""
	}
	return toolchain.Run(t, work, nil, filepath.Join(jdk, "java"), "-cp", "out"+string(os.PathListSeparator)+jars, main)
}

// manifest is the part of a package.json that lists the required packages.
type manifest struct {
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
}

// compileTypeScript compiles a project with its tsconfig.json, and runs one of its files.
func compileTypeScript(t *testing.T, checkout, from, name, main string) string {
	node, packages := toolchain.Need(t, "node"), toolchain.Packages(t, "sqg", needed(t, checkout))
	// Below the packages, where the compiler and Node.js find them.
	work := toolchain.Empty(t, filepath.Join(packages, "examples", name))
	generateUpstream(t, from, work)
	toolchain.Run(t, work, nil, filepath.Join(packages, "node_modules", ".bin", "tsc"))
	if main == "" {
		return ""
	}
	return toolchain.Run(t, work, nil, node, main)
}

// needed returns a package.json with the packages that all TypeScript projects need, in the
// versions of the workspace's catalog. SQG itself is not among them.
func needed(t *testing.T, checkout string) string {
	read := func(to any, unmarshal func([]byte, any) error, path ...string) {
		text, err := os.ReadFile(filepath.Join(append([]string{checkout}, path...)...))
		if err == nil {
			err = unmarshal(text, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var workspace struct{ Catalog map[string]string }
	read(&workspace, yaml.Unmarshal, "pnpm-workspace.yaml")
	all := map[string]string{}
	for _, e := range upstream {
		if !strings.HasPrefix(e.name, "typescript") {
			continue
		}
		var m manifest
		read(&m, json.Unmarshal, "examples", e.name, "package.json")
		for _, of := range []map[string]string{m.Dependencies, m.DevDependencies} {
			for name, version := range of {
				if version == "catalog:" {
					version = workspace.Catalog[name]
				}
				if !strings.HasPrefix(version, "workspace:") {
					all[name] = version
				}
			}
		}
	}
	text, err := json.Marshal(map[string]any{"name": "sqg-examples", "private": true, "type": "module", "dependencies": all})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
