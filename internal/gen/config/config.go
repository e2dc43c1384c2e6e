// Package config reads the configuration of `scoter generate`: scoter.yaml, or
// an sqg.yaml as it stands, which has SQG's defaults. Everything wrong in it is reported at once, each
// with its line, and a suggestion.
package config

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3" // its nodes keep line and column, which every message needs

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Names are the file names that Find looks for, in this order.
var Names = []string{"scoter.yaml", "scoter.yml", "sqg.yaml", "sqg.yml"}

// Project is a whole configuration.
type Project struct {
	// Path is the file; Dir is its folder, which all paths are relative to.
	Path, Dir string
	Version   int
	Name      string
	Entries   []Entry
	Sources   []Source
}

// Entry is one element of `sql`: files that share a schema, and what to make
// of them.
type Entry struct {
	// Files as written, with forward slashes.
	Files []string
	// FilesAt are their places, for diagnostics about the files.
	FilesAt []Place
	Gen     []ir.Target
}

// Place is a place in the configuration file.
type Place struct {
	source   *diag.Source
	from, to int
}

// Errorf makes an error at the place.
func (p Place) Errorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	return p.source.At(diag.Error, code, p.from, p.to, format, args...)
}

// Source is one element of `sources`: a file whose path SQL may name as
// ${sources_<name>}, or a PostgreSQL database that DuckDB attaches.
type Source struct {
	Name string
	// Type is "file" or "postgres".
	Type string
	// Path of a file, $HOME expanded, otherwise as written.
	Path string
	At   Place
}

// Engines returns the engines that an entry's targets need, each once, in the
// order of the targets. An entry is analysed once per engine.
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

// Constants are what the file sources put in place of ${sources_<name>}, as
// SQL literals.
func (p *Project) Constants() map[string]string {
	out := map[string]string{}
	for _, s := range p.Sources {
		if s.Type == "file" {
			out["sources_"+strings.Join(strings.Fields(s.Name), "_")] = "'" + strings.ReplaceAll(s.Path, "'", "''") + "'"
		}
	}
	return out
}

// Attached are the PostgreSQL sources as modules name them.
func (p *Project) Attached() []ir.Source {
	var out []ir.Source
	for _, s := range p.Sources {
		if s.Type == "postgres" {
			out = append(out, ir.Source{Name: ir.NewName(s.Name), SQLName: ir.QuoteName(s.Name), Type: s.Type})
		}
	}
	return out
}

// Abs returns where a path of the configuration is, which is relative to its folder.
func (p *Project) Abs(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Dir, path)
}

// Find returns the configuration in a folder.
func Find(dir string) (string, error) {
	for _, name := range Names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", base.Errorf(base.NotFound, "there is no %s in %s", Names[0], dir).WithHint("run `scoter init`, or name the file")
}

// Load reads and checks a configuration file. Diagnostics go to list; the
// project is nil when there are errors. The error is for a file that cannot
// be read.
func Load(path string, list *diag.List) (*Project, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, base.Errorf(base.NotFound, "there is no file %s", path).WithHint("run `scoter init`, or name the file")
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
				d := list.Add(e.FilesAt[i].Errorf(diag.FileNotFound, "there is no file %s", f))
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

// nearFile finds the SQL file that was meant.
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

// Parse checks the text of a configuration; it looks at no other file. It
// returns nil when there are errors.
func Parse(path, text string, list *diag.List) *Project {
	source := diag.NewSource(filepath.Base(path), text)
	r := &reader{source: source, list: list, sqg: isSQG(path)}
	p := &Project{Path: path, Dir: filepath.Dir(path)}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		r.syntax(err)
		return nil
	}
	if len(root.Content) == 0 {
		list.Add(source.At(diag.Error, diag.ConfigParse, 0, 0, "the configuration is empty").Suggest("run `scoter init`"))
		return nil
	}
	r.project(p, root.Content[0])
	if list.HasErrors() {
		return nil
	}
	return p
}

// SQG reports whether the project is an sqg.yaml's, which gets SQG's defaults, names and types.
func (p *Project) SQG() bool { return isSQG(p.Path) }

// isSQG reports whether a file is a configuration of SQG: its name says so.
func isSQG(path string) bool {
	name := filepath.Base(path)
	return name == "sqg.yaml" || name == "sqg.yml"
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)
