package mutate

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// composedQuery is a query that Scoter composes from pieces of a statement and text of its own. It
// records which part of the statement each piece is, so that an error gets the position in the text
// that the user wrote.
//
// Positional parameters (?, $1) get names, because the pieces may be in another order than in the
// statement, and a query may use only some of the parameters.
type composedQuery struct {
	text  strings.Builder
	spans []span
	// positional maps the name of each positional parameter to its position in the statement, from
	// 1.
	positional map[string]int
	named      map[string]bool // names of named parameters
	// marks[i] is the number of ? parameters up to and including token i of the statement. It is
	// nil until it is needed.
	marks []int
}

// span is a piece of the statement in a composed query: its offset in the composed query (at), its
// offset in the statement (from), and its length, all in bytes.
type span struct{ at, from, length int }

func (q *composedQuery) String() string { return q.text.String() }

// Len returns the length of the text so far in bytes, which is the offset of the next piece.
func (q *composedQuery) Len() int { return q.text.Len() }

// write appends text that is not from the statement.
func (q *composedQuery) write(words ...string) {
	for _, w := range words {
		q.text.WriteString(w)
	}
}

// copy appends the statement's text from token i up to, but not including, token j.
func (q *composedQuery) copy(c *clauses, i, j int) {
	from := i
	for ; i < j; i++ {
		t := c.tokens()[i]
		if other := c.replaced[t.Start]; other != "" {
			q.copyText(c, from, i)
			q.write(" ", other, " ")
			from = i + 1
			continue
		}
		if t.Kind != sqltoken.Parameter {
			continue
		}
		if q.marks == nil {
			q.marks = questionMarks(c.tokens())
		}
		name, position := parameter(t, q.marks[i])
		if position == 0 {
			q.named = with(q.named, name, true)
			continue
		}
		q.copyText(c, from, i)
		q.positional = with(q.positional, name, position)
		q.write(" $", name, " ")
		from = i + 1
	}
	q.copyText(c, from, j)
}

func with[T any](m map[string]T, key string, value T) map[string]T {
	if m == nil {
		m = map[string]T{}
	}
	m[key] = value
	return m
}

// questionMarks returns, for each token, the number of ? parameters up to and including it.
func questionMarks(tokens []sqltoken.Token) []int {
	out := make([]int, len(tokens))
	n := 0
	for i, t := range tokens {
		if t.Kind == sqltoken.Parameter && t.Text() == "?" {
			n++
		}
		out[i] = n
	}
	return out
}

// parameter takes the token of a parameter. It returns the name under which the parameter is passed
// to DuckDB, and the number of its argument in the statement, from 1. That number is 0 for a named
// parameter. For a ?, the argument mark is that number.
func parameter(t sqltoken.Token, mark int) (name string, position int) {
	if t.Text() == "?" {
		return positionalName(mark), mark
	}
	name = t.Text()[1:]
	switch {
	case strings.HasPrefix(name, `"`):
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`), 0
	case name != "" && name[0] <= '9':
		if position, err := strconv.Atoi(strings.ReplaceAll(name, "_", "")); err == nil {
			return positionalName(position), position
		}
	}
	return name, 0
}

func positionalName(position int) string { return "scoter_" + strconv.Itoa(position) }

// arguments returns the arguments of the statement for the parameters that the composed query uses.
func (q *composedQuery) arguments(args []any) []any {
	out := map[string]any{}
	named, _ := first(args).(map[string]any)
	for name := range q.named {
		if v, ok := named[name]; ok {
			out[name] = v
		}
	}
	for name, position := range q.positional {
		if position <= len(args) {
			out[name] = args[position-1]
		}
	}
	if len(q.named)+len(q.positional) == 0 {
		return nil
	}
	return []any{out}
}

func first(args []any) any {
	if len(args) != 1 {
		return nil
	}
	return args[0]
}

// checkArguments fails if there are more or fewer arguments than the statement has parameters.
func checkArguments(tokens []sqltoken.Token, args []any) error {
	n := 0
	names, marks := map[string]bool{}, questionMarks(tokens)
	for i, t := range tokens {
		if t.Kind == sqltoken.Parameter {
			name, position := parameter(t, marks[i])
			n = max(n, position)
			if position == 0 {
				names[name] = true
			}
		}
	}
	if named, ok := first(args).(map[string]any); ok && (len(named) > 0 || len(names) > 0) && n == 0 {
		for name := range names {
			if _, ok := named[name]; !ok {
				return base.Errorf(base.Invalid, "no value for parameter $%s", name)
			}
		}
		n, args = len(names), make([]any, len(named))
	}
	if n != len(args) {
		return duck.ErrParameters(n, len(args))
	}
	return nil
}

func (q *composedQuery) copyText(c *clauses, i, j int) {
	if i >= j {
		return
	}
	start, end := c.tokens()[i].Start, c.tokens()[j-1].End
	q.spans = append(q.spans, span{q.text.Len(), start, end - start})
	q.text.WriteString(c.statement.Text[start:end])
}

// copyTokens appends the statement's text from the first to the last of these consecutive tokens.
func (q *composedQuery) copyTokens(c *clauses, tokens []sqltoken.Token) {
	if len(tokens) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.tokens(), tokens[0].Start, func(t sqltoken.Token, at int) int { return t.Start - at })
	q.copy(c, i, i+len(tokens))
}

// include appends another composed query that was made from the same statement.
func (q *composedQuery) include(other *composedQuery) {
	at := q.text.Len()
	for _, s := range other.spans {
		q.spans = append(q.spans, span{at + s.at, s.from, s.length})
	}
	q.text.WriteString(other.String())
	for name, position := range other.positional {
		q.positional = with(q.positional, name, position)
	}
	for name := range other.named {
		q.named = with(q.named, name, true)
	}
}

// withPosition translates the position of an error from the composed query to the statement. A
// position in text that the statement does not contain is removed, since it means nothing to the
// user.
func (q *composedQuery) withPosition(err error) error {
	e := new(base.Error)
	if !errors.As(err, &e) || e.Position == 0 {
		return err
	}
	at := e.Position - 1
	for _, s := range q.spans {
		if at >= s.at && at < s.at+s.length {
			return e.At(at - s.at + s.from + 1)
		}
	}
	return e.At(0)
}

// argument returns the value of a parameter, or nil if there is none. The
// argument tokens has all tokens of the statement, and args has its arguments.
func argument(tokens []sqltoken.Token, args []any, t sqltoken.Token) any {
	mark := 0
	for _, other := range tokens {
		if other.Start <= t.Start && other.Kind == sqltoken.Parameter && other.Text() == "?" {
			mark++
		}
	}
	name, position := parameter(t, mark)
	if position == 0 {
		named, _ := first(args).(map[string]any)
		return named[name]
	}
	if position > len(args) {
		return nil
	}
	return args[position-1]
}

// withoutPosition removes the position from an error about a text that Scoter composed. The user
// does not know this text.
func withoutPosition(err error) error {
	e := new(base.Error)
	if errors.As(err, &e) {
		return e.At(0)
	}
	return err
}
