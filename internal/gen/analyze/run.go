package analyze

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Input is what an analysis of SQL reads: one `sql` entry of the configuration, for one engine.
type Input struct {
	Project string
	Engine  ir.Engine
	Files   []*sqlfile.File
	// Constants are the values of the names that SQL can use in ${}, such as sources_<name>. A
	// value is an SQL literal.
	Constants map[string]string
	// Sources are the attached databases. Setup has the statements that create empty local tables
	// in their place. Run executes Setup, but not the BASELINE blocks of sources, which define the
	// tables of the attached databases: the function Baseline runs these blocks.
	Sources []ir.Source
	Setup   []string
	// SeparateRowTypes gives every query and table row types of its own, as in SQG, the generator
	// that Scoter replaces. Without it, tables with rows of the same shape share a type, and
	// queries share the type of a table.
	SeparateRowTypes bool
	// QueryRows gives every query and table row types of its own, too. They are shared only by
	// `:result=`: queries with the same name there share a type, and a table takes the type that
	// has the name and the columns of its rows.
	QueryRows bool
	// NullableParameters means that a parameter may be NULL if it is only assigned to nullable
	// columns. Without it, a parameter may be NULL only if the SQL file says so.
	NullableParameters bool
	// Attach means that EXEC blocks that attach a database or create something are run, each before
	// the following blocks, because queries may depend on them. SQG, the generator that Scoter
	// replaces, does the same. Attach may only be set for a temporary database.
	Attach bool
}

// Result is the result of the analysis of one entry of the configuration. Its method Module makes
// modules.
type Result struct {
	input   Input
	version string
	quote   func(string) string
	queries map[*sqlfile.Block]*query
	tables  map[*sqlfile.Block]*table
	// assigned caches what the engine says about tables to which queries assign parameters. The key
	// consists of the parts of the table's name.
	assigned map[string]*TableInfo
}

// EngineVersion returns the version of the database engine that ran the analysis.
func (r *Result) EngineVersion() string { return r.version }

type query struct {
	template *sqlfile.Template
	found    *Description
	// nullable says for each parameter of the template whether it may be NULL.
	nullable []bool
}

type table struct {
	info *TableInfo
	spec ir.Table // only Key, KeyUnique, Set, Insert and Ops are set
}

// Run runs the schema on the engine and describes every query and table of the input. Errors in the
// user's files are added to list. The returned error is for other failures, such as a lost
// connection. If the schema has errors, the result is nil. Otherwise it has all queries and tables
// without errors, so that Module can find conflicts between their names.
func Run(ctx context.Context, engine Engine, input Input, list *diag.List) (*Result, error) {
	r := &Result{
		input: input, version: engine.Version(), quote: engine.Quote, queries: map[*sqlfile.Block]*query{}, tables: map[*sqlfile.Block]*table{},
		assigned: map[string]*TableInfo{},
	}
	ok, err := r.schema(ctx, engine, list)
	if err != nil || !ok {
		return nil, err
	}
	for _, f := range input.Files {
		for _, b := range f.Blocks {
			switch b.Kind {
			case sqlfile.Query, sqlfile.Exec:
				if err = r.describe(ctx, engine, b, list); err == nil && r.mustRunFirst(b) {
					_, err = r.runBlock(ctx, engine, b, list)
				}
			case sqlfile.Table, sqlfile.Write:
				err = r.describeTable(ctx, engine, b, list)
			}
			if err != nil {
				return nil, fmt.Errorf("analyze %s %s: %w", strings.ToLower(string(b.Kind)), b.Name, err)
			}
		}
	}
	return r, nil
}

// mustRunFirst reports whether an EXEC block must be run before the following blocks, because they
// may depend on it: it attaches a database or creates something, and Input.Attach is set.
func (r *Result) mustRunFirst(b *sqlfile.Block) bool {
	q := r.queries[b]
	if !r.input.Attach || b.Kind != sqlfile.Exec || q == nil || len(q.template.Params) > 0 {
		return false
	}
	switch verb, _, _ := strings.Cut(strings.TrimSpace(r.text(b.Body)), " "); strings.ToUpper(verb) {
	case "ATTACH", "USE", "CREATE":
		return true
	}
	return false
}

// schema runs the BASELINE blocks of all files, then their MIGRATE blocks, then their TESTDATA
// blocks. It stops at the first error, because that would cause errors in later blocks. It returns
// true if there was no error.
//
// If the database already has some of the migrations, schema runs only the missing migrations: the
// database then also has the BASELINE, and data of its own. Migrations of other entries of the
// configuration do not count.
func (r *Result) schema(ctx context.Context, engine Engine, list *diag.List) (bool, error) {
	applied, err := engine.Applied(ctx, r.input.Project)
	if err != nil {
		return false, fmt.Errorf("read applied migrations: %w", err)
	}
	if !r.sourcesExist(list) {
		return false, nil
	}
	for _, statement := range r.input.Setup {
		if err := engine.Exec(ctx, statement); err != nil {
			return false, fmt.Errorf("set up attached sources: %w", err)
		}
	}
	begun := false
	for _, f := range r.input.Files {
		for _, b := range f.Blocks {
			begun = begun || b.Kind == sqlfile.Migrate && applied[b.Name]
		}
	}
	ids := map[string]*sqlfile.Block{}
	for _, kind := range []sqlfile.Kind{sqlfile.Baseline, sqlfile.Migrate, sqlfile.Testdata} {
		for _, f := range r.input.Files {
			for _, b := range f.Blocks {
				if b.Kind != kind || b.AttachedTo != "" || kind != sqlfile.Migrate && begun {
					continue
				}
				if kind == sqlfile.Migrate {
					if first := ids[b.Name]; first != nil {
						list.Add(b.NameErrorf(diag.DuplicateName, "MIGRATE %s already exists, at %s:%d", b.Name, first.Pos().File, first.Pos().Line).
							Suggest("give every migration its own id"))
						return false, nil
					}
					ids[b.Name] = b
					if applied[b.Name] {
						continue
					}
				}
				if ok, err := r.runBlock(ctx, engine, b, list); err != nil || !ok {
					return false, err
				}
			}
		}
	}
	return true, nil
}

// sourcesExist reports an error for each `:source=` that names no source of the configuration. It
// returns false if there is such an error.
func (r *Result) sourcesExist(list *diag.List) bool {
	var names []string
	for _, s := range r.input.Sources {
		names = append(names, s.Name.Original)
	}
	ok := true
	for _, f := range r.input.Files {
		for _, b := range f.Blocks {
			known := b.AttachedTo == ""
			for _, n := range names {
				known = known || n == b.AttachedTo
			}
			if known {
				continue
			}
			ok = false
			d := list.Add(b.NameErrorf(diag.ConfigInvalid, "the configuration has no source %s", b.AttachedTo))
			if near := base.Nearest(b.AttachedTo, names); near != "" {
				d.Suggest("did you mean %s?", near)
			} else {
				d.Suggest("add it under sources: with its name and type: postgres")
			}
		}
	}
	return ok
}

// Baseline runs the BASELINE blocks of an attached database on an engine of the same kind. source
// is the name of the attached database. Errors are added to list. Baseline returns true if all
// blocks succeeded.
func Baseline(ctx context.Context, engine Engine, source string, files []*sqlfile.File, list *diag.List) (bool, error) {
	r := &Result{}
	for _, f := range files {
		for _, b := range f.Blocks {
			if b.Kind != sqlfile.Baseline || b.AttachedTo != source {
				continue
			}
			if ok, err := r.runBlock(ctx, engine, b, list); err != nil || !ok {
				return false, err
			}
		}
	}
	return true, nil
}

func (r *Result) runBlock(ctx context.Context, engine Engine, b *sqlfile.Block, list *diag.List) (bool, error) {
	for _, statement := range sqlfile.Statements(b.Body) {
		text, at := r.text(statement), statement[0].Start
		err := engine.Exec(ctx, text)
		if err == nil {
			continue
		}
		var refused *SQLError
		if !errors.As(err, &refused) {
			return false, fmt.Errorf("run %s %s: %w", strings.ToLower(string(b.Kind)), b.Name, err)
		}
		from, to := at, statement[len(statement)-1].End()
		if refused.Offset >= 0 {
			from, to = word(b, at+refused.Offset)
		}
		list.Add(b.Errorf(diag.SQLInvalid, from, to, "%s", refused.Message)).Suggestion = refused.Hint
		return false, nil
	}
	return true, nil
}

// text returns the SQL text of tokens, with each ${} name of a constant replaced by its value.
func (r *Result) text(tokens []sqlfile.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.Kind == sqlfile.Var && !t.Broken {
			b.WriteString(r.input.Constants[t.Name()])
		} else {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// word returns the byte range of the token of block b at an offset in the file. If there is no
// token, the range is one byte long.
func word(b *sqlfile.Block, offset int) (from, to int) {
	for _, t := range b.Body {
		if offset >= t.Start && offset < t.End() && t.Kind != sqlfile.Space {
			return t.Start, t.End()
		}
	}
	end := len(b.File.Text.Text)
	return min(offset, end), min(offset+1, end)
}

// migration converts a MIGRATE block to the type for migrations of package ir.
func (r *Result) migration(b *sqlfile.Block) ir.Migration {
	m := ir.Migration{ID: b.Name, SQL: r.text(b.Body) + ";", Doc: b.Doc, Pos: b.Pos()}
	sum := sha256.New()
	for _, s := range sqlfile.Statements(b.Body) {
		text := r.text(s)
		m.Statements = append(m.Statements, text)
		sum.Write([]byte(strings.ReplaceAll(text, "\r\n", "\n") + ";\n"))
	}
	m.Checksum = hex.EncodeToString(sum.Sum(nil))
	return m
}
