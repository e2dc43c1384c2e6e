package sqlfile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// MaxBytes is the maximum size in bytes of an SQL file that Parse accepts.
const MaxBytes = 16 << 20

// Parse parses the text of one SQL file. Errors are added to list. The result is never nil: it has
// everything that could be parsed. constants are names that ${} may use without a `@set` line, with
// their values; they come from the sources of the configuration.
func Parse(dialect ir.Engine, name, text string, constants map[string]string, list *diag.List) *File {
	// The byte order mark and CR are removed, because editors and git may add or remove them. A
	// file must give the same code, and the same checksum of a migration, on every system.
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	f := &File{Text: diag.NewText(name, text)}
	if len(text) > MaxBytes {
		list.Add(f.Text.At(diag.Error, diag.SQLParse, 0, 0, "the file is larger than %d bytes", MaxBytes))
		return f
	}
	if at := firstNonText(text); at >= 0 {
		list.Add(f.Text.At(diag.Error, diag.SQLParse, at, at+1, "the file is not text in UTF-8").Suggest("save it as UTF-8"))
		return f
	}
	p := parser{dialect: dialect, file: f, list: list, constants: constants, tokens: Tokenize(dialect, text, 0)}
	p.run()
	return f
}

// firstNonText returns the offset of the first byte that is not valid UTF-8 or is a NUL, which no
// engine accepts. It returns -1 if there is no such byte.
func firstNonText(text string) int {
	for at, r := range text {
		if _, size := utf8.DecodeRuneInString(text[at:]); r == 0 || r == utf8.RuneError && size == 1 {
			return at
		}
	}
	return -1
}

type parser struct {
	dialect   ir.Engine
	file      *File
	list      *diag.List
	constants map[string]string
	tokens    []Token
}

// run parses the whole file. It divides the tokens into blocks, each of which begins with a header
// comment.
func (p *parser) run() {
	start := -1 // index of the current block's header token
	var kind Kind
	strayed := false
	for i, t := range p.tokens {
		p.checkToken(t)
		if next := p.isHeader(i); next != "" {
			if start >= 0 {
				p.block(kind, start, i)
			}
			kind, start = next, i
			continue
		}
		if start < 0 && !t.Trivia() && !strayed {
			strayed = true
			p.list.Add(p.file.Text.At(diag.Error, diag.SQLParse, t.Start, t.End(), "SQL outside of a block").
				Suggest("put a header above it, such as -- QUERY name or -- MIGRATE 1"))
		}
	}
	if start >= 0 {
		p.block(kind, start, len(p.tokens))
	}
}

func (p *parser) checkToken(t Token) {
	at := func(code diag.Code, format string, args ...any) *diag.Diagnostic {
		return p.list.Add(p.file.Text.At(diag.Error, code, t.Start, t.Start+1, format, args...))
	}
	switch {
	case !t.Broken:
	case t.Kind == BlockComment:
		at(diag.SQLParse, "this comment is not closed").Suggest("add */")
	case t.Kind == Var:
		at(diag.SQLParse, "this parameter is not closed").Suggest("write ${name}")
	case strings.HasPrefix(t.Text, "$"):
		tag := t.Text[:strings.IndexByte(t.Text[1:], '$')+2]
		at(diag.SQLParse, "this dollar-quoted string is not closed").Suggest("add %s", tag)
	case t.Kind == Ident:
		at(diag.SQLParse, "this quoted name is not closed")
	default:
		at(diag.SQLParse, "this string is not closed").Suggest("add ' (a quote inside of a string is written '')")
	}
}

// headerWord returns the first word of a line of a comment, and the text after the word.
func headerWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " \t\r")
	switch {
	case strings.HasPrefix(line, "--"), strings.HasPrefix(line, "/*"):
		line = strings.TrimLeft(line[2:], " \t\r\n")
	default:
		return "", ""
	}
	n := 0
	for n < len(line) && (line[n] >= 'A' && line[n] <= 'Z' || line[n] >= 'a' && line[n] <= 'z') {
		n++
	}
	if n < len(line) && !isSpace(line[n]) {
		return "", ""
	}
	return line[:n], line[n:]
}

// isHeader returns the kind of block whose header is token i, or "" if token i is not a header. For
// a misspelled kind it returns the most similar kind, so that the block can still be parsed. The
// method header reports the spelling error.
func (p *parser) isHeader(i int) Kind {
	t := p.tokens[i]
	if t.Kind != LineComment && t.Kind != BlockComment {
		return ""
	}
	if !p.onOwnLine(t) {
		return ""
	}
	word, rest := headerWord(t.Text)
	if kinds[Kind(word)] {
		return Kind(word)
	}
	if len(word) < 3 || !looksLikeHeader(rest, t.Kind) {
		return ""
	}
	near := base.Nearest(word, kindList)
	if near == "" {
		return ""
	}
	hasModifier := strings.Contains(rest, ":") || strings.Contains(rest, "key(") || strings.Contains(rest, "set(")
	if word == strings.ToUpper(word) || hasModifier {
		return Kind(near)
	}
	if strings.EqualFold(word, near) {
		at := t.Start + strings.Index(t.Text, word)
		p.list.Add(p.file.Text.At(diag.Warning, diag.MisspelledKeyword, at, at+len(word), "this comment reads like a block's header, but kinds are in capitals").
			Suggest("write %s if it is one", near))
	}
	return ""
}

// looksLikeHeader reports whether text, which follows the kind of block in a comment, is the rest
// of a header: a name followed only by modifiers. Ordinary comments do not look like that.
func looksLikeHeader(text string, kind TokenKind) bool {
	if kind == BlockComment {
		text = strings.TrimSuffix(text, "*/")
		if n := strings.IndexByte(strings.TrimLeft(text, " \t\r\n"), '\n'); n >= 0 {
			text = strings.TrimLeft(text, " \t\r\n")[:n]
		}
	}
	fields := strings.Fields(text)
	if len(fields) == 0 || !isName(fields[0]) {
		return false
	}
	for _, f := range fields[1:] {
		if !strings.HasPrefix(f, ":") && !strings.HasPrefix(f, "key(") && !strings.HasPrefix(f, "set(") && ops[f] == "" {
			return false
		}
	}
	return true
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) && s[i] != '_' && (s[i]|0x20 < 'a' || s[i]|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

func (p *parser) onOwnLine(t Token) bool {
	text := p.file.Text.Text
	for at := t.Start; at > 0; at-- {
		switch text[at-1] {
		case ' ', '\t', '\r':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

// block parses a block of the given kind. The block has the tokens with the indices from start to
// end-1. The first one is its header.
func (p *parser) block(kind Kind, start, end int) {
	header := p.tokens[start]
	b := &Block{File: p.file, Kind: kind, HeaderStart: header.Start, HeaderEnd: header.End()}
	b.Doc = p.docAbove(start)
	if !p.header(b, header) {
		return
	}
	body := p.tokens[start+1 : end]
	var sql []Token
	for _, t := range body {
		if t.Kind == Set {
			p.set(b, t)
			continue
		}
		sql = append(sql, t)
	}
	// Comments before the SQL are documentation.
	for len(sql) > 0 && sql[0].Trivia() {
		if sql[0].Kind != Space {
			b.Doc = appendDoc(b.Doc, sql[0])
		}
		sql = sql[1:]
	}
	b.Body = trimEnd(sql)
	p.file.Blocks = append(p.file.Blocks, b)
	p.variables(b)
	p.checkBody(b)
}

// docAbove returns the lines of the line comments directly above a block's header. An empty line
// ends them. header is the index of the header's token.
func (p *parser) docAbove(header int) []string {
	var lines []Token
	for i := header - 1; i >= 0; i-- {
		t := p.tokens[i]
		if t.Kind == Space {
			if strings.Count(t.Text, "\n") > 1 {
				break
			}
			continue
		}
		if t.Kind != LineComment || !p.onOwnLine(t) || p.isKind(t) {
			break
		}
		lines = append([]Token{t}, lines...)
	}
	var doc []string
	for _, t := range lines {
		doc = appendDoc(doc, t)
	}
	return doc
}

func (p *parser) isKind(t Token) bool {
	word, _ := headerWord(t.Text)
	return kinds[Kind(word)]
}

// appendDoc appends the lines of the comment t, without comment markers, to doc.
func appendDoc(doc []string, t Token) []string {
	if t.Kind == LineComment {
		line := strings.TrimPrefix(t.Text, "--")
		if line != "" && strings.Trim(line, "-=*# \t\r") == "" {
			return doc // a line of only punctuation is decoration
		}
		return append(doc, strings.TrimRight(strings.TrimPrefix(line, " "), " \t\r"))
	}
	text := strings.TrimSuffix(strings.TrimPrefix(t.Text, "/*"), "*/")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "*" || strings.HasPrefix(line, "* ") {
			line = strings.TrimSpace(line[1:])
		}
		if line == "" && (i == 0 || i == len(lines)-1) {
			continue
		}
		doc = append(doc, line)
	}
	return doc
}

// trimEnd removes white space, comments and semicolons at the end of tokens.
func trimEnd(tokens []Token) []Token {
	for len(tokens) > 0 {
		last := tokens[len(tokens)-1]
		if !last.Trivia() && last.Text != ";" {
			break
		}
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

// checkBody reports an error if the SQL of block b does not suit the block's kind, for example if a
// QUERY has no SQL.
func (p *parser) checkBody(b *Block) {
	switch b.Kind {
	case Query, Exec:
		for _, t := range b.Body {
			if t.Kind == Placeholder {
				p.list.Add(b.Errorf(diag.SQLParse, t.Start, t.End(), "%s is the engine's own parameter", t.Text).
					Suggest("name it: a line @set name = <sample value> under the header, and ${name} here"))
			}
		}
		if len(b.Body) == 0 {
			p.list.Add(b.NameErrorf(diag.SQLParse, "%s %s has no SQL", b.Kind, b.Name))
			return
		}
		if n := len(Statements(b.Body)); n > 1 {
			second := Statements(b.Body)[1]
			p.list.Add(b.Errorf(diag.SQLParse, second[0].Start, second[0].End(), "%s %s has %d statements", b.Kind, b.Name, n).
				Suggest("put each statement into its own block"))
		}
	case Migrate, Baseline, Testdata:
		if len(b.Body) == 0 && b.Kind != Testdata {
			p.list.Add(b.NameErrorf(diag.SQLParse, "%s %s has no SQL", b.Kind, b.Name))
		}
		for _, s := range Statements(b.Body) {
			p.checkSchema(b, s)
		}
	case Table, Write:
		if i := firstNonName(b.Body); i >= 0 {
			p.list.Add(b.Errorf(diag.SQLParse, b.Body[i].Start, b.Body[i].End(), "a %s block has no SQL, at most the table's name", b.Kind).
				Suggest("put the SQL under its own header"))
			b.Body = nil
		}
		if len(b.Body) == 0 && firstNonName(Tokenize(p.dialect, b.Name, 0)) >= 0 {
			p.list.Add(b.NameErrorf(diag.SQLParse, "%s is not the name of a table", b.Name).
				Suggest("put it in double quotes, or on a separate line below the header"))
		}
	}
}

// firstNonName returns the index of the first token that cannot be part of a table's name, or -1 if
// there is none. A table's name has up to three parts, separated by dots.
func firstNonName(tokens []Token) int {
	n := 0
	for i, t := range tokens {
		if t.Trivia() {
			continue
		}
		if n%2 == 0 && t.Kind != Word && t.Kind != Ident || n%2 == 1 && t.Text != "." || n > 4 {
			return i
		}
		n++
	}
	return -1
}

// transactional are the first words of statements that begin or end transactions.
var transactional = []string{"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "PREPARE"}

// checkSchema reports an error for a statement of the schema that cannot be run. The whole schema
// runs in one transaction, which a dry run rolls back. So a statement must not end the transaction,
// and must not wait for data from the client. Savepoints and ROLLBACK TO are allowed, because they
// stay within the transaction.
func (p *parser) checkSchema(b *Block, statement []Token) {
	var words []Token
	for _, t := range statement {
		if !t.Trivia() {
			words = append(words, t)
		}
	}
	first, second := words[0], words[min(1, len(words)-1)]
	inside := first.Is("PREPARE") && !second.Is("TRANSACTION") || first.Is("ROLLBACK") && slices.ContainsFunc(words, func(t Token) bool { return t.Is("TO") })
	for _, word := range transactional {
		if first.Is(word) && !inside {
			help := "remove it"
			if b.Kind == Migrate {
				help += "; if the migration was applied with it, set its checksum in _sqg_migrations to NULL"
			}
			p.list.Add(b.Errorf(diag.SQLParse, first.Start, first.End(), "%s is not allowed, because a %s block runs in a transaction", word, b.Kind).Suggest("%s", help))
			return
		}
	}
	for i, t := range words[1:] {
		if first.Is("COPY") && t.Is("STDIN") && words[i].Is("FROM") {
			p.list.Add(b.Errorf(diag.SQLParse, first.Start, t.End(), "a %s block has no standard input to COPY from", b.Kind).
				Suggest("write INSERT (pg_dump --inserts does)"))
			return
		}
	}
}
