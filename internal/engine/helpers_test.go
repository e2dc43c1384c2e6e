package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

var ctx = context.Background()

// memoryFor returns a ledger with this limit of the memory for rows, in bytes.
func memoryFor(rows int64) *ledger.Ledger {
	return ledger.New(ledger.Limits{Memory: 16 * rows, Rows: rows, Work: rows, Caches: 7 * rows})
}

// waiters returns how many requests wait for memory for rows.
func waiters(e *Engine) int {
	all := e.memory.Stats()
	return all[slices.IndexFunc(all, func(s ledger.Stats) bool { return s.Account == "rows" })].Waiting
}

// manualClock is a clock that moves only when a test advances it.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
}

func newManualClock() *manualClock {
	return &manualClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), timers: map[chan time.Time]time.Time{}}
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := make(chan time.Time, 1)
	c.timers[timer] = c.now.Add(d)
	return timer
}

func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for timer, at := range c.timers {
		if !c.now.Before(at) {
			timer <- c.now
			delete(c.timers, timer)
		}
	}
}

// waitForTimer returns once a goroutine waits for a timer of length d.
func (c *manualClock) waitForTimer(d time.Duration) {
	eventually(func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, at := range c.timers {
			if at.Equal(c.now.Add(d)) {
				return true
			}
		}
		return false
	})
}

// eventually waits until a condition holds, which other goroutines must bring about. If it never
// holds, the time limit of the test ends the wait.
func eventually(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}

// slowDisk is a file system that tests can hold. While it is held, Sync of the log blocks.
type slowDisk struct {
	*vfs.FailingFS
	disk    *vfs.Crashable
	mu      sync.Mutex
	gate    chan struct{} // guarded by mu; nil when not held
	waiting chan struct{}
}

func newSlowDisk() *slowDisk {
	s := &slowDisk{disk: vfs.NewCrashable(), waiting: make(chan struct{}, 1000)}
	s.FailingFS = vfs.Failing(s.disk, func(op vfs.Op) error {
		if op.Kind != vfs.OpSync || filepath.Ext(op.Path) != ".wal" {
			return nil
		}
		s.mu.Lock()
		gate := s.gate
		s.mu.Unlock()
		if gate != nil {
			s.waiting <- struct{}{}
			<-gate
		}
		return nil
	})
	return s
}

func (s *slowDisk) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

func (s *slowDisk) waitUntilHeld() { <-s.waiting }

func (s *slowDisk) letGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
	s.gate = nil
}

var quiet = slog.New(slog.DiscardHandler)

// manual are the settings of most tests. With them nothing runs in the background, and the test
// itself flushes and collects garbage.
var manual = Settings{DisableAutomaticFlush: true}

func tryOpen(fsys vfs.FS, clock Clock) (*Engine, error) {
	return Open("/db", manual, Components{FS: fsys, Clock: clock, Logger: quiet, PoisonMemory: true})
}

func mustOpen(t testing.TB, fsys vfs.FS) *Engine {
	t.Helper()
	e, err := tryOpen(fsys, newManualClock())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mustEnd checks and closes the engine. Every successful test ends with it.
func mustEnd(t testing.TB, e *Engine) {
	t.Helper()
	must(t, e.CollectGarbage())
	must(t, e.Check(ctx))
	must(t, e.Close())
	if used := e.memory.Rows.Used(); used != 0 {
		t.Fatalf("%d bytes of memory for rows in use after Close", used)
	}
	if bytes := e.pool.Bytes(); bytes != 0 {
		t.Fatalf("%d bytes of memory in use after Close", bytes)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, err error, kind base.Kind) {
	t.Helper()
	if err == nil || base.KindOf(err) != kind {
		t.Fatalf("error %v, want one of kind %s", err, kind)
	}
}

// numbers is the table of most tests. A row has the name of its writer, and a number that counts
// the writer's rows.
var numbers = schema.Table{
	Database: "d", Schema: "main", Name: "numbers",
	Columns: []schema.Column{
		{Name: "writer", Type: schema.Of(schema.Varchar)},
		{Name: "n", Type: schema.Of(schema.BigInt)},
	},
	SortKey: []schema.SortField{{Column: 1}, {Column: 2}},
}

func createNumbers(e *Engine, name string) (schema.Table, error) {
	if err := e.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	t := numbers
	t.Name = name
	return e.CreateTable(ctx, t, true)
}

// truncate truncates a table, and returns the number of removed rows.
func truncate(e *Engine, id base.TableID) (rows int64, err error) {
	removed, err := e.Truncate(ctx, id)
	if err != nil {
		return 0, err
	}
	defer removed.Release()
	return removed.Tables[id].Rows(), nil
}

// numbersBatch returns count rows of a writer, with the numbers from, from+1, and so on.
func numbersBatch(writer string, from, count int) arrow.RecordBatch {
	w := array.NewStringBuilder(memory.DefaultAllocator)
	n := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range count {
		w.Append(writer)
		n.Append(int64(from + i))
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "writer", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{w.NewArray(), n.NewArray()}, int64(count))
}

func appendNumbers(e *Engine, table, writer string, from, count int, o AppendOptions) (Result, error) {
	return e.Append(ctx, []TableRows{{Table: TableName{"d", "main", table}, Batches: []arrow.RecordBatch{numbersBatch(writer, from, count)}}}, o)
}

// eachRow calls visit for every row of a table in a snapshot. visit gets the row's address, and its
// values by column name. The names are those of the row's own schema version.
func eachRow(e *Engine, t *snapshot.Table, visit func(address base.RowAddress, row map[string]string)) error {
	return eachRowset(e, t, func(record arrow.RecordBatch, rowset base.RowsetID, at func(int) int) {
		for i := range int(record.NumRows()) {
			row := map[string]string{}
			for c, column := range record.Columns() {
				row[record.ColumnName(c)] = column.ValueStr(i)
			}
			visit(base.RowAddress{Rowset: rowset, Ordinal: base.RowOrdinal(at(i))}, row)
		}
	})
}

// eachBatch calls visit for all batches of a table in a snapshot.
func eachBatch(e *Engine, t *snapshot.Table, visit func(arrow.RecordBatch)) error {
	return eachRowset(e, t, func(record arrow.RecordBatch, _ base.RowsetID, _ func(int) int) { visit(record) })
}

// eachRowset calls visit for each rowset of a table, with the rows that are not deleted and their
// newest values. at(i) is the number in the rowset of row i.
func eachRowset(e *Engine, t *snapshot.Table, visit func(record arrow.RecordBatch, rowset base.RowsetID, at func(int) int)) error {
	visitLive := func(record arrow.RecordBatch, version schema.Table, rowset base.RowsetID, first int) error {
		set := t.Patches[rowset]
		if set == nil {
			visit(record, rowset, func(i int) int { return first + i })
			return nil
		}
		record, err := set.Apply(record, version, uint32(first))
		if err != nil {
			return err
		}
		live, all := set.Live(uint32(first), int(record.NumRows()))
		if all {
			visit(record, rowset, func(i int) int { return first + i })
			return nil
		}
		if record, err = batch.Take([]arrow.RecordBatch{record}, live); err != nil {
			return err
		}
		visit(record, rowset, func(i int) int { return first + int(live[i]) })
		return nil
	}
	for _, p := range t.Parts {
		version, err := e.TableVersion(p.Table, p.SchemaVersion)
		if base.KindOf(err) == base.NotFound {
			version, err = t.Schema, nil // the table was dropped
		}
		if err != nil {
			return err
		}
		first := 0
		err = part.Read(e.PartFile(p), version, func(record arrow.RecordBatch) error {
			err := visitLive(record, version, p.ID, first)
			first += int(record.NumRows())
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, m := range t.Memtables {
		for _, b := range m.Batches {
			if err := visitLive(b.Record, m.Schema, m.Rowset, int(b.FirstOrdinal)); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowsOf returns all rows of a table as text, sorted.
func rowsOf(e *Engine, t *snapshot.Table) ([]string, error) {
	var all []string
	err := eachRow(e, t, func(_ base.RowAddress, row map[string]string) { all = append(all, rowText(row)) })
	slices.Sort(all)
	return all, err
}

func rowText(row map[string]string) string {
	var b strings.Builder
	for i, name := range slices.SortedFunc(maps.Keys(row), cmp.Compare[string]) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%s", name, row[name])
	}
	return b.String()
}

// readNumbers returns how many rows a table has for each "writer:n".
func readNumbers(e *Engine, name string) (map[string]int, error) {
	table, err := e.Lookup("d", "main", name)
	if err != nil {
		return nil, err
	}
	s, err := e.Snapshot(table.ID)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	found := map[string]int{}
	err = eachRow(e, s.Tables[table.ID], func(_ base.RowAddress, row map[string]string) { found[row["writer"]+":"+row["n"]]++ })
	return found, err
}

// batchOfJSON returns rows from JSON objects, one per line. columns has the form "name TYPE, ...".
func batchOfJSON(columns, rows string) (arrow.RecordBatch, error) {
	var fields []arrow.Field
	for column := range strings.SplitSeq(columns, ",") {
		name, typeName, _ := strings.Cut(strings.TrimSpace(column), " ")
		t, err := schema.Parse(typeName)
		if err != nil {
			return nil, err
		}
		fields = append(fields, arrow.Field{Name: name, Type: t.Arrow(), Nullable: true})
	}
	var all []json.RawMessage
	for line := range strings.Lines(rows) {
		all = append(all, json.RawMessage(line))
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(string(text)))
	return record, err
}
