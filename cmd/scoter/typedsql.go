package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/config"
)

// typedSQL has the commands for query files (annotated SQL files).
type typedSQL struct {
	Init     initCommand     `cmd:"" help:"Start a typed-SQL project: a configuration and a file of queries."`
	Generate generateCommand `cmd:"" help:"Generate code in your language from annotated SQL."`
	Migrate  migrateCommand  `cmd:"" help:"Apply the migrations of annotated SQL to a database."`
	Verify   verifyCommand   `cmd:"" help:"Compare a live database with what the generated code expects."`
}

// project has the flags that all commands for query files have.
type project struct {
	File     string `arg:"" optional:"" name:"file" help:"Configuration. Otherwise scoter.yaml or sqg.yaml in this folder." type:"path"`
	Postgres string `help:"PostgreSQL for the analysis. All changes are rolled back. Default: an embedded server." env:"SCOTER_POSTGRES_URL,SQG_POSTGRES_URL" placeholder:"URL"`
	Format   string `help:"How to report: text or json." enum:"text,json" default:"text"`
}

// path returns the path of the project's configuration. If the file is below the current folder,
// the path is relative to that folder, because messages name files in this way.
func (p *project) path() (string, error) {
	if p.File == "" {
		return config.Find(".")
	}
	return relative(p.File), nil
}

// exitCode is an error that ends the program with this exit code. The error has no message, because
// all messages have been printed before.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// relative returns a path below the current folder as a path relative to that folder. It returns
// any other path unchanged.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
