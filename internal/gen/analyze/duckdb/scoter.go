//go:build cgo

package duckdb

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// OpenScoter opens an empty in-memory database, as Open does, that accepts the SQL dialect of
// Scoter.
func OpenScoter() (analyze.Engine, error) {
	e, err := Open()
	if err != nil {
		return nil, err
	}
	return scoterEngine{e}, nil
}

// scoterEngine analyses statements of Scoter with DuckDB. Scoter's CREATE TABLE and ALTER TABLE
// have additional clauses for the layout of rows on disk. These clauses do not affect types.
type scoterEngine struct{ analyze.Engine }

func (e scoterEngine) Exec(ctx context.Context, sql string) error {
	sql = withoutLayout(sql)
	if strings.TrimSpace(sql) == "" {
		return nil
	}
	return e.Engine.Exec(ctx, sql)
}

// withoutLayout removes Scoter's own clauses, PARTITIONED BY (...), SORTED BY (...) and WITH (...),
// after a CREATE TABLE. It replaces them by spaces, so that positions in messages stay correct. It
// returns "" for an ALTER TABLE that only sets these options.
func withoutLayout(sql string) string {
	var tokens []sqlfile.Token
	for _, t := range sqlfile.Tokenize(ir.DuckDB, sql, 0) {
		if !t.Trivia() {
			tokens = append(tokens, t)
		}
	}
	if len(tokens) < 2 || !tokens[0].Is("CREATE") && !tokens[0].Is("ALTER") {
		return sql
	}
	text := []byte(sql)
	open := 0
	for i := 1; i+2 < len(tokens); i++ {
		t := tokens[i]
		if tokens[0].Is("ALTER") && tokens[i-1].Is("SET") && t.Text == "(" {
			return "" // the statement only sets options
		}
		open += nesting(t)
		by := (t.Is("PARTITIONED") || t.Is("SORTED")) && tokens[i+1].Is("BY") && tokens[i+2].Text == "("
		options := t.Is("WITH") && tokens[i+1].Text == "("
		set := tokens[i-1].Is("SET")
		if open > 0 || !by && !options || tokens[i-1].Text != ")" && !set {
			continue
		}
		if set {
			return ""
		}
		end := i + 1
		for depth := 0; end < len(tokens); end++ {
			if depth += nesting(tokens[end]); depth == 0 && tokens[end].Text == ")" {
				break
			}
		}
		if end == len(tokens) {
			return sql // return the text as it is: DuckDB reports the error better
		}
		for at := t.Start; at < tokens[end].End(); at++ {
			text[at] = ' '
		}
		i = end
	}
	return string(text)
}

// nesting returns 1 for an opening bracket, -1 for a closing one, and 0 for other tokens.
func nesting(t sqlfile.Token) int {
	switch t.Text {
	case "(":
		return 1
	case ")":
		return -1
	}
	return 0
}
