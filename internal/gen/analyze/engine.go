// Package analyze turns parsed SQL files into modules, the input of code generators (package ir).
// It runs the schema in the files on a temporary database of the real engine, asks the engine about
// every query, and decides the names and shapes of generated types. The engines are in separate
// packages (analyze/sqlite, analyze/duckdb, analyze/postgres) behind the interface Engine. This
// package has no knowledge of SQL dialects.
//
// No query of the user is ever executed: engines only prepare and describe it.
package analyze

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Engine is a database on which SQL is analysed: a temporary database, or a transaction on a live
// database that will be rolled back. Only one goroutine may use it.
type Engine interface {
	// Version returns the version of the database engine, for messages.
	Version() string
	// Exec runs one statement of the user's schema, such as CREATE TABLE.
	Exec(ctx context.Context, sql string) error
	// Applied returns the ids of the project's migrations that were already applied to the
	// database.
	Applied(ctx context.Context, project string) (map[string]bool, error)
	// Describe prepares a statement and returns its parameters and columns. If the engine refuses
	// the statement, the error is a *SQLError.
	Describe(ctx context.Context, s *Statement) (*Description, error)
	// Type returns the type that the text names, in the spelling of the engine or of SQG, the SQL
	// code generator that Scoter replaces.
	Type(ctx context.Context, text string) (Type, error)
	// Table describes a table by its name, which has one to three parts. It returns nil if the
	// table does not exist.
	Table(ctx context.Context, name []string) (*TableInfo, error)
	// Tables returns the names of all tables, for suggestions in error messages.
	Tables(ctx context.Context) ([]string, error)
	// Quote returns a name as an SQL identifier, quoted if necessary.
	Quote(name string) string
	// Close closes the database and undoes all changes.
	Close() error
}

// Statement is an SQL statement that an engine is to describe. It has the text in pieces, and the
// parameters with their sample values.
type Statement struct {
	Verb   ir.Verb
	Pieces []sqlfile.Piece
	Params []Sample
}

// Sample is the sample value of a parameter, which the user wrote in a `@set` line.
type Sample struct {
	Name string
	// Value is the sample value as SQL text. Null means that this text is the literal null, which
	// does not tell a type.
	Value string
	Null  bool
	// Nullable means that the user says that the parameter may be NULL. It is also set if Null is.
	Nullable bool
	// In means that the parameter is the list of an IN. List has the elements of the sample value.
	In   bool
	List []string
}

// Occurrences returns, for each parameter of the statement, how often it occurs.
func (s *Statement) Occurrences() []int {
	n := make([]int, len(s.Params))
	for _, p := range s.Pieces {
		if p.Kind == ir.ParamRef {
			n[p.Param]++
		}
	}
	return n
}

// Render returns the SQL text of the statement. placeholder returns the text to write for the
// parameter with index param.
func (s *Statement) Render(placeholder func(param int) string) string {
	var b strings.Builder
	for _, p := range s.Pieces {
		if p.Kind == ir.ParamRef {
			b.WriteString(placeholder(p.Param))
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Origin converts a byte offset in the text that Render returns into a byte offset in the user's
// file. placeholder must be the same as for Render. The result is exact except within text that was
// rewritten.
func (s *Statement) Origin(offset int, placeholder func(param int) string) int {
	at, last := 0, 0
	for _, p := range s.Pieces {
		n := len(p.Text)
		if p.Kind == ir.ParamRef {
			n = len(placeholder(p.Param))
		}
		if offset < at+n {
			if p.Kind == ir.ParamRef {
				return p.Start
			}
			return p.Start + offset - at
		}
		at += n
		last = p.Start + len(p.Text)
	}
	return last
}

// SQLError is the error that a database engine reports about a statement.
type SQLError struct {
	Message string
	// Offset is the position of the error in bytes. It is a position in the file if the error is
	// from Engine.Describe, and in the statement if it is from Engine.Exec. It is -1 if the engine
	// does not report one.
	Offset int
	// Hint is the engine's own suggestion how to correct the statement. It is empty if there is
	// none.
	Hint string
}

// Error returns the engine's message.
func (e *SQLError) Error() string { return e.Message }

// Description is what a database engine reports about a statement: its parameters and its result.
type Description struct {
	Statement ir.Statement
	ReadOnly  bool
	// Params has one entry for each parameter of the statement, in the order of Statement.Params.
	Params []ParamInfo
	// Columns are the columns of the statement's result. It is empty if the statement returns
	// nothing.
	Columns []ColumnInfo
}

// ParamInfo is what a database engine reports about one parameter of a statement.
type ParamInfo struct {
	Type Type
	// Cast means that the engine cannot infer the parameter's type from a single occurrence, so
	// that generated code must write a cast around it (see ir.Segment).
	Cast bool
	// AnyNumber means that drivers may bind the parameter's value as an integer or as a floating
	// point number (see ir.BindNumber).
	AnyNumber bool
}

// ColumnInfo is what a database engine reports about one column of a result.
type ColumnInfo struct {
	// Name is the column's name, as the engine reports it. Unnamed means that the engine made this
	// name from the text of an expression, and it is not a column's name or an alias.
	Name     string
	Unnamed  bool
	Type     Type
	Nullable bool
	Origin   *ir.Origin
}

// TableInfo is what a database engine reports about one table or view.
type TableInfo struct {
	Schema, Name string
	// SQLName is the table's name for SQL text: quoted, and qualified with its schema if necessary.
	SQLName string
	// View means that it is a view. Its Columns do not say what can be written, because the tables
	// below it may have other constraints.
	View    bool
	Columns []TableColumnInfo
	// Unique has one element for the primary key and for each unique constraint, the primary key
	// first. An element lists the constraint's columns by their index.
	Unique     [][]int
	HasPrimary bool
}

// TableColumnInfo is what a database engine reports about one column of a table.
type TableColumnInfo struct {
	Name     string
	Type     Type
	Nullable bool
	// RefusesNull means that NULL cannot be written into the column, even if Nullable says that
	// some rows may have NULL. Engines need not set it if Nullable is false.
	RefusesNull bool
	HasDefault  bool
	Default     string
	Generated   ir.Generated
	PrimaryKey  bool
}

// Type is an SQL type as the analysis sees it. It is like ir.Type, but contains the fields of a
// struct and the labels of an enum itself. An ir.Type refers to them by the names that they have in
// code, which do not exist yet during the analysis.
type Type struct {
	Kind             ir.Kind
	Native           string
	Precision, Scale int
	Unit             string
	Elem, Key        *Type
	ElemNullable     bool
	Length           int
	// Fields are the fields of a struct, set if Kind is ir.StructKind.
	Fields []TypeField
	// Values are the labels of an enum, set if Kind is ir.EnumKind.
	Values []string
	// Name is the name of an enum or struct in the database, without its schema. Schema is set if
	// it is not the default schema.
	Schema, Name string
}

// TypeField is one field of a struct type.
type TypeField struct {
	Name     string
	Type     Type
	Nullable bool
}

// Plain returns a type that has only a kind and a name. native is its name in the database.
func Plain(kind ir.Kind, native string) Type { return Type{Kind: kind, Native: native} }

// ListOf returns a list type. elem is the type of the elements, native is the list type's name in
// the database, and elemNullable says whether elements may be NULL.
func ListOf(elem Type, native string, elemNullable bool) Type {
	return Type{Kind: ir.List, Native: native, Elem: &elem, ElemNullable: elemNullable}
}
