package ddl

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
)

// alter runs an ALTER statement. It reads the statement from the token after ALTER on.
func (x *Statement) alter() error {
	c := x.Reader
	if !c.Accept("TABLE") {
		return c.Unexpected("TABLE")
	}
	ifExists := c.Accept("IF", "EXISTS")
	t, err := x.NamedTable()
	if err != nil {
		if ifExists && base.KindOf(err) == base.NotFound {
			return nil
		}
		return err
	}
	switch {
	case c.Accept("ADD", "COLUMN"), c.Accept("ADD"):
		return x.addColumn(t)
	case c.Accept("DROP", "COLUMN"), c.Accept("DROP"):
		return x.dropColumn(t)
	case c.Accept("RENAME", "TO"):
		return x.rename(t)
	case c.Accept("RENAME", "COLUMN"), c.Accept("RENAME"):
		return x.renameColumn(t)
	case c.Accept("ALTER", "COLUMN"), c.Accept("ALTER"):
		return x.alterColumn(t)
	case c.Accept("SET"):
		return x.alterClauses(t)
	case c.Accept("RESET", "SORTED", "BY"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetSortKey() })
	case c.Accept("RESET", "PARTITIONED", "BY"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetPartitioning() })
	}
	return c.Unexpected("ADD, DROP, RENAME, ALTER COLUMN, SET or RESET")
}

// alterClauses changes the sort key, the partitioning or the options of a table. A new sort key or
// partitioning applies to parts that are written from now on. Merges rewrite the older parts.
func (x *Statement) alterClauses(t schema.Table) error {
	if x.Reader.Peek("(") {
		options, err := x.Reader.Options()
		if err != nil {
			return err
		}
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetOptions(options) })
	}
	var clauses tableClauses
	if err := clauses.read(x.Reader); err != nil {
		return err
	}
	return x.change(t, func(t schema.Table) (schema.Table, error) {
		keys := schema.Table{Columns: t.Columns}
		if err := clauses.apply(&keys); err != nil {
			return schema.Table{}, err
		}
		switch {
		case clauses.sortedBy != nil:
			return t.SetSortKey(keys.SortKey...)
		case clauses.partitionedBy != nil:
			return t.SetPartitioning(keys.PartitionBy...)
		}
		return schema.Table{}, base.Errorf(base.Invalid, "ALTER TABLE ... SET takes SORTED BY (...), PARTITIONED BY (...) or (on_insert = ...)")
	})
}

func (x *Statement) addColumn(t schema.Table) error {
	ifNotExists := x.Reader.Accept("IF", "NOT", "EXISTS")
	for _, constraint := range []string{"PRIMARY", "CONSTRAINT", "CHECK", "UNIQUE", "FOREIGN"} {
		if x.Reader.Peek(constraint) {
			return base.Errorf(base.Invalid, "constraints cannot be added to an existing table").At(x.Reader.Tokens()[x.Reader.At].Start + 1).
				WithHint("create another table with it, and copy the rows with INSERT INTO ... FROM")
		}
	}
	var definition clause.Query
	definition.Copy(x.Reader, x.Reader.At, len(x.Reader.Tokens()))
	x.Reader.At = len(x.Reader.Tokens())
	shape, err := x.definitionOf(&definition)
	if err != nil {
		return err
	}
	if len(shape.Columns) != 1 || len(shape.PrimaryKey)+len(shape.Checks) > 0 {
		return base.Errorf(base.Invalid, "ADD COLUMN takes a name, a type, NOT NULL and DEFAULT")
	}
	column := shape.Columns[0]
	// own is true if each row needs a value of its own: the default may give another value each
	// time it is evaluated, as random() does.
	own := false
	if column.Default != "" {
		if own, err = x.IsVolatile(column.Default); err != nil {
			return err
		}
		if column.Initial, err = x.ConstantOf(column.Default, column.Type); err != nil {
			return base.Wrap(err, "default of %q", column.Name)
		}
		if column.NotNull && column.Initial == "" {
			return base.Errorf(base.Invalid, "column %q is NOT NULL and its default is NULL", column.Name)
		}
	}
	return ignoreConflict(x.change(t, func(t schema.Table) (schema.Table, error) {
		next, err := t.AddColumns(column)
		if err == nil && own {
			err = checkEmpty(x, t, column)
		}
		return next, err
	}), ifNotExists)
}

// checkEmpty returns an error if the table has rows and the new column has a volatile default, such
// as random(). Existing rows get one constant for an added column, but with a volatile default each
// row would need a value of its own. checkEmpty runs as a part of the schema change, so no rows can
// be inserted between the check and the change.
func checkEmpty(x *Statement, t schema.Table, column schema.Column) error {
	s, err := x.Snapshots.Snapshot(t.ID)
	if err != nil {
		return err
	}
	defer s.Release()
	n := s.Tables[t.ID].Rows()
	if n == 0 {
		return nil
	}
	table, name := t.QuotedName(), schema.Quote(column.Name)
	return base.Errorf(base.Invalid, "column %q cannot be added with the default %s: it has a different value for each of the %d rows of table %s", column.Name, column.Default, n, t.QualifiedName()).
		WithHint("add the column without a default, then UPDATE %s SET %s = %s, then ALTER TABLE %s ALTER %s SET DEFAULT %s", table, name, column.Default, table, name, column.Default)
}

func (x *Statement) dropColumn(t schema.Table) error {
	ifExists := x.Reader.Accept("IF", "EXISTS")
	name, err := x.Reader.Identifier()
	if err != nil {
		return err
	}
	_ = x.Reader.Accept("CASCADE") || x.Reader.Accept("RESTRICT")
	if ifExists && t.ColumnIndex(name) < 0 {
		return nil
	}
	return x.change(t, func(t schema.Table) (schema.Table, error) {
		if err := checkNotInCheck(t, name, "dropped"); err != nil {
			return t, err
		}
		return t.DropColumn(name)
	})
}

func (x *Statement) rename(t schema.Table) error {
	name, err := x.Reader.Identifier()
	if err != nil {
		return err
	}
	return x.change(t, func(t schema.Table) (schema.Table, error) { return t.Rename(name) })
}

func (x *Statement) renameColumn(t schema.Table) error {
	from, err := x.Reader.Identifier()
	if err != nil {
		return err
	}
	if !x.Reader.Accept("TO") {
		return x.Reader.Unexpected("TO")
	}
	to, err := x.Reader.Identifier()
	if err != nil {
		return err
	}
	return x.change(t, func(t schema.Table) (schema.Table, error) {
		if err := checkNotInCheck(t, from, "renamed"); err != nil {
			return t, err
		}
		return t.RenameColumn(from, to)
	})
}

func (x *Statement) alterColumn(t schema.Table) error {
	c := x.Reader
	name, err := c.Identifier()
	if err != nil {
		return err
	}
	i := t.ColumnIndex(name)
	if i < 0 {
		return base.Errorf(base.NotFound, "table %s has no column %q", t.QualifiedName(), name)
	}
	switch {
	case c.Accept("SET", "DATA", "TYPE"), c.Accept("TYPE"), c.Accept("SET", "TYPE"):
		if err := x.alterType(t, t.Columns[i]); err != nil {
			return err
		}
		return x.refreshViewColumns()
	case c.Accept("SET", "DEFAULT"):
		text, _ := c.Rest()
		var definition clause.Query
		definition.Write("c ", t.Columns[i].Type.String(), " DEFAULT (")
		definition.Copy(c, c.At, len(c.Tokens()))
		definition.Write(")")
		c.At = len(c.Tokens())
		// A default that ALTER sets must follow the rules of CREATE TABLE: it has no sub-query and
		// names no column.
		if _, err := x.definitionOf(&definition); err != nil {
			return base.Wrap(err, "default of %q", name)
		}
		if _, err := x.ConstantOf(text, t.Columns[i].Type); err != nil {
			return base.Wrap(err, "default of %q", name)
		}
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetDefault(name, text) })
	case c.Accept("DROP", "DEFAULT"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetDefault(name, "") })
	case c.Accept("SET", "NOT", "NULL"):
		return x.setNotNull(t, name)
	case c.Accept("DROP", "NOT", "NULL"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetNotNull(name, false) })
	}
	return c.Unexpected("TYPE, SET DEFAULT, DROP DEFAULT, SET NOT NULL or DROP NOT NULL")
}
