// Package analyze turns parsed SQL files into modules of package ir: it runs
// the schema on a throwaway database of the real engine, asks the engine about
// every query, and decides names and shapes. The engines are in packages of
// their own (analyze/sqlite, analyze/duckdb, analyze/postgres) behind the
// interface Engine; this package knows no SQL.
//
// No query of the user is ever executed: engines prepare and describe.
package analyze

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Engine is one throwaway database, or a transaction on a live one that will be
// rolled back. It is used by one goroutine.
type Engine interface {
	// Version is the engine's version, for people.
	Version() string
	// Exec runs one statement of the schema.
	Exec(ctx context.Context, sql string) error
	// Applied returns the ids of the project's migrations that the database
	// already has.
	Applied(ctx context.Context, project string) (map[string]bool, error)
	// Describe prepares a statement and says what goes in and comes out. The
	// error is a *SQLError when the engine refuses the statement.
	Describe(ctx context.Context, s *Statement) (*Description, error)
	// Type parses a type as the engine (or SQG) spells it.
	Type(ctx context.Context, text string) (Type, error)
	// Table describes a table by one to three name parts, or returns nil.
	Table(ctx context.Context, name []string) (*TableInfo, error)
	// Tables lists the names of all tables, for suggestions.
	Tables(ctx context.Context) ([]string, error)
	// Quote quotes an identifier where it needs it.
	Quote(name string) string
	// Close rolls everything back.
	Close() error
}

// Statement is a query as an engine gets it.
type Statement struct {
	Verb   ir.Verb
	Pieces []sqlfile.Piece
	Params []Sample
}

// Sample is what the user wrote for a parameter.
type Sample struct {
	Name string
	// Value is SQL text. Null says that it is the literal null.
	Value string
	Null  bool
	// In says that the parameter is an IN list; List are its sample elements.
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

// Render writes the SQL, with placeholder's result for each parameter.
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

// Origin turns a byte offset in the text that Render made into one in the
// file. It is exact but for text that was rewritten.
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

// SQLError is what an engine has against a statement.
type SQLError struct {
	Message string
	// Offset is the place in the file (Describe) or in the statement (Exec),
	// in bytes; -1 if the engine does not tell.
	Offset int
	// Hint is the engine's own suggestion, if any.
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

// ColumnInfo is one result column.
type ColumnInfo struct {
	// Name is the engine's name for it. Unnamed says that the engine made it
	// up from the expression.
	Name     string
	Unnamed  bool
	Type     Type
	Nullable bool
	Origin   *ir.Origin
}

// TableInfo is one table or view.
type TableInfo struct {
	Schema, Name string
	// SQLName is quoted and, where that is needed, qualified.
	SQLName string
	Columns []TableColumnInfo
	// Unique are the sets of columns, by index, that a primary key or a
	// unique constraint covers. The primary key, if any, is the first.
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

// Type is ir.Type with enums and structs inside, before they have names.
type Type struct {
	Kind             ir.Kind
	Native           string
	Precision, Scale int
	Unit             string
	Elem, Key        *Type
	ElemNullable     bool
	Length           int
	// Fields belong to ir.StructKind.
	Fields []TypeField
	// Values belong to ir.EnumKind.
	Values []string
	// Name is the engine's name of an enum or struct, without schema; Schema
	// is set when it is not the default one.
	Schema, Name string
}

// TypeField is one field of a struct.
type TypeField struct {
	Name     string
	Type     Type
	Nullable bool
}

// Plain returns a type that is only a kind and the engine's name.
func Plain(kind ir.Kind, native string) Type { return Type{Kind: kind, Native: native} }

// ListOf returns the list type of an element type.
func ListOf(elem Type, native string, elemNullable bool) Type {
	return Type{Kind: ir.List, Native: native, Elem: &elem, ElemNullable: elemNullable}
}
