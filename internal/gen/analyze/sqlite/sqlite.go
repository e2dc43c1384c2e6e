// Package sqlite describes queries for SQLite: it finds the types of their parameters and columns,
// and which columns can be NULL. It reads declared types, and from which table columns results
// come, from SQLite's metadata. It derives nullability, and the types of expressions and
// parameters, from the statement's syntax and the constraints that SQLite reports. It executes no
// query.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	// This driver is SQLite without cgo. It reports from which table columns a result comes, and
	// drivers for database/sql do not. go.mod has a version before 0.36, because version 0.36
	// depends on a module that the Go module proxy does not serve.
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/rtree"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Engine is an in-memory SQLite database, on which queries are analysed.
type Engine struct {
	conn    *sqlite3.Conn
	version string
	// tables caches the tables and views that were read. The key is schema.name in lower case.
	tables map[string]*tableInfo
}

// tableInfo is what the analysis must know about a table or view.
type tableInfo struct {
	schema, name string
	view         bool
	rowid        bool
	hidden       int
	generated    map[string]bool
	columns      []output
	// raw has the columns of the table as SQLite reports them.
	raw []rawColumn
}

type rawColumn struct {
	name, typ, def string
	notNull        bool
	// key is the column's position in the primary key, counted from 1. It is 0 if the column is not
	// in the key.
	key int
	// hidden is 1 for a hidden column, 2 for a virtual and 3 for a stored generated column.
	hidden     int
	rowidAlias bool
}

// Open opens an empty in-memory SQLite database.
func Open() (*Engine, error) {
	conn, err := sqlite3.Open(":memory:")
	if err != nil {
		return nil, fmt.Errorf("open an in-memory SQLite: %w", err)
	}
	e := &Engine{conn: conn, tables: map[string]*tableInfo{}}
	var rows [][]string
	// Migrations are applied with foreign keys off. So the schema is run with the same setting
	// here.
	if err = errors.Join(Extend(conn), conn.Exec("PRAGMA foreign_keys = OFF")); err == nil {
		rows, err = e.rows("SELECT sqlite_version()", 1)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	e.version = rows[0][0]
	return e, nil
}

// Extend registers virtual tables on a connection. These are built into the drivers that
// applications use, but not into this driver.
func Extend(conn *sqlite3.Conn) error {
	if err := errors.Join(fts5.Register(conn), rtree.Register(conn)); err != nil {
		return fmt.Errorf("extend SQLite: %w", err)
	}
	return nil
}

// Version returns SQLite's version, for example "3.53.0".
func (e *Engine) Version() string { return e.version }

// Close closes the database, which removes it, because it is in memory.
func (e *Engine) Close() error { return e.conn.Close() }

// rows runs sql, a query of this package and not of the user, and returns its rows. All values are
// text, and NULL becomes "". columns is the number of columns.
func (e *Engine) rows(sql string, columns int) (out [][]string, err error) {
	s, _, err := e.conn.Prepare(sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for s.Step() {
		row := make([]string, columns)
		for i := range row {
			row[i] = s.ColumnText(i)
		}
		out = append(out, row)
	}
	return out, s.Err()
}

// refused converts an error of SQLite about the SQL text into an analyze.SQLError.
func refused(err error, text string) error {
	var e *sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	out := &analyze.SQLError{Message: strings.TrimPrefix(e.Error(), "sqlite3: "), Offset: -1}
	out.Message = strings.TrimPrefix(out.Message, "SQL logic error: ")
	if rest := e.SQL(); rest != "" && strings.HasSuffix(text, rest) {
		out.Offset = len(text) - len(rest)
	}
	return out
}

// Exec runs one statement of the user's schema, such as CREATE TABLE.
func (e *Engine) Exec(_ context.Context, sql string) error {
	clear(e.tables)
	if err := e.conn.Exec(sql); err != nil {
		return refused(err, sql)
	}
	return nil
}

// Applied returns no migration ids, because no migration was applied to a new database.
func (e *Engine) Applied(context.Context, string) (map[string]bool, error) { return nil, nil }

func placeholder(i int) string { return fmt.Sprintf("?%d", i+1) }

// Describe finds the parameters and columns of a statement. It prepares the statement and analyses
// its syntax.
func (e *Engine) Describe(_ context.Context, s *analyze.Statement) (_ *analyze.Description, err error) {
	sql := s.Render(placeholder)
	prepared, _, err := e.conn.Prepare(sql)
	if err != nil {
		out := refused(err, sql)
		var r *analyze.SQLError
		if errors.As(out, &r) {
			if r.Offset >= 0 {
				r.Offset = s.Origin(r.Offset, placeholder)
			}
			e.suggestColumn(r)
		}
		return nil, out
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	d := &analyze.Description{Statement: class(sql), ReadOnly: prepared.ReadOnly()}
	w := &walker{
		table: e.table, params: make([]*analyze.Type, len(s.Params)), numericComparisons: map[*expr]bool{},
		nullableParam: func(i int) bool { return i >= len(s.Params) || s.Params[i].Nullable },
		in:            func(i int) bool { return i < len(s.Params) && s.Params[i].In },
	}
	tree, unread := parse(sql)
	if unread == nil {
		w.statement(tree)
	}
	for i, sample := range s.Params {
		if w.params[i] == nil {
			w.params[i] = e.sampleType(sample)
		}
		d.Params = append(d.Params, analyze.ParamInfo{Type: *w.params[i]})
	}
	var found []output
	// If the parser does not know the syntax (unread is not nil), nothing is claimed about the
	// statement. Otherwise the tree is walked again, because the types of the parameters are known
	// now.
	if unread == nil {
		found = w.statement(tree)
		for i := range d.Params {
			d.Params[i].AnyNumber = w.anyNumber(tree, i)
		}
	}
	if s.Verb == ir.VerbExec {
		return d, nil
	}
	if len(found) != prepared.ColumnCount() {
		found = nil
	}
	for i := range prepared.ColumnCount() {
		d.Columns = append(d.Columns, e.column(prepared, i, found))
	}
	return d, nil
}

// column combines what SQLite reports about column i of a result with what the analysis of the
// syntax found. If the two disagree about the table column from which column i comes, nothing is
// claimed about column i.
func (e *Engine) column(s *sqlite3.Stmt, i int, found []output) analyze.ColumnInfo {
	c := analyze.ColumnInfo{Name: s.ColumnName(i), Nullable: true, Type: anyType}
	origin := s.ColumnOriginName(i)
	if origin != "" && s.ColumnDatabaseName(i) != "" {
		c.Origin = &ir.Origin{Schema: s.ColumnDatabaseName(i), Table: s.ColumnTableName(i), Column: origin}
	}
	agreed := found != nil
	several := agreed && found[i].fromUnion
	switch {
	case several:
		c.Origin = nil
	case agreed && found[i].origin != nil && c.Origin != nil:
		o := found[i].origin
		agreed = strings.EqualFold(o[1], c.Origin.Table) && strings.EqualFold(o[2], origin)
	}
	if agreed {
		c.Nullable, c.Type = found[i].nullable, found[i].typ
	}
	if decl := s.ColumnDeclType(i); decl != "" && !several {
		c.Type = declared(decl)
	}
	named := agreed && found[i].name != "" && found[i].name == c.Name
	c.Unnamed = !named && (origin == "" || origin != c.Name) && strings.ContainsAny(c.Name, "()+-*/ '[]{}=<>|.,:?\"")
	return c
}

// sampleType returns the type of a parameter's sample value, judging by the storage class that
// SQLite gives to the value.
func (e *Engine) sampleType(sample analyze.Sample) *analyze.Type {
	of := func(expression string) analyze.Type {
		rows, err := e.rows("SELECT typeof("+expression+")", 1)
		if err != nil || len(rows) != 1 {
			return textType // SQLite does not know literals such as DATE '2020-01-01'
		}
		switch rows[0][0] {
		case "integer":
			if strings.EqualFold(expression, "true") || strings.EqualFold(expression, "false") {
				return analyze.Plain(ir.Bool, "BOOLEAN")
			}
			return integerType
		case "real":
			return realType
		case "blob":
			return blobType
		case "null":
			return anyType
		}
		return textType
	}
	t := anyType
	switch {
	case sample.In && len(sample.List) > 0:
		t = analyze.ListOf(of(sample.List[0]), "", false)
	case sample.In:
		t = analyze.ListOf(anyType, "", false)
	case !sample.Null:
		t = of(sample.Value)
	}
	return &t
}

// class returns the class of an SQL statement, such as INSERT. It takes it from the syntax tree or,
// if the parser does not know the syntax, from the first word.
func class(sql string) ir.Statement {
	tree, err := parse(sql)
	if err == nil {
		if tree.change != nil {
			return ir.Statement(strings.ToLower(tree.change.kind))
		}
		return ir.StatementSelect
	}
	word := strings.ToUpper(strings.TrimLeft(sql, " \t\r\n"))
	for _, c := range []struct {
		prefix string
		class  ir.Statement
	}{
		{"SELECT", ir.StatementSelect}, {"VALUES", ir.StatementSelect}, {"INSERT", ir.StatementInsert}, {"REPLACE", ir.StatementInsert}, {"UPDATE", ir.StatementUpdate},
		{"DELETE", ir.StatementDelete}, {"CREATE", ir.StatementDDL}, {"DROP", ir.StatementDDL}, {"ALTER", ir.StatementDDL},
	} {
		if strings.HasPrefix(word, c.prefix) {
			return c.class
		}
	}
	return ir.StatementOther
}

// Type returns the type that the text names, by SQLite's rules for declared types. SQLite itself
// accepts any name. A name for which the rules give no affinity is refused as a spelling mistake.
func (e *Engine) Type(_ context.Context, text string) (analyze.Type, error) {
	t := declared(text)
	if t.Kind == ir.Any && !strings.EqualFold(text, "any") {
		return t, &analyze.SQLError{Message: fmt.Sprintf("%q says nothing about its values", text), Offset: -1}
	}
	return t, nil
}

// Quote returns name as an SQL identifier in double quotes.
func (e *Engine) Quote(name string) string { return ir.QuoteName(name) }
