package sqlfile

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Piece is a segment of SQL text, as in package ir, with additional information for the analysis.
type Piece struct {
	ir.Segment
	// Start is the offset in the file of the piece's first byte.
	Start int
}

// Template is the SQL of a block divided into pieces: text, and references to parameters.
type Template struct {
	Pieces []Piece
	// Params are the `@set` lines whose parameters are used, in their order in the file.
	Params []*SetLine
	// In[i] says whether Params[i] has a list as its sample and is used as IN (${p}).
	In []bool
	// Aliases says which columns have an alias that ends in ! or ?. The key is the alias without
	// this mark. The value is true for !, which means never NULL. The pieces have the aliases
	// without marks.
	Aliases map[string]bool
}

// Template divides the body into pieces. If p is a list, IN (${p}) is replaced by in.Before, p and
// in.After. For NOT IN, they are in.NotBefore and in.NotAfter.
func (b *Block) Template(constants map[string]string, in InSyntax) *Template {
	t := &Template{Aliases: map[string]bool{}}
	index := map[string]int{}
	for _, s := range b.Sets {
		if s.Used {
			index[s.Name] = len(t.Params)
			t.Params = append(t.Params, s)
			t.In = append(t.In, false)
		}
	}
	body := b.Body
	aliases := aliasMarks(body)
	for i := 0; i < len(body); i++ {
		token := body[i]
		if span, param, negated := inList(body, i); span > 0 {
			if s := b.Set(body[param].Name()); s != nil && s.Used && s.IsList {
				before, after := in.Before, in.After
				if negated {
					before, after = in.NotBefore, in.NotAfter
				}
				n := index[s.Name]
				t.In[n] = true
				t.text(ir.Code, before, token.Start)
				t.Pieces = append(t.Pieces, Piece{ir.Segment{Kind: ir.ParamRef, Param: n}, body[param].Start})
				t.text(ir.Code, after, body[i+span-1].Start)
				i += span - 1
				continue
			}
		}
		switch {
		case token.Kind == Var:
			if n, ok := index[token.Name()]; ok {
				t.Pieces = append(t.Pieces, Piece{ir.Segment{Kind: ir.ParamRef, Param: n}, token.Start})
			} else {
				t.text(ir.Quoted, constants[token.Name()], token.Start)
			}
		case token.Kind == Ident && aliases[token.Unquote()]:
			name := token.Unquote()
			bare := name[:len(name)-1]
			t.Aliases[bare] = name[len(name)-1] == '!'
			t.text(ir.Quoted, strings.Replace(token.Text, token.Text[len(token.Text)-2:], token.Text[len(token.Text)-1:], 1), token.Start)
		case token.Kind == String, token.Kind == Ident:
			t.text(ir.Quoted, token.Text, token.Start)
		case token.Kind == LineComment:
			// Add the line end to the comment. Without it, the text after the comment would become
			// part of the comment.
			text := token.Text
			if i+1 < len(body) && strings.HasPrefix(body[i+1].Text, "\n") {
				text += "\n"
				body = append(append([]Token{}, body[:i+1]...), body[i+1:]...)
				body[i+1].Text, body[i+1].Start = body[i+1].Text[1:], body[i+1].Start+1
			}
			t.text(ir.Quoted, text, token.Start)
		case token.Kind == BlockComment:
			t.text(ir.Quoted, token.Text, token.Start)
		default:
			t.text(ir.Code, token.Text, token.Start)
		}
	}
	return t
}

// text adds a piece of text. Two pieces of code that follow each other are joined.
func (t *Template) text(kind ir.SegmentKind, text string, start int) {
	if text == "" {
		return
	}
	if n := len(t.Pieces); n > 0 && kind == ir.Code && t.Pieces[n-1].Kind == ir.Code {
		t.Pieces[n-1].Text += text
		return
	}
	t.Pieces = append(t.Pieces, Piece{ir.Segment{Kind: kind, Text: text}, start})
}

// Segments returns the pieces in the form of package ir.
func (t *Template) Segments() []ir.Segment {
	out := make([]ir.Segment, len(t.Pieces))
	for i, p := range t.Pieces {
		out[i] = p.Segment
	}
	return out
}

// InSyntax is an engine's syntax for passing a whole list through one parameter.
type InSyntax struct{ Before, After, NotBefore, NotAfter string }

// These are the syntaxes of the engines. They also work for an empty list.
var (
	InArray = InSyntax{"= ANY (", ")", "<> ALL (", ")"}
	InJSON  = InSyntax{"IN (SELECT value FROM json_each(", "))", "NOT IN (SELECT value FROM json_each(", "))"}
)

// inList reports whether `[NOT] IN (${p})` or `[NOT] IN ${p}` begins at token i. It returns the
// number of its tokens, the index of the Var token, and whether there is a NOT. If it does not
// begin there, span is 0.
func inList(body []Token, i int) (span, param int, negated bool) {
	next := func(j int) int {
		for j++; j < len(body) && body[j].Trivia(); j++ {
		}
		return j
	}
	at := func(j int) Token {
		if j < len(body) {
			return body[j]
		}
		return Token{Kind: Space}
	}
	j := i
	if at(j).Is("not") {
		negated = true
		j = next(j)
	}
	if !at(j).Is("in") {
		return 0, 0, false
	}
	j = next(j)
	if at(j).Kind == Var {
		return j - i + 1, j, negated
	}
	if at(j).Text != "(" {
		return 0, 0, false
	}
	param = next(j)
	end := next(param)
	if at(param).Kind != Var || at(end).Text != ")" {
		return 0, 0, false
	}
	return end - i + 1, param, negated
}

// aliasMarks returns the aliases (quoted names after AS) that end in ! or ?, without this mark. The
// value is true for !.
func aliasMarks(body []Token) map[string]bool {
	marks := map[string]bool{}
	afterAs := false
	for _, t := range body {
		if t.Trivia() {
			continue
		}
		if name := t.Unquote(); afterAs && t.Kind == Ident && len(name) > 1 && (strings.HasSuffix(name, "!") || strings.HasSuffix(name, "?")) {
			marks[name] = true
		}
		afterAs = t.Is("as")
	}
	return marks
}
