package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Expression is an expression update: new values of columns, as SQL over the columns of the same
// row. It applies to all rows that were in parts and not patched at the time of the update. Readers
// apply it, and a merge writes the results. It is immutable.
type Expression struct {
	Seq     base.Seq     // of the edit that added it
	Version uint32       // the schema version whose names and types the SQL uses
	Alias   string       // the name by which the SQL may refer to the table
	Set     []Assignment // by ascending column
	Where   string       // empty: every row
}

// Assignment sets a column to a new value.
type Assignment struct {
	Column base.ColumnID
	Value  string // SQL; it is cast to the column's type on use
}

// Columns returns the columns that the expression sets, ascending.
func (e *Expression) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(e.Set))
	for i, a := range e.Set {
		ids[i] = a.Column
	}
	return ids
}

// Check returns an Internal error if the expression is invalid for a table. The table must have the
// expression's version.
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

// Value returns the SQL of a column's new value, in the column's type. It returns false if the
// expression does not set the column.
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

// Over returns a query that applies the expression to a relation and returns all columns of a
// table. The table has the expression's version, and the relation has its columns under their names
// and in their types. more are further columns of the relation to return.
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

// String returns the expression in the form of an UPDATE's SET and WHERE clauses, with the column
// names of a version of the table.
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

// storedExpression is what Encode writes: the fields that the log frame or catalog row does not
// store separately.
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
	content, _ := json.Marshal(s) // strings and numbers only: it cannot fail
	return content
}

// DecodeExpression reads the output of Encode, for a table in the expression's version. An invalid
// expression is Corrupt.
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
