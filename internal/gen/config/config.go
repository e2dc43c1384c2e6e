// Package config reads the configuration file of `scoter generate`. That is a scoter.yaml, or an
// unchanged sqg.yaml, the configuration of SQG (the SQL code generator that Scoter's typed SQL
// replaces). Targets in an sqg.yaml get SQG's defaults. All errors in the file are reported at
// once, each with its line and a suggestion.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	// This YAML library gives the line and column of each node, which error messages need.
	"gopkg.in/yaml.v3"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Names are the file names of a configuration. Find looks for them in this order.
var Names = []string{"scoter.yaml", "scoter.yml", "sqg.yaml", "sqg.yml"}

// Project is the content of a configuration file of `scoter generate`.
type Project struct {
	// Path is the path of the configuration file. Dir is its folder. All paths in the configuration
	// are relative to Dir.
	Path, Dir string
	Version   int
	Name      string
	Entries   []Entry
	Sources   []Source
	// Signatures are the settings that change the signatures of generated methods.
	Signatures Signatures
}

// Signatures are settings that change the signatures of generated methods. Each is off if the
// configuration does not have it, so that an update of Scoter does not change existing code.
// `scoter init` turns all of them on.
type Signatures struct {
	// NullableParameters means that a parameter may be NULL if it is only assigned to nullable
	// columns.
	NullableParameters bool
	// QueryRows means that every query has a row type of its own, which it shares with a table or
	// another query only by `:result=`.
	QueryRows bool
}

// Entry is one element of the configuration's list `sql`: SQL files that share a schema, and the
// targets for which code is generated from them.
type Entry struct {
	// Files are the paths of the SQL files as the configuration has them, with forward slashes.
	Files []string
	// FilesAt[i] is the place in the configuration where Files[i] is written, for diagnostics.
	FilesAt []Place
	Gen     []ir.Target
}

// Place is a position, as line and column, in the configuration file.
type Place struct {
	text     *diag.Text
	from, to int
}

// Errorf returns a diagnostic that is an error at this place of the configuration.
func (p Place) Errorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	if p.text == nil { // a project without a configuration file
		return &diag.Diagnostic{Severity: diag.Error, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	return p.text.At(diag.Error, code, p.from, p.to, format, args...)
}

// Source is one element of the configuration's `sources`. It is a file whose path SQL may use as
// ${sources_<name>}, or a PostgreSQL database that DuckDB attaches.
type Source struct {
	Name string
	// Type is the kind of source: "file" or "postgres".
	Type string
	// Path is the path of the file, for a source of type "file". $HOME in it is expanded; the rest
	// is as the configuration has it.
	Path string
	At   Place
}

// Engines returns the database engines of an entry's targets, each once, in the order of the
// targets. The entry's SQL is analysed once for each engine.
func (e Entry) Engines() []ir.Engine {
	var out []ir.Engine
	seen := map[ir.Engine]bool{}
	for _, t := range e.Gen {
		if !seen[t.Engine] {
			seen[t.Engine] = true
			out = append(out, t.Engine)
		}
	}
	return out
}

// Constants returns, for each source that is a file, the name that SQL uses in ${} (sources_<name>)
// and the file's path as an SQL literal.
func (p *Project) Constants() map[string]string {
	out := map[string]string{}
	for _, s := range p.Sources {
		if s.Type == "file" {
			out["sources_"+strings.Join(strings.Fields(s.Name), "_")] = "'" + strings.ReplaceAll(s.Path, "'", "''") + "'"
		}
	}
	return out
}

// Attached returns the sources that are PostgreSQL databases, as the type of package ir.
func (p *Project) Attached() []ir.Source {
	var out []ir.Source
	for _, s := range p.Sources {
		if s.Type == "postgres" {
			out = append(out, ir.Source{Name: ir.NewName(s.Name), SQLName: ir.QuoteName(s.Name), Type: s.Type})
		}
	}
	return out
}

// Abs returns the absolute form of a path in the configuration. A relative path is relative to the
// configuration's folder.
func (p *Project) Abs(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Dir, path)
}

// Find returns the path of the configuration file in folder dir.
func Find(dir string) (string, error) {
	for _, name := range Names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", base.Errorf(base.NotFound, "%s does not exist in %s", Names[0], dir).WithHint("run `scoter init`, or name the file")
}

// Load reads and checks a configuration file. Errors in its content are added to list; the project
// is nil then. The returned error means that a file cannot be read.
func Load(path string, list *diag.List) (*Project, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, base.Errorf(base.NotFound, "file %s does not exist", path).WithHint("run `scoter init`, or name the file")
	}
	if err != nil {
		return nil, base.Errorf(base.Invalid, "read configuration: %w", err)
	}
	p := Parse(path, string(text), list)
	if p == nil {
		return nil, nil
	}
	for _, e := range p.Entries {
		for i, f := range e.Files {
			if _, err := os.Stat(p.Abs(f)); err != nil {
				d := list.Add(e.FilesAt[i].Errorf(diag.FileNotFound, "file %s does not exist", f))
				if near := nearFile(p.Dir, f); near != "" {
					d.Suggest("did you mean %s?", near)
				} else {
					d.Suggest("paths are relative to %s", p.Dir)
				}
			}
		}
	}
	if list.HasErrors() {
		return nil, nil
	}
	return p, nil
}

// nearFile returns the name of the SQL file in a folder that is most similar to the name of a
// missing file. It is for the suggestion in an error message.
func nearFile(dir, file string) string {
	matches, err := filepath.Glob(filepath.Join(dir, filepath.Dir(filepath.FromSlash(file)), "*.sql"))
	if err != nil {
		return ""
	}
	var names []string
	for _, m := range matches {
		if rel, err := filepath.Rel(dir, m); err == nil {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return base.Nearest(file, names)
}

// Parse parses and checks text, the content of the configuration file at path. It reads no file.
// Errors are added to list; the project is nil then.
func Parse(path, text string, list *diag.List) *Project {
	page := diag.NewText(filepath.Base(path), text)
	r := &reader{page: page, list: list, sqg: isSQG(path)}
	p := &Project{Path: path, Dir: filepath.Dir(path)}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		r.syntax(err)
		return nil
	}
	if len(root.Content) == 0 {
		list.Add(page.At(diag.Error, diag.ConfigParse, 0, 0, "the configuration is empty").Suggest("run `scoter init`"))
		return nil
	}
	r.project(p, root.Content[0])
	if list.HasErrors() {
		return nil
	}
	return p
}

// SQG reports whether the configuration file is an sqg.yaml, the configuration of SQG, the
// generator that Scoter replaces. Code for such a file gets SQG's defaults, names and types.
func (p *Project) SQG() bool { return isSQG(p.Path) }

// isSQG reports whether a file is a configuration of SQG (the SQL code generator that Scoter's
// typed SQL replaces). It looks only at the file's name.
func isSQG(path string) bool {
	name := filepath.Base(path)
	return name == "sqg.yaml" || name == "sqg.yml"
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)
