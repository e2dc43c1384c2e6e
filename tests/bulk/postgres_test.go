package bulk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// ofColumn matches the column in an error. Errors of plain statements do not name the column.
var ofColumn = regexp.MustCompile(`(?m)(: row \d+: )column \w+: `)

func TestPostgres(t *testing.T) {
	t.Parallel()
	java := compiled(t, "postgres")
	pg := postgres(t)
	t.Run("every way writes the same and says the same", func(t *testing.T) { everyWay(t, java, pg) })
	t.Run("killed in the middle nothing is written", func(t *testing.T) { killed(t, java, pg) })
}

func everyWay(t *testing.T, java []string, pg *toolchain.Postgres) {
	var want string
	for _, way := range []struct{ name, route, hidden string }{
		{"binary", "BINARY", ""},
		{"text", "TEXT", ""},
		{"statements", "INSERT", ""},
		{"hidden", "BINARY", "hidden"},
		{"unnest", "UNNEST", ""},
		{"by_size", "", ""},
		{"by_size_hidden", "", "hidden"},
	} {
		name, args := with(java, "bulk.Program", "results", pg.Create(t, "ways_"+way.name), way.route, way.hidden)
		got := ofColumn.ReplaceAllString(toolchain.Run(t, ".", nil, name, args...), "$1")
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nbut binary:\n%s", way.name, got, want)
		}
	}
	for _, line := range []string{
		"every: 5000",
		`row 1: (1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,)`,
		"null: SQLException: insertAllKv: row 3: column v must not be null 22000",
		"long: SQLException: insertAllKv: row 2: value too long for type character varying(10) 22001",
		`duplicate: SQLException: insertAllKv: row 2: duplicate key value violates unique constraint "kv_pkey": Key (k)=(7) already exists. 23505`,
		"half: SQLException: insertAllKv: row 2: ? has half of a surrogate pair, which is no character 22000",
		"late: SQLException: insertAllKv: row 12346: column v must not be null 22000",
		"broken: IllegalStateException: no row 15000",
		"ragged: true",
		"nothing behind: 20000 199990000 1 a",
		"update: 18000",
		"last wins: a2000 second14000 third4000",
		"looks for repeated keys where there may be some: true",
		"update long: SQLException: updateAllKv: row 3: value too long for type character varying(10) 22001",
		"upsert: 25000",
		"pairs: 30000", "pairs updated: 30000", "few pairs updated: 3", "pairs are: 30000 -899999987 a1|-1|1 a2|2|1 a4|4|-9 none|3|-7 none|-1|2",
		"pairs deleted: 10000", "few pairs deleted: 2", "pairs left: 19998 -700009990 13333 19998",
		"delete: 10000",
		"nets are: (1,::1,x) (2,,\"\") (3,::3,z)",
		"of all sizes: 500", "last of all sizes: 500 500",
		`no such: SQLException: upsertAllNotes: row 2: insert or update on table "notes" violates foreign key constraint "notes_k_fkey": Key (k)=(9) is not present in table "kv". 23503`,
		`no such of rows that are gone: SQLException: upsertAllNotes: insert or update on table "notes" violates foreign key constraint "notes_k_fkey": Key (k)=(9) is not present in table "kv". 23503`,
		"rolled back: 15002 262632501 15001 u10000",
		"fails late: SQLException: updateAllKv: row 12346: value too long for type character varying(10) 22001", "batch fails: IllegalStateException: no row 2500",
		"as it was: 15012 265632546 15002 t",
		"appender fails: SQLException: createAppendedAppender: row 2: column v must not be null 22000",
		"appender refused: SQLException: the appender has failed before: createAppendedAppender: row 1: column v must not be null 22000",
		"appender goes on: SQLException: the appender has failed before: createAppendedAppender: row 1: column v must not be null 22000",
		"appended: 15022 271632591 15003 t true",
		"while a stream is open: 10 true", "two streams: 600009 true",
		"bulk while a stream is open: SQLException: insertAllKv: a stream is open: close it before, or run both in one transaction 25001",
		"transaction while a stream is open: SQLException: a stream is open: close it before, or run both in one transaction 25001",
		"bulk while a stream of others is open: SQLException: insertAllKv: a stream is open: close it before, or run both in one transaction 25001",
		"streams of both: 9 true",
		"migrations while a stream is open: SQLException: a stream is open: close it before, or run both in one transaction 25001",
		"both in a transaction: 19", "after streams: s9 t1 y10 true",
		"few in it: 11", "many in it: 6000", "batch in it: 1", "refused in it: SQLException: insertAllKv: row 2: column v must not be null 22000", "appender in it: yes",
		"stream in it: Optional[710001]", "not any more: 0 true",
		"changed to: 7", "the first error is told: true",
	} {
		if !strings.Contains(want, line+"\n") {
			t.Errorf("there is no line %q in\n%s", line, want)
		}
	}
}

func killed(t *testing.T, java []string, pg *toolchain.Postgres) {
	for operation, want := range javaKills {
		db := pg.Create(t, "killed_"+operation)
		name, args := with(java, "bulk.Program", "prepare", db)
		toolchain.Run(t, ".", nil, name, args...)
		kill(t, operation, ".", nil, append(slices.Clone(java), "bulk.Program", "hang", db, operation)...)
		conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+strings.TrimPrefix(db, "//"))
		if err != nil {
			t.Fatal(err)
		}
		// The server notices that the client has gone when it reads next. Check the rows after
		// that.
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			busy := 0
			err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&busy)
			if err != nil {
				t.Fatal(err)
			}
			if busy == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the killed program's connection stays", operation)
			}
		}
		var rows, old, stages int
		err = conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE v = 'old'), (SELECT count(*) FROM pg_class WHERE relname LIKE '\_scoter%') FROM kv`).Scan(&rows, &old, &stages)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rows, old); got != want || stages != 0 {
			t.Errorf("%s: there are %s rows, old rows and %d temporary tables; want %s, 0", operation, got, stages, want)
		}
		conn.Close(t.Context())
	}
}
