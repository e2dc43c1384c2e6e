package sqlite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// parse parses one SQL statement of SQLite. Its parameters must be written as ?1, ?2 and so on.
func parse(sql string) (s *statement, err error) {
	p := &parser{tokens: mergeOperators(sqlfile.Tokenize(ir.SQLite, sql, 0))}
	defer func() {
		// The parser panics at the first syntax that it does not know. The panic becomes an error
		// here.
		if r := recover(); r != nil {
			stop, ours := r.(unknownSyntax)
			if !ours {
				panic(r)
			}
			s, err = nil, stop
		}
	}()
	s = p.statement()
	p.accept(";")
	if !p.end() {
		p.fail()
	}
	s.params = p.params
	return s, nil
}

type unknownSyntax struct{ near string }

func (e unknownSyntax) Error() string { return "syntax that is not analysed, at " + e.near }

// operators are SQLite's operators that consist of several characters. Longer operators come first.
var operators = []string{"->>", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "=="}

// mergeOperators removes white space and comments from tokens, and joins the characters of each
// operator to one token.
func mergeOperators(tokens []sqlfile.Token) []sqlfile.Token {
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
	// params are all occurrences of parameters, in the order in which they occur in the text.
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

// limitDepth counts the depth of nesting, and fails above a limit, because deep nesting could
// exhaust the stack. The parser calls it at the beginning of a nested construct, and calls the
// function that it returns at the end.
func (p *parser) limitDepth() func() {
	if p.depth++; p.depth > 500 {
		p.fail()
	}
	return func() { p.depth-- }
}

// The method is reports whether the next tokens are the given words or symbols, in this order. It
// does not consume them.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		t := p.peek(i)
		if t.Kind != sqlfile.Word && t.Kind != sqlfile.Punct || !strings.EqualFold(t.Text, w) {
			return false
		}
	}
	return true
}

func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.fail()
	}
}

// name reads an identifier. It also reads a string, because SQLite accepts a string as a name in
// some places.
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
	p.expect("(")
	for {
		out = append(out, p.name())
		if p.accept("COLLATE") {
			p.name()
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
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
	if !p.accept("WITH") {
		return nil
	}
	w := &with{recursive: p.accept("RECURSIVE")}
	for {
		c := cte{name: p.name()}
		if p.is("(") {
			c.columns = p.names()
		}
		p.expect("AS")
		if p.accept("NOT") {
			p.expect("MATERIALIZED")
		} else {
			p.accept("MATERIALIZED")
		}
		p.expect("(")
		c.body = p.query()
		p.expect(")")
		w.ctes = append(w.ctes, c)
		if !p.accept(",") {
			return w
		}
	}
}

func (p *parser) query() *query {
	defer p.limitDepth()()
	q := &query{with: p.with()}
	for {
		q.cores = append(q.cores, p.core())
		switch {
		case p.accept("UNION"):
			p.accept("ALL")
			q.operators = append(q.operators, "UNION")
		case p.accept("INTERSECT"):
			q.operators = append(q.operators, "INTERSECT")
		case p.accept("EXCEPT"):
			q.operators = append(q.operators, "EXCEPT")
		default:
			p.orderLimit(q)
			return q
		}
	}
}

func (p *parser) orderLimit(q *query) {
	if p.accept("ORDER", "BY") {
		q.order = p.ordering()
	}
	if p.accept("LIMIT") {
		q.limited = true
		q.limit = append(q.limit, p.expr())
		if p.accept("OFFSET") || p.accept(",") {
			q.limit = append(q.limit, p.expr())
		}
	}
}

func (p *parser) ordering() []*expr {
	var out []*expr
	for {
		out = append(out, p.expr())
		if !p.accept("ASC") {
			p.accept("DESC")
		}
		if p.accept("NULLS") && !p.accept("FIRST") {
			p.expect("LAST")
		}
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) core() *core {
	c := &core{}
	if p.accept("VALUES") {
		for {
			p.expect("(")
			c.values = append(c.values, p.list())
			p.expect(")")
			if !p.accept(",") {
				return c
			}
		}
	}
	p.expect("SELECT")
	if !p.accept("DISTINCT") {
		p.accept("ALL")
	}
	c.columns = p.resultColumns()
	if p.accept("FROM") {
		c.from = p.from()
	}
	if p.accept("WHERE") {
		c.where = p.expr()
	}
	if p.accept("GROUP", "BY") {
		c.group = p.list()
	}
	if p.accept("HAVING") {
		c.having = p.expr()
	}
	if p.accept("WINDOW") {
		for {
			p.name()
			p.expect("AS")
			p.window()
			if !p.accept(",") {
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
		case p.accept("*"):
			out = append(out, resultColumn{star: true})
		case p.peek(1).Text == "." && p.peek(2).Text == "*":
			out = append(out, resultColumn{star: true, table: p.name()})
			p.expect(".", "*")
		default:
			c := resultColumn{expr: p.expr()}
			if p.accept("AS") {
				c.alias = p.alias()
			} else if t := p.peek(0); t.Kind == sqlfile.Ident || t.Kind == sqlfile.String || t.Kind == sqlfile.Word && !ends[strings.ToUpper(t.Text)] {
				c.alias = p.alias()
			}
			out = append(out, c)
		}
		if !p.accept(",") {
			return out
		}
	}
}

// alias reads an alias: a name or, because SQLite allows it, a string.
func (p *parser) alias() string {
	if t := p.peek(0); t.Kind == sqlfile.String {
		p.at++
		return strings.ReplaceAll(strings.Trim(t.Text, "'"), "''", "'")
	}
	return p.name()
}

// ends is the set of words that end an item of a select list or a FROM clause. Such a word cannot
// be the item's alias without AS.
var ends = map[string]bool{
	"FROM": true, "WHERE": true, "GROUP": true, "HAVING": true, "WINDOW": true, "ORDER": true, "LIMIT": true, "UNION": true, "INTERSECT": true, "EXCEPT": true,
	"JOIN": true, "LEFT": true, "RIGHT": true, "FULL": true, "INNER": true, "OUTER": true, "CROSS": true, "NATURAL": true, "ON": true, "USING": true, "SET": true,
	"RETURNING": true, "INDEXED": true, "NOT": true, "AS": true, "DO": true, "VALUES": true, "DEFAULT": true, "SELECT": true,
}

func (p *parser) from() *fromItem {
	defer p.limitDepth()()
	left := p.fromItem()
	for {
		j := &fromItem{left: left}
		switch {
		case p.accept(","):
		case p.is("NATURAL"), p.is("LEFT"), p.is("RIGHT"), p.is("FULL"), p.is("INNER"), p.is("CROSS"), p.is("JOIN"):
			j.natural = p.accept("NATURAL")
			switch {
			case p.accept("LEFT"):
				j.nullsRight = true
			case p.accept("RIGHT"):
				j.nullsLeft = true
			case p.accept("FULL"):
				j.nullsLeft, j.nullsRight = true, true
			case p.accept("INNER"), p.accept("CROSS"):
			}
			p.accept("OUTER")
			p.expect("JOIN")
		default:
			return left
		}
		j.right = p.fromItem()
		if p.accept("ON") {
			j.on = p.expr()
		} else if p.accept("USING") {
			j.using = p.names()
		}
		left = j
	}
}

func (p *parser) fromItem() *fromItem {
	s := &fromItem{}
	if p.accept("(") {
		if p.is("SELECT") || p.is("VALUES") || p.is("WITH") {
			s.sub = p.query()
		} else {
			s = p.from()
		}
		p.expect(")")
		// The item is a join or a table in brackets. Its tables keep their names, so an alias for
		// the whole item is not supported.
		if s.left != nil || s.table != "" {
			if p.is("AS") || p.peek(0).Kind == sqlfile.Ident {
				p.fail()
			}
			return s
		}
	} else {
		s.table = p.name()
		if p.accept(".") {
			s.schema, s.table = s.table, p.name()
		}
		if p.accept("(") {
			s.call = true
			if !p.is(")") {
				s.args = p.list()
			}
			p.expect(")")
		}
	}
	if p.accept("AS") {
		s.alias = p.alias()
	} else if t := p.peek(0); t.Kind == sqlfile.Ident || t.Kind == sqlfile.Word && !ends[strings.ToUpper(t.Text)] {
		s.alias = p.name()
	}
	if p.accept("INDEXED", "BY") {
		p.name()
	} else {
		p.accept("NOT", "INDEXED")
	}
	return s
}

func (p *parser) qualified(c *change) {
	c.table = p.name()
	if p.accept(".") {
		c.schema, c.table = c.table, p.name()
	}
}

func (p *parser) or() {
	if p.accept("OR") {
		p.name()
	}
}

func (p *parser) insert() *change {
	c := &change{kind: "INSERT"}
	if !p.accept("REPLACE") {
		p.expect("INSERT")
		p.or()
	}
	p.expect("INTO")
	p.qualified(c)
	if p.accept("AS") {
		c.alias = p.name()
	}
	if p.is("(") {
		c.columns = p.names()
	}
	if !p.accept("DEFAULT", "VALUES") {
		c.rows = p.query()
		for p.accept("ON", "CONFLICT") {
			if p.accept("(") {
				p.ordering()
				p.expect(")")
				if p.accept("WHERE") {
					c.where = append(c.where, p.expr())
				}
			}
			p.expect("DO")
			if p.accept("NOTHING") {
				continue
			}
			p.expect("UPDATE", "SET")
			c.sets = append(c.sets, p.sets()...)
			if p.accept("WHERE") {
				c.where = append(c.where, p.expr())
			}
		}
	}
	p.returning(c)
	return c
}

func (p *parser) update() *change {
	c := &change{kind: "UPDATE"}
	p.expect("UPDATE")
	p.or()
	p.qualified(c)
	p.target(c)
	p.expect("SET")
	c.sets = p.sets()
	if p.accept("FROM") {
		c.from = p.from()
	}
	p.whereReturning(c)
	return c
}

func (p *parser) delete() *change {
	c := &change{kind: "DELETE"}
	p.expect("DELETE", "FROM")
	p.qualified(c)
	p.target(c)
	p.whereReturning(c)
	return c
}

func (p *parser) target(c *change) {
	if p.accept("AS") {
		c.alias = p.name()
	}
	if p.accept("INDEXED", "BY") {
		p.name()
	} else {
		p.accept("NOT", "INDEXED")
	}
}

func (p *parser) whereReturning(c *change) {
	if p.accept("WHERE") {
		c.where = append(c.where, p.expr())
	}
	p.returning(c)
}

func (p *parser) returning(c *change) {
	if p.accept("RETURNING") {
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
		p.expect("=")
		s.value = p.expr()
		out = append(out, s)
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) list() []*expr {
	var out []*expr
	for {
		out = append(out, p.expr())
		if !p.accept(",") {
			return out
		}
	}
}

// number returns the index of a placeholder ?N, which is N-1.
func number(t sqlfile.Token) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(t.Text, "?"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("placeholder %s", t.Text)
	}
	return n - 1, nil
}
