package ndjson

import (
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// declares reports whether a decoder of JSON must know the declared type k of a column. It must if
// JSON alone does not say enough to decode the values correctly.
func declares(k schema.Kind) bool {
	return k == schema.Map || k == schema.JSON || k == schema.Varchar || k == schema.Decimal || k.IsInteger()
}

// member is a column that a row has, with its declared type.
type member struct {
	column *ingest.Column
	of     *schema.Type
}

// typeOf returns the declared type of column c, the i-th of a row. It returns nil if values can be
// decoded without the type. Most rows list their columns in the same order, so names are rarely
// compared.
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
