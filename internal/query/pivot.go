package query

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// maxPivotValues is the maximum number of values that Scoter lists for one expression of a PIVOT.
// Each value becomes a column.
const maxPivotValues = 10_000

// A PIVOT that does not list its values (PIVOT t ON c) is rewritten into one that lists them.
// DuckDB itself runs it as several statements, the first of which creates a type from the values. A
// single SELECT cannot do this.

// pivotElement is an expression behind ON in a PIVOT, if the statement does not list the values of
// the expression.
type pivotElement struct {
	values     string // the SQL of a query that returns the values as VARCHAR
	start, end int    // the byte offsets of the text that "IN (values)" replaces
}

// analyzePivots analyzes a statement that has a PIVOT without listed values. DuckDB's parser does
// not accept such a statement as a single SELECT.
func (r *Runner) analyzePivots(ctx context.Context, conn *duck.Conn, req sqlquery.Request) (*analysis, error) {
	text, expanded := req.SQL, []sqltoken.Edits(nil)
	for {
		tokens, err := sqltoken.Split(text)
		if err != nil {
			return nil, err
		}
		pivot, elements := lastOpenPivot(text, tokens)
		if len(elements) == 0 {
			break
		}
		var edits sqltoken.Edits
		empty := false
		for _, e := range elements {
			values, err := r.pivotValues(ctx, conn, req, e.values)
			if err != nil {
				return nil, err
			}
			if len(values) == 0 {
				empty, values = true, []string{schema.QuoteString(noValue)}
			}
			edits = append(edits, sqltoken.Edit{Start: e.start, End: e.end, Text: " IN (" + strings.Join(values, ", ") + ")"})
		}
		if empty {
			edits = append(edits, withoutNoValue(tokens, pivot)...)
		}
		text = edits.Apply(text)
		expanded = append(expanded, edits)
	}
	if len(expanded) == 0 {
		return nil, base.Errorf(base.Invalid, "only a query is allowed here").At(1)
	}
	a, err := analyze(conn, text, req.ReadFiles)
	if err != nil {
		return nil, withPosition(err, func(at int) int { return originalOffset(expanded, at) })
	}
	a.expanded = append(expanded, a.expanded...)
	return a, nil
}

// noValue is listed as the only value of an expression of a PIVOT that has no values at all,
// because IN () is not valid SQL. The columns whose names contain it are removed from the result.
const noValue = "scoter_no_value"

// withoutNoValue returns edits that put the PIVOT at token i into a query. This query removes the
// columns whose names contain noValue.
func withoutNoValue(tokens []sqltoken.Token, i int) sqltoken.Edits {
	end := i + 1
	for end < len(tokens) && tokens[end].Depth >= tokens[i].Depth && !combines(tokens[end], tokens[i].Depth) {
		end++
	}
	return sqltoken.Edits{
		{Start: tokens[i].Start, End: tokens[i].Start, Text: "SELECT COLUMNS(c -> NOT contains(c, " + schema.QuoteString(noValue) + ")) FROM ("},
		{Start: tokens[end-1].End, End: tokens[end-1].End, Text: ")"},
	}
}

// combines reports whether a token combines two queries, as UNION does. depth is the number of
// brackets around these queries; a token at another depth does not count.
func combines(t sqltoken.Token, depth int) bool {
	return t.Depth == depth && (t.Is("UNION") || t.Is("EXCEPT") || t.Is("INTERSECT"))
}

// originalOffset translates an offset in the analyzed text to an offset in the user's text.
// expanded are the edits that turned the user's text into the analyzed one.
func originalOffset(expanded []sqltoken.Edits, at int) int {
	for _, edits := range slices.Backward(expanded) {
		at, _ = edits.Origin(at)
	}
	return at
}

// pivotValues runs a query for the values of a PIVOT's expression, and returns them as SQL
// literals. Its errors have no position, because the user did not write that query.
func (r *Runner) pivotValues(ctx context.Context, conn *duck.Conn, req sqlquery.Request, sql string) ([]string, error) {
	req.SQL = sql
	if !hasParameters(sql) {
		req.Args = nil
	}
	result, err := r.runOn(ctx, conn, req)
	if err != nil {
		if e := new(base.Error); errors.As(err, &e) {
			err = e.At(0)
		}
		return nil, err
	}
	defer result.Close()
	var values []string
	seen := map[string]bool{}
	for {
		rec, err := result.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range int(rec.NumRows()) {
			// A value is listed once, although the query of IN (query) may return it several times.
			if value := schema.QuoteString(rec.Column(0).ValueStr(i)); !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
		rec.Release()
		if len(values) > maxPivotValues {
			return nil, base.Errorf(base.Invalid, "PIVOT would make more than %d columns", maxPivotValues).
				WithHint("list the values that you need: ON ... IN (...)")
		}
	}
	return values, nil
}

func hasParameters(sql string) bool {
	tokens, err := sqltoken.Split(sql)
	return err != nil || slices.ContainsFunc(tokens, func(t sqltoken.Token) bool { return t.Kind == sqltoken.Parameter })
}

// lastOpenPivot finds the last PIVOT in the text that has expressions without listed values. It
// returns the index of the PIVOT's token, and these expressions. The last one is taken because an
// inner PIVOT, which an outer one reads, must be expanded first.
func lastOpenPivot(text string, tokens []sqltoken.Token) (pivot int, elements []pivotElement) {
	for i := len(tokens) - 1; i >= 0; i-- {
		if !tokens[i].Is("PIVOT") && !tokens[i].Is("PIVOT_WIDER") {
			continue
		}
		on := sqltoken.Next(tokens, i+1, tokens[i].Depth, "ON")
		if on < 0 || on == i+1 || withinFrom(tokens, i) {
			continue
		}
		input := text[tokens[i+1].Start:tokens[on-1].End]
		for from := on + 1; from < len(tokens); {
			to := elementEnd(tokens, from)
			if e, ok := openElement(text, tokens, from, to, input); ok {
				e.values = withCTEs(text, tokens, i, e.values)
				elements = append(elements, e)
			}
			if to >= len(tokens) || !tokens[to].Is(",") {
				break
			}
			from = to + 1
		}
		if len(elements) > 0 {
			return i, elements
		}
	}
	return -1, nil
}

// withinFrom reports whether a PIVOT has the form t PIVOT (sum(x) FOR c IN (...)), which always
// lists its values.
func withinFrom(tokens []sqltoken.Token, pivot int) bool {
	depth := tokens[pivot].Depth
	if !tokens[pivot+1].Is("(") {
		return false
	}
	for _, t := range tokens[pivot+2:] {
		switch {
		case t.Depth == depth:
			return false
		case t.Depth == depth+1 && t.Is("FOR"):
			return true
		}
	}
	return false
}

// elementEnd returns the index of the token that ends the expression behind ON in a PIVOT. The
// argument from is the index of the expression's first token.
func elementEnd(tokens []sqltoken.Token, from int) int {
	depth := tokens[from].Depth
	for i := from; i < len(tokens); i++ {
		t := tokens[i]
		if t.Depth < depth {
			return i
		}
		if t.Depth != depth {
			continue
		}
		for _, word := range []string{",", "USING", "GROUP", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT"} {
			if t.Is(word) {
				return i
			}
		}
	}
	return len(tokens)
}

// openElement returns an expression behind ON in a PIVOT, if its values are not listed.
// tokens[from:to] has the expression. If IN and a query follow it there, the query gives the
// values. ok is false if the values are listed.
func openElement(text string, tokens []sqltoken.Token, from, to int, input string) (pivotElement, bool) {
	if from >= to {
		return pivotElement{}, false
	}
	in := sqltoken.Next(tokens[:to], from, tokens[from].Depth, "IN")
	if in < 0 {
		expression := text[tokens[from].Start:tokens[to-1].End]
		return pivotElement{
			values: "SELECT DISTINCT CAST(" + expression + " AS VARCHAR) AS scoter_pivot FROM " + input + " WHERE scoter_pivot IS NOT NULL ORDER BY scoter_pivot",
			start:  tokens[to-1].End, end: tokens[to-1].End,
		}, true
	}
	if in+2 >= to || !tokens[in+1].Is("(") {
		return pivotElement{}, false
	}
	for _, word := range []string{"SELECT", "FROM", "WITH", "VALUES"} {
		if tokens[in+2].Is(word) {
			query := text[tokens[in+1].Start:tokens[to-1].End]
			return pivotElement{
				values: "SELECT CAST(v AS VARCHAR) FROM " + query + " AS scoter_pivot(v) WHERE v IS NOT NULL",
				start:  tokens[in-1].End, end: tokens[to-1].End,
			}, true
		}
	}
	return pivotElement{}, false
}

// withCTEs returns a query with all CTEs in front of it that are visible at a token. They are the
// CTEs of all brackets around the token, the innermost last.
func withCTEs(text string, tokens []sqltoken.Token, at int, query string) string {
	for depth := tokens[at].Depth; depth >= 0; depth-- {
		start := at
		for start > 0 && tokens[start-1].Depth >= depth {
			start--
		}
		first := start
		for first < at && tokens[first].Depth == depth && (tokens[first].Is("EXPLAIN") || tokens[first].Is("ANALYZE") || tokens[first].Is("DESCRIBE") || tokens[first].Is("SUMMARIZE")) {
			first++
		}
		seen := first
		for _, end := range sqltoken.CTEs(tokens, first) {
			if end <= at {
				seen = end
			}
		}
		if seen > first {
			query = text[tokens[first].Start:tokens[seen-1].End] + " SELECT * FROM (" + query + ")"
		}
	}
	return query
}
