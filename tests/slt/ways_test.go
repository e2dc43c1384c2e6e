package slt

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/write"
)

// followed passes the calls of a mutator on to the engine, and records what tells the ways apart.
type followed struct {
	write.Store
	write.Loads
	tx.Commits
	sqlquery.Planner
	chunk     int64 // the size of a chunk in bytes
	fitsPatch bool

	appended, loaded, flushed, found, joined, committed, expression, rewritten bool
}

func (f *followed) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Result, error) {
	f.appended = true
	return f.Store.Append(ctx, tables, o)
}

func (f *followed) Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error) {
	f.loaded = true
	return f.Loads.Load(ctx, t, o)
}

func (f *followed) Flush(ctx context.Context) error {
	f.flushed = true
	return f.Loads.Flush(ctx)
}

func (f *followed) ChunkBytes() int64 { return f.chunk }

func (f *followed) FitsPatch(int64) bool { return f.fitsPatch }

func (f *followed) Commit(ctx context.Context, s *snapshot.Snapshot, changes []engine.Change, o engine.AppendOptions) (engine.Result, error) {
	f.committed = true
	for _, c := range changes {
		f.expression = f.expression || c.Expression != nil
	}
	return f.Commits.Commit(ctx, s, changes, o)
}

func (f *followed) Find(ctx context.Context, r sqlquery.Request) (sqlquery.Found, error) {
	if r.Transient != nil && r.Transient.Name == "scoter.arrived" {
		f.joined = true
	} else {
		f.found = true
	}
	return f.Planner.Find(ctx, r)
}

func (f *followed) Mutate(context.Context, *snapshot.Snapshot, engine.Change, engine.AppendOptions) error {
	f.rewritten = true
	return nil
}

func (f *followed) Retype(context.Context, schema.Table, schema.Table, base.ColumnID, string, string) error {
	return nil
}

// way returns the way that the last change took.
func (f *followed) way() string {
	switch {
	case f.rewritten:
		return "rewrite"
	case f.expression:
		return "expression"
	case f.joined:
		return "join"
	case f.flushed:
		return "bulk keyed"
	case f.found:
		return "patch"
	case f.committed:
		return "keyed"
	case f.appended || f.loaded:
		return "append"
	}
	return ""
}

// ways runs changes and returns the ways that they take.
type ways struct {
	t    *testing.T
	db   *scoterDB
	pool *duck.Pool
	base *query.Runner
}

func newWays(t *testing.T) *ways {
	db := openScoter(t, false, 0)
	inst, err := duck.Open(duck.Settings{Threads: 2, ExternalAccess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	pool := duck.NewPool(inst, 2)
	t.Cleanup(pool.Close)
	relations, err := overlay.New(inst, blocks.NewFiles(vfs.OS, filepath.Join(db.dir, "parts"), slog.New(slog.DiscardHandler)), ledger.NewAccount("changed", 1<<20), ledger.NewAccount("columns", 1<<19))
	if err != nil {
		t.Fatal(err)
	}
	return &ways{t: t, db: db, pool: pool, base: query.NewRunner(pool, db.app.Engine, nil, relations)}
}

// mutator returns a mutator of the database, which records into the followed.
func (w *ways) mutator(j *job) (*session.Statements, *followed) {
	e := w.db.app.Engine
	f := &followed{Store: e, Loads: e, Commits: e, Planner: w.base, chunk: 1 << 20, fitsPatch: !j.full}
	if j.many {
		f.chunk = 1
	}
	s := session.StoresOf(e)
	s.Store, s.Loads, s.Commits = f, f, f
	mode := dml.Auto
	if j.setting != "" {
		var err error
		if mode, err = dml.ParseUpdateMode(j.setting); err != nil {
			w.t.Fatal(err)
		}
	}
	return session.NewStatements(s, f, w.pool, memtable.NewPool(memtable.PoolOptions{}), nil, nil, f, mode, slog.New(slog.DiscardHandler)), f
}

// job is one change, and the way that it must take.
type job struct {
	table   string // the kind of table, a key of waysTables
	sql     string // a statement; empty for a request with rows
	rows    string // the rows of a request, as lines of JSON
	mode    write.Mode
	key     string // the columns by which a request finds rows; empty for the primary key
	many    bool   // whether the rows exceed a chunk
	full    bool   // whether there is no memory for a patch
	setting string // the update mode of the settings
	want    string
}

// waysTables has the definition of each kind of table, behind its name.
var waysTables = map[string]string{
	"plain":     "(id INTEGER, n INTEGER, s VARCHAR)",
	"keyed":     "(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR)",
	"replacing": "(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR) WITH (on_insert = 'replace')",
	"onread":    "(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR) WITH (upsert = 'merge-on-read')",
	"sorted":    "(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR) SORTED BY (n) WITH (on_insert = 'replace')",
	"checked":   "(id INTEGER PRIMARY KEY, n INTEGER CHECK (n < 1000), s VARCHAR) WITH (on_insert = 'replace')",
	"versioned": "(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR) WITH (version = 'n')",
}

const (
	one  = `{"id": 1, "n": 2, "s": "x"}`
	part = `{"id": 1, "n": 2}`
	two  = `{"id": 1, "n": 2, "s": "x"}` + "\n" + `{"id": 2, "n": 2}`
)

// jobs are all combinations that decide about the way of a change.
var jobs = []job{
	// INSERT without a key, and into tables that merge on read.
	{table: "plain", sql: "INSERT INTO t VALUES (1, 2, 'x')", want: "append"},
	{table: "plain", sql: "INSERT INTO t (id) VALUES (1)", want: "append"},
	{table: "plain", sql: "INSERT INTO t VALUES (1, 2, 'x') RETURNING id", want: "append"},
	{table: "plain", sql: "INSERT INTO t SELECT i, i, 'x' FROM range(5000) r(i)", many: true, want: "append"},
	{table: "onread", sql: "INSERT INTO t VALUES (1, 2, 'x')", want: "append"},
	{table: "onread", sql: "INSERT OR REPLACE INTO t VALUES (1, 2, 'x')", want: "append"},
	{table: "onread", sql: "INSERT INTO t SELECT i, i, 'x' FROM range(5000) r(i)", many: true, want: "append"},
	{table: "onread", sql: "INSERT INTO t (id, n) VALUES (1, 2)", want: "keyed"},
	{table: "onread", sql: "INSERT OR IGNORE INTO t VALUES (11, 2, 'x')", want: "keyed"},
	{table: "onread", sql: "INSERT INTO t VALUES (11, 2, 'x') ON CONFLICT DO NOTHING", want: "keyed"},
	{table: "onread", sql: "INSERT INTO t VALUES (1, 2, 'x') RETURNING id", want: "keyed"},
	{table: "onread", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = excluded.n", want: "keyed"},
	{table: "onread", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = t.n + 1", want: "join"},
	// INSERT into tables with a key, rows of less than a chunk.
	{table: "keyed", sql: "INSERT INTO t VALUES (11, 2, 'x')", want: "keyed"},
	{table: "keyed", sql: "INSERT INTO t (id) VALUES (11)", want: "keyed"},
	{table: "keyed", sql: "INSERT INTO t VALUES (11, 2, 'x') RETURNING *", want: "keyed"},
	{table: "keyed", sql: "INSERT OR REPLACE INTO t VALUES (1, 2, 'x')", want: "keyed"},
	{table: "keyed", sql: "INSERT OR REPLACE INTO t (id, n) VALUES (1, 2)", want: "keyed"},
	{table: "keyed", sql: "INSERT OR REPLACE INTO t (id, n) VALUES (1, 2) RETURNING *", want: "join"},
	{table: "keyed", sql: "INSERT OR IGNORE INTO t (id, n) VALUES (11, 2) RETURNING *", want: "keyed"},
	{table: "keyed", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = excluded.n, s = excluded.s", want: "keyed"},
	{table: "keyed", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = excluded.n WHERE t.n < 100", want: "join"},
	{table: "keyed", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = 7", want: "join"},
	{table: "keyed", sql: "INSERT INTO t VALUES (1, 2, 'x') ON CONFLICT DO UPDATE SET n = excluded.n RETURNING n", want: "join"},
	{table: "replacing", sql: "INSERT INTO t VALUES (1, 2, 'x')", want: "keyed"},
	{table: "replacing", sql: "INSERT INTO t (id, s) VALUES (1, 'x')", want: "keyed"},
	{table: "sorted", sql: "INSERT INTO t (id, s) VALUES (1, 'x')", want: "keyed"},
	{table: "sorted", sql: "INSERT INTO t (id, n) VALUES (1, 2)", want: "join"},
	{table: "sorted", sql: "INSERT INTO t VALUES (1, 2, 'x')", want: "keyed"},
	{table: "checked", sql: "INSERT INTO t (id, s) VALUES (1, 'x')", want: "join"},
	{table: "checked", sql: "INSERT INTO t VALUES (1, 2, 'x')", want: "keyed"},
	{table: "versioned", sql: "INSERT INTO t VALUES (1, 100, 'x')", want: "keyed"},
	// INSERT into tables with a key, rows of more than a chunk.
	{table: "keyed", sql: "INSERT INTO t SELECT i + 100, i, 'x' FROM range(5000) r(i)", many: true, want: "bulk keyed"},
	{table: "keyed", sql: "INSERT OR REPLACE INTO t SELECT i, i, 'x' FROM range(5000) r(i)", many: true, want: "bulk keyed"},
	{table: "keyed", sql: "INSERT OR IGNORE INTO t SELECT i, i, 'x' FROM range(5000) r(i)", many: true, want: "bulk keyed"},
	{table: "keyed", sql: "INSERT OR REPLACE INTO t (id, n) SELECT i, i FROM range(5000) r(i)", many: true, want: "join"},
	{table: "keyed", sql: "INSERT INTO t SELECT i, i, 'x' FROM range(5000) r(i) ON CONFLICT DO UPDATE SET n = t.n + 1", many: true, want: "join"},
	{table: "versioned", sql: "INSERT INTO t SELECT i, i + 200, 'x' FROM range(5000) r(i)", many: true, want: "bulk keyed"},
	// Requests with rows.
	{table: "plain", rows: one, mode: write.Append, want: "append"},
	{table: "plain", rows: two, mode: write.Append, want: "append"},
	{table: "onread", rows: one, mode: write.Append, want: "append"},
	{table: "onread", rows: one, mode: write.Upsert, want: "append"},
	{table: "onread", rows: part, mode: write.Upsert, want: "keyed"},
	{table: "keyed", rows: one, mode: write.Append, want: "keyed"},
	{table: "keyed", rows: one, mode: write.Upsert, want: "keyed"},
	{table: "keyed", rows: part, mode: write.Upsert, want: "keyed"},
	{table: "keyed", rows: two, mode: write.Upsert, want: "keyed"},
	{table: "keyed", rows: one, mode: write.Update, want: "keyed"},
	{table: "keyed", rows: part, mode: write.Delete, want: "keyed"},
	{table: "keyed", rows: `{"id": 11, "n": 2, "s": "x"}`, mode: write.Insert, want: "keyed"},
	{table: "replacing", rows: one, mode: write.Insert, want: "keyed"},
	{table: "keyed", rows: `{"id": 11, "n": 2, "s": "x"}`, mode: write.Upsert, key: "s", want: "join"},
	{table: "plain", rows: one, mode: write.Update, key: "id", want: "join"},
	{table: "plain", rows: part, mode: write.Delete, key: "id", want: "join"},
	{table: "sorted", rows: part, mode: write.Upsert, want: "join"},
	{table: "sorted", rows: one, mode: write.Update, want: "join"},
	{table: "sorted", rows: one, mode: write.Upsert, want: "keyed"},
	{table: "checked", rows: part, mode: write.Upsert, want: "join"},
	{table: "keyed", rows: one, mode: write.Upsert, many: true, want: "bulk keyed"},
	{table: "keyed", rows: part, mode: write.Upsert, many: true, want: "join"},
	{table: "keyed", rows: `{"id": 11, "n": 2, "s": "x"}`, mode: write.Insert, many: true, want: "bulk keyed"},
	// Statements that find rows.
	{table: "plain", sql: "UPDATE t SET n = n + 1", want: "patch"},
	{table: "keyed", sql: "UPDATE t SET n = 7 WHERE id = 1", want: "patch"},
	{table: "sorted", sql: "UPDATE t SET n = n + 1", want: "patch"},
	{table: "plain", sql: "DELETE FROM t WHERE n = 1", want: "patch"},
	{table: "keyed", sql: "MERGE INTO t USING (SELECT 1 AS id) AS o USING (id) WHEN MATCHED THEN UPDATE SET n = 9", want: "patch"},
	{table: "plain", sql: "UPDATE t SET n = n + 1 WITH (mode = 'rewrite')", want: "rewrite"},
	{table: "plain", sql: "DELETE FROM t WITH (mode = 'rewrite')", want: "rewrite"},
	{table: "plain", sql: "UPDATE t SET n = n + 1", full: true, want: "rewrite"},
	{table: "plain", sql: "UPDATE t SET n = n + 1 WITH (mode = 'patch')", full: true, want: "patch"},
	{table: "plain", sql: "UPDATE t SET n = n + 1", setting: "rewrite", want: "rewrite"},
	{table: "plain", sql: "UPDATE t SET n = 5 WITH (mode = 'expression')", want: "expression"},
	{table: "keyed", sql: "UPDATE t SET n = 5 WHERE id > 0 WITH (mode = 'expression')", want: "expression"},
	{table: "plain", sql: "UPDATE t SET n = 5", setting: "expression", want: "expression"},
	{table: "plain", sql: "UPDATE t SET n = random() WHERE n > 0", setting: "expression", want: "patch"},
	{table: "plain", sql: "DELETE FROM t WHERE n > 0", setting: "expression", want: "patch"},
	{table: "keyed", sql: "UPDATE t SET n = 5 WHERE id = 1", setting: "expression", want: "patch"},
}

// TestWays runs each job and checks the way that it takes, and that EXPLAIN of its statement says
// the same.
func TestWays(t *testing.T) {
	w := newWays(t)
	for i, j := range jobs {
		name := fmt.Sprintf("w%d", i)
		mustRun(t, w.db, "CREATE TABLE "+name+" "+waysTables[j.table])
		mustRun(t, w.db, "INSERT INTO "+name+" SELECT i, i, 'old' FROM range(10) r(i)")
		if err := w.db.app.Engine.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if j.sql != "" {
			text, err := w.explain(&j, name)
			if err != nil || !strings.HasPrefix(text, j.want+": ") && !(j.many && strings.Contains(text, "(a chunk): "+j.want+"\n")) {
				t.Errorf("EXPLAIN of %+v: %q (%v), want %q", j, text, err, j.want)
			}
		}
		if got, err := w.run(&j, name); err != nil || got != j.want {
			t.Errorf("%+v takes the way %q (%v), want %q", j, got, err, j.want)
		}
	}
}

// explain returns the first row of EXPLAIN of a job's statement, which has the way.
func (w *ways) explain(j *job, name string) (string, error) {
	m, _ := w.mutator(j)
	rows, err := m.Explain(w.t.Context(), "EXPLAIN ", parsed(w.t, j.statement(name)), statement.Request{Database: "default"})
	if err != nil {
		return "", err
	}
	defer rows.Close()
	rec, err := rows.Next(w.t.Context())
	if err != nil {
		return "", err
	}
	defer rec.Release()
	if key := rec.Column(0).ValueStr(0); key != "way" {
		return "", fmt.Errorf("the first row is %q", key)
	}
	return strings.Clone(rec.Column(1).ValueStr(0)), nil
}

// statement returns the statement of the job for the table of this name.
func (j *job) statement(name string) string {
	return strings.NewReplacer(" t ", " "+name+" ", " t.", " "+name+".").Replace(j.sql + " ")
}

// run makes the change of a job in the table of this name, and returns the way that it took.
func (w *ways) run(j *job, name string) (string, error) {
	m, f := w.mutator(j)
	if j.sql != "" {
		result, err := m.Execute(w.t.Context(), parsed(w.t, j.statement(name)), statement.Request{Database: "default"})
		if err != nil {
			return "", err
		}
		result.Close()
		return f.way(), nil
	}
	rec, err := ndjson.Decode([]byte(j.rows), ndjson.Options{Moments: true})
	if err != nil {
		return "", err
	}
	var key []string
	if j.key != "" {
		key = []string{j.key}
	}
	rows := engine.TableRows{Table: engine.TableName{Database: "default", Schema: "main", Name: name}, Batches: []arrow.RecordBatch{rec}}
	_, err = m.Write(w.t.Context(), rows, j.mode, key, engine.AppendOptions{})
	return f.way(), err
}
