package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Expression is new values of columns for all rows of a table that were in parts at one moment and were not patched then:
// as SQL, over the row's own columns. Readers apply it; a merge writes what comes of it. It is immutable.
type Expression struct {
	Seq     base.Seq     // of the edit that it came with
	Version uint32       // the schema version whose names and types its texts have
	Alias   string       // by which its texts may call the table
	Set     []Assignment // by ascending column
	Where   string       // empty: every row
}

// Assignment is a column's new value.
type Assignment struct {
	Column base.ColumnID
	Value  string // cast to the column's type where it is used
}

// Columns returns the columns that have new values, ascending.
func (e *Expression) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(e.Set))
	for i, a := range e.Set {
		ids[i] = a.Column
	}
	return ids
}

// Check returns an Internal error if the expression is not one for a table, whose version is the expression's.
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

// Value returns the SQL of a column's value after the expression, in the column's type; false if it sets another.
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

// Over returns a query of all columns of a table, whose version is the expression's, after it: from a relation with the columns under
// their names and in their types. more are columns of the relation that are passed on.
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

// String prints the expression as the end of an UPDATE, with the columns' names in a version of the table.
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

// storedExpression is what Encode writes: what a log frame or a row of the catalog does not have beside it.
type storedExpression struct {
	Alias string             `json:"alias"`
	Set   []storedAssignment `json:"set"`
	Where string             `json:"where,omitempty"`
}

type storedAssignment struct {
	Column base.ColumnID `json:"column"`
	Value  string        `json:"value"`
}

// Encode returns the expression as JSON, without its number and version.
func (e *Expression) Encode() []byte {
	s := storedExpression{Alias: e.Alias, Where: e.Where}
	for _, a := range e.Set {
		s.Set = append(s.Set, storedAssignment(a))
	}
	content, _ := json.Marshal(s) // texts and numbers: it cannot fail
	return content
}

// DecodeExpression reads what Encode wrote, for a table in the expression's version. What does not fit is Corrupt.
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
