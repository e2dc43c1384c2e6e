package bulk

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/toolchain"
)

func TestJavaOnSQLite(t *testing.T) {
	t.Parallel()
	java := compiled(t, "sqlite")
	run := func(args ...string) string {
		name, args := with(java, append([]string{"bulk.Program"}, args...)...)
		return toolchain.Run(t, ".", nil, name, args...)
	}
	got := run("results", filepath.Join(t.TempDir(), "results.db"))
	want(t, got, "insert: 20000", "nothing behind: 20000 199990000 a a", "in a transaction: 10", "batch: 2", "batch refused: ...",
		"still there: 20010 200490045 a t", "kept: 20010 200490045 a t", "begun by hand: 3000", "batch in it: 1", "refused in it: SQLException: insertAllKv: row 1501: ...", "transaction in it: 1", "still in it: 3000",
		"out of it: 20010 200490045 a t true", "daysStream ends: 1 java.time.DateTimeException: no day is not a day or moment that Java has",
		"no day: DateTimeException: no day is not a day or moment that Java has", "update: 20000", "upsert: 3000", "delete: 5000", "last wins: 16510 206619295 a u",
		"fail: SQLException: insertAllNumbered: row 1501: ...", "none of it: 0", "nothing: 0", "commits by itself: true",
		"appender refuses: SQLException: createAppendedAppender: row 3: ...", "appender refused: SQLException: the appender has failed before: createAppendedAppender: row 3: ...",
		"appender: SQLException: the appender has failed before: createAppendedAppender: row 3: ...", "appended: 0")
	if !strings.Contains(got, "\nend: SQLiteException: [SQLITE_CONSTRAINT_UNIQUE]") {
		t.Errorf("the error is not that of the row:\n%s", got)
	}
	for _, where := range []string{"alone", "inside"} {
		for _, size := range []string{"3", "5000"} {
			for kind, operation := range map[string]string{
				"null": "insertAllKv", "long": "insertAllKv", "duplicate": "insertAllKv", "twice": "insertAllKv", "upsert long": "upsertAllKv", "update long": "updateAllKv",
			} {
				want(t, got, where+" "+kind+" of "+size+": SQLException: "+operation+": row 3: ...")
			}
		}
		want(t, got, where+" half: SQLException: insertAllKv: row 3: has half of a surrogate pair, which is no character")
		want(t, got, where+" late: SQLException: insertAllKv: row 4322: ...", where+" broken: IllegalStateException: no row 1500")
	}
	for operation, want := range javaKills {
		file := filepath.Join(t.TempDir(), "kill.db")
		kill(t, operation, ".", nil, append(slices.Clone(java), "bulk.Program", "hang", file, operation)...)
		if got := strings.TrimSpace(run("count", file)); got != want {
			t.Errorf("%s: there are %s rows, old rows; want %s", operation, got, want)
		}
	}
}
