package query

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// TestLineage checks which queries are accepted: those in which each row is made of one message,
// and the key is computed from the key of the record.
func TestLineage(t *testing.T) {
	inst, err := duck.Open(duck.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	pool := duck.NewPool(inst, 1)
	t.Cleanup(func() { pool.Close(); inst.Close() })
	r := &Runner{pool: pool}
	of := func(sql string, key ...string) (sqlquery.Lineage, error) {
		return r.Lineage(t.Context(), sql, "messages", sqlquery.KeyColumns{Key: key, Version: "ver", Metadata: []string{"_key", "_topic", "_offset"}, RecordPlace: []string{"_offset"}})
	}
	for _, c := range []struct {
		sql, rows, keys string
		filters         bool
	}{
		{"SELECT _key::VARCHAR AS id, name, ver FROM messages",
			`SELECT CAST(_key AS VARCHAR) AS id, "name", ver, messages._offset AS scoter_touched__offset FROM messages`,
			"SELECT CAST(_key AS VARCHAR) AS id, messages._offset AS scoter_touched__offset FROM messages", false},
		{"SELECT m._key.a AS id, * EXCLUDE (id), _offset AS ver FROM Messages AS m WHERE _topic = 'a'",
			`SELECT m._key.a AS id, * EXCLUDE (id), _offset AS ver, m._offset AS scoter_touched__offset FROM Messages AS m WHERE (_topic = 'a')`,
			"SELECT m._key.a AS id, _offset AS ver, m._offset AS scoter_touched__offset FROM Messages AS m WHERE (_topic = 'a')", false},
		{"SELECT _key AS id, n.name FROM messages LEFT JOIN names n ON n.id = messages.x",
			`SELECT _key AS id, n."name", messages._offset AS scoter_touched__offset FROM messages LEFT JOIN "names" AS n ON ((n.id = messages.x))`,
			`SELECT _key AS id, messages._offset AS scoter_touched__offset FROM messages LEFT JOIN "names" AS n ON ((n.id = messages.x))`, false},
		{"SELECT _key AS id FROM messages JOIN names n ON n.id = x", "", "", true},
		{"SELECT _key AS id FROM messages WHERE kind = 'user'", "", "", true},
		{"SELECT _key AS id FROM messages, unnest(items)", "", "", true},
	} {
		l, err := of(c.sql, "id")
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.sql, err)
		case l.Filters != c.filters, c.rows != "" && (l.RowsSQL != c.rows || l.KeysSQL != c.keys):
			t.Errorf("%s: %+v", c.sql, l)
		}
	}
	for sql, why := range map[string]string{
		"SELECT id, name FROM messages":                                                       "computed from more than _key",
		"SELECT coalesce(_key::VARCHAR, id) AS id FROM messages":                              "computed from more than _key",
		"SELECT _topic AS id FROM messages":                                                   "is not computed from _key",
		"SELECT n._key AS id FROM messages JOIN names n USING (x)":                            "computed from more than _key",
		"SELECT (SELECT _key) AS id FROM messages":                                            "computed from more than _key",
		"SELECT name FROM messages":                                                           "no column \"id\"",
		"SELECT * FROM messages":                                                              "no column \"id\"",
		"SELECT _key AS id, count(*) AS n FROM messages GROUP BY ALL":                         "GROUP BY",
		"SELECT _key AS id, max(n) AS n FROM messages":                                        "max",
		"SELECT DISTINCT _key AS id FROM messages":                                            "DISTINCT",
		"SELECT _key AS id FROM messages LIMIT 3":                                             "LIMIT",
		"SELECT _key AS id FROM messages UNION ALL SELECT _key FROM messages":                 "set operation",
		"SELECT _key AS id FROM (FROM messages)":                                              "sub-query",
		"WITH messages AS (SELECT 'a' AS _key FROM messages) SELECT _key AS id FROM messages": "common table expression",
	} {
		if _, err := of(sql, "id"); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", sql, err, why)
		}
	}
}
