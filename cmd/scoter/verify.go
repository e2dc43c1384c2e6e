package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen"
	"github.com/scoterdb/scoter/internal/gen/diag"
)

type verifyCommand struct {
	project  `embed:""`
	database `embed:""`
}

func (*verifyCommand) Help() string {
	return `Analyses every query twice, on a temporary database with the schema of the files and on
the live database, and lists the differences: columns, types, nullability, parameters. The live
database is only read. Run it before a deployment, or when another team owns the schema.

Examples:
  scoter verify --db postgres://user:password@localhost/app
  scoter verify --db app.sqlite --format json

Exit codes: 0 the same, 1 there are differences, 65 the files have errors, 66 or 75 the
database does not exist or is unreachable.`
}

func (c *verifyCommand) Run(ctx context.Context) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	t, err := c.target(path)
	if err != nil {
		return err
	}
	g := gen.New(c.Postgres)
	var list diag.List
	v, err := g.Verify(ctx, path, t, c.SQL, &list)
	if err = errors.Join(err, g.Close()); err != nil {
		return err
	}
	if c.Format == "json" {
		err = list.WriteJSON(os.Stdout)
	} else {
		err = list.WriteText(os.Stderr)
	}
	switch {
	case err != nil:
		return err
	case v == nil:
		return exitCode(base.Invalid.ExitCode())
	case v.Differences > 0:
		if c.Format == "text" {
			fmt.Fprintf(os.Stderr, "%s from the files, in %d queries and tables\n", plural(v.Differences, "difference"), v.Queries)
		}
		return exitCode(1)
	}
	if c.Format == "text" {
		fmt.Printf("%d queries and tables match the files\n", v.Queries)
	}
	return nil
}
