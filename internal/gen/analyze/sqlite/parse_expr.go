package sqlite

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// expr parses an SQL expression. Each level of precedence has a function of its own. The levels
// are, lowest first: OR, AND, NOT, equality and similar operators, comparison, bits, sums,
// products, concatenation, COLLATE, unary operators.
func (p *parser) expr() *expr {
	defer p.limitDepth()()
	e := p.and()
	for p.accept("OR") {
		e = &expr{kind: binaryExpr, text: "OR", args: []*expr{e, p.and()}}
	}
	return e
}

func (p *parser) and() *expr {
	e := p.not()
	for p.accept("AND") {
		e = &expr{kind: binaryExpr, text: "AND", args: []*expr{e, p.not()}}
	}
	return e
}

func (p *parser) not() *expr {
	if p.is("NOT") && !p.is("NOT", "EXISTS") {
		defer p.limitDepth()()
		p.at++
		return &expr{kind: unaryExpr, text: "NOT", args: []*expr{p.not()}}
	}
	return p.equality()
}

func (p *parser) equality() *expr {
	e := p.binary(0)
	for {
		switch {
		case p.accept("="), p.accept("=="):
			e = &expr{kind: binaryExpr, text: "=", args: []*expr{e, p.binary(0)}}
		case p.accept("<>"), p.accept("!="):
			e = &expr{kind: binaryExpr, text: "<>", args: []*expr{e, p.binary(0)}}
		case p.accept("ISNULL"):
			e = &expr{kind: nullTestExpr, args: []*expr{e}}
		case p.accept("NOTNULL"), p.accept("NOT", "NULL"):
			e = &expr{kind: nullTestExpr, text: "NOT", args: []*expr{e}}
		case p.accept("IS"):
			negated := p.accept("NOT")
			if p.accept("DISTINCT", "FROM") {
				e = &expr{kind: binaryExpr, text: "IS", args: []*expr{e, p.binary(0)}}
			} else if p.accept("NULL") {
				e = &expr{kind: nullTestExpr, args: []*expr{e}}
				if negated {
					e.text = "NOT"
				}
			} else {
				e = &expr{kind: binaryExpr, text: "IS", args: []*expr{e, p.binary(0)}}
			}
		case p.is("NOT") && (p.is("NOT", "BETWEEN") || p.is("NOT", "IN") || p.is("NOT", "LIKE") || p.is("NOT", "GLOB") || p.is("NOT", "REGEXP") || p.is("NOT", "MATCH")):
			p.at++
		case p.accept("BETWEEN"):
			low := p.binary(0)
			p.expect("AND")
			e = &expr{kind: betweenExpr, args: []*expr{e, low, p.binary(0)}}
		case p.accept("IN"):
			e = p.in(e)
		case p.is("LIKE"), p.is("GLOB"), p.is("REGEXP"), p.is("MATCH"):
			like := &expr{kind: likeExpr, text: strings.ToUpper(p.name()), args: []*expr{e, p.binary(0)}}
			if p.accept("ESCAPE") {
				like.args = append(like.args, p.binary(0))
			}
			e = like
		default:
			return e
		}
	}
}

func (p *parser) in(value *expr) *expr {
	e := &expr{kind: inExpr, args: []*expr{value}}
	if !p.accept("(") {
		// The right side of the IN is a table: value IN table.
		s := &fromItem{table: p.name()}
		if p.accept(".") {
			s.schema, s.table = s.table, p.name()
		}
		if p.accept("(") {
			p.fail()
		}
		e.sub = &query{cores: []*core{{columns: []resultColumn{{star: true}}, from: s}}}
		return e
	}
	switch {
	case p.is("SELECT"), p.is("VALUES"), p.is("WITH"):
		e.sub = p.query()
	case !p.is(")"):
		e.args = append(e.args, p.list()...)
	}
	p.expect(")")
	return e
}

// levels are the binary operators from < to ||, one list for each level of precedence, lowest
// first.
var levels = [][]string{{"<", ">", "<=", ">="}, {"&", "|", "<<", ">>"}, {"+", "-"}, {"*", "/", "%"}, {"||", "->", "->>"}}

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.collated()
	}
	e := p.binary(level + 1)
next:
	for {
		for _, op := range levels[level] {
			if p.peek(0).Kind == sqlfile.Punct && p.peek(0).Text == op {
				p.at++
				e = &expr{kind: binaryExpr, text: op, args: []*expr{e, p.binary(level + 1)}}
				continue next
			}
		}
		return e
	}
}

func (p *parser) collated() *expr {
	e := p.unary()
	for p.accept("COLLATE") {
		p.name()
	}
	return e
}

func (p *parser) unary() *expr {
	for _, op := range []string{"-", "+", "~"} {
		if p.accept(op) {
			defer p.limitDepth()()
			return &expr{kind: unaryExpr, text: op, args: []*expr{p.unary()}}
		}
	}
	return p.primary()
}

func (p *parser) primary() *expr {
	t := p.peek(0)
	switch t.Kind {
	case sqlfile.Number, sqlfile.String:
		p.at++
		return &expr{kind: literalExpr, text: t.Text}
	case sqlfile.Placeholder:
		n, err := number(t)
		if err != nil {
			p.fail()
		}
		p.at++
		e := &expr{kind: paramExpr, param: n}
		p.params = append(p.params, e)
		return e
	case sqlfile.Punct:
		if t.Text != "(" {
			p.fail()
		}
		p.at++
		if p.is("SELECT") || p.is("VALUES") || p.is("WITH") {
			e := &expr{kind: subqueryExpr, sub: p.query()}
			p.expect(")")
			return e
		}
		list := p.list()
		p.expect(")")
		if len(list) == 1 {
			return list[0]
		}
		return &expr{kind: rowExpr, args: list}
	case sqlfile.Word:
		switch strings.ToUpper(t.Text) {
		case "NULL", "TRUE", "FALSE", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP":
			p.at++
			return &expr{kind: literalExpr, text: strings.ToUpper(t.Text)}
		case "CAST":
			return p.cast()
		case "CASE":
			return p.caseWhen()
		case "EXISTS", "NOT":
			p.accept("NOT") // the result is never NULL, with or without NOT
			p.expect("EXISTS", "(")
			e := &expr{kind: existsExpr, sub: p.query()}
			p.expect(")")
			return e
		case "RAISE", "SELECT", "FROM", "WHERE":
			p.fail()
		}
		if p.peek(1).Text == "(" {
			return p.call()
		}
	case sqlfile.Ident:
		if p.peek(1).Text == "(" {
			return p.call()
		}
	default:
		p.fail()
	}
	e := &expr{kind: columnExpr, quoted: t.Kind == sqlfile.Ident && strings.HasPrefix(t.Text, `"`)}
	e.names = append(e.names, p.name())
	for p.accept(".") {
		e.names = append(e.names, p.name())
	}
	return e
}

func (p *parser) cast() *expr {
	p.expect("CAST", "(")
	e := &expr{kind: castExpr, args: []*expr{p.expr()}}
	p.expect("AS")
	depth := 0
	var words []string
	for depth > 0 || !p.is(")") {
		if p.end() {
			p.fail()
		}
		t := p.peek(0)
		switch t.Text {
		case "(":
			depth++
		case ")":
			depth--
		}
		words = append(words, t.Text)
		p.at++
	}
	p.expect(")")
	e.text = strings.Join(words, " ")
	return e
}

func (p *parser) caseWhen() *expr {
	p.expect("CASE")
	e := &expr{kind: caseExpr}
	if !p.is("WHEN") {
		e.args = append(e.args, p.expr())
	}
	for p.accept("WHEN") {
		e.args = append(e.args, p.expr())
		p.expect("THEN")
		e.results = append(e.results, p.expr())
	}
	if p.accept("ELSE") {
		e.hasElse = true
		e.results = append(e.results, p.expr())
	}
	p.expect("END")
	return e
}

func (p *parser) call() *expr {
	e := &expr{kind: callExpr, text: strings.ToLower(p.name())}
	p.expect("(")
	p.accept("DISTINCT")
	switch {
	case p.accept("*"):
		e.star = true
	case !p.is(")"):
		e.args = p.list()
		if p.accept("ORDER", "BY") {
			p.ordering()
		}
	}
	p.expect(")")
	if p.is("FILTER", "(") {
		p.expect("FILTER", "(", "WHERE")
		e.filtered = true
		p.expr()
		p.expect(")")
	}
	if p.accept("OVER") {
		e.windowed = true
		if p.is("(") {
			p.window()
		} else {
			p.name()
		}
	}
	return e
}

// window skips the definition of a window, in parentheses, after OVER or in a WINDOW clause.
func (p *parser) window() {
	p.expect("(")
	for depth := 1; depth > 0; p.at++ {
		if p.end() {
			p.fail()
		}
		switch p.peek(0).Text {
		case "(":
			depth++
		case ")":
			depth--
		}
	}
}
