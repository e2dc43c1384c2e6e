package stream

import (
	"context"
	"maps"
	"slices"
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
	with := s.unknown.nulls(messages, t.Query)
	if with == "" {
		return described{}, failed
	}
	t.Query = "WITH " + Messages + " AS (" + with + ") SELECT * FROM (" + t.Query + ") AS result"
	d, err := s.describe(ctx, t, run)
	if err != nil {
		return described{}, failed
	}
	d.untold = true
	// DESCRIBE tells INTEGER of what is NULL. Messages have none: a number of JSON is a BIGINT or DOUBLE. A column that is one all the same comes with its first value.
	d.table.Columns = slices.DeleteFunc(d.table.Columns, func(c schema.Column) bool { return c.Type.Kind == schema.Integer })
	return d, nil
}

// withoutNulls returns batches without the INTEGER columns that hold nothing but NULL, and gives up those that it is given.
func withoutNulls(batches []arrow.RecordBatch) []arrow.RecordBatch {
	for i, rec := range batches {
		fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
		for j, c := range columns {
			if c.DataType().ID() == arrow.INT32 && c.NullN() == c.Len() {
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
func (u *unknowns) nulls(t schema.Table, query string) string {
	tokens, err := sqltoken.Split(query)
	if err != nil {
		return ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var added []string
	replaced := map[string][]string{} // by column: the fields that it gets
	for _, key := range slices.Sorted(maps.Keys(u.paths)) {
		path := u.paths[key]
		last := path[len(path)-1]
		if _, lacks := withPath(t, path); !lacks || !names(tokens, last) {
			continue
		}
		switch at := t.ColumnIndex(path[0]); {
		case at < 0 && len(path) == 1:
			added = append(added, nullWith(fieldsNamed(tokens, last))+" AS "+schema.Quote(last))
		case at >= 0 && len(path) == 2 && t.Columns[at].Type.Kind == schema.Struct:
			column := t.Columns[at].Name
			replaced[column] = append(replaced[column], schema.Quote(last)+" := "+nullWith(fieldsNamed(tokens, last)))
		}
	}
	if len(added)+len(replaced) == 0 {
		return ""
	}
	star := "*"
	if len(replaced) > 0 {
		var all []string
		for _, column := range slices.Sorted(maps.Keys(replaced)) {
			quoted := schema.Quote(column)
			all = append(all, "CASE WHEN "+quoted+" IS NOT NULL THEN struct_insert("+quoted+", "+strings.Join(replaced[column], ", ")+") END AS "+quoted)
		}
		star += " REPLACE (" + strings.Join(all, ", ") + ")"
	}
	return "SELECT " + strings.Join(append([]string{star}, added...), ", ") + " FROM " + Messages
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

// nullWith returns NULL, of a struct if it is to have fields.
func nullWith(f fields) string {
	if len(f) == 0 {
		return "NULL"
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		all = append(all, schema.Quote(name)+" := "+nullWith(f[name]))
	}
	return "CASE WHEN FALSE THEN struct_pack(" + strings.Join(all, ", ") + ") END"
}
