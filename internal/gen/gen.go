// Package gen implements `scoter generate`, which turns a configuration and annotated SQL files
// into code. Package config reads the configuration, and package sqlfile the SQL files. Package
// analyze asks the database engines which parameters and columns the queries have, and package lang
// writes code. The generated files are made in memory. Nothing is written to disk unless everything
// succeeds.
package gen

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang"
	"github.com/scoterdb/scoter/internal/gen/sqg"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Output is the set of files that one run of `scoter generate` makes.
type Output struct {
	// Dir is the configuration's folder. The paths of generated files are relative to Dir, unless
	// they are absolute.
	Dir string
	// Files are the generated files, sorted by path. Each path occurs once.
	Files []ir.File
}

// Generate makes the code for the configuration file at path. If the configuration or the SQL has
// errors, they are added to list, and the output is nil. The returned error is for other failures,
// such as a file that cannot be read or a database that does not answer.
func (g *Generator) Generate(ctx context.Context, path string, list *diag.List) (*Output, error) {
	out, err := g.generate(ctx, path, list)
	relativeDiagnostics(path, list)
	return out, err
}

// relativeDiagnostics changes the file names in diagnostics, which are relative to the folder of
// the configuration at path. It makes them relative to the working folder. Absolute file names stay
// as they are.
func relativeDiagnostics(path string, list *diag.List) {
	for _, d := range list.All() {
		if d.File != "" && !filepath.IsAbs(d.File) {
			d.File = filepath.ToSlash(filepath.Join(filepath.Dir(path), d.File))
		}
	}
}

func (g *Generator) generate(ctx context.Context, path string, list *diag.List) (*Output, error) {
	p, err := config.Load(path, list)
	if err != nil || p == nil {
		return nil, err
	}
	return g.project(ctx, p, list)
}

// project makes the code for a project. It is Generate for a configuration that was read already.
func (g *Generator) project(ctx context.Context, p *config.Project, list *diag.List) (*Output, error) {
	jobs := jobsOf(p, nil)
	failed := g.runAll(jobs, func(j *job) error { return g.run(ctx, j) })
	files := map[string]ir.File{}
	for _, j := range jobs {
		merge(list, &j.list)
		for _, f := range j.files {
			if other, taken := files[f.Path]; taken && other.Content != f.Content {
				list.Errorf(diag.ConfigInvalid, "two generators write %s, with different content", f.Path).
					Suggest("give each generator its own output")
			}
			files[f.Path] = f
		}
	}
	if failed != nil || list.HasErrors() {
		return nil, failed
	}
	out := &Output{Dir: p.Dir}
	for _, f := range files {
		out.Files = append(out.Files, f)
	}
	sort.Slice(out.Files, func(i, j int) bool { return out.Files[i].Path < out.Files[j].Path })
	return out, nil
}

// job is the work for one entry of the configuration and one engine. The entry's SQL is analysed on
// one database of this engine.
type job struct {
	project *config.Project
	entry   config.Entry
	engine  ir.Engine
	// list collects the diagnostics of this job alone, so that the order of messages does not
	// depend on which job is faster.
	list  diag.List
	files []ir.File
}

// jobsOf returns the jobs of a project. A job is the work for one entry and one engine. If the
// function wanted is not nil, jobsOf returns only the jobs for which it returns true.
func jobsOf(p *config.Project, wanted func(config.Entry, ir.Engine) bool) []*job {
	var jobs []*job
	for _, e := range p.Entries {
		for _, engine := range e.Engines() {
			if wanted == nil || wanted(e, engine) {
				jobs = append(jobs, &job{project: p, entry: e, engine: engine})
			}
		}
	}
	return jobs
}

// runAll calls the function do for all jobs concurrently, and returns the errors in the order of
// the jobs. If the database of one job does not answer, the other jobs still report their results.
func (g *Generator) runAll(jobs []*job, do func(*job) error) error {
	failed := make([]error, len(jobs))
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() { failed[i] = do(j) })
	}
	wait.Wait()
	return errors.Join(failed...)
}

// merge adds the diagnostics of the second list to the first. If two diagnostics have the same text
// and the same place, because two engines reported them, only one is added.
func merge(list, more *diag.List) {
	known := map[diag.Diagnostic]bool{}
	for _, d := range list.All() {
		known[*d] = true
	}
	for _, d := range more.All() {
		if !known[*d] {
			known[*d] = true
			list.Add(d)
		}
	}
}

// run analyses the SQL of a job and generates its code.
func (g *Generator) run(ctx context.Context, j *job) error {
	files, err := j.parse()
	if err != nil || files == nil {
		return err
	}
	result, err := g.analyze(ctx, j, files)
	if err != nil || result == nil {
		return err
	}
	for _, t := range j.entry.Gen {
		if t.Engine != j.engine {
			continue
		}
		driverIsNewer(j.project.Dir, result.EngineVersion(), t, &j.list)
		for _, u := range j.entry.Units(t) {
			if err := j.unit(result, files, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// unit generates the code of one unit, which is one target with some of the entry's SQL files.
func (j *job) unit(result *analyze.Result, files []*sqlfile.File, u config.Unit) error {
	var of []*sqlfile.File
	for _, name := range u.Files {
		for _, f := range files {
			if f.Text.Name == name {
				of = append(of, f)
			}
		}
	}
	// The unit gets its own list of diagnostics. Several units of an entry may report the same
	// errors, and merge adds each of them only once.
	var list diag.List
	module, err := result.Module(&list, of...)
	merge(&j.list, &list)
	if err != nil || module == nil {
		return err
	}
	for i, name := range module.Files {
		if filepath.IsAbs(name) { // an absolute path would make the code depend on the machine
			module.Files[i] = filepath.Base(name)
		}
	}
	if u.Target.Config.SQG {
		sqg.Adapt(module, &u.Target)
	}
	code, err := lang.Generate(module, u.Target)
	if base.KindOf(err) == base.Invalid && err != nil {
		d := j.list.Add(&diag.Diagnostic{Severity: diag.Error, Code: diag.WrongShape, Message: err.Error(), File: filepath.Base(j.project.Path)})
		if e := new(base.Error); errors.As(err, &e) && e.Hint != "" {
			d.Suggest("%s", e.Hint)
		}
		return nil
	}
	j.files = append(j.files, code...)
	return err
}

// parse reads and parses the SQL files of the job's entry. It leaves out queries with syntax
// errors, so that the analysis can still report errors in the other blocks. If a block of the
// schema has an error, the result is nil: without that block, the analysis would report wrong
// errors.
func (j *job) parse() ([]*sqlfile.File, error) {
	var out []*sqlfile.File
	usable := true
	for i, name := range j.entry.Files {
		text, err := readFile(j.project.Abs(name))
		if err != nil {
			j.list.Add(j.entry.FilesAt[i].Errorf(diag.FileNotFound, "read %s: %v", name, err))
			usable = false
			continue
		}
		var list diag.List
		f := sqlfile.Parse(j.engine, name, text, j.project.Constants(), &list)
		usable = removeInvalidBlocks(f, &list) && usable
		merge(&j.list, &list)
		out = append(out, f)
	}
	if !usable {
		return nil, nil
	}
	return out, nil
}

// removeInvalidBlocks removes from a file the queries and tables that have errors in list, so that
// the engine reports no further errors about them. It returns true if no other block of the file
// has an error, which means that the schema is complete.
func removeInvalidBlocks(f *sqlfile.File, list *diag.List) bool {
	isSchema := func(b *sqlfile.Block) bool {
		return b.Kind == sqlfile.Migrate || b.Kind == sqlfile.Baseline || b.Kind == sqlfile.Testdata
	}
	whole := true
	bad := map[string]bool{}
	for _, d := range list.All() {
		if d.Severity != diag.Error || d.File != f.Text.Name || d.Code == diag.MisspelledKeyword {
			continue
		}
		block := slices.IndexFunc(f.Blocks, func(b *sqlfile.Block) bool { return d.Query != "" && b.Name == d.Query && !isSchema(b) })
		whole = whole && block >= 0
		bad[d.Query] = bad[d.Query] || d.Code != diag.UnknownModifier
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *sqlfile.Block) bool { return bad[b.Name] && !isSchema(b) })
	return whole
}

// readFile returns the text of a file. It reads at most one byte more than the parser accepts, so
// that the parser notices a file that is too large.
func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, sqlfile.MaxBytes+1))
	return string(text), errors.Join(err, f.Close())
}
