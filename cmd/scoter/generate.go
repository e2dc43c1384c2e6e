package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen"
	"github.com/scoterdb/scoter/internal/gen/diag"
)

type generateCommand struct {
	project `embed:""`
	Check   bool `help:"Write nothing. Exit with 1 if a file on disk differs from the generated one. For CI." xor:"mode"`
	Watch   bool `help:"Generate again whenever an input changes, until Ctrl-C." xor:"mode"`
	// Generator and SQL are for code without a configuration.
	Generator string   `help:"Print the code of this generator, as language/engine, without a configuration. Needs --file." xor:"mode" placeholder:"ID"`
	SQL       []string `name:"file" help:"SQL file for --generator. Repeat it for several files that share a schema." type:"path" sep:"none"`
}

func (*generateCommand) Help() string {
	return `Reads annotated SQL, asks the real engines about types and nullability (no query is
executed), and writes code. If there is any error, no file is written.

Examples:
  scoter generate                     (scoter.yaml or sqg.yaml in this folder)
  scoter generate --check             (for CI: is the generated code up to date?)
  scoter generate --watch db/sqg.yaml
  scoter generate --format json       (for editors)
  scoter generate --generator go/sqlite --file queries.sql    (to standard output)

Exit codes: 0 fine, 1 files differ (--check), 65 something is wrong in the
configuration or the SQL, 66 no configuration, 75 a database is unreachable.`
}

// Validate returns an error if the flags contradict each other.
func (c *generateCommand) Validate() error {
	switch {
	case c.Generator == "" && len(c.SQL) == 0:
		return nil
	case c.Generator == "":
		return errors.New("--file needs --generator; a configuration is given without a flag: scoter generate scoter.yaml")
	case len(c.SQL) == 0:
		return errors.New("--generator needs an SQL file: add --file queries.sql")
	case c.File != "":
		return fmt.Errorf("--generator reads no configuration, but %s is given; write --file before the name of an SQL file", relative(c.File))
	case c.Format == "json":
		return errors.New("--generator prints code, so it has no --format json")
	}
	return nil
}

func (c *generateCommand) Run(ctx context.Context) error {
	if c.Generator != "" {
		return c.one(ctx)
	}
	path, err := c.path()
	if err != nil {
		return err
	}
	g := gen.New(c.Postgres)
	if c.Watch {
		err = c.watch(ctx, g, path)
	} else {
		err = c.once(ctx, g, path)
	}
	return errors.Join(err, g.Close())
}

// The method one prints the code that one generator makes from SQL files. It reads no configuration
// and writes no file.
func (c *generateCommand) one(ctx context.Context) (err error) {
	g := gen.New(c.Postgres)
	defer func() { err = errors.Join(err, g.Close()) }()
	var files []string
	for _, f := range c.SQL {
		files = append(files, filepath.ToSlash(relative(f)))
	}
	var list diag.List
	code, err := g.One(ctx, c.Generator, files, &list)
	if printed := list.WriteText(os.Stderr); err != nil || printed != nil {
		return errors.Join(err, printed)
	}
	if list.HasErrors() {
		return c.failed(&list)
	}
	_, err = fmt.Print(code)
	return err
}

// report is the output of scoter generate --format json.
type report struct {
	Valid    bool               `json:"valid"`
	Errors   []*diag.Diagnostic `json:"errors"`
	Warnings []*diag.Diagnostic `json:"warnings"`
	// Files are the files that were written. With --check, they are the files that differ from what
	// would be written.
	Files []gen.Change `json:"files"`
}

// The method once runs the generator one time. It writes the generated files. With --check it
// compares the existing files with what it would write, and writes nothing.
func (c *generateCommand) once(ctx context.Context, g *gen.Generator, path string) error {
	var list diag.List
	started := time.Now()
	out, err := g.Generate(ctx, path, &list)
	if err != nil && len(list.All()) == 0 {
		return err
	}
	var changes []gen.Change
	switch {
	case out == nil:
	case c.Check:
		if changes, err = out.Compare(); err != nil {
			return err
		}
	default:
		if changes, err = out.Write(); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		if err := printReport(&list, changes); err != nil {
			return err
		}
	} else {
		if err := list.WriteText(os.Stderr); err != nil {
			return err
		}
		for _, change := range changes {
			fmt.Println(change)
		}
		if out != nil && !c.Check {
			fmt.Printf("%d files, %d written, %d ms\n", len(out.Files), len(changes), time.Since(started).Milliseconds())
		}
	}
	switch {
	case err != nil:
		return err
	case out == nil:
		return c.failed(&list)
	case c.Check && len(changes) > 0:
		if c.Format == "text" {
			fmt.Fprintln(os.Stderr, "generated code is out of date: run scoter generate")
		}
		return exitCode(1)
	}
	return nil
}

// failed returns the error that ends the command. All errors in list have been printed before.
func (c *generateCommand) failed(list *diag.List) error {
	if c.Format == "text" {
		errors := 0
		for _, d := range list.All() {
			if d.Severity == diag.Error {
				errors++
			}
		}
		fmt.Fprintf(os.Stderr, "%s; nothing was written\n", plural(errors, "error"))
	}
	return exitCode(base.Invalid.ExitCode())
}

func printReport(list *diag.List, files []gen.Change) error {
	r := report{Valid: !list.HasErrors(), Errors: []*diag.Diagnostic{}, Warnings: []*diag.Diagnostic{}, Files: files}
	for _, d := range list.All() {
		if d.Severity == diag.Error {
			r.Errors = append(r.Errors, d)
		} else {
			r.Warnings = append(r.Warnings, d)
		}
	}
	if r.Files == nil {
		r.Files = []gen.Change{}
	}
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// watchEvery is how often --watch checks whether the input files have changed. There are few of
// them, so a check is cheap. Unlike file events, checks work on every file system, and with every
// way in which editors save files.
const watchEvery = 150 * time.Millisecond

func (c *generateCommand) watch(ctx context.Context, g *gen.Generator, path string) error {
	var seen []string
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		if now := fingerprint(path); !slices.Equal(now, seen) {
			seen = now
			if c.Format == "text" {
				fmt.Printf("%s  %s\n", time.Now().Format("15:04:05"), path)
			}
			err := c.once(ctx, g, path)
			if code := new(exitCode); err != nil && !errors.As(err, code) && ctx.Err() == nil {
				// The command continues, because the error may pass, for example if a database is
				// being restarted. After the next change of a file the generator runs again.
				fmt.Fprintln(os.Stderr, "scoter:", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// fingerprint returns one text for each input file. The text changes when the file changes. path is
// the path of the configuration.
func fingerprint(path string) []string {
	var out []string
	for _, f := range gen.Inputs(path) {
		state := f
		if info, err := os.Stat(f); err == nil {
			state = fmt.Sprint(f, info.ModTime().UnixNano(), info.Size())
		}
		out = append(out, state)
	}
	return out
}
