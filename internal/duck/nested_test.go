package duck

import (
	"context"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// Functions that walk JSON by recursion ended the process where it was nested 100,000 levels deep.
func TestDeeplyNestedJSONIsRefusedByFunctionsThatWalkIt(t *testing.T) {
	conn := limited(t, 64<<20)
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for _, sql := range []string{
		"SELECT json_structure('%s')",
		"SELECT from_json('[1]', '%s')",
		"SELECT json_transform('%s', '[\"INT\"]')",
		"SELECT json_structure(s) FROM (SELECT '%s' AS s FROM range(3000))",
	} {
		err := run(context.Background(), conn, strings.ReplaceAll(sql, "%s", nested(100_000)))
		if base.KindOf(err) != base.TooLarge {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT json_structure('" + nested(900) + "')",
		"SELECT json_structure('{\"a\": \"" + nested(5000) + "\"}')", // within a string
		"SELECT json_extract('" + nested(50_000) + "', '$[0]')",
	} {
		if err := run(context.Background(), conn, sql); err != nil {
			t.Errorf("%.60s: %v", sql, err)
		}
	}
}
