// Package sqlfile parses the annotated SQL files of `scoter generate`. A file is plain SQL, divided
// into blocks. Each block begins with a comment such as
//
//	-- QUERY get_user :one
//	@set id = 1
//	SELECT * FROM users WHERE id = ${id};
//
// The format is SQG's, including DBeaver's `@set` and `${}`. Scoter adds `WRITE` blocks, `:write`
// and `AS "name!"`. The package knows how the three dialects divide SQL into tokens, and nothing
// else about SQL. It never parses the content of quotes or comments, and asks no engine.
package sqlfile

import (
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Kind is the kind of a block.
type Kind string

// The kinds of block.
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

// File is one parsed file.
type File struct {
	Source *diag.Source
	Blocks []*Block
}

// Block is one block of a file: a header comment, and the SQL that belongs to it.
type Block struct {
	File *File
	Kind Kind
	Name string
	// HeaderStart and HeaderEnd are the byte range of the header comment in the file. NameAt is the
	// offset of the block's name.
	HeaderStart, HeaderEnd int
	NameAt                 int

	One, All, Pluck, Batch bool
	// Result is the name given with `:result=`, and From the name given with `:source=`.
	Result string
	From   string
	// Ops, Key, SetColumns and InsertColumns are set for TABLE and WRITE blocks. Ops are in the
	// order of the variable Ops. SetColumns is empty if update and upsert set all columns except
	// the key. InsertColumns is empty if inserted rows have all columns.
	Ops                            []ir.Op
	Key, SetColumns, InsertColumns []string
	// KeyAt, SetAt and InsertAt are the offsets in the file of key(...), set(...) and columns(...),
	// for diagnostics.
	KeyAt, SetAt, InsertAt int

	// Doc are the comment lines above the header and between it and the SQL.
	Doc []string
	// Sets are the `@set` lines in order.
	Sets []*SetLine
	// Overrides are the entries of the YAML `result:` in a block comment.
	Overrides []Override
	// Body are the tokens of the SQL, without the header, `@set` lines, leading and trailing
	// comments, and the final semicolon. Their offsets are those in the file.
	Body []Token
}

// SetLine is a line `@set name = value`, which declares a parameter and its sample value.
type SetLine struct {
	Name string
	// Value is the sample value of the parameter, as SQL text.
	Value string
	// At and ValueAt are the offsets of the name and of the value in the file.
	At, ValueAt int
	// Used means that a ${name} in the block refers to this line.
	Used bool
	// Null means that the sample is the literal null.
	Null bool
	// List are the elements of a sample that is written as a list: (1, 2), [1, 2], ARRAY[1, 2] or
	// 1, 2.
	List []string
	// IsList means that the sample is a list. If the list is empty, only IsList tells that.
	IsList bool
}

// Override is one entry of the YAML `result:` in a block comment. It changes the type or
// nullability that the analysis found for one column.
type Override struct {
	Column string
	// Type is the name of the new type. If it is empty, the type does not change.
	Type string
	// Nullable is the new nullability. If it is nil, the nullability does not change.
	Nullable *bool
	// At and End are the byte range of the entry in the file.
	At, End int
}

// Pos returns the position of the block's beginning.
func (b *Block) Pos() ir.Pos {
	line, _ := b.File.Source.Position(b.HeaderStart)
	return ir.Pos{File: b.File.Source.Name, Line: line}
}

// Set returns the `@set` line for a name, or nil if there is none.
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
	return b.File.Source.At(diag.Error, code, from, to, format, args...).In(b.Name)
}

// Warnf returns a warning about the bytes [from, to) of the file, in this block.
func (b *Block) Warnf(code diag.Code, from, to int, format string, args ...any) *diag.Diagnostic {
	return b.File.Source.At(diag.Warning, code, from, to, format, args...).In(b.Name)
}

// NameErrorf returns an error about the block's name.
func (b *Block) NameErrorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	if b.Name == "" {
		return b.Errorf(code, b.HeaderStart, b.HeaderEnd, format, args...)
	}
	return b.Errorf(code, b.NameAt, b.NameAt+len(b.Name), format, args...)
}
