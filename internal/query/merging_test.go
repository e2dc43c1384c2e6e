package query

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// TestWhatCannotBeDividedIsRefused checks which queries with aggregates are refused. For the others
// it checks that they give the same result whether they read the rows in batches or at once.
func TestWhatCannotBeDividedIsRefused(t *testing.T) {
	conn := connect(t)
	divide := func(sql string) (sqlquery.SplitAggregate, error) {
		node, err := conn.ParseSelect(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		d := splitter{conn: conn, perMessage: perMessage{messages: "messages"}, counts: map[int]string{}}
		if d.aggregates, err = d.names(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = d.split(node)
		return d.SplitAggregate, err
	}
	for _, sql := range []string{
		"SELECT count(*) AS n FROM messages",
		"SELECT country, city AS town, count(*) AS n FROM Messages m GROUP BY m.country, city",
		"SELECT date_trunc('minute', time) AS minute, country, sum(price) AS spent FROM messages GROUP BY minute, 2",
		"SELECT date_trunc('minute', time) AS minute, count(*) AS n FROM messages GROUP BY date_trunc('minute', messages.time)",
		"SELECT country, upper(country) AS name, count(*) AS n FROM messages GROUP BY country",
		"SELECT nullif(a, 0) AS b, list_sum(l) AS c, count(*) AS n FROM messages GROUP BY ALL",
		"SELECT count(*) AS n FROM messages m LEFT JOIN names USING (id) SEMI JOIN others USING (id), unnest(m.tags) u(tag)",
		"SELECT name, count(*) AS n FROM names RIGHT JOIN messages USING (id) GROUP BY name",
		"SELECT name, count(*) AS n FROM messages JOIN (SELECT id, max(name) AS name FROM names GROUP BY id LIMIT 3) USING (id) GROUP BY name",
		"SELECT count(*) AS n FROM messages ASOF JOIN prices p ON messages.t >= p.t WHERE id IN (SELECT id FROM names)",
		"WITH m AS (SELECT a + 1 AS b FROM messages WHERE a > 1), n AS (SELECT DISTINCT id FROM names) SELECT b, count(*) AS c FROM m JOIN n ON id = b GROUP BY b",
		"SELECT count(*) AS n FROM (SELECT a FROM messages UNION ALL SELECT b FROM messages)",
		"SELECT k, sum(v) AS s FROM messages UNPIVOT (v FOR k IN (a, b)) GROUP BY k",
		"SELECT count(*) AS n FROM messages, LATERAL (SELECT DISTINCT tag FROM unnest(tags) u(tag))",
	} {
		if _, err := divide(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for sql, why := range map[string]string{
		"SELECT wavg(a, b) AS x FROM messages":                                                                              "wavg",
		"SELECT weighted_avg(a, b) AS x FROM messages":                                                                      "weighted_avg",
		"SELECT Geometric_Mean(a) AS x FROM messages":                                                                       "geometric_mean",
		"SELECT json_group_structure(a) AS x FROM messages":                                                                 "json_group_structure",
		"SELECT a, count(*) AS n FROM messages GROUP BY ROLLUP (a)":                                                         "ROLLUP",
		"SELECT a, b, count(*) AS n FROM messages GROUP BY CUBE (a, b)":                                                     "ROLLUP",
		"SELECT a, b, count(*) AS n FROM messages GROUP BY GROUPING SETS ((a), (b))":                                        "ROLLUP",
		"SELECT country, count(*) AS n FROM messages GROUP BY country, city":                                                "group 2, city",
		"SELECT upper(country) AS country, count(*) AS n FROM messages GROUP BY country":                                    "group 1, country",
		"SELECT id, count(*) AS n FROM messages GROUP BY id, other.id":                                                      "group 2, other.id",
		"SELECT a, row_number() OVER () AS r, count(*) AS n FROM messages GROUP BY a":                                       "window row_number",
		"SELECT a, sum(count(*)) OVER () AS n, count(*) AS m FROM messages GROUP BY a":                                      "window sum",
		"SELECT count(*) AS n FROM (SELECT DISTINCT id FROM messages)":                                                      "DISTINCT",
		"SELECT count(*) AS n FROM (SELECT id FROM messages LIMIT 3)":                                                       "LIMIT",
		"SELECT count(*) AS n FROM (SELECT id, max(a) AS a FROM messages GROUP BY id)":                                      "GROUP BY",
		"SELECT count(*) AS n FROM (SELECT id, max(a) AS a FROM messages GROUP BY ALL)":                                     "GROUP BY",
		"SELECT sum(m) AS n FROM (SELECT max(a) AS m FROM messages)":                                                        "max in a sub-query",
		"SELECT sum(m) AS n FROM (SELECT lag(a) OVER () AS m FROM messages)":                                                "window lag",
		"SELECT count(*) AS n FROM (SELECT a FROM messages QUALIFY row_number() OVER () = 1)":                               "QUALIFY",
		"WITH m AS (SELECT DISTINCT id FROM messages) SELECT count(*) AS n FROM m":                                          "WITH m",
		"WITH messages AS (SELECT DISTINCT id FROM messages) SELECT count(*) AS n FROM messages":                            "WITH messages",
		"SELECT count(*) AS n FROM (WITH m AS (SELECT DISTINCT id FROM messages) SELECT * FROM m)":                          "WITH m",
		"SELECT count(*) AS n FROM messages WHERE a > (SELECT avg(a) FROM messages)":                                        "sub-query",
		"SELECT sum(a - (SELECT min(a) FROM messages)) AS n FROM messages":                                                  "sub-query",
		"SELECT count(*) AS n FROM messages JOIN messages m USING (id)":                                                     "messages with messages",
		"SELECT count(*) AS n FROM messages, (SELECT id FROM messages)":                                                     "messages with messages",
		"SELECT count(*) AS n FROM names LEFT JOIN messages USING (id)":                                                     "outer join",
		"SELECT count(*) AS n FROM messages FULL JOIN names USING (id)":                                                     "outer join",
		"SELECT count(*) AS n FROM names SEMI JOIN messages USING (id)":                                                     "semi join",
		"SELECT count(*) AS n FROM messages POSITIONAL JOIN names":                                                          "position of rows",
		"SELECT count(*) AS n FROM names ASOF JOIN messages ON names.t >= messages.t":                                       "position of rows",
		"SELECT count(*) AS n FROM messages TABLESAMPLE 10%":                                                                "sample",
		"SELECT count(*) AS n FROM (SELECT a FROM messages UNION SELECT b FROM messages)":                                   "set operation",
		"SELECT count(*) AS n FROM (SELECT a FROM messages EXCEPT ALL SELECT b FROM messages)":                              "set operation",
		"SELECT count(*) AS n FROM (SELECT id FROM messages UNION ALL SELECT id FROM names)":                                "do not come from messages",
		"SELECT count(*) AS n FROM names":                                                                                   "do not come from messages",
		"WITH messages AS (SELECT 1 AS id) SELECT count(*) AS n FROM messages":                                              "do not come from messages",
		"SELECT count(*) AS n FROM (SELECT * FROM messages) PIVOT (sum(a) FOR b IN ('x'))":                                  "PIVOT",
		"SELECT count(*) AS n FROM range((SELECT count(*) FROM messages))":                                                  "table function",
		"WITH RECURSIVE m AS (SELECT id FROM messages UNION SELECT id + 1 FROM m WHERE id < 9) SELECT count(*) AS n FROM m": "recursive",
	} {
		if _, err := divide(sql); base.KindOf(err) != base.Invalid || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", sql, err, why)
		}
	}
}
