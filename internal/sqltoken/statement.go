package sqltoken

import (
	"math"
	"slices"
)

// Statement is one statement of an SQL text. Semicolons separate the statements.
type Statement struct {
	Text   string
	Offset int // byte offset of Text in the whole text
	Tokens []Token
}

// Statements splits an SQL text at its semicolons. It drops empty statements. The positions of a
// statement's tokens are relative to the text of the statement.
//
// Word processors insert spaces beyond ASCII. Statements replaces each of them by as many ASCII
// spaces as it has bytes. DuckDB would replace each by a single space, which would shift the
// positions of all following tokens.
func Statements(text string) ([]Statement, error) { return statements(text, maxTokens) }

// Script splits an SQL text into statements as Statements does, without a limit on its length. It
// is for callers that send the statements one by one.
func Script(text string) ([]Statement, error) { return statements(text, math.MaxInt) }

func statements(text string, most int) ([]Statement, error) {
	s, err := scan(text, most)
	if err != nil {
		return nil, err
	}
	text = s.plain()
	tokens := s.tokens
	var out []Statement
	for from := 0; from < len(tokens); {
		to := from
		for to < len(tokens) && !(tokens[to].Depth == 0 && tokens[to].Is(";")) {
			to++
		}
		if to > from {
			out = append(out, newStatement(text, tokens[from:to:to]))
		}
		from = to + 1
	}
	return out, nil
}

// plain returns the scanned text in a form in which DuckDB does not shift positions. Before DuckDB
// (1.5.5) scans a text, it replaces spaces beyond ASCII outside of strings and quoted names. In
// this step DuckDB recognizes neither block comments nor \' (an escaped quote). So if the text has
// such spaces, plain replaces them and all comments by ASCII white space, and a quote after a
// backslash by a doubled quote.
func (s *scanner) plain() string {
	wide := false
	for i := 0; i < len(s.text) && !wide; i++ {
		wide = s.text[i] >= 0xC2 && wideSpace(s.text[i:]) > 0
	}
	if !wide {
		return s.text
	}
	plain := []byte(s.text)
	for _, gap := range s.gaps {
		for i := gap.start; i < gap.end; i++ {
			if plain[i] != '\n' && plain[i] != '\r' {
				plain[i] = ' '
			}
		}
	}
	for _, t := range s.tokens {
		if t.Kind != String || t.text[0]|0x20 != 'e' {
			continue
		}
		for i := t.Start; i < t.End; i++ {
			if plain[i] != '\\' {
				continue
			}
			if i++; plain[i] == '\'' {
				plain[i-1] = '\''
			}
		}
	}
	return string(plain)
}

// newStatement makes a statement of a text and its tokens. It takes ownership of the tokens.
func newStatement(text string, tokens []Token) Statement {
	start, end := tokens[0].Start, tokens[len(tokens)-1].End
	for i := range tokens {
		tokens[i].Start -= start
		tokens[i].End -= start
	}
	return Statement{Text: text[start:end], Offset: start, Tokens: tokens}
}

// From returns the part of the statement that begins at the i-th token.
func (s Statement) From(i int) Statement { return newStatement(s.Text, slices.Clone(s.Tokens[i:])) }

// Explained returns the index of the first token after EXPLAIN [ANALYZE] [(options)]. It returns 0
// if the statement is not an EXPLAIN.
func Explained(tokens []Token) int {
	if len(tokens) < 2 || !tokens[0].Is("EXPLAIN") {
		return 0
	}
	i := 1
	if tokens[i].Is("ANALYZE") {
		i++
	}
	if i+1 < len(tokens) && tokens[i].Is("(") && (tokens[i+1].Is("FORMAT") || tokens[i+1].Is("ANALYZE")) {
		for i < len(tokens) && !(tokens[i].Is(")") && tokens[i].Depth == tokens[0].Depth) {
			i++
		}
		i++
	}
	if i >= len(tokens) {
		return 0
	}
	return i
}

// Verb returns the keyword that says what the statement does, in upper case. It is the first word
// of the statement, or the first word behind its CTEs (WITH ...).
func (s Statement) Verb() string {
	i := s.VerbIndex()
	for i < len(s.Tokens) && s.at(i, "(") {
		i++
	}
	if i >= len(s.Tokens) || s.Tokens[i].Kind != Word {
		return ""
	}
	return upper(s.Tokens[i].text)
}

// VerbIndex returns the index of the first token after the CTEs of the statement, or 0 if it has no
// CTEs.
func (s Statement) VerbIndex() int {
	if ends := CTEs(s.Tokens, 0); len(ends) > 0 {
		return ends[len(ends)-1]
	}
	return 0
}

// CTEs returns the index of the token after each CTE of the WITH at token i. It returns nil if
// token i is not WITH.
func CTEs(tokens []Token, i int) (ends []int) {
	if i >= len(tokens) || !tokens[i].Is("WITH") {
		return nil
	}
	depth := tokens[i].Depth
	for {
		// A CTE has the form name [(columns)] [USING KEY (columns)] AS [NOT MATERIALIZED] (query).
		// The name may be any word, so it is skipped without a check.
		i++
		if i < len(tokens) && tokens[i].Is("RECURSIVE") && len(ends) == 0 {
			i++
		}
		as := Next(tokens, i+1, depth, "AS")
		open := Next(tokens, as+1, depth, "(")
		closing := Next(tokens, open+1, depth, ")")
		if as < 0 || open < 0 || closing < 0 {
			return ends
		}
		i = closing + 1
		ends = append(ends, i)
		if i >= len(tokens) || !tokens[i].Is(",") {
			return ends
		}
	}
}

// Next returns the index of the next token that is the given word and has the given depth. The
// search begins at token i, and ends where the brackets around that depth are closed. If there is
// no such token, Next returns -1.
func Next(tokens []Token, i, depth int, word string) int {
	for ; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Depth < depth:
			return -1
		case t.Depth == depth && t.Is(word):
			return i
		}
	}
	return -1
}

func (s Statement) at(i int, word string) bool {
	return i >= 0 && i < len(s.Tokens) && s.Tokens[i].Is(word)
}

// Starts reports whether the statement begins with these keywords, in this order.
func (s Statement) Starts(words ...string) bool {
	for i, w := range words {
		if !s.at(i, w) {
			return false
		}
	}
	return true
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
	return string(b)
}

// QualifiedName parses a dotted name at token i. It returns the parts of the name, and the index of
// the token after it. If token i is not a name, there are no parts.
func QualifiedName(tokens []Token, i int) (parts []string, next int) {
	for i < len(tokens) && tokens[i].IsName() {
		parts = append(parts, tokens[i].Name())
		i++
		if i+1 >= len(tokens) || !tokens[i].Is(".") || !tokens[i+1].IsName() {
			return parts, i
		}
		i++
	}
	return parts, i
}
