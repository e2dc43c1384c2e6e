package bulk

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// What statements of one connection do to each other in TypeScript. The counts are of the rows of a, b and c.
func TestTypeScriptStatementsOfOneConnection(t *testing.T) {
	dir, command := typeScript(t, "transactions", "sqlite.sql", "duckdb.sql", "postgres.sql")
	pg := toolchain.StartPostgres(t)
	together := []string{"at once: fulfilled rejected fulfilled", "after that: 3000 1 0"}
	begun := []string{
		"transaction of another object: 3000 1 0",
		"transaction begun by the program: 3000 1 0",
		"dry run inside: Error: a dry run needs a connection without an open transaction",
		"after the dry run: 3000 2 0",
	}
	written := []string{"batch that fails inside: 3000 2 0", "appender: 3000 2 100000, few rows held"}
	asynchronous := []string{"asynchronous body: TypeError: the body of a transaction on this driver cannot be asynchron", "after it: 3000 2 100000"}
	streams := []string{
		"statements in the loop of a stream: 3000 rows, 3000 marked",
		"transactions in the loop of a stream: 3000 rows, 3000 5 100000",
		"stream that is left: 3000 5 100000",
	}
	for driver, want := range map[string][]string{
		"better-sqlite3": slices.Concat(begun, written, asynchronous, []string{"at the end: 3000 2 100000"}),
		"node": slices.Concat(begun, written, asynchronous, []string{
			"before 22.16: Error: node:sqlite does not tell of transactions before Node.js 22.",
			"at the end: 3000 2 100000"}),
		"libsql": slices.Concat(together, []string{"batch that fails inside: 3000 1 0", "appender: 3000 1 100000, few rows held", "at the end: 3000 1 100000"}),
		"turso":  slices.Concat(together, begun, written, []string{"at the end: 3000 2 100000"}),
		"duckdb": slices.Concat(together, begun, written, streams, []string{
			"late error of a stream: Error: Conversion Error: Could not convert string 'x' to INT32",
			"first of many: 0",
			"at the end: 3000 5 100000"}),
		"postgres": slices.Concat(together, begun, written, streams, []string{
			"transaction with a failed statement: Error: the transaction was rolled back: a statement of it had faile",
			"after the failed statement: 3000 5 100000",
			"stream into COPY: Error: the rows of a COPY cannot come from statements on its connec",
			`half a pair by unnest: RowError: insertAllC: row 2: a text that UTF-8 cannot hold: "\ud83d"`,
			`half a pair by copy: RowError: insertAllC: row 2: a text that UTF-8 cannot hold: "\ud83d"`,
			`half a pair as a parameter: RangeError: a text that UTF-8 cannot hold: "\ude00"`,
			"answer that is late: Error: Query read timeout",
			"a pool: TypeError: not a client of pg, such as pool.connect() returns: a pool h",
			"at the end: 3000 5 100001"}),
	} {
		t.Run(driver, func(t *testing.T) {
			place := filepath.Join(t.TempDir(), "db")
			if driver == "postgres" {
				place = "ts_transactions"
				pg.Create(t, place)
			}
			node := command(driver)
			got := toolchain.Run(t, dir, pg.Env(), node[0], append(node[1:], place)...)
			if got != strings.Join(want, "\n")+"\n" {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
}
