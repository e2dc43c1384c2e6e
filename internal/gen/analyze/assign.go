package analyze

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// nullableParams says, for each parameter of a query's template, whether it may be NULL. A
// parameter may be NULL if the SQL file says so. If Input.NullableParameters is set, it also may be
// NULL if every use of it is an assignment to a nullable column. Such a parameter cannot make
// another column of the result NULL, because the result has the values of the table's columns.
func (r *Result) nullableParams(ctx context.Context, engine Engine, b *sqlfile.Block, template *sqlfile.Template) ([]bool, error) {
	out := make([]bool, len(template.Params))
	uses := map[string]int{}
	for _, t := range b.Body {
		if t.Kind == sqlfile.Var {
			uses[t.Name()]++
		}
	}
	assigned := map[string]int{} // number of assignments to nullable columns
	if r.input.NullableParameters {
		for _, a := range sqlfile.Assignments(b.Body) {
			info, err := r.assignedTable(ctx, engine, a.Table)
			if err != nil {
				return nil, err
			}
			if r.takesNull(info, a) {
				assigned[a.Param]++
			}
		}
	}
	for i, p := range template.Params {
		out[i] = p.Nullable() || p.Mark == 0 && assigned[p.Name] > 0 && assigned[p.Name] == uses[p.Name]
	}
	return out, nil
}

// assignedTable describes the table of an assignment. It asks the engine only once for each table,
// because queries do not change the schema. The result is nil if there is no such table.
func (r *Result) assignedTable(ctx context.Context, engine Engine, name []string) (*TableInfo, error) {
	key := fmt.Sprintf("%q", name)
	info, known := r.assigned[key]
	if !known {
		var err error
		if info, err = engine.Table(ctx, name); err != nil {
			return nil, fmt.Errorf("look up the assigned table: %w", err)
		}
		r.assigned[key] = info
	}
	return info, nil
}

// takesNull reports whether NULL can be assigned to the column of an assignment. Columns of a
// primary key never take it. SQLite allows NULL in some primary keys, but hardly anybody wants it.
func (r *Result) takesNull(info *TableInfo, a sqlfile.Assignment) bool {
	if info == nil || info.View {
		return false
	}
	columns := info.Columns
	i := a.Index
	if a.Column != "" {
		i = slices.IndexFunc(columns, func(c TableColumnInfo) bool { return strings.EqualFold(c.Name, a.Column) })
	} else if r.input.Engine != ir.Postgres {
		// Without a list of columns, an INSERT leaves out the computed columns. In PostgreSQL it
		// has DEFAULT in their place.
		columns = slices.DeleteFunc(slices.Clone(columns), func(c TableColumnInfo) bool {
			return c.Generated == ir.GeneratedStored || c.Generated == ir.GeneratedVirtual
		})
	}
	return i >= 0 && i < len(columns) && columns[i].Nullable && !columns[i].RefusesNull && !columns[i].PrimaryKey
}
