package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// maxColumns is the maximum number of columns of a table. With more columns, file footers and query
// plans cost more than the rows.
const maxColumns = 10_000

// Validate checks all rules for a table's schema that do not depend on other data. It does not
// check SQL texts (defaults, checks). Errors are base.Invalid.
func (t Table) Validate() error {
	for what, name := range map[string]string{"database": t.Database, "schema": t.Schema, "table": t.Name} {
		if err := checkName(what, name); err != nil {
			return err
		}
	}
	if len(t.Columns) == 0 {
		return t.invalid("has no columns")
	}
	if len(t.Columns) > maxColumns {
		return t.invalid("has %d columns: the limit is %d", len(t.Columns), maxColumns)
	}
	names := make(map[string]bool, len(t.Columns))
	ids := make(map[base.ColumnID]int, len(t.Columns))
	for i, c := range t.Columns {
		if err := checkName("column", c.Name); err != nil {
			return base.Wrap(err, "table %s", t.QualifiedName())
		}
		if names[Fold(c.Name)] {
			return t.invalid("has two columns named %q", c.Name)
		}
		names[Fold(c.Name)] = true
		if _, taken := ids[c.ID]; taken || c.ID == 0 || c.ID >= t.NextColumnID {
			return t.invalid("column %q: id %d is taken, zero, or not below the next id %d", c.Name, c.ID, t.NextColumnID)
		}
		ids[c.ID] = i
		if err := c.Type.storable(); err != nil {
			return base.Wrap(err, "table %s: column %q", t.QualifiedName(), c.Name)
		}
	}
	return t.validateKeys(ids)
}

func (t Table) validateKeys(ids map[base.ColumnID]int) error {
	sorted := map[base.ColumnID]bool{}
	for _, f := range t.SortKey {
		i, ok := ids[f.Column]
		if !ok || sorted[f.Column] {
			return t.invalid("sort key names column id %d twice or it does not exist", f.Column)
		}
		sorted[f.Column] = true
		if !t.Columns[i].Type.Sortable() {
			return t.invalid("sort key: column %q of type %s cannot be part of a key", t.Columns[i].Name, t.Columns[i].Type)
		}
	}
	keyed := map[base.ColumnID]bool{}
	for _, id := range t.PrimaryKey {
		i, ok := ids[id]
		if !ok || keyed[id] {
			return t.invalid("primary key names column id %d twice or it does not exist", id)
		}
		keyed[id] = true
		if !t.Columns[i].NotNull {
			return t.invalid("primary key: column %q may be NULL", t.Columns[i].Name)
		}
		if !t.Columns[i].Type.Sortable() {
			return t.invalid("primary key: column %q of type %s cannot be part of a key", t.Columns[i].Name, t.Columns[i].Type)
		}
	}
	if err := t.validateVersioning(ids); err != nil {
		return err
	}
	seen := map[PartitionField]bool{}
	for _, f := range t.PartitionBy {
		i, ok := ids[f.Column]
		if !ok || seen[f] {
			return t.invalid("partitioning names column id %d twice or it does not exist", f.Column)
		}
		seen[f] = true
		if c := t.Columns[i]; !f.Transform.accepts(c.Type.Kind) {
			return t.invalid("partitioning: %s of column %q of type %s", f.Transform, c.Name, c.Type)
		}
	}
	return nil
}

func (t Table) invalid(format string, args ...any) error {
	return base.Wrap(base.Errorf(base.Invalid, format, args...), "table %s", t.QualifiedName())
}

// storable returns an error if no column can have this type.
func (t Type) storable() error {
	switch t.Kind {
	case invalid:
		return base.Errorf(base.Invalid, "no type")
	case Null:
		return base.Errorf(base.Invalid, "a column of type NULL cannot hold anything")
	}
	for _, child := range t.children() {
		if err := child.storable(); err != nil {
			return err
		}
	}
	return nil
}

// children returns the types of the elements, keys, values or fields of a nested type.
func (t Type) children() []Type {
	var all []Type
	if t.Key != nil {
		all = append(all, *t.Key)
	}
	if t.Elem != nil {
		all = append(all, *t.Elem)
	}
	for _, f := range t.Fields {
		all = append(all, f.Type)
	}
	return all
}

// Caseless reports whether the type is an ARRAY or contains one. DuckDB 1.5.5 does not support CASE
// for values of such a type. It supports CASE for lists, so queries put such values into lists
// first.
func (t Type) Caseless() bool {
	return t.Kind == Array || slices.ContainsFunc(t.children(), Type.Caseless)
}

// Sortable reports whether a column of this type can be part of a key. Nested types are not
// sortable. Types whose stored text has no useful order (HUGEINT, INTERVAL, ...) are not sortable
// either. Rows are ordered by stored values, so an ENUM is ordered by its text.
func (t Type) Sortable() bool {
	switch t.Kind {
	case invalid, Null, HugeInt, UHugeInt, Interval, TimeTZ, List, Array, Struct, Map:
		return false
	}
	return true
}

// accepts reports whether the transform of a partitioning can be applied to columns of this kind.
func (t Transform) accepts(k Kind) bool {
	switch k {
	case Date:
		return t <= Day
	case Timestamp, TimestampS, TimestampMS, TimestampNS, TimestampTZ:
		return t <= Hour
	case Float, Double, Interval, TimeTZ, Blob, Bit, List, Array, Struct, Map:
		return false
	}
	return t == Identity
}

func (t Table) quotedName(id base.ColumnID) string {
	if i := t.ColumnByID(id); i >= 0 {
		return Quote(t.Columns[i].Name)
	}
	return Quote("?")
}

// writeClauses writes the clauses that follow the column list in CREATE TABLE.
func (t Table) writeClauses(b *strings.Builder) {
	list := func(keyword string, n int, item func(i int) string) {
		for i := range n {
			if i == 0 {
				b.WriteString("\n" + keyword + " (")
			} else {
				b.WriteString(", ")
			}
			b.WriteString(item(i))
		}
		if n > 0 {
			b.WriteByte(')')
		}
	}
	list("PARTITIONED BY", len(t.PartitionBy), func(i int) string {
		f := t.PartitionBy[i]
		if f.Transform == Identity {
			return t.quotedName(f.Column)
		}
		return f.Transform.String() + "(" + t.quotedName(f.Column) + ")"
	})
	list("SORTED BY", len(t.SortKey), func(i int) string {
		f := t.SortKey[i]
		s := t.quotedName(f.Column)
		if f.Descending {
			s += " DESC"
		}
		if f.NullsFirst {
			s += " NULLS FIRST"
		}
		return s
	})
	options := t.allOptions()
	keys := slices.Sorted(maps.Keys(options))
	list("WITH", len(keys), func(i int) string {
		return Quote(keys[i]) + " = " + QuoteString(options[keys[i]])
	})
}
