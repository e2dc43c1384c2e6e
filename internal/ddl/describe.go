package ddl

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// definitionOfQuery returns a table with the columns of a query. names are the column names that
// the statement lists; without them, the columns have the names that they have in the query. view
// is the view that the query defines, or nil. The result ByName is true if an outer query can refer
// to all columns by the names in t.
func (x *Statement) definitionOfQuery(query *clause.Query, names []sqltoken.Token, view *catalog.ViewName) (t schema.Table, byName bool, err error) {
	var describe clause.Query
	describe.Write("DESCRIBE ")
	describe.Include(query)
	s := x.Selects(&describe)
	s.Defines = view
	rows, err := x.Planner.Select(x.Ctx, s)
	if err != nil {
		return t, false, describe.WithPosition(err)
	}
	described, types, err := describedColumns(x, rows)
	if err != nil {
		return t, false, err
	}
	for _, typ := range types {
		t.Columns = append(t.Columns, schema.Column{Type: typ})
	}
	// The names of columns are not taken from DESCRIBE, which names an expression with a sub-query
	// by the text that DuckDB received, not by the user's text.
	columns, err := x.Planner.Columns(x.Ctx, x.Selects(query))
	if err != nil {
		return t, false, query.WithPosition(err)
	}
	described, columns = distinct(described), distinct(columns)
	byName = slices.Equal(described, columns)
	if len(columns) != len(t.Columns) || !byName && slices.Equal(slices.Sorted(slices.Values(described)), slices.Sorted(slices.Values(columns))) {
		return t, false, base.Errorf(base.Conflict, "the query's columns changed while they were read").
			WithHint("a view or file that it reads was replaced: run the statement again")
	}
	for i, item := range clause.List(names) {
		if len(item) != 1 || i >= len(t.Columns) {
			return t, false, base.Errorf(base.Invalid, "CREATE TABLE ... AS takes column names only, %d for this query", len(t.Columns)).At(item[0].Start + 1)
		}
		columns[i] = item[0].Name()
	}
	if view != nil {
		columns = distinct(columns)
	}
	for i, name := range columns {
		t.Columns[i].Name = name
	}
	return t, byName && len(names) == 0, nil
}

// describedColumns reads the names and types of columns from a result of DESCRIBE. It closes the
// result, so that the caller holds no connection while it waits for another one.
func describedColumns(x *Statement, rows sqlquery.Rows) (names []string, types []schema.Type, err error) {
	defer rows.Close()
	for {
		rec, err := rows.Next(x.Ctx)
		if errors.Is(err, io.EOF) {
			return names, types, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for r := range int(rec.NumRows()) {
			name, text := strings.Clone(rec.Column(0).ValueStr(r)), strings.Clone(rec.Column(1).ValueStr(r))
			if text == `"NULL"` || text == "NULL" {
				text = "INTEGER" // DuckDB gives a column of nothing but NULL this type
			}
			typ, err := schema.Parse(text)
			if err != nil {
				rec.Release()
				return nil, nil, base.Wrap(err, "column %q", name)
			}
			names, types = append(names, name), append(types, typ)
		}
		rec.Release()
	}
}

// distinct makes the names of columns distinct as DuckDB does: id, id_1, id_2.
func distinct(names []string) []string {
	out, taken := make([]string, len(names)), map[string]bool{}
	for i, name := range names {
		out[i] = name
		for n := 1; taken[schema.Fold(out[i])]; n++ {
			out[i] = name + "_" + strconv.Itoa(n)
		}
		taken[schema.Fold(out[i])] = true
	}
	return out
}
