package ndjson

import (
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// declares reports whether the JSON decoder must know that a column has the declared type k,
// because the JSON text of a value does not say enough to decode it correctly.
func declares(k schema.Kind) bool {
	return k == schema.Map || k == schema.JSON || k == schema.Varchar || k == schema.Decimal || k.IsInteger()
}

// member is a column of the previous row, with the declared type of the column.
type member struct {
	column *ingest.Column
	of     *schema.Type
}

// typeOf returns the declared type of column c, which has the given name and is at index i of a
// row. It returns nil if the values can be decoded without the type. Most rows list their columns
// in the same order, so names are rarely compared.
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
