package bulk

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/toolchain"
)

// TestTypeScriptStatementsOfOneConnection tests how statements of one connection affect each other
// in TypeScript. The counts are numbers of rows in a, b and c.
func TestTypeScriptStatementsOfOneConnection(t *testing.T) {
	t.Parallel()
	dir, command := typeScript(t, "transactions")
	pg := postgres(t)
	const tooLate = "Error: called by a transaction, batch or bulk operation that has en"
	taken := func(lines ...string) []string {
		return slices.Concat([]string{
			"at once: fulfilled rejected fulfilled",
			"after that: 3000 1 0",
			"one of several fails: rejected",
			"after one of several: 3000 1 0",
			"statements of which one fails: rejected",
			"after the statements: 3000 1 0",
			"not awaited and taken back: Error: back",
			"after what was not awaited: 3000 1 0",
			"of a transaction within: Error: back with 1",
			"too late within: " + tooLate,
			"too late: " + tooLate,
		}, lines, []string{"after all that: 3000 1 0"})
	}
	together := taken("statement that is too late: " + tooLate)
	halves := []string{
		`half a pair in a row: RowError: insertAllC: row 2: a text that UTF-8 cannot hold: "\ud83d"`,
		`half a pair as a parameter: RangeError: a text that UTF-8 cannot hold: "\ude00"`,
	}
	begun := []string{
		"transaction of another object: 3000 1 0",
		"transaction begun by the program: 3000 1 0",
		"dry run inside: Error: a dry run needs a connection without an open transaction",
		"after the dry run: 3000 2 0",
	}
	written := []string{"batch that fails inside: 3000 2 0", "appender: 3000 2 100000, few rows held"}
	const refused = "TypeError: the body of a transaction on this driver cannot be asynchron"
	synchronous := slices.Concat(begun, written, []string{
		"asynchronous body: " + refused,
		"body with a promise that fails: " + refused,
		"body within: " + refused,
		"after them: 3000 2 100000",
		`appender that fails: RowError: createCAppender: row 501: a text that UTF-8 cannot hold: "\u`,
		"after the appender: 3000 2 100000",
	}, halves)
	streams := []string{
		"statements in the loop of a stream: 3000 rows, 3000 marked",
		"transactions in the loop of a stream: 3000 rows, 3000 5 100000",
		"stream that is left: 3000 5 100000",
	}
	for driver, want := range map[string][]string{
		"better-sqlite3": slices.Concat(synchronous, []string{"at the end: 3000 2 100000"}),
		"node": slices.Concat(synchronous, []string{
			"before 22.16: Error: node:sqlite does not tell of transactions before Node.js 22.",
			"at the end: 3000 2 100000"}),
		"libsql": slices.Concat(taken(), []string{"batch that fails inside: 3000 1 0", "appender: 3000 1 100000, few rows held"}, halves, []string{"at the end: 3000 1 100000"}),
		"turso":  slices.Concat(taken(), begun, written, halves, []string{"at the end: 3000 2 100000"}),
		"duckdb": slices.Concat(together, begun, written, halves, streams, []string{
			`row that can be read once: RowError: insertAllA: row 1: Failed to append: Duplicate key "id: 1" v`,
			"late error of a stream: Error: Conversion Error: Could not convert string 'x' to INT32",
			"first of many: 0",
			"at the end: 3000 5 100000"}),
		"postgres": slices.Concat(together, begun, written, halves, streams, []string{
			"transaction with a failed statement: Error: the transaction was rolled back: a statement of it had faile",
			"after the failed statement: 3000 5 100000",
			"stream into COPY: Error: the rows of a COPY cannot come from statements on its connec",
			"COPY into COPY: Error: the rows of a COPY cannot come from statements on its connec",
			`half a pair by copy: RowError: insertAllC: row 2: a text that UTF-8 cannot hold: "\ud83d"`,
			"stream that is too late: 0",
			`savepoint of a batch that fails: error: savepoint "_scoter" does not exist`,
			"transaction that ends within: Error: cause",
			"answer that is late: Error: Query read timeout",
			"pool: migrations: 0",
			"pool: transaction that is rolled back: Error: 1 1 seen inside",
			"pool: after it: 3000 5 100001, all free",
			"pool: more transactions than clients: 3000 10 100001, 3 clients, all free",
			"pool: bulk: 10 5000 10, all free",
			"pool: loop of a stream: 1500, all free",
			`pool: row that is refused: RowError: insertAllB: row 2: duplicate key value violates unique const`,
			"pool: failed statement: Error: the transaction was rolled back: a statement of it had faile",
			`pool: statement that fails: error: duplicate key value violates unique constraint "b_pkey"`,
			"pool: too late: " + tooLate,
			"pool: client that is lost: Error: Client has encountered a connection error and is not queryab",
			"pool: in the end: 3000 20 105011, all free",
			"at the end: 3000 20 105011"}),
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
