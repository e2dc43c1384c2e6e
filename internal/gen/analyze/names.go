package analyze

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// names declares the types of a module. It names rows, enums and structs, and keeps all names
// distinct. Enums, structs and rows of tables that have the same shape share one type.
type names struct {
	module *ir.Module
	taken  map[string]bool
	// tableRows maps a purpose and a shape to the Ref of a row that a table's operations take.
	tableRows map[string]string
	// apart gives every query and table its own row types, even if shapes are equal.
	apart bool
	enums map[string]string
	// structs maps a shape to its Ref.
	structs map[string]string
}

func newNames(m *ir.Module, apart bool) *names {
	return &names{module: m, apart: apart, taken: map[string]bool{}, tableRows: map[string]string{}, enums: map[string]string{}, structs: map[string]string{}}
}

// free returns the name, or the name with the first free number after it.
func (n *names) free(name ir.Name) ir.Name {
	candidate := name
	for i := 2; n.taken[candidate.Key()]; i++ {
		candidate = name.With(strconv.Itoa(i))
	}
	n.taken[candidate.Key()] = true
	return candidate
}

// shape returns equal texts for rows that can share a type.
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

// explicitRow declares a row type under the user's name and returns its Ref. If the same row
// already has the same name in code, it returns that Ref. If the name belongs to another row, an
// enum or a struct, clash says what it is.
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

// insertRows is the purpose of rows that are inserted into a table. Only these row types are shared
// with queries, so that a row that was read can be written back.
const insertRows = "insert"

// tableRow returns the row type that a table's operation takes. It declares the type under name if
// there is none for the purpose and shape.
func (n *names) tableRow(purpose string, name ir.Name, columns []ir.Column) string {
	s := purpose + " " + shape(columns)
	if ref, ok := n.tableRows[s]; ok && !n.apart {
		return ref
	}
	ref := n.declare(name, columns)
	n.tableRows[s] = ref
	return ref
}

// queryRow returns the row type of a query. If the rows that are inserted into a table have the
// same shape, it is their type. Otherwise the query gets its own type. Queries do not share types
// with each other, so that deleting a query does not change the type of another one.
func (n *names) queryRow(name ir.Name, columns []ir.Column) string {
	if ref, ok := n.tableRows[insertRows+" "+shape(columns)]; ok && !n.apart {
		return ref
	}
	return n.declare(name, columns)
}

// declare adds a row type under the name, or under the first free name like it.
func (n *names) declare(name ir.Name, columns []ir.Column) string {
	name = n.free(name)
	ref := name.Snake()
	n.module.Rows = append(n.module.Rows, ir.Row{Ref: ref, Name: name, Columns: columns})
	return ref
}

// typ converts a type. hint is the name of a struct or enum that has none.
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
	name := n.free(typeName(t, hint))
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
	s.Name = n.free(typeName(t, hint))
	s.Ref = s.Name.Snake()
	n.structs[key] = s.Ref
	n.module.Structs = append(n.module.Structs, s)
	return s.Ref
}
