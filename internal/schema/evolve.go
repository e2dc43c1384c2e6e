package schema

import (
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
)

// The methods in this file return the next version of a table's schema. They do not change the
// given version. They check the rules that depend only on the schema. The caller ensures the rules
// that depend on rows or on other definitions:
//   - A column that becomes NOT NULL has no NULLs.
//   - Rows that were written before a column was added get its default.
//   - SQL texts (defaults, checks, views) do not use a dropped column.

// New returns the first version of a table's schema. The columns get the ids 1, 2, ... in order. So
// SortKey, PartitionBy and PrimaryKey of t must refer to a column by its position + 1. Columns of
// the primary key become NOT NULL. A table without a sort key is sorted by the primary key.
func New(t Table) (Table, error) {
	t = t.clone()
	t.Version = 1
	t.NextColumnID = base.ColumnID(len(t.Columns)) + 1
	for i := range t.Columns {
		t.Columns[i].ID = base.ColumnID(i) + 1
	}
	sorted := len(t.SortKey) > 0
	for _, id := range t.PrimaryKey {
		if i := t.ColumnByID(id); i >= 0 {
			t.Columns[i].NotNull = true
		}
		if !sorted {
			t.SortKey = append(t.SortKey, SortField{Column: id})
		}
	}
	if err := t.Validate(); err != nil {
		return Table{}, err
	}
	if err := t.checkNew(Table{}); err != nil {
		return Table{}, err
	}
	return t, nil
}

// clone returns a copy of the table's schema. The copy can be changed without a change of the
// original.
func (t Table) clone() Table {
	t.Columns = slices.Clone(t.Columns)
	t.SortKey = slices.Clone(t.SortKey)
	t.PartitionBy = slices.Clone(t.PartitionBy)
	t.PrimaryKey = slices.Clone(t.PrimaryKey)
	t.Options = maps.Clone(t.Options)
	t.Checks = slices.Clone(t.Checks)
	return t
}

// evolve applies a change to a copy of the table's schema. It increments the number of the version
// and validates the result.
func (t Table) evolve(change func(*Table) error) (Table, error) {
	next := t.clone()
	next.Version++
	if err := change(&next); err != nil {
		return Table{}, err
	}
	if err := next.Validate(); err != nil {
		return Table{}, err
	}
	if err := next.checkNew(t); err != nil {
		return Table{}, err
	}
	return next, nil
}

// checkNew returns an error for reserved column names, and for types whose text is too long to be
// parsed again. It ignores names and types that the table had before the change, because earlier
// versions of Scoter may have allowed them.
func (t Table) checkNew(before Table) error {
	for _, c := range t.Columns {
		at := before.ColumnByID(c.ID)
		if reservedColumn(c.Name) && (at < 0 || Fold(before.Columns[at].Name) != Fold(c.Name)) {
			return t.invalid("has a column named %q: the name is reserved", c.Name)
		}
		if at >= 0 && before.Columns[at].Type.Equal(c.Type) {
			continue
		}
		if err := checkTextBytes(len(c.Type.String())); err != nil {
			return base.Wrap(err, "table %s: column %q", t.QualifiedName(), shorten(c.Name, 80))
		}
	}
	return nil
}

// evolveColumn applies a change to the column called name, in a copy of the table's schema. It
// returns an error if there is no such column.
func (t Table) evolveColumn(name string, change func(next *Table, c *Column) error) (Table, error) {
	return t.evolve(func(next *Table) error {
		i := next.ColumnIndex(name)
		if i < 0 {
			return t.noColumn(name)
		}
		return change(next, &next.Columns[i])
	})
}

func (t Table) noColumn(name string) error {
	return base.Errorf(base.NotFound, "table %s has no column %q", t.QualifiedName(), shorten(name, 80))
}

// AddColumns appends columns. They get new ids, whatever ids the arguments have. A NOT NULL column
// needs a default for the existing rows.
func (t Table) AddColumns(columns ...Column) (Table, error) {
	return t.evolve(func(next *Table) error {
		names := make(map[string]bool, len(next.Columns))
		for _, c := range next.Columns {
			names[Fold(c.Name)] = true
		}
		for _, c := range columns {
			if names[Fold(c.Name)] {
				return base.Errorf(base.Conflict, "table %s already has a column %q", t.QualifiedName(), shorten(c.Name, 80))
			}
			if c.NotNull && c.Default == "" {
				return t.invalid("new column %q is NOT NULL and has no default", shorten(c.Name, 80))
			}
			if next.NextColumnID == ^base.ColumnID(0) {
				return t.invalid("has used up its column ids")
			}
			names[Fold(c.Name)] = true
			c.ID = next.NextColumnID
			next.NextColumnID++
			next.Columns = append(next.Columns, c)
		}
		return nil
	})
}

// DropColumn removes a column. It returns an error for a column that a key or the partitioning
// uses.
func (t Table) DropColumn(name string) (Table, error) {
	return t.evolveColumn(name, func(next *Table, c *Column) error {
		id := c.ID
		for what, used := range map[string]bool{
			"sort key":     slices.ContainsFunc(t.SortKey, func(f SortField) bool { return f.Column == id }),
			"partitioning": slices.ContainsFunc(t.PartitionBy, func(f PartitionField) bool { return f.Column == id }),
			"primary key":  slices.Contains(t.PrimaryKey, id),
			"versioning":   t.RowVersion == id || t.IsDeleted == id,
		} {
			if used {
				return t.invalid("column %q cannot be dropped: it is part of the %s", c.Name, what)
			}
		}
		if len(next.Columns) == 1 {
			return t.invalid("column %q cannot be dropped: it is the last", c.Name)
		}
		next.Columns = slices.DeleteFunc(next.Columns, func(c Column) bool { return c.ID == id })
		return nil
	})
}

// RenameColumn renames a column. Its id does not change.
func (t Table) RenameColumn(from, to string) (Table, error) {
	return t.evolveColumn(from, func(next *Table, c *Column) error {
		if i := next.ColumnIndex(to); i >= 0 && next.Columns[i].ID != c.ID {
			return base.Errorf(base.Conflict, "table %s already has a column %q", t.QualifiedName(), shorten(to, 80))
		}
		c.Name = to
		return nil
	})
}

// ChangeType changes the type of a column to a wider type. The wider type must have every value of
// the present type (see Widen). Afterwards the type counts as declared, not inferred. A DATE may
// also become a TIMESTAMP. Then the caller ensures that all dates are in the range of TIMESTAMP.
func (t Table) ChangeType(name string, to Type) (Table, error) {
	return t.evolveColumn(name, func(_ *Table, c *Column) error {
		widened, ok := Widen(c.Type, to)
		if fromDate := c.Type.Kind == Date && to.Kind == Timestamp; !fromDate && (!ok || !widened.Equal(to)) {
			return base.Errorf(base.Invalid, "table %s: column %q cannot change from %s to %s: values could be lost",
				t.QualifiedName(), c.Name, c.Type, to).WithHint("add a column of the new type and UPDATE it from this one")
		}
		c.Type, c.Inferred = to, false
		return nil
	})
}

// ChangeTypeOfExact changes the type of a column to one that is not wider. The caller ensures that
// every existing value of the column, including those of deleted rows, is also a value of the new
// type: see ExactInDouble.
func (t Table) ChangeTypeOfExact(name string, to Type) (Table, error) {
	return t.evolveColumn(name, func(_ *Table, c *Column) error {
		if !ExactInDouble(c.Type, to) {
			return base.Errorf(base.Internal, "table %s: column %q of type %s as %s", t.QualifiedName(), c.Name, c.Type, to)
		}
		c.Type, c.Inferred = to, false
		return nil
	})
}

// Retype changes the type of a column to any type. The caller must rewrite all rows in the same
// edit, so that no rows of an earlier version of the schema remain. The column then has no initial
// value. Retype returns an error for a column of the primary key, the sort key or the partitioning,
// and for the version and deletion columns. The caller must refuse columns that have a CHECK.
func (t Table) Retype(name string, to Type) (Table, error) {
	return t.evolveColumn(name, func(_ *Table, c *Column) error {
		refused := func(what string) *base.Error {
			return base.Errorf(base.Invalid, "table %s: column %q cannot change from %s to %s: it is part of the %s", t.QualifiedName(), c.Name, c.Type, to, what)
		}
		switch id := c.ID; {
		case slices.Contains(t.PrimaryKey, id):
			return refused("primary key").WithHint("create another table with the new type, and copy the rows with INSERT INTO ... FROM")
		case t.RowVersion == id || t.IsDeleted == id:
			return refused("versioning").WithHint("create another table with the new type, and copy the rows with INSERT INTO ... FROM")
		case slices.ContainsFunc(t.PartitionBy, func(f PartitionField) bool { return f.Column == id }):
			return refused("partitioning").WithHint("ALTER TABLE ... RESET PARTITIONED BY first")
		case slices.ContainsFunc(t.SortKey, func(f SortField) bool { return f.Column == id }):
			return refused("sort key").WithHint("ALTER TABLE ... RESET SORTED BY first")
		}
		c.Type, c.Inferred, c.Initial = to, false, ""
		return nil
	})
}

// MayExceed reports whether rows that were written with this version of the table's schema may have
// a value outside of the column's present type. Only deleted or replaced rows can have such a
// value. This is possible because ChangeType allows DATE to TIMESTAMP.
func (t Table) MayExceed(now Column) bool {
	at := t.ColumnByID(now.ID)
	return at >= 0 && t.Columns[at].Type.Kind == Date && now.Type.Kind != Date
}

// SetDefault sets a column's default expression. An empty expression removes it.
func (t Table) SetDefault(name, expression string) (Table, error) {
	return t.evolveColumn(name, func(_ *Table, c *Column) error {
		c.Default = expression
		return nil
	})
}

// SetNotNull sets or removes the NOT NULL of a column.
func (t Table) SetNotNull(name string, notNull bool) (Table, error) {
	return t.evolveColumn(name, func(_ *Table, c *Column) error {
		c.NotNull = notNull
		return nil
	})
}

// SetSortKey replaces the sort key. Existing parts keep their order.
func (t Table) SetSortKey(fields ...SortField) (Table, error) {
	return t.evolve(func(next *Table) error {
		next.SortKey = slices.Clone(fields)
		return nil
	})
}

// SetPartitioning replaces the partitioning. Existing parts stay in their old partitions.
func (t Table) SetPartitioning(fields ...PartitionField) (Table, error) {
	return t.evolve(func(next *Table) error {
		next.PartitionBy = slices.Clone(fields)
		return nil
	})
}

// Rename renames the table. Its id does not change.
func (t Table) Rename(name string) (Table, error) {
	return t.evolve(func(next *Table) error {
		next.Name = name
		return nil
	})
}
