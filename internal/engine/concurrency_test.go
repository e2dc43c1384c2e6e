package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestWritersReadTheirWritesWhileGenerationsFlush has 8 writers and 4 readers on a real disk. After
// each acknowledgement, the writer finds all its rows. Each reader finds, for every writer, the
// first n of the writer's rows. n is the same in both tables of a request, and never gets smaller.
func TestWritersReadTheirWritesWhileGenerationsFlush(t *testing.T) {
	const writers, readers, writesEach = 8, 4, 1250
	e, err := Open(t.TempDir(), Settings{FlushBytes: 1 << 20, MaxWait: time.Minute}, Components{Memory: memoryFor(64 << 20), Logger: quiet, PoisonMemory: true})
	must(t, err)
	one, err := createNumbers(e, "one")
	must(t, err)
	two, err := createNumbers(e, "two")
	must(t, err)
	written := make(chan struct{}, readers) // there are more rows; closed at the end
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			name := fmt.Sprintf("w%d", w)
			for i := range writesEach {
				rows := []arrow.RecordBatch{numbersBatch(name, i, 1)}
				_, err := e.Append(ctx, []TableRows{{ID: one.ID, Batches: rows}, {ID: two.ID, Batches: rows}}, AppendOptions{Async: i%50 != 0})
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
				if i%50 == 49 {
					if counts := countsOf(t, e, one.ID); counts[name] != int64(i+1) {
						t.Errorf("writer %d reads %d rows after %d acks, of %v", w, counts[name], i+1, counts)
						return
					}
					select {
					case written <- struct{}{}:
					default: // all readers are busy
					}
				}
			}
		})
	}
	for range readers {
		reading.Go(func() {
			before := map[string]int64{}
			for range written {
				counts := countsOf(t, e, one.ID, two.ID)
				for name, n := range counts {
					if n < before[name] {
						t.Errorf("%s: %d rows after %d", name, n, before[name])
						return
					}
				}
				before = counts
			}
		})
	}
	writing.Wait()
	close(written)
	reading.Wait()
	counts := countsOf(t, e, one.ID)
	for w := range writers {
		if n := counts[fmt.Sprintf("w%d", w)]; n != writesEach {
			t.Errorf("writer %d: %d rows, want %d", w, n, writesEach)
		}
	}
	must(t, e.Flush(ctx))
	must(t, e.Check(ctx))
	must(t, e.Close())
}

// countsOf returns the number of rows that each writer has in one snapshot of tables. It checks
// that the rows of a writer have the numbers 0, 1, 2, ... without gaps or duplicates, and that each
// table has the same number of rows.
func countsOf(t *testing.T, e *Engine, ids ...base.TableID) map[string]int64 {
	s, err := e.Snapshot(ids...)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer s.Release()
	var first map[string]int64
	for _, id := range ids {
		counts, sums := map[string]int64{}, map[string]int64{}
		err := eachBatch(e, s.Tables[id], func(record arrow.RecordBatch) {
			n := record.Column(1).(*array.Int64)
			for i := range int(record.NumRows()) {
				// ValueStr returns a view of memory that the snapshot holds.
				name := strings.Clone(record.Column(0).ValueStr(i))
				counts[name]++
				sums[name] += n.Value(i)
			}
		})
		if err != nil {
			t.Error(err)
			return nil
		}
		for name, n := range counts {
			if sums[name] != n*(n-1)/2 {
				t.Errorf("%s: %d rows with sum %d: not the first ones", name, n, sums[name])
			}
			if first != nil && first[name] != n {
				t.Errorf("%s: %d rows in one table, %d in the other", name, first[name], n)
			}
		}
		if first == nil {
			first = counts
		}
	}
	return first
}

// TestSnapshotsStayWhatTheyWere takes snapshots between random operations. While a snapshot is
// held, its rows must stay the same.
func TestSnapshotsStayWhatTheyWere(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createNumbers(e, "t")
	must(t, err)
	type held struct {
		rows    int
		release func()
		read    func() (int, error)
	}
	var all []held
	rows := 0
	for i := range 300 {
		switch r.IntN(10) {
		case 0:
			must(t, e.Flush(ctx))
		case 1:
			must(t, e.commit(ctx, e.freeze))
		case 2:
			if r.IntN(4) == 0 {
				n, err := truncate(e, table.ID)
				must(t, err)
				if n != int64(rows) {
					t.Fatalf("%d rows truncated, want %d", n, rows)
				}
				rows = 0
			}
		case 3:
			s, err := e.Snapshot(table.ID)
			must(t, err)
			all = append(all, held{rows, s.Release, func() (int, error) {
				got, err := rowsOf(e, s.Tables[table.ID])
				return len(got), err
			}})
		case 4:
			if len(all) > 0 {
				k := r.IntN(len(all))
				all[k].release()
				all = append(all[:k], all[k+1:]...)
				must(t, e.CollectGarbage())
			}
		default:
			n := 1 + r.IntN(20)
			_, err := appendNumbers(e, "t", "w", i*100, n, AppendOptions{})
			must(t, err)
			rows += n
		}
		for _, h := range all {
			got, err := h.read()
			must(t, err)
			if got != h.rows {
				t.Fatalf("step %d: a snapshot of %d rows holds %d", i, h.rows, got)
			}
		}
	}
	for _, h := range all {
		h.release()
	}
	mustEnd(t, e)
}

// TestConcurrentRequestsEvolveOneTable has several writers append different columns to a table that
// does not exist yet.
func TestConcurrentRequestsEvolveOneTable(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	var writers sync.WaitGroup
	for w := range 6 {
		writers.Go(func() {
			for i := range 5 {
				record, err := batchOfJSON(fmt.Sprintf("id BIGINT, c%d DOUBLE", (w+i)%8), fmt.Sprintf(`{"id":%d,"c%d":0.5}`, w*100+i, (w+i)%8))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := e.Append(ctx, []TableRows{{Table: TableName{"m", "main", "wide"}, Batches: []arrow.RecordBatch{record}}}, AppendOptions{Create: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	table, err := e.Lookup("m", "main", "wide")
	must(t, err)
	if len(table.Columns) != 9 {
		t.Fatalf("%d columns, want 9", len(table.Columns))
	}
	s, err := e.Snapshot(table.ID)
	must(t, err)
	if n := s.Tables[table.ID].Rows(); n != 30 {
		t.Fatalf("%d rows, want 30", n)
	}
	s.Release()
	must(t, e.Flush(ctx))
	mustEnd(t, e)
}

// TestAGroupConformsAgainAfterASchemaChange puts a schema change into the queue before a request
// that was prepared for the older schema version.
func TestAGroupConformsAgainAfterASchemaChange(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createNumbers(e, "t")
	must(t, err)
	entered, goOn := make(chan struct{}), make(chan struct{})
	var altered sync.WaitGroup
	altered.Go(func() {
		_, err := e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
			close(entered)
			<-goOn
			return now.AddColumns(schema.Column{Name: "c", Type: schema.Of(schema.Double)})
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-entered
	r, err := e.prepare(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{numbersBatch("w", 0, 3)}}}, AppendOptions{})
	must(t, err)
	must(t, e.queue.push(r))
	close(goOn)
	if out := <-r.done; out.err != ErrSchemaChanged {
		t.Fatalf("outcome %v, want that the rows are stale", out.err)
	}
	altered.Wait()
	_, err = appendNumbers(e, "t", "w", 0, 3, AppendOptions{})
	must(t, err)
	mustEnd(t, e)
}

// TestACallerThatGivesUpLeavesAWholeRequestOrNone cancels contexts while the disk blocks.
func TestACallerThatGivesUpLeavesAWholeRequestOrNone(t *testing.T) {
	disk := newSlowDisk()
	e := mustOpen(t, disk)
	_, err := createNumbers(e, "t")
	must(t, err)
	disk.hold()
	short, cancel := context.WithCancel(ctx)
	outcome := make(chan error)
	go func() {
		_, err := e.Append(short, []TableRows{{Table: TableName{"d", "main", "t"}, Batches: []arrow.RecordBatch{numbersBatch("w", 0, 3)}}},
			AppendOptions{IdempotencyKey: "k"})
		outcome <- err
	}()
	disk.waitUntilHeld()
	cancel()
	wantKind(t, <-outcome, base.Canceled)
	disk.letGo()
	// The repetition waits for the outcome of the first request, and gets it.
	r, err := appendNumbers(e, "t", "w", 0, 3, AppendOptions{IdempotencyKey: "k"})
	must(t, err)
	if !r.Replayed || r.Rows() != 3 {
		t.Fatalf("result %+v", r)
	}
	found, err := readNumbers(e, "t")
	must(t, err)
	if len(found) != 3 || found["w:0"] != 1 {
		t.Fatalf("rows %v", found)
	}
	mustEnd(t, e)
}
