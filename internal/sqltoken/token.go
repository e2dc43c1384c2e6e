// Package sqltoken splits SQL text into DuckDB's tokens: enough to cut statements
// and clauses apart without ever mistaking a string or a comment for a keyword. It
// knows no grammar; what a statement means is left to DuckDB's parser.
package sqltoken

import (
	"strings"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/base"
)

// Kind is the kind of a token.
type Kind uint8

const (
	// Word is an unquoted identifier or keyword.
	Word Kind = iota
	// Quoted is an identifier in double quotes.
	Quoted
	// String is a string literal: '..', E'..', $tag$..$tag$ and the like.
	String
	// Number is a numeric literal.
	Number
	// Parameter is ?, $1, $name or :name.
	Parameter
	// Symbol is an operator or punctuation; brackets, commas, semicolons and dots are
	// one character each.
	Symbol
)

// Token is one token of a text. Comments and white space are none.
type Token struct {
	Kind  Kind
	Start int // byte offset in the text
	End   int // offset after the last byte
	Depth int // brackets open around it; an opening and its closing bracket have the same
	text  string
}

// Text returns the token as it is written.
func (t Token) Text() string { return t.text }

// Is reports whether the token is this keyword (case-insensitive) or symbol.
func (t Token) Is(word string) bool {
	return (t.Kind == Word || t.Kind == Symbol) && strings.EqualFold(t.text, word)
}

// IsName reports whether the token can be part of a qualified name.
func (t Token) IsName() bool { return t.Kind == Word || t.Kind == Quoted }

// Name returns the identifier that a Word or Quoted token stands for.
func (t Token) Name() string {
	if t.Kind == Quoted {
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `""`, `"`)
	}
	return t.text
}

// Split returns the tokens of a text. A string, quoted identifier, comment or bracket
// that does not end is Invalid, with the position at which it starts.
//
// A NUL byte is Invalid too: C code would take it for the text's end.
func Split(text string) ([]Token, error) {
	s, err := scan(text)
	return s.tokens, err
}

func scan(text string) (scanner, error) {
	s := scanner{text: text}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return s, base.Errorf(base.Invalid, "syntax error: NUL byte").At(i + 1)
	}
	for s.pos < len(text) {
		if err := s.next(); err != nil {
			return s, err
		}
	}
	if n := len(s.open); n > 0 {
		return s, unended("bracket", s.open[n-1])
	}
	return s, nil
}

func unended(what string, at int) error {
	return base.Errorf(base.Invalid, "syntax error: %s that does not end", what).At(at + 1)
}

type scanner struct {
	text   string
	pos    int
	open   []int // offsets of open brackets
	wide   []int // offsets of the spaces that are not ASCII
	tokens []Token
}

func (s *scanner) emit(kind Kind, end int) {
	s.tokens = append(s.tokens, Token{Kind: kind, Start: s.pos, End: end, Depth: len(s.open), text: s.text[s.pos:end]})
	s.pos = end
}

func (s *scanner) next() error {
	c, rest := s.text[s.pos], s.text[s.pos:]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
		s.pos++
	case wideSpace(rest) > 0:
		s.wide = append(s.wide, s.pos)
		s.pos += wideSpace(rest)
	case strings.HasPrefix(rest, "--"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			s.pos += n
		} else {
			s.pos = len(s.text)
		}
	case strings.HasPrefix(rest, "/*"):
		return s.blockComment()
	case c == '\'':
		return s.quoted(String, s.pos, '\'', false)
	case c == '"':
		return s.quoted(Quoted, s.pos, '"', false)
	case (c == 'e' || c == 'E') && len(rest) > 1 && rest[1] == '\'':
		return s.quoted(String, s.pos+1, '\'', true)
	case (c == 'x' || c == 'X' || c == 'b' || c == 'B') && len(rest) > 1 && rest[1] == '\'':
		return s.quoted(String, s.pos+1, '\'', false)
	case c == '$':
		return s.dollar()
	case c == '?':
		s.emit(Parameter, s.pos+1)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]) && !s.afterName():
		s.number()
	case isWordStart(c):
		s.emit(Word, s.wordEnd(s.pos))
	default:
		return s.symbol(c)
	}
	return nil
}

// wideSpace returns the length of the space beyond ASCII that a text begins with, of those that
// DuckDB takes for spaces; else 0.
func wideSpace(text string) int {
	if text[0] < 0xC2 {
		return 0
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == 0x00A0 || r >= 0x2000 && r <= 0x200D || r == 0x2060 || r == 0x3000 || r == 0xFEFF {
		return n
	}
	return 0
}

// afterName tells t.1 (a struct position) from .1 (a number).
func (s *scanner) afterName() bool {
	n := len(s.tokens)
	return n > 0 && s.tokens[n-1].End == s.pos && (s.tokens[n-1].IsName() || s.tokens[n-1].Is(")") || s.tokens[n-1].Is("]"))
}

func (s *scanner) blockComment() error {
	start, depth := s.pos, 0
	for i := s.pos; i+1 < len(s.text); i++ {
		switch s.text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				s.pos = i + 1
				return nil
			}
		}
	}
	return unended("comment", start)
}

func (s *scanner) quoted(kind Kind, open int, quote byte, backslashes bool) error {
	for i := open + 1; i < len(s.text); i++ {
		switch {
		case backslashes && s.text[i] == '\\':
			i++
		case s.text[i] == quote && i+1 < len(s.text) && s.text[i+1] == quote:
			i++
		case s.text[i] == quote:
			s.emit(kind, i+1)
			return nil
		}
	}
	if kind == Quoted {
		return unended("quoted identifier", s.pos)
	}
	return unended("string", s.pos)
}

func (s *scanner) dollar() error {
	i := s.pos + 1
	for i < len(s.text) && (isWordStart(s.text[i]) || isDigit(s.text[i])) {
		i++
	}
	if i >= len(s.text) || s.text[i] != '$' || i > s.pos+1 && isDigit(s.text[s.pos+1]) {
		s.emit(Parameter, i)
		return nil
	}
	tag := s.text[s.pos : i+1]
	n := strings.Index(s.text[i+1:], tag)
	if n < 0 {
		return unended("string", s.pos)
	}
	s.emit(String, i+1+n+len(tag))
	return nil
}

func (s *scanner) number() {
	i := s.pos
	for i < len(s.text) {
		c := s.text[i]
		exponent := (c == '+' || c == '-') && (s.text[i-1] == 'e' || s.text[i-1] == 'E') && !strings.HasPrefix(s.text[s.pos:], "0x")
		if !isDigit(c) && !isWordStart(c) && c != '.' && !exponent {
			break
		}
		i++
	}
	s.emit(Number, i)
}

const operators = "+-*/<>=~!@#%^&|`"

// unusual are operators that SQL itself has none with: one that has any may end in a sign.
const unusual = "~!@#%^&|`"

func (s *scanner) symbol(c byte) error {
	switch c {
	case '(', '[', '{':
		end := s.pos + 1
		s.emit(Symbol, end)
		s.open = append(s.open, end-1)
	case ')', ']', '}':
		if len(s.open) == 0 {
			return base.Errorf(base.Invalid, "syntax error: closing bracket without an opening one").At(s.pos + 1)
		}
		s.open = s.open[:len(s.open)-1]
		s.emit(Symbol, s.pos+1)
	case ':':
		switch rest := s.text[s.pos+1:]; {
		case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "="):
			s.emit(Symbol, s.pos+2)
		default:
			// A named parameter, a slice or a struct field: the grammar knows.
			s.emit(Symbol, s.pos+1)
		}
	default:
		i := s.pos + 1
		if strings.IndexByte(operators, c) >= 0 {
			for i < len(s.text) && strings.IndexByte(operators, s.text[i]) >= 0 &&
				!strings.HasPrefix(s.text[i:], "--") && !strings.HasPrefix(s.text[i:], "/*") {
				i++
			}
			// The signs behind a usual operator are the number's: a=-1.
			for i > s.pos+1 && (s.text[i-1] == '-' || s.text[i-1] == '+') && !strings.ContainsAny(s.text[s.pos:i], unusual) {
				i--
			}
		}
		s.emit(Symbol, i)
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordStart takes every byte above ASCII as part of a word, as DuckDB does.
func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func (s *scanner) wordEnd(i int) int {
	for i < len(s.text) && wideSpace(s.text[i:]) == 0 && (isWordStart(s.text[i]) || isDigit(s.text[i]) || s.text[i] == '$') {
		i++
	}
	return i
}
