package statement

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// ConstantOf evaluates an expression once and returns its value as an SQL constant of the type t.
// It returns the empty string for NULL.
func (x *Statement) ConstantOf(expression string, t schema.Type) (string, error) {
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return "", err
	}
	defer x.Pool.Release(conn)
	rows, err := Texts(x.Ctx, conn, fmt.Sprintf("SELECT v IS NULL, coalesce(v::VARCHAR, '') FROM (SELECT CAST((%s) AS %s) AS v)", expression, t))
	if err != nil {
		return "", err
	}
	if rows[0][0] == "true" {
		return "", nil
	}
	return fmt.Sprintf("CAST(%s AS %s)", schema.QuoteString(rows[0][1]), t), nil
}

// Standalone returns an expression's text in which the parameters are replaced by their values.
func (x *Statement) Standalone(tokens []sqltoken.Token) (string, error) {
	if len(tokens) == 0 {
		return "", base.Errorf(base.Invalid, "an expression is missing")
	}
	var b strings.Builder
	text, from := x.Reader.Statement.Text, tokens[0].Start
	for _, t := range tokens {
		if t.Kind != sqltoken.Parameter {
			continue
		}
		literal, err := x.literal(t)
		if err != nil {
			return "", err
		}
		b.WriteString(text[from:t.Start] + " " + literal + " ")
		from = t.End
	}
	b.WriteString(text[from:tokens[len(tokens)-1].End])
	return b.String(), nil
}

// literal returns the value of a parameter of the statement as an SQL literal.
func (x *Statement) literal(parameter sqltoken.Token) (string, error) {
	var q clause.Query
	q.Write("SELECT typeof(v), v IS NULL, coalesce(CAST(v AS VARCHAR), '') FROM (SELECT ")
	q.CopyTokens(x.Reader, []sqltoken.Token{parameter})
	q.Write(" AS v)")
	rows, err := x.Planner.Select(x.Ctx, x.Selects(&q))
	if err != nil {
		return "", q.WithPosition(err)
	}
	defer rows.Close()
	literal := ""
	err = sqlquery.Each(x.Ctx, rows, func(rec arrow.RecordBatch) error {
		typ, null, value := rec.Column(0).ValueStr(0), rec.Column(1).(*array.Boolean).Value(0), rec.Column(2).ValueStr(0)
		if null {
			literal = "NULL"
		} else {
			literal = schema.QuoteString(strings.Clone(value))
			// VARCHAR stays an untyped literal: DuckDB gives it the type of the value that it is
			// compared with, as it does for a parameter.
			if typ != "VARCHAR" {
				literal = "CAST(" + literal + " AS " + strings.Clone(typ) + ")"
			}
		}
		return nil
	})
	return literal, err
}
