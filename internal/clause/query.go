package clause

import (
	"errors"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Query is a query that Scoter composes from pieces of a statement and text of its own. It
// records which part of the statement each piece is, so that an error gets the position in the text
// that the user wrote.
//
// Positional parameters (?, $1) get names, because the pieces may be in another order than in the
// statement, and a query may use only some of the parameters.
type Query struct {
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

func (q *Query) String() string { return q.text.String() }

// Len returns the length of the text so far in bytes, which is the offset of the next piece.
func (q *Query) Len() int { return q.text.Len() }

// Write appends text that is not from the statement.
func (q *Query) Write(words ...string) {
	for _, w := range words {
		q.text.WriteString(w)
	}
}

// Copy appends the statement's text from token i up to, but not including, token j.
func (q *Query) Copy(c *Reader, i, j int) {
	from := i
	for ; i < j; i++ {
		t := c.Tokens()[i]
		if other := c.Replaced[t.Start]; other != "" {
			q.copyText(c, from, i)
			q.Write(" ", other, " ")
			from = i + 1
			continue
		}
		if t.Kind != sqltoken.Parameter {
			continue
		}
		if q.marks == nil {
			q.marks = questionMarks(c.Tokens())
		}
		name, position := parameter(t, q.marks[i])
		if position == 0 {
			q.named = with(q.named, name, true)
			continue
		}
		q.copyText(c, from, i)
		q.positional = with(q.positional, name, position)
		q.Write(" $", name, " ")
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

// Arguments returns the arguments of the statement for the parameters that the composed query uses.
func (q *Query) Arguments(args []any) []any {
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

func (q *Query) copyText(c *Reader, i, j int) {
	if i >= j {
		return
	}
	start, end := c.Tokens()[i].Start, c.Tokens()[j-1].End
	q.spans = append(q.spans, span{q.text.Len(), start, end - start})
	q.text.WriteString(c.Statement.Text[start:end])
}

// CopyTokens appends the statement's text from the first to the last of these consecutive tokens.
func (q *Query) CopyTokens(c *Reader, tokens []sqltoken.Token) {
	if len(tokens) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.Tokens(), tokens[0].Start, func(t sqltoken.Token, at int) int { return t.Start - at })
	q.Copy(c, i, i+len(tokens))
}

// Include appends another composed query that was made from the same statement.
func (q *Query) Include(other *Query) {
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

// WithPosition translates the position of an error from the composed query to the statement. A
// position in text that the statement does not contain is removed, since it means nothing to the
// user.
func (q *Query) WithPosition(err error) error {
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

// WithoutPosition removes the position from an error about a text that Scoter composed. The user
// does not know this text.
func WithoutPosition(err error) error {
	e := new(base.Error)
	if errors.As(err, &e) {
		return e.At(0)
	}
	return err
}
