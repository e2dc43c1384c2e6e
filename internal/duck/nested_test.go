package duck

import (
	"context"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// TestDeeplyNestedJSONIsRefusedByFunctionsThatWalkIt checks functions that walk JSON recursively.
// Without a limit they ended the process for JSON that was nested 100,000 levels deep.
func TestDeeplyNestedJSONIsRefusedByFunctionsThatWalkIt(t *testing.T) {
	conn := limited(t, 64<<20)
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for _, sql := range []string{
		"SELECT json_structure('%s')",
		"SELECT from_json('[1]', '%s')",
		"SELECT json_transform('%s', '[\"INT\"]')",
		"SELECT json_structure(s) FROM (SELECT '%s' AS s FROM range(3000))",
		"SELECT json_contains('%s', '%s')",
		"SELECT json_merge_patch('%s', '%s')",
		"SELECT json_merge_patch('{}', '%s')",
		"SELECT json_deserialize_sql('%s')",
		"SELECT '%s'::JSON::VARIANT::VARCHAR",
		"SELECT {'a': ['%s'::JSON]}::VARIANT::VARCHAR",
		"SELECT s::JSON::VARIANT::VARCHAR FROM (SELECT '%s' AS s FROM range(3000))",
		"SELECT list_reduce(range(2000), lambda a, b: [a]::VARIANT, 1::VARIANT)::VARCHAR -- %s",
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
		"SELECT json_valid('" + nested(50_000) + "'), json_keys('" + nested(50_000) + "'), json_array('" + nested(50_000) + "'::JSON)",
		"SELECT json_contains('" + nested(900) + "', '[]'), json_merge_patch('{}', '" + nested(900) + "')",
		"SELECT '" + nested(900) + "'::JSON::VARIANT::JSON",
		"SELECT list_reduce(range(900), lambda a, b: [a]::VARIANT, 1::VARIANT)::VARCHAR",
		"SELECT {'a': [1, 2], 'b': NULL}::VARIANT::VARCHAR, v::VARIANT::VARCHAR FROM (VALUES ([1, 2]), (NULL), (range(3000))) t(v)",
	} {
		if err := run(context.Background(), conn, sql); err != nil {
			t.Errorf("%.60s: %v", sql, err)
		}
	}
}
