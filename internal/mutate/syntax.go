package mutate

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

// checkSyntax lets DuckDB's parser judge the statement, so that a syntax error is
// reported as DuckDB reports it, and what follows may rely on the grammar.
func (m *Mutator) checkSyntax(ctx context.Context, s sqltoken.Statement) error {
	if s.Starts("CREATE", "DATABASE") || s.Starts("DROP", "DATABASE") || AboutSources(s) || AboutExports(s) {
		return nil // DuckDB has no such statements: what reads their clauses judges all of them
	}
	conn, err := m.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer m.pool.Release(conn)
	return conn.CheckSyntax(withoutDirections(s))
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
