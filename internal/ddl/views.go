package ddl

import (
	"slices"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// refreshViewColumns updates the columns that the catalog stores for each view, after the type of a
// table's column changed. information_schema and similar tables show these columns. (A query that
// reads a view does not use them: DuckDB determines the types.) If a view can no longer be read,
// its stored columns stay, and queries that read it fail.
func (x *Statement) refreshViewColumns() error {
	for _, v := range x.Views.Views() {
		columns, err := viewColumns(x, v.Name)
		if err := x.Ctx.Err(); err != nil {
			return base.Wrap(err, "the type was changed, but reading the types of views failed")
		}
		same := func(a, b catalog.ViewColumn) bool { return a.Name == b.Name && a.Type.Equal(b.Type) }
		if err != nil || slices.EqualFunc(columns, v.Columns, same) {
			continue
		}
		v.Columns = columns
		if err := x.Views.RetypeView(x.Ctx, v); err != nil {
			return base.Wrap(err, "the type was changed, but storing the types of view %q failed", v.Name.Name)
		}
	}
	return nil
}

// viewColumns returns the columns of a view as DuckDB determines them now, with their types.
func viewColumns(x *Statement, v catalog.ViewName) (columns []catalog.ViewColumn, err error) {
	name := schema.Quote(v.Database) + "." + schema.Quote(v.Schema) + "." + schema.Quote(v.Name)
	rows, err := x.Planner.Select(x.Ctx, sqlquery.Request{SQL: "DESCRIBE SELECT * FROM " + name, Database: v.Database})
	if err != nil {
		return nil, err
	}
	names, types, err := describedColumns(x, rows)
	for i, typ := range types {
		columns = append(columns, catalog.ViewColumn{Name: names[i], Type: typ})
	}
	return columns, err
}

func (x *Statement) createView(replace bool) error {
	c := x.Reader
	ifNotExists := c.Accept("IF", "NOT", "EXISTS")
	parts, err := c.Name()
	if err != nil {
		return err
	}
	var names []sqltoken.Token
	if c.Peek("(") {
		if names, err = c.Brackets(); err != nil {
			return err
		}
	}
	if !c.Accept("AS") {
		return c.Unexpected("AS")
	}
	src := &clause.Query{}
	src.Copy(c, c.At, len(c.Tokens()))
	if len(x.Request.Args) > 0 {
		return base.Errorf(base.Invalid, "a view cannot have parameters")
	}
	database, schemaName, name := x.TableName(parts)
	if err := schema.CheckReserved(database, schemaName); err != nil {
		return err
	}
	if _, err := x.Names.Lookup(database, schemaName, name); err == nil {
		return ignoreConflict(base.Errorf(base.Conflict, "%s is a table", name), ifNotExists)
	}
	x.Request.ReadFiles = false // a view never reads files, even if the user may
	called := catalog.ViewName{Database: database, Schema: schemaName, Name: name}
	shape, _, err := x.definitionOfQuery(src, names, &called)
	if err != nil {
		return err
	}
	query := src.String()
	if len(names) > 0 {
		quoted := make([]string, len(shape.Columns))
		for i, col := range shape.Columns {
			quoted[i] = schema.Quote(col.Name)
		}
		query = "SELECT * FROM (" + query + ") AS v(" + strings.Join(quoted, ", ") + ")"
	}
	v := catalog.View{Name: called, SQL: query, Created: time.Now().UTC()}
	for _, col := range shape.Columns {
		v.Columns = append(v.Columns, catalog.ViewColumn{Name: col.Name, Type: col.Type})
	}
	return ignoreConflict(x.Views.PutView(x.Ctx, v, replace), ifNotExists)
}
