// Package mutate runs the statements that change data or definitions. It reads their clauses, lets
// DuckDB compute every expression, and passes rows and schemas to the engine.
//
// DuckDB's own catalog stays empty. Where DuckDB's parser or binder has to check a definition,
// mutate creates a temporary table and drops it afterwards.
package mutate

import (
	"context"
	"log/slog"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Request is the context in which a statement runs: its arguments, database and permissions.
type Request struct {
	Args      []any
	Database  string
	ReadFiles bool
	// Options has the idempotency key of a statement that changes rows.
	Options engine.AppendOptions
}

// Mutator runs statements. It is safe for concurrent use.
type Mutator struct {
	*Writer
	ddl *ddlTools
	// updateMode is the mode of UPDATE, DELETE and MERGE statements without WITH (mode = ...).
	updateMode UpdateMode
}

// New returns a mutator. mode is the mode of UPDATE, DELETE and MERGE statements without WITH (mode
// = ...).
func New(s Stores, planner sqlquery.Planner, pool *duck.Pool, memory *memtable.Pool, sources Sources, exports Exports, merges Merges, mode UpdateMode, log *slog.Logger) *Mutator {
	w := &Writer{
		tools:        &tools{names: s.Names, planner: planner, pool: pool},
		transactions: &transactions{commits: s.Commits, snapshots: s.Snapshots, locks: s.Locks},
		store:        s.Store, loads: s.Loads, memory: memory, keys: s.Keys, rewriter: merges,
	}
	return &Mutator{Writer: w, updateMode: mode, ddl: &ddlTools{
		namespaces: s.Namespaces, tables: s.Tables, views: s.Views, snapshots: s.Snapshots, loads: s.Loads, sources: sources, exports: exports, retyper: merges, log: log,
	}}
}

// Execute runs one statement that is not a query.
//
// If an earlier request had the same idempotency key, Execute does not run the statement again, and
// returns the counts of the first run. An idempotency key is an Invalid error for a statement that
// changes no rows or has a RETURNING clause, because its result could not be returned again.
func (m *Mutator) Execute(ctx context.Context, s sqltoken.Statement, req Request) (*Result, error) {
	if req.Options.IdempotencyKey == "" {
		return m.execute(ctx, s, req)
	}
	if !ChangesRows(s) {
		return nil, base.Errorf(base.Invalid, "%s takes no idempotency key", s.Verb()).WithHint("INSERT, UPDATE, DELETE and MERGE INTO take one")
	}
	returning := func(t sqltoken.Token) bool { return t.Depth == 0 && t.Is("RETURNING") }
	if i := slices.IndexFunc(s.Tokens, returning); i >= 0 {
		return nil, base.Errorf(base.Invalid, "a statement with an idempotency key cannot have RETURNING: a repetition could not return the rows").At(s.Tokens[i].Start + 1)
	}
	counts, err := m.idempotent(ctx, req.Options, func(o engine.AppendOptions) (engine.Counts, error) {
		req.Options = o
		result, err := m.execute(ctx, s, req)
		if err != nil {
			return engine.Counts{}, err
		}
		return result.Counts, nil
	})
	if err != nil {
		return nil, err
	}
	return &Result{Counts: counts}, nil
}

func (m *Mutator) execute(ctx context.Context, s sqltoken.Statement, req Request) (*Result, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	if ChangesRows(s) {
		return m.Writer.execute(x)
	}
	counts, err := (&ddlStatement{statement: x.statement, ddlTools: m.ddl}).execute()
	if err != nil {
		return nil, err
	}
	return &Result{Counts: counts}, nil
}

// begin checks a statement's syntax and arguments. It returns the statement without its WITH (mode
// = ...) clause.
func (m *Mutator) begin(ctx context.Context, s sqltoken.Statement, req Request) (*dmlStatement, error) {
	x := m.newStatement(&statement{tools: m.tools, ctx: ctx, req: req, options: req.Options})
	if ChangesRows(s) && s.Verb() != "INSERT" {
		var err error
		if s, x.mode, x.asked, err = cutMode(s, m.updateMode); err != nil {
			return nil, err
		}
	}
	if err := checkSyntax(ctx, m.pool, s); err != nil {
		return nil, err
	}
	if err := checkArguments(s.Tokens, req.Args); err != nil {
		return nil, err
	}
	s, err := withNames(s)
	if err != nil {
		return nil, err
	}
	x.c = &clauses{statement: s}
	return x, nil
}
