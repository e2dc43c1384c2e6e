package session

import (
	"context"
	"log/slog"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/ddl"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
	"github.com/scoterdb/scoter/internal/write"
)

// Statements runs statements. It is safe for concurrent use.
type Statements struct {
	*write.Writer
	ddl *ddl.Tools
	// updateMode is the mode of UPDATE, DELETE and MERGE statements without WITH (mode = ...).
	updateMode dml.UpdateMode
}

// NewStatements returns a mutator. mode is the mode of UPDATE, DELETE and MERGE statements without
// WITH (mode = ...).
func NewStatements(s Stores, planner sqlquery.Planner, pool *duck.Pool, memory *memtable.Pool, sources ddl.Sources, exports ddl.Exports, merges Merges, mode dml.UpdateMode, log *slog.Logger) *Statements {
	w := &write.Writer{
		Tools:   &statement.Tools{Names: s.Names, Planner: planner, Pool: pool},
		Manager: &tx.Manager{Commits: s.Commits, Snapshots: s.Snapshots, Locks: s.Locks},
		Store:   s.Store, Loads: s.Loads, Memory: memory, Keys: s.Keys, Rewriter: merges,
	}
	return &Statements{Writer: w, updateMode: mode, ddl: &ddl.Tools{
		Namespaces: s.Namespaces, Tables: s.Tables, Views: s.Views, Snapshots: s.Snapshots, Loads: s.Loads, Sources: sources, Exports: exports, Retyper: merges, Log: log,
	}}
}

// Execute runs one statement that is not a query.
//
// If an earlier request had the same idempotency key, Execute does not run the statement again, and
// returns the counts of the first run. An idempotency key is an Invalid error for a statement that
// changes no rows or has a RETURNING clause, because its result could not be returned again.
func (m *Statements) Execute(ctx context.Context, s sqltoken.Statement, req statement.Request) (*write.Result, error) {
	if req.Options.IdempotencyKey == "" {
		return m.execute(ctx, s, req)
	}
	if !clause.ChangesRows(s) {
		return nil, base.Errorf(base.Invalid, "%s takes no idempotency key", s.Verb()).WithHint("INSERT, UPDATE, DELETE and MERGE INTO take one")
	}
	returning := func(t sqltoken.Token) bool { return t.Depth == 0 && t.Is("RETURNING") }
	if i := slices.IndexFunc(s.Tokens, returning); i >= 0 {
		return nil, base.Errorf(base.Invalid, "a statement with an idempotency key cannot have RETURNING: a repetition could not return the rows").At(s.Tokens[i].Start + 1)
	}
	counts, err := m.Idempotent(ctx, req.Options, func(o engine.AppendOptions) (engine.Counts, error) {
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
	return &write.Result{Counts: counts}, nil
}

func (m *Statements) execute(ctx context.Context, s sqltoken.Statement, req statement.Request) (*write.Result, error) {
	x, err := m.begin(ctx, s, req)
	if err != nil {
		return nil, err
	}
	if clause.ChangesRows(s) {
		return m.Writer.Execute(x)
	}
	counts, err := (&ddl.Statement{Statement: x.Statement, Tools: m.ddl}).Execute()
	if err != nil {
		return nil, err
	}
	return &write.Result{Counts: counts}, nil
}

// begin checks a statement's syntax and arguments. It returns the statement without its WITH (mode
// = ...) clause.
func (m *Statements) begin(ctx context.Context, s sqltoken.Statement, req statement.Request) (*dml.Statement, error) {
	x := m.NewStatement(&statement.Statement{Tools: m.Tools, Ctx: ctx, Request: req, Options: req.Options})
	if clause.ChangesRows(s) && s.Verb() != "INSERT" {
		var err error
		if s, x.Mode, x.Asked, err = dml.CutMode(s, m.updateMode); err != nil {
			return nil, err
		}
	}
	if err := clause.CheckSyntax(ctx, m.Pool, s); err != nil {
		return nil, err
	}
	if err := clause.CheckArguments(s.Tokens, req.Args); err != nil {
		return nil, err
	}
	s, err := clause.WithNames(s)
	if err != nil {
		return nil, err
	}
	x.Reader = &clause.Reader{Statement: s}
	return x, nil
}
