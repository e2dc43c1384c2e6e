package mutate

import (
	"context"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// checkSyntax lets DuckDB's parser judge the statement, so that a syntax error is
// reported as DuckDB reports it, and what follows may rely on the grammar.
func (m *Mutator) checkSyntax(ctx context.Context, s sqltoken.Statement) error {
	if s.Starts("CREATE", "DATABASE") || s.Starts("DROP", "DATABASE") || AboutSources(s) || AboutExports(s) {
		return nil // DuckDB has no such statements: what reads their clauses judges all of them
	}
	form := formOf(s)
	if m.accepted.has(form) {
		return nil
	}
	conn, err := m.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer m.pool.Release(conn)
	if _, err := conn.ParseSelect(withoutDirections(s)); err != nil && !errors.Is(err, duck.ErrNotSelect) {
		return err
	}
	m.accepted.add(form)
	return nil
}

// formOf returns a statement's text without what its plain literals say, which is nothing to the grammar: whole numbers that fit
// into 32 bits are one kind of token to it, and so are texts in simple quotes.
func formOf(s sqltoken.Statement) string {
	const most = 9 // digits
	var b strings.Builder
	from := 0
	for _, t := range s.Tokens {
		mark := ""
		switch {
		case t.Kind == sqltoken.Number && t.End-t.Start <= most && isDigits(t.Text()):
			mark = "0"
		case t.Kind == sqltoken.String && t.Text()[0] == '\'' && utf8.ValidString(t.Text()):
			mark = "''"
		default:
			continue
		}
		b.WriteString(s.Text[from:t.Start])
		b.WriteString(mark)
		from = t.End
	}
	b.WriteString(s.Text[from:])
	return b.String()
}

// acceptedTexts is a bounded set of statements, as formOf gives them. When it is full it starts anew: those that come often
// are back at once.
type acceptedTexts struct {
	mu  sync.Mutex
	all map[string]struct{} // guarded by mu
}

const (
	maxAccepted     = 4096
	maxAcceptedText = 16 << 10 // bytes; longer ones are parsed every time
)

func (a *acceptedTexts) has(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.all[text]
	return ok
}

func (a *acceptedTexts) add(text string) {
	if len(text) > maxAcceptedText {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) >= maxAccepted || a.all == nil {
		a.all = map[string]struct{}{}
	}
	a.all[text] = struct{}{}
}

// withoutDirections blanks out ASC, DESC and NULLS FIRST or LAST in SORTED BY (...), which
// DuckDB's grammar lacks; positions stay.
func withoutDirections(s sqltoken.Statement) string {
	text := []byte(s.Text)
	for i := 2; i < len(s.Tokens); i++ {
		if !s.Tokens[i].Is("(") || !s.Tokens[i-1].Is("BY") || !s.Tokens[i-2].Is("SORTED") {
			continue
		}
		for depth := s.Tokens[i].Depth; i < len(s.Tokens) && !(s.Tokens[i].Is(")") && s.Tokens[i].Depth == depth); i++ {
			t, before := s.Tokens[i], s.Tokens[i-1]
			if t.Is("ASC") || t.Is("DESC") || t.Is("NULLS") || before.Is("NULLS") && (t.Is("FIRST") || t.Is("LAST")) {
				copy(text[t.Start:t.End], strings.Repeat(" ", t.End-t.Start))
			}
		}
	}
	return string(text)
}
