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
	// Exec runs one statement of the schema.
	Exec(ctx context.Context, sql string) error
	// Applied returns the ids of the project's migrations that the database already has.
	Applied(ctx context.Context, project string) (map[string]bool, error)
	// Describe prepares a statement and returns its parameters and columns. The error is a
	// *SQLError if the engine refuses the statement.
	Describe(ctx context.Context, s *Statement) (*Description, error)
	// Type parses a type in the spelling of the engine or of SQG.
	Type(ctx context.Context, text string) (Type, error)
	// Table describes a table by one to three name parts. It returns nil if there is none.
	Table(ctx context.Context, name []string) (*TableInfo, error)
	// Tables lists the names of all tables, for suggestions.
	Tables(ctx context.Context) ([]string, error)
	// Quote quotes an identifier if necessary.
	Quote(name string) string
	// Close rolls everything back.
	Close() error
}

// Statement is a query in the form that engines take.
type Statement struct {
	Verb   ir.Verb
	Pieces []sqlfile.Piece
	Params []Sample
}

// Sample is the sample value that the user wrote for a parameter.
type Sample struct {
	Name string
	// Value is SQL text. Null means that it is the literal null.
	Value string
	Null  bool
	// In means that the parameter is an IN list. List has its sample elements.
	In   bool
	List []string
}

// Occurrences counts how often each parameter occurs.
func (s *Statement) Occurrences() []int {
	n := make([]int, len(s.Params))
	for _, p := range s.Pieces {
		if p.Kind == ir.ParamRef {
			n[p.Param]++
		}
	}
	return n
}

// Render returns the SQL. It replaces each parameter by the result of placeholder.
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

// Origin converts a byte offset in the result of Render into one in the file. It is exact except
// within rewritten text.
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
	// Offset is a position in the file (Describe) or in the statement (Exec), in bytes. It is -1 if
	// the engine does not report one.
	Offset int
	// Hint is the engine's own suggestion, or empty.
	Hint string
}

// Error returns the message.
func (e *SQLError) Error() string { return e.Message }

// Description is what an engine knows about a statement.
type Description struct {
	Statement ir.Statement
	ReadOnly  bool
	// Params are in the order of Statement.Params.
	Params []ParamInfo
	// Columns is empty for statements that return nothing.
	Columns []ColumnInfo
}

// ParamInfo is one parameter.
type ParamInfo struct {
	Type Type
	// Cast: see ir.Segment.
	Cast bool
	// AnyNumber: see ir.BindNumber.
	AnyNumber bool
}

// ColumnInfo is one column of a result.
type ColumnInfo struct {
	// Name is the engine's name of the column. Unnamed means that the engine derived it from the
	// expression.
	Name     string
	Unnamed  bool
	Type     Type
	Nullable bool
	Origin   *ir.Origin
}

// TableInfo is one table or view.
type TableInfo struct {
	Schema, Name string
	// SQLName is quoted and, if necessary, qualified.
	SQLName string
	Columns []TableColumnInfo
	// Unique are the sets of columns, by index, of the primary key and of unique constraints. The
	// primary key comes first.
	Unique     [][]int
	HasPrimary bool
}

// TableColumnInfo is one column of a table.
type TableColumnInfo struct {
	Name       string
	Type       Type
	Nullable   bool
	HasDefault bool
	Default    string
	Generated  ir.Generated
	PrimaryKey bool
}

// Type is like ir.Type, but contains enums and structs before they get names in code.
type Type struct {
	Kind             ir.Kind
	Native           string
	Precision, Scale int
	Unit             string
	Elem, Key        *Type
	ElemNullable     bool
	Length           int
	// Fields are the fields of an ir.StructKind.
	Fields []TypeField
	// Values are the values of an ir.EnumKind.
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
