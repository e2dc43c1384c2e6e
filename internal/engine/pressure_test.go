package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

func TestWritersThatWaitForMemoryCutNoSmallGenerations(t *testing.T) {
	e := &Engine{settings: Settings{}.withDefaults(1 << 30), clock: systemClock{}, active: newGeneration(2)}
	e.active.frames, e.active.born = 1, e.now()
	if !e.due(true) {
		t.Error("nothing is being flushed, and the rows that fill the memory are not either")
	}
	e.generations = []*generation{newGeneration(1)}
	if e.due(true) {
		t.Error("a small generation is frozen although another is being flushed")
	}
}

// TestWritersThatWaitForMemoryAreNotForgotten has a writer that waits for memory which only a flush
// can free. There are two situations. In one, the committer is busy with an edit and another edit
// waits. In the other, the rows to flush have not reached the committer yet. The clock stands
// still, so nothing else gives the writer its memory.
func TestWritersThatWaitForMemoryAreNotForgotten(t *testing.T) {
	const rows = 1000
	batchOf := func(writer string, rows int) []TableRows {
		return []TableRows{{Table: TableName{"d", "main", "t"}, Batches: []arrow.RecordBatch{numbersBatch(writer, 0, rows)}}}
	}
	for name, during := range map[string]func(t *testing.T, e *Engine, wait func(rows int)){
		"edits": func(t *testing.T, e *Engine, wait func(int)) {
			_, err := e.Append(ctx, batchOf("early", rows), AppendOptions{})
			must(t, err)
			busy, goOn := make(chan struct{}), make(chan struct{})
			var edits errgroup.Group
			edits.Go(func() error {
				return e.commit(ctx, func() error {
					close(busy)
					<-goOn
					return nil
				})
			})
			<-busy
			edits.Go(func() error { return e.commit(ctx, func() error { return nil }) })
			eventually(func() bool {
				e.queue.mu.Lock()
				defer e.queue.mu.Unlock()
				return len(e.queue.pending) == 1
			})
			wait(rows / 4) // less than the rows in memory take
			close(goOn)
			must(t, edits.Wait())
		},
		"preparing": func(t *testing.T, e *Engine, wait func(int)) {
			r, err := e.prepare(ctx, batchOf("early", rows), AppendOptions{})
			must(t, err)
			wait(rows * 9 / 10) // more than the request itself returns, which is its frame
			eventually(func() bool { return len(e.queue.wake) == 0 })
			_, err = e.submit(ctx, r)
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Open("/db", Settings{}, Components{Memory: memoryFor(1 << 20), FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
			must(t, err)
			_, err = createNumbers(e, "t")
			must(t, err)
			patience, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			var writer errgroup.Group
			var waiting int
			reservation := e.NewReservation()
			during(t, e, func(rows int) {
				waiting = rows
				_, err := reservation.TryReserve(e.memory.Rows.Limit() - e.memory.Rows.Used())
				must(t, err)
				writer.Go(func() error {
					_, err := e.Append(patience, batchOf("late", rows), AppendOptions{})
					return err
				})
				eventually(e.memory.Rows.Waiting)
				e.queue.signal() // as the writer does next, if it did not yet
			})
			must(t, writer.Wait())
			found, err := readNumbers(e, "t")
			must(t, err)
			if len(found) != rows+waiting {
				t.Errorf("%d rows", len(found))
			}
			must(t, e.Close())
		})
	}
}

// TestDeletingSupersededRowsWaitsForMemoryWithoutASnapshot deduplicates a table, and runs a
// mutation, while a writer waits for the memory of the table's rows. The clock stands still. If one
// of them held a snapshot of these rows while it waits, it would wait for itself.
func TestDeletingSupersededRowsWaitsForMemoryWithoutASnapshot(t *testing.T) {
	e, err := Open("/db", Settings{}, Components{Memory: memoryFor(4 << 20), FS: vfs.NewCrashable(), Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, e.flushing.Acquire(ctx, 1)) // until all wait
	const rows = 20_000
	for range 2 {
		var batch []keyedVersion
		for i := range int64(rows) {
			batch = append(batch, keyedVersion{i, rowVersion{amount: i}})
		}
		must(t, appendMergeOnRead(e, table, batch, AppendOptions{}))
	}
	release, err := e.NewReservation().TryReserve(e.memory.Rows.Limit() - e.memory.Rows.Used() - 256<<10)
	must(t, err)
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := e.DeduplicatedSnapshot(ctx, table.ID)
	must(t, err)
	var others errgroup.Group
	others.Go(func() error {
		err := e.reserve(patience, 512<<10)
		if err == nil {
			e.memory.Rows.Release(512 << 10)
		}
		return err
	})
	waiting := func(n int) { eventually(func() bool { return waiters(e) == n }) }
	waiting(1)
	reservation := e.NewReservation()
	gone := s.Tables[table.ID].Memtables[0].Rowset
	soon, cancelSoon := context.WithTimeout(patience, 2*time.Second)
	defer cancelSoon()
	_, err = e.Mutate(soon, s, Change{Table: table.ID, Deleted: rowsAt(base.RowAddress{Rowset: gone, Ordinal: rows})}, AppendOptions{Reservation: reservation})
	if !errors.Is(err, ErrMemoryBusy) {
		t.Errorf("the change: %v", err)
	}
	reservation.Close()
	s.Release()
	others.Go(func() error { return e.DeleteSuperseded(patience, table.ID) })
	waiting(2)
	e.flushing.Release(1)
	must(t, others.Wait())
	release()
	got, err := readDeduplicated(e, table)
	must(t, err)
	if len(got) != rows {
		t.Errorf("%d rows", len(got))
	}
	must(t, e.Close())
}

// TestAllWritersGetTheirTurnWhenMemoryIsShort has a writer that waits during a flush and needs more
// memory than the flush frees. It must not wait forever.
func TestAllWritersGetTheirTurnWhenMemoryIsShort(t *testing.T) {
	e, err := Open("/db", Settings{}, Components{Memory: memoryFor(1 << 20), FS: vfs.NewCrashable(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	const writers, requests, rows = 8, 5, 10_000
	var group errgroup.Group
	for w := range writers {
		group.Go(func() error {
			for r := range requests {
				if _, err := appendNumbers(e, "t", fmt.Sprintf("w%d", w), r*rows, rows, AppendOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, group.Wait())
	found, err := readNumbers(e, "t")
	must(t, err)
	if len(found) != writers*requests*rows {
		t.Fatalf("%d rows", len(found))
	}
	must(t, e.Close())
}
