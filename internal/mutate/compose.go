package mutate

import (
	"errors"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// composition is a query made of pieces of a statement and of words of ours. It knows where in
// the statement each piece stood, so that an error gets the position that the user knows.
type composition struct {
	text  strings.Builder
	spans []span
}

// span is a piece of the statement: length bytes from an offset there, at an offset here.
type span struct{ at, from, length int }

func (q *composition) String() string { return q.text.String() }

// Len returns the offset at which the next piece will stand.
func (q *composition) Len() int { return q.text.Len() }

// write appends words of ours.
func (q *composition) write(words ...string) {
	for _, w := range words {
		q.text.WriteString(w)
	}
}

// copy appends the statement's text from token i up to token j.
func (q *composition) copy(c *clauses, i, j int) {
	if i >= j {
		return
	}
	start, end := c.tokens()[i].Start, c.tokens()[j-1].End
	q.spans = append(q.spans, span{q.text.Len(), start, end - start})
	q.text.WriteString(c.statement.Text[start:end])
}

// copyTokens is copy for tokens that follow one another in the statement.
func (q *composition) copyTokens(c *clauses, tokens []sqltoken.Token) {
	if len(tokens) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.tokens(), tokens[0].Start, func(t sqltoken.Token, at int) int { return t.Start - at })
	q.copy(c, i, i+len(tokens))
}

// include appends another composition of the same statement.
func (q *composition) include(other *composition) {
	at := q.text.Len()
	for _, s := range other.spans {
		q.spans = append(q.spans, span{at + s.at, s.from, s.length})
	}
	q.text.WriteString(other.String())
}

// placed moves the position of an error in the composition to the statement. A position in words of
// ours means nothing to the user.
func (q *composition) placed(err error) error {
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
