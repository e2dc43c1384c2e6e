package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A passage is some prose of a file: a comment, a paragraph, or the message of an error.
type passage struct {
	line  int // of its first line, from 1
	lines []proseLine
}

type proseLine struct {
	source string // the whole line
	text   string // its prose, without marks of comments and code between backticks
	fixed  bool   // a table, code, a URL or a directive: it cannot be wrapped
}

// text returns the prose of the passage, one line each.
func (p passage) text() string {
	var b strings.Builder
	for i, l := range p.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// A syntax says how comments and texts are written in a language.
type syntax struct {
	line   string   // begins a comment that ends with the line
	block  bool     // whether /* */ is a comment
	quotes []string // begin and end a text; a longer one stands before a shorter one it begins with
	raw    string   // the quotes in which \ is no escape
}

var (
	cSyntax = &syntax{line: "//", block: true, quotes: []string{`"`, `'`}}
	// syntaxes has the languages of the repository by the extension of a file. Markdown has no
	// comments.
	syntaxes = map[string]*syntax{
		".go": {line: "//", block: true, quotes: []string{`"`, `'`, "`"}, raw: "`"},
		".c":  cSyntax, ".h": cSyntax, ".cc": cSyntax, ".hpp": cSyntax,
		".java": {line: "//", block: true, quotes: []string{`"""`, `"`, `'`}},
		".ts":   {line: "//", block: true, quotes: []string{`"`, `'`, "`"}},
		".py":   {line: "#", quotes: []string{`"""`, `'''`, `"`, `'`}},
		".md":   {},
	}
)

func passagesOf(extension, src string) []passage {
	if extension == ".md" {
		return paragraphs(src)
	}
	return comments(src, syntaxes[extension])
}

var importC = regexp.MustCompile(`^\s*\nimport "C"`)

// comments returns the comments of a source file. Comments of one line each that follow on each
// other are one passage. The C code before import "C" is not a comment.
func comments(src string, s *syntax) (all []passage) {
	lines := strings.Split(src, "\n")
	line := 1
	add := func(from, to int) {
		first := line
		for k, text := range strings.Split(src[from:to], "\n") {
			l := proseLine{lines[first-1+k], commentText(text, s, k), false}
			l.fixed = isFixed(l, text)
			whole := strings.HasPrefix(strings.TrimSpace(l.source), s.line) && s.line != ""
			if n := len(all) - 1; n >= 0 && whole && all[n].line+len(all[n].lines) == first+k && all[n].line <= first+k {
				all[n].lines = append(all[n].lines, l)
			} else if k > 0 {
				all[n].lines = append(all[n].lines, l)
			} else {
				all = append(all, passage{first + k, []proseLine{l}})
			}
		}
	}
	for i := 0; i < len(src); {
		rest := src[i:]
		switch {
		case rest[0] == '\n':
			line++
			i++
		case s.line != "" && strings.HasPrefix(rest, s.line):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			add(i, i+n)
			if k := len(all) - 1; importC.MatchString(src[i+n:]) {
				all = all[:k]
			}
			i += n
		case s.block && strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return all
			}
			if !importC.MatchString(rest[n+4:]) {
				add(i, i+2+n)
			}
			line += strings.Count(rest[:n+4], "\n")
			i += n + 4
		default:
			n := textEnd(rest, s)
			line += strings.Count(rest[:n], "\n")
			i += n
		}
	}
	return all
}

// textEnd returns where the text that src begins with ends, or 1 if src begins with none.
func textEnd(src string, s *syntax) int {
	for _, q := range s.quotes {
		if !strings.HasPrefix(src, q) {
			continue
		}
		for i := len(q); i < len(src); i++ {
			switch {
			case src[i] == '\\' && q != s.raw:
				i++
			case strings.HasPrefix(src[i:], q):
				return i + len(q)
			case src[i] == '\n' && len(q) == 1 && q != "`":
				return i // not the begin of a text: an apostrophe in a regular expression
			}
		}
		return 1
	}
	return 1
}

var (
	commentMark = regexp.MustCompile(`^\s*(?://+|/\*+|\*|#+)`)
	directive   = regexp.MustCompile(`^\s*(?://[a-z]+:|//(?:export|nolint|go:)|#!|# ?(?:type|noqa|ruff)\b)`)
	inBackticks = regexp.MustCompile("`[^`]*`")
	listItem    = regexp.MustCompile(`^\s*(?:[-*]|[0-9]+[.)])\s`)
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
)

// commentText returns the prose of line k of a comment, with its indentation.
func commentText(line string, s *syntax, k int) string {
	if s.block && k > 0 && !strings.HasPrefix(strings.TrimSpace(line), "*") {
		return inBackticks.ReplaceAllString(line, "``")
	}
	if directive.MatchString(line) {
		return ""
	}
	return inBackticks.ReplaceAllString(commentMark.ReplaceAllString(line, ""), "``")
}

// isFixed reports whether a line of a comment cannot be wrapped: it is indented code or a table, or
// has a URL.
func isFixed(l proseLine, comment string) bool {
	text := strings.TrimPrefix(l.text, " ")
	switch {
	case directive.MatchString(comment), hasWideWord(l.source), strings.Contains(comment, "://"), strings.HasPrefix(strings.TrimSpace(text), "|"):
		return true
	case strings.HasPrefix(text, "\t"), strings.HasPrefix(text, "  "):
		return !listItem.MatchString(text) && !strings.HasPrefix(strings.TrimSpace(comment), "*")
	}
	return false
}

var word = regexp.MustCompile("(?:`[^`]*`|\\S)+")

// hasWideWord reports whether a word or a piece of code between backticks is too wide for any line.
func hasWideWord(line string) bool {
	for _, w := range word.FindAllString(line, -1) {
		if widthOf(w)+4 > maxWidth {
			return true
		}
	}
	return false
}

// paragraphs returns the prose of a Markdown page: everything but blocks of code.
func paragraphs(src string) (all []passage) {
	fence, open := "", false
	for i, source := range strings.Split(src, "\n") {
		text := strings.TrimSpace(source)
		if fence != "" || strings.HasPrefix(text, "```") {
			if fence == "" {
				fence = text[:len(text)-len(strings.TrimLeft(text, "`"))]
			} else if text == fence {
				fence = ""
			}
			open = false
			continue
		}
		if text == "" {
			open = false
			continue
		}
		l := proseLine{source: source, text: inBackticks.ReplaceAllString(linkTarget.ReplaceAllString(source, "]"), "``")}
		narrow := linkTarget.ReplaceAllString(source, "]()")
		l.fixed = strings.HasPrefix(text, "|") || strings.HasPrefix(text, "#") || strings.Contains(text, "://") || hasWideWord(source) || widthOf(narrow) <= maxWidth
		if open && !l.fixed || open && !strings.HasPrefix(text, "|") {
			all[len(all)-1].lines = append(all[len(all)-1].lines, l)
		} else {
			all = append(all, passage{i + 1, []proseLine{l}})
		}
		open = !strings.HasPrefix(text, "|")
	}
	return all
}

// makesMessage has the functions and methods whose texts people read.
var makesMessage = map[string]bool{"Errorf": true, "New": true, "Wrap": true, "WithHint": true, "fail": true,
	"Info": true, "Warn": true, "Error": true}

// messages returns the constant texts that errors and logs of a Go file are made of.
func messages(t *testing.T, path string) (all []passage) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if !makesMessage[name] {
			return true
		}
		for _, a := range call.Args {
			lit, ok := a.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			if text, err := strconv.Unquote(lit.Value); err == nil {
				all = append(all, passage{fset.Position(lit.Pos()).Line, []proseLine{{text: text}}})
			}
		}
		return true
	})
	return all
}

// TestProseIsFound checks the checks: what they see as prose, and what they find in it.
func TestProseIsFound(t *testing.T) {
	wide := strings.Repeat("word ", 21)
	for _, c := range []struct {
		extension, src string
		texts          []string
		wide           int // lines that are too wide
	}{
		{".go", "// One\n// two.\nx := \"// no\" // three\n/* four\nfive */\n", []string{" One\n two.", " three", " four\nfive "}, 0},
		{".go", "x := '\"' // one\ny := `\n// no`\n", []string{" one"}, 0},
		{".go", "// " + wide + "\n", []string{" " + wide}, 1},
		{".go", "//go:generate " + wide + "\n//\t" + wide + "\n// https://x.y/ " + wide + "\n//   - " + wide, nil, 1},
		{".go", "/* " + wide + " */\nimport \"C\"\n// #include " + wide + "\nimport \"C\"", nil, 0},
		{".cc", "/** One\n * two. */ int x = 'a'; // three\n", []string{" One\n two. ", " three"}, 0},
		{".py", "# One\nx = '''\n# no\n''' # two\n", []string{" One", " two"}, 0},
		{".ts", "const x = `// no ${y}`; // one\n", []string{" one"}, 0},
		{".md", "# Head " + wide + "\n\nOne `code`\n[two](" + wide + ")\n\n```\nno\n```\n| " + wide + "|\n" + wide, nil, 1},
		{".md", "One\ntwo\n\n```go\nno\n```\nthree", []string{"One\ntwo", "three"}, 0},
	} {
		all := passagesOf(c.extension, c.src)
		wide := 0
		var texts []string
		for _, p := range all {
			texts = append(texts, p.text())
			for _, l := range p.lines {
				if widthOf(l.source) > maxWidth && !l.fixed {
					wide++
				}
			}
		}
		if c.texts != nil && strings.Join(texts, "|") != strings.Join(c.texts, "|") || wide != c.wide {
			t.Errorf("%q: %d wide lines in %q, want %d in %q", c.src, wide, texts, c.wide, c.texts)
		}
	}
	for text, want := range map[string]string{
		"Rows are written\nanew.": "1 anew", "It IS no part of it": "0 It IS no part of", "is not a part": "", "besides": "", "a way of ours": "0 of ours",
	} {
		got := ""
		for _, f := range findBanned(text) {
			got = strconv.Itoa(f.line) + " " + f.phrase
		}
		if got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
