package dml

import (
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// A statement whose WHERE gives the whole primary key or sort key (k = 17 AND ...) changes few
// rows. An index finds these rows at a small part of the cost of planning a query over the table.
// So such a statement runs its query over the rows of that key alone, without the conditions that
// gave the key. DuckDB still evaluates the other conditions.
//
// Literals and parameters of the statement become additional columns of these rows, with their own
// types. So statements that differ only in these values have the same SQL text for DuckDB, and use
// the same cached plan. (DuckDB 1.5.5 plans a statement with parameters and tables again for each
// execution.)
//
// If a value is assigned to a column of exactly its type, the query does not compute it. This makes
// planning cheaper.

// Key is the key that the WHERE of a statement gives: its columns, and a value for each of
// them.
type Key struct {
	Columns   []base.ColumnID
	Values    []arrow.Array // the value of each column, as an array of length 1
	Constants []*constant
	// assigned has assigned values that the query does not compute because they are known. A value
	// is an array of length 1, and the map's key is the column to which it is assigned.
	assigned map[base.ColumnID]arrow.Array
	// others are the conditions of the WHERE that do not give the key. A row is changed only if all
	// of them are true for it.
	others [][]sqltoken.Token
}

// keyLookup returns the key that the WHERE of a statement gives. It returns nil if the statement
// names other tables, if the WHERE does not give a whole key, or if a value of the key cannot be
// stored exactly in its column's type.
func (x *Statement) keyLookup(t Target, assignments []assignment, where []sqltoken.Token) *Key {
	x.Reader.Replaced = nil
	if x.Scanning || x.Reader.Statement.VerbIndex() > 0 || !t.plain(where) || slices.ContainsFunc(assignments, func(a assignment) bool { return !t.plain(a.value) }) {
		return nil
	}
	type equal struct {
		column schema.Column
		value  sqltoken.Token
		stored arrow.Array
	}
	all := conjuncts(where)
	// equals[i] is the condition all[i] in the form column = value. It is zero if the condition has
	// another form.
	equals := make([]equal, len(all))
	given := map[base.ColumnID]int{}
	for i, c := range all {
		column, value, ok := equality(t, c)
		if !ok {
			continue
		}
		if one := stored(column.Type, x.valueOf(value)); one != nil {
			equals[i] = equal{column, value, one}
			given[column.ID] = i
		}
	}
	key := keyGiven(t.Table, func(id base.ColumnID) arrow.Array {
		if i, ok := given[id]; ok {
			return equals[i].stored
		}
		return nil
	})
	if key == nil {
		return nil
	}
	lifted := map[int]*constant{}
	key.assigned = map[base.ColumnID]arrow.Array{}
	unchecked := t.Table.Condition() == "" // a check may name any column
	for i, c := range all {
		e := equals[i]
		if e.stored != nil && given[e.column.ID] == i && slices.Contains(key.Columns, e.column.ID) {
			continue // the condition gives the key, so it is true for all rows that the index finds
		}
		key.others = append(key.others, c)
		if e.stored != nil {
			// The names of the constants are numbered, because several conditions may be about the
			// same column.
			lifted[e.value.Start] = &constant{sqlquery.Constant{Name: fmt.Sprintf("value %d to find in %s", i+1, e.column.Name), Type: e.column.Type, Value: e.stored}, "%s"}
		}
	}
	for _, a := range assignments {
		value, negative := a.value, false
		if len(value) == 2 && value[0].Is("-") && value[1].Kind == sqltoken.Number {
			value, negative = value[1:], true
		}
		if len(value) != 1 || !isConstant(value[0]) {
			continue
		}
		switch c := x.assigned(a.column.Type, value[0], negative); {
		case c == nil:
		case unchecked && !negative && c.is(a.column.Type):
			key.assigned[a.column.ID] = c.Value
		default:
			c.Name = "new value of " + a.column.Name // errors of DuckDB show this name
			lifted[value[0].Start] = c
		}
	}
	replaced := map[int]string{}
	for _, start := range slices.Sorted(maps.Keys(lifted)) {
		c := lifted[start]
		if t.Table.ColumnIndex(c.Name) >= 0 {
			return nil
		}
		replaced[start] = fmt.Sprintf(c.expression, schema.Quote(c.Name))
		key.Constants = append(key.Constants, c)
	}
	x.Reader.Replaced = replaced
	return key
}

// plain reports whether an expression contains no query, and names the target table only in front
// of a column, as in t.a.
func (t *Target) plain(tokens []sqltoken.Token) bool {
	for i, tok := range tokens {
		if slices.ContainsFunc(clause.QueryStarters, tok.Is) {
			return false
		}
		column := i+1 < len(tokens) && tokens[i+1].Is(".") || i > 0 && tokens[i-1].Is(".")
		if tok.IsName() && !column && schema.Fold(tok.Name()) == schema.Fold(t.Alias) {
			return false // the table's name alone means the whole row
		}
	}
	return true
}

// keyGiven returns the primary key if all its columns have values, or else the sort key if all its
// columns have values, or else nil. The function given returns the value of a column, or nil.
func keyGiven(t schema.Table, given func(base.ColumnID) arrow.Array) *Key {
	sorted := make([]base.ColumnID, len(t.SortKey))
	for i, f := range t.SortKey {
		sorted[i] = f.Column
	}
	for _, columns := range [][]base.ColumnID{t.PrimaryKey, sorted} {
		k := &Key{Columns: columns}
		for _, id := range columns {
			if one := given(id); one != nil {
				k.Values = append(k.Values, one)
			}
		}
		if len(columns) > 0 && len(k.Values) == len(columns) {
			return k
		}
	}
	return nil
}

// conjuncts splits a condition a AND b AND c at its top-level ANDs. It returns nil for a condition
// that it cannot split safely, such as one with OR.
func conjuncts(where []sqltoken.Token) [][]sqltoken.Token {
	if len(where) == 0 {
		return nil
	}
	var out [][]sqltoken.Token
	from := 0
	for i, t := range where {
		if t.Depth != where[0].Depth || i > 0 && where[i-1].Is(".") {
			continue
		}
		switch {
		// OR binds less tightly than AND, so the condition cannot be split at AND. BETWEEN and CASE
		// may contain an AND that belongs to them.
		case t.Is("OR"), t.Is("BETWEEN"), t.Is("CASE"):
			return nil
		case t.Is("AND"):
			out = append(out, where[from:i])
			from = i + 1
		}
	}
	return append(out, where[from:])
}

// equality parses a condition of the form column = value or value = column. The value must be a
// single token.
func equality(t Target, c []sqltoken.Token) (column schema.Column, value sqltoken.Token, ok bool) {
	at := slices.IndexFunc(c, func(tok sqltoken.Token) bool { return tok.Is("=") })
	if at < 0 {
		return column, value, false
	}
	name, other := c[:at], c[at+1:]
	if len(other) != 1 || !isConstant(other[0]) {
		name, other = other, name
	}
	if len(other) != 1 || !isConstant(other[0]) {
		return column, value, false
	}
	if len(name) == 3 && name[0].IsName() && name[1].Is(".") && schema.Fold(name[0].Name()) == schema.Fold(t.Alias) {
		name = name[2:]
	} else if len(name) == 1 && slices.ContainsFunc(functions, name[0].Is) {
		return column, value, false
	}
	if len(name) != 1 || !name[0].IsName() {
		return column, value, false
	}
	i := t.Table.ColumnIndex(name[0].Name())
	if i < 0 {
		return column, value, false
	}
	return t.Table.Columns[i], other[0], true
}
