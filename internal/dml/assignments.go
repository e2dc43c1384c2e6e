package dml

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// assignment is one assignment of a SET list: a column and its new value.
type assignment struct {
	column schema.Column
	value  []sqltoken.Token
}

// assignments parses a SET list: column = value and (columns) = (values), separated by commas.
func (x *Statement) assignments(t schema.Table, tokens []sqltoken.Token) ([]assignment, error) {
	var out []assignment
	add := func(name, value []sqltoken.Token) error {
		switch {
		case len(name) == 0 || !name[0].IsName():
			return x.Reader.UnexpectedAt(name, "a column")
		case len(name) > 1:
			return base.Errorf(base.Invalid, "Qualified column names in UPDATE .. SET not supported").At(name[0].Start + 1)
		}
		i := t.ColumnIndex(name[0].Name())
		if i < 0 {
			return base.Errorf(base.Invalid, "Referenced update column %s not found in table %s!", name[0].Text(), t.QualifiedName()).At(name[0].Start + 1)
		}
		if slices.ContainsFunc(out, func(a assignment) bool { return a.column.ID == t.Columns[i].ID }) {
			return base.Errorf(base.Invalid, "Multiple assignments to same column %q", t.Columns[i].Name).At(name[0].Start + 1)
		}
		out = append(out, assignment{t.Columns[i], value})
		return x.CheckRowwise(value, "SET")
	}
	for _, item := range clause.List(tokens) {
		equals := slices.IndexFunc(item, func(tok sqltoken.Token) bool { return tok.Depth == item[0].Depth && tok.Is("=") })
		if equals < 0 {
			return nil, x.Reader.UnexpectedAt(item, "column = value")
		}
		left, right := item[:equals], item[equals+1:]
		if !left[0].Is("(") {
			if err := add(left, right); err != nil {
				return nil, err
			}
			continue
		}
		names, values := clause.List(left[1:len(left)-1]), clause.List(rowValues(right))
		if len(values) == 1 && !right[0].Is("ROW") { // one value for all columns
			values = slices.Repeat([][]sqltoken.Token{right}, len(names))
		}
		if len(names) != len(values) {
			return nil, base.Errorf(base.Invalid, "Could not perform assignment, expected %d values, got %d", len(names), len(values)).At(right[0].Start + 1).
				WithHint("write the values in parentheses: (a, b) = (1, 2); a query counts as one value for all columns")
		}
		for i := range names {
			if err := add(names[i], values[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// rowValues returns the tokens between the brackets of (a, b) or ROW(a, b). It returns other tokens
// unchanged.
func rowValues(tokens []sqltoken.Token) []sqltoken.Token {
	inner := tokens
	if len(inner) > 0 && inner[0].Is("ROW") {
		inner = inner[1:]
	}
	last := len(inner) - 1
	if last < 1 || !inner[0].Is("(") || sqltoken.Next(inner, 1, inner[0].Depth, ")") != last || clause.BeginsQuery(inner[1:]) {
		return tokens
	}
	return inner[1:last]
}
