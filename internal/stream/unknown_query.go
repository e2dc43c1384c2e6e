package stream

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// A query may name a JSON field that was null in all messages so far. For example, change events
// have the state of a row before its change, which is null until the first update. The type of such
// a field is unknown, but its value is known: NULL. So the query reads NULL in place of the field.
// If a column of the query's result is NULL for this reason, the type of the column is unknown too.
// The column is then created only after a message tells the type.

// describeWithNulls is called if the query of a target (a table that the source fills) failed,
// perhaps because it names fields of unknown type. The argument failed is the query's error.
// describeWithNulls rewrites the query so that it reads NULL in place of these fields. If the query
// still fails, or names no such field, describeWithNulls returns that error.
func (s *source) describeWithNulls(ctx context.Context, t target, messages schema.Table, run func(string) ([]arrow.RecordBatch, error), failed error) (described, error) {
	query := t.Query
	as := func(typ string) (described, error) {
		with := s.unknown.queryWithNulls(messages, query, typ)
		if with == "" {
			return described{}, failed
		}
		t.Query = "WITH " + Messages + " AS (" + with + ") SELECT * FROM (" + query + ") AS result"
		return s.describe(ctx, t, run)
	}
	d, err := as("")
	if err != nil {
		return described{}, failed
	}
	d.unknownColumns = map[string]bool{}
	// DESCRIBE reports INTEGER for a column that is NULL. So a column of type INTEGER counts as a
	// column of unknown type. Columns of messages are never INTEGER, because a JSON number is a
	// BIGINT or DOUBLE. If the query really returns an INTEGER, the column is created with its
	// first value.
	for _, c := range d.table.Columns {
		d.unknownColumns[c.Name] = c.Type.Kind == schema.Integer
	}
	// The type of a column may also follow from a NULL: DuckDB reports HUGEINT for a sum of NULLs.
	// So describe the query with NULLs of several types.
	for _, typ := range []string{"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR[]", "DOUBLE[]"} {
		other, err := as(typ)
		if err != nil || len(other.table.Columns) != len(d.table.Columns) {
			continue // the query does not accept this type
		}
		for i, c := range d.table.Columns {
			d.unknownColumns[c.Name] = d.unknownColumns[c.Name] || !c.Type.Equal(other.table.Columns[i].Type)
		}
	}
	d.table.Columns = slices.DeleteFunc(d.table.Columns, func(c schema.Column) bool { return d.unknownColumns[c.Name] })
	return d, nil
}

// hideNullColumns gives the type NULL to the columns in the set untold, by name, if all their
// values in the batch are NULL. No column of the table is created for them then. It releases
// batches and returns new batches.
func hideNullColumns(batches []arrow.RecordBatch, untold map[string]bool) []arrow.RecordBatch {
	for i, rec := range batches {
		fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
		for j, c := range columns {
			if untold[fields[j].Name] && c.NullN() == c.Len() {
				columns[j] = array.NewNull(c.Len())
				fields[j].Type = arrow.Null
			}
		}
		md := rec.Schema().Metadata()
		batches[i] = array.NewRecordBatch(arrow.NewSchema(fields, &md), columns, rec.NumRows())
		rec.Release()
	}
	return batches
}

// queryWithNulls returns an SQL query that selects all columns of the table of messages, and a NULL
// for each path of unknown type that query names. If typ is not empty, the NULLs have that type.
// The result is empty if query names no such path.
func (u *unknowns) queryWithNulls(t schema.Table, query, typ string) string {
	tokens, err := sqltoken.Split(query)
	if err != nil {
		return ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var added []string
	// by column: the fields that the structs in the column lack
	replaced := map[string]missingFields{}
	for _, key := range slices.Sorted(maps.Keys(u.paths)) {
		path := u.paths[key]
		last := path[len(path)-1]
		if _, lacks := withPath(t, path); !lacks || !names(tokens, last) {
			continue
		}
		null := nullWith(fieldsNamed(tokens, last), typ)
		at := t.ColumnIndex(path[0])
		if at < 0 {
			added = append(added, null+" AS "+schema.Quote(last))
			continue
		}
		column := t.Columns[at].Name
		if replaced[column] == nil {
			replaced[column] = missingFields{}
		}
		replaced[column].add(path[1:], null)
	}
	if len(added)+len(replaced) == 0 {
		return ""
	}
	star := "*"
	if len(replaced) > 0 {
		var all []string
		for _, column := range slices.Sorted(maps.Keys(replaced)) {
			quoted := schema.Quote(column)
			all = append(all, replaced[column].expression(quoted, t.Columns[t.ColumnIndex(column)].Type, 0)+" AS "+quoted)
		}
		star += " REPLACE (" + strings.Join(all, ", ") + ")"
	}
	return "SELECT " + strings.Join(append([]string{star}, added...), ", ") + " FROM " + Messages
}

// missingFields says which fields must be added to a struct. The keys are the names of the fields
// in the form in which names are compared. An existing field has an entry too if fields must be
// added to structs inside it.
type missingFields map[string]*missingField

// missingField is a field that must be added to a struct, or an existing field to which fields must
// be added (in).
type missingField struct {
	name string
	null string // the SQL expression for the added field; empty if the field exists
	in   missingFields
}

func (g missingFields) add(path []string, null string) {
	key := schema.Fold(path[0])
	one := g[key]
	if one == nil {
		one = &missingField{name: path[0], in: missingFields{}}
		g[key] = one
	}
	if len(path) == 1 {
		one.null = null
	} else {
		one.in.add(path[1:], null)
	}
}

// expression returns an SQL expression for a value with the fields in g added. value is the
// expression of a struct, or of a list of structs at any depth, and t is its type. depth is the
// number of lists around the value.
func (g missingFields) expression(value string, t schema.Type, depth int) string {
	if t.Kind == schema.List {
		element := "element" + strconv.Itoa(depth)
		return "list_transform(" + value + ", lambda " + element + ": " + g.expression(element, *t.Elem, depth+1) + ")"
	}
	var all []string
	for _, f := range t.Fields {
		field := "struct_extract(" + value + ", " + schema.QuoteString(f.Name) + ")"
		if one := g[schema.Fold(f.Name)]; one != nil {
			field = one.in.expression(field, f.Type, depth)
		}
		all = append(all, schema.Quote(f.Name)+" := "+field)
	}
	for _, key := range slices.Sorted(maps.Keys(g)) {
		if one := g[key]; one.null != "" {
			all = append(all, schema.Quote(one.name)+" := "+one.null)
		}
	}
	return "CASE WHEN " + value + " IS NOT NULL THEN struct_pack(" + strings.Join(all, ", ") + ") END"
}

func names(tokens []sqltoken.Token, name string) bool {
	return slices.ContainsFunc(tokens, func(t sqltoken.Token) bool { return t.IsName() && schema.Fold(t.Name()) == schema.Fold(name) })
}

// fields is a tree of field names. It maps the name of a field to the fields that are selected from
// it.
type fields map[string]fields

// fieldsNamed returns the fields that a query selects from a column or field with the given name.
// For the name a and a query with a.b.c, it returns b, and c as a field of b.
func fieldsNamed(tokens []sqltoken.Token, name string) fields {
	all := fields{}
	for i, t := range tokens {
		if !t.IsName() || schema.Fold(t.Name()) != schema.Fold(name) {
			continue
		}
		at := all
		for j := i + 1; j+1 < len(tokens) && tokens[j].Is(".") && tokens[j+1].IsName(); j += 2 {
			field := schema.Fold(tokens[j+1].Name())
			if at[field] == nil {
				at[field] = fields{}
			}
			at = at[field]
		}
	}
	return all
}

// nullWith returns an SQL expression that is NULL. If f has fields, the expression is of the type
// of a struct with these fields. If typ is not empty, the expression, or each innermost field of
// the struct, has the type typ.
func nullWith(f fields, typ string) string {
	if len(f) == 0 && typ == "" {
		return "NULL"
	}
	if len(f) == 0 {
		return "CAST(NULL AS " + typ + ")"
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		all = append(all, schema.Quote(name)+" := "+nullWith(f[name], typ))
	}
	return "CASE WHEN FALSE THEN struct_pack(" + strings.Join(all, ", ") + ") END"
}
