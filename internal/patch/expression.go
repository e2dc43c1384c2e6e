package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Expression is an expression update: an UPDATE that is stored as SQL. It sets columns to values
// that are computed from the columns of the same row. It applies to all rows that were in parts and
// had no patch (separately stored new values) at the time of the update. Readers apply it to these
// rows until a merge writes the results. It is immutable.
type Expression struct {
	Seq     base.Seq     // number of the edit that added the expression update
	Version uint32       // schema version from which the SQL takes its column names and types
	Alias   string       // name by which the SQL may refer to the table
	Set     []Assignment // the columns to set, by ascending column id
	// Where is the SQL condition of the rows to change; if it is empty, all rows are changed.
	Where string
}

// Assignment is a part of an UPDATE that sets one column to a new value.
type Assignment struct {
	Column base.ColumnID
	Value  string // SQL of the new value; its result is cast to the column's type
}

// Columns returns the ids of the columns that the expression update (an UPDATE that is stored as
// SQL) sets, in ascending order.
func (e *Expression) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(e.Set))
	for i, a := range e.Set {
		ids[i] = a.Column
	}
	return ids
}

// Check returns an Internal error if the expression update (an UPDATE that is stored as SQL) is not
// valid for the table t. t must have the schema version of the expression update.
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

// Value returns the SQL of the value to which the column c is set, cast to the type of c. If the
// expression update (an UPDATE that is stored as SQL) does not set the column, it returns false.
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

// Over returns an SQL query that applies the expression update (an UPDATE that is stored as SQL) to
// the rows of a relation. The query returns all columns of the table t. t has the schema version of
// the expression update. The relation has the columns of t, with their names and types. The
// argument more has names of further columns of the relation, which the query also returns.
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

// String returns the expression update as the SET and WHERE clauses of an UPDATE. t is the schema
// version from which column names are taken.
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

// storedExpression is the JSON that Encode writes. It has those fields of an expression update (an
// UPDATE that is stored as SQL) that the log frame or the catalog does not store separately.
type storedExpression struct {
	Alias string             `json:"alias"`
	Set   []storedAssignment `json:"set"`
	Where string             `json:"where,omitempty"`
}

type storedAssignment struct {
	Column base.ColumnID `json:"column"`
	Value  string        `json:"value"`
}

// Encode returns the expression update (an UPDATE that is stored as SQL) as JSON, without Seq and
// Version.
func (e *Expression) Encode() []byte {
	s := storedExpression{Alias: e.Alias, Where: e.Where}
	for _, a := range e.Set {
		s.Set = append(s.Set, storedAssignment(a))
	}
	content, _ := json.Marshal(s) // Marshal cannot fail, because there are only strings and numbers
	return content
}

// DecodeExpression reads an expression update (an UPDATE that is stored as SQL) that Encode has
// written. t is the table in the schema version of the expression update. If the content is not a
// valid expression update, the error is Corrupt.
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
