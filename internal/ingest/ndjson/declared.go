package ndjson

import (
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// special returns the fields whose values are not read by what JSON says of them alone.
func special(fields []schema.Field) []schema.Field {
	var out []schema.Field
	for _, f := range fields {
		if isSpecial(f.Type) {
			out = append(out, f)
		}
	}
	return out
}

func isSpecial(t schema.Type) bool {
	switch t.Kind {
	case schema.Map, schema.JSON, schema.Decimal:
		return true
	}
	return isInteger(t.Kind) || t.Elem != nil && isSpecial(*t.Elem) || len(special(t.Fields)) > 0
}

func isInteger(k schema.Kind) bool {
	switch k {
	case schema.TinyInt, schema.SmallInt, schema.Integer, schema.BigInt, schema.HugeInt,
		schema.UTinyInt, schema.USmallInt, schema.UInteger, schema.UBigInt, schema.UHugeInt:
		return true
	}
	return false
}

// typeOf returns the type of one of some fields, nil if it is not among them.
func typeOf(fields []schema.Field, name []byte) *schema.Type {
	for i := range fields {
		if fields[i].Name == string(name) || schema.Fold(fields[i].Name) == schema.Fold(string(name)) {
			return &fields[i].Type
		}
	}
	return nil
}

// member is a row's column, with what typeOf says of it.
type member struct {
	column *ingest.Column
	of     *schema.Type
}

// typeOf returns the type that a row's i-th column is for, nil if that does not matter. Rows name their columns in the same order
// mostly, so that names are hardly ever compared.
func (d *decoder) typeOf(i int, c *ingest.Column, name []byte) *schema.Type {
	if len(d.types) == 0 {
		return nil
	}
	if i < len(d.members) && d.members[i].column == c {
		return d.members[i].of
	}
	m := member{c, typeOf(d.types, name)}
	switch {
	case i < len(d.members):
		d.members[i] = m
	case i == len(d.members):
		d.members = append(d.members, m)
	}
	return m.of
}
