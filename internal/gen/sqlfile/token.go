package sqlfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// TokenKind says which kind of token a piece of SQL is, such as a word or a comment.
type TokenKind uint8

// These are the kinds of tokens of SQL.
const (
	Space TokenKind = iota
	LineComment
	BlockComment
	// String is a string literal with or without a prefix (E, X, B, U&), or a dollar-quoted string.
	String
	// Ident is a quoted identifier: "x", and on SQLite also `x` and [x].
	Ident
	// Word is an identifier without quotes, or a keyword.
	Word
	Number
	// Var is ${name}, ${name?} or ${name!}, a reference to a parameter of the query file.
	Var
	// Set is a whole line `@set name = value`.
	Set
	// Placeholder is a parameter in the syntax of a database engine: $1, ?, ?2, :name, @name.
	Placeholder
	// Punct is the two characters `::`, or any other single character.
	Punct
)

// Token is a piece of SQL text. Start is its offset in the file, in bytes.
type Token struct {
	Kind  TokenKind
	Start int
	Text  string
	// Broken means that the token's closing quote or delimiter is missing.
	Broken bool
}

// End returns the byte offset in the file of the end of the token.
func (t Token) End() int { return t.Start + len(t.Text) }

// Is reports whether the token is the given word, in upper or lower case.
func (t Token) Is(word string) bool { return t.Kind == Word && strings.EqualFold(t.Text, word) }

// Trivia reports whether the token is white space or a comment, which have no meaning in SQL.
func (t Token) Trivia() bool { return t.Kind <= BlockComment }

// Name returns the name between the braces of a token ${name}, without the mark of ${name?} and
// ${name!}.
func (t Token) Name() string {
	return strings.TrimRight(t.braced(), "?! \t")
}

// Mark returns '?' for a token ${name?}, '!' for ${name!}, and 0 for ${name}.
func (t Token) Mark() byte {
	if text := t.braced(); strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text[len(text)-1]
	}
	return 0
}

// braced returns the text between the braces of a token ${name}.
func (t Token) braced() string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(t.Text, "${"), "}"))
}

// Tokenize splits a text into tokens. from is the byte offset at which it begins. The texts of the
// tokens, joined, give the same text. The dialect determines quotes, nested comments and dollar
// strings. Tokenize never fails: if a closing delimiter is missing, it returns a token with Broken
// set, which ends before the next line that looks like a block's header. So one error does not hide
// the rest of the file.
func Tokenize(dialect ir.Engine, text string, from int) []Token {
	s := scanner{dialect: dialect, text: text}
	var tokens []Token
	for at := from; at < len(text); {
		t := s.next(at)
		tokens = append(tokens, t)
		at = t.End()
	}
	return tokens
}

type scanner struct {
	dialect ir.Engine
	text    string
}

func (s *scanner) token(kind TokenKind, start, end int) Token {
	return Token{Kind: kind, Start: start, Text: s.text[start:end]}
}

func (s *scanner) broken(kind TokenKind, start int) Token {
	t := s.token(kind, start, s.recover(start))
	t.Broken = true
	return t
}

// recover returns the offset at which a token without its closing delimiter ends. That is before
// the next line that looks like the header of a block. start is the offset at which the token
// begins.
func (s *scanner) recover(start int) int {
	for at := start; ; {
		n := strings.IndexByte(s.text[at:], '\n')
		if n < 0 {
			return len(s.text)
		}
		at += n + 1
		line := s.text[at:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		if word, _ := headerWord(line); kinds[Kind(word)] {
			return at
		}
	}
}

func (s *scanner) next(at int) Token {
	rest := s.text[at:]
	c := rest[0]
	switch {
	case isSpace(c):
		end := at
		for end < len(s.text) && isSpace(s.text[end]) {
			end++
		}
		return s.token(Space, at, end)
	case strings.HasPrefix(rest, "--"):
		return s.token(LineComment, at, s.lineEnd(at))
	case strings.HasPrefix(rest, "/*"):
		return s.blockComment(at)
	case c == '\'':
		return s.quoted(String, at, at, '\'', false)
	case c == '"':
		return s.quoted(Ident, at, at, '"', false)
	case c == '`' && s.dialect == ir.SQLite:
		return s.quoted(Ident, at, at, '`', false)
	case c == '[' && s.dialect == ir.SQLite:
		if n := strings.IndexByte(rest, ']'); n >= 0 {
			return s.token(Ident, at, at+n+1)
		}
		return s.broken(Ident, at)
	case strings.HasPrefix(rest, "${"):
		if n := strings.IndexAny(rest, "}\n"); n >= 0 && rest[n] == '}' {
			return s.token(Var, at, at+n+1)
		}
		t := s.token(Var, at, s.lineEnd(at))
		t.Broken = true
		return t
	case c == '$':
		return s.dollar(at)
	case c == '@' && s.atLineStart(at) && isSetLine(rest):
		return s.token(Set, at, s.lineEnd(at))
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return s.number(at)
	case s.dialect == ir.SQLite && (c == '?' || (c == ':' || c == '@') && len(rest) > 1 && isWordStart(rest[1:])):
		end := at + 1
		for end < len(s.text) && isWordPart(s.text[end:]) {
			_, n := utf8.DecodeRuneInString(s.text[end:])
			end += n
		}
		return s.token(Placeholder, at, end)
	case isWordStart(rest):
		return s.word(at)
	case strings.HasPrefix(rest, "::"):
		return s.token(Punct, at, at+2)
	default:
		_, n := utf8.DecodeRuneInString(rest)
		return s.token(Punct, at, at+n)
	}
}

func (s *scanner) lineEnd(at int) int {
	if n := strings.IndexByte(s.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s.text)
}

func (s *scanner) atLineStart(at int) bool {
	for at > 0 && (s.text[at-1] == ' ' || s.text[at-1] == '\t' || s.text[at-1] == '\r') {
		at--
	}
	return at == 0 || s.text[at-1] == '\n'
}

func isSetLine(rest string) bool {
	return len(rest) > 4 && strings.EqualFold(rest[:4], "@set") && (rest[4] == ' ' || rest[4] == '\t')
}

// blockComment scans a comment of the form /* ... */. In PostgreSQL and DuckDB such comments can be
// nested.
func (s *scanner) blockComment(at int) Token {
	depth := 0
	for i := at; i+1 < len(s.text); {
		switch {
		case s.text[i] == '*' && s.text[i+1] == '/':
			depth--
			i += 2
			if depth == 0 {
				return s.token(BlockComment, at, i)
			}
		case s.text[i] == '/' && s.text[i+1] == '*' && (depth == 0 || s.dialect != ir.SQLite):
			depth++
			i += 2
		default:
			i++
		}
	}
	return s.broken(BlockComment, at)
}

// quoted scans a token in quotes. The argument start is the offset of the token, and the argument
// open is the offset of its opening quote. Two quotes in a row are one character of the content. If
// the argument escapes is true, a quote after a backslash is part of the content, too.
func (s *scanner) quoted(kind TokenKind, start, open int, quote byte, escapes bool) Token {
	for i := open + 1; i < len(s.text); i++ {
		switch {
		case escapes && s.text[i] == '\\':
			i++
		case s.text[i] == quote:
			if i+1 < len(s.text) && s.text[i+1] == quote {
				i++
				continue
			}
			return s.token(kind, start, i+1)
		}
	}
	return s.broken(kind, start)
}

// dollar scans a token that begins with a dollar sign: $1, $name (SQLite), or a string of the form
// $tag$...$tag$.
func (s *scanner) dollar(at int) Token {
	end := at + 1
	for end < len(s.text) && isWordPart(s.text[end:]) && s.text[end] != '$' {
		_, n := utf8.DecodeRuneInString(s.text[end:])
		end += n
	}
	name := s.text[at+1 : end]
	if s.dialect != ir.SQLite && end < len(s.text) && s.text[end] == '$' && (name == "" || !isDigit(name[0])) {
		tag := s.text[at : end+1]
		if n := strings.Index(s.text[end+1:], tag); n >= 0 {
			return s.token(String, at, end+1+n+len(tag))
		}
		return s.broken(String, at)
	}
	if name == "" {
		return s.token(Punct, at, at+1)
	}
	return s.token(Placeholder, at, end)
}

func (s *scanner) number(at int) Token {
	end := at
	for end < len(s.text) {
		c := s.text[end]
		if (c == '+' || c == '-') && end > at && (s.text[end-1] == 'e' || s.text[end-1] == 'E') && !strings.HasPrefix(strings.ToLower(s.text[at:end]), "0x") {
			end++
			continue
		}
		if !isDigit(c) && c != '.' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		end++
	}
	return s.token(Number, at, end)
}

// word scans an identifier without quotes, or a string literal with a prefix, such as E'x'.
func (s *scanner) word(at int) Token {
	end := at
	for end < len(s.text) && isWordPart(s.text[end:]) {
		_, n := utf8.DecodeRuneInString(s.text[end:])
		end += n
	}
	if end < len(s.text) && s.text[end] == '\'' {
		switch strings.ToLower(s.text[at:end]) {
		case "e":
			if s.dialect != ir.SQLite {
				return s.quoted(String, at, end, '\'', true)
			}
		case "x", "b", "n":
			return s.quoted(String, at, end, '\'', false)
		}
	}
	if end+1 < len(s.text) && s.text[end] == '&' && strings.EqualFold(s.text[at:end], "u") && s.dialect != ir.SQLite {
		switch s.text[end+1] {
		case '\'':
			return s.quoted(String, at, end+1, '\'', false)
		case '"':
			return s.quoted(Ident, at, end+1, '"', false)
		}
	}
	return s.token(Word, at, end)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r)
}

// isWordPart reports whether the first character of s can occur in a name. Some of these characters
// cannot begin a name. One of them is `$`, which PostgreSQL and SQLite allow inside of names.
func isWordPart(s string) bool {
	if s[0] == '$' {
		return !strings.HasPrefix(s, "${")
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Unquote returns the name that an identifier stands for: a quoted identifier without its quotes,
// or a word as it is written.
func (t Token) Unquote() string {
	if t.Kind != Ident || len(t.Text) < 2 || t.Broken {
		return t.Text
	}
	text := t.Text
	if i := strings.IndexByte(text, '"'); i > 0 { // U&"...": skip the prefix
		text = text[i:]
	}
	quote := text[len(text)-1:]
	inner := text[1 : len(text)-1]
	if quote == "]" {
		return inner
	}
	return strings.ReplaceAll(inner, quote+quote, quote)
}
