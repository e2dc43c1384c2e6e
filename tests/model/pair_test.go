package model

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/vfs"
)

// expressionMode is appended to an UPDATE that should be stored as an expression if possible.
const expressionMode = " WITH (mode = 'expression')"

// pair is Scoter and the model. Lists run on it one after the other, each with a separate table.
type pair struct {
	t             *testing.T
	settings      config.Server
	app           *app.App
	merges        *merge.Scheduler
	relations     *overlay.Overlay // evaluates expressions for merges
	inst          *duck.Instance
	pool          *duck.Pool
	model         *duck.Conn
	tables        int
	asExpressions int // statements in the mode expression so far
	readers       []reader
}

// reader is a result that was begun when the table had these rows.
type reader struct {
	answer *session.Answer
	want   []string
}

func open(t *testing.T, set func(*config.Server)) *pair {
	p := &pair{t: t, settings: config.Default()}
	p.settings.Dir = t.TempDir()
	p.settings.FlushAge = 24 * time.Hour // the lists decide when
	p.settings.QueryThreads = 2
	p.settings.MergeParallel = 0
	set(&p.settings)
	var err error
	if p.inst, err = duck.Open(duck.Settings{Threads: 2, ExternalAccess: true}); err != nil {
		t.Fatal(err)
	}
	if p.relations, err = overlay.New(p.inst, blocks.NewFiles(vfs.OS, filepath.Join(p.settings.Dir, "parts"), slog.New(slog.DiscardHandler)), ledger.NewAccount("changed", 1<<20), ledger.NewAccount("columns", 1<<19)); err != nil {
		t.Fatal(err)
	}
	p.pool = duck.NewPool(p.inst, 2)
	p.openApp()
	if p.model, err = p.inst.Connect(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) openApp() {
	var err error
	if p.app, err = app.Open(p.settings, false, slog.New(slog.DiscardHandler)); err != nil {
		p.t.Fatal(err)
	}
	p.merges = merge.New(p.app.Engine, merge.Settings{DisableAutomatic: true}, merge.Components{
		Logger: slog.New(slog.DiscardHandler), Constants: statement.Defaults(p.pool), Evaluate: p.relations.Evaluate,
	})
}

func (p *pair) closeApp() {
	for _, r := range p.readers {
		r.answer.Close()
	}
	p.readers = nil
	p.merges.Close()
	if err := p.app.Close(); err != nil {
		p.t.Error(err)
	}
}

func (p *pair) close() {
	p.closeApp()
	p.model.Close()
	p.pool.Close()
	p.inst.Close()
}

// run runs a list. It returns the first difference from the model.
func (p *pair) run(steps []step) error {
	p.tables++
	table := fmt.Sprintf("t%d", p.tables)
	defer func() {
		for _, r := range p.readers {
			r.answer.Close()
		}
		p.readers = nil
		_, _, _ = p.ours("DROP TABLE IF EXISTS " + table)
		_, _ = p.theirs("DROP TABLE IF EXISTS " + table)
		_, _ = p.theirs("DROP VIEW IF EXISTS " + table)
		_, _ = p.theirs("DROP TABLE IF EXISTS " + table + "_all")
	}()
	for i, s := range steps {
		if err := p.step(s, table); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, s, err)
		}
	}
	return p.drain(len(p.readers))
}

func (p *pair) step(s step, table string) error {
	ctx := context.Background()
	switch s.kind {
	case flushStep:
		return p.app.Engine.Flush(ctx)
	case mergeStep:
		return p.merges.RunUntilIdle(ctx)
	case reopenStep:
		if err := p.drain(len(p.readers)); err != nil {
			return err
		}
		p.closeApp()
		p.openApp()
		return p.compare("SELECT * FROM " + table)
	case readStep:
		want, err := p.theirs("SELECT * FROM " + table)
		if err != nil {
			return nil // there is no table: CREATE was left out
		}
		answer, err := p.app.Executor.Execute(ctx, session.Request{SQL: "SELECT * FROM " + table, Database: "default", Role: session.Admin})
		if err != nil {
			return err
		}
		p.readers = append(p.readers, reader{answer, want})
		return p.drain(len(p.readers) - 2)
	case queryStep:
		return p.compare(named(s.sql, table))
	}
	ours, changed, err := p.ours(named(s.sql, table))
	if err != nil && strings.HasSuffix(s.sql, expressionMode) && strings.Contains(err.Error(), "cannot be stored as an expression") {
		ours, changed, err = p.ours(named(strings.TrimSuffix(s.sql, expressionMode), table))
	} else if err == nil && strings.HasSuffix(s.sql, expressionMode) {
		p.asExpressions++
	}
	want, wantErr := p.theirs(named(s.model(), table))
	switch {
	// a defect of DuckDB, whose instance does not work any more
	case isDefect(err), isDefect(wantErr):
		return fmt.Errorf("error %v, in the model %v", err, wantErr)
	case (err == nil) != (wantErr == nil):
		return fmt.Errorf("error %v, in the model %v", err, wantErr)
	case err != nil:
	case s.returning && !slices.Equal(ours, want):
		return fmt.Errorf("returned\n%s\nin the model\n%s", strings.Join(ours, "\n"), strings.Join(want, "\n"))
	case s.kind == changeStep && !s.returning && (len(want) != 1 || want[0] != fmt.Sprint(changed)):
		return fmt.Errorf("changed %d rows, in the model %s", changed, want)
	case s.unread:
		return nil
	}
	return p.compare("SELECT * FROM " + table)
}

func isDefect(err error) bool {
	return err != nil && (base.KindOf(err) == base.Internal || strings.Contains(err.Error(), "DuckDB failed"))
}

func named(sql, table string) string { return strings.ReplaceAll(sql, "{t}", table) }

// drain reads the n oldest readers to their end.
func (p *pair) drain(n int) error {
	for ; n > 0; n-- {
		r := p.readers[0]
		p.readers = p.readers[1:]
		got, err := lines(r.answer.Rows)
		r.answer.Close()
		if err != nil {
			return fmt.Errorf("a reader: %w", err)
		}
		if !slices.Equal(got, r.want) {
			return fmt.Errorf("a reader got\n%s\nof a snapshot with\n%s", strings.Join(got, "\n"), strings.Join(r.want, "\n"))
		}
	}
	return nil
}

func (p *pair) compare(sql string) error {
	ours, _, err := p.ours(sql)
	want, wantErr := p.theirs(sql)
	switch {
	case isDefect(err), isDefect(wantErr), (err == nil) != (wantErr == nil):
		return fmt.Errorf("%s: error %v, in the model %v", sql, err, wantErr)
	case !slices.Equal(ours, want):
		return fmt.Errorf("%s gives\n%s\nin the model\n%s", sql, strings.Join(ours, "\n"), strings.Join(want, "\n"))
	}
	return nil
}

// ours runs a statement on Scoter. It returns its rows, sorted, and the number of changed rows.
func (p *pair) ours(sql string) ([]string, int64, error) {
	answer, err := p.app.Executor.Execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: session.Admin})
	if err != nil {
		return nil, 0, err
	}
	defer answer.Close()
	changed := answer.Counts.Inserted + answer.Counts.Updated + answer.Counts.Deleted
	if answer.Rows == nil {
		return nil, changed, nil
	}
	rows, err := lines(answer.Rows)
	return rows, changed, err
}

// rows returns the rows of a statement on Scoter. It fails the test if the statement fails.
func (p *pair) rows(t *testing.T, sql string) []string {
	t.Helper()
	rows, _, err := p.ours(sql)
	if err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	return rows
}

func (p *pair) theirs(sql string) ([]string, error) {
	rows, err := p.model.Query(context.Background(), sql)
	if err != nil && strings.Contains(err.Error(), "multiple statements") {
		// DuckDB splits an ALTER with a default into several statements
		return nil, p.model.Exec(sql)
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return lines(rows)
}

// lines prints rows and sorts them, because a table has no order.
func lines(rows encode.Input) ([]string, error) {
	var b bytes.Buffer
	if _, err := encode.Write(context.Background(), &b, encode.CSV, rows, encode.Options{}); err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(b.String(), "\n") // after the header
	if text == "" {
		return nil, nil
	}
	out := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(out)
	return out, nil
}
