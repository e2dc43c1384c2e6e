//go:build cgo

package duckdb

import (
	"strings"
	"testing"
)

func TestDuckDBDoesNotSeeHowScoterLaysOutRows(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE t (a INT, b TIMESTAMP) PARTITIONED BY (day(b)) SORTED BY (a, b)": "CREATE TABLE t (a INT, b TIMESTAMP)",
		"create table t (sorted INT, \"partitioned\" INT) sorted by (sorted)":          "create table t (sorted INT, \"partitioned\" INT)",
		"CREATE TABLE t (a INT) SORTED BY (a) PARTITIONED BY (a) WITH (x = 1)":         "CREATE TABLE t (a INT)",
		"CREATE TABLE t (a INT) SORTED BY (a) AS SELECT 1 AS a":                        "CREATE TABLE t (a INT) AS SELECT 1 AS a",
		"CREATE VIEW v AS WITH x AS (SELECT 1 AS a) SELECT * FROM x":                   "CREATE VIEW v AS WITH x AS (SELECT 1 AS a) SELECT * FROM x",
		"ALTER TABLE t SET SORTED BY (a)":                                              "",
		"ALTER TABLE t ADD COLUMN c INT":                                               "ALTER TABLE t ADD COLUMN c INT",
		"INSERT INTO t VALUES ('SORTED BY (a)')":                                       "INSERT INTO t VALUES ('SORTED BY (a)')",
	} {
		if got := strings.Join(strings.Fields(withoutLayout(sql)), " "); got != want {
			t.Errorf("%s became %s", sql, got)
		}
	}
}
