// Package analyze turns parsed SQL files into modules of package ir. It runs the schema on a
// temporary database of the real engine, asks the engine about every query, and decides names and
// shapes. The engines are in separate packages (analyze/sqlite, analyze/duckdb, analyze/postgres)
// behind the interface Engine. This package has no knowledge of SQL dialects.
//
// No query of the user is ever executed: engines only prepare and describe it.
package analyze

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Engine is a temporary database, or a transaction on a live database that will be rolled back.
// Only one goroutine may use it.
type Engine interface {
	// Version returns the engine's version, for messages.
	Version() string
	// Exec runs one statement of the user's schema, such as CREATE TABLE.
	Exec(ctx context.Context, sql string) error
	// Applied returns the ids of the project's migrations that the database already has.
	Applied(ctx context.Context, project string) (map[string]bool, error)
	// Describe prepares a statement and returns its parameters and columns. If the engine refuses
	// the statement, the error is a *SQLError.
	Describe(ctx context.Context, s *Statement) (*Description, error)
	// Type returns the type with a name, in the spelling of the engine or of SQG.
	Type(ctx context.Context, text string) (Type, error)
	// Table describes a table, whose name has one to three parts. It returns nil if the table does
	// not exist.
	Table(ctx context.Context, name []string) (*TableInfo, error)
	// Tables lists the names of all tables, for suggestions.
	Tables(ctx context.Context) ([]string, error)
	// Quote returns a name as an SQL identifier, quoted if necessary.
	Quote(name string) string
	// Close closes the engine and undoes all changes.
	Close() error
}

// Statement is a statement to describe: its text in pieces, and the parameters with their sample
// values.
type Statement struct {
	Verb   ir.Verb
	Pieces []sqlfile.Piece
	Params []Sample
}

// Sample is the sample value that the user wrote for a parameter.
type Sample struct {
	Name string
	// Value is the value as SQL text. Null means that it is the literal null.
	Value string
	Null  bool
	// In means that the parameter is an IN list. List has the elements of the sample.
	In   bool
	List []string
}

// Occurrences returns, for each parameter, how often it occurs in the statement.
func (s *Statement) Occurrences() []int {
	n := make([]int, len(s.Params))
	for _, p := range s.Pieces {
		if p.Kind == ir.ParamRef {
			n[p.Param]++
		}
	}
	return n
}

// Render returns the SQL text of the statement. placeholder returns the text for a parameter.
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

// Origin converts a byte offset in the text that Render returns into one in the file. It is exact
// except within text that was rewritten.
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

// SQLError is an engine's error about a statement.
type SQLError struct {
	Message string
	// Offset is a position in bytes: in the file if the error is from Describe, and in the
	// statement if it is from Exec. It is -1 if the engine does not report one.
	Offset int
	// Hint is the engine's own suggestion, or empty.
	Hint string
}

// Error returns the message.
func (e *SQLError) Error() string { return e.Message }

// Description is what an engine reports about a statement.
type Description struct {
	Statement ir.Statement
	ReadOnly  bool
	// Params has one entry for each of Statement.Params, in the same order.
	Params []ParamInfo
	// Columns are the columns of the result. It is empty if the statement returns nothing.
	Columns []ColumnInfo
}

// ParamInfo is what an engine reports about one parameter.
type ParamInfo struct {
	Type Type
	// Cast means that the parameter's type cannot be inferred from a single occurrence. See
	// ir.Segment.
	Cast bool
	// AnyNumber means that the value may be bound as an integer or as a floating point number. See
	// ir.BindNumber.
	AnyNumber bool
}

// ColumnInfo is what an engine reports about one column of a result.
type ColumnInfo struct {
	// Name is the engine's name of the column. Unnamed means that this name is not a column's name
	// or an alias, but was made from the text of the expression.
	Name     string
	Unnamed  bool
	Type     Type
	Nullable bool
	Origin   *ir.Origin
}

// TableInfo is what an engine reports about one table or view.
type TableInfo struct {
	Schema, Name string
	// SQLName is the name as written in SQL: quoted, and qualified if necessary.
	SQLName string
	Columns []TableColumnInfo
	// Unique has the primary key and the unique constraints, each as the indexes of its columns.
	// The primary key comes first.
	Unique     [][]int
	HasPrimary bool
}

// TableColumnInfo is what an engine reports about one column of a table.
type TableColumnInfo struct {
	Name       string
	Type       Type
	Nullable   bool
	HasDefault bool
	Default    string
	Generated  ir.Generated
	PrimaryKey bool
}

// Type is like ir.Type, but it contains its enums and structs, and does not refer to them. They
// have no names in code yet.
type Type struct {
	Kind             ir.Kind
	Native           string
	Precision, Scale int
	Unit             string
	Elem, Key        *Type
	ElemNullable     bool
	Length           int
	// Fields are the fields of a struct (ir.StructKind).
	Fields []TypeField
	// Values are the values of an enum (ir.EnumKind).
	Values []string
	// Name is the engine's name of an enum or struct, without its schema. Schema is set if it is
	// not the default schema.
	Schema, Name string
}

// TypeField is one field of a struct.
type TypeField struct {
	Name     string
	Type     Type
	Nullable bool
}

// Plain returns a type that has only a kind and the engine's name.
func Plain(kind ir.Kind, native string) Type { return Type{Kind: kind, Native: native} }

// ListOf returns the list type of an element type.
func ListOf(elem Type, native string, elemNullable bool) Type {
	return Type{Kind: ir.List, Native: native, Elem: &elem, ElemNullable: elemNullable}
}
