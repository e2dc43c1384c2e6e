// Package sqg changes a module so that generated code has the names and rows of SQG 0.23, the SQL
// code generator that Scoter's typed SQL replaces. A program that was written for SQG's code then
// compiles with Scoter's. Only targets of an sqg.yaml are changed.
package sqg

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Adapt changes the names in a module and its target to the names that SQG, the generator that
// Scoter replaces, would give them. It must be called before lang.Plan or lang.Generate. The module
// stays valid: names that were different before stay different.
func Adapt(m *ir.Module, t *ir.Target) {
	splitAll(m)
	split(&t.Name)
	switch t.Language {
	case "java":
		for i := range m.Enums {
			constants(&m.Enums[i])
		}
		leaveOutSerials(m)
		shareTableRows(m)
	case "python":
		leaveOutSerials(m)
		callRows(m)
	}
}

// split makes every run of digits in a name a word of its own, as SQG does (the generator that
// Scoter replaces): `users1` has the words users and 1. That matters only in snake case
// (`users_1`), and for a letter after a digit, which becomes a capital letter.
func split(n *ir.Name) {
	var words []string
	for _, w := range n.Words {
		start := 0
		runes := []rune(w)
		for i := 1; i <= len(runes); i++ {
			if i == len(runes) || unicode.IsDigit(runes[i]) != unicode.IsDigit(runes[i-1]) {
				words = append(words, string(runes[start:i]))
				start = i
			}
		}
	}
	n.Words = words
}

func splitAll(m *ir.Module) {
	columns := func(of []ir.Column) {
		for i := range of {
			split(&of[i].Name)
		}
	}
	for i := range m.Enums {
		split(&m.Enums[i].Name)
	}
	for i := range m.Structs {
		split(&m.Structs[i].Name)
		for j := range m.Structs[i].Fields {
			split(&m.Structs[i].Fields[j].Name)
		}
	}
	for i := range m.Rows {
		split(&m.Rows[i].Name)
		columns(m.Rows[i].Columns)
	}
	for i := range m.Queries {
		q := &m.Queries[i]
		split(&q.Name)
		columns(q.Columns)
		for j := range q.Params {
			split(&q.Params[j].Name)
		}
	}
	for i := range m.Tables {
		split(&m.Tables[i].Name)
		for j := range m.Tables[i].Columns {
			split(&m.Tables[i].Columns[j].Name)
		}
	}
	for i := range m.Sources {
		split(&m.Sources[i].Name)
	}
}

// constants sets the names of the Java constants for an enum's labels. A name is the label in
// capitals, in which words are separated by underscores at all characters that are not ASCII
// letters or digits. If two labels give the same name, a number is appended.
func constants(e *ir.Enum) {
	taken := map[string]bool{}
	for i := range e.Values {
		v := &e.Values[i]
		words := strings.FieldsFunc(strings.ToLower(v.Value), func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z')
		})
		if len(words) == 0 {
			words = v.Name.Words
		}
		v.Name.Words = words
		for n := 2; taken[v.Name.Key()]; n++ {
			v.Name.Words = append(slices.Clone(words), strconv.Itoa(n))
		}
		taken[v.Name.Key()] = true
	}
}

// leaveOutSerials removes the SERIAL and identity columns from some row types: those of tables
// whose only operation is the appender. PostgreSQL then numbers the rows in these columns itself.
func leaveOutSerials(m *ir.Module) {
	if m.Engine != ir.Postgres {
		return
	}
	for i := range m.Tables {
		t := &m.Tables[i]
		if slices.ContainsFunc(t.Ops, func(op ir.Op) bool { return op != ir.OpAppender }) {
			continue
		}
		var insert []int
		var columns []ir.Column
		row := m.Row(t.InsertRow)
		for j, c := range t.Insert {
			if !serial(t.Columns[c]) {
				insert, columns = append(insert, c), append(columns, row.Columns[j])
			}
		}
		if len(insert) > 0 {
			t.Insert, row.Columns = insert, columns
		}
	}
}

// serial reports whether PostgreSQL numbers the rows in a column: a SERIAL or an identity column.
func serial(c ir.TableColumn) bool {
	return c.Generated == ir.IdentityByDefault || strings.HasPrefix(c.Default, "nextval(")
}

// shareTableRows lets a query and a table with an appender share a row type. If the query returns
// exactly the columns of the table, the query gets the row type of the table's appender.
func shareTableRows(m *ir.Module) {
	// Only PostgreSQL and SQLite report to which tables the columns of a query belong.
	if m.Engine != ir.Postgres && m.Engine != ir.SQLite {
		return
	}
	for i := range m.Queries {
		q := &m.Queries[i]
		old := m.Row(q.Row)
		if old == nil || old.Explicit {
			continue
		}
		for _, t := range m.Tables {
			row := m.Row(t.InsertRow)
			if row != nil && len(t.Insert) == len(t.Columns) && isTable(q, &t) && sameColumns(old, row) {
				q.Row = row.Ref
				m.Rows = slices.DeleteFunc(m.Rows, func(r ir.Row) bool { return r.Ref == old.Ref })
				break
			}
		}
	}
}

// isTable reports whether every column that query q returns is a column of table t.
func isTable(q *ir.Query, t *ir.Table) bool {
	return !slices.ContainsFunc(q.Columns, func(c ir.Column) bool { return c.Origin == nil || c.Origin.Table != t.Table })
}

func sameColumns(a, b *ir.Row) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y ir.Column) bool {
		return x.Name.Original == y.Name.Original && x.Nullable == y.Nullable && sameType(x.Type, y.Type)
	})
}

// sameType reports whether two types are equal. It does not compare element types, because these
// are equal if the native types are.
func sameType(a, b ir.Type) bool {
	return a.Kind == b.Kind && a.Native == b.Native && a.Ref == b.Ref && a.Precision == b.Precision && a.Scale == b.Scale && a.Unit == b.Unit
}

// callRows names the row types of queries in Python code as SQG does (the generator that Scoter
// replaces): users_row in place of users_result.
func callRows(m *ir.Module) {
	taken := map[string]bool{}
	for _, r := range m.Rows {
		taken[r.Name.Key()] = true
	}
	for _, q := range m.Queries {
		r := m.Row(q.Row)
		if r == nil || r.Explicit {
			continue
		}
		if name := q.Name.With("row"); !taken[name.Key()] {
			taken[name.Key()] = true
			r.Name = name
		}
	}
}
