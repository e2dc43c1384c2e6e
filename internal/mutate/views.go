package mutate

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// refreshViewColumns updates the columns that the catalog stores for each view, after the type of a
// table's column changed. information_schema and similar tables show these columns. (A query that
// reads a view does not use them: DuckDB determines the types.) If a view can no longer be read,
// its stored columns stay, and queries that read it fail.
func (x *ddlStatement) refreshViewColumns() error {
	for _, v := range x.views.Views() {
		columns, err := x.viewColumns(v.Name)
		if err := x.ctx.Err(); err != nil {
			return base.Wrap(err, "the type was changed, but reading the types of views failed")
		}
		same := func(a, b catalog.ViewColumn) bool { return a.Name == b.Name && a.Type.Equal(b.Type) }
		if err != nil || slices.EqualFunc(columns, v.Columns, same) {
			continue
		}
		v.Columns = columns
		if err := x.views.RetypeView(x.ctx, v); err != nil {
			return base.Wrap(err, "the type was changed, but storing the types of view %q failed", v.Name.Name)
		}
	}
	return nil
}

// viewColumns returns the columns of a view as DuckDB determines them now, with their types.
func (x *ddlStatement) viewColumns(v catalog.ViewName) (columns []catalog.ViewColumn, err error) {
	name := schema.Quote(v.Database) + "." + schema.Quote(v.Schema) + "." + schema.Quote(v.Name)
	rows, err := x.planner.Select(x.ctx, sqlquery.Request{SQL: "DESCRIBE SELECT * FROM " + name, Database: v.Database})
	if err != nil {
		return nil, err
	}
	names, types, err := x.describedColumns(rows)
	for i, typ := range types {
		columns = append(columns, catalog.ViewColumn{Name: names[i], Type: typ})
	}
	return columns, err
}
