package mutate

import (
	"errors"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// clauses reads a statement's tokens from left to right. DuckDB's parser has already accepted the
// statement. So a token that is unexpected here belongs to a form that Scoter does not support.
type clauses struct {
	statement sqltoken.Statement
	at        int
	// replaced[offset] is the text that replaces the token at this offset of the statement when the
	// token is copied into a query.
	replaced map[int]string
}

func (c *clauses) tokens() []sqltoken.Token { return c.statement.Tokens }

func (c *clauses) done() bool { return c.at >= len(c.tokens()) }

// peek reports whether these keywords or symbols are the next tokens.
func (c *clauses) peek(words ...string) bool {
	for i, w := range words {
		if c.at+i >= len(c.tokens()) || !c.tokens()[c.at+i].Is(w) {
			return false
		}
	}
	return true
}

// accept skips these keywords or symbols if they are the next tokens, and reports whether they
// were.
func (c *clauses) accept(words ...string) bool {
	if !c.peek(words...) {
		return false
	}
	c.at += len(words)
	return true
}

// name reads a dotted name.
func (c *clauses) name() ([]string, error) {
	parts, next := sqltoken.QualifiedName(c.tokens(), c.at)
	if len(parts) == 0 || len(parts) > 3 {
		return nil, c.unexpected("a name")
	}
	c.at = next
	return parts, nil
}

// identifier reads one name without dots.
func (c *clauses) identifier() (string, error) {
	parts, err := c.name()
	if err == nil && len(parts) != 1 {
		return "", c.unexpected("a name without dots")
	}
	if err != nil {
		return "", err
	}
	return parts[0], nil
}

// brackets reads (...), and returns the tokens between the brackets.
func (c *clauses) brackets() ([]sqltoken.Token, error) {
	if !c.peek("(") {
		return nil, c.unexpected("(")
	}
	from := c.at + 1
	for i := from; i < len(c.tokens()); i++ {
		if t := c.tokens()[i]; t.Is(")") && t.Depth == c.tokens()[c.at].Depth {
			c.at = i + 1
			return c.tokens()[from:i], nil
		}
	}
	return nil, c.unexpected(")")
}

// find returns the index of the first token, from the current one on, that begins one of these
// keyword sequences at the top level of the statement. If there is none it returns the number of
// tokens. The FROM of IS DISTINCT FROM does not count, and neither do tokens between CASE and END.
func (c *clauses) find(sequences ...string) int {
	cases := 0
	for i := c.at; i < len(c.tokens()); i++ {
		t := c.tokens()[i]
		switch {
		case t.Depth != 0, i > 0 && c.tokens()[i-1].Is("."): // a word behind a dot is a name
			continue
		case t.Is("CASE"):
			cases++
		case t.Is("END") && cases > 0:
			cases--
		}
		if cases > 0 || t.Is("FROM") && i > 0 && c.tokens()[i-1].Is("DISTINCT") {
			continue
		}
		for _, s := range sequences {
			probe := clauses{statement: c.statement, at: i}
			if one := !strings.Contains(s, " "); one && t.Is(s) || !one && probe.peek(strings.Fields(s)...) {
				return i
			}
		}
	}
	return len(c.tokens())
}

// The method until moves the parser to the first of these keyword sequences at the top level of the
// statement, or to the statement's end. It returns the tokens that the parser has passed.
func (c *clauses) until(sequences ...string) []sqltoken.Token {
	from := c.at
	c.at = c.find(sequences...)
	return c.tokens()[from:c.at]
}

// text returns the statement's text from token i up to, but not including, token j. It also returns
// the offset where this text starts.
func (c *clauses) text(i, j int) (string, int) {
	if i >= j {
		return "", len(c.statement.Text)
	}
	start := c.tokens()[i].Start
	return c.statement.Text[start:c.tokens()[j-1].End], start
}

// rest returns the text from the current token to the end, and the offset where it starts.
func (c *clauses) rest() (string, int) { return c.text(c.at, len(c.tokens())) }

// list splits tokens at their top-level commas. A comma after the last item is ignored, because
// DuckDB allows a trailing comma.
func list(tokens []sqltoken.Token) [][]sqltoken.Token {
	if len(tokens) == 0 {
		return nil
	}
	var out [][]sqltoken.Token
	depth, from := tokens[0].Depth, 0
	for i, t := range tokens {
		if t.Is(",") && t.Depth == depth {
			out = append(out, tokens[from:i])
			from = i + 1
		}
	}
	if from < len(tokens) {
		out = append(out, tokens[from:])
	}
	return out
}

// textOf returns the statement's text from the first to the last of these tokens, which are tokens
// of this statement.
func (c *clauses) textOf(tokens []sqltoken.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return c.statement.Text[tokens[0].Start:tokens[len(tokens)-1].End]
}

func (c *clauses) unexpected(want string) error {
	if c.done() {
		return base.Errorf(base.Invalid, "the statement ends where %s is expected", want).At(len(c.statement.Text) + 1)
	}
	t := c.tokens()[c.at]
	return base.Errorf(base.Invalid, "unexpected %s: %s is expected here", t.Text(), want).At(t.Start + 1)
}

// unexpectedAt returns the error that says that the first of these tokens is unexpected, and what
// was wanted instead.
func (c *clauses) unexpectedAt(tokens []sqltoken.Token, want string) error {
	at := clauses{statement: c.statement, at: len(c.tokens())}
	if len(tokens) > 0 {
		at.at = slices.IndexFunc(c.tokens(), func(t sqltoken.Token) bool { return t.Start == tokens[0].Start })
	}
	return at.unexpected(want)
}

// withPosition gives an error the position of a token, unless it already has a position.
func (c *clauses) withPosition(err error, token int) error {
	e := new(base.Error)
	if token < len(c.tokens()) && errors.As(err, &e) && e.Position == 0 {
		return e.At(c.tokens()[token].Start + 1)
	}
	return err
}

// end checks that the statement has been read to its end. If it has not, end returns an error.
func (c *clauses) end() error {
	if c.done() {
		return nil
	}
	t := c.tokens()[c.at]
	return base.Errorf(base.Invalid, "%s is not supported here", t.Text()).At(t.Start + 1)
}
