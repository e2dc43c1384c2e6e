// Package sqlite measures how much slower generated code is than hand-written statements. It does
// so for every SQLite driver for which code can be generated.
package sqlite

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of generated code for SQLite.
type Options struct {
	Drivers    []string `help:"Drivers." enum:"better-sqlite3,node:sqlite,libsql,turso,python,go,java" default:"better-sqlite3,node:sqlite,libsql,turso,python,go,java"`
	Operations []string `help:"Operations; all if empty."`
	Repeat     int      `help:"Counted rounds, each on a fresh copy of the database, after one warm-up round." default:"7"`
	Millis     int      `help:"Time of each side in a round, in milliseconds." default:"250"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Needs the languages of the drivers: Node.js 20 or newer with npm (which installs a newer Node with node:sqlite), Python 3.11, Go, a JDK of\n" +
		"version 17 or newer with Maven. The database has 10,000 users, 500,000 posts and 200,000 orders, and every result is checked.\n" +
		"Example: scoter-bench sqlite --drivers python,go --operations getUserById"
}

//go:embed typescript python golang java queries.sql scoter.yaml package.json package-lock.json tsconfig.json pom.xml
var files embed.FS

// allowed is the target of the benchmark. It is the largest allowed ratio of the processor time of
// generated code to that of hand-written code.
const allowed = 1.03

// sides are the names of the two implementations of each operation: hand-written and generated
// code.
var sides = [2]string{"hand", "generated"}

// side has the measurements of one implementation of an operation. They are those of the median
// slice (a sequence of calls that is measured as one).
type side struct{ Millis, CPU, Allocated float64 }

// answer is the answer of a benchmark program to a command.
type answer struct {
	Versions map[string]string
	Results  []any // Results is set if the command was "check". It has the results of the calls.
	Value    any   // Value is set if the command was "value". It is the result of an SQL query.
	// Calls and Next are set if the command was "turn". Calls is the number of calls in a slice, a
	// sequence of calls that is measured as one. Next is the number of the call after all slices.
	Calls, Next int
	// Sums is set if the command was "turn". For each side (hand-written and generated code), it is
	// the sum of the sizes of all results.
	Sums            map[string]int
	Hand, Generated side
	// Ratio is the processor time of generated code divided by that of hand-written code. It is the
	// median of the ratios of pairs of slices. The two slices of a pair ran directly after each
	// other.
	Ratio float64
}

// program is the running benchmark program for one SQLite driver.
type program struct {
	*harness.Conversation
	driver, file string
	// next is the number of the next call. The arguments of a call depend on its number.
	next int
}

func (p *program) ask(words ...any) (a answer, err error) {
	var line []string
	for _, w := range words {
		line = append(line, fmt.Sprint(w))
	}
	if err := harness.Ask(p.Conversation, strings.Join(line, "\t"), func(said answer) bool { a = said; return false }); err != nil {
		return a, base.Wrap(err, "%s: %s", p.driver, line)
	}
	return a, nil
}

// Run runs the benchmark of generated code for SQLite and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	dir, err := env.Program(ctx, files)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	original := filepath.Join(dir, "original.sqlite")
	if err := fill(original); err != nil {
		return err
	}
	programs, err := o.start(ctx, dir)
	for _, p := range programs {
		defer p.Close()
	}
	if err != nil {
		return err
	}
	var chosen []operation
	for _, operation := range operations {
		if len(o.Operations) == 0 || slices.Contains(o.Operations, operation.name) {
			chosen = append(chosen, operation)
		}
	}
	report := harness.NewReport("sqlite", map[string]any{"repeat": o.Repeat, "millis": o.Millis})
	ratios := map[string][]float64{}
	progress := harness.NewProgress((o.Repeat + 1) * len(chosen) * len(programs))
	defer progress.Close()
	// In each round the drivers take turns, so that other load on the machine affects all of them.
	// The first round warms up.
	for round := range o.Repeat + 1 {
		for _, p := range programs {
			if err := p.open(original, report); err != nil {
				return err
			}
		}
		for i := range chosen {
			for _, p := range programs {
				progress.Step(chosen[i].name + "  " + p.driver)
				a, err := o.turn(p, &chosen[i])
				if err != nil {
					return base.Wrap(err, "%s on %s", chosen[i].name, p.driver)
				}
				if round == 0 {
					continue
				}
				for n, s := range []side{a.Hand, a.Generated} {
					report.Measure(chosen[i].name, p.driver+", "+sides[n], a.Calls, s.Millis, s.CPU/1000, s.Allocated)
				}
				name := p.driver + ", " + chosen[i].name + ": generated to hand"
				ratios[name] = append(ratios[name], a.Ratio)
			}
		}
	}
	for _, p := range programs {
		for _, operation := range chosen {
			name := p.driver + ", " + operation.name + ": generated to hand"
			report.AtMost(allowed, name, harness.Median(ratios[name]), "", ratios[name]...)
		}
	}
	return env.Publish(report)
}

// start compiles the benchmark programs and starts one process for each SQLite driver.
func (o *Options) start(ctx context.Context, dir string) (programs []*program, err error) {
	var java, classes string
	for i, driver := range o.Drivers {
		var line []string
		switch driver {
		case "python":
			line = []string{"python3", filepath.Join("python", "main.py")}
		case "go":
			path, err := harness.GoProgram(ctx, dir, files)
			if err != nil {
				return programs, err
			}
			line = []string{path}
		case "java":
			if java, classes, err = harness.JavaProgram(ctx, dir, 17); err != nil {
				return programs, err
			}
			line = []string{java, "-Xmx2g", "--enable-native-access=ALL-UNNAMED", "-cp", classes, "bench.Main"}
		default:
			if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
				if err := harness.TypeScript(ctx, dir); err != nil {
					return programs, err
				}
			}
			line = append(harness.Node(dir, driver == "node:sqlite"), filepath.Join("out", "main.js"))
		}
		p, err := harness.Converse(harness.Command(ctx, dir, line[0], append(line[1:], driver)...))
		if err != nil {
			return programs, base.Wrap(err, "%s", driver)
		}
		programs = append(programs, &program{Conversation: p, driver: driver, file: filepath.Join(dir, fmt.Sprintf("%d.sqlite", i))})
	}
	return programs, nil
}

// open gives the program a new copy of the database file whose path is original.
func (p *program) open(original string, report *harness.Report) error {
	copied := p.file + ".new"
	text, err := os.ReadFile(original)
	if err == nil {
		err = os.WriteFile(copied, text, 0o644)
	}
	if err != nil {
		return base.Errorf(base.Unavailable, "copy the database: %w", err)
	}
	// The old files are removed. The program still has them open; their space is freed when it
	// closes them.
	for _, name := range []string{p.file, p.file + "-wal", p.file + "-shm"} {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return base.Errorf(base.Unavailable, "copy the database: %w", err)
		}
	}
	if err := os.Rename(copied, p.file); err != nil {
		return base.Errorf(base.Unavailable, "copy the database: %w", err)
	}
	a, err := p.ask("open", p.file)
	for name, version := range a.Versions {
		report.Options[name] = version
	}
	return err
}
