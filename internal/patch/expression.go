package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Expression is an expression update: an UPDATE that is stored as SQL. It sets columns to values
// computed from the columns of the same row. It applies to all rows that were in parts and had no
// patch at the time of the update. Readers apply it, until a merge writes the results. It is
// immutable.
type Expression struct {
	Seq     base.Seq     // edit that added it
	Version uint32       // the schema version whose names and types the SQL uses
	Alias   string       // the name by which the SQL may refer to the table
	Set     []Assignment // by ascending column
	Where   string       // SQL condition of the rows to change; empty: every row
}

// Assignment sets a column to a new value.
type Assignment struct {
	Column base.ColumnID
	Value  string // SQL; its result is cast to the column's type
}

// Columns returns the columns that the expression sets, ascending.
func (e *Expression) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(e.Set))
	for i, a := range e.Set {
		ids[i] = a.Column
	}
	return ids
}

// Check returns an Internal error if the expression is not valid for a table, which has the
// expression's schema version.
func (e *Expression) Check(t schema.Table) error {
	if t.Version != e.Version || e.Alias == "" || len(e.Set) == 0 || !ascending(e.Columns()) {
		return base.Errorf(base.Internal, "expression of version %d with %d columns for version %d of table %s", e.Version, len(e.Set), t.Version, t.QualifiedName())
	}
	for _, a := range e.Set {
		if t.ColumnByID(a.Column) < 0 || strings.TrimSpace(a.Value) == "" {
			return base.Errorf(base.Internal, "expression %q for column %d of table %s", a.Value, a.Column, t.QualifiedName())
		}
	}
	return nil
}

// Value returns the SQL of the value that a column is set to, cast to the column's type. It returns
// false if the expression does not set the column.
func (e *Expression) Value(c schema.Column) (string, bool) {
	i := slices.IndexFunc(e.Set, func(a Assignment) bool { return a.Column == c.ID })
	if i < 0 {
		return "", false
	}
	value := "CAST((" + e.Set[i].Value + ") AS " + c.Type.String() + ")"
	old := schema.Quote(e.Alias) + "." + schema.Quote(c.Name)
	switch {
	case e.Where == "":
	case c.Type.Caseless():
		value = "(CASE WHEN (" + e.Where + ") THEN [" + value + "] ELSE [" + old + "] END)[1]"
	default:
		value = "CASE WHEN (" + e.Where + ") THEN " + value + " ELSE " + old + " END"
	}
	return value, true
}

// Over returns an SQL query that applies the expression to the rows of a relation, and returns all
// columns of the table t. t has the expression's schema version, and the relation has t's columns
// under their names and with their types. more are further columns of the relation to return.
func (e *Expression) Over(t schema.Table, relation string, more ...string) string {
	columns := make([]string, 0, len(t.Columns)+len(more))
	for _, c := range t.Columns {
		if value, ok := e.Value(c); ok {
			columns = append(columns, value+" AS "+schema.Quote(c.Name))
		} else {
			columns = append(columns, schema.Quote(c.Name))
		}
	}
	return "SELECT " + strings.Join(append(columns, more...), ", ") + " FROM (" + relation + ") AS " + schema.Quote(e.Alias)
}

// String returns the expression as the SET and WHERE clauses of an UPDATE. t is the version of the
// table whose column names are used.
func (e *Expression) String(t schema.Table) string {
	var set []string
	for _, a := range e.Set {
		if i := t.ColumnByID(a.Column); i >= 0 {
			set = append(set, schema.Quote(t.Columns[i].Name)+" = "+a.Value)
		}
	}
	text := "SET " + strings.Join(set, ", ")
	if e.Where != "" {
		text += " WHERE " + e.Where
	}
	return text
}

// storedExpression is the JSON that Encode writes: the fields that the log frame or the catalog's
// row does not store separately.
type storedExpression struct {
	Alias string             `json:"alias"`
	Set   []storedAssignment `json:"set"`
	Where string             `json:"where,omitempty"`
}

type storedAssignment struct {
	Column base.ColumnID `json:"column"`
	Value  string        `json:"value"`
}

// Encode returns the expression as JSON, without Seq and Version.
func (e *Expression) Encode() []byte {
	s := storedExpression{Alias: e.Alias, Where: e.Where}
	for _, a := range e.Set {
		s.Set = append(s.Set, storedAssignment(a))
	}
	content, _ := json.Marshal(s) // there are only strings and numbers, so Marshal does not fail
	return content
}

// DecodeExpression reads the output of Encode. t is the table in the expression's schema version.
// An invalid expression is Corrupt.
func DecodeExpression(seq base.Seq, t schema.Table, content []byte) (*Expression, error) {
	var s storedExpression
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, base.Errorf(base.Corrupt, "expression %d of table %s: %w", seq, t.QualifiedName(), err)
	}
	e := &Expression{Seq: seq, Version: t.Version, Alias: s.Alias, Where: s.Where}
	for _, a := range s.Set {
		e.Set = append(e.Set, Assignment(a))
	}
	if err := e.Check(t); err != nil {
		return nil, base.Errorf(base.Corrupt, "%w", err)
	}
	return e, nil
}
