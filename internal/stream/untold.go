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

// A query may name a field of JSON that was null in all messages so far, such as what a row was before it changed, where none changed yet. Nobody knows its
// type, but its value is known: NULL. So the query reads the messages with NULL in its place, and columns of the result that are NULL because of it
// wait for a message that tells their type.

// describeUntold is describe for a query that fails because of what no message told the type of. If that is not why, the error is the one given.
func (s *source) describeUntold(ctx context.Context, t target, messages schema.Table, run func(string) ([]arrow.RecordBatch, error), failed error) (described, error) {
	query := t.Query
	as := func(typ string) (described, error) {
		with := s.unknown.nulls(messages, query, typ)
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
	d.untold = map[string]bool{}
	// DESCRIBE tells INTEGER of what is NULL. Messages have none: a number of JSON is a BIGINT or DOUBLE. A column that is one all the same comes with its first value.
	for _, c := range d.table.Columns {
		d.untold[c.Name] = c.Type.Kind == schema.Integer
	}
	// So do columns whose types follow from what is NULL: of a sum of NULLs DuckDB says HUGEINT.
	for _, typ := range []string{"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR[]", "DOUBLE[]"} {
		other, err := as(typ)
		if err != nil || len(other.table.Columns) != len(d.table.Columns) {
			continue // the query does not take this type
		}
		for i, c := range d.table.Columns {
			d.untold[c.Name] = d.untold[c.Name] || !c.Type.Equal(other.table.Columns[i].Type)
		}
	}
	d.table.Columns = slices.DeleteFunc(d.table.Columns, func(c schema.Column) bool { return d.untold[c.Name] })
	return d, nil
}

// withoutNulls returns batches without the columns of an untold type that hold nothing but NULL, and gives up those that it is given.
func withoutNulls(batches []arrow.RecordBatch, untold map[string]bool) []arrow.RecordBatch {
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

// nulls returns a query of the messages that has, beside what they have, NULL for the paths of an unknown type that a query names; empty if it names none.
// The NULLs are of a type, if one is given.
func (u *unknowns) nulls(t schema.Table, query, typ string) string {
	tokens, err := sqltoken.Split(query)
	if err != nil {
		return ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var added []string
	replaced := map[string]gaps{} // by column
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
			replaced[column] = gaps{}
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
			all = append(all, replaced[column].filled(quoted, t.Columns[t.ColumnIndex(column)].Type, 0)+" AS "+quoted)
		}
		star += " REPLACE (" + strings.Join(all, ", ") + ")"
	}
	return "SELECT " + strings.Join(append([]string{star}, added...), ", ") + " FROM " + Messages
}

// gaps are fields that a struct lacks, or that lack some themselves: by name, folded.
type gaps map[string]*gap

// gap is one of gaps.
type gap struct {
	name string
	null string // what the field is to be; empty if it is there
	in   gaps
}

func (g gaps) add(path []string, null string) {
	key := schema.Fold(path[0])
	one := g[key]
	if one == nil {
		one = &gap{name: path[0], in: gaps{}}
		g[key] = one
	}
	if len(path) == 1 {
		one.null = null
	} else {
		one.in.add(path[1:], null)
	}
}

// filled returns an expression for the value of another one with the fields that it lacks. The value is of a struct, or
// of lists of them; depth is how many lists it is in.
func (g gaps) filled(value string, t schema.Type, depth int) string {
	if t.Kind == schema.List {
		element := "element" + strconv.Itoa(depth)
		return "list_transform(" + value + ", lambda " + element + ": " + g.filled(element, *t.Elem, depth+1) + ")"
	}
	var all []string
	for _, f := range t.Fields {
		field := "struct_extract(" + value + ", " + schema.QuoteString(f.Name) + ")"
		if one := g[schema.Fold(f.Name)]; one != nil {
			field = one.in.filled(field, f.Type, depth)
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

// fields are names of fields, and of those in them.
type fields map[string]fields

// fieldsNamed returns the fields that a query takes out of what has a name.
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

// nullWith returns NULL, of a type if one is given, or of a struct if it is to have fields: then these are of the type.
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
