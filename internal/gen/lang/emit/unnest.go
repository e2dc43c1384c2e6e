package emit

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// limited matches the names of PostgreSQL types with a maximum length. A cast to such a type
// truncates longer values, while an assignment of a longer value fails.
var limited = regexp.MustCompile(`^(character varying|character|bit varying|bit)\(\d+\)$`)

// unlimited maps the name of each PostgreSQL type with a maximum length to a name of the same type
// without one. For "character" that is "bpchar", because "character" alone has the length 1.
var unlimited = map[string]string{"character varying": "varchar", "character": "bpchar", "bit varying": "varbit", "bit": "varbit"}

// UnnestSQL returns a bulk operation on a PostgreSQL table as one statement. The statement has one
// parameter for each column: an array with the column's values of all rows. mark returns the
// placeholder of parameter n, counted from 1. If several rows have the same key, the last one wins.
//
// The result is "" if a single statement would give other results than a temporary table does. That
// is so in two cases:
//   - An update or delete has a key column whose type has a maximum length: only the temporary
//     table would refuse longer values.
//   - A column has composite values, which unnest takes apart.
func UnnestSQL(t *ir.Table, op ir.Op, mark func(n int) string) string {
	b := BulkSQL(ir.Postgres, t, op)
	const stage, position = "s", `"_scoter_n"`
	name := func(i int) string { return t.Columns[i].SQLName }
	var arrays, names []string
	for n, i := range b.Columns {
		if t.Columns[i].Type.Kind == ir.StructKind {
			return ""
		}
		native := t.Columns[i].Type.Native
		if m := limited.FindStringSubmatch(native); m != nil {
			native = unlimited[m[1]]
		}
		// The parameter for a column of arrays would be an array of arrays, and unnest would take
		// the inner arrays apart. So the inner arrays are passed as text.
		if t.Columns[i].Type.Kind == ir.List {
			native = "text"
		}
		arrays, names = append(arrays, "CAST("+mark(n+1)+" AS "+native+"[])"), append(names, name(i))
	}
	value := func(i int) string {
		if t.Columns[i].Type.Kind == ir.List {
			return "CAST(" + stage + "." + name(i) + " AS " + t.Columns[i].Type.Native + ")"
		}
		return stage + "." + name(i)
	}
	list := func(at []int, f func(int) string, sep string) string {
		var parts []string
		for _, i := range at {
			parts = append(parts, f(i))
		}
		return strings.Join(parts, sep)
	}
	unnest := "unnest(" + strings.Join(arrays, ", ") + ")"
	columns := strings.Join(names, ", ")
	if op == ir.OpAppender || op == ir.OpInsert {
		return "INSERT INTO " + b.Target + " SELECT " + list(b.Columns, value, ", ") + " FROM " + unnest + " AS " + stage + " (" + columns + ")"
	}
	for _, k := range t.Key {
		if op != ir.OpUpsert && limited.MatchString(t.Columns[k].Type.Native) {
			return ""
		}
	}
	match := " WHERE " + list(t.Key, func(i int) string { return equal(ir.Postgres, t.Columns[i].Nullable, "t."+name(i), value(i)) }, " AND ")
	if op == ir.OpDelete {
		return "DELETE FROM " + t.SQLName + " AS t USING " + unnest + " AS " + stage + " (" + columns + ")" + match
	}
	keys := list(t.Key, value, ", ")
	last := "SELECT DISTINCT ON (" + keys + ") * FROM " + unnest + " WITH ORDINALITY AS " + stage + " (" + columns + ", " + position + ") ORDER BY " +
		keys + ", " + stage + "." + position + " DESC"
	if op == ir.OpUpdate {
		return "UPDATE " + t.SQLName + " AS t SET " + list(t.Set, func(i int) string { return name(i) + " = " + value(i) }, ", ") +
			" FROM (" + last + ") AS " + stage + match
	}
	_, conflict, _ := strings.Cut(b.Apply, ` FROM "`+b.TempTable+`"`)
	return "INSERT INTO " + b.Target + " SELECT " + list(b.Columns, value, ", ") + " FROM (" + last + ") AS " + stage + " ORDER BY " + stage + "." + position + conflict
}

// equal returns a condition in the engine's SQL that compares left and right, two values of a key
// column. If nullable is set, NULL equals NULL.
func equal(e ir.Engine, nullable bool, left, right string) string {
	switch {
	case !nullable:
		return left + " = " + right
	case e == ir.SQLite:
		return left + " IS " + right
	case e != ir.Postgres:
		return left + " IS NOT DISTINCT FROM " + right
	}
	// For IS NOT DISTINCT FROM, PostgreSQL cannot use a hash, sort or index, and so compares every
	// row with every other row. But it can hash and sort arrays, in which NULL equals NULL. So the
	// first part of the condition compares arrays with one value. The second part gives the exact
	// result, and can use an index.
	return "ARRAY[" + left + "] = ARRAY[" + right + "] AND (" + left + " = " + right + " OR " + left + " IS NULL AND " + right + " IS NULL)"
}

// DollarMark returns the numbered placeholder of parameter n, such as `$1`.
func DollarMark(n int) string { return "$" + strconv.Itoa(n) }

// QuestionMark returns the placeholder `?`, which is the same for all parameters.
func QuestionMark(int) string { return "?" }
