package statement

import (
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// IsVolatile reports whether an expression may give another value each time it is evaluated, as
// random() does.
func (x *Statement) IsVolatile(expression string) (bool, error) {
	tokens, err := sqltoken.Split(expression)
	if err != nil {
		return false, err
	}
	placing, err := x.EvaluationOf(tokens)
	return placing == InLateralEach, err
}

// Evaluation is a position in a plan's query. It says where the query computes an expression that
// decides which action applies to a row.
type Evaluation uint8

const (
	// InSelectList: in the select list. Conditions refer to the action by its alias.
	InSelectList Evaluation = iota
	// InLateral: in a lateral sub-query. This is for expressions that have a sub-query themselves,
	// because DuckDB (1.5.5) cannot resolve an alias to such an expression.
	InLateral
	// InLateralEach: in a lateral sub-query that runs for each row. This is for expressions that
	// call a volatile function, such as random(). In the select list, each use of the alias would
	// compute the expression again.
	InLateralEach
)

// EvaluationOf takes an expression that decides which action applies to a row. It returns the
// position in the query at which the expression must be computed, such as InSelectList.
func (x *Statement) EvaluationOf(expression []sqltoken.Token) (p Evaluation, err error) {
	var known map[string]Function
	for i, t := range expression {
		switch {
		case t.Is("SELECT"), t.Is("FROM"), t.Is("VALUES"), t.Is("TABLE"), t.Is("WITH"):
			p = max(p, InLateral)
		case t.IsName() && i+1 < len(expression) && expression[i+1].Is("("):
			if known == nil {
				if known, err = x.Functions.Of(x.Ctx, x.Pool); err != nil {
					return p, err
				}
			}
			if known[schema.Fold(t.Name())].volatile {
				p = InLateralEach
			}
		}
	}
	return p, nil
}
