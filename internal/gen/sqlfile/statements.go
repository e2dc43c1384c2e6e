package sqlfile

import "strings"

// Statements splits the tokens of an SQL text into statements at the semicolons. Comments and white
// space around a statement are removed, and those within it stay.
//
// A semicolon does not end a statement inside of parentheses, inside of a trigger's BEGIN ... END
// (SQLite), or inside of a function's BEGIN ATOMIC ... END (PostgreSQL). In triggers and functions,
// BEGIN and END may also be names of columns or parameters. So BEGIN is a keyword only outside of
// parentheses, and END only after a semicolon or after BEGIN.
func Statements(tokens []Token) [][]Token {
	var out [][]Token
	start, depth := 0, 0
	// blocks has the words BEGIN and CASE whose END was not read yet.
	var blocks []string
	// words has at most the first eight words of the current statement, in upper case.
	var words []string
	// before is the text of the previous token, in upper case. Comments and white space do not
	// count as tokens here.
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

// isBodied reports whether a statement may contain other statements between BEGIN and END. Such
// statements are CREATE TRIGGER, FUNCTION and PROCEDURE. words are the statement's first words, in
// upper case.
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

// Text returns the texts of tokens, joined to one text.
func Text(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}
