package clause

import (
	"errors"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// Reader reads a statement's tokens from left to right. DuckDB's parser has already accepted the
// statement. So a token that is unexpected here belongs to a form that Scoter does not support.
type Reader struct {
	Statement sqltoken.Statement
	At        int
	// Replaced[offset] is the text that replaces the token at this offset of the statement when the
	// token is copied into a query.
	Replaced map[int]string
}

// Tokens returns all tokens of the statement.
func (c *Reader) Tokens() []sqltoken.Token { return c.Statement.Tokens }

// Done reports whether all tokens have been read.
func (c *Reader) Done() bool { return c.At >= len(c.Tokens()) }

// Peek reports whether these keywords or symbols are the next tokens.
func (c *Reader) Peek(words ...string) bool {
	for i, w := range words {
		if c.At+i >= len(c.Tokens()) || !c.Tokens()[c.At+i].Is(w) {
			return false
		}
	}
	return true
}

// Accept skips these keywords or symbols if they are the next tokens, and reports whether they
// were.
func (c *Reader) Accept(words ...string) bool {
	if !c.Peek(words...) {
		return false
	}
	c.At += len(words)
	return true
}

// Name reads a dotted name.
func (c *Reader) Name() ([]string, error) {
	parts, next := sqltoken.QualifiedName(c.Tokens(), c.At)
	if len(parts) == 0 || len(parts) > 3 {
		return nil, c.Unexpected("a name")
	}
	c.At = next
	return parts, nil
}

// Identifier reads one name without dots.
func (c *Reader) Identifier() (string, error) {
	parts, err := c.Name()
	if err == nil && len(parts) != 1 {
		return "", c.Unexpected("a name without dots")
	}
	if err != nil {
		return "", err
	}
	return parts[0], nil
}

// Brackets reads (...), and returns the tokens between the brackets.
func (c *Reader) Brackets() ([]sqltoken.Token, error) {
	if !c.Peek("(") {
		return nil, c.Unexpected("(")
	}
	from := c.At + 1
	for i := from; i < len(c.Tokens()); i++ {
		if t := c.Tokens()[i]; t.Is(")") && t.Depth == c.Tokens()[c.At].Depth {
			c.At = i + 1
			return c.Tokens()[from:i], nil
		}
	}
	return nil, c.Unexpected(")")
}

// Find returns the index of the first token, from the current one on, that begins one of these
// keyword sequences at the top level of the statement. If there is none it returns the number of
// tokens. The FROM of IS DISTINCT FROM does not count, and neither do tokens between CASE and END.
func (c *Reader) Find(sequences ...string) int {
	cases := 0
	for i := c.At; i < len(c.Tokens()); i++ {
		t := c.Tokens()[i]
		switch {
		case t.Depth != 0, i > 0 && c.Tokens()[i-1].Is("."): // a word behind a dot is a name
			continue
		case t.Is("CASE"):
			cases++
		case t.Is("END") && cases > 0:
			cases--
		}
		if cases > 0 || t.Is("FROM") && i > 0 && c.Tokens()[i-1].Is("DISTINCT") {
			continue
		}
		for _, s := range sequences {
			probe := Reader{Statement: c.Statement, At: i}
			if one := !strings.Contains(s, " "); one && t.Is(s) || !one && probe.Peek(strings.Fields(s)...) {
				return i
			}
		}
	}
	return len(c.Tokens())
}

// Until moves the parser to the first of these keyword sequences at the top level of the statement,
// or to the statement's end. It returns the tokens that the parser has passed.
func (c *Reader) Until(sequences ...string) []sqltoken.Token {
	from := c.At
	c.At = c.Find(sequences...)
	return c.Tokens()[from:c.At]
}

// Text returns the statement's text from token i up to, but not including, token j. It also returns
// the offset where this text starts.
func (c *Reader) Text(i, j int) (string, int) {
	if i >= j {
		return "", len(c.Statement.Text)
	}
	start := c.Tokens()[i].Start
	return c.Statement.Text[start:c.Tokens()[j-1].End], start
}

// Rest returns the text from the current token to the end, and the offset where it starts.
func (c *Reader) Rest() (string, int) { return c.Text(c.At, len(c.Tokens())) }

// List splits tokens at their top-level commas. A comma after the last item is ignored, because
// DuckDB allows a trailing comma.
func List(tokens []sqltoken.Token) [][]sqltoken.Token {
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

// TextOf returns the statement's text from the first to the last of these tokens, which are tokens
// of this statement.
func (c *Reader) TextOf(tokens []sqltoken.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return c.Statement.Text[tokens[0].Start:tokens[len(tokens)-1].End]
}

func (c *Reader) Unexpected(want string) error {
	if c.Done() {
		return base.Errorf(base.Invalid, "the statement ends where %s is expected", want).At(len(c.Statement.Text) + 1)
	}
	t := c.Tokens()[c.At]
	return base.Errorf(base.Invalid, "unexpected %s: %s is expected here", t.Text(), want).At(t.Start + 1)
}

// UnexpectedAt returns the error that says that the first of these tokens is unexpected, and what
// was wanted instead.
func (c *Reader) UnexpectedAt(tokens []sqltoken.Token, want string) error {
	at := Reader{Statement: c.Statement, At: len(c.Tokens())}
	if len(tokens) > 0 {
		at.At = slices.IndexFunc(c.Tokens(), func(t sqltoken.Token) bool { return t.Start == tokens[0].Start })
	}
	return at.Unexpected(want)
}

// WithPosition gives an error the position of a token, unless it already has a position.
func (c *Reader) WithPosition(err error, token int) error {
	e := new(base.Error)
	if token < len(c.Tokens()) && errors.As(err, &e) && e.Position == 0 {
		return e.At(c.Tokens()[token].Start + 1)
	}
	return err
}

// End checks that the statement has been read to its end. If it has not, end returns an error.
func (c *Reader) End() error {
	if c.Done() {
		return nil
	}
	t := c.Tokens()[c.At]
	return base.Errorf(base.Invalid, "%s is not supported here", t.Text()).At(t.Start + 1)
}
