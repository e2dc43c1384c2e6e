package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// node is a node of PostgreSQL's parse tree. The text form of a node, PostgreSQL's type
// pg_node_tree, is one of: {TAG :field value ...}, (a list), a token, or <> for nothing.
type node struct {
	// tag is the TAG of a node of the form {TAG ...}. It is empty for all other forms.
	tag    string
	fields map[string]*node
	items  []*node // items are the items of a node that is a list. It is nil for all other forms.
	isList bool
	token  string
}

// walk calls visit for this node and for all nodes below it.
func (n *node) walk(visit func(*node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, field := range n.fields {
		field.walk(visit)
	}
	for _, item := range n.items {
		item.walk(visit)
	}
}

// maxNodeBytes is the maximum size in bytes of the text of a parse tree. No query that a person
// writes has a larger tree.
const maxNodeBytes = 64 << 20

// parseNode parses the text form of a parse tree, as PostgreSQL's function nodeToString writes it.
func parseNode(text string) (*node, error) {
	if len(text) > maxNodeBytes {
		return nil, fmt.Errorf("parse tree of %d bytes", len(text))
	}
	p := nodeParser{text: text}
	n, err := p.node(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, fmt.Errorf("parse tree: text after the end, at byte %d", p.at)
	}
	return n, nil
}

type nodeParser struct {
	text string
	at   int
}

func (p *nodeParser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\n' || p.text[p.at] == '\t') {
		p.at++
	}
}

// word reads a token of a parse tree's text. The token ends before a space or a bracket. A
// backslash escapes the next character.
func (p *nodeParser) word() string {
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c == ' ' || c == '\n' || c == '\t' || c == '(' || c == ')' || c == '{' || c == '}' {
			break
		}
		if c == '\\' && p.at+1 < len(p.text) {
			p.at++
			c = p.text[p.at]
		}
		b.WriteByte(c)
		p.at++
	}
	return b.String()
}

// quoted reads a quoted "text" in a parse tree's text. It may contain brackets.
func (p *nodeParser) quoted() string {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '"' {
			p.at++
			break
		}
		if c == '\\' && p.at+1 < len(p.text) {
			p.at++
			c = p.text[p.at]
		}
		b.WriteByte(c)
	}
	return b.String()
}

func (p *nodeParser) node(depth int) (*node, error) {
	if depth > 5000 {
		return nil, fmt.Errorf("parse tree: deeper than 5000")
	}
	p.space()
	if p.at >= len(p.text) {
		return nil, fmt.Errorf("parse tree: it ends at byte %d", p.at)
	}
	switch p.text[p.at] {
	case '{':
		p.at++
		n := &node{tag: p.word(), fields: map[string]*node{}}
		for {
			p.space()
			if p.at >= len(p.text) {
				return nil, fmt.Errorf("parse tree: %s is not closed", n.tag)
			}
			if p.text[p.at] == '}' {
				p.at++
				return n, nil
			}
			if p.text[p.at] != ':' {
				return nil, fmt.Errorf("parse tree: %s has no field at byte %d", n.tag, p.at)
			}
			p.at++
			name := p.word()
			value, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.fields[name] = value
		}
	case '(':
		p.at++
		n := &node{isList: true}
		for {
			p.space()
			if p.at >= len(p.text) {
				return nil, fmt.Errorf("parse tree: a list is not closed")
			}
			if p.text[p.at] == ')' {
				p.at++
				return n, nil
			}
			item, err := p.node(depth + 1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case '"':
		return &node{token: p.quoted()}, nil
	default:
		start := p.at
		w := p.word()
		if p.at == start {
			return nil, fmt.Errorf("parse tree: %q at byte %d", p.text[p.at], p.at)
		}
		if w == "<>" {
			return nil, nil
		}
		return &node{token: w}, nil
	}
}

// value reads the value of a field of a node. It is a node, or several tokens up to the next field.
// Of several tokens, such as `4 [ 1 0 0 0 ]`, value returns the first one. depth is the number of
// nodes around the field.
func (p *nodeParser) value(depth int) (*node, error) {
	first, err := p.node(depth)
	if err != nil {
		return nil, err
	}
	for {
		p.space()
		if p.at >= len(p.text) || p.text[p.at] == '}' || p.text[p.at] == ':' && p.at > 0 && p.text[p.at-1] == ' ' {
			return first, nil
		}
		if _, err := p.node(depth); err != nil {
			return nil, err
		}
	}
}

// get returns the value of the field of this node with the given name, or nil if the node does not
// have the field.
func (n *node) get(name string) *node {
	if n == nil || n.fields == nil {
		return nil
	}
	return n.fields[name]
}

// num returns the value of a field of this node as a number, or 0 if it has none.
func (n *node) num(name string) int {
	if f := n.get(name); f != nil {
		// PostgreSQL printed the number, so an error only means that the field is missing. The
		// result is 0 then.
		i, _ := strconv.Atoi(f.token)
		return i
	}
	return 0
}

// flag reports whether a field of this node has the value true.
func (n *node) flag(name string) bool {
	f := n.get(name)
	return f != nil && f.token == "true"
}

// list returns the items of a field of this node whose value is a list. It returns nil if there is
// none.
func (n *node) list(name string) []*node {
	if f := n.get(name); f != nil && f.isList {
		return f.items
	}
	return nil
}
