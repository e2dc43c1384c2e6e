package mutate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
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

// keyCondition is the key that the WHERE of a statement gives: its columns, and a value for each of
// them.
type keyCondition struct {
	columns   []base.ColumnID
	values    []arrow.Array // the value of each column, as an array of length 1
	constants []*constant
	// assigned has assigned values that the query does not compute because they are known. A value
	// is an array of length 1, and the map's key is the column to which it is assigned.
	assigned map[base.ColumnID]arrow.Array
	// others are the conditions of the WHERE that do not give the key. A row is changed only if all
	// of them are true for it.
	others [][]sqltoken.Token
}

// constant is a literal or parameter of the statement that the query reads as a column.
type constant struct {
	sqlquery.Constant
	// expression is a format string (fmt) for SQL that gives the value in the type of the literal.
	// %s stands for the name of the column.
	expression string
}

// The method is reports whether the column of the constant has the type t, and has exactly the
// literal as its value, without a cast or sign.
func (c *constant) is(t schema.Type) bool {
	return c.expression == "%s" && c.Type.Equal(t) && !t.NeedsCast()
}

// keyLookup returns the key that the WHERE of a statement gives. It returns nil if the statement
// names other tables, if the WHERE does not give a whole key, or if a value of the key cannot be
// stored exactly in its column's type.
func (x *dmlStatement) keyLookup(t target, assignments []assignment, where []sqltoken.Token) *keyCondition {
	x.c.replaced = nil
	if x.scanning || x.c.statement.VerbIndex() > 0 || !t.plain(where) || slices.ContainsFunc(assignments, func(a assignment) bool { return !t.plain(a.value) }) {
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
	key := keyGiven(t.table, func(id base.ColumnID) arrow.Array {
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
	unchecked := t.table.Condition() == "" // a check may name any column
	for i, c := range all {
		e := equals[i]
		if e.stored != nil && given[e.column.ID] == i && slices.Contains(key.columns, e.column.ID) {
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
		if t.table.ColumnIndex(c.Name) >= 0 {
			return nil
		}
		replaced[start] = fmt.Sprintf(c.expression, schema.Quote(c.Name))
		key.constants = append(key.constants, c)
	}
	x.c.replaced = replaced
	return key
}

// plain reports whether an expression contains no query, and names the target table only in front
// of a column, as in t.a.
func (t *target) plain(tokens []sqltoken.Token) bool {
	for i, tok := range tokens {
		if slices.ContainsFunc(queryStarters, tok.Is) {
			return false
		}
		column := i+1 < len(tokens) && tokens[i+1].Is(".") || i > 0 && tokens[i-1].Is(".")
		if tok.IsName() && !column && schema.Fold(tok.Name()) == schema.Fold(t.alias) {
			return false // the table's name alone means the whole row
		}
	}
	return true
}

// keyGiven returns the primary key if all its columns have values, or else the sort key if all its
// columns have values, or else nil. The function given returns the value of a column, or nil.
func keyGiven(t schema.Table, given func(base.ColumnID) arrow.Array) *keyCondition {
	sorted := make([]base.ColumnID, len(t.SortKey))
	for i, f := range t.SortKey {
		sorted[i] = f.Column
	}
	for _, columns := range [][]base.ColumnID{t.PrimaryKey, sorted} {
		k := &keyCondition{columns: columns}
		for _, id := range columns {
			if one := given(id); one != nil {
				k.values = append(k.values, one)
			}
		}
		if len(columns) > 0 && len(k.values) == len(columns) {
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

// functions lists names that DuckDB reads as a function call without brackets, even if the table
// has a column of that name.
var functions = []string{"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "current_role",
	"session_user", "user", "current_catalog", "current_schema", "true", "false", "null", "default"}

// equality parses a condition of the form column = value or value = column. The value must be a
// single token.
func equality(t target, c []sqltoken.Token) (column schema.Column, value sqltoken.Token, ok bool) {
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
	if len(name) == 3 && name[0].IsName() && name[1].Is(".") && schema.Fold(name[0].Name()) == schema.Fold(t.alias) {
		name = name[2:]
	} else if len(name) == 1 && slices.ContainsFunc(functions, name[0].Is) {
		return column, value, false
	}
	if len(name) != 1 || !name[0].IsName() {
		return column, value, false
	}
	i := t.table.ColumnIndex(name[0].Name())
	if i < 0 {
		return column, value, false
	}
	return t.table.Columns[i], other[0], true
}

func isConstant(t sqltoken.Token) bool {
	return t.Kind == sqltoken.Number || t.Kind == sqltoken.String || t.Kind == sqltoken.Parameter
}

// valueOf returns the value of a literal or parameter: an int64 for a whole number, a string for
// text, and for a parameter its argument as it is. It returns nil for other literals.
func (x *dmlStatement) valueOf(t sqltoken.Token) any {
	switch t.Kind {
	case sqltoken.Parameter:
		return argument(x.c.tokens(), x.req.Args, t)
	case sqltoken.Number:
		if n, err := strconv.ParseInt(t.Text(), 10, 64); err == nil && isDigits(t.Text()) {
			return n
		}
	case sqltoken.String:
		if text, ok := plainText(t); ok {
			return text
		}
	}
	return nil
}

// The function stored converts a value to an array of length 1 of the type t. It returns nil if t
// cannot represent the value exactly. If t can represent it, DuckDB converts the value to t too
// when it compares it with a column of type t.
func stored(t schema.Type, value any) arrow.Array {
	if text, ok := value.(string); ok && t.Kind == schema.Varchar {
		return arrayOf(array.NewStringBuilder, text)
	}
	n, ok := whole(value)
	if !ok {
		return nil
	}
	within := func(least, most int64) bool { return least <= n && n <= most }
	switch {
	case t.Kind == schema.TinyInt && within(math.MinInt8, math.MaxInt8):
		return arrayOf(array.NewInt8Builder, int8(n))
	case t.Kind == schema.SmallInt && within(math.MinInt16, math.MaxInt16):
		return arrayOf(array.NewInt16Builder, int16(n))
	case t.Kind == schema.Integer && within(math.MinInt32, math.MaxInt32):
		return arrayOf(array.NewInt32Builder, int32(n))
	case t.Kind == schema.BigInt:
		return arrayOf(array.NewInt64Builder, n)
	case t.Kind == schema.UTinyInt && within(0, math.MaxUint8):
		return arrayOf(array.NewUint8Builder, uint8(n))
	case t.Kind == schema.USmallInt && within(0, math.MaxUint16):
		return arrayOf(array.NewUint16Builder, uint16(n))
	case t.Kind == schema.UInteger && within(0, math.MaxUint32):
		return arrayOf(array.NewUint32Builder, uint32(n))
	case t.Kind == schema.UBigInt && n >= 0:
		return arrayOf(array.NewUint64Builder, uint64(n))
	}
	return nil
}

func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// builder has the methods of an Arrow array builder that arrayOf needs.
type builder[T any] interface {
	Append(T)
	NewArray() arrow.Array
}

// arrayOf returns an array of length 1 with the value.
func arrayOf[T any, B builder[T]](newBuilder func(memory.Allocator) B, value T) arrow.Array {
	b := newBuilder(memory.DefaultAllocator)
	b.Append(value)
	return b.NewArray()
}

// isDigits reports whether a text is not empty and has only digits.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// decimal returns the digits of a number token before its decimal point and behind it. ok is false
// if the token has no decimal point or is not a number.
func decimal(t sqltoken.Token) (before, behind string, ok bool) {
	before, behind, ok = strings.Cut(t.Text(), ".")
	return before, behind, ok && t.Kind == sqltoken.Number && isDigits(before) && isDigits(behind)
}

// most64 is the largest width (number of digits) of a DECIMAL that fits into 64 bits.
const most64 = 18

// assigned returns a literal or parameter as a constant that is assigned to a column. The argument
// column is the type of that column. If that type can represent the value exactly, the constant has
// that type. Otherwise it has the type that the function typed finds. negative says that the token
// has a minus sign before it, as in -1.
func (x *dmlStatement) assigned(column schema.Type, t sqltoken.Token, negative bool) *constant {
	value := x.valueOf(t)
	if one := stored(column, value); one != nil && !(negative && unsigned(column.Kind)) {
		return &constant{sqlquery.Constant{Type: column, Value: one}, "%s"}
	}
	if column.Kind == schema.Decimal && column.Width <= most64 {
		before, behind, ok := decimal(t)
		if n, whole := whole(value); whole && n >= 0 {
			before, behind, ok = strconv.FormatInt(n, 10), "", true
		}
		if ok && len(before)+int(column.Scale) <= int(column.Width) && len(behind) <= int(column.Scale) {
			n, err := strconv.ParseInt(before+behind+strings.Repeat("0", int(column.Scale)-len(behind)), 10, 64)
			if err == nil {
				b := array.NewDecimal128Builder(memory.DefaultAllocator, column.Arrow().(*arrow.Decimal128Type))
				b.Append(decimal128.FromI64(n))
				return &constant{sqlquery.Constant{Type: column, Value: b.NewArray()}, "%s"}
			}
		}
	}
	return x.typed(t)
}

func unsigned(k schema.Kind) bool {
	return k == schema.UTinyInt || k == schema.USmallInt || k == schema.UInteger || k == schema.UBigInt
}

// plainText returns the content of a string literal in single quotes.
func plainText(t sqltoken.Token) (string, bool) {
	s := t.Text()
	if t.Kind != sqltoken.String || s[0] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), true
}

// typed returns a literal or parameter as a constant with the type that DuckDB would give it. It
// returns nil if that type is not obvious.
func (x *dmlStatement) typed(t sqltoken.Token) *constant {
	of := func(k schema.Kind, value arrow.Array) *constant {
		return &constant{sqlquery.Constant{Type: schema.Type{Kind: k}, Value: value}, "%s"}
	}
	switch value := x.valueOf(t).(type) {
	case string:
		return of(schema.Varchar, arrayOf(array.NewStringBuilder, value))
	case int32:
		return of(schema.Integer, arrayOf(array.NewInt32Builder, value))
	case int64:
		if t.Kind == sqltoken.Number && value <= math.MaxInt32 {
			return of(schema.Integer, arrayOf(array.NewInt32Builder, int32(value)))
		}
		return of(schema.BigInt, arrayOf(array.NewInt64Builder, value))
	case float64:
		return of(schema.Double, arrayOf(array.NewFloat64Builder, value))
	case bool:
		return of(schema.Boolean, arrayOf(array.NewBooleanBuilder, value))
	}
	if before, behind, ok := decimal(t); ok && len(before)+len(behind) <= most64 {
		c := of(schema.Varchar, arrayOf(array.NewStringBuilder, t.Text()))
		c.expression = fmt.Sprintf("CAST(%%s AS DECIMAL(%d, %d))", len(before)+len(behind), len(behind))
		return c
	}
	return nil
}

// findByKey finds the rows of the key that a plan looks for, with an index. It returns their
// addresses, and the snapshot in which they are; the caller must release the snapshot. It returns
// nil if the plan must scan the table instead.
func (x *execution) findByKey(p *rowPlan) (*sqlquery.Located, error) {
	if p.key == nil {
		return nil, nil
	}
	s, err := x.snapshots.DeduplicatedSnapshotAs(x.ctx, x.options.Evolutions, p.table.ID)
	if err != nil {
		return nil, err
	}
	found := &sqlquery.Located{Snapshot: s, Key: map[base.ColumnID]arrow.Array{}}
	for i, id := range p.key.columns {
		found.Key[id] = p.key.values[i]
	}
	for _, c := range p.key.constants {
		found.Constants = append(found.Constants, c.Constant)
	}
	t := s.Tables[p.table.ID]
	// Rows that an index finds are read without applying expression updates (UPDATEs that are
	// stored as SQL). So the table must not have any that a merge still has to apply.
	ok := t.Schema.Version == p.table.Version && len(t.Expressions) == 0
	if ok {
		found.Addresses, ok, err = x.keys.All(t, p.key.columns, p.key.values)
	}
	if err != nil || !ok {
		s.Release()
		return nil, err
	}
	return found, nil
}
