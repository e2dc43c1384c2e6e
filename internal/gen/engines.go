package gen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Generator runs `scoter generate`. It owns an embedded PostgreSQL server that several runs share.
// The server starts when a run first needs it, and stops at Close. The methods may be called
// concurrently.
type Generator struct {
	url string

	mu     sync.Mutex // mu guards the field server.
	server *postgres.Server
}

// New returns a generator that uses the PostgreSQL database at postgresURL. If the URL is empty,
// the generator starts an embedded server when it needs one.
func New(postgresURL string) *Generator { return &Generator{url: postgresURL} }

// Close stops the embedded PostgreSQL server if it is running.
func (g *Generator) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.server == nil {
		return nil
	}
	s := g.server
	g.server = nil
	return s.Close()
}

// postgresURL returns the URL of the PostgreSQL database to use. If the user gave none, it starts
// the embedded server.
func (g *Generator) postgresURL(ctx context.Context) (string, error) {
	if g.url != "" {
		return g.url, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.server == nil {
		s, err := postgres.StartServer(ctx)
		if err != nil {
			return "", err
		}
		g.server = s
	}
	return g.server.URL(), nil
}

// open opens a temporary database of the given engine, on which SQL can be analysed.
func (g *Generator) open(ctx context.Context, engine ir.Engine) (analyze.Engine, error) {
	switch engine {
	case ir.SQLite:
		return sqlite.Open()
	case ir.DuckDB:
		return openDuckDB()
	case ir.Scoter:
		return openScoter()
	case ir.Postgres:
		url, err := g.postgresURL(ctx)
		if err != nil {
			return nil, err
		}
		return postgres.Open(ctx, url)
	}
	return nil, base.Errorf(base.Internal, "unknown engine %s", engine)
}

// analyze runs the schema of the job's entry on a temporary database, and describes the entry's
// queries. The result is nil if the job's list of diagnostics has errors.
func (g *Generator) analyze(ctx context.Context, j *job, files []*sqlfile.File) (result *analyze.Result, err error) {
	input, err := g.input(ctx, j, files)
	if err != nil || j.list.HasErrors() && input == nil {
		return nil, err
	}
	input.Attach = j.project.SQG() && j.engine != ir.Postgres
	engine, err := g.open(ctx, j.engine)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	return analyze.Run(ctx, engine, *input, &j.list)
}

// input returns what the analysis of SQL reads: the SQL files, and for DuckDB the statements that
// create local tables in place of the attached databases. It returns nil if the schema of an
// attached database has errors.
func (g *Generator) input(ctx context.Context, j *job, files []*sqlfile.File) (*analyze.Input, error) {
	in := &analyze.Input{
		Project: j.project.Name, Engine: j.engine, Files: files, Constants: j.project.Constants(),
		SeparateRowTypes: j.project.SQG(), NullableParameters: j.project.Signatures.NullableParameters,
		QueryRows: j.project.Signatures.QueryRows,
	}
	if j.engine != ir.DuckDB && j.engine != ir.Scoter {
		return in, nil
	}
	in.Sources = j.project.Attached()
	for _, s := range in.Sources {
		if !usesSource(files, s.Name.Original) {
			continue
		}
		setup, err := g.substituteSchema(ctx, j, s, files)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", s.Name.Original, err)
		}
		if setup == nil {
			return nil, nil
		}
		in.Setup = append(in.Setup, setup...)
	}
	return in, nil
}

// substituteSchema runs the BASELINE blocks of s, an attached PostgreSQL database, on the
// generator's PostgreSQL. BASELINE blocks define the tables of s. It returns DuckDB statements that
// create the same tables.
func (g *Generator) substituteSchema(ctx context.Context, j *job, s ir.Source, files []*sqlfile.File) (setup []string, err error) {
	url, err := g.postgresURL(ctx)
	if err != nil {
		return nil, err
	}
	engine, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if ok, err := analyze.Baseline(ctx, engine, s.Name.Original, files, &j.list); err != nil || !ok {
		return nil, err
	}
	return engine.SubstituteSchema(ctx, s)
}

// usesSource reports whether a block of the files belongs to the attached source with this name, or
// has the name in its SQL. If no block does, PostgreSQL is not needed and not started.
func usesSource(files []*sqlfile.File, source string) bool {
	for _, f := range files {
		for _, b := range f.Blocks {
			if b.AttachedTo == source {
				return true
			}
			for _, t := range b.Body {
				if (t.Kind == sqlfile.Word || t.Kind == sqlfile.Ident) && strings.EqualFold(t.Unquote(), source) {
					return true
				}
			}
		}
	}
	return false
}

// Inputs returns the paths of the files that a run of `scoter generate` reads: the configuration at
// path, and the SQL files that it names. If the configuration cannot be read, the result is only
// path.
func Inputs(path string) []string {
	out := []string{path}
	text, err := os.ReadFile(path)
	if err != nil {
		return out
	}
	var list diag.List
	p := config.Parse(path, string(text), &list)
	if p == nil {
		return out
	}
	for _, e := range p.Entries {
		for _, f := range e.Files {
			out = append(out, p.Abs(f))
		}
	}
	return out
}
