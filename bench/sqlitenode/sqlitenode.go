// Package sqlitenode measures what generated TypeScript costs over statements written by hand,
// on four SQLite drivers of Node.js.
package sqlitenode

import (
	"embed"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// Options of the benchmark.
type Options struct {
	Drivers    []string `help:"Drivers." enum:"better-sqlite3,node:sqlite,libsql,turso" default:"better-sqlite3,node:sqlite,libsql,turso"`
	Operations []string `help:"Operations." default:"getAllUsers,getUserById,getUserByEmail,countUsers,getPostsByUser,getPublishedPosts,getPostWithAuthor,countPostsByUser,insertUser,updatePostViews,insertAllUsers"`
	Repeat     int      `help:"Counted runs of each operation, after one that warms up." default:"7"`
	Millis     int      `help:"Time of each side in a run, in milliseconds." default:"250"`
}

// Help is kong's.
func (*Options) Help() string {
	return "Needs Node.js 20 or newer with npm. A newer Node, with node:sqlite, comes from npm. Every round is on a fresh copy of a database of 10,000 users and 500,000 posts, and every result is checked.\nExample: scoter bench sqlite-node --drivers better-sqlite3 --operations getUserById"
}

//go:embed src queries.sql scoter.yaml package.json package-lock.json tsconfig.json
var files embed.FS

// measured is a line of a driver's process.
type measured struct {
	Versions        map[string]string
	Operation, Side string
	Calls           int
	Millis, CPU     float64
	Allocated       float64
	Done            bool
}

// allowed is what generated code may take of the time by hand.
const allowed = 1.03

// Run runs the benchmark.
func (o *Options) Run(env *harness.Env) error {
	program, err := env.Node(files)
	if err != nil {
		return err
	}
	defer program.Close()
	report := harness.NewReport("sqlite-node", map[string]any{"repeat": o.Repeat, "millis": o.Millis})
	original := filepath.Join(program.Dir, "base.sqlite")
	processes := map[string]*harness.Conversation{}
	for _, driver := range o.Drivers {
		p, err := program.Start(driver == "node:sqlite", "out/main.js", driver, filepath.Join(program.Dir, strconv.Itoa(len(processes))+".sqlite"))
		if err != nil {
			return err
		}
		defer p.Close()
		processes[driver] = p
	}
	// Any process can make the database that all of them copy.
	if _, err := ask(processes[o.Drivers[0]], "fill\t"+original); err != nil {
		return err
	}
	progress := harness.NewProgress((o.Repeat + 1) * len(o.Operations) * len(o.Drivers))
	defer progress.Close()
	// Rounds of all drivers, so that a noisy moment hits all alike; the first warms up.
	for round := range o.Repeat + 1 {
		for _, driver := range o.Drivers {
			lines, err := ask(processes[driver], "open\t"+original)
			if err != nil {
				return base.Wrap(err, "%s", driver)
			}
			for _, l := range lines {
				for name, version := range l.Versions {
					report.Options[name] = version
				}
			}
		}
		for _, operation := range o.Operations {
			for _, driver := range o.Drivers {
				progress.Step(operation + "  " + driver)
				lines, err := ask(processes[driver], fmt.Sprintf("turn\t%s\t%d", operation, o.Millis))
				if err != nil {
					return base.Wrap(err, "%s on %s", operation, driver)
				}
				for _, l := range lines {
					if round > 0 && l.Operation != "" {
						report.Measure(l.Operation, driver+", "+l.Side, l.Calls, l.Millis, l.CPU, l.Allocated)
					}
				}
			}
		}
	}
	targets(report, o)
	return env.Publish(report)
}

func ask(p *harness.Conversation, command string) (lines []measured, err error) {
	err = harness.Ask(p, command, func(l measured) bool {
		lines = append(lines, l)
		return !l.Done
	})
	return lines, err
}

// targets holds each operation's ratio of the sides, of the median run and of all runs.
func targets(r *harness.Report, o *Options) {
	for _, operation := range o.Operations {
		for _, driver := range o.Drivers {
			var ratios []float64
			hand, generated := find(r, operation, driver+", hand"), find(r, operation, driver+", generated")
			if hand == nil || generated == nil {
				continue
			}
			for i, ms := range generated.Millis {
				ratios = append(ratios, ms/hand.Millis[i])
			}
			r.AtMost(allowed, operation+", "+driver+": generated to hand", harness.Median(ratios), "", ratios...)
		}
	}
}

func find(r *harness.Report, operation, method string) *harness.Measurement {
	for i := range r.Measurements {
		if m := &r.Measurements[i]; m.Operation == operation && m.Method == method {
			return m
		}
	}
	return nil
}
