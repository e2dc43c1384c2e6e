package slt

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/ddl"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
	"github.com/scoterdb/scoter/internal/vfs"
)

// interrupted is a planner that calls between once, after a statement has found its rows and before
// it changes them.
type interrupted struct {
	sqlquery.Planner
	between func()
}

func (p *interrupted) Find(ctx context.Context, s sqlquery.Request) (sqlquery.Found, error) {
	found, err := p.Planner.Find(ctx, s)
	p.between()
	return found, err
}

// interruptedSnapshots calls between after a statement without a query has taken its snapshot.
type interruptedSnapshots struct {
	tx.Snapshots
	between func()
}

func (s *interruptedSnapshots) DeduplicatedSnapshot(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error) {
	found, err := s.Snapshots.DeduplicatedSnapshot(ctx, ids...)
	s.between()
	return found, err
}

func (s *interruptedSnapshots) DeduplicatedSnapshotAs(ctx context.Context, evolutions []engine.Evolution, ids ...base.TableID) (*snapshot.Snapshot, error) {
	found, err := s.Snapshots.DeduplicatedSnapshotAs(ctx, evolutions, ids...)
	s.between()
	return found, err
}

// TestWhatDecidesIsCompared runs a statement within another one, between its query and its change.
// The result must be the same as that of one after the other.
func TestWhatDecidesIsCompared(t *testing.T) {
	const other = "UPDATE p SET w = 0 WHERE id = 1 AND (SELECT x.v FROM p AS x WHERE x.id = 2) = 0"
	const first, second = "1 0 1, 2 1 0", "1 1 0, 2 1 0" // the statement first, or the other one
	for _, sql := range []string{
		"INSERT INTO p VALUES (1, 1, 0), (2, 1, 0) ON CONFLICT DO UPDATE SET v = excluded.v WHERE p.w = 0",
		"INSERT INTO p VALUES (1, 1, 0), (2, 1, 0) ON CONFLICT DO UPDATE SET v = excluded.v WHERE p.w = (SELECT 0)",
		"INSERT INTO p VALUES (1, 1, 0), (2, 1, 0) ON CONFLICT DO UPDATE SET v = excluded.v WHERE p.w + random() < 1",
		"MERGE INTO p USING (VALUES (1), (2)) AS s(id) USING (id) WHEN MATCHED AND p.w = 0 THEN UPDATE SET v = 1",
		"MERGE INTO p USING (VALUES (1), (2)) AS s(id) USING (id) WHEN MATCHED AND p.w + random() < 1 THEN UPDATE SET v = 1",
		"UPDATE p SET v = 1 WHERE w = 0",
		"UPDATE p SET v = 1 WHERE p::VARCHAR LIKE '%''w'': 0}'",
		"INSERT INTO p VALUES (1, 1, 0), (2, 1, 0) ON CONFLICT DO UPDATE SET v = excluded.v WHERE p::VARCHAR LIKE '%''w'': 0}'",
		"UPDATE p SET v = 1 FROM (SELECT p.w = 0 AS low) AS s WHERE s.low",
		"UPDATE p SET v = 1 FROM (SELECT p.w = 0) AS s(low), (SELECT s.low AS very) AS q WHERE very",
	} {
		db := openScoter(t, false, 0)
		run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
		run("CREATE TABLE p (id INTEGER PRIMARY KEY, v BIGINT, w INTEGER)")
		run("INSERT INTO p VALUES (1, 0, 1), (2, 0, 0)")
		interrupting(t, db, func() { run(other) }, sql)
		rows := run("SELECT array_to_string([id, v, w], ' ') FROM p ORDER BY id").rows
		if got := strings.Join(rows, ", "); !slices.Contains([]string{first, second}, got) {
			t.Errorf("%s: %s, want %s or %s", sql, got, first, second)
		}
	}
}

// TestWhatARowThatIsThereKeepsAwayIsCompared does the same with rows that are not inserted because
// of existing rows.
func TestWhatARowThatIsThereKeepsAwayIsCompared(t *testing.T) {
	const unversioned, versioned, onRead = "", " WITH (version = 'v', is_deleted = 'gone')", " WITH (version = 'v', is_deleted = 'gone', upsert = 'merge-on-read')"
	for _, c := range []struct{ options, conflict string }{
		{unversioned, "NOTHING"}, {versioned, "NOTHING"}, {onRead, "NOTHING"},
		// to a lower version
		{versioned, "UPDATE SET gone = p.gone"}, {onRead, "UPDATE SET gone = p.gone"},
	} {
		for how, moves := range []bool{false, false, true} {
			db := openScoter(t, false, how%2)
			run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
			run("CREATE TABLE p (id INTEGER PRIMARY KEY, v BIGINT, gone BOOLEAN DEFAULT false)" + c.options)
			run("INSERT INTO p (id, v) VALUES (1, 5), (2, 5)")
			interrupting(t, db, func() {
				run("DELETE FROM p WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM p AS x WHERE x.id = 3)")
				if moves { // out of memory, into a part
					if err := db.app.Engine.Flush(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}, "INSERT INTO p (id, v) VALUES (1, 4), (3, 9) ON CONFLICT DO "+c.conflict)
			rows := run("SELECT array_to_string([id, v], ' ') FROM p ORDER BY id").rows
			if got := strings.Join(rows, ", "); got != "1 5, 2 5, 3 9" && got != "1 4, 2 5, 3 9" {
				t.Errorf("%v: %s", c, got)
			}
		}
	}
}

// TestKeysAloneKeepTheirRows deletes the rows that an INSERT of only keys has found, before it
// commits. The INSERT must take effect before the deletion, or insert the rows.
func TestKeysAloneKeepTheirRows(t *testing.T) {
	for _, sql := range []string{
		"INSERT OR REPLACE INTO p (id) VALUES (1), (2)",
		"INSERT OR REPLACE INTO p (id) VALUES (1), (2) RETURNING id",
		"INSERT INTO p (id) VALUES (1), (2) ON CONFLICT DO UPDATE SET id = excluded.id",
	} {
		db := openScoter(t, false, 0)
		run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
		run("CREATE TABLE p (id INTEGER PRIMARY KEY, v INTEGER)")
		run("INSERT INTO p VALUES (1, 5)")
		interrupting(t, db, func() { run("DELETE FROM p") }, sql)
		rows := run("SELECT id FROM p ORDER BY id").rows
		if got := strings.Join(rows, ", "); got != "" && got != "1, 2" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestAnInsertRefusesAKeyThatCameMeanwhile inserts a key while another statement inserts it too:
// that statement has looked for its keys, but not committed its rows. The statement that loses
// leaves nothing.
func TestAnInsertRefusesAKeyThatCameMeanwhile(t *testing.T) {
	for _, sql := range []string{
		"INSERT INTO p SELECT range, 0 FROM range(1, 3)",
		"INSERT INTO p SELECT range, 0 FROM range(1, 3) RETURNING id",
	} {
		db := openScoter(t, false, 0)
		run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
		run("CREATE TABLE p (id INTEGER PRIMARY KEY, v INTEGER)")
		var between sync.Once
		m := mutatorOf(t, db, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
			s.Snapshots = &interruptedSnapshots{s.Snapshots, func() { between.Do(func() { run("INSERT INTO p VALUES (2, 7)") }) }}
			return s, p
		}, slog.New(slog.DiscardHandler))
		_, err := m.Execute(t.Context(), parsed(t, sql), statement.Request{Database: "default"})
		if base.KindOf(err) != base.Conflict || !strings.Contains(err.Error(), `Duplicate key "id: 2"`) {
			t.Errorf("%s: %v", sql, err)
		}
		if rows := run("SELECT id || ' ' || v FROM p").rows; !slices.Equal(rows, []string{"2 7"}) {
			t.Errorf("%s: %v", sql, rows)
		}
	}
}

// TestADeletionOfWhatIsNotThereIsCompared uses a row that deletes a key which another statement
// inserts concurrently. The row must delete it, unless the insert takes effect later.
func TestADeletionOfWhatIsNotThereIsCompared(t *testing.T) {
	for _, options := range []string{" WITH (is_deleted = 'gone')", " WITH (is_deleted = 'gone', upsert = 'merge-on-read')", " WITH (version = 'v', is_deleted = 'gone')"} {
		for _, conflict := range []string{"", " ON CONFLICT DO UPDATE SET gone = excluded.gone", " ON CONFLICT DO UPDATE SET gone = excluded.gone AND TRUE"} {
			db := openScoter(t, false, 0)
			run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
			run("CREATE TABLE p (id INTEGER PRIMARY KEY, v BIGINT, gone BOOLEAN, x INTEGER)" + options)
			run("INSERT INTO p VALUES (3, 0, FALSE, 0)")
			interrupting(t, db, func() {
				run("INSERT INTO p (id, v) SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM p WHERE id = 2)")
			}, "INSERT INTO p (id, v, gone) VALUES (1, 1, TRUE), (2, 1, FALSE)"+conflict)
			rows := run("SELECT id FROM p ORDER BY id").rows
			if got := strings.Join(rows, ", "); got != "2, 3" {
				t.Errorf("%s%s: %s", options, conflict, got)
			}
		}
	}
}

// TestAStatementEndsWhateverChangesWhatItReads changes a table that a statement reads, during each
// of its attempts, unless the change has to wait.
func TestAStatementEndsWhateverChangesWhatItReads(t *testing.T) {
	for _, sql := range []string{
		"UPDATE p SET v = u.v FROM u WHERE p.id = u.id",
		"DELETE FROM p WHERE id IN (SELECT id FROM u)",
		"MERGE INTO p USING u ON p.id = u.id WHEN MATCHED THEN UPDATE SET v = u.v",
	} {
		db := openScoter(t, false, 0)
		run := func(sql string) answer { t.Helper(); return mustRun(t, db, sql) }
		run("CREATE TABLE p (id INTEGER PRIMARY KEY, v INTEGER)")
		run("CREATE TABLE u (id INTEGER PRIMARY KEY, v INTEGER)")
		run("INSERT INTO p VALUES (1, 0), (2, 0)")
		run("INSERT INTO u VALUES (1, 0)")
		attempts := 0
		var others sync.WaitGroup
		m := mutatorOf(t, db, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
			return s, &interrupted{p, func() {
				attempts++
				done := make(chan struct{})
				others.Go(func() {
					defer close(done)
					run("INSERT OR REPLACE INTO u VALUES (1, 7)")
				})
				select {
				case <-done:
				case <-time.After(200 * time.Millisecond): // the change waits
				}
			}}
		}, slog.New(slog.DiscardHandler))
		result, err := m.Execute(t.Context(), parsed(t, sql), statement.Request{Database: "default"})
		others.Wait()
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if n := result.Counts.Rows(); n != 1 || attempts != 2 {
			t.Errorf("%s: %d rows in %d attempts", sql, n, attempts)
		}
	}
}

// TestTruncateCountsWhenItsTimeIsOver cancels a TRUNCATE after its rows were removed. In one case
// the rows can also not be read.
func TestTruncateCountsWhenItsTimeIsOver(t *testing.T) {
	for _, unread := range []bool{false, true} {
		db := openScoter(t, false, 0)
		mustRun(t, db, "CREATE TABLE p (id INTEGER PRIMARY KEY, v BIGINT, gone BOOLEAN DEFAULT false) WITH (version = 'v', is_deleted = 'gone')")
		mustRun(t, db, "INSERT INTO p VALUES (1, 1, false), (2, 1, true), (3, 1, false)")
		ctx, cancel := context.WithCancel(t.Context())
		var log strings.Builder
		m := mutatorOf(t, db, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
			if unread {
				p = unreadable{p}
			}
			s.Tables = &canceledTables{s.Tables, cancel}
			return s, p
		}, slog.New(slog.NewTextHandler(&log, nil)))
		result, err := m.Execute(ctx, parsed(t, "TRUNCATE p"), statement.Request{Database: "default"})
		if err != nil {
			t.Fatal(err)
		}
		want, said := int64(2), ""
		if unread {
			want, said = 3, "cannot be read"
		}
		if got := result.Counts.Deleted; got != want || !strings.Contains(log.String(), said) {
			t.Errorf("%d rows, want %d; log: %s", got, want, log.String())
		}
	}
}

// canceledTables cancels a TRUNCATE after it has happened.
type canceledTables struct {
	ddl.Tables
	cancel context.CancelFunc
}

func (s *canceledTables) Truncate(ctx context.Context, id base.TableID) (*snapshot.Snapshot, error) {
	removed, err := s.Tables.Truncate(ctx, id)
	s.cancel()
	return removed, err
}

// unreadable is a planner whose queries fail.
type unreadable struct{ sqlquery.Planner }

func (unreadable) Select(context.Context, sqlquery.Request) (sqlquery.Rows, error) {
	return nil, base.Errorf(base.Corrupt, "a part is damaged")
}

// interrupting executes a statement, and calls between between its query and its change.
func interrupting(t *testing.T, db *scoterDB, between func(), sql string) {
	t.Helper()
	once := sync.OnceFunc(between)
	m := mutatorOf(t, db, func(s session.Stores, p sqlquery.Planner) (session.Stores, sqlquery.Planner) {
		s.Snapshots = &interruptedSnapshots{s.Snapshots, once}
		return s, &interrupted{p, once}
	}, slog.New(slog.DiscardHandler))
	result, err := m.Execute(t.Context(), parsed(t, sql), statement.Request{Database: "default"})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	result.Close()
}

func parsed(t *testing.T, sql string) sqltoken.Statement {
	t.Helper()
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		t.Fatal(err)
	}
	return statements[0]
}

// mutatorOf returns a mutator of a database's rows. around may wrap its store and planner.
func mutatorOf(t *testing.T, db *scoterDB, around func(session.Stores, sqlquery.Planner) (session.Stores, sqlquery.Planner), log *slog.Logger) *session.Statements {
	t.Helper()
	inst, err := duck.Open(duck.Settings{Threads: 2, ExternalAccess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	pool := duck.NewPool(inst, 2)
	t.Cleanup(pool.Close)
	relations, err := overlay.New(inst, blocks.NewFiles(vfs.OS, filepath.Join(db.dir, "parts"), log), ledger.NewAccount("changed", 1<<20), ledger.NewAccount("columns", 1<<19))
	if err != nil {
		t.Fatal(err)
	}
	store, planner := around(session.StoresOf(db.app.Engine), query.NewRunner(pool, db.app.Engine, nil, relations))
	return session.NewStatements(store, planner, pool, memtable.NewPool(memtable.PoolOptions{}), nil, nil, nil, dml.Patch, log)
}
