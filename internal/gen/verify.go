package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/migrate"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Drift is the code of diagnostics that report a difference between a live database and the SQL
// files.
const Drift diag.Code = "SCHEMA_DRIFT"

// Verified says how many queries Verify compared, and how many differences it found.
type Verified struct {
	Queries     int `json:"queries"`
	Differences int `json:"differences"`
}

// Verify compares the live database with the SQL files of the configuration at path. Every query is
// analysed twice: on a temporary database with the schema in the files, and on the live database.
// Generated code is based on the first analysis. Of the live database, Verify only reads the
// schema. Differences in columns, types, nullability and parameters are added to list with the code
// Drift, each at the query's place. The result is nil if the files themselves have errors.
//
// If several entries of the configuration are for the database's engine, file must name an SQL file
// of the intended one.
func (g *Generator) Verify(ctx context.Context, path string, live migrate.Target, file string, list *diag.List) (found *Verified, err error) {
	defer relativeDiagnostics(path, list)
	j, err := loadJob(path, live.Engine, file, list)
	if err != nil || j == nil {
		return nil, err
	}
	if live.New {
		return nil, base.Errorf(base.NotFound, "database %s does not exist", live.Where)
	}
	files, err := j.parse()
	var contract *analyze.Result
	if err == nil && files != nil {
		reference := g
		if live.Engine == ir.Postgres && g.url != "" {
			var same bool
			if same, err = postgres.Same(ctx, g.url, live.Where); err != nil {
				return nil, err
			}
			// If the PostgreSQL database that would be used to analyse the SQL files is the live
			// database itself, the files are analysed on an embedded server.
			if same {
				reference = New("")
				defer func() { err = errors.Join(err, reference.Close()) }()
			}
		}
		contract, err = reference.analyze(ctx, j, files)
	}
	merge(list, &j.list)
	if err != nil || contract == nil {
		return nil, err
	}
	expected, err := perFile(contract, files, list)
	if err != nil || list.HasErrors() {
		return nil, err
	}
	v := &verifier{list: list}
	modules, queries, err := g.live(ctx, j, live, files, v)
	if err != nil {
		return nil, err
	}
	for i, m := range expected {
		v.module(files[i], m, modules[i])
	}
	return &Verified{Queries: queries, Differences: v.differences}, nil
}

// loadJob reads the configuration at path, and returns the job for its entry of an engine. If
// several entries are for the engine, file must name an SQL file of the intended one.
func loadJob(path string, engine ir.Engine, file string, list *diag.List) (*job, error) {
	p, err := config.Load(path, list)
	if err != nil || p == nil {
		return nil, err
	}
	jobs := jobsOf(p, func(e config.Entry, of ir.Engine) bool {
		wanted := file == ""
		for _, f := range e.Files {
			wanted = wanted || f == file
		}
		return of == engine && wanted
	})
	switch {
	case len(jobs) == 0 && file != "":
		return nil, base.Errorf(base.Invalid, "%s has no entry with the file %s for %s", path, file, engine)
	case len(jobs) == 0:
		return nil, base.Errorf(base.Invalid, "%s generates nothing for %s", path, engine)
	case len(jobs) > 1:
		return nil, base.Errorf(base.Invalid, "%s has %d entries for %s", path, len(jobs), engine).
			WithHint("name one of them: --sql %s", jobs[0].entry.Files[0])
	}
	return jobs[0], nil
}

// perFile makes one module for each SQL file. A single module for all files is not possible,
// because two files may have queries with the same name.
func perFile(r *analyze.Result, files []*sqlfile.File, list *diag.List) ([]*ir.Module, error) {
	var out []*ir.Module
	for _, f := range files {
		m, err := r.Module(list, f)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// live analyses the queries of a job on the live database. If the database refuses some queries,
// they are reported as differences, and the other queries are analysed without them.
func (g *Generator) live(ctx context.Context, j *job, t migrate.Target, files []*sqlfile.File, v *verifier) (found []*ir.Module, queries int, err error) {
	engine, setup, err := openLive(ctx, t)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	rest := make([]*sqlfile.File, len(files))
	for i, f := range files {
		rest[i] = &sqlfile.File{Text: f.Text}
		for _, b := range f.Blocks {
			if b.Kind != sqlfile.Migrate && b.Kind != sqlfile.Baseline && b.Kind != sqlfile.Testdata {
				rest[i].Blocks = append(rest[i].Blocks, b)
				queries++
			}
		}
	}
	// The databases that DuckDB attaches are replaced by empty local tables, as in the analysis of
	// the files.
	scratch := &job{project: j.project, entry: j.entry, engine: j.engine}
	input, err := g.input(ctx, scratch, files)
	if err != nil || input == nil {
		return nil, 0, err
	}
	for _, s := range append(setup, input.Setup...) {
		if err := engine.Exec(ctx, s); err != nil {
			return nil, 0, base.Errorf(base.Unavailable, "open %s: %w", t.Where, err)
		}
	}
	input.Files, input.Setup = rest, nil
	for {
		var list diag.List
		result, err := analyze.Run(ctx, engine, *input, &list)
		if err != nil {
			return nil, 0, err
		}
		if result != nil {
			if found, err = perFile(result, rest, &list); err != nil {
				return nil, 0, err
			}
			if !list.HasErrors() {
				return found, queries, nil
			}
		}
		before, after := 0, 0
		for _, f := range rest {
			before += len(f.Blocks)
			removeInvalidBlocks(f, &list)
			after += len(f.Blocks)
		}
		for _, d := range list.All() {
			if d.Severity == diag.Error {
				d.Code, d.Message = Drift, "in the live database: "+d.Message
				v.add(d)
			}
		}
		if after == before {
			return nil, 0, base.Errorf(base.Internal, "analyze the live database: %s", list.All()[0].Message)
		}
	}
}

// openLive opens a live database so that its schema can be analysed. Nothing is written to the
// database. PostgreSQL is used in a transaction that is rolled back. DuckDB is attached read-only
// to a database in memory. Of SQLite, only the statements of the schema are read.
func openLive(ctx context.Context, t migrate.Target) (engine analyze.Engine, setup []string, err error) {
	switch t.Engine {
	case ir.Postgres:
		engine, err = postgres.Open(ctx, t.Where)
		return engine, nil, err
	case ir.SQLite:
		setup, err = migrate.SQLiteSchema(ctx, t.Where)
	case ir.DuckDB:
		// The attached database gets the name that it has if the application opens the file.
		name := ir.QuoteName(migrate.DatabaseName(t.Where))
		setup = []string{"ATTACH '" + strings.ReplaceAll(t.Where, "'", "''") + "' AS " + name + " (READ_ONLY)", "USE " + name}
	}
	if err != nil {
		return nil, nil, err
	}
	engine, err = New("").open(ctx, t.Engine)
	return engine, setup, err
}

// verifier compares the SQL files with a live database, and reports the differences.
type verifier struct {
	list        *diag.List
	differences int
}

func (v *verifier) add(d *diag.Diagnostic) {
	v.differences++
	v.list.Add(d)
}

// The method module reports the differences between two modules of one file. The module expected
// was analysed with the schema in the files, and the module found with the schema of the live
// database.
func (v *verifier) module(f *sqlfile.File, expected, found *ir.Module) {
	for i := range expected.Queries {
		q := &expected.Queries[i]
		live := queryNamed(found, q.Name)
		if live == nil {
			continue // the live database refused this query, which was reported before
		}
		d := blockComparison{v, blockAt(f, q.Pos), expected, found}
		d.params(q.Params, live.Params)
		d.columns("column", q.Columns, live.Columns)
	}
	for i := range expected.Tables {
		t := &expected.Tables[i]
		for k := range found.Tables {
			live := &found.Tables[k]
			if !live.Name.Same(t.Name) {
				continue
			}
			d := blockComparison{v, blockAt(f, t.Pos), expected, found}
			before := v.differences
			d.columns("column", tableColumns(t), tableColumns(live))
			if v.differences == before {
				d.table(t, live)
			}
		}
	}
}

func queryNamed(m *ir.Module, name ir.Name) *ir.Query {
	for i := range m.Queries {
		if m.Queries[i].Name.Original == name.Original {
			return &m.Queries[i]
		}
	}
	return nil
}

func tableColumns(t *ir.Table) []ir.Column {
	var out []ir.Column
	for _, c := range t.Columns {
		out = append(out, ir.Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable})
	}
	return out
}

// blockAt returns the block of file f that begins at the position pos.
func blockAt(f *sqlfile.File, pos ir.Pos) *sqlfile.Block {
	for _, b := range f.Blocks {
		if b.Pos() == pos {
			return b
		}
	}
	return &sqlfile.Block{File: f}
}

// blockComparison reports the differences between the SQL files and a live database in one block.
type blockComparison struct {
	*verifier
	block           *sqlfile.Block
	expected, found *ir.Module
}

func (d *blockComparison) report(format string, args ...any) *diag.Diagnostic {
	r := d.block.NameErrorf(Drift, "%s: %s", d.block.Name, fmt.Sprintf(format, args...))
	d.add(r)
	return r
}

func (d *blockComparison) params(expected, found []ir.Param) {
	for i := range min(len(expected), len(found)) {
		want, have := typeText(d.expected, expected[i].Type), typeText(d.found, found[i].Type)
		if want != have {
			d.report("parameter %s is %s in the live database, %s in the files", expected[i].Name.Original, have, want)
		}
		if expected[i].Nullable && !found[i].Nullable {
			d.report("parameter %s may be null in the files, but the live database does not take null", expected[i].Name.Original)
		}
	}
}

// table reports differences between the properties of two tables that bulk methods depend on. The
// caller has already found their columns to be equal.
func (d *blockComparison) table(expected, found *ir.Table) {
	for _, what := range []struct {
		name       string
		want, have []int
	}{{"an insert writes", expected.Insert, found.Insert}, {"the key is", expected.Key, found.Key}} {
		if !slices.Equal(what.want, what.have) {
			d.report("%s (%s) in the live database, (%s) in the files", what.name, columnNames(found, what.have), columnNames(expected, what.want))
			return
		}
	}
	if expected.KeyUnique && !found.KeyUnique {
		d.report("(%s) has no unique constraint in the live database", columnNames(found, found.Key))
		return
	}
	for _, op := range expected.Ops {
		if !slices.Contains(found.Ops, op) {
			d.report("%s is not possible in the live database", op)
		}
	}
}

func columnNames(t *ir.Table, columns []int) string {
	var names []string
	for _, i := range columns {
		names = append(names, t.Columns[i].Name.Original)
	}
	return strings.Join(names, ", ")
}

func (d *blockComparison) columns(what string, expected, found []ir.Column) {
	for i := range max(len(expected), len(found)) {
		switch {
		case i >= len(found):
			d.report("%s %s is not in the live database", what, expected[i].Name.Original)
			continue
		case i >= len(expected):
			d.report("the live database has another %s, %s", what, found[i].Name.Original).Suggest("name the columns instead of *")
			continue
		}
		want, have := expected[i], found[i]
		if want.Name.Original != have.Name.Original {
			d.report("%s %d is %s in the live database, %s in the files", what, i+1, have.Name.Original, want.Name.Original)
			return // only the first difference: the others may be its consequences
		}
		if w, h := typeText(d.expected, want.Type), typeText(d.found, have.Type); w != h {
			d.report("%s %s is %s in the live database, %s in the files", what, want.Name.Original, h, w)
		}
		if want.Nullable != have.Nullable {
			null := map[bool]string{true: "may be null", false: "is never null"}
			d.report("%s %s %s in the live database, but %s in the files", what, want.Name.Original, null[have.Nullable], null[want.Nullable])
		}
	}
}

// typeText returns a text for type t. Two types have the same text if and only if the code
// generated for them is the same. The text includes the labels of an enum and the fields of a
// struct, but not the names of these types in code.
func typeText(m *ir.Module, t ir.Type) string {
	null := map[bool]string{true: "?"}[t.ElemNullable]
	switch t.Kind {
	case ir.List:
		return typeText(m, *t.Elem) + null + "[]"
	case ir.Array:
		return fmt.Sprintf("%s%s[%d]", typeText(m, *t.Elem), null, t.Length)
	case ir.Map:
		return fmt.Sprintf("map(%s, %s%s)", typeText(m, *t.Key), typeText(m, *t.Elem), null)
	case ir.EnumKind:
		var labels []string
		for _, v := range m.Enum(t.Ref).Values {
			labels = append(labels, v.Value)
		}
		return "enum(" + strings.Join(labels, ", ") + ")"
	case ir.StructKind:
		var fields []string
		for _, f := range m.Struct(t.Ref).Fields {
			fields = append(fields, f.Name.Original+" "+typeText(m, f.Type)+map[bool]string{true: "?"}[f.Nullable])
		}
		return "struct(" + strings.Join(fields, ", ") + ")"
	}
	if t.Native != "" {
		return t.Native
	}
	return string(t.Kind)
}
