package golang

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// check returns an Invalid error if the code for a module would not be valid Go, or would read
// values incorrectly.
func check(p *emit.Plan) error {
	if err := checkNames(p); err != nil {
		return err
	}
	if err := checkKeys(p); err != nil {
		return err
	}
	if p.Module.Engine == ir.DuckDB || p.Module.Engine == ir.Scoter {
		return p.CheckText("Go", ir.JSON, func(q *emit.Query) bool { return q.Statement == ir.StatementSelect })
	}
	return nil
}

// checkNames returns an error if two fields of a type, or two names of the package, would be the
// same in Go.
func checkNames(p *emit.Plan) error {
	names := emit.NewScope(slices.Concat(runtimeNames, p.Attach, []string{p.Class, "New" + p.Class, "Get" + p.Class + "Migrations", "Apply" + p.Class + "Migrations"})...)
	declare := func(owner, name string, fields []ir.Name) error {
		if _, err := names.Derived(owner, name); err != nil {
			return err
		}
		scope := emit.NewScope()
		for _, f := range fields {
			if _, err := scope.Derived(owner+", column "+f.Original, emit.Field(emit.Go, f)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range p.Module.Structs {
		if err := declare("struct "+s.Name.Original, p.StructType(s.Ref), namesOf(s.Fields, func(f ir.Field) ir.Name { return f.Name })); err != nil {
			return err
		}
	}
	column := func(c ir.Column) ir.Name { return c.Name }
	for _, r := range p.Module.Rows {
		if err := declare("row "+r.Name.Original, p.RowType(r.Ref), namesOf(r.Columns, column)); err != nil {
			return err
		}
	}
	for _, q := range p.Queries {
		if q.Batch == "" {
			continue
		}
		if err := declare("query "+q.Name.Original, q.BatchRow, namesOf(params(*q.Query), column)); err != nil {
			return err
		}
	}
	for _, e := range p.Module.Enums {
		if err := declare("enum "+e.Name.Original, p.EnumType(e.Ref), nil); err != nil {
			return err
		}
	}
	for _, e := range p.Module.Enums {
		for _, v := range e.Values {
			if err := declare("label "+v.Value+" of enum "+e.Name.Original, enumConstant(p, e, v), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func namesOf[T any](all []T, name func(T) ir.Name) (names []ir.Name) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

// enumConstant returns the name of the Go constant for v, a label of the enum e.
func enumConstant(p *emit.Plan, e ir.Enum, v ir.EnumValue) string {
	return p.EnumType(e.Ref) + v.Name.Pascal()
}

// checkKeys returns an error for a map type whose keys cannot be keys of a Go map, or could not be
// found in it.
func checkKeys(p *emit.Plan) (err error) {
	look := func(owner string, t ir.Type) {
		t.Walk(func(t ir.Type) {
			if err == nil && t.Kind == ir.Map && !isKey(t.Key.Kind) {
				err = base.Errorf(base.Invalid, "%s: %s: a Go map cannot have keys of this type", owner, t.Native).WithHint("CAST it, to a list of its entries or to keys of text")
			}
		})
	}
	for _, q := range p.Module.Queries {
		for _, c := range append(q.Columns[:len(q.Columns):len(q.Columns)], params(q)...) {
			look("query "+q.Name.Original+", "+c.Name.Original, c.Type)
		}
	}
	for _, r := range p.Module.Rows {
		for _, c := range r.Columns {
			look("row "+r.Name.Original+", column "+c.Name.Original, c.Type)
		}
	}
	for _, s := range p.Module.Structs {
		for _, f := range s.Fields {
			look("struct "+s.Name.Original+", field "+f.Name.Original, f.Type)
		}
	}
	return err
}

func params(q ir.Query) (columns []ir.Column) {
	for _, p := range q.Params {
		columns = append(columns, ir.Column{Name: p.Name, Type: p.Type})
	}
	return columns
}

// isKey reports whether values of a kind can be keys of a Go map. Slices and maps cannot, and a
// value of the kind Any may contain a slice. Pointers are refused, because Go compares them by
// address, so a key would not be found again. Large numbers are pointers. So are struct fields that
// may be NULL, and in DuckDB all fields may be NULL.
func isKey(k ir.Kind) bool {
	switch k {
	case ir.Blob, ir.JSON, ir.List, ir.Array, ir.Map, ir.Int128, ir.Uint128, ir.StructKind, ir.Any:
		return false
	}
	return true
}
