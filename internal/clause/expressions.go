package clause

import (
	"slices"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

// BehindQuery returns the index of the bracket that closes the query whose opening bracket is the
// token i. If more follows that belongs to the query, such as UNION, it returns the closing bracket
// around the whole query.
func BehindQuery(tokens []sqltoken.Token, i int) int {
	for {
		end := sqltoken.Next(tokens, i+1, tokens[i].Depth, ")")
		if end < 0 || end+1 >= len(tokens) || i == 0 || !tokens[i-1].Is("(") || !slices.ContainsFunc(behindOperands, tokens[end+1].Is) {
			return end
		}
		i--
	}
}

// BeginsQuery reports whether tokens begin a query. VALUES begins one only if a bracket follows,
// since VALUES may also be the name of a column.
func BeginsQuery(tokens []sqltoken.Token) bool {
	if len(tokens) == 0 {
		return false
	}
	return slices.ContainsFunc(queryWords, tokens[0].Is) || len(tokens) > 1 && tokens[0].Is("VALUES") && tokens[1].Is("(")
}

// HasQuery reports whether an expression contains a query.
func HasQuery(expression []sqltoken.Token) bool {
	for i, t := range expression {
		if t.Is("(") && BeginsQuery(expression[i+1:]) {
			return true
		}
	}
	return false
}

// behindOperands lists words that can follow a query in brackets if this query is only the first
// part of a larger query.
var behindOperands = []string{"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET"}

// queryWords lists the words that begin a query and never an expression.
var queryWords = []string{"SELECT", "FROM", "WITH", "TABLE", "DESCRIBE", "SHOW", "SUMMARIZE", "PIVOT", "UNPIVOT"}

// QueryStarters lists the words that begin a query or VALUES. An expression without any of these
// words names no other table.
var QueryStarters = append([]string{"VALUES"}, queryWords...)
