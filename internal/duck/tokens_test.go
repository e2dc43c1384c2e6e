package duck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

// fragments are the pieces of random texts: DuckDB's scanner has rules for all of them.
var fragments = []string{
	" ", " ", " ", "\n", "\r", "\t", "\f", "\v", "\u00a0", "\u3000", "\u200b", "--", "-- ", "/*", "*/", "/* x */", "*", "/", "//",
	"'", "''", "'a'", "'a;b'", "\"", "\"q\"", "E'", "e'a'", "E'a'\n", "\n'b\\'", "\u00a0\n'", "\\", "\\'", "x'1f'", "X'", "b'1'", "U&'a'", "U&\"q\"", "n'a'", "$$", "$a$", "$é$", "$1", "$n", "$", "?",
	"0", "1", "12", "1_0", "_", "__", "0x1F", "0b1", "0o7", "1e5", "1E-5", "e", "E", ".5", ".", "..", "1.", "a", "b", "é", "a$b", "t.a", "INT",
	"::", ":", ":=", "=", "=>", "->", "->>", "<", ">", "<=", "<>", "+", "-", "@", "#", "#1", "!", "!=", "~", "~~", "%", "^", "&", "|", "||", "`",
	"(", ")", "[", "]", "{", "}", ",", ";", "AS", "FROM t", "1FROM t", "SELECT 2", "; SELECT 2", "(1)", "[1]", "AND", "WHERE",
}

// TestTokensAreThoseOfDuckDB compares sqltoken with DuckDB's parser on random texts: the number of
// statements must be the same, and a text of the tokens alone must have the same tree.
func TestTokensAreThoseOfDuckDB(t *testing.T) {
	conn := connect(t)
	r := rand.New(rand.NewPCG(1, 1))
	valid := 0
	for range 10_000 {
		text := "SELECT 1"
		if r.IntN(2) == 0 {
			text = "SELECT "
		}
		for range 1 + r.IntN(8) {
			text += fragments[r.IntN(len(fragments))]
		}
		if sameTokens(t, conn, text+"\n") {
			valid++
		}
	}
	if valid < 500 {
		t.Errorf("only %d texts are valid", valid)
	}
}

// sameTokens compares the tokens of a text, and reports whether the text is valid to DuckDB.
func sameTokens(t *testing.T, conn *Conn, text string) bool {
	t.Helper()
	want, n := statementsIn(conn, text)
	if n == 0 || odd.MatchString(text) {
		return false
	}
	statements, err := sqltoken.Statements(text)
	if err != nil || len(statements) != n {
		t.Errorf("%q: %d statements (%v), DuckDB has %d", text, len(statements), err, n)
		return true
	}
	if n > 1 {
		return true
	}
	s, plain := statements[0], ""
	for i, token := range s.Tokens {
		switch {
		case i == 0 || stays(s, i):
		case strings.ContainsAny(s.Text[s.Tokens[i-1].End:token.Start], "\n\r"):
			plain += "\n" // two strings are one if there is a line break between them
		default:
			plain += " "
		}
		plain += token.Text()
	}
	if got, n := statementsIn(conn, plain); n != 1 || !reflect.DeepEqual(got, want) {
		t.Errorf("%q: the tokens %q are another statement, or %d", text, plain, n)
	}
	return true
}

// odd matches texts that have another meaning to DuckDB without the text between their tokens. An
// operator with a comment behind it has another precedence. Behind a $, DuckDB (1.5.5) takes some
// spaces beyond ASCII for letters, where sqltoken sees spaces.
var odd = regexp.MustCompile(`[-+*/<>=~!@%^&|\x60](--|/\*)|(?s:\$.*[\x{a0}\x{3000}\x{200b}])`)

// stays reports whether no space may be inserted before a token. A sign directly behind an operator
// changes its precedence (1->-1), and an e behind 1 changes its type, although in both cases the
// tokens are the same.
func stays(s sqltoken.Statement, i int) bool {
	before, after := s.Tokens[i-1], s.Text[s.Tokens[i-1].End:]
	switch before.Kind {
	case sqltoken.Symbol:
		return strings.ContainsAny(before.Text(), "+-*/<>=~!@%^&|`") && strings.ContainsAny(after[:1], "+-")
	case sqltoken.Number:
		return strings.ContainsAny(after[:1], "eE")
	}
	return false
}

// statementsIn returns the number of statements that DuckDB finds in a text, or 0 if it is not
// valid. If there is only one, it also returns its tree without locations.
func statementsIn(conn *Conn, text string) (tree any, n int) {
	node, err := conn.ParseSelect(text)
	if err == nil {
		return withoutLocations(node), 1
	}
	if !errors.Is(err, ErrNotSelect) {
		_, _ = fmt.Sscanf(err.Error(), "expected one statement, found %d", &n)
	}
	return nil, n
}

func withoutLocations(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutLocations(v[i])
		}
	case Node:
		delete(v, "query_location")
		for k := range v {
			v[k] = withoutLocations(v[k])
		}
	}
	return v
}
