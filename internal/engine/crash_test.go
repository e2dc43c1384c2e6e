package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// history has the answers that a series of operations received. After a crash, the directory is
// opened again and compared with it.
type history struct {
	mu    sync.Mutex
	acked map[string]int // rows of acknowledged requests, with their numbers
	// unsure has the requests that were not acknowledged. Each is stored wholly or not at all. If
	// it was refused, it is not stored at all.
	unsure   []sent
	streamed int64     // number of acknowledged rows of the source
	bank     []bankOp  // changes of the bank table, in order
	dedup    []dedupOp // operations on the table that merges on read, in order
	failures []error
}

// sent is one append of the workload. It has the rows of one writer from a number on, for one or
// two tables.
type sent struct {
	writer string
	from   int
	count  int
	both   bool
	key    string

	refused bool // whether the error said that the append was not stored
}

// rows returns the rows of the request in the form of readNumbers, each with its table before it.
func (r sent) rows() []string {
	var all []string
	for i := range r.count {
		all = append(all, fmt.Sprintf("one/%s:%d", r.writer, r.from+i))
		if r.both {
			all = append(all, fmt.Sprintf("two/%s:%d", r.writer, r.from+i))
		}
	}
	return all
}

func (r sent) send(e *Engine) error {
	tables := []TableRows{{Table: TableName{"d", "main", "one"}, Batches: []arrow.RecordBatch{numbersBatch(r.writer, r.from, r.count)}}}
	if r.both {
		tables = append(tables, TableRows{Table: TableName{"d", "main", "two"}, Batches: []arrow.RecordBatch{numbersBatch(r.writer, r.from, r.count)}})
	}
	_, err := e.Append(ctx, tables, AppendOptions{IdempotencyKey: r.key, BodyHash: []byte{1}})
	return err
}

func (h *history) record(r sent, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.failures = append(h.failures, err)
		r.refused = base.KindOf(err) != base.Unknown
		h.unsure = append(h.unsure, r)
		return
	}
	for _, row := range r.rows() {
		h.acked[row]++
	}
}

// workload opens a directory, runs a fixed list of operations, and returns their history. Three
// writers append to two tables. In between there are flushes, a schema change that widens a column,
// and the drop of a third table. Like a client it continues after errors.
func workload(fsys vfs.FS) *history {
	h := &history{acked: map[string]int{}}
	note := func(err error) {
		if err != nil {
			h.mu.Lock()
			h.failures = append(h.failures, err)
			h.mu.Unlock()
		}
	}
	e, err := tryOpen(fsys, newManualClock())
	if err != nil {
		note(err)
		return h
	}
	defer func() { note(e.Close()) }()
	for _, name := range []string{"one", "two", "scratch"} {
		_, err := createNumbers(e, name)
		note(err)
	}
	stream, err := createNumbersStream(e)
	note(err)
	for round := range 4 {
		var writers sync.WaitGroup
		writers.Go(func() {
			for range 3 {
				next, err := advanceStream(e, stream)
				note(err)
				if err == nil {
					h.streamed = next
				}
			}
		})
		for w := range 3 {
			writers.Go(func() {
				for i := range 2 {
					r := sent{writer: fmt.Sprintf("w%d", w), from: round*100 + i*10, count: 1 + w*2, both: i == 1}
					if w == 0 {
						r.key = fmt.Sprintf("key-%d-%d", round, i)
					}
					h.record(r, r.send(e))
				}
			})
		}
		writers.Go(func() { h.runBank(e, bankOps(round), note) })
		writers.Go(func() { h.runDedup(e, dedupOps(round), note) })
		writers.Wait()
		switch round {
		case 0:
			_, err := appendNumbers(e, "scratch", "s", 0, 5, AppendOptions{})
			note(err)
			note(e.Flush(ctx))
		case 1:
			if t, err := e.Lookup("d", "main", "one"); err == nil {
				_, err = e.AlterTable(ctx, t.ID, func(t schema.Table) (schema.Table, error) {
					return t.AddColumns(schema.Column{Name: "extra", Type: schema.Of(schema.Double)})
				})
				note(err)
			}
			if t, err := e.Lookup("d", "main", "scratch"); err == nil {
				note(e.DropTable(ctx, t.ID))
			}
		case 2:
			note(e.Flush(ctx))
			note(rewriteBank(e, func() {
				h.runBank(e, []bankOp{{amount: 100, set: []int64{0, 1, 2, 3, 50, 90}, del: []int64{4, 51}, ins: []int64{2000}}}, note)
			}))
			note(e.CollectGarbage())
		}
	}
	return h
}

// verify opens the directory on a disk again, after a crash or failure, and compares it with the
// history.
func (h *history) verify(t *testing.T, fsys vfs.FS, what string) {
	t.Helper()
	e, err := tryOpen(fsys, newManualClock())
	if err != nil {
		t.Fatalf("%s: reopen: %v", what, err)
	}
	found := map[string]int{}
	for _, name := range []string{"one", "two"} {
		rows, err := readNumbers(e, name)
		if err != nil && base.KindOf(err) != base.NotFound {
			t.Fatalf("%s: read: %v", what, err)
		}
		for row, n := range rows {
			found[name+"/"+row] = n
		}
	}
	for row, n := range h.acked {
		if found[row] != n {
			t.Fatalf("%s: acknowledged row %s is there %d times, want %d", what, row, found[row], n)
		}
		delete(found, row)
	}
	for _, r := range h.unsure {
		present := 0
		rows := r.rows()
		for _, row := range rows {
			if found[row] > 1 {
				t.Fatalf("%s: row %s is there %d times", what, row, found[row])
			}
			present += found[row]
			delete(found, row)
		}
		if present != 0 && present != len(rows) {
			t.Fatalf("%s: %d of %d rows of an unacknowledged request are there", what, present, len(rows))
		}
		if r.refused && present > 0 {
			t.Fatalf("%s: a request that was refused is there", what)
		}
		// A retry with the same key has an effect only if the first attempt had none.
		if r.key != "" {
			if _, err := createNumbers(e, "one"); err != nil {
				t.Fatal(err)
			}
			if _, err := createNumbers(e, "two"); err != nil {
				t.Fatal(err)
			}
			must(t, r.send(e))
			name, row, _ := cut(rows[0])
			after, err := readNumbers(e, name)
			must(t, err)
			if after[row] != 1 {
				t.Fatalf("%s: row %s of a repeated request is there %d times", what, row, after[row])
			}
		}
	}
	if len(found) > 0 {
		t.Fatalf("%s: rows that nobody sent: %v", what, found)
	}
	h.verifyStream(t, e, what)
	h.verifyBank(t, e, what)
	h.verifyDedup(t, e, what)
	must(t, e.Flush(ctx))
	must(t, e.CollectGarbage())
	if err := e.Check(ctx); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	must(t, e.Close())
}

// verifyStream compares the rows of a source with its offsets: for every offset before the stored
// one there must be exactly one row.
func (h *history) verifyStream(t *testing.T, e *Engine, what string) {
	t.Helper()
	stream, err := createNumbersStream(e)
	must(t, err)
	if _, err := advanceStream(e, stream); err != nil {
		t.Fatalf("%s: go on with the stream: %v", what, err)
	}
	next, err := streamPosition(e, stream)
	must(t, err)
	if next < h.streamed {
		t.Fatalf("%s: the source is at offset %d, acknowledged were %d", what, next, h.streamed)
	}
	rows, err := readNumbers(e, "streamed")
	must(t, err)
	if int64(len(rows)) != next {
		t.Fatalf("%s: %d rows of the stream, which stands at %d", what, len(rows), next)
	}
	for n := range next {
		if times := rows[fmt.Sprintf("s:%d", n)]; times != 1 {
			t.Fatalf("%s: row %d of the stream is there %d times", what, n, times)
		}
	}
}

func createNumbersStream(e *Engine) (base.SourceID, error) {
	if _, err := createNumbers(e, "streamed"); err != nil {
		return 0, err
	}
	s, err := e.CreateSource(ctx, catalog.Source{Name: catalog.SourceName{Database: "d", Schema: "main", Name: "s"}}, true)
	return s.ID, err
}

// streamPosition returns the next offset of the only partition of the test's source.
func streamPosition(e *Engine, stream base.SourceID) (int64, error) {
	all, err := e.Offsets(stream)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0].Next, nil
}

// advanceStream appends the next rows of the source, from the offset that the engine has stored.
func advanceStream(e *Engine, stream base.SourceID) (next int64, err error) {
	from, err := streamPosition(e, stream)
	if err != nil {
		return 0, err
	}
	const count = 3
	_, err = e.Append(ctx, []TableRows{{Table: TableName{"d", "main", "streamed"}, Batches: []arrow.RecordBatch{numbersBatch("s", int(from), count)}}},
		AppendOptions{Progress: &Progress{Source: stream, Ranges: []OffsetRange{{Topic: "t", TopicID: [16]byte{7}, From: from, Next: from + count}}}})
	return from + count, err
}

func cut(row string) (table, rest string, ok bool) {
	for i := range len(row) {
		if row[i] == '/' {
			return row[:i], row[i+1:], true
		}
	}
	return row, "", false
}

// stride returns the distance between the operations that are tested. Testing every operation takes
// minutes, and must be requested.
func stride() int {
	if os.Getenv("SCOTER_EXHAUSTIVE") != "" {
		return 1
	}
	return 47
}

// TestEveryAcknowledgedRowSurvivesACrashAfterAnyWrite stops the disk before its k-th change, for
// every k. After each it simulates three kinds of power failure.
func TestEveryAcknowledgedRowSurvivesACrashAfterAnyWrite(t *testing.T) {
	counting := vfs.Failing(vfs.NewCrashable(), vfs.Never)
	if h := workload(counting); len(h.failures) > 0 {
		t.Fatalf("without failures: %v", errors.Join(h.failures...))
	}
	step := stride()
	for k := 0; ; k += step {
		disk := vfs.NewCrashable()
		var clones []*vfs.Crashable
		died := false
		var writes atomic.Int64
		rule := func(op vfs.Op) error {
			if op.Kind.Writes() && writes.Add(1) > int64(k) {
				died = true
				return vfs.ErrInjected
			}
			return nil
		}
		h := workload(vfs.Failing(disk, lockedRule(rule)))
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		for _, percent := range []int{0, 50, 100} {
			clones = append(clones, disk.CrashClone(rng, percent))
		}
		for i, clone := range clones {
			h.verify(t, clone, fmt.Sprintf("crash after %d writes, clone %d", k, i))
		}
		if !died {
			t.Logf("%d crash points", k)
			return
		}
	}
}

// lockedRule returns a rule that calls another rule for one operation at a time.
func lockedRule(rule vfs.Rule) vfs.Rule {
	var mu sync.Mutex
	return func(op vfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		return rule(op)
	}
}

// TestEverySingleFailureIsReportedAndLosesNothing makes one operation of any kind fail: the i-th,
// for every i.
func TestEverySingleFailureIsReportedAndLosesNothing(t *testing.T) {
	step := stride()
	for i := 0; ; i += step {
		disk := vfs.NewCrashable()
		var failed *vfs.Op
		n := 0
		rule := func(op vfs.Op) error {
			n++
			if n-1 != i || failed != nil {
				return nil
			}
			failed = &op
			return vfs.ErrInjected
		}
		h := workload(vfs.Failing(disk, lockedRule(rule)))
		if failed == nil {
			t.Logf("%d operations", i)
			return
		}
		what := fmt.Sprintf("operation %d, %s of %s, failed", i, failed.Kind, failed.Path)
		for _, err := range h.failures {
			if base.KindOf(err) == base.Internal || base.KindOf(err) == base.Corrupt {
				t.Fatalf("%s: error of kind %s: %v", what, base.KindOf(err), err)
			}
		}
		h.verify(t, disk, what)
	}
}

// TestACatalogInDoubtLosesNothing makes every sync of the catalog fail from the k-th on, for many
// k. Everything else works. An edit may then be in the file although it was reported as failed.
func TestACatalogInDoubtLosesNothing(t *testing.T) {
	for k := 0; ; k += max(1, stride()/8) {
		disk := vfs.NewCrashable()
		n, failed := 0, false
		rule := func(op vfs.Op) error {
			if !strings.Contains(op.Path, "catalog.db") || op.Kind != vfs.OpSync {
				return nil
			}
			if n++; n <= k {
				return nil
			}
			failed = true
			return vfs.ErrInjected
		}
		h := workload(vfs.Failing(disk, lockedRule(rule)))
		if !failed {
			t.Logf("%d syncs", k)
			return
		}
		h.verify(t, disk.CrashClone(rand.New(rand.NewPCG(1, uint64(k))), 50), fmt.Sprintf("power failure after sync %d failed", k))
		h.verify(t, disk, fmt.Sprintf("restart after sync %d failed", k))
	}
}
