package merge

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

var ctx = context.Background()

// manualClock is a clock that moves only when a test advances it.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
	waits  chan struct{} // receives when a goroutine begins to wait
}

func newManualClock() *manualClock {
	return &manualClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), timers: map[chan time.Time]time.Time{}, waits: make(chan struct{}, 100)}
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
	select {
	case c.waits <- struct{}{}:
	default:
	}
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

var quiet = slog.New(slog.DiscardHandler)

// database is an engine and its scheduler. Their background work runs only when a test asks for it.
type database struct {
	engine *engine.Engine
	merges *Scheduler
	clock  *manualClock

	mutates bool // whether changes are made by rewriting parts
}

func tryOpen(fsys vfs.FS, dir string, logger *slog.Logger) (*database, error) {
	clock := newManualClock()
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{FS: fsys, Clock: clock, Logger: quiet, PoisonMemory: true})
	if err != nil {
		return nil, err
	}
	return &database{engine: e, merges: New(e, Settings{DisableAutomatic: true}, Components{FS: fsys, Clock: clock, Logger: logger}), clock: clock}, nil
}

func mustOpen(t testing.TB, fsys vfs.FS) *database {
	t.Helper()
	d, err := tryOpen(fsys, "/db", quiet)
	must(t, err)
	return d
}

// mustEnd checks and closes the database at the end of a successful test.
func (d *database) mustEnd(t testing.TB) {
	t.Helper()
	must(t, d.engine.CollectGarbage())
	must(t, d.engine.Check(ctx))
	d.merges.Close()
	must(t, d.engine.Close())
}

func (d *database) close() error {
	d.merges.Close()
	return d.engine.Close()
}

// createEvents creates a table sorted by writer and n.
func (d *database) createEvents(name string, partitioned bool) (schema.Table, error) {
	if err := d.engine.CreateDatabase(ctx, "d", true); err != nil {
		return schema.Table{}, err
	}
	t := schema.Table{
		Database: "d", Schema: "main", Name: name,
		Columns: []schema.Column{{Name: "writer", Type: schema.Of(schema.Varchar)}, {Name: "n", Type: schema.Of(schema.BigInt)}},
		SortKey: []schema.SortField{{Column: 1}, {Column: 2}},
	}
	if partitioned {
		t.PartitionBy = []schema.PartitionField{{Column: 1}}
	}
	return d.engine.CreateTable(ctx, t, true)
}

// flushEvents appends rows of a writer, with the numbers from, from+1, and so on, and flushes them
// to one part for each partition.
func (d *database) flushEvents(name, writer string, from, count int) error {
	rec := eventsOf(writer, from, count)
	if _, err := d.engine.Append(ctx, []engine.TableRows{{Table: engine.TableName{Database: "d", Schema: "main", Name: name}, Batches: []arrow.RecordBatch{rec}}}, engine.AppendOptions{}); err != nil {
		return err
	}
	return d.engine.Flush(ctx)
}

// eventsOf returns rows of a writer, with the numbers from, from+1, and so on.
func eventsOf(writer string, from, count int) arrow.RecordBatch {
	w := array.NewStringBuilder(memory.DefaultAllocator)
	n := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range count {
		w.Append(writer)
		n.Append(int64(from + i))
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "writer", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{w.NewArray(), n.NewArray()}, int64(count))
}

// deleteFromParts deletes a row of every part of a table.
func (d *database) deleteFromParts(id base.TableID, ordinal uint32) error {
	s, err := d.engine.Snapshot(id)
	if err != nil {
		return err
	}
	defer s.Release()
	c := engine.Change{Table: id, Deleted: map[base.RowsetID]*roaring.Bitmap{}}
	for _, p := range s.Tables[id].Parts {
		c.Deleted[p.ID] = roaring.BitmapOf(ordinal)
	}
	_, err = d.engine.Commit(ctx, s, []engine.Change{c}, engine.AppendOptions{})
	return err
}

// state has the parts and the rows that a table has. Rows are in the order of the parts.
type state struct {
	parts int
	rows  []string // sorted
}

// read returns a table's parts and rows. It fails if the rows of a part are not sorted.
func (d *database) read(fsys vfs.FS, id base.TableID) (state, error) {
	snap, err := d.engine.Snapshot(id)
	if err != nil {
		return state{}, err
	}
	defer snap.Release()
	t := snap.Tables[id]
	s := state{parts: len(t.Parts)}
	for _, p := range t.Parts {
		var before string
		ordinal := uint32(0)
		deleted := roaring.New()
		if set := t.Patches[p.ID]; set != nil && set.Deleted != nil {
			deleted = set.Deleted
		}
		err := part.Read(d.engine.PartFile(p), t.Versions[p.SchemaVersion], func(rec arrow.RecordBatch) error {
			for i := range int(rec.NumRows()) {
				cells := make([]string, rec.NumCols())
				for c, column := range rec.Columns() {
					cells[c] = fmt.Sprintf("%6s", column.ValueStr(i))
				}
				row := strings.Join(cells, " ")
				if row < before && len(t.Schema.SortKey) > 0 {
					return fmt.Errorf("part %d: row %q after %q", p.ID, row, before)
				}
				before = row
				if ordinal++; deleted.Contains(ordinal - 1) {
					continue
				}
				s.rows = append(s.rows, row)
			}
			return nil
		})
		if err != nil {
			return state{}, err
		}
	}
	slices.Sort(s.rows)
	return s, nil
}

func (d *database) mustRead(t testing.TB, fsys vfs.FS, id base.TableID) state {
	t.Helper()
	s, err := d.read(fsys, id)
	must(t, err)
	return s
}
