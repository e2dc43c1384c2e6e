package gen

import (
	"context"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// scoterEngine analyses for Scoter on DuckDB. What Scoter's CREATE TABLE and
// ALTER TABLE say beyond DuckDB's, how rows lie on disk, changes no type.
type scoterEngine struct{ analyze.Engine }

func (e scoterEngine) Exec(ctx context.Context, sql string) error {
	sql = withoutLayout(sql)
	if strings.TrimSpace(sql) == "" {
		return nil
	}
	return e.Engine.Exec(ctx, sql)
}

// withoutLayout puts spaces in place of PARTITIONED BY (...), SORTED BY (...)
// and WITH (...) behind a CREATE TABLE, so that places in messages stay, and
// leaves nothing of an ALTER TABLE that only sets them.
func withoutLayout(sql string) string {
	tokens, err := sqltoken.Split(sql)
	if err != nil || len(tokens) < 2 || !tokens[0].Is("CREATE") && !tokens[0].Is("ALTER") {
		return sql // what is wrong with it DuckDB says better
	}
	text := []byte(sql)
	for i := 1; i+2 < len(tokens); i++ {
		t := tokens[i]
		behind := tokens[i-1].Is(")") || tokens[i-1].Is("SET")
		by := (t.Is("PARTITIONED") || t.Is("SORTED")) && tokens[i+1].Is("BY") && tokens[i+2].Is("(")
		options := t.Is("WITH") && tokens[i+1].Is("(")
		if t.Depth > 0 || !behind || !by && !options {
			continue
		}
		if tokens[i-1].Is("SET") {
			return ""
		}
		end := i + 1
		for end+1 < len(tokens) && !(tokens[end].Is(")") && tokens[end].Depth == t.Depth) {
			end++
		}
		for at := t.Start; at < tokens[end].End; at++ {
			text[at] = ' '
		}
		// The next clause is behind this one.
		tokens[end] = tokens[i-1]
		i = end
	}
	return string(text)
}
