// Package sqlfile reads the annotated SQL files of `scoter generate`: plain
// SQL in blocks, each under a comment such as
//
//	-- QUERY get_user :one
//	@set id = 1
//	SELECT * FROM users WHERE id = ${id};
//
// The format is SQG's (DBeaver's `@set` and `${}` included) and ours:
// `WRITE` blocks, `:write`, and `AS "name!"`. The package knows the lexical
// rules of the three dialects and nothing else about SQL: it never looks into
// quotes or comments, and it asks no engine.
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

// Block is one block.
type Block struct {
	File *File
	Kind Kind
	Name string
	// HeaderStart and HeaderEnd are the byte range of the header comment;
	// NameAt that of the name.
	HeaderStart, HeaderEnd int
	NameAt                 int

	One, All, Pluck, Batch bool
	// Result is the name after `:result=`, From the one after `:source=`.
	Result string
	From   string
	// Ops, Key and SetColumns belong to TABLE and WRITE. Ops are in canonical
	// order. SetColumns is empty when update and upsert set all but the key,
	// InsertColumns when rows that are inserted have all columns.
	Ops                            []ir.Op
	Key, SetColumns, InsertColumns []string
	// KeyAt, SetAt and InsertAt are the offsets of key(...), set(...) and columns(...), for diagnostics.
	KeyAt, SetAt, InsertAt int

	// Doc are the comment lines above the header and between it and the SQL.
	Doc []string
	// Sets are the `@set` lines in order.
	Sets []*SetLine
	// Overrides are from the YAML `result:` of a block comment.
	Overrides []Override
	// Body are the tokens of the SQL without header, `@set` lines, leading and
	// trailing comments and the final semicolon. Offsets are the file's.
	Body []Token
}

// SetLine is `@set name = value`.
type SetLine struct {
	Name string
	// Value is the sample, as SQL text.
	Value string
	// At and ValueAt are the offsets of the name and of the value.
	At, ValueAt int
	// Used says that some ${name} refers to it.
	Used bool
	// Null says that the sample is the literal null.
	Null bool
	// List are the elements when the sample is written as a list: (1, 2),
	// [1, 2], ARRAY[1, 2] or 1, 2.
	List []string
	// IsList tells an empty list from none.
	IsList bool
}

// Override changes what the analysis found for one column.
type Override struct {
	Column string
	// Type is the type's text, or empty to keep the type.
	Type string
	// Nullable is nil to keep it.
	Nullable *bool
	// At and End are the byte range in the file.
	At, End int
}

// Pos is where the block starts.
func (b *Block) Pos() ir.Pos {
	line, _ := b.File.Source.Position(b.HeaderStart)
	return ir.Pos{File: b.File.Source.Name, Line: line}
}

// Set returns the `@set` line of a name, or nil.
func (b *Block) Set(name string) *SetLine {
	for _, s := range b.Sets {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Errorf makes an error for the bytes [from, to) of the file, in this block.
func (b *Block) Errorf(code diag.Code, from, to int, format string, args ...any) *diag.Diagnostic {
	return b.File.Source.At(diag.Error, code, from, to, format, args...).In(b.Name)
}

// Warnf is Errorf with a warning.
func (b *Block) Warnf(code diag.Code, from, to int, format string, args ...any) *diag.Diagnostic {
	return b.File.Source.At(diag.Warning, code, from, to, format, args...).In(b.Name)
}

// NameErrorf makes an error that points at the block's name.
func (b *Block) NameErrorf(code diag.Code, format string, args ...any) *diag.Diagnostic {
	if b.Name == "" {
		return b.Errorf(code, b.HeaderStart, b.HeaderEnd, format, args...)
	}
	return b.Errorf(code, b.NameAt, b.NameAt+len(b.Name), format, args...)
}
