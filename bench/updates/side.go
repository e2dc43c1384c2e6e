package updates

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/lineitem"
	"github.com/scoterdb/scoter/internal/base"
)

// answer is the answer of a system to an SQL statement: how long it took, and its rows.
type answer struct {
	Version string
	Error   string
	Millis  float64
	Rows    [][]any
}

// side is a system that the benchmark compares: Scoter or another database. It runs SQL. Where
// systems need different SQL for the same thing, functions of the side return that SQL.
type side struct {
	name    string
	version string
	run     func(ctx context.Context, sql string) (answer, error)
	process func() harness.Process
	close   func() error

	// create returns the SQL statements that create an empty table.
	create func(table string) []string
	// load returns the SQL statements that fill a table from a Parquet file.
	load func(table, parquet string) []string
	// copy returns the SQL statements that fill a table in the order of the sort key. The rows come
	// from the table named by from.
	copy func(table, from string) []string
	// update returns the SQL statements that make the update u. After them, the change is visible.
	update func(table string, u update) []string
	// delete returns the SQL statements that delete the rows that u selects. After them, the change
	// is visible.
	delete func(table string, u update) []string
	drop   func(table string) []string
	// merge makes the system merge the changes into the files of the table, and waits until that is
	// done. It is nil if the system has nothing to merge.
	merge func(ctx context.Context) error
	// waitLoaded waits until the rows of a table that was just filled are stored in their final
	// form. It may be nil.
	waitLoaded func(ctx context.Context) error
	// restart restarts the server, with or without merges. It is set only for Scoter.
	restart func(ctx context.Context, merges bool) error
}

// all executes SQL statements one after the other, and returns their total time in milliseconds.
func (s *side) all(ctx context.Context, statements []string) (millis float64, err error) {
	for _, sql := range statements {
		a, err := s.run(ctx, sql)
		if err != nil {
			return 0, base.Wrap(err, "%s", s.name)
		}
		millis += a.Millis
	}
	return millis, nil
}

// change returns the SQL statements that make the change u: a deletion if deletes is set, and
// otherwise an update.
func (s *side) change(table string, u update, deletes bool) []string {
	if deletes {
		return s.delete(table, u)
	}
	return s.update(table, u)
}

// fill creates a table and waits until the system is idle. rows are the SQL statements that fill
// the table.
func (s *side) fill(ctx context.Context, table string, rows []string) error {
	if _, err := s.all(ctx, append(s.create(table), rows...)); err != nil {
		return err
	}
	if s.waitLoaded != nil {
		if err := s.waitLoaded(ctx); err != nil {
			return err
		}
	}
	return s.rest(ctx)
}

// rest waits until the system has been idle for a second. Work that it still does after a load
// would slow down the change, or the SELECT with which the change is compared. For example,
// DuckDB's threads return memory to the operating system after they were idle for half a second.
func (s *side) rest(ctx context.Context) error {
	// A system counts as idle if it uses fewer seconds of processor time per second than the
	// constant nothing. The constant most is the maximum time that the method rest waits.
	const nothing, most = 0.03, time.Minute
	for began := time.Now(); ; {
		before, err := s.process().CPU()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		after, err := s.process().CPU()
		if err != nil || after-before < nothing {
			return err
		}
		if time.Since(began) > most {
			return base.Errorf(base.Unavailable, "%s still works a minute after it has filled a table", s.name)
		}
	}
}

func one(format string) func(string) []string {
	return func(table string) []string { return []string{fmt.Sprintf(format, table)} }
}

// shared fills in those functions of a side that return SQL. The SQL has the form that most systems
// understand.
func (s *side) shared() {
	s.create = one(strings.TrimSuffix(lineitem.CreateTable("%s"), " SORTED BY (l_orderkey, l_linenumber)"))
	s.load = func(table, parquet string) []string {
		return []string{fmt.Sprintf("INSERT INTO %s SELECT * FROM read_parquet('%s') ORDER BY l_orderkey, l_linenumber", table, parquet)}
	}
	s.copy = func(table, from string) []string {
		return []string{fmt.Sprintf("INSERT INTO %s SELECT * FROM %s ORDER BY l_orderkey, l_linenumber", table, from)}
	}
	s.update = func(table string, u update) []string { return []string{updateSQL(table, u)} }
	s.delete = func(table string, u update) []string { return []string{deleteSQL(table, u)} }
	s.drop = one("DROP TABLE %s")
}

//go:embed peer.py
var peerProgram string

// otherSystem starts another system with which Scoter is compared. bin is the folder of the
// installed programs, and kind is one of the kinds of systems that peer.py supports.
func otherSystem(ctx context.Context, bin, kind, name, dir string) (*side, error) {
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, base.Errorf(base.Unavailable, "folder for %s: %w", name, err)
	}
	c := exec.CommandContext(ctx, filepath.Join(bin, "python"), "-c", peerProgram, kind, folder, fmt.Sprint(runtime.NumCPU()))
	in, err := c.StdinPipe()
	if err != nil {
		return nil, base.Errorf(base.Internal, "%s: %w", name, err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, base.Errorf(base.Internal, "%s: %w", name, err)
	}
	if err := c.Start(); err != nil {
		return nil, base.Errorf(base.Unavailable, "%s: %w", name, err)
	}
	answers := json.NewDecoder(bufio.NewReader(out))
	next := func() (a answer, err error) {
		if err := answers.Decode(&a); err != nil {
			return a, base.Errorf(base.Unavailable, "%s ended: %w", name, err)
		}
		if a.Error != "" {
			return a, base.Errorf(base.Unavailable, "%s", lastLine([]byte(a.Error)))
		}
		return a, nil
	}
	s := &side{name: name, process: func() harness.Process { return harness.Process(c.Process.Pid) }}
	s.close = func() error { return errors.Join(in.Close(), c.Wait()) }
	s.run = func(_ context.Context, sql string) (answer, error) {
		text, err := json.Marshal(sql)
		if err != nil {
			return answer{}, base.Errorf(base.Internal, "statement: %w", err)
		}
		if _, err := in.Write(append(text, '\n')); err != nil {
			return answer{}, base.Errorf(base.Unavailable, "%s: %w", name, err)
		}
		a, err := next()
		return a, base.Wrap(err, "%.80s", sql)
	}
	s.shared()
	hello, err := next()
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.version = hello.Version
	return s, nil
}

// ordersOfScale is the range of the order numbers at scale factor 1. The range is proportional to
// the scale factor.
const ordersOfScale = 6_000_000

// scoter starts a Scoter server. Its merges are paused until its function restart is called with
// merges.
func scoter(ctx context.Context, env *harness.Env, parquet string, scale int) (*side, *harness.Server, error) {
	// The write memory is large enough for a patch of a tenth of the rows to stay in memory. A
	// patch stays in memory if it is smaller than a quarter of the write memory.
	flags := append(harness.FlushSoon(time.Second), "--query-threads", fmt.Sprint(runtime.NumCPU()), "--write-memory", fmt.Sprintf("%dMiB", 512*scale))
	server, err := env.StartServer(ctx, append(flags, "--merge-parallel", "0")...)
	if err != nil {
		return nil, nil, err
	}
	s := &side{name: "Scoter", process: func() harness.Process { return server.Process() }}
	s.run = func(ctx context.Context, sql string) (answer, error) {
		began := time.Now()
		rows, err := server.SQL(ctx, sql)
		return answer{Millis: float64(time.Since(began).Microseconds()) / 1000, Rows: rows}, err
	}
	s.close = func() (err error) {
		env.Finish(server, &err)
		return err
	}
	s.shared()
	s.create = one(lineitem.CreateTable("%s"))
	s.waitLoaded = server.WaitFlushed
	if err := s.fill(ctx, "original", nil); err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	if err := server.Load(ctx, parquet, "original"); err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	s.copy = func(table, from string) (statements []string) {
		// The rows are inserted in pieces: sorting all of them takes more memory than queries may
		// use.
		for n := range scale {
			statements = append(statements, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s WHERE l_orderkey > %d AND l_orderkey <= %d ORDER BY l_orderkey, l_linenumber",
				table, from, n*ordersOfScale, (n+1)*ordersOfScale))
		}
		return statements
	}
	s.load = func(table, _ string) []string { return s.copy(table, "original") }
	s.restart = func(ctx context.Context, merges bool) error {
		if merges {
			return server.Restart(ctx, flags...)
		}
		return server.Restart(ctx, append(flags, "--merge-parallel", "0")...)
	}
	s.merge = func(ctx context.Context) error {
		if err := s.restart(ctx, true); err != nil {
			return err
		}
		if err := server.WaitMerged(ctx); err != nil {
			return err
		}
		return s.restart(ctx, false)
	}
	return s, server, nil
}

// clickhouse sets the functions of a side for ClickHouse (as the library chDB), with lightweight
// updates and without merges.
func clickhouse(s *side) {
	s.create = func(table string) []string {
		columns := strings.NewReplacer("BIGINT", "Int64", "INTEGER", "Int32", "VARCHAR", "String", "DATE", "Date", " DECIMAL", " Decimal").
			Replace(strings.TrimSuffix(lineitem.CreateTable(table), " SORTED BY (l_orderkey, l_linenumber)"))
		return []string{columns + " ENGINE = MergeTree ORDER BY (l_orderkey, l_linenumber) SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1"}
	}
	s.load = func(table, parquet string) []string {
		return []string{fmt.Sprintf("INSERT INTO %s SELECT * FROM file('%s', Parquet)", table, parquet), "OPTIMIZE TABLE " + table + " FINAL", "SYSTEM STOP MERGES " + table}
	}
	s.copy = func(table, from string) []string {
		return []string{fmt.Sprintf("INSERT INTO %s SELECT * FROM %s", table, from), "OPTIMIZE TABLE " + table + " FINAL", "SYSTEM STOP MERGES " + table}
	}
	s.delete = func(table string, u update) []string {
		return []string{deleteSQL(table, u) + " SETTINGS lightweight_delete_mode = 'lightweight_update_force'"}
	}
	s.merge = func(ctx context.Context) error {
		_, err := s.all(ctx, []string{"SYSTEM START MERGES changed", "OPTIMIZE TABLE changed FINAL"})
		return err
	}
}

// parquetFiles sets the functions of a side for DuckDB over a Parquet file. Every change rewrites
// the file.
func parquetFiles(s *side, dir string) {
	files, older, newest := 0, map[string]string{}, map[string]string{}
	write := func(table, query string) []string {
		files++
		path := filepath.Join(dir, fmt.Sprintf("%s-%d.parquet", table, files))
		_ = os.Remove(older[table]) // ignore the error: the folder is removed at the end
		older[table], newest[table] = newest[table], path
		return []string{fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", query, path), fmt.Sprintf("CREATE OR REPLACE VIEW %s AS FROM read_parquet('%s')", table, path)}
	}
	s.create = func(string) []string { return nil }
	s.load = func(table, parquet string) []string { return write(table, "FROM read_parquet('"+parquet+"')") }
	s.copy = func(table, from string) []string { return write(table, "FROM "+from) }
	s.update = func(table string, u update) []string {
		var values []string
		for _, v := range u.set {
			values = append(values, fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END AS %s", u.where, v.value, v.column, v.column))
		}
		return write(table, fmt.Sprintf("SELECT * REPLACE (%s) FROM %s", strings.Join(values, ", "), table))
	}
	s.delete = func(table string, u update) []string {
		return write(table, fmt.Sprintf("FROM %s WHERE (%s) IS NOT TRUE", table, u.where))
	}
	s.drop = one("DROP VIEW %s")
}
