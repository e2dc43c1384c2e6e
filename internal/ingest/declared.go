package ingest

import "github.com/scoterdb/scoter/internal/schema"

// Declared returns the fields that are of some kinds, or have something of these within: a format that cannot say their values has to know their types.
func Declared(fields []schema.Field, kinds func(schema.Kind) bool) []schema.Field {
	var out []schema.Field
	for _, f := range fields {
		if HasKind(f.Type, kinds) {
			out = append(out, f)
		}
	}
	return out
}

// HasKind reports whether a type is of some kinds, or has something of these within.
func HasKind(t schema.Type, kinds func(schema.Kind) bool) bool {
	return kinds(t.Kind) || t.Elem != nil && HasKind(*t.Elem, kinds) || len(Declared(t.Fields, kinds)) > 0
}

// TypeNamed returns the type of the field with a name, nil if there is none.
func TypeNamed(fields []schema.Field, name []byte) *schema.Type {
	for i := range fields {
		if fields[i].Name == string(name) || schema.Fold(fields[i].Name) == schema.Fold(string(name)) {
			return &fields[i].Type
		}
	}
	return nil
}

// EntryOf returns the type of a MAP's entries, sent as {"key": ..., "value": ...}.
func EntryOf(t schema.Type) schema.Type {
	return schema.StructOf(schema.Field{Name: "key", Type: *t.Key}, schema.Field{Name: "value", Type: *t.Elem})
}
