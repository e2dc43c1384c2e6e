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
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// maxPivotValues is the maximum number of values that Scoter lists for one expression of a PIVOT.
// Each value becomes a column.
const maxPivotValues = 10_000

// A PIVOT that does not list its values (PIVOT t ON c) is rewritten as one that does. DuckDB runs
// it as several statements, the first of which makes a type of the values. A single SELECT cannot
// do this.

// pivotElement is an expression after a PIVOT's ON whose values are not listed.
type pivotElement struct {
	values     string // a query that returns the values as VARCHAR
	start, end int    // the range of the text that "IN (values)" replaces
}

// analyzePivots analyzes a statement that DuckDB's parser does not accept as a single SELECT,
// because it has a PIVOT without listed values.
func (r *Runner) analyzePivots(ctx context.Context, conn *duck.Conn, req Request) (*analysis, error) {
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
		return nil, base.Errorf(base.Invalid, "only a query can stand here").At(1)
	}
	a, err := analyze(conn, text, req.ReadFiles)
	if err != nil {
		return nil, relocated(err, func(at int) int { return unexpanded(expanded, at) })
	}
	a.expanded = append(expanded, a.expanded...)
	return a, nil
}

// noValue stands in the list of values of a PIVOT's expression that has no values at all, since IN
// () is not valid SQL. The columns whose names contain it are removed from the result.
const noValue = "scoter_no_value"

// withoutNoValue returns the edits that wrap the PIVOT at token i in a query that removes the
// columns of noValue.
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

// combines reports whether a token at this depth combines two queries, as UNION does.
func combines(t sqltoken.Token, depth int) bool {
	return t.Depth == depth && (t.Is("UNION") || t.Is("EXCEPT") || t.Is("INTERSECT"))
}

// unexpanded translates an offset in the text after all edits (analysis.expanded) to an offset in
// the user's text.
func unexpanded(expanded []sqltoken.Edits, at int) int {
	for _, edits := range slices.Backward(expanded) {
		at, _ = edits.Origin(at)
	}
	return at
}

// pivotValues runs a query for the values of a PIVOT's expression, and returns them as SQL
// literals. Its errors have no position, because the user did not write that query.
func (r *Runner) pivotValues(ctx context.Context, conn *duck.Conn, req Request, sql string) ([]string, error) {
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
			// An IN with a query may give a value several times.
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

// lastOpenPivot returns the index of the token of the last PIVOT in the text that has expressions
// without listed values, and these expressions. The last one is taken because an inner PIVOT, which
// is the source of an outer one, must be expanded first.
func lastOpenPivot(text string, tokens []sqltoken.Token) (pivot int, elements []pivotElement) {
	for i := len(tokens) - 1; i >= 0; i-- {
		if !tokens[i].Is("PIVOT") && !tokens[i].Is("PIVOT_WIDER") {
			continue
		}
		on := sqltoken.Next(tokens, i+1, tokens[i].Depth, "ON")
		if on < 0 || on == i+1 || withinFrom(tokens, i) {
			continue
		}
		source := text[tokens[i+1].Start:tokens[on-1].End]
		for from := on + 1; from < len(tokens); {
			to := elementEnd(tokens, from)
			if e, ok := openElement(text, tokens, from, to, source); ok {
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

// elementEnd returns the index of the token that ends an expression after a PIVOT's ON.
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

// openElement returns the expression between two tokens after a PIVOT's ON, if its values are not
// listed: it is an expression alone, or an expression IN a query. Otherwise it returns false.
func openElement(text string, tokens []sqltoken.Token, from, to int, source string) (pivotElement, bool) {
	if from >= to {
		return pivotElement{}, false
	}
	in := sqltoken.Next(tokens[:to], from, tokens[from].Depth, "IN")
	if in < 0 {
		expression := text[tokens[from].Start:tokens[to-1].End]
		return pivotElement{
			values: "SELECT DISTINCT CAST(" + expression + " AS VARCHAR) AS scoter_pivot FROM " + source + " WHERE scoter_pivot IS NOT NULL ORDER BY scoter_pivot",
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

// withCTEs puts in front of a query all CTEs that are visible at a token. These are the CTEs of
// every bracket around the token, the innermost last.
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
