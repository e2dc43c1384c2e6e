package clause

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// CheckSyntax makes DuckDB's parser check the statement. Syntax errors are then reported as DuckDB
// reports them, and the code that reads the clauses can rely on the grammar.
func CheckSyntax(ctx context.Context, pool *duck.Pool, s sqltoken.Statement) error {
	if s.Starts("CREATE", "DATABASE") || s.Starts("DROP", "DATABASE") || IsSource(s) || IsExport(s) {
		// DuckDB's parser does not know the statements about sources and exports. The code that
		// reads their clauses checks all of their syntax.
		return nil
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer pool.Release(conn)
	return conn.CheckSyntax(withoutDirections(s))
}

// WithNames replaces the single quotes around names of tables and views ('name'), which DuckDB
// accepts, by double quotes. Positions in the text do not change. A name that contains a quote is
// left as it is.
func WithNames(s sqltoken.Statement) (sqltoken.Statement, error) {
	text := []byte(s.Text)
	changed := false
	for i := 1; i < len(s.Tokens); i++ {
		t, before := s.Tokens[i], s.Tokens[i-1]
		named := before.Is("INTO") || before.Is("UPDATE") || before.Is("TABLE") || before.Is("VIEW") || before.Is("EXISTS") || before.Is("TRUNCATE") ||
			before.Is("FROM") && i > 1 && s.Tokens[i-2].Is("DELETE")
		if t.Depth != 0 || t.Kind != sqltoken.String || t.Text()[0] != '\'' || !named || strings.ContainsAny(t.Text()[1:len(t.Text())-1], `'"`) {
			continue
		}
		text[t.Start], text[t.End-1], changed = '"', '"', true
	}
	if !changed {
		return s, nil
	}
	statements, err := sqltoken.Statements(string(text))
	if err != nil || len(statements) != 1 {
		return s, err
	}
	statements[0].Offset = s.Offset
	return statements[0], nil
}

// withoutDirections replaces ASC, DESC and NULLS FIRST or LAST in SORTED BY (...) by spaces,
// because DuckDB's grammar does not have them there. Positions in the text do not change.
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
