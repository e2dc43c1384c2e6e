package slt

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/session"
)

// answer is the result of a statement in the form of a test file.
type answer struct {
	types   string
	rows    []string
	changed int64
}

// database is an engine on which test files run.
type database interface {
	engine() string
	run(sql string) (answer, error)
}

// scoterDB is a Scoter database. After every flushEvery-th statement its rows are flushed. 0 keeps
// them in the memtable.
type scoterDB struct {
	app        *app.App
	dir        string
	flushEvery int
	statements int
}

func openScoter(t testing.TB, embedded bool, flushEvery int) *scoterDB {
	t.Helper()
	settings := config.Default()
	settings.Dir = t.TempDir()
	settings.FlushAge = 24 * time.Hour // rows are flushed when the test says so
	settings.QueryThreads = 2
	a, err := app.Open(settings, embedded, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return &scoterDB{app: a, dir: settings.Dir, flushEvery: flushEvery}
}

func (db *scoterDB) engine() string { return scoterEngine }

func (db *scoterDB) run(sql string) (answer, error) {
	ans, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: session.Admin})
	if err != nil {
		return ans, err
	}
	if db.statements++; db.flushEvery > 0 && db.statements%db.flushEvery == 0 {
		err = db.app.Engine.Flush(context.Background())
	}
	return ans, err
}

func (db *scoterDB) execute(ctx context.Context, req session.Request) (answer, error) {
	a, err := db.app.Executor.Execute(ctx, req)
	if err != nil {
		return answer{}, err
	}
	defer a.Close()
	out := answer{changed: a.Counts.Inserted + a.Counts.Updated + a.Counts.Deleted}
	if a.Rows != nil {
		out.types, out.rows, err = print(ctx, a.Rows)
	}
	return out, err
}

// mustRun runs a statement that must succeed.
func mustRun(t testing.TB, db database, sql string) answer {
	t.Helper()
	got, err := db.run(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// onRead is a database whose tables with a key merge on read. Results are the same as with other
// tables, except for the number of replaced rows that an INSERT reports.
type onRead struct{ *scoterDB }

// uncounted is the value of answer.changed for such an INSERT.
const uncounted = -1

var plainInsert = regexp.MustCompile(`^INSERT (OR REPLACE )?INTO`)

func (db onRead) run(sql string) (answer, error) {
	if strings.HasPrefix(sql, "CREATE TABLE") && strings.Contains(sql, "PRIMARY KEY") {
		if before, found := strings.CutSuffix(sql, ")"); found && strings.Contains(sql, " WITH (") {
			sql = before + ", upsert = 'merge-on-read')"
		} else {
			sql += " WITH (upsert = 'merge-on-read')"
		}
	}
	ans, err := db.scoterDB.run(sql)
	if plainInsert.MatchString(sql) && !strings.Contains(sql, "CONFLICT") && !strings.Contains(sql, "RETURNING") {
		ans.changed = uncounted
	}
	return ans, err
}

// duckDB is plain DuckDB, which defines the expected results.
type duckDB struct{ conn *duck.Conn }

func openDuckDB(t testing.TB) *duckDB {
	t.Helper()
	inst, err := duck.Open(duck.Settings{Threads: 2, ExternalAccess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	conn, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := conn.Exec(`ATTACH ':memory:' AS "default"; USE "default"`); err != nil {
		t.Fatal(err)
	}
	return &duckDB{conn}
}

func (db *duckDB) engine() string { return duckdbEngine }

func (db *duckDB) run(sql string) (answer, error) {
	rows, err := db.conn.Query(context.Background(), sql)
	if err != nil && strings.Contains(err.Error(), "multiple statements") {
		// DuckDB splits a PIVOT without a list of values into several statements.
		if strings.HasPrefix(sql, "CREATE") {
			return answer{}, db.conn.Exec(sql)
		}
		if err := db.conn.Exec("CREATE OR REPLACE TABLE slt_pivot AS " + sql); err != nil {
			return answer{}, err
		}
		rows, err = db.conn.Query(context.Background(), "FROM slt_pivot")
	}
	if err != nil {
		return answer{}, err
	}
	defer rows.Close()
	types, text, err := print(context.Background(), rows)
	return answer{types: types, rows: text}, err
}

// print writes rows in the form of test files.
func print(ctx context.Context, rows encode.Input) (types string, text []string, err error) {
	for _, f := range rows.Schema().Fields() {
		switch id := f.Type.ID(); {
		case arrow.IsInteger(id):
			types += "I"
		case arrow.IsFloating(id), arrow.IsDecimal(id):
			types += "R"
		default:
			types += "T"
		}
	}
	var b bytes.Buffer
	if _, err := encode.Write(ctx, &b, encode.CSV, rows, encode.Options{}); err != nil {
		return "", nil, err
	}
	return types, lines(b.String())[1:], nil // without the header
}

// lines splits CSV into lines, and separates their values by tabs. An empty value without quotes is
// NULL.
func lines(text string) []string {
	var out []string
	var line, value strings.Builder
	quoted, quotes := false, false // within quotes, and whether the value has any
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && quoted && i+1 < len(text) && text[i+1] == '"':
			value.WriteByte('"')
			i++
		case c == '"':
			quoted, quotes = !quoted, true
		case !quoted && (c == ',' || c == '\n'):
			switch {
			case value.Len() == 0 && quotes:
				value.WriteString("(empty)")
			case value.Len() == 0:
				value.WriteString("NULL")
			}
			quotes = false
			line.WriteString(strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(value.String()))
			value.Reset()
			if c == ',' {
				line.WriteByte('\t')
				continue
			}
			out = append(out, line.String())
			line.Reset()
		default:
			value.WriteByte(c)
		}
	}
	return out
}

func sorted(lines []string) []string {
	out := slices.Clone(lines)
	slices.Sort(out)
	return out
}
