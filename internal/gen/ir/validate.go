package ir

import (
	"encoding/json"
	"fmt"
	"io"
)

// Decode reads a module from JSON and validates it.
func Decode(r io.Reader) (*Module, error) {
	var m Module
	if err := json.NewDecoder(r).Decode(&m); err != nil {
		return nil, fmt.Errorf("decode module: %w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &m, nil
}

// Encode writes the module as indented JSON with a final line end. Equal modules give equal bytes.
func (m *Module) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// Enum returns the enum that a Type.Ref refers to, or nil.
func (m *Module) Enum(ref string) *Enum {
	for i := range m.Enums {
		if m.Enums[i].Ref == ref {
			return &m.Enums[i]
		}
	}
	return nil
}

// Struct returns the struct that a Type.Ref refers to, or nil.
func (m *Module) Struct(ref string) *Struct {
	for i := range m.Structs {
		if m.Structs[i].Ref == ref {
			return &m.Structs[i]
		}
	}
	return nil
}

// Row returns the row type that a query or table refers to, or nil.
func (m *Module) Row(ref string) *Row {
	for i := range m.Rows {
		if m.Rows[i].Ref == ref {
			return &m.Rows[i]
		}
	}
	return nil
}

// Validate returns an error for the first violation of the rules of this package. Examples are a
// reference to a missing type, a type without its parts, and two names that become the same
// identifier. An invalid module is a defect of the analysis.
func (m *Module) Validate() error {
	if m.FormatVersion != FormatVersion {
		return fmt.Errorf("module %s: format version %d, this program reads %d", m.Project, m.FormatVersion, FormatVersion)
	}
	types := map[string]string{}
	declare := func(kind string, n Name) error {
		if other, taken := types[n.Key()]; taken {
			return fmt.Errorf("%s %s: %s has the same name", kind, n.Original, other)
		}
		types[n.Key()] = kind + " " + n.Original
		return nil
	}
	for _, e := range m.Enums {
		if err := declare("enum", e.Name); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, v := range e.Values {
			if seen[v.Name.Key()] {
				return fmt.Errorf("enum %s: two values are named %s", e.Ref, v.Name.Snake())
			}
			seen[v.Name.Key()] = true
		}
	}
	for _, s := range m.Structs {
		if err := declare("struct", s.Name); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, f := range s.Fields {
			if seen[f.Name.Key()] {
				return fmt.Errorf("struct %s: two fields are named %s", s.Ref, f.Name.Snake())
			}
			seen[f.Name.Key()] = true
			if err := m.checkType(f.Type); err != nil {
				return fmt.Errorf("struct %s field %s: %w", s.Ref, f.Name.Original, err)
			}
		}
	}
	for _, r := range m.Rows {
		if err := declare("row", r.Name); err != nil {
			return err
		}
		if err := m.checkColumns(r.Columns); err != nil {
			return fmt.Errorf("row %s: %w", r.Ref, err)
		}
	}
	seen := map[string]bool{}
	for _, q := range m.Queries {
		if seen[q.Name.Key()] {
			return fmt.Errorf("query %s: the name is taken", q.Name.Original)
		}
		seen[q.Name.Key()] = true
		if err := m.checkQuery(&q); err != nil {
			return fmt.Errorf("query %s: %w", q.Name.Original, err)
		}
	}
	for _, t := range m.Tables {
		if err := m.checkTable(&t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name.Original, err)
		}
	}
	return nil
}

func (m *Module) checkColumns(columns []Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.Name.Key()] {
			return fmt.Errorf("two columns are named %s", c.Name.Snake())
		}
		seen[c.Name.Key()] = true
		if err := m.checkType(c.Type); err != nil {
			return fmt.Errorf("column %s: %w", c.Name.Original, err)
		}
	}
	return nil
}

func (m *Module) checkQuery(q *Query) error {
	used := make([]bool, len(q.Params))
	for _, s := range q.Segments {
		switch s.Kind {
		case Code, Quoted:
			if s.Text == "" {
				return fmt.Errorf("a segment is empty")
			}
		case ParamRef:
			if s.Param < 0 || s.Param >= len(q.Params) {
				return fmt.Errorf("a segment refers to parameter %d of %d", s.Param, len(q.Params))
			}
			used[s.Param] = true
		default:
			return fmt.Errorf("segment kind %q", s.Kind)
		}
	}
	for i, p := range q.Params {
		if !used[i] {
			return fmt.Errorf("parameter %s is not used", p.Name.Original)
		}
		if err := m.checkType(p.Type); err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name.Original, err)
		}
	}
	if q.Verb == VerbExec {
		if len(q.Columns) != 0 || q.Row != "" || q.Cardinality != "" || q.Pluck {
			return fmt.Errorf("an exec has no result")
		}
		return nil
	}
	if q.Cardinality != One && q.Cardinality != All {
		return fmt.Errorf("cardinality %q", q.Cardinality)
	}
	if q.Pluck {
		if len(q.Columns) != 1 || q.Row != "" {
			return fmt.Errorf("a plucked query has one column and no row type")
		}
		return m.checkColumns(q.Columns)
	}
	row := m.Row(q.Row)
	if row == nil {
		return fmt.Errorf("row type %q does not exist", q.Row)
	}
	if len(row.Columns) != len(q.Columns) {
		return fmt.Errorf("row type %s has another number of columns", q.Row)
	}
	for i, c := range q.Columns {
		if !sameShape(c, row.Columns[i]) {
			return fmt.Errorf("column %s differs from row type %s", c.Name.Original, q.Row)
		}
	}
	return nil
}

// sameShape reports whether two columns are equal except for their origin.
func sameShape(a, b Column) bool {
	return a.Name.Original == b.Name.Original && a.Nullable == b.Nullable && a.Type.Equal(b.Type)
}

func (m *Module) checkTable(t *Table) error {
	for _, c := range t.Columns {
		if err := m.checkType(c.Type); err != nil {
			return fmt.Errorf("column %s: %w", c.Name.Original, err)
		}
	}
	check := func(ref string, want []int) error {
		row := m.Row(ref)
		if row == nil || len(row.Columns) != len(want) {
			return fmt.Errorf("row type %q does not fit", ref)
		}
		for i, at := range want {
			if at < 0 || at >= len(t.Columns) || row.Columns[i].Name.Original != t.Columns[at].Name.Original {
				return fmt.Errorf("row type %q: column %d does not fit", ref, i)
			}
		}
		return nil
	}
	for _, op := range t.Ops {
		var err error
		switch op {
		case OpAppender, OpInsert:
			err = check(t.InsertRow, t.Insert)
		case OpUpdate:
			err = check(t.UpdateRow, append(append([]int{}, t.Key...), t.Set...))
		case OpDelete:
			err = check(t.KeyRow, t.Key)
		case OpUpsert:
			if err = check(t.InsertRow, t.Insert); err == nil && !t.KeyUnique && m.Engine != DuckDB {
				err = fmt.Errorf("the key is not unique")
			}
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			return fmt.Errorf("operation %s: %w", op, err)
		}
	}
	return nil
}

func (m *Module) checkType(t Type) (err error) {
	t.Walk(func(t Type) {
		switch {
		case err != nil:
		case !known[t.Kind]:
			err = fmt.Errorf("type kind %q", t.Kind)
		case t.Kind == EnumKind && m.Enum(t.Ref) == nil:
			err = fmt.Errorf("enum %q does not exist", t.Ref)
		case t.Kind == StructKind && m.Struct(t.Ref) == nil:
			err = fmt.Errorf("struct %q does not exist", t.Ref)
		case (t.Kind == List || t.Kind == Array || t.Kind == Map) && t.Elem == nil:
			err = fmt.Errorf("a %s without an element type", t.Kind)
		case t.Kind == Map && t.Key == nil:
			err = fmt.Errorf("a map without a key type")
		}
	})
	return err
}
