// Package sqlfile parses the annotated SQL files of `scoter generate`. A file is plain SQL, divided
// into blocks. Each block begins with a header, a comment such as the first line of
//
//	-- QUERY get_user :one
//	@set id = 1
//	SELECT * FROM users WHERE id = ${id};
//
// The format is that of SQG, the SQL code generator that Scoter replaces, with the `@set` and `${}`
// of DBeaver, an SQL editor. Scoter adds `WRITE` blocks, `:write` and `AS "name!"`. The package
// knows how the three SQL dialects divide text into tokens, and nothing else about SQL. It never
// parses the content of quotes or comments, and asks no engine.
package sqlfile

import (
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Kind is the kind of a block in an SQL file, such as QUERY or MIGRATE.
type Kind string

// These are the kinds of blocks.
const (
	Migrate  Kind = "MIGRATE"
	Baseline Kind = "BASELINE"
	Testdata Kind = "TESTDATA"
	Query    Kind = "QUERY"
	Exec     Kind = "EXEC"
	Table    Kind = "TABLE"
	Write    Kind = "WRITE"
)

var kindList = []string{"MIGRATE", "BASELINE", "TESTDATA", "QUERY", "EXEC", "TABLE", "WRITE"}

var kinds = map[Kind]bool{Migrate: true, Baseline: true, Testdata: true, Query: true, Exec: true, Table: true, Write: true}

// File is one parsed SQL file.
type File struct {
	Text   *diag.Text
	Blocks []*Block
}

// Block is one block of an SQL file: a header comment, and the SQL that belongs to it.
type Block struct {
	File *File
	Kind Kind
	Name string
	// HeaderStart and HeaderEnd are the byte range of the block's header comment in the file.
	// NameOffset is the offset in bytes of the block's name.
	HeaderStart, HeaderEnd int
	NameOffset             int

	One, All, Pluck, Batch bool
	// Result is the name that `:result=` gives to the row type. AttachedTo is the name of the
	// attached database that `:source=` gives. Each is empty if the header does not have the
	// modifier.
	Result     string
	AttachedTo string
	// Ops, Key, SetColumns and InsertColumns are set for TABLE and WRITE blocks. Ops are the bulk
	// operations, in the order of the variable Ops. Key are the columns that identify a row.
	// SetColumns are the columns that update and upsert set; it is empty if they set all columns
	// except the key. InsertColumns are the columns of inserted rows; it is empty if they have all
	// columns.
	Ops                            []ir.Op
	Key, SetColumns, InsertColumns []string
	// KeyOffset, SetOffset and InsertOffset are the byte offsets in the file of key(...), set(...)
	// and columns(...) in the header, for diagnostics.
	KeyOffset, SetOffset, InsertOffset int

	// Doc has the lines of the comments above the block's header, and between the header and the
	// SQL.
	Doc []string
	// Sets are the `@set` lines of the block, in order.
	Sets []*SetLine
	// Overrides are the types that the user gives to result columns, in the YAML `result:` in a
	// block comment.
	Overrides []Override
	// Body has the tokens of the block's SQL, without the header, `@set` lines, leading and
	// trailing comments, and the final semicolon. The tokens' offsets are those in the file.
	Body []Token
}

// SetLine is a line `@set name = value`, which declares a parameter and its sample value.
type SetLine struct {
	Name string
	// Value is the sample value of the parameter, as the SQL text after `=`.
	Value string
	// Offset and ValueOffset are the byte offsets in the file of the parameter's name and of its
	// sample value.
	Offset, ValueOffset int
	// Used means that the SQL of the block has a ${name} for this parameter.
	Used bool
	// Null means that the sample is the literal null.
	Null bool
	// Mark is '?' if the SQL has ${name?}, which means that the parameter may be NULL. It is '!'
	// for ${name!}, which means that the parameter is never NULL. It is 0 if there is neither.
	Mark byte
	// List are the elements of a sample that is written as a list: (1, 2), [1, 2], ARRAY[1, 2] or
	// 1, 2.
	List []string
	// IsList means that the sample value is a list. An empty list has no elements, so only IsList
	// tells it from a value that is not a list.
	IsList bool
}

// Nullable reports whether the user says that the parameter may be NULL.
func (s *SetLine) Nullable() bool { return s.Null || s.Mark == '?' }

// Override is one entry of the YAML `result:` in a block comment. It replaces the type or
// nullability that the analysis found for one result column.
type Override struct {
	Column string
	// Type is the name of the column's new type. If it is empty, the type does not change.
	Type string
	// Nullable says whether the column may be NULL. If it is nil, the nullability does not change.
	Nullable *bool
	// At and End are the byte range of the override in the file.
	At, End int
}

// Pos returns the position in the file at which the block begins.
func (b *Block) Pos() ir.Pos {
	line, _ := b.File.Text.Position(b.HeaderStart)
	return ir.Pos{File: b.File.Text.Name, Line: line}
}

// Set returns the block's `@set` line for the parameter with this name, or nil if there is none.
func (b *Block) Set(name string) *SetLine {
	for _, s := range b.Sets {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Errorf returns an error about the bytes [from, to) of the file, in this block.
func (b *Block) Errorf(code diag.Code, from, to int, format string, args ...any) *diag.Diagnostic {
	return b.File.Text.At(diag.Error, code, from, to, format, args...).In(b.Name)
}

// Warnf returns a warning about the bytes [from, to) of the file, in this block.
func (b *Block) Warnf(code diag.Code, from, to int, format string, args ...any) *diag.Diagnostic {
	return b.File.Text.At(diag.Warning, code, from, to, format, args...).In(b.Name)
}

// NameErrorf returns an error whose place is the block's name in the header.
func (b *Block) NameErrorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	if b.Name == "" {
		return b.Errorf(code, b.HeaderStart, b.HeaderEnd, format, args...)
	}
	return b.Errorf(code, b.NameOffset, b.NameOffset+len(b.Name), format, args...)
}
