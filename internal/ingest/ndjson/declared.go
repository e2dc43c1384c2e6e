package ndjson

import (
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// declares reports whether values of a kind are not read by what JSON says of them alone.
func declares(k schema.Kind) bool {
	return k == schema.Map || k == schema.JSON || k == schema.Varchar || k == schema.Decimal || k.IsInteger()
}

// member is a row's column, with the type that it is for.
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
	m := member{c, ingest.TypeNamed(d.types, name)}
	switch {
	case i < len(d.members):
		d.members[i] = m
	case i == len(d.members):
		d.members = append(d.members, m)
	}
	return m.of
}
