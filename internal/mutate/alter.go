package mutate

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// alter runs an ALTER statement. It reads the statement from the token after ALTER on.
func (x *ddlStatement) alter() error {
	c := x.c
	if !c.accept("TABLE") {
		return c.unexpected("TABLE")
	}
	ifExists := c.accept("IF", "EXISTS")
	t, err := x.table()
	if err != nil {
		if ifExists && base.KindOf(err) == base.NotFound {
			return nil
		}
		return err
	}
	switch {
	case c.accept("ADD", "COLUMN"), c.accept("ADD"):
		return x.addColumn(t)
	case c.accept("DROP", "COLUMN"), c.accept("DROP"):
		return x.dropColumn(t)
	case c.accept("RENAME", "TO"):
		return x.rename(t)
	case c.accept("RENAME", "COLUMN"), c.accept("RENAME"):
		return x.renameColumn(t)
	case c.accept("ALTER", "COLUMN"), c.accept("ALTER"):
		return x.alterColumn(t)
	case c.accept("SET"):
		return x.alterClauses(t)
	case c.accept("RESET", "SORTED", "BY"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetSortKey() })
	case c.accept("RESET", "PARTITIONED", "BY"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetPartitioning() })
	}
	return c.unexpected("ADD, DROP, RENAME, ALTER COLUMN, SET or RESET")
}

// alterClauses changes the sort key, the partitioning or the options of a table. A new sort key or
// partitioning applies to parts that are written from now on. Merges rewrite the older parts.
func (x *ddlStatement) alterClauses(t schema.Table) error {
	if x.c.peek("(") {
		options, err := x.c.options()
		if err != nil {
			return err
		}
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetOptions(options) })
	}
	var clauses tableClauses
	if err := clauses.read(x.c); err != nil {
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

func (x *ddlStatement) change(t schema.Table, f func(schema.Table) (schema.Table, error)) error {
	if err := x.c.end(); err != nil {
		return err
	}
	_, err := x.tables.AlterTable(x.ctx, t.ID, f)
	return err
}

func (x *ddlStatement) addColumn(t schema.Table) error {
	ifNotExists := x.c.accept("IF", "NOT", "EXISTS")
	for _, constraint := range []string{"PRIMARY", "CONSTRAINT", "CHECK", "UNIQUE", "FOREIGN"} {
		if x.c.peek(constraint) {
			return base.Errorf(base.Invalid, "constraints cannot be added to an existing table").At(x.c.tokens()[x.c.at].Start + 1).
				WithHint("create another table with it, and copy the rows with INSERT INTO ... FROM")
		}
	}
	var definition composedQuery
	definition.copy(x.c, x.c.at, len(x.c.tokens()))
	x.c.at = len(x.c.tokens())
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
		if own, err = x.isVolatile(column.Default); err != nil {
			return err
		}
		if column.Initial, err = x.constantOf(column.Default, column.Type); err != nil {
			return base.Wrap(err, "default of %q", column.Name)
		}
		if column.NotNull && column.Initial == "" {
			return base.Errorf(base.Invalid, "column %q is NOT NULL and its default is NULL", column.Name)
		}
	}
	return ignoreConflict(x.change(t, func(t schema.Table) (schema.Table, error) {
		next, err := t.AddColumns(column)
		if err == nil && own {
			err = x.checkEmpty(t, column)
		}
		return next, err
	}), ifNotExists)
}

// isVolatile reports whether an expression may give another value each time it is evaluated, as
// random() does.
func (x *statement) isVolatile(expression string) (bool, error) {
	tokens, err := sqltoken.Split(expression)
	if err != nil {
		return false, err
	}
	placing, err := x.evaluationOf(tokens)
	return placing == inLateralEach, err
}

// checkEmpty returns an error if the table has rows and the new column has a volatile default, such
// as random(). Existing rows get one constant for an added column, but with a volatile default each
// row would need a value of its own. checkEmpty runs as a part of the schema change, so no rows can
// be inserted between the check and the change.
func (x *ddlStatement) checkEmpty(t schema.Table, column schema.Column) error {
	s, err := x.snapshots.Snapshot(t.ID)
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

func (x *ddlStatement) dropColumn(t schema.Table) error {
	ifExists := x.c.accept("IF", "EXISTS")
	name, err := x.c.identifier()
	if err != nil {
		return err
	}
	_ = x.c.accept("CASCADE") || x.c.accept("RESTRICT")
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

// checkNotInCheck returns an error if a CHECK constraint of the table names the column. Such a
// column cannot be renamed or dropped. The argument done is a word for the error message, such as
// "dropped".
func checkNotInCheck(t schema.Table, column, done string) error {
	tokens, err := sqltoken.Split(t.Condition())
	if err != nil {
		return base.Wrap(err, "checks of table %s", t.QualifiedName())
	}
	for _, token := range tokens {
		if token.IsName() && schema.Fold(token.Name()) == schema.Fold(column) {
			return base.Errorf(base.Invalid, "column %q cannot be %s: a check of the table uses it: %s", column, done, t.Condition())
		}
	}
	return nil
}

func (x *ddlStatement) rename(t schema.Table) error {
	name, err := x.c.identifier()
	if err != nil {
		return err
	}
	return x.change(t, func(t schema.Table) (schema.Table, error) { return t.Rename(name) })
}

func (x *ddlStatement) renameColumn(t schema.Table) error {
	from, err := x.c.identifier()
	if err != nil {
		return err
	}
	if !x.c.accept("TO") {
		return x.c.unexpected("TO")
	}
	to, err := x.c.identifier()
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

func (x *ddlStatement) alterColumn(t schema.Table) error {
	c := x.c
	name, err := c.identifier()
	if err != nil {
		return err
	}
	i := t.ColumnIndex(name)
	if i < 0 {
		return base.Errorf(base.NotFound, "table %s has no column %q", t.QualifiedName(), name)
	}
	switch {
	case c.accept("SET", "DATA", "TYPE"), c.accept("TYPE"), c.accept("SET", "TYPE"):
		if err := x.alterType(t, t.Columns[i]); err != nil {
			return err
		}
		return x.refreshViewColumns()
	case c.accept("SET", "DEFAULT"):
		text, _ := c.rest()
		var definition composedQuery
		definition.write("c ", t.Columns[i].Type.String(), " DEFAULT (")
		definition.copy(c, c.at, len(c.tokens()))
		definition.write(")")
		c.at = len(c.tokens())
		// A default that ALTER sets must follow the rules of CREATE TABLE: it has no sub-query and
		// names no column.
		if _, err := x.definitionOf(&definition); err != nil {
			return base.Wrap(err, "default of %q", name)
		}
		if _, err := x.constantOf(text, t.Columns[i].Type); err != nil {
			return base.Wrap(err, "default of %q", name)
		}
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetDefault(name, text) })
	case c.accept("DROP", "DEFAULT"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetDefault(name, "") })
	case c.accept("SET", "NOT", "NULL"):
		return x.setNotNull(t, name)
	case c.accept("DROP", "NOT", "NULL"):
		return x.change(t, func(t schema.Table) (schema.Table, error) { return t.SetNotNull(name, false) })
	}
	return c.unexpected("TYPE, SET DEFAULT, DROP DEFAULT, SET NOT NULL or DROP NOT NULL")
}

// countedTable is the table name under which the query of the function countOf reads the rows that
// it counts.
const countedTable = "scoter.counted"

// countOf counts the rows of a table in a snapshot that meet a condition.
func (x *ddlStatement) countOf(t *snapshot.Table, condition string) (int64, error) {
	return x.count(sqlquery.Request{SQL: "SELECT count(*) FROM " + countedTable + " WHERE " + condition, Transient: &sqlquery.Transient{Name: countedTable, Table: t}})
}

// setNotNull makes a column NOT NULL. It checks for NULLs before the change, and again after it for
// rows that were written in between. If the second check finds one, it undoes the change.
func (x *ddlStatement) setNotNull(t schema.Table, name string) error {
	if err := x.c.end(); err != nil {
		return err
	}
	if err := x.checkNoNulls(t, name); err != nil {
		return err
	}
	was := false
	err := x.change(t, func(t schema.Table) (schema.Table, error) {
		if i := t.ColumnIndex(name); i >= 0 {
			was = t.Columns[i].NotNull
		}
		return t.SetNotNull(name, true)
	})
	if err != nil {
		return err
	}
	if err = x.checkNoNulls(t, name); err == nil || was {
		return err
	}
	// The undo must run even if x.ctx is canceled. A cancellation may be the reason why the second
	// check failed.
	_, undo := x.tables.AlterTable(context.WithoutCancel(x.ctx), t.ID, func(t schema.Table) (schema.Table, error) { return t.SetNotNull(name, false) })
	return errors.Join(err, undo)
}

// checkNoNulls returns an error if a column of the table has a NULL.
func (x *ddlStatement) checkNoNulls(t schema.Table, column string) error {
	n, err := x.count(sqlquery.Request{SQL: fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", t.QuotedName(), schema.Quote(column))})
	if err == nil && n > 0 {
		err = base.Errorf(base.Invalid, "column %q of table %s holds %d NULLs", column, t.QualifiedName(), n)
	}
	return err
}

// count runs a query whose result is one BIGINT, and returns that number.
func (x *ddlStatement) count(s sqlquery.Request) (int64, error) {
	s.Database = x.req.Database
	rows, err := x.planner.Select(x.ctx, s)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := int64(-1)
	err = sqlquery.Each(x.ctx, rows, func(rec arrow.RecordBatch) error {
		if rec.NumRows() > 0 {
			n = rec.Column(0).(*array.Int64).Value(0)
		}
		return nil
	})
	if err == nil && n < 0 {
		err = base.Errorf(base.Internal, "count without a row")
	}
	return n, err
}

// drop runs a DROP statement. It reads the statement from the token after DROP on.
func (x *ddlStatement) drop() error {
	c := x.c
	what := ""
	for _, w := range []string{"TABLE", "VIEW", "SCHEMA", "DATABASE"} {
		if c.accept(w) {
			what = w
			break
		}
	}
	if what == "" {
		return c.unexpected("TABLE, VIEW, SCHEMA or DATABASE")
	}
	ifExists := c.accept("IF", "EXISTS")
	place := c.at
	parts, err := c.name()
	if err != nil {
		return err
	}
	cascade := c.accept("CASCADE")
	_ = cascade || c.accept("RESTRICT")
	if err := c.end(); err != nil {
		return err
	}
	switch what {
	case "TABLE":
		var t schema.Table
		if t, err = x.lookup(parts); err == nil {
			err = x.tables.DropTable(x.ctx, t.ID)
		}
	case "VIEW":
		database, schemaName, name := x.tableName(parts)
		err = x.views.DropView(x.ctx, catalog.ViewName{Database: database, Schema: schemaName, Name: name}, ifExists)
	case "SCHEMA":
		database, name := x.schemaName(parts)
		err = x.dropNamespace(database, name, cascade, func() error { return x.namespaces.DropSchema(x.ctx, database, name, cascade) })
	case "DATABASE":
		if len(parts) > 1 {
			return c.withPosition(base.Errorf(base.Invalid, "the name of a database has no dot"), place)
		}
		err = x.dropNamespace(parts[0], "", cascade, func() error { return x.namespaces.DropDatabase(x.ctx, parts[0], cascade) })
	}
	if ifExists && base.KindOf(err) == base.NotFound {
		return nil
	}
	return c.withPosition(err, place)
}

// dropNamespace drops a database or schema by calling drop. Without CASCADE the database or schema
// must be empty, so there is no Kafka source to stop. With CASCADE, the sources that fill its
// tables are stopped first.
func (x *ddlStatement) dropNamespace(database, schemaName string, cascade bool, drop func() error) error {
	if !cascade {
		return drop()
	}
	return x.sources.DropWithSources(database, schemaName, drop)
}

func (x *ddlStatement) truncate() (engine.Counts, error) {
	x.c.accept("TABLE")
	t, err := x.table()
	if err != nil {
		return engine.Counts{}, err
	}
	if err := x.c.end(); err != nil {
		return engine.Counts{}, err
	}
	removed, err := x.tables.Truncate(x.ctx, t.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer removed.Release()
	return engine.Counts{Deleted: x.countVisible(removed.Tables[t.ID])}, nil
}

// countVisible returns the number of rows of a table that SELECT would return. It does not count
// tombstones, which SELECT hides.
//
// If the rows cannot be read, countVisible counts all rows: TRUNCATE must not fail for that reason.
// The count has its own time limit, in case the statement's time has already run out.
func (x *ddlStatement) countVisible(t *snapshot.Table) int64 {
	n := t.Rows()
	if t.Schema.IsDeleted == 0 || n == 0 {
		return n
	}
	late := *x.statement
	var cancel context.CancelFunc
	late.ctx, cancel = context.WithTimeout(context.WithoutCancel(x.ctx), engine.CountingTime)
	defer cancel()
	shown, err := (&ddlStatement{statement: &late, ddlTools: x.ddlTools}).countOf(t, "TRUE")
	if err != nil {
		x.log.Error("the truncated rows cannot be read: the count includes tombstones", "table", t.Schema.QualifiedName(), "error", err)
		return n
	}
	return shown
}
