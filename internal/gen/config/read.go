package config

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// reader turns the YAML nodes of a configuration file into a Project. It collects the errors.
type reader struct {
	page *diag.Text
	list *diag.List
	// sqg means that the file is an sqg.yaml, the configuration of SQG, the generator that Scoter
	// replaces. Its targets get SQG's defaults and names.
	sqg bool
}

// place returns the position of a YAML node in the file.
func (r *reader) place(n *yaml.Node) Place {
	from := 0
	for line := 1; line < n.Line; line++ {
		from += strings.IndexByte(r.page.Text[from:], '\n') + 1
	}
	column := n.Column
	for i := range r.page.Text[from:] {
		if column--; column == 0 {
			from += i
			break
		}
	}
	return Place{r.page, from, min(from+max(len(n.Value), 1), len(r.page.Text))}
}

func (r *reader) errorf(n *yaml.Node, code diag.Code, format string, args ...any) *diag.Diagnostic {
	return r.list.Add(r.place(n).Errorf(code, format, args...))
}

// syntax adds an error that says that the file is not valid YAML.
func (r *reader) syntax(err error) {
	message, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line, message = n, m[2]
		}
	}
	from := r.place(&yaml.Node{Line: line, Column: 1}).from
	r.list.Add(r.page.At(diag.Error, diag.ConfigParse, from, from+len(r.page.Line(line)), "this is not YAML: %s", message).
		Suggest("check indentation and quotes"))
}

// fields returns the values of a YAML mapping by key. It reports an error for each key that is not
// in the list known. The parameter what is the mapping's name for messages.
func (r *reader) fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.errorf(n, diag.ConfigInvalid, "%s must be a mapping", what).Suggest("it has the keys %s", strings.Join(known, ", "))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if out[key.Value] != nil {
			r.errorf(key, diag.ConfigInvalid, "%s is given twice", key.Value)
			continue
		}
		found := false
		for _, k := range known {
			found = found || k == key.Value
		}
		if !found {
			d := r.errorf(key, diag.ConfigInvalid, "%s has no key %q", what, key.Value)
			if near := base.Nearest(key.Value, known); near != "" {
				d.Suggest("did you mean %s?", near)
			} else {
				d.Suggest("it has %s", strings.Join(known, ", "))
			}
			continue
		}
		for value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		out[key.Value] = value
	}
	return out
}

// text returns the text of the YAML scalar n. It reports an error and returns "" if n is not a
// scalar, or if n is missing although it is required. The parameter what is the value's name for
// messages.
func (r *reader) text(parent, n *yaml.Node, what string, required bool) string {
	if n == nil {
		if required {
			r.errorf(parent, diag.ConfigInvalid, "%s is missing", what).Suggest("add %s", what[strings.LastIndexByte(what, ' ')+1:])
		}
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" {
		r.errorf(n, diag.ConfigInvalid, "%s must be a text", what)
		return ""
	}
	return n.Value
}

func (r *reader) items(parent, n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		r.errorf(parent, diag.ConfigInvalid, "%s is missing", what)
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.errorf(n, diag.ConfigInvalid, "%s must be a list with at least one element", what).Suggest("begin each element with -")
		return nil
	}
	return n.Content
}

func (r *reader) project(p *Project, n *yaml.Node) {
	f := r.fields(n, "the configuration", "version", "name", "sql", "sources", "signatures")
	if v := r.text(n, f["version"], "the version", true); v != "" {
		version, err := strconv.Atoi(v)
		if p.Version = version; err != nil || version != 1 {
			r.errorf(f["version"], diag.ConfigInvalid, "unknown version %s", v).Suggest("write version: 1")
		}
	}
	p.Name = r.text(n, f["name"], "the project's name", true)
	if s := f["signatures"]; s != nil {
		r.signatures(p, s)
	}
	if sources := f["sources"]; sources != nil {
		for _, s := range r.items(n, sources, "sources") {
			r.sourceEntry(p, s)
		}
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, e := range r.items(n, f["sql"], "sql") {
		r.entry(p, e)
	}
}

func (r *reader) signatures(p *Project, n *yaml.Node) {
	if r.sqg {
		r.errorf(n, diag.ConfigInvalid, "signatures are not used in an sqg.yaml, whose code fits programs for SQG").
			Suggest("rename the file to scoter.yaml, or remove them")
		return
	}
	f := r.fields(n, "signatures", "nullableParameters", "queryRows")
	r.flag("nullableParameters", f["nullableParameters"], &p.Signatures.NullableParameters)
	r.flag("queryRows", f["queryRows"], &p.Signatures.QueryRows)
}

// flag stores the YAML value n, true or false, in into. It changes nothing if n is nil. key is the
// name of the value for messages.
func (r *reader) flag(key string, n *yaml.Node, into *bool) {
	switch {
	case n == nil:
	case n.Tag != "!!bool":
		r.errorf(n, diag.ConfigInvalid, "%s must be true or false", key)
	default:
		*into = strings.EqualFold(n.Value, "true")
	}
}

func (r *reader) sourceEntry(p *Project, n *yaml.Node) {
	f := r.fields(n, "a source", "name", "path", "type", "image")
	s := Source{Type: "file", At: r.place(n)}
	if t := f["type"]; t != nil {
		if s.Type = r.text(n, t, "the type", true); s.Type != "postgres" && s.Type != "file" {
			d := r.errorf(t, diag.ConfigInvalid, "unknown source type %q", s.Type)
			if near := base.Nearest(s.Type, []string{"postgres", "file"}); near != "" {
				d.Suggest("did you mean %s?", near)
			} else {
				d.Suggest("write postgres or file")
			}
			return
		}
	}
	if s.Type == "file" {
		written := r.text(n, f["path"], "the source's path", true)
		s.Path = strings.ReplaceAll(written, "$HOME", os.Getenv("HOME"))
		s.Name = strings.TrimSuffix(path.Base(written), path.Ext(written))
	}
	if f["name"] != nil || s.Type == "postgres" {
		s.Name = r.text(n, f["name"], "the source's name", true)
	}
	for _, other := range p.Sources {
		if ir.NewName(other.Name).Same(ir.NewName(s.Name)) {
			r.errorf(n, diag.ConfigInvalid, "two sources are named %s", s.Name)
		}
	}
	p.Sources = append(p.Sources, s)
}

func (r *reader) entry(p *Project, n *yaml.Node) {
	// Old configurations of SQG, the generator that Scoter replaces, also have the field engine. It
	// is ignored, because the id of the generator names the engine already.
	f := r.fields(n, "an element of sql", "files", "gen", "engine")
	e := Entry{}
	for _, file := range r.items(n, f["files"], "files") {
		name := r.text(n, file, "a file", true)
		for _, other := range e.Files {
			if other == name {
				r.errorf(file, diag.ConfigInvalid, "%s is listed twice", name)
			}
		}
		e.Files, e.FilesAt = append(e.Files, name), append(e.FilesAt, r.place(file))
	}
	for _, g := range r.items(n, f["gen"], "gen") {
		r.target(p, &e, g, f["engine"])
	}
	p.Entries = append(p.Entries, e)
}

// extensions lists, for each language, the file extensions that an output file may have. The first
// one is the usual one.
var extensions = map[string][]string{"typescript": {".ts", ".mts", ".cts"}, "java": {".java"}, "python": {".py"}, "go": {".go"}}

func (r *reader) target(p *Project, e *Entry, n *yaml.Node, engine *yaml.Node) {
	f := r.fields(n, "an element of gen", "generator", "output", "name", "config", "template")
	id := r.text(n, f["generator"], "the generator", true)
	output := r.text(n, f["output"], "the output", true)
	if t := f["template"]; t != nil {
		r.list.Add(r.page.At(diag.Warning, diag.ConfigInvalid, r.place(t).from, r.place(t).to, "templates are not used").Suggest("remove the line"))
	}
	if id == "" || output == "" {
		return
	}
	// Early versions of SQG, the generator that Scoter replaces, had the engine in a field of its
	// own (`engine: sqlite`). Their generator ids do not contain it (`java/jdbc`).
	if parts := strings.Split(id, "/"); engine != nil && len(parts) == 2 {
		if _, _, ok := FindGenerator(id); !ok {
			if _, _, ok := FindGenerator(parts[0] + "/" + engine.Value + "/" + parts[1]); ok {
				id = parts[0] + "/" + engine.Value + "/" + parts[1]
			}
		}
	}
	g, near, ok := FindGenerator(id)
	if !ok {
		d := r.errorf(f["generator"], diag.InvalidGenerator, "unknown generator %q", id)
		if near != "" {
			d.Suggest("did you mean %s?", near)
		} else {
			d.Suggest("available: %s", strings.Join(IDs(), ", "))
		}
		return
	}
	if want := extensions[g.Language]; !strings.HasSuffix(output, "/") && !slices.Contains(want, path.Ext(output)) {
		r.errorf(f["output"], diag.ConfigInvalid, "the output %s is neither a folder nor a %s file", output, want[0]).Suggest("a folder ends with a slash: %s/", output)
	}
	t := ir.Target{Generator: g.ID(), Language: g.Language, Engine: g.Engine, Driver: g.Driver, Output: output}
	t.Config.SQG, t.Config.Migrations = r.sqg, r.sqg
	if f["name"] != nil {
		t.Name = ir.NewName(r.text(n, f["name"], "the name", true))
	}
	if c := f["config"]; c != nil {
		r.options(&t, c)
	}
	for _, other := range p.Entries {
		r.sameOutput(other, t, f["output"])
	}
	r.sameOutput(*e, t, f["output"])
	e.Gen = append(e.Gen, t)
}

// sameOutput reports an error if target t would write the same file as another target of entry e.
func (r *reader) sameOutput(e Entry, t ir.Target, at *yaml.Node) {
	for _, other := range e.Gen {
		if path.Clean(other.Output) == path.Clean(t.Output) && !strings.HasSuffix(t.Output, "/") {
			r.errorf(at, diag.ConfigInvalid, "two generators write %s", t.Output).Suggest("give each generator its own output")
		}
	}
}

func (r *reader) options(t *ir.Target, n *yaml.Node) {
	f := r.fields(n, "config", "package", "migrations", "observer", "safeIntegers", "safe_integers", "jspecify")
	if p := f["package"]; p != nil {
		t.Config.Package = r.text(n, p, "the package", true)
	}
	r.flag("migrations", f["migrations"], &t.Config.Migrations)
	r.flag("observer", f["observer"], &t.Config.Observer)
	r.flag("safeIntegers", f["safeIntegers"], &t.Config.SafeIntegers)
	r.flag("safe_integers", f["safe_integers"], &t.Config.SafeIntegers)
	r.flag("jspecify", f["jspecify"], &t.Config.JSpecify)
}

// Unit is the input of one generated module: a target, some of the entry's SQL files, and the name
// of the generated class or module.
type Unit struct {
	Target ir.Target
	Files  []string
}

// Units returns the units of entry e for target t. Each unit becomes one generated module. There is
// one unit with all files if the target has a name, if its output is a file, or if its language is
// Go, where all files of a package share their names. Otherwise there is one unit for each SQL
// file, as in SQG, the generator that Scoter replaces.
func (e Entry) Units(t ir.Target) []Unit {
	if len(t.Name.Words) > 0 || !strings.HasSuffix(t.Output, "/") {
		if len(t.Name.Words) == 0 {
			t.Name = fileName(e.Files[0])
		}
		return []Unit{{t, e.Files}}
	}
	if t.Language == "go" && len(e.Files) > 1 {
		t.Name = ir.NewName("queries")
		return []Unit{{t, e.Files}}
	}
	var out []Unit
	for _, f := range e.Files {
		t.Name = fileName(f)
		out = append(out, Unit{t, []string{f}})
	}
	return out
}

func fileName(file string) ir.Name {
	base := path.Base(file)
	return ir.NewName(strings.TrimSuffix(base, path.Ext(base)))
}
