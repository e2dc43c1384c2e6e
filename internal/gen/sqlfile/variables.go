package sqlfile

import (
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/diag"
)

// set parses t, a line of the form `@set name = value`, and adds it to block b.
func (p *parser) set(b *Block, t Token) {
	rest := t.Text[4:]
	at := t.Start + 4
	name, value, found := strings.Cut(rest, "=")
	nameAt := at + len(name) - len(strings.TrimLeft(name, " \t"))
	trimmed := strings.TrimSpace(name)
	if !found || !isName(trimmed) {
		p.list.Add(b.Errorf(diag.SQLParse, t.Start, t.End(), "this @set line cannot be read").
			Suggest("write @set name = value, with letters, digits and _ in the name"))
		return
	}
	s := &SetLine{Name: trimmed, Offset: nameAt}
	valueAt := at + len(name) + 1
	tokens := trimEnd(Tokenize(p.dialect, value, 0))
	for len(tokens) > 0 && tokens[0].Trivia() {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		p.list.Add(b.Errorf(diag.SQLParse, t.Start, t.End(), "@set %s has no value", s.Name).
			Suggest("give a sample, such as 1, 'text' or null"))
		return
	}
	s.ValueOffset = valueAt + tokens[0].Start
	s.Value = value[tokens[0].Start:tokens[len(tokens)-1].End()]
	for _, v := range tokens {
		if v.Broken {
			p.list.Add(b.Errorf(diag.SQLParse, valueAt+v.Start, valueAt+v.End(), "the value of @set %s is not closed", s.Name).
				Suggest("a quote inside of a string is written ''"))
			return
		}
		if v.Kind == Var {
			p.list.Add(b.Errorf(diag.SQLParse, valueAt+v.Start, valueAt+v.End(), "the value of @set %s refers to another variable", s.Name))
			return
		}
	}
	s.Null = strings.EqualFold(s.Value, "null")
	s.List, s.IsList = listElements(tokens, value)
	if b.Set(s.Name) != nil {
		p.list.Add(b.Errorf(diag.SQLParse, nameAt, nameAt+len(s.Name), "@set %s is given twice", s.Name).Suggest("remove one of them"))
		return
	}
	b.Sets = append(b.Sets, s)
}

// listElements returns the elements of a sample value that is a list. tokens and text are the
// value. ok is false if the value is not a list.
func listElements(tokens []Token, text string) (elements []string, ok bool) {
	var code []Token
	for _, t := range tokens {
		if !t.Trivia() {
			code = append(code, t)
		}
	}
	if len(code) > 0 && code[0].Is("array") {
		code = code[1:]
	}
	if len(code) == 0 {
		return nil, false
	}
	// The outer brackets enclose the whole list if the last token closes the first one.
	first, last := code[0].Text, code[len(code)-1].Text
	bracketed := (first == "(" && last == ")" || first == "[" && last == "]") && closesAt(code) == len(code)-1
	if code[0].Kind == Ident && strings.HasPrefix(first, "[") && len(code) == 1 {
		// In SQLite's dialect, [1, 2] is one token: a quoted name.
		return strings.Split(strings.Trim(first, "[]"), ","), true
	}
	if bracketed {
		code = code[1 : len(code)-1]
	}
	depth, commas := 0, 0
	start := 0
	add := func(end int) {
		if start < end {
			elements = append(elements, text[code[start].Start:code[end-1].End()])
		}
	}
	for i, t := range code {
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				commas++
				add(i)
				start = i + 1
			}
		}
	}
	add(len(code))
	if commas == 0 && (!bracketed || first == "(" && len(elements) == 1 && strings.ContainsAny(elements[0], "(")) {
		// An expression in parentheses is a list of one element only if it is a plain value, such
		// as (1).
		return nil, false
	}
	return elements, true
}

// closesAt returns the index of the token that closes the bracket at the first token of code.
func closesAt(code []Token) int {
	depth := 0
	for i, t := range code {
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// variables reports an error for each ${name} in the SQL of block b that has no `@set` line.
func (p *parser) variables(b *Block) {
	var names []string
	for _, s := range b.Sets {
		names = append(names, s.Name)
	}
	if len(names) > 0 && b.Kind != Query && b.Kind != Exec {
		s := b.Sets[0]
		p.list.Add(b.Errorf(diag.SQLParse, s.Offset, s.Offset+len(s.Name), "a %s block has no parameters", b.Kind).Suggest("remove the @set line"))
		return
	}
	reported := map[string]bool{}
	for i, t := range b.Body {
		if t.Kind == String && !t.Broken {
			for _, name := range names {
				if strings.Contains(t.Text, "${"+name+"}") || strings.Contains(t.Text, "${"+name+"?}") {
					p.list.Add(b.Errorf(diag.VariableInString, t.Start, t.End(), "${%s} inside of a string is not a parameter", name).
						Suggest("take it out of the quotes, such as '%%' || ${%s} || '%%'", name))
					b.Set(name).Used = true
				}
			}
		}
		if t.Kind != Var || t.Broken {
			continue
		}
		name := t.Name()
		if s := b.Set(name); s != nil {
			s.Used = true
			p.mark(b, s, i)
			continue
		}
		if _, constant := p.constants[name]; constant || reported[name] {
			continue
		}
		reported[name] = true
		d := p.list.Add(b.Errorf(diag.MissingVariable, t.Start, t.End(), "${%s} has no @set", name))
		if near := base.Nearest(name, names); near != "" {
			d.Suggest("did you mean ${%s}?", near)
		} else {
			d.Suggest("add a line @set %s = <sample value> under the header", name)
		}
	}
	for _, s := range b.Sets {
		if !s.Used && !alreadyReported(reported, s.Name) {
			p.list.Add(b.Warnf(diag.UnusedVariable, s.Offset, s.Offset+len(s.Name), "@set %s is not used", s.Name).
				Suggest("use ${%s} in the SQL or remove the line", s.Name))
		}
	}
}

// mark stores the mark of token i of block b, ${name?} or ${name!}, in the parameter's `@set` line
// s. It reports an error if the mark contradicts the sample or another mark.
func (p *parser) mark(b *Block, s *SetLine, i int) {
	t := b.Body[i]
	fail := func(format string, args ...any) *diag.Diagnostic {
		return p.list.Add(b.Errorf(diag.SQLParse, t.Start, t.End(), format, args...))
	}
	switch mark := t.Mark(); {
	case mark == 0:
		return
	case s.Mark != 0 && s.Mark != mark:
		fail("${%s?} and ${%s!} contradict each other", s.Name, s.Name).Suggest("remove one of the marks")
	case mark == '!' && s.Null:
		fail("${%s!} is never null, but the sample of %s is null", s.Name, s.Name).Suggest("give another sample, or remove the mark")
	case mark == '?' && s.IsList && inParens(b.Body, i):
		fail("${%s?} is the list of an IN, which cannot be null", s.Name).Suggest("remove the mark; the list may be empty")
	}
	s.Mark = t.Mark()
}

// inParens reports whether token i of body is the parameter of `IN (${name})`.
func inParens(body []Token, i int) bool {
	for j := range i {
		if span, param, _ := inList(body, j); span > 0 && param == i {
			return true
		}
	}
	return false
}

// alreadyReported reports whether a name similar to the given one was reported before, so that one
// spelling error is not reported twice.
func alreadyReported(reported map[string]bool, name string) bool {
	for r := range reported {
		if base.Nearest(r, []string{name}) != "" {
			return true
		}
	}
	return false
}
