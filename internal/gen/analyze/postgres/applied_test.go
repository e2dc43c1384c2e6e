package postgres

import (
	"context"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestAMigratedDatabaseIsNotMigratedAgain(t *testing.T) {
	e := open(t)
	ctx := context.Background()
	for _, sql := range []string{
		"CREATE TABLE _sqg_migrations (project text, migration_id text, applied_at timestamp, PRIMARY KEY (project, migration_id))",
		"INSERT INTO _sqg_migrations VALUES ('test', '1', now()), ('another', '2', now())",
		"CREATE TABLE users (id int PRIMARY KEY)",
	} {
		if err := e.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	got, m := analyzetest.Analyse(t, e, ir.Postgres, "a.sql", "-- BASELINE\nCREATE TABLE users (id int);\n-- TESTDATA\nINSERT INTO users VALUES (NULL);\n-- MIGRATE 1\nCREATE TABLE users (id int PRIMARY KEY);\n-- MIGRATE 2\nALTER TABLE users ADD name text;\n-- QUERY q\nSELECT id, name FROM users;")
	if m == nil || len(m.Migrations) != 2 || !strings.Contains(got, "name: text<text>?") {
		t.Error(got)
	}
}

func TestMigrationsOfAnotherEntryLeaveTheBaseline(t *testing.T) {
	e := open(t)
	for _, sql := range []string{
		"CREATE TABLE _sqg_migrations (project text, migration_id text, applied_at timestamp, PRIMARY KEY (project, migration_id))",
		"INSERT INTO _sqg_migrations VALUES ('test', 'of another file', now())",
	} {
		if err := e.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	got, m := analyzetest.Analyse(t, e, ir.Postgres, "a.sql", "-- BASELINE\nCREATE TABLE users (id int);\n-- MIGRATE 1\nALTER TABLE users ADD name text;\n-- QUERY q\nSELECT id, name FROM users;")
	if m == nil {
		t.Error(got)
	}
}

func TestSavepointsOfASchemaLast(t *testing.T) {
	got, m := analyzetest.Analyse(t, open(t), ir.Postgres, "a.sql", "-- MIGRATE 1\nCREATE TABLE a (x int);\nSAVEPOINT s;\nCREATE TABLE b (x int);\nROLLBACK TO SAVEPOINT s;\nCREATE TABLE b (y int);\nRELEASE s;\n-- QUERY q\nSELECT x, y FROM a, b;")
	if m == nil {
		t.Error(got)
	}
}

func TestAnErrorMayBeBehindTheEndOfTheFile(t *testing.T) {
	if got, _ := analyzetest.Analyse(t, open(t), ir.Postgres, "a.sql", "-- QUERY q\nSELECT 1 FROM"); !strings.Contains(got, "at end of input") {
		t.Error(got)
	}
}

func TestAQueryThatLocksRowsOrMayChangeThemIsNotReadOnly(t *testing.T) {
	sql := "-- MIGRATE 1\nCREATE EXTENSION IF NOT EXISTS \"uuid-ossp\";\nCREATE TABLE a (x int);\nCREATE FUNCTION touch() RETURNS int LANGUAGE sql AS 'UPDATE a SET x = 1 RETURNING x';\n"
	for query, want := range map[string]bool{
		"SELECT x + 1 AS y, random() AS r FROM a":                                                       true,
		"SELECT pg_total_relation_size('a') AS n, uuid_generate_v4() AS id, gen_random_uuid() AS other": true,
		"SELECT touch() AS x":                                        false,
		"SELECT x FROM (SELECT x FROM a FOR UPDATE) AS b":            false,
		"WITH b AS (UPDATE a SET x = 2 RETURNING x) SELECT x FROM b": false,
	} {
		t.Run(query, func(t *testing.T) {
			got, m := analyzetest.Analyse(t, open(t), ir.Postgres, "a.sql", sql+"-- QUERY q\n"+query)
			if m == nil || m.Queries[0].ReadOnly != want {
				t.Error(got)
			}
		})
	}
}

func TestNothingOfARunRemains(t *testing.T) {
	e := open(t).(*Engine)
	if _, m := analyzetest.Analyse(t, e, ir.Postgres, "a.sql", "-- MIGRATE 1\nCREATE TABLE leftover (id serial PRIMARY KEY);\n-- QUERY q\nSELECT nextval('leftover_id_seq') AS n;"); m == nil || m.Queries[0].ReadOnly {
		t.Fatal("it is not valid, or does not change anything")
	}
	var called bool
	if err := e.conn.QueryRow(context.Background(), "SELECT is_called FROM leftover_id_seq").Scan(&called); err != nil || called {
		t.Error("the query was executed", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	after := open(t).(*Engine)
	var exists bool
	if err := after.conn.QueryRow(context.Background(), "SELECT to_regclass('leftover') IS NOT NULL").Scan(&exists); err != nil || exists {
		t.Error("a table remains", err)
	}
}
