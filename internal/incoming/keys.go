package incoming

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// AppendsAsIs reports whether rows are appended to a table as they are, without looking for
// existing rows of the same keys.
func AppendsAsIs(t schema.Table, rows engine.TableRows) bool {
	if rows.Deleting != nil {
		return false
	}
	return len(t.PrimaryKey) == 0 || AppendsWithoutLookup(t, GivenBy(rows, t), rows.WholeRows) && CheckSameColumns(rows, t) == nil
}

// AppendsWithoutLookup reports whether rows are appended to a table that merges on read (its
// queries hide replaced rows), without a look-up of the existing rows of their keys. The argument
// given lists the columns that the sender gave. If the argument whole is true, the other columns
// get their defaults. If it is false, they keep the values of the existing row.
func AppendsWithoutLookup(t schema.Table, given []schema.Column, whole bool) bool {
	return t.MergeOnRead && (whole || len(given) == len(t.Columns))
}

// ChangesPlacement reports whether a change of these columns may change where a row is stored (its
// partition or position). The table has a primary key.
func ChangesPlacement(t schema.Table, columns []schema.Column) bool {
	return slices.ContainsFunc(columns, func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) && t.InKey(c.ID)
	})
}

// KeyColumns returns the ids of the columns with the names in key. If key is empty, it returns the
// ids of the primary key's columns.
func KeyColumns(t schema.Table, key []string) ([]base.ColumnID, error) {
	if len(key) == 0 && len(t.PrimaryKey) == 0 {
		return nil, base.Errorf(base.Invalid, "table %s has no primary key", t.QualifiedName()).WithHint("name the columns by which rows are found: key=a,b")
	}
	ids := slices.Clone(t.PrimaryKey)
	if len(key) > 0 {
		ids = nil
	}
	for _, name := range key {
		i := t.ColumnIndex(name)
		switch {
		case i < 0:
			return nil, base.Errorf(base.Invalid, "neither the table %s nor the rows have the key column %q", t.QualifiedName(), name)
		case !t.Columns[i].Type.Sortable():
			return nil, base.Errorf(base.Invalid, "column %q of type %s cannot be part of a key", name, t.Columns[i].Type)
		case slices.Contains(ids, t.Columns[i].ID):
			return nil, base.Errorf(base.Invalid, "the key names column %q twice", name)
		}
		ids = append(ids, t.Columns[i].ID)
	}
	for _, id := range ids {
		if t.ColumnByID(id) < 0 {
			return nil, base.Errorf(base.Invalid, "the rows lack a column of the primary key of table %s", t.QualifiedName())
		}
	}
	return ids, nil
}

// IsKey reports whether the named columns are the primary key. This is also the case if no columns
// are named.
func IsKey(t schema.Table, named []string) bool {
	ids, err := KeyColumns(t, named)
	return err == nil && SameColumns(ids, t.PrimaryKey)
}

// SameColumns reports whether two lists have the same columns, in any order.
func SameColumns(a, b []base.ColumnID) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// CheckKeyValues returns an error if a row has NULL in a key column. Such a row has no key, because
// NULL is not equal to anything.
func CheckKeyValues(t schema.Table, records []arrow.RecordBatch) error {
	for _, id := range t.PrimaryKey {
		at := t.ColumnByID(id)
		first := 0
		for _, rec := range records {
			for i := 0; rec.Column(at).NullN() > 0 && i < int(rec.NumRows()); i++ {
				if rec.Column(at).IsNull(i) {
					return base.Errorf(base.Invalid, "row %d: the key column %q is NULL", first+i+1, t.Columns[at].Name)
				}
			}
			first += int(rec.NumRows())
		}
	}
	return nil
}
