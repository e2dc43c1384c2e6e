package ingest

import "github.com/scoterdb/scoter/internal/schema"

// Declared returns the fields whose type satisfies kinds, or contains a type that does. Some
// formats cannot express values of such types, so their decoders need the declared type.
func Declared(fields []schema.Field, kinds func(schema.Kind) bool) []schema.Field {
	var out []schema.Field
	for _, f := range fields {
		if HasKind(f.Type, kinds) {
			out = append(out, f)
		}
	}
	return out
}

// HasKind reports whether kinds holds for t, or for a type that t contains.
func HasKind(t schema.Type, kinds func(schema.Kind) bool) bool {
	return kinds(t.Kind) || t.Elem != nil && HasKind(*t.Elem, kinds) || len(Declared(t.Fields, kinds)) > 0
}

// TypeNamed returns the type of the field with the given name, or nil if there is none. Names are
// also compared after case folding.
func TypeNamed(fields []schema.Field, name []byte) *schema.Type {
	for i := range fields {
		if fields[i].Name == string(name) || schema.Fold(fields[i].Name) == schema.Fold(string(name)) {
			return &fields[i].Type
		}
	}
	return nil
}

// EntryOf returns the type of the entries of a MAP of type t. They are sent as {"key": ...,
// "value": ...}.
func EntryOf(t schema.Type) schema.Type {
	return schema.StructOf(schema.Field{Name: "key", Type: *t.Key}, schema.Field{Name: "value", Type: *t.Elem})
}
