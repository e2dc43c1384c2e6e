package analyze

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// override changes the types and nullability of a query's columns as the user wants. The user says
// so by marks in aliases such as `AS "name!"`, or by entries of the YAML `result:` in a comment.
func (r *Result) override(ctx context.Context, engine Engine, b *sqlfile.Block, q *query, list *diag.List) error {
	names := []string{}
	for i := range q.found.Columns {
		c := &q.found.Columns[i]
		if notNull, marked := q.template.Aliases[c.Name]; marked {
			c.Nullable = !notNull
		}
		names = append(names, c.Name)
	}
	for _, o := range b.Overrides {
		hit := false
		for i := range q.found.Columns {
			c := &q.found.Columns[i]
			if c.Name != o.Column {
				continue
			}
			hit = true
			if o.Nullable != nil {
				c.Nullable = *o.Nullable
			} else if o.Type != "" {
				// If an entry of the YAML `result:` has only a type, the column is nullable, as in
				// SQG, the generator that Scoter replaces.
				c.Nullable = true
			}
			if o.Type == "" {
				continue
			}
			t, err := engine.Type(ctx, o.Type)
			var refused *SQLError
			if errors.As(err, &refused) {
				list.Add(b.Errorf(diag.UnknownType, o.At, o.End, "the type %q of the override does not exist: %s", o.Type, refused.Message))
				continue
			}
			if err != nil {
				return fmt.Errorf("override %s: %w", o.Column, err)
			}
			c.Type = t
		}
		if !hit {
			d := list.Add(b.Errorf(diag.BadOverride, o.At, o.End, "the result has no column %q", o.Column))
			if near := base.Nearest(o.Column, names); near != "" {
				d.Suggest("did you mean %s?", near)
			} else if len(names) > 0 {
				d.Suggest("it has %s", strings.Join(names, ", "))
			}
		}
	}
	return nil
}

// checkShape reports an error if generated code cannot express a query's result, for example
// because two columns have the same name.
func checkShape(b *sqlfile.Block, q *query, list *diag.List) {
	columns := q.found.Columns
	if b.Kind == sqlfile.Exec {
		return
	}
	if len(columns) == 0 {
		list.Add(b.NameErrorf(diag.WrongShape, "QUERY %s returns no columns", b.Name).Suggest("write -- EXEC %s, or add RETURNING", b.Name))
		return
	}
	if b.Pluck {
		if len(columns) != 1 {
			list.Add(b.NameErrorf(diag.WrongShape, ":pluck needs exactly one column, %s has %d", b.Name, len(columns)).
				Suggest("select one column or remove :pluck"))
		}
		return
	}
	seen := map[string]ColumnInfo{}
	for i, c := range columns {
		n := ir.NewName(c.Name)
		if c.nameless() && len(columns) > 1 {
			list.Add(b.NameErrorf(diag.MissingAlias, "column %d of %s has no name (%s)", i+1, b.Name, shorten(c.Name)).
				Suggest("give it one: AS some_name"))
			continue
		}
		if other, taken := seen[n.Key()]; taken {
			what := fmt.Sprintf("two columns of %s are named %s", b.Name, c.Name)
			if other.Name != c.Name {
				what = fmt.Sprintf("the columns %s and %s of %s become the same name in code", other.Name, c.Name, b.Name)
			}
			list.Add(b.NameErrorf(diag.DuplicateColumn, "%s", what).Suggest("give one of them another name: AS some_name"))
		}
		seen[n.Key()] = c
	}
}

// nameless reports whether a column has no name that code can use: the engine only made a name from
// the text of its expression.
func (c *ColumnInfo) nameless() bool { return c.Unnamed && !nameable(c.Name) }

// nameable reports whether s, the text of an expression, can serve as a column's name. `count`,
// `count(*)` and `max(age)` can, but `a + 1` and `?column?` cannot.
func nameable(s string) bool {
	depth := 0
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '*' && depth > 0, r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '.' && depth > 0, r == '"' && depth > 0:
		case r >= '0' && r <= '9' && i > 0:
		default:
			return false
		}
	}
	return len(s) <= 40 && s != ""
}

func shorten(s string) string {
	if r := []rune(strings.Join(strings.Fields(s), " ")); len(r) > 30 {
		return string(r[:30]) + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}
