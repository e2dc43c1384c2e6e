// Package sqltoken splits SQL into tokens as DuckDB does. This is enough to separate statements and
// clauses, and not to take a word in a string or a comment for a keyword. The package has no
// grammar: DuckDB's parser decides what a statement means.
package sqltoken

import (
	"errors"
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
	// String is a string literal, such as '..', E'..' or $tag$..$tag$.
	String
	// Number is a numeric literal.
	Number
	// Parameter is ?, ?1, $1, $name or $"name".
	Parameter
	// Symbol is an operator or punctuation. Brackets, commas, semicolons and dots are one character
	// each.
	Symbol
)

// Token is one token of an SQL text. Comments and white space are not tokens.
type Token struct {
	Kind  Kind
	Start int // byte offset of the first byte in the text
	End   int // byte offset after the last byte
	// Depth is the number of open brackets around the token. The opening and closing brackets
	// themselves have the same depth.
	Depth int
	text  string
}

// Text returns the token as it is in the text.
func (t Token) Text() string { return t.text }

// Is reports whether the token is this keyword, in any case, or this symbol.
func (t Token) Is(word string) bool {
	return (t.Kind == Word || t.Kind == Symbol) && strings.EqualFold(t.text, word)
}

// IsName reports whether the token can be a part of a qualified name: a word or a quoted
// identifier.
func (t Token) IsName() bool { return t.Kind == Word || t.Kind == Quoted }

// Name returns the identifier that a Word or Quoted token stands for, without quotes.
func (t Token) Name() string {
	if t.Kind == Quoted {
		return strings.ReplaceAll(t.text[1:len(t.text)-1], `""`, `"`)
	}
	return t.text
}

// maxTokens is the maximum number of tokens of a text. That many tokens take 50 MB of memory, and
// DuckDB's parser takes twenty times as much for them. A client that sends more values than that
// should use a wire format for rows.
const maxTokens = 1 << 20

// Split returns the tokens of an SQL text. These texts are errors:
//   - A string, quoted identifier, comment or bracket does not end: base.Invalid, with the position
//     where it starts.
//   - The text has more than maxTokens tokens: base.TooLarge.
//   - The text has a NUL byte: base.Invalid, because C code would take the byte for the end of the
//     text.
func Split(text string) ([]Token, error) {
	s, err := scan(text, maxTokens)
	return s.tokens, err
}

func scan(text string, most int) (scanner, error) {
	s := scanner{text: text}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return s, base.Errorf(base.Invalid, "syntax error: NUL byte").At(i + 1)
	}
	for s.pos < len(text) {
		if err := s.next(); err != nil {
			return s, err
		}
		if len(s.tokens) > most {
			return s, base.Errorf(base.TooLarge, "a text of more than %d words and signs", most).
				WithHint("send the rows as NDJSON, Arrow or Parquet, or in several statements")
		}
	}
	if n := len(s.open); n > 0 {
		return s, unended("bracket", s.open[n-1])
	}
	return s, nil
}

// ErrUnended is wrapped by errors that say that a text ends too early, for example within a string.
// With more text it might be valid.
var ErrUnended = errors.New("does not end")

func unended(what string, at int) error {
	return base.Errorf(base.Invalid, "syntax error: %s that %w", what, ErrUnended).At(at + 1)
}

type scanner struct {
	text   string
	pos    int
	open   []int // byte offsets of the opening brackets that are not closed yet
	gaps   []gap // the comments and the spaces beyond ASCII
	tokens []Token
}

type gap struct{ start, end int }

// skip records a gap (a comment or a space beyond ASCII) up to end, and continues after it.
func (s *scanner) skip(end int) {
	s.gaps = append(s.gaps, gap{s.pos, end})
	s.pos = end
}

func (s *scanner) emit(kind Kind, end int) {
	s.tokens = append(s.tokens, Token{Kind: kind, Start: s.pos, End: end, Depth: len(s.open), text: s.text[s.pos:end]})
	s.pos = end
}

func (s *scanner) next() error {
	c, rest := s.text[s.pos], s.text[s.pos:]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
		s.pos++
	case wideSpace(rest) > 0:
		s.skip(s.pos + wideSpace(rest))
	case strings.HasPrefix(rest, "--"):
		s.skip(commentEnd(s.text, s.pos))
	case strings.HasPrefix(rest, "/*"):
		return s.blockComment()
	case c == '\'':
		return s.quoted(String, s.pos, '\'', false)
	case c == '"':
		return s.quoted(Quoted, s.pos, '"', false)
	case (c == 'e' || c == 'E') && len(rest) > 1 && rest[1] == '\'':
		return s.quoted(String, s.pos+1, '\'', true)
	case strings.IndexByte("xXbBnN", c) >= 0 && len(rest) > 1 && rest[1] == '\'':
		return s.quoted(String, s.pos+1, '\'', false)
	case c == '$':
		return s.dollar()
	case c == '?':
		s.emit(Parameter, digitsEnd(s.text, s.pos+1))
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.emit(Number, numberEnd(s.text, s.pos))
	case isWordStart(c):
		s.emit(Word, s.wordEnd(s.pos))
	default:
		return s.symbol(c)
	}
	return nil
}

// wideSpace returns the length in bytes of the space beyond ASCII at the start of a text. It
// returns 0 if there is none, or if DuckDB does not treat it as a space.
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
				s.skip(i + 1)
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
			if backslashes {
				if next := s.continuation(i + 1); next > 0 {
					i = next
					continue
				}
			}
			s.emit(kind, i+1)
			return nil
		}
	}
	if quote == '"' {
		return unended("quoted identifier", open)
	}
	return unended("string", s.pos)
}

// continuation returns the position of the quote that continues the string literal which ended at
// i. It returns 0 if the literal does not continue. Only white space and comments, with at least
// one line end, may be between the two. If backslashes are escapes in the literal, they are escapes
// in the continuation too, so the continuation belongs to the same token. For other literals, the
// continuation is a token of its own.
func (s *scanner) continuation(i int) int {
	lines := 0
	var gaps []gap
	for i < len(s.text) {
		switch c, wide := s.text[i], wideSpace(s.text[i:]); {
		case c == '\n' || c == '\r':
			lines++
			i++
		case c == ' ' || c == '\t' || c == '\f':
			i++
		case wide > 0:
			gaps = append(gaps, gap{i, i + wide})
			i += wide
		case strings.HasPrefix(s.text[i:], "--"):
			end := commentEnd(s.text, i)
			gaps = append(gaps, gap{i, end})
			i = end
		case c == '\'' && lines > 0:
			s.gaps = append(s.gaps, gaps...)
			return i
		default:
			return 0
		}
	}
	return 0
}

func (s *scanner) dollar() error {
	i := s.pos + 1
	if end := digitsEnd(s.text, i); end > i {
		s.emit(Parameter, end) // the text after it is another token
		return nil
	}
	if i < len(s.text) && s.text[i] == '"' {
		return s.quoted(Parameter, i, '"', false)
	}
	for i < len(s.text) && (isWordStart(s.text[i]) || isDigit(s.text[i])) {
		i++
	}
	if i >= len(s.text) || s.text[i] != '$' {
		s.emit(Parameter, s.wordEnd(s.pos+1))
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

// commentEnd returns the end of the comment that begins with -- at i. The comment ends before the
// next line feed or carriage return.
func commentEnd(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\n\r"); n >= 0 {
		return i + n
	}
	return len(text)
}

// numberEnd returns the end of the number that begins at i. A letter that does not belong to the
// number starts another token: 1FROM and 0x1F are two tokens each.
func numberEnd(text string, i int) int {
	end := digitsEnd(text, i)
	if strings.HasPrefix(text[end:], ".") && !strings.HasPrefix(text[end:], "..") {
		end = digitsEnd(text, end+1)
	}
	exponent := end
	if exponent < len(text) && (text[exponent] == 'e' || text[exponent] == 'E') {
		exponent++
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if digits := digitsEnd(text, exponent); digits > exponent {
			end = digits
		}
	}
	return end
}

// digitsEnd returns the end of the digits that begin at i. It returns i if there are none. Between
// two digits, a _ is allowed.
func digitsEnd(text string, i int) int {
	for from := i; i < len(text) && (isDigit(text[i]) || text[i] == '_' && i > from && i+1 < len(text) && isDigit(text[i+1])); {
		i++
	}
	return i
}

const operators = "+-*/<>=~!@%^&|`"

// unusual are the characters of operators that no operator of standard SQL has. Only an operator
// with one of them may end in + or -.
const unusual = "~!@%^&|`"

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
			// The colon is a token of its own. It may begin a named parameter, or be part of a
			// slice or a struct field, and only the grammar can tell.
			s.emit(Symbol, s.pos+1)
		}
	default:
		i := s.pos + 1
		if strings.IndexByte(operators, c) >= 0 {
			for i < len(s.text) && strings.IndexByte(operators, s.text[i]) >= 0 &&
				!strings.HasPrefix(s.text[i:], "--") && !strings.HasPrefix(s.text[i:], "/*") {
				i++
			}
			// In an operator of standard SQL, a sign at the end belongs to the number behind it:
			// a=-1.
			for i > s.pos+1 && (s.text[i-1] == '-' || s.text[i-1] == '+') && !strings.ContainsAny(s.text[s.pos:i], unusual) {
				i--
			}
		}
		s.emit(Symbol, i)
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordStart reports whether a word can begin with this byte. Like DuckDB it counts every byte
// above ASCII as a letter.
func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func (s *scanner) wordEnd(i int) int {
	for i < len(s.text) && wideSpace(s.text[i:]) == 0 && (isWordStart(s.text[i]) || isDigit(s.text[i]) || s.text[i] == '$') {
		i++
	}
	return i
}
