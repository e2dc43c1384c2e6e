package sqlfile

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Piece is a segment of SQL text, as in package ir, with its position in the file.
type Piece struct {
	ir.Segment
	// Start is the byte offset in the file of the piece's first byte.
	Start int
}

// Template is the SQL of a block, divided into pieces: text, and references to parameters.
type Template struct {
	Pieces []Piece
	// Params are the `@set` lines of the parameters that the SQL uses, in their order in the file.
	Params []*SetLine
	// In[i] says whether the sample value of Params[i] is a list, and the SQL uses the parameter p
	// as IN (${p}).
	In []bool
	// Aliases has the aliases of columns that end in ! or ? in the SQL. The key is the alias
	// without this mark. The value is true for !, which means that the column is never NULL, and
	// false for ?. In the pieces, the aliases have no marks.
	Aliases map[string]bool
}

// Template divides the SQL of the block into pieces. constants are the values of ${} names that are
// not parameters. The argument in is the engine's syntax for lists: if the parameter p is a list,
// IN (${p}) is replaced by in.Before, p and in.After, and NOT IN (${p}) by in.NotBefore, p and
// in.NotAfter.
func (b *Block) Template(constants map[string]string, in ListParameterSyntax) *Template {
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
			// The line end is added to the comment. Without it, the text after the comment would
			// become part of the comment.
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

// text adds a piece of text to the template. If the new piece and the last one are both code, they
// become one piece.
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

// Segments returns the pieces of the template as segments, the type of package ir.
func (t *Template) Segments() []ir.Segment {
	out := make([]ir.Segment, len(t.Pieces))
	for i, p := range t.Pieces {
		out[i] = p.Segment
	}
	return out
}

// ListParameterSyntax is how an engine tests whether a value is in a list that is one parameter.
// Before and After are the SQL text around the placeholder of the list. NotBefore and NotAfter are
// this text for NOT IN.
type ListParameterSyntax struct{ Before, After, NotBefore, NotAfter string }

// These are the forms that engines use for IN with a list as a parameter. They also work for an
// empty list.
var (
	InArray = ListParameterSyntax{"= ANY (", ")", "<> ALL (", ")"}
	InJSON  = ListParameterSyntax{"IN (SELECT value FROM json_each(", "))", "NOT IN (SELECT value FROM json_each(", "))"}
)

// inList looks for `[NOT] IN (${p})` or `[NOT] IN ${p}` at token i of body. It returns the number
// of tokens of this expression, the index of the token ${p}, and whether there is a NOT. If token i
// does not begin such an expression, span is 0.
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

// aliasMarks returns the aliases in body (quoted names after AS) that end in the mark ! or ?. The
// key is the alias without the mark, and the value is true for !.
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
