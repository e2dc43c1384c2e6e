package sqlite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// parse parses one statement, whose parameters are written as ?1, ?2 and so on.
func parse(sql string) (s *statement, err error) {
	p := &parser{tokens: glue(sqlfile.Tokenize(ir.SQLite, sql, 0))}
	defer func() {
		// The parser panics at the first syntax that it does not know. Turn the panic into an
		// error.
		if r := recover(); r != nil {
			stop, ours := r.(unknownSyntax)
			if !ours {
				panic(r)
			}
			s, err = nil, stop
		}
	}()
	s = p.statement()
	p.take(";")
	if !p.end() {
		p.fail()
	}
	s.params = p.params
	return s, nil
}

type unknownSyntax struct{ near string }

func (e unknownSyntax) Error() string { return "syntax that is not analysed, at " + e.near }

// operators are the operators that consist of several characters. Longer ones come first.
var operators = []string{"->>", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "=="}

// glue removes white space and comments from tokens, and joins the characters of each operator to
// one token.
func glue(tokens []sqlfile.Token) []sqlfile.Token {
	var out []sqlfile.Token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.Trivia() {
			continue
		}
		if t.Kind == sqlfile.Punct {
			for _, op := range operators {
				if i+len(op) <= len(tokens) && sqlfile.Text(tokens[i:i+len(op)]) == op {
					t.Text = op
					i += len(op) - 1
					break
				}
			}
		}
		out = append(out, t)
	}
	return out
}

type parser struct {
	tokens []sqlfile.Token
	at     int
	depth  int
	// params are all occurrences of parameters, in the order of the text.
	params []*expr
}

func (p *parser) end() bool { return p.at >= len(p.tokens) }

func (p *parser) peek(ahead int) sqlfile.Token {
	if p.at+ahead < len(p.tokens) {
		return p.tokens[p.at+ahead]
	}
	return sqlfile.Token{Kind: sqlfile.Space}
}

func (p *parser) fail() { panic(unknownSyntax{p.peek(0).Text}) }

// deeper is called at the beginning of a nested construct, and the function that it returns at the
// end. It limits the depth, because deep nesting could exhaust the stack.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > 500 {
		p.fail()
	}
	return func() { p.depth-- }
}

// is reports whether the next tokens are the given words or symbols, in this order.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		t := p.peek(i)
		if t.Kind != sqlfile.Word && t.Kind != sqlfile.Punct || !strings.EqualFold(t.Text, w) {
			return false
		}
	}
	return true
}

func (p *parser) take(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

func (p *parser) need(words ...string) {
	if !p.take(words...) {
		p.fail()
	}
}

// name reads an identifier, or a string, which SQLite accepts as a name in some places.
func (p *parser) name() string {
	t := p.peek(0)
	if t.Kind != sqlfile.Word && t.Kind != sqlfile.Ident {
		p.fail()
	}
	p.at++
	return t.Unquote()
}

func (p *parser) names() []string {
	var out []string
	p.need("(")
	for {
		out = append(out, p.name())
		if p.take("COLLATE") {
			p.name()
		}
		if !p.take(",") {
			break
		}
	}
	p.need(")")
	return out
}

func (p *parser) statement() *statement {
	s := &statement{with: p.with()}
	switch {
	case p.is("SELECT"), p.is("VALUES"):
		s.sel = p.query()
		s.sel.with = s.with
	case p.is("INSERT"), p.is("REPLACE"):
		s.change = p.insert()
	case p.is("UPDATE"):
		s.change = p.update()
	case p.is("DELETE"):
		s.change = p.delete()
	default:
		p.fail()
	}
	return s
}

func (p *parser) with() *with {
	if !p.take("WITH") {
		return nil
	}
	w := &with{recursive: p.take("RECURSIVE")}
	for {
		c := cte{name: p.name()}
		if p.is("(") {
			c.columns = p.names()
		}
		p.need("AS")
		if p.take("NOT") {
			p.need("MATERIALIZED")
		} else {
			p.take("MATERIALIZED")
		}
		p.need("(")
		c.body = p.query()
		p.need(")")
		w.ctes = append(w.ctes, c)
		if !p.take(",") {
			return w
		}
	}
}

func (p *parser) query() *query {
	defer p.deeper()()
	q := &query{with: p.with()}
	for {
		q.cores = append(q.cores, p.core())
		switch {
		case p.take("UNION"):
			p.take("ALL")
			q.operators = append(q.operators, "UNION")
		case p.take("INTERSECT"):
			q.operators = append(q.operators, "INTERSECT")
		case p.take("EXCEPT"):
			q.operators = append(q.operators, "EXCEPT")
		default:
			p.orderLimit(q)
			return q
		}
	}
}

func (p *parser) orderLimit(q *query) {
	if p.take("ORDER", "BY") {
		q.order = p.ordering()
	}
	if p.take("LIMIT") {
		q.limited = true
		q.limit = append(q.limit, p.expr())
		if p.take("OFFSET") || p.take(",") {
			q.limit = append(q.limit, p.expr())
		}
	}
}

func (p *parser) ordering() []*expr {
	var out []*expr
	for {
		out = append(out, p.expr())
		if !p.take("ASC") {
			p.take("DESC")
		}
		if p.take("NULLS") && !p.take("FIRST") {
			p.need("LAST")
		}
		if !p.take(",") {
			return out
		}
	}
}

func (p *parser) core() *core {
	c := &core{}
	if p.take("VALUES") {
		for {
			p.need("(")
			c.values = append(c.values, p.list())
			p.need(")")
			if !p.take(",") {
				return c
			}
		}
	}
	p.need("SELECT")
	if !p.take("DISTINCT") {
		p.take("ALL")
	}
	c.columns = p.resultColumns()
	if p.take("FROM") {
		c.from = p.from()
	}
	if p.take("WHERE") {
		c.where = p.expr()
	}
	if p.take("GROUP", "BY") {
		c.group = p.list()
	}
	if p.take("HAVING") {
		c.having = p.expr()
	}
	if p.take("WINDOW") {
		for {
			p.name()
			p.need("AS")
			p.window()
			if !p.take(",") {
				break
			}
		}
	}
	return c
}

func (p *parser) resultColumns() []resultColumn {
	var out []resultColumn
	for {
		switch {
		case p.take("*"):
			out = append(out, resultColumn{star: true})
		case p.peek(1).Text == "." && p.peek(2).Text == "*":
			out = append(out, resultColumn{star: true, table: p.name()})
			p.need(".", "*")
		default:
			c := resultColumn{expr: p.expr()}
			if p.take("AS") {
				c.alias = p.alias()
			} else if t := p.peek(0); t.Kind == sqlfile.Ident || t.Kind == sqlfile.String || t.Kind == sqlfile.Word && !ends[strings.ToUpper(t.Text)] {
				c.alias = p.alias()
			}
			out = append(out, c)
		}
		if !p.take(",") {
			return out
		}
	}
}

// alias reads an alias: a name or, as SQLite allows, a string.
func (p *parser) alias() string {
	if t := p.peek(0); t.Kind == sqlfile.String {
		p.at++
		return strings.ReplaceAll(strings.Trim(t.Text, "'"), "''", "'")
	}
	return p.name()
}

// ends are the words that end an item, and so cannot be its alias without AS.
var ends = map[string]bool{
	"FROM": true, "WHERE": true, "GROUP": true, "HAVING": true, "WINDOW": true, "ORDER": true, "LIMIT": true, "UNION": true, "INTERSECT": true, "EXCEPT": true,
	"JOIN": true, "LEFT": true, "RIGHT": true, "FULL": true, "INNER": true, "OUTER": true, "CROSS": true, "NATURAL": true, "ON": true, "USING": true, "SET": true,
	"RETURNING": true, "INDEXED": true, "NOT": true, "AS": true, "DO": true, "VALUES": true, "DEFAULT": true, "SELECT": true,
}

func (p *parser) from() *source {
	defer p.deeper()()
	left := p.fromItem()
	for {
		j := &source{left: left}
		switch {
		case p.take(","):
		case p.is("NATURAL"), p.is("LEFT"), p.is("RIGHT"), p.is("FULL"), p.is("INNER"), p.is("CROSS"), p.is("JOIN"):
			j.natural = p.take("NATURAL")
			switch {
			case p.take("LEFT"):
				j.nullsRight = true
			case p.take("RIGHT"):
				j.nullsLeft = true
			case p.take("FULL"):
				j.nullsLeft, j.nullsRight = true, true
			case p.take("INNER"), p.take("CROSS"):
			}
			p.take("OUTER")
			p.need("JOIN")
		default:
			return left
		}
		j.right = p.fromItem()
		if p.take("ON") {
			j.on = p.expr()
		} else if p.take("USING") {
			j.using = p.names()
		}
		left = j
	}
}

func (p *parser) fromItem() *source {
	s := &source{}
	if p.take("(") {
		if p.is("SELECT") || p.is("VALUES") || p.is("WITH") {
			s.sub = p.query()
		} else {
			s = p.from()
		}
		p.need(")")
		// The source is a join in brackets, whose tables keep their names.
		if s.left != nil || s.table != "" {
			if p.is("AS") || p.peek(0).Kind == sqlfile.Ident {
				p.fail()
			}
			return s
		}
	} else {
		s.table = p.name()
		if p.take(".") {
			s.schema, s.table = s.table, p.name()
		}
		if p.take("(") {
			s.call = true
			if !p.is(")") {
				s.args = p.list()
			}
			p.need(")")
		}
	}
	if p.take("AS") {
		s.alias = p.alias()
	} else if t := p.peek(0); t.Kind == sqlfile.Ident || t.Kind == sqlfile.Word && !ends[strings.ToUpper(t.Text)] {
		s.alias = p.name()
	}
	if p.take("INDEXED", "BY") {
		p.name()
	} else {
		p.take("NOT", "INDEXED")
	}
	return s
}

func (p *parser) qualified(c *change) {
	c.table = p.name()
	if p.take(".") {
		c.schema, c.table = c.table, p.name()
	}
}

func (p *parser) or() {
	if p.take("OR") {
		p.name()
	}
}

func (p *parser) insert() *change {
	c := &change{kind: "INSERT"}
	if !p.take("REPLACE") {
		p.need("INSERT")
		p.or()
	}
	p.need("INTO")
	p.qualified(c)
	if p.take("AS") {
		c.alias = p.name()
	}
	if p.is("(") {
		c.columns = p.names()
	}
	if !p.take("DEFAULT", "VALUES") {
		c.rows = p.query()
		for p.take("ON", "CONFLICT") {
			if p.take("(") {
				p.ordering()
				p.need(")")
				if p.take("WHERE") {
					c.where = append(c.where, p.expr())
				}
			}
			p.need("DO")
			if p.take("NOTHING") {
				continue
			}
			p.need("UPDATE", "SET")
			c.sets = append(c.sets, p.sets()...)
			if p.take("WHERE") {
				c.where = append(c.where, p.expr())
			}
		}
	}
	p.returning(c)
	return c
}

func (p *parser) update() *change {
	c := &change{kind: "UPDATE"}
	p.need("UPDATE")
	p.or()
	p.qualified(c)
	p.target(c)
	p.need("SET")
	c.sets = p.sets()
	if p.take("FROM") {
		c.from = p.from()
	}
	p.whereReturning(c)
	return c
}

func (p *parser) delete() *change {
	c := &change{kind: "DELETE"}
	p.need("DELETE", "FROM")
	p.qualified(c)
	p.target(c)
	p.whereReturning(c)
	return c
}

func (p *parser) target(c *change) {
	if p.take("AS") {
		c.alias = p.name()
	}
	if p.take("INDEXED", "BY") {
		p.name()
	} else {
		p.take("NOT", "INDEXED")
	}
}

func (p *parser) whereReturning(c *change) {
	if p.take("WHERE") {
		c.where = append(c.where, p.expr())
	}
	p.returning(c)
}

func (p *parser) returning(c *change) {
	if p.take("RETURNING") {
		c.returning = p.resultColumns()
	}
}

func (p *parser) sets() []set {
	var out []set
	for {
		var s set
		if p.is("(") {
			s.columns = p.names()
		} else {
			s.columns = []string{p.name()}
		}
		p.need("=")
		s.value = p.expr()
		out = append(out, s)
		if !p.take(",") {
			return out
		}
	}
}

func (p *parser) list() []*expr {
	var out []*expr
	for {
		out = append(out, p.expr())
		if !p.take(",") {
			return out
		}
	}
}

// number returns the index of a ?N placeholder, which starts at 0.
func number(t sqlfile.Token) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(t.Text, "?"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("placeholder %s", t.Text)
	}
	return n - 1, nil
}
