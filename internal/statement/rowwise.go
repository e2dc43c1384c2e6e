package statement

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// CheckRowwise returns an error if an expression depends on more than one row, or stands for
// several values. Such expressions are unnest, aggregates, window functions (DuckDB lists them as
// aggregates) and, except in RETURNING, stars (*).
//
// DuckDB refuses such expressions in the user's statement, but would accept some of them in the
// queries that Scoter composes. They are allowed in sub-queries of the expression. The argument
// place is the name of the clause that has the expression, for the error.
func (x *Statement) CheckRowwise(expression []sqltoken.Token, place string) error {
	for i := 0; i < len(expression); i++ {
		t := expression[i]
		var before, behind sqltoken.Token
		if i > 0 {
			before = expression[i-1]
		}
		if i+1 < len(expression) {
			behind = expression[i+1]
		}
		what := ""
		switch {
		case t.Is("(") && clause.BeginsQuery(expression[i+1:]):
			i = clause.BehindQuery(expression, i)
		case t.Is("*") && (i == 0 || slices.ContainsFunc([]string{"(", "[", ",", "."}, before.Is)), t.Is("COLUMNS") && behind.Is("("):
			if place != "RETURNING" {
				what = "a star is"
			}
		case t.IsName() && behind.Is("("):
			known, err := x.Functions.Of(x.Ctx, x.Pool)
			if err != nil {
				return err
			}
			if name := schema.Fold(t.Name()); name == "unnest" {
				what = "unnest is"
			} else if known[name].aggregate {
				what = "aggregate and window functions are"
			}
		}
		if what != "" {
			return base.Errorf(base.Invalid, "%s not allowed in %s", what, place).At(t.Start + 1).WithHint("it is allowed in a query in parentheses: (SELECT ...)")
		}
	}
	return nil
}
