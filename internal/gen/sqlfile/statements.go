package sqlfile

import "strings"

// Statements splits tokens at the semicolons between statements. Comments and white space around
// statements are removed, and those inside stay.
//
// A semicolon does not split inside of parentheses, inside of a trigger's BEGIN ... END (SQLite),
// or inside of a function's BEGIN ATOMIC ... END (PostgreSQL). In such statements both words may
// also be names of columns or parameters. So BEGIN begins a body only outside of parentheses, and
// END ends one only after a semicolon or after BEGIN.
func Statements(tokens []Token) [][]Token {
	var out [][]Token
	start, depth := 0, 0
	var blocks []string // the open BEGINs and CASEs
	var words []string  // the first few words of the statement so far, in upper case
	// the previous token in upper case, without comments and white space
	before := ""
	flush := func(end int) {
		s := tokens[start:end]
		for len(s) > 0 && s[0].Trivia() {
			s = s[1:]
		}
		if s = trimEnd(s); len(s) > 0 {
			out = append(out, s)
		}
		words, depth, blocks = nil, 0, nil
	}
	for i, t := range tokens {
		switch {
		case t.Kind == Word:
			word := strings.ToUpper(t.Text)
			switch {
			case before == ".":
			case word == "BEGIN" && len(words) > 0 && isBodied(words) && depth <= 0 && len(blocks) == 0 && before != "OF" && before != ",", word == "CASE" && len(blocks) > 0:
				blocks = append(blocks, word)
			case word == "END" && len(blocks) > 0:
				if inner := blocks[len(blocks)-1]; inner == "CASE" || before == ";" || before == "BEGIN" || before == "ATOMIC" {
					blocks = blocks[:len(blocks)-1]
				}
			}
			if len(words) < 8 {
				words = append(words, word)
			}
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case t.Text == ";" && depth <= 0 && len(blocks) == 0:
			flush(i)
			start = i + 1
		}
		if !t.Trivia() {
			before = strings.ToUpper(t.Text)
		}
	}
	flush(len(tokens))
	return out
}

// isBodied reports whether a statement's first words announce a body of statements.
func isBodied(words []string) bool {
	if words[0] != "CREATE" {
		return false
	}
	for _, w := range words {
		if w == "TRIGGER" || w == "FUNCTION" || w == "PROCEDURE" {
			return true
		}
	}
	return false
}

// Text joins tokens.
func Text(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}
