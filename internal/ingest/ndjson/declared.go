package ndjson

import (
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// declares reports whether values of a kind cannot be decoded correctly from JSON alone, without
// the declared type.
func declares(k schema.Kind) bool {
	return k == schema.Map || k == schema.JSON || k == schema.Varchar || k == schema.Decimal || k.IsInteger()
}

// member is a column of a row, with its declared type.
type member struct {
	column *ingest.Column
	of     *schema.Type
}

// typeOf returns the declared type of a row's i-th column, or nil if it does not matter. Most rows
// list their columns in the same order, so names are rarely compared.
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
