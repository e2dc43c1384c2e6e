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

// inSyntax returns the SQL in which the engine tests whether a value is in a list, if the list is
// one parameter.
func (r *Result) inSyntax() sqlfile.ListParameterSyntax {
	if r.input.Engine == ir.SQLite {
		return sqlfile.InJSON
	}
	return sqlfile.InArray
}

// statementOf makes a Statement of the SQL of block b. Engines take statements in this form.
// template is the SQL of the block, divided into text and parameters.
func statementOf(b *sqlfile.Block, template *sqlfile.Template) *Statement {
	s := &Statement{Verb: ir.VerbQuery, Pieces: template.Pieces}
	if b.Kind == sqlfile.Exec {
		s.Verb = ir.VerbExec
	}
	for i, p := range template.Params {
		s.Params = append(s.Params, Sample{Name: p.Name, Value: p.Value, Null: p.Null, Nullable: p.Nullable(), In: template.In[i], List: p.List})
	}
	return s
}

// describe asks the engine for the parameters and columns of block b, a QUERY or EXEC block, and
// stores them in the result. Errors in the block are added to list.
func (r *Result) describe(ctx context.Context, engine Engine, b *sqlfile.Block, list *diag.List) error {
	q := &query{template: b.Template(r.input.Constants, r.inSyntax())}
	s := statementOf(b, q.template)
	found, err := engine.Describe(ctx, s)
	if err != nil {
		var refused *SQLError
		if !errors.As(err, &refused) {
			return err
		}
		from, to := errorToken(b, refused.Message)
		if refused.Offset >= 0 {
			from, to = word(b, refused.Offset)
		}
		d := list.Add(b.Errorf(diag.SQLInvalid, from, to, "%s", refused.Message))
		if d.Suggestion = refused.Hint; d.Suggestion == "" {
			return suggestTable(ctx, engine, d, b.File.Text.Text[from:to])
		}
		return nil
	}
	q.found = found
	if len(found.Params) != len(s.Params) {
		return fmt.Errorf("the engine described %d of %d parameters", len(found.Params), len(s.Params))
	}
	if err := r.renameDuplicates(ctx, engine, b, q); err != nil {
		return err
	}
	if q.nullable, err = r.nullableParams(ctx, engine, b, q.template); err != nil {
		return err
	}
	var own diag.List
	if err := r.override(ctx, engine, b, q, &own); err != nil {
		return err
	}
	checkShape(b, q, &own)
	for _, d := range own.All() {
		list.Add(d)
	}
	if !own.HasErrors() {
		r.queries[b] = q
	}
	return nil
}

// suggestTable adds a suggestion to d, an error about an unknown table, if an existing table has a
// similar name. name is the name of the unknown table.
func suggestTable(ctx context.Context, engine Engine, d *diag.Diagnostic, name string) error {
	message := strings.ToLower(d.Message)
	if !strings.Contains(message, "relation") && !strings.Contains(message, "table") {
		return nil
	}
	names, err := engine.Tables(ctx)
	if err != nil {
		return err
	}
	for _, word := range append([]string{name}, strings.FieldsFunc(d.Message, func(r rune) bool { return !isNameRune(r) })...) {
		if near := base.Nearest(word, names); near != "" && !strings.EqualFold(near, word) {
			d.Suggest("did you mean %s?", near)
			return nil
		}
	}
	return nil
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 127
}

// errorToken returns the byte range in the file that an engine's error is about. It is for errors
// whose position the engine does not report. If the message ends with a name, as in `no such table:
// usres`, the range is that of this name in the SQL of block b. Otherwise it is the whole
// statement.
func errorToken(b *sqlfile.Block, message string) (from, to int) {
	for _, t := range b.Body {
		if (t.Kind == sqlfile.Word || t.Kind == sqlfile.Ident) && strings.HasSuffix(message, ": "+t.Unquote()) {
			return t.Start, t.End()
		}
	}
	return b.Body[0].Start, b.Body[len(b.Body)-1].End()
}
