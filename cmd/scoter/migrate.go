package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/migrate"
)

// database has the flags that name the live database that a command works on.
type database struct {
	DB  string `name:"db" required:"" help:"Database: postgres://..., or a SQLite or DuckDB file (sqlite:path or duckdb:path if the name does not tell the kind)." placeholder:"URL"`
	SQL string `name:"sql" help:"SQL file of the entry to use, if the configuration has several for the engine." placeholder:"FILE"`
}

func (d *database) target(path string) (migrate.Target, error) {
	return migrate.ParseTarget(d.DB, gen.Engines(path))
}

type migrateCommand struct {
	File     string `arg:"" optional:"" name:"file" help:"Configuration. Otherwise scoter.yaml or sqg.yaml in this folder." type:"path"`
	database `embed:""`
	DryRun   bool   `help:"Run the pending migrations, then roll them back."`
	Format   string `help:"How to report: text or json." enum:"text,json" default:"text"`
}

func (*migrateCommand) Help() string {
	return `Runs the MIGRATE blocks that were not applied to the database yet, in order, in one
transaction and under a lock, and records them in _sqg_migrations with their checksums.
The generated method applyMigrations does the same. A block that was changed after it was
applied is an error.

Examples:
  scoter migrate --db app.sqlite
  scoter migrate --db postgres://user:password@localhost/app --dry-run
  scoter migrate --db duckdb:data/app.db db/sqg.yaml

Exit codes: 0 done, 65 a migration was changed or its SQL failed (nothing was applied),
75 the database is unreachable or locked.`
}

func (c *migrateCommand) Run(ctx context.Context) error {
	path, err := (&project{File: c.File}).path()
	if err != nil {
		return err
	}
	t, err := c.target(path)
	if err != nil {
		return err
	}
	var list diag.List
	name, all, err := gen.Migrations(path, t.Engine, c.SQL, &list)
	if err != nil {
		return err
	}
	if list.HasErrors() {
		if c.Format == "json" {
			err = list.WriteJSON(os.Stdout)
		} else {
			err = list.WriteText(os.Stderr)
		}
		if err != nil {
			return err
		}
		return exitCode(base.Invalid.ExitCode())
	}
	result, err := migrate.Run(ctx, t, name, all, c.DryRun)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Project string `json:"project"`
			DryRun  bool   `json:"dry_run"`
			*migrate.Result
		}{name, c.DryRun, result})
	}
	for _, id := range result.Applied {
		fmt.Printf("%s %s\n", map[bool]string{false: "applied", true: "would apply"}[c.DryRun], id)
	}
	if len(result.Unknown) > 0 {
		fmt.Fprintf(os.Stderr, "warning: the database has migrations of %s that are not in the files: %s\n", name, strings.Join(result.Unknown, ", "))
	}
	fmt.Printf("%s: %s applied before, %d %s\n", name, plural(len(result.Present), "migration"), len(result.Applied),
		map[bool]string{false: "now", true: "pending; they ran and were rolled back"}[c.DryRun])
	return nil
}
