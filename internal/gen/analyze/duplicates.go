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

// renameDuplicates renames the result columns of a query that have the same name. It adds the
// table's alias as a prefix, for example `u.id AS u_id`. It changes items of the select list that
// have the form `t.name`, `t.*` or `*`. If there is no such item, or if the select list has an
// unknown form, it changes nothing, and checkShape reports the error.
func (r *Result) renameDuplicates(ctx context.Context, engine Engine, b *sqlfile.Block, q *query) error {
	twice := duplicateNames(q.found.Columns)
	if b.Kind != sqlfile.Query || len(twice) == 0 {
		return nil
	}
	b, err := r.expandStar(ctx, engine, b, q)
	if err != nil {
		return err
	}
	items := sqlfile.SelectList(b.Body)
	if len(items) == 0 {
		return nil
	}
	names := make([][]string, len(items))
	column := 0
	for i, item := range items {
		if names[i], err = r.columnNames(ctx, engine, b, items, i); err != nil || names[i] == nil {
			return err
		}
		if !item.Star && item.Table != "" {
			names[i] = []string{b.Body[item.To-1].Unquote()}
		}
		if column += len(names[i]); column > len(q.found.Columns) {
			return nil
		}
	}
	alsoRename(items, names, twice)
	body, at, changed := []sqlfile.Token{}, 0, false
	for i, item := range items {
		text := r.renamedItem(b, item, names[i], twice)
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

// expandStar returns block b with each `*` in the select list replaced by `u.*, p.*`, one star for
// each table. If the query would then have other result columns, as for a join with USING, it
// returns the block unchanged.
func (r *Result) expandStar(ctx context.Context, engine Engine, b *sqlfile.Block, q *query) (*sqlfile.Block, error) {
	body := sqlfile.ExpandStars(b.Body, sqlfile.SelectList(b.Body))
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

// duplicateNames returns the names that more than one of the columns would have in code, in the
// form of ir.Name.Key.
func duplicateNames(columns []ColumnInfo) map[string]bool {
	count, twice := map[string]int{}, map[string]bool{}
	for _, c := range columns {
		key := ir.NewName(c.Name).Key()
		if count[key]++; count[key] > 1 {
			twice[key] = true
		}
	}
	return twice
}

// alsoRename adds names to twice, the names of the columns to rename, until no renamed column has
// the name of another column. For example, `user.id` becomes `user_id`. If post has a column
// `user_id`, this column must become `post_user_id`. names are the columns of each item.
func alsoRename(items []sqlfile.SelectItem, names [][]string, twice map[string]bool) {
	for before := -1; before < len(twice); {
		before = len(twice)
		renamed := map[string]bool{}
		for i, item := range items {
			for _, name := range names[i] {
				if item.Table != "" && twice[ir.NewName(name).Key()] {
					renamed[ir.NewName(item.Table+"_"+name).Key()] = true
				}
			}
		}
		for i, item := range items {
			for _, name := range names[i] {
				if key := ir.NewName(name).Key(); item.Table != "" && renamed[key] {
					twice[key] = true
				}
			}
		}
	}
}

// columnNames returns the names of the columns that one item of a select list, items[which], stands
// for. It returns nil if they are unknown. For `t.*` it asks the engine to describe the statement
// with all other stars replaced by NULL.
func (r *Result) columnNames(ctx context.Context, engine Engine, b *sqlfile.Block, items []sqlfile.SelectItem, which int) ([]string, error) {
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

// renamedItem returns an item of a select list as text, with new names for some of its columns.
// names are the columns that the item stands for. The parameter named twice has the names to
// change: those that occur more than once in the result. renamedItem returns "" if no column of the
// item has such a name.
func (r *Result) renamedItem(b *sqlfile.Block, item sqlfile.SelectItem, names []string, twice map[string]bool) string {
	if item.Table == "" {
		return ""
	}
	tokens := b.Body[item.From:item.To]
	table := r.text(tokens[:len(tokens)-1]) // the alias of the table and the dot
	var parts []string
	changed := false
	for _, name := range names {
		part := table + r.quote(name)
		if !item.Star {
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

// describeAs asks the engine to describe block b with another SQL text. It returns nil if the
// engine refuses it.
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
