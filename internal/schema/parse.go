package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Limits for the text of a type. They are far above the needs of any real table, and so low that
// the recursion of the parser and of DuckDB's binder fits into the stack.
const (
	maxTypeTextBytes = 1 << 20
	maxTypeDepth     = 64
	maxArraySize     = 100_000 // DuckDB's limit for the length of an ARRAY
)

// Parse parses a type. The text may have the form in which DuckDB prints types (DESCRIBE,
// duckdb_columns().data_type), or the forms in which users write them (aliases such as INT or TEXT,
// any case, spaces anywhere). If columns cannot have the type, the error is base.Invalid.
func Parse(text string) (Type, error) {
	if err := checkTextBytes(len(text)); err != nil {
		return Type{}, err
	}
	return parse(text)
}

func checkTextBytes(n int) error {
	if n > maxTypeTextBytes {
		return base.Errorf(base.TooLarge, "type text of %d bytes: the limit is %d", n, maxTypeTextBytes)
	}
	return nil
}

// parse parses the text of a type as Parse does, but does not limit the size of the text.
func parse(text string) (Type, error) {
	p := typeParser{text: text}
	p.next()
	t, err := p.parse(0)
	if err != nil {
		return Type{}, err
	}
	if p.tok.kind != tokEnd {
		return Type{}, p.unexpected("the end")
	}
	return t, nil
}

type tokKind uint8

const (
	tokEnd tokKind = iota
	tokWord
	tokQuoted // "identifier", unescaped
	tokString // '...', without its quotes and escapes
	tokNumber
	tokPunct
	tokBad // a quote without a closing quote, or a byte that is not valid anywhere
)

type token struct {
	kind  tokKind
	text  string
	start int
}

// typeParser is a recursive-descent parser of types with one token of lookahead.
type typeParser struct {
	text string
	pos  int
	tok  token
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (p *typeParser) next() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	p.tok = token{start: p.pos}
	if p.pos == len(p.text) {
		return
	}
	c := p.text[p.pos]
	switch {
	case c == '"' || c == '\'':
		p.quoted(c)
	case c >= '0' && c <= '9':
		end := p.pos
		for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
			end++
		}
		p.take(tokNumber, end)
	case isWordByte(c):
		end := p.pos
		for end < len(p.text) && isWordByte(p.text[end]) {
			end++
		}
		p.take(tokWord, end)
	case strings.IndexByte("()[],", c) >= 0:
		p.take(tokPunct, p.pos+1)
	default:
		p.take(tokBad, p.pos+1)
	}
}

func (p *typeParser) take(kind tokKind, end int) {
	p.tok.kind, p.tok.text = kind, p.text[p.pos:end]
	p.pos = end
}

// quoted reads "..." or '...'. Two quotes in a row stand for a quote in the text.
func (p *typeParser) quoted(quote byte) {
	var b strings.Builder
	for i := p.pos + 1; i < len(p.text); i++ {
		if p.text[i] != quote {
			b.WriteByte(p.text[i])
			continue
		}
		if i+1 < len(p.text) && p.text[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		p.pos = i + 1
		p.tok.kind, p.tok.text = tokString, b.String()
		if quote == '"' {
			p.tok.kind = tokQuoted
		}
		return
	}
	p.tok.kind, p.tok.text = tokBad, p.text[p.pos:]
	p.pos = len(p.text)
}

func (p *typeParser) isPunct(c string) bool { return p.tok.kind == tokPunct && p.tok.text == c }

func (p *typeParser) expect(c string) error {
	if !p.isPunct(c) {
		return p.unexpected(QuoteString(c))
	}
	p.next()
	return nil
}

func (p *typeParser) unexpected(want string) error {
	got := "the end"
	if p.tok.kind != tokEnd {
		got = strconv.Quote(shorten(p.tok.text, 40))
	}
	return base.Errorf(base.Invalid, "type %q: expected %s, found %s", shorten(p.text, 120), want, got).At(p.tok.start + 1)
}

func (p *typeParser) parse(depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, base.Errorf(base.Invalid, "type nested deeper than %d", maxTypeDepth)
	}
	t, err := p.named(depth)
	if err != nil {
		return Type{}, err
	}
	for p.isPunct("[") {
		if depth++; depth > maxTypeDepth {
			return Type{}, base.Errorf(base.Invalid, "type nested deeper than %d", maxTypeDepth)
		}
		p.next()
		if p.isPunct("]") {
			p.next()
			t = ListOf(t)
			continue
		}
		size, err := p.number(1, maxArraySize, "an array size")
		if err != nil {
			return Type{}, err
		}
		if err := p.expect("]"); err != nil {
			return Type{}, err
		}
		t = ArrayOf(t, size)
	}
	return t, nil
}

// named parses a type, except for the [] or [n] of lists and arrays that may follow it.
func (p *typeParser) named(depth int) (Type, error) {
	if p.tok.kind != tokWord && p.tok.kind != tokQuoted {
		return Type{}, p.unexpected("a type name")
	}
	start := p.tok.start
	word := strings.ToUpper(p.tok.text)
	p.next()
	switch word {
	case "STRUCT", "ROW":
		return p.structure(depth)
	case "MAP":
		return p.mapping(depth)
	case "ENUM":
		return p.enum()
	case "DOUBLE", "CHARACTER":
		if second := map[string]string{"DOUBLE": "PRECISION", "CHARACTER": "VARYING"}[word]; p.isWord(second) {
			p.next()
			word += " " + second
		}
	}
	if refused[word] {
		return Type{}, base.Errorf(base.Invalid, "type %s cannot be stored in a table", word).
			WithHint("cast it to a type that Parquet can hold, for example VARCHAR").At(start + 1)
	}
	if word == "TIME" || word == "TIMESTAMP" {
		return p.zoned(word)
	}
	kind, ok := spellings[word]
	if word == "CHARACTER" {
		kind, ok = Varchar, true
	}
	if !ok {
		return Type{}, base.Errorf(base.Invalid, "unknown type %q", shorten(p.text[start:], 60)).At(start + 1)
	}
	switch kind {
	case Decimal:
		return p.decimal()
	case Varchar, Bit, Blob:
		// VARCHAR(n) is parsed as VARCHAR, because DuckDB too accepts the length and ignores it.
		if p.isPunct("(") {
			p.next()
			if _, err := p.number(0, 1<<31-1, "a length"); err != nil {
				return Type{}, err
			}
			return Of(kind), p.expect(")")
		}
	}
	return Of(kind), nil
}

func (p *typeParser) isWord(word string) bool {
	return p.tok.kind == tokWord && strings.EqualFold(p.tok.text, word)
}

// zoned parses the tokens that may follow TIME and TIMESTAMP: a precision, and WITH or WITHOUT TIME
// ZONE. The argument word is TIME or TIMESTAMP.
func (p *typeParser) zoned(word string) (Type, error) {
	kind := spellings[word]
	if word == "TIMESTAMP" && p.isPunct("(") {
		p.next()
		precision, err := p.number(0, 9, "a precision of 0 to 9")
		if err != nil {
			return Type{}, err
		}
		if err := p.expect(")"); err != nil {
			return Type{}, err
		}
		switch { // each precision gives the same type as in DuckDB
		case precision == 0:
			kind = TimestampS
		case precision <= 3:
			kind = TimestampMS
		case precision > 6:
			kind = TimestampNS
		}
	}
	with := p.isWord("WITH")
	if !with && !p.isWord("WITHOUT") {
		return Of(kind), nil
	}
	for _, w := range []string{"", "TIME", "ZONE"} {
		if w != "" && !p.isWord(w) {
			return Type{}, p.unexpected(w)
		}
		p.next()
	}
	if with {
		kind = map[string]Kind{"TIME": TimeTZ, "TIMESTAMP": TimestampTZ}[word]
	}
	return Of(kind), nil
}

func (p *typeParser) number(least, most int, what string) (int, error) {
	if p.tok.kind != tokNumber {
		return 0, p.unexpected(what)
	}
	n, err := strconv.Atoi(p.tok.text)
	if err != nil || n < least || n > most {
		return 0, p.unexpected(what)
	}
	p.next()
	return n, nil
}

func (p *typeParser) decimal() (Type, error) {
	if !p.isPunct("(") {
		return DecimalOf(18, 3), nil // DuckDB's default for DECIMAL
	}
	p.next()
	width, err := p.number(1, 38, "a width of 1 to 38")
	if err != nil {
		return Type{}, err
	}
	scale := 0
	if p.isPunct(",") {
		p.next()
		if scale, err = p.number(0, width, "a scale of at most the width"); err != nil {
			return Type{}, err
		}
	}
	return DecimalOf(uint8(width), uint8(scale)), p.expect(")")
}

func (p *typeParser) structure(depth int) (Type, error) {
	if err := p.expect("("); err != nil {
		return Type{}, err
	}
	var fields []Field
	seen := map[string]bool{}
	for {
		if p.tok.kind != tokWord && p.tok.kind != tokQuoted {
			return Type{}, p.unexpected("a field name")
		}
		name := p.tok.text
		if err := checkName("field", name); err != nil {
			return Type{}, err
		}
		if folded := Fold(name); seen[folded] {
			return Type{}, base.Errorf(base.Invalid, "struct has two fields named %q", name).At(p.tok.start + 1)
		} else {
			seen[folded] = true
		}
		p.next()
		t, err := p.parse(depth + 1)
		if err != nil {
			return Type{}, err
		}
		fields = append(fields, Field{Name: name, Type: t})
		if !p.isPunct(",") {
			return StructOf(fields...), p.expect(")")
		}
		p.next()
	}
}

func (p *typeParser) mapping(depth int) (Type, error) {
	if err := p.expect("("); err != nil {
		return Type{}, err
	}
	key, err := p.parse(depth + 1)
	if err != nil {
		return Type{}, err
	}
	if err := p.expect(","); err != nil {
		return Type{}, err
	}
	value, err := p.parse(depth + 1)
	if err != nil {
		return Type{}, err
	}
	return MapOf(key, value), p.expect(")")
}

func (p *typeParser) enum() (Type, error) {
	if err := p.expect("("); err != nil {
		return Type{}, err
	}
	var values []string
	seen := map[string]bool{}
	for {
		if p.tok.kind != tokString {
			return Type{}, p.unexpected("an enum value in single quotes")
		}
		if seen[p.tok.text] {
			return Type{}, base.Errorf(base.Invalid, "enum has the value %s twice", QuoteString(shorten(p.tok.text, 40))).At(p.tok.start + 1)
		}
		seen[p.tok.text] = true
		values = append(values, p.tok.text)
		p.next()
		if !p.isPunct(",") {
			return EnumOf(slices.Clip(values)...), p.expect(")")
		}
		p.next()
	}
}

// shorten cuts a text to the maximum number of bytes in the argument most, for an error message.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
