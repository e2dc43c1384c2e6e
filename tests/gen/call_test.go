package gen

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// call is one line of a case's calls. Exactly one of Call, Stream, Batch, Rollback, Table, SQL and
// Migrate is set, and determines the kind of call.
type call struct {
	// Call is the name of a query or exec that is called with Args.
	Call string
	// Stream reads an `:all` query lazily. If Take is set, it stops after Take rows.
	Stream string
	Take   int
	// Batch is an exec that is called with Rows as parameter sets.
	Batch string
	// Rollback is an exec that is called with Args in a transaction. The transaction then fails.
	Rollback string
	// Table and Op are a bulk operation with Rows.
	Table string
	Op    ir.Op
	// In runs the bulk operation inside a transaction, which then ends with "commit" or "rollback".
	In string
	// SQL runs directly on the connection. It has no result.
	SQL string
	// Migrate applies the migrations. With DryRun they are rolled back.
	Migrate, DryRun bool

	Args []json.RawMessage
	Rows [][]json.RawMessage
	// Want is the result. Error is a part of the error's text. Silent means that any result is
	// accepted, but no error.
	Want   json.RawMessage
	Error  string
	Silent bool
	// Not are the generators whose database cannot run the call. On are the only generators that
	// run it. Both are parts of ids.
	Not, On []string

	line string
}

func (c call) migrates() bool { return c.Migrate && !c.DryRun }

// runs reports whether a generator runs the call.
func (c call) runs(id string) bool {
	for _, part := range c.Not {
		if strings.Contains(id, part) {
			return false
		}
	}
	for _, part := range c.On {
		if strings.Contains(id, part) {
			return true
		}
	}
	return len(c.On) == 0
}

// bulk are the names of bulk operations.
var bulk = map[string]ir.Op{"insert": ir.OpInsert, "update": ir.OpUpdate, "delete": ir.OpDelete, "upsert": ir.OpUpsert, "append": ir.OpAppender}

// parseCalls parses the calls of a case: one for each line. Lines that begin with white space
// continue the previous line.
func parseCalls(text string) (calls []call, err error) {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(lines) > 0:
			lines[len(lines)-1] += "\n" + line
		default:
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		c, err := parseCall(line)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", line, err)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

func parseCall(line string) (c call, err error) {
	p := &callParser{rest: line}
	defer func() {
		if wrong, ok := recover().(callError); ok {
			err = fmt.Errorf("%s, at %q", string(wrong), p.rest)
		}
	}()
	c.line = line
	for p.take("on ") {
		c.On = append(c.On, p.word())
	}
	switch {
	case p.take("sql "):
		c.SQL = p.rest
		return c, nil
	case p.take("migrate"):
		c.Migrate, c.DryRun = true, p.take("dry run")
	case p.take("stream "):
		c.Stream, c.Args = p.word(), p.arguments()
		if p.take("take ") {
			p.json(&c.Take)
		}
	case p.take("batch "):
		c.Batch = p.word()
		p.json(&c.Rows)
	case p.take("rollback "):
		c.Rollback, c.Args = p.word(), p.arguments()
	default:
		word := p.word()
		if c.Op = bulk[word]; c.Op == "" || strings.HasPrefix(p.rest, "(") {
			c.Op, c.Call, c.Args = "", word, p.arguments()
			break
		}
		c.Table = p.word()
		p.json(&c.Rows)
		if p.take("in ") {
			c.In = p.word()
		}
	}
	switch {
	case p.take("=>"):
		p.json(&c.Want)
	case p.take("fails"):
		p.json(&c.Error)
	case c.Op == ir.OpAppender || c.Rollback != "":
		c.Silent = true
	default:
		panic(callError("no `=> result` and no `fails \"text\"`"))
	}
	for p.take("not ") {
		c.Not = append(c.Not, p.word())
	}
	if p.rest != "" {
		panic(callError("more than a call"))
	}
	return c, nil
}

// callParser parses a line from left to right.
type callParser struct{ rest string }

type callError string

func (p *callParser) space() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *callParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
		p.space()
	}
	return ok
}

// word reads a name, which is in quotes if it has white space.
func (p *callParser) word() (word string) {
	if strings.HasPrefix(p.rest, `"`) {
		p.json(&word)
		return word
	}
	end := strings.IndexAny(p.rest+" ", " \n(")
	word, p.rest = p.rest[:end], p.rest[end:]
	p.space()
	return word
}

func (p *callParser) json(into any) {
	d := json.NewDecoder(strings.NewReader(p.rest))
	if err := d.Decode(into); err != nil {
		panic(callError(err.Error()))
	}
	p.rest = p.rest[d.InputOffset():]
	p.space()
}

// arguments reads JSON values in parentheses.
func (p *callParser) arguments() (args []json.RawMessage) {
	if !p.take("(") {
		panic(callError("no parentheses"))
	}
	for !p.take(")") {
		var value json.RawMessage
		p.json(&value)
		args = append(args, value)
		if !p.take(",") && !strings.HasPrefix(p.rest, ")") {
			panic(callError("neither comma nor parenthesis"))
		}
	}
	return args
}
