package ingest

import "github.com/scoterdb/scoter/internal/schema"

// Declared returns the fields whose declared types a decoder needs, because its format cannot
// express all their values. A type is needed if the function kinds returns true for its kind, or
// for the kind of a type inside of it.
func Declared(fields []schema.Field, kinds func(schema.Kind) bool) []schema.Field {
	var out []schema.Field
	for _, f := range fields {
		if HasKind(f.Type, kinds) {
			out = append(out, f)
		}
	}
	return out
}

// HasKind reports whether the function kinds returns true for the kind of type t, or for that of a
// type inside of t.
func HasKind(t schema.Type, kinds func(schema.Kind) bool) bool {
	return kinds(t.Kind) || t.Elem != nil && HasKind(*t.Elem, kinds) || len(Declared(t.Fields, kinds)) > 0
}

// TypeNamed returns the type of the field with the given name, or nil if there is none. A field
// whose name differs only in case also matches.
func TypeNamed(fields []schema.Field, name []byte) *schema.Type {
	for i := range fields {
		if fields[i].Name == string(name) || schema.Fold(fields[i].Name) == schema.Fold(string(name)) {
			return &fields[i].Type
		}
	}
	return nil
}

// EntryOf returns the type of the entries of the MAP type t. An entry is sent as {"key": ...,
// "value": ...}.
func EntryOf(t schema.Type) schema.Type {
	return schema.StructOf(schema.Field{Name: "key", Type: *t.Key}, schema.Field{Name: "value", Type: *t.Elem})
}
