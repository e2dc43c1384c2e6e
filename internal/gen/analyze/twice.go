package analyze

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// prefixed renames result columns whose names occur twice, by adding the table's alias as a prefix,
// for example `u.id AS u_id`. It applies to items of the form `t.name`, `t.*` and `*`. If there is
// no such item, or if the select list has an unknown form, it changes nothing, and checkShape
// reports the error.
func (r *Result) prefixed(ctx context.Context, engine Engine, b *sqlfile.Block, q *query) error {
	twice := repeated(q.found.Columns)
	if b.Kind != sqlfile.Query || len(twice) == 0 {
		return nil
	}
	b, err := r.starred(ctx, engine, b, q)
	if err != nil {
		return err
	}
	items := sqlfile.SelectList(b.Body)
	if len(items) == 0 {
		return nil
	}
	body, at, changed := []sqlfile.Token{}, 0, false
	column := 0
	for i, item := range items {
		names, err := r.namesOf(ctx, engine, b, items, i)
		if err != nil || names == nil {
			return err
		}
		if column+len(names) > len(q.found.Columns) {
			return nil
		}
		text := r.renamed(b, item, names, twice)
		column += len(names)
		if text == "" {
			continue
		}
		body = append(append(body, b.Body[at:item.From]...), sqlfile.Token{Kind: sqlfile.Ident, Start: b.Body[item.From].Start, Text: text})
		at, changed = item.To, true
	}
	if !changed || column != len(q.found.Columns) {
		return nil
	}
	renamed, err := r.describeAs(ctx, engine, b, append(body, b.Body[at:]...))
	if renamed != nil {
		*q = *renamed
	}
	return err
}

// starred returns a block in which `*` is replaced by `u.*, p.*`, one star for each table. If the
// result would have other columns, as for a join with USING, it returns the block unchanged.
func (r *Result) starred(ctx context.Context, engine Engine, b *sqlfile.Block, q *query) (*sqlfile.Block, error) {
	body := sqlfile.Stars(b.Body, sqlfile.SelectList(b.Body))
	if body == nil {
		return b, nil
	}
	apart, err := r.describeAs(ctx, engine, b, body)
	if err != nil || apart == nil {
		return b, err
	}
	if !slices.EqualFunc(apart.found.Columns, q.found.Columns, func(a, b ColumnInfo) bool { return a.Name == b.Name }) {
		return b, nil
	}
	changed := *b
	changed.Body = body
	return &changed, nil
}

// repeated returns the names, in the form of ir.Name.Key, that more than one column has in code.
func repeated(columns []ColumnInfo) map[string]bool {
	count, twice := map[string]int{}, map[string]bool{}
	for _, c := range columns {
		key := ir.NewName(c.Name).Key()
		if count[key]++; count[key] > 1 {
			twice[key] = true
		}
	}
	return twice
}

// namesOf returns the names of the columns that an item of the select list (items[which]) stands
// for, or nil if they are unknown. For `t.*` it asks the engine to describe the statement with all
// other stars replaced by NULL.
func (r *Result) namesOf(ctx context.Context, engine Engine, b *sqlfile.Block, items []sqlfile.Item, which int) ([]string, error) {
	if !items[which].Star {
		return []string{""}, nil
	}
	var body []sqlfile.Token
	at := 0
	for i, item := range items {
		if item.Star && i != which {
			body = append(append(body, b.Body[at:item.From]...), sqlfile.Token{Kind: sqlfile.Word, Start: b.Body[item.From].Start, Text: "NULL"})
			at = item.To
		}
	}
	alone, err := r.describeAs(ctx, engine, b, append(body, b.Body[at:]...))
	if alone == nil {
		return nil, err
	}
	width := len(alone.found.Columns) - (len(items) - 1)
	names := []string{}
	for _, c := range alone.found.Columns[which : which+width] {
		names = append(names, c.Name)
	}
	return names, nil
}

// renamed returns the text of an item of the select list, with new names for the columns in twice.
// names are the columns of the item. It returns "" if none of them is in twice.
func (r *Result) renamed(b *sqlfile.Block, item sqlfile.Item, names []string, twice map[string]bool) string {
	if item.Table == "" {
		return ""
	}
	tokens := b.Body[item.From:item.To]
	table := r.text(tokens[:len(tokens)-1]) // the table's alias and the dot
	var parts []string
	changed := false
	for _, name := range names {
		part := table + r.quote(name)
		if !item.Star {
			name = tokens[len(tokens)-1].Unquote()
			part = r.text(tokens)
		}
		if twice[ir.NewName(name).Key()] {
			part += " AS " + r.quote(item.Table+"_"+name)
			changed = true
		}
		parts = append(parts, part)
	}
	if !changed {
		return ""
	}
	return strings.Join(parts, ", ")
}

// describeAs asks the engine to describe a block with another body. It returns nil if the engine
// refuses it.
func (r *Result) describeAs(ctx context.Context, engine Engine, b *sqlfile.Block, body []sqlfile.Token) (*query, error) {
	changed := *b
	changed.Body = body
	template := changed.Template(r.input.Constants, r.inSyntax())
	found, err := engine.Describe(ctx, statementOf(b, template))
	var refused *SQLError
	if errors.As(err, &refused) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("describe with other names: %w", err)
	}
	return &query{template: template, found: found}, nil
}
