package analyze

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// names declares the types that a module needs: row types, enums and structs. It gives each type a
// name that no other type has in generated code. Enums with the same shape share one type. So do
// structs with the same shape, and the rows of tables with the same shape.
type names struct {
	module *ir.Module
	taken  map[string]bool
	// tableRows has the Refs of the row types that bulk methods of tables take. The key consists of
	// the purpose of the row (such as insertRows) and its shape.
	tableRows map[string]string
	// separateRowTypes means that every query and table gets row types of its own, even if another
	// query or table has equal columns. shareNamed means that a table takes a row type that the
	// user named with `:result=`, if the name and the columns are those of the table's rows.
	separateRowTypes, shareNamed bool
	enums                        map[string]string
	// structs has the Ref of each declared struct. The key is the struct's shape.
	structs map[string]string
}

func newNames(m *ir.Module, input Input) *names {
	return &names{
		module: m, separateRowTypes: input.SeparateRowTypes || input.QueryRows, shareNamed: input.QueryRows,
		taken: map[string]bool{}, tableRows: map[string]string{}, enums: map[string]string{}, structs: map[string]string{},
	}
}

// uniqueName returns a name that no type has yet: the given name, or this name with the first
// number that makes it free.
func (n *names) uniqueName(name ir.Name) ir.Name {
	candidate := name
	for i := 2; n.taken[candidate.Key()]; i++ {
		candidate = name.With(strconv.Itoa(i))
	}
	n.taken[candidate.Key()] = true
	return candidate
}

// shape returns a text for the columns of a row. Two rows can share a type if and only if their
// texts are equal.
func shape(columns []ir.Column) string {
	var b strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&b, "%q %v %s;", c.Name.Original, c.Nullable, typeShape(c.Type))
	}
	return b.String()
}

func typeShape(t ir.Type) string {
	var b strings.Builder
	t.Walk(func(t ir.Type) {
		fmt.Fprintf(&b, "%s %q %d %d %s %q %v %d,", t.Kind, t.Native, t.Precision, t.Scale, t.Unit, t.Ref, t.ElemNullable, t.Length)
	})
	return b.String()
}

// explicitRow declares a row type with a name that the user chose, and returns its Ref. If a row
// type with equal columns has this name already, it returns the Ref of that type. If another row
// type, an enum or a struct has this name, the result clash says what it is.
func (n *names) explicitRow(name ir.Name, columns []ir.Column) (ref, clash string) {
	s := shape(columns)
	for _, r := range n.module.Rows {
		switch {
		case !r.Name.Same(name):
		case shape(r.Columns) == s:
			return r.Ref, ""
		default:
			return "", fmt.Sprintf("names two different rows: %s and %s", describeRow(r.Columns), describeRow(columns))
		}
	}
	if n.taken[name.Key()] {
		return "", "is the name of a type of the database, too"
	}
	n.taken[name.Key()] = true
	n.module.Rows = append(n.module.Rows, ir.Row{Ref: name.Snake(), Name: name, Explicit: true, Columns: columns})
	return name.Snake(), ""
}

// insertRows is the purpose of row types for rows that are inserted into a table. Only these row
// types are shared with queries, so that a row that a query returned can be written back.
const insertRows = "insert"

// tableRow returns the Ref of the row type that a bulk method of a table takes. If there is no row
// type with this purpose and these columns yet, it declares one with the given name.
func (n *names) tableRow(purpose string, name ir.Name, columns []ir.Column) string {
	s := purpose + " " + shape(columns)
	if ref, ok := n.tableRows[s]; ok && !n.separateRowTypes {
		return ref
	}
	if n.shareNamed {
		for _, r := range n.module.Rows {
			if r.Explicit && r.Name.Same(name) && shape(r.Columns) == shape(columns) {
				return r.Ref
			}
		}
	}
	ref := n.declare(name, columns)
	n.tableRows[s] = ref
	return ref
}

// queryRow returns the Ref of a query's row type. If a table's insert takes rows with the same
// columns, the query gets the row type of that insert. Otherwise queryRow declares a row type with
// the given name. Queries do not share types with each other, so deleting a query does not change
// the type of another query.
func (n *names) queryRow(name ir.Name, columns []ir.Column) string {
	if ref, ok := n.tableRows[insertRows+" "+shape(columns)]; ok && !n.separateRowTypes {
		return ref
	}
	return n.declare(name, columns)
}

// declare adds a row type with the given name and columns, and returns its Ref. If the name is
// taken, a number is appended.
func (n *names) declare(name ir.Name, columns []ir.Column) string {
	name = n.uniqueName(name)
	ref := name.Snake()
	n.module.Rows = append(n.module.Rows, ir.Row{Ref: ref, Name: name, Columns: columns})
	return ref
}

// typ converts t, a type of this package, to a type of package ir. It declares the enums and
// structs in it. The argument hint is the name to give to an enum or struct that has none.
func (n *names) typ(t Type, hint string) ir.Type {
	out := ir.Type{
		Kind: t.Kind, Native: t.Native, Precision: t.Precision, Scale: t.Scale, Unit: t.Unit,
		ElemNullable: t.ElemNullable, Length: t.Length,
	}
	if t.Elem != nil {
		elem := n.typ(*t.Elem, hint)
		out.Elem = &elem
	}
	if t.Key != nil {
		key := n.typ(*t.Key, hint+"_key")
		out.Key = &key
	}
	switch t.Kind {
	case ir.EnumKind:
		out.Ref = n.enum(t, hint)
	case ir.StructKind:
		out.Ref = n.structure(t, hint)
	}
	return out
}

func typeName(t Type, hint string) ir.Name {
	if t.Name != "" {
		return ir.NewName(t.Name)
	}
	return ir.NewName(ir.NewName(hint).Snake())
}

func (n *names) enum(t Type, hint string) string {
	key := fmt.Sprintf("%q %q %q", t.Schema, t.Name, t.Values)
	if ref, ok := n.enums[key]; ok {
		return ref
	}
	name := n.uniqueName(typeName(t, hint))
	e := ir.Enum{Name: name, Ref: name.Snake()}
	if t.Name != "" {
		e.Native = t.Native
	}
	taken := map[string]bool{}
	for i, v := range t.Values {
		value := ir.NewName(v)
		if strings.Trim(v, " \t") == "" {
			value = ir.Name{Original: v, Words: []string{"empty"}}
		} else if len(value.Words) == 1 && value.Words[0] == "x" && !strings.EqualFold(strings.TrimSpace(v), "x") {
			value.Words = []string{"value", strconv.Itoa(i + 1)}
		}
		base := value.Words
		for j := 2; taken[value.Key()]; j++ {
			value.Words = append(append([]string{}, base...), strconv.Itoa(j))
		}
		taken[value.Key()] = true
		e.Values = append(e.Values, ir.EnumValue{Value: v, Name: value})
	}
	n.enums[key] = e.Ref
	n.module.Enums = append(n.module.Enums, e)
	return e.Ref
}

func (n *names) structure(t Type, hint string) string {
	s := ir.Struct{Native: t.Native}
	taken := map[string]bool{}
	key := fmt.Sprintf("%q %q ", t.Schema, t.Name)
	for i, f := range t.Fields {
		name := ir.NewName(f.Name)
		if f.Name == "" {
			name = ir.NewName("f" + strconv.Itoa(i+1))
		}
		base := name.Words
		for j := 2; taken[name.Key()]; j++ {
			name.Words = append(append([]string{}, base...), strconv.Itoa(j))
		}
		taken[name.Key()] = true
		field := ir.Field{Name: name, Unnamed: f.Name == "", Type: n.typ(f.Type, hint+"_"+f.Name), Nullable: f.Nullable}
		key += fmt.Sprintf("%q %v %s;", f.Name, f.Nullable, typeShape(field.Type))
		s.Fields = append(s.Fields, field)
	}
	if ref, ok := n.structs[key]; ok {
		return ref
	}
	s.Name = n.uniqueName(typeName(t, hint))
	s.Ref = s.Name.Snake()
	n.structs[key] = s.Ref
	n.module.Structs = append(n.module.Structs, s)
	return s.Ref
}
