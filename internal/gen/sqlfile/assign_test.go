package sqlfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestAssignmentsAreTheParametersThatAreWholeValues(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t (a, b) VALUES (${x}, ${y})":                                             "t.a=x t.b=y",
		"INSERT INTO t VALUES (${x}, 1, (${y}))":                                               "t.0=x t.2=y",
		"insert or replace into s.\"T t\" as z (a) values (${x}), (${y?}), (lower(${n}))":      "s.T t.a=x s.T t.a=y",
		"REPLACE INTO t (a) VALUES (${x})":                                                     "t.a=x",
		"INSERT INTO t (a, b, c) SELECT ${x}, n + ${n}, ${y}::numeric(10, 2)[] FROM u":         "t.a=x t.c=y",
		"INSERT INTO t (a, b) SELECT *, ${n} FROM u":                                           "",
		"INSERT INTO t (a) SELECT ${n} UNION SELECT 1":                                         "",
		"INSERT INTO t (SELECT ${n})":                                                          "",
		"INSERT INTO t BY NAME SELECT ${n} AS a":                                               "",
		"INSERT INTO t BY POSITION SELECT ${x}":                                                "t.0=x",
		"INSERT INTO t (a) SELECT ${x} RETURNING a":                                            "t.a=x",
		"INSERT INTO t (a[1], b.c, d) OVERRIDING SYSTEM VALUE VALUES (${n}, ${n}, ${x})":       "t.d=x",
		"INSERT INTO t (a) VALUES (${x}) ON CONFLICT (a) DO UPDATE SET b = ${y}, c = c":        "t.a=x t.b=y",
		"INSERT INTO t (a) SELECT ${x} ON CONFLICT (a) DO UPDATE SET a = ${y} WHERE t.b=${n}":  "t.a=x t.a=y",
		"UPDATE t SET a = ${x}, b = CAST(${y} AS text), c = ${n} + 1 WHERE d = ${n}":           "t.a=x t.b=y",
		"UPDATE OR IGNORE ONLY t AS u SET a = ${x} FROM v WHERE u.b = v.b":                     "t.a=x",
		"UPDATE t SET (a, b) = (${x}, ${n} || 'x'), (c, d) = ROW(1, ${y})":                     "t.a=x t.d=y",
		"UPDATE t SET (a, b) = (SELECT ${n}, 1), c = ${x}":                                     "t.c=x",
		"UPDATE t SET a = CASE WHEN b THEN ${n} ELSE ${n} END, c = ${x}":                       "t.c=x",
		"UPDATE t SET a = ${n} IS DISTINCT FROM ${n}, b = 1":                                   "",
		"UPDATE t SET a = ${x}::timestamp with time zone, b = ${n}::bool AND b":                "t.a=x",
		"UPDATE t SET a[1] = ${n}, t.b = ${n}, \"c\" = ${x}":                                   "t.c=x",
		"WITH i AS (INSERT INTO t (a) VALUES (${x}) RETURNING a) UPDATE u SET b = ${y} FROM i": "t.a=x u.b=y",
		"MERGE INTO t USING u ON t.a = ${n} WHEN MATCHED AND t.b = ${n} THEN UPDATE SET b = ${x}, c = 1 WHEN NOT MATCHED THEN INSERT (a, b) VALUES (u.a, ${y}) RETURNING a": "t.b=x t.b=y",
		"SELECT a FROM t WHERE a = ${n} FOR UPDATE": "",
		"DELETE FROM t WHERE (a) = (${n})":          "",
		"INSERT INTO t DEFAULT VALUES":              "",
		"INSERT INTO":                               "",
		"UPDATE t SET":                              "",
		"UPDATE t SET (a":                           "",
		"INSERT INTO t (a":                          "",
	} {
		var got []string
		for _, a := range Assignments(Tokenize(ir.Postgres, text, 0)) {
			column := a.Column
			if column == "" {
				column = fmt.Sprint(a.Index)
			}
			got = append(got, strings.Join(a.Table, ".")+"."+column+"="+a.Param)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\n has %q, want %q", text, got, want)
		}
	}
}
