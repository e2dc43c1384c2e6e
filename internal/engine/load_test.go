package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/errgroup"
)

// openSmall opens an engine in which a load writes parts as soon as it has 128 KiB of rows.
func openSmall(t *testing.T, fsys vfs.FS) *Engine {
	t.Helper()
	e, err := Open("/db", manual, Components{Memory: memoryFor(1 << 20), FS: fsys, Clock: newManualClock(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	return e
}

// addNumbers adds batches of 5,000 rows, of about 60 KB each.
func addNumbers(l *Load, batches int) error {
	for i := range batches {
		rec := numbersBatch("load", i*5000, 5000)
		err := l.Add(ctx, rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func countNumbers(t *testing.T, e *Engine, name string) int {
	t.Helper()
	found, err := readNumbers(e, name)
	must(t, err)
	return len(found)
}

// filesOfParts returns the number of files below parts/.
func filesOfParts(t *testing.T, fsys vfs.FS) int {
	t.Helper()
	n := 0
	folders, err := fsys.List("/db/parts")
	must(t, err)
	for _, folder := range folders {
		files, err := fsys.List("/db/parts/" + folder)
		must(t, err)
		n += len(files)
	}
	return n
}

func TestALoadIsSeenAsAWhole(t *testing.T) {
	for _, batches := range []int{0, 1, 60} { // nothing; a chunk that goes through the log; parts
		t.Run(fmt.Sprint(batches), func(t *testing.T) {
			disk := vfs.NewCrashable()
			e := openSmall(t, disk)
			table, err := createNumbers(e, "t")
			must(t, err)
			l, err := e.Load(ctx, table, LoadOptions{})
			must(t, err)
			must(t, addNumbers(l, batches))
			must(t, l.writers.Wait())
			if n := countNumbers(t, e, "t"); n != 0 {
				t.Fatalf("%d rows are seen before the commit", n)
			}
			if parts := filesOfParts(t, disk); (parts > 1) != (batches == 60) {
				t.Errorf("%d parts before the commit", parts)
			}
			rows, err := l.Commit(ctx, AppendOptions{})
			must(t, err)
			if n := countNumbers(t, e, "t"); rows != int64(batches*5000) || n != batches*5000 {
				t.Errorf("commit says %d rows, there are %d", rows, n)
			}
			after := disk.CrashClone(rand.New(rand.NewPCG(1, 2)), 0)
			mustEnd(t, e)
			e = openSmall(t, after)
			if n := countNumbers(t, e, "t"); n != batches*5000 {
				t.Errorf("%d rows after a crash", n)
			}
			mustEnd(t, e)
		})
	}
}

func TestALoadThatIsGivenUpLeavesNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	e := openSmall(t, disk)
	table, err := createNumbers(e, "t")
	must(t, err)
	l, err := e.Load(ctx, table, LoadOptions{})
	must(t, err)
	must(t, addNumbers(l, 30))
	must(t, l.Abort())
	must(t, l.Abort())
	// A load whose commit is refused because the table changed meanwhile.
	l, err = e.Load(ctx, table, LoadOptions{})
	must(t, err)
	must(t, addNumbers(l, 30))
	_, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
		return now.AddColumns(schema.Column{Name: "new", Type: schema.Of(schema.BigInt)})
	})
	must(t, err)
	_, err = l.Commit(ctx, AppendOptions{})
	wantKind(t, err, base.Conflict)
	if n, files := countNumbers(t, e, "t"), filesOfParts(t, disk); n != 0 || files != 0 {
		t.Errorf("%d rows, %d files", n, files)
	}
	mustEnd(t, e)
}

// TestALoadDoesNotTakeAwayWhatCameMeanwhile loads rows into a table that merges on read, and adds a
// column meanwhile. Without a check, the loaded rows would replace rows that have a value in the
// new column.
func TestALoadDoesNotTakeAwayWhatCameMeanwhile(t *testing.T) {
	for _, rows := range []int64{3, 20000} { // through the log, and as parts
		e := openSmall(t, vfs.NewCrashable())
		table, err := createMergeOnRead(e, "t", false)
		must(t, err)
		l, err := e.Load(ctx, table, LoadOptions{})
		must(t, err)
		var loaded []keyedVersion
		for id := range rows {
			loaded = append(loaded, keyedVersion{id, rowVersion{1, 1}})
		}
		rec := dedupBatch(loaded)
		must(t, l.Add(ctx, rec))
		rec.Release()
		_, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
			return now.AddColumns(schema.Column{Name: "new", Type: schema.Of(schema.BigInt)})
		})
		must(t, err)
		_, err = l.Commit(ctx, AppendOptions{})
		wantKind(t, err, base.Conflict)
		// The first rows do not have the column, and are refused; whole rows are accepted.
		_, err = e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{dedupBatch(loaded[:1])}}}, AppendOptions{})
		if !errors.Is(err, ErrMissingColumn) {
			t.Error(err)
		}
		_, err = e.Append(ctx, []TableRows{{ID: table.ID, WholeRows: true, Batches: []arrow.RecordBatch{dedupBatch(loaded[:1])}}}, AppendOptions{})
		must(t, err)
		mustEnd(t, e)
	}
}

func TestACrashBeforeALoadsCommitLeavesNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	e := openSmall(t, disk)
	table, err := createNumbers(e, "t")
	must(t, err)
	l, err := e.Load(ctx, table, LoadOptions{})
	must(t, err)
	must(t, addNumbers(l, 60))
	must(t, l.writers.Wait())
	after := disk.CrashClone(rand.New(rand.NewPCG(1, 2)), 0)
	must(t, l.Abort())
	mustEnd(t, e)
	e = openSmall(t, after)
	if n, files := countNumbers(t, e, "t"), filesOfParts(t, after); n != 0 || files != 0 {
		t.Errorf("%d rows, %d files", n, files)
	}
	mustEnd(t, e)
}

func TestALoadCreatesAndReplacesItsTable(t *testing.T) {
	disk := vfs.NewCrashable()
	e := openSmall(t, disk)
	must(t, e.CreateDatabase(ctx, "d", true))
	make := func(batches int, o LoadOptions) error {
		named := numbers
		named.Name = "made"
		l, err := e.Load(ctx, named, o)
		must(t, err)
		must(t, addNumbers(l, batches))
		if _, err := e.Lookup("d", "main", "made"); batches == 1 && base.KindOf(err) != base.NotFound {
			t.Errorf("before the commit: %v", err)
		}
		_, err = l.Commit(ctx, AppendOptions{})
		return err
	}
	must(t, make(1, LoadOptions{Create: true}))
	if n := countNumbers(t, e, "made"); n != 5000 {
		t.Errorf("%d rows", n)
	}
	wantKind(t, make(2, LoadOptions{Create: true}), base.Conflict)
	old, err := e.Snapshot()
	must(t, err)
	before, err := e.Lookup("d", "main", "made")
	must(t, err)
	must(t, make(40, LoadOptions{Create: true, Replace: true}))
	if n := countNumbers(t, e, "made"); n != 40*5000 {
		t.Errorf("%d rows", n)
	}
	// A snapshot of the replaced table stays readable.
	rows, err := rowsOf(e, old.Tables[before.ID])
	must(t, err)
	if len(rows) != 5000 {
		t.Errorf("the old snapshot has %d rows", len(rows))
	}
	old.Release()
	mustEnd(t, e)
}

// TestKeysOfLoadsGoWhenTheirTimeIsOver uses loads, because the catalog gets their idempotency keys
// without a flush. A later request with one of these keys fails. After a restart the keys are
// loaded in another order than they were used.
func TestKeysOfLoadsGoWhenTheirTimeIsOver(t *testing.T) {
	clock := newManualClock()
	disk := vfs.NewCrashable()
	e, err := tryOpen(disk, clock)
	must(t, err)
	must(t, e.CreateDatabase(ctx, "d", true))
	load := func(name string) {
		t.Helper()
		_, err := e.RunOnce(ctx, AppendOptions{IdempotencyKey: name}, func(o AppendOptions) (Result, error) {
			named := numbers
			named.Name = name
			l, err := e.Load(ctx, named, LoadOptions{Create: true})
			must(t, err)
			must(t, addNumbers(l, 1))
			rows, err := l.Commit(ctx, o)
			return Result{Counts: Counts{Inserted: rows}}, err
		})
		must(t, err)
	}
	want := func(names ...string) {
		t.Helper()
		state, err := e.catalog.State()
		must(t, err)
		var stored []string
		for _, k := range state.Keys {
			stored = append(stored, k.Key)
		}
		if !slices.Equal(stored, names) || len(e.keys) != len(names) {
			t.Fatalf("keys %v, %d in memory, want %v", stored, len(e.keys), names)
		}
	}
	load("z")
	want("z")
	clock.advance(e.settings.KeyLifetime / 2)
	load("b")
	want("b", "z")
	must(t, e.Close())
	e, err = tryOpen(disk, clock)
	must(t, err)
	clock.advance(e.settings.KeyLifetime / 2)
	load("c")
	want("b", "c")
	clock.advance(e.settings.KeyLifetime)
	_, err = e.RunOnce(ctx, AppendOptions{IdempotencyKey: "b"}, func(AppendOptions) (Result, error) { return Result{}, errClosed })
	wantKind(t, err, base.Unavailable)
	_, err = appendNumbers(e, "z", "w", 0, 1, AppendOptions{})
	must(t, err)
	must(t, e.Flush(ctx))
	want()
	mustEnd(t, e)
}

// TestLoadsDoNotWaitForOneAnother runs several loads whose chunks fill the memory. All of them need
// more memory, for the log or for more rows. The clock stands still, so none of them may give up.
func TestLoadsDoNotWaitForOneAnother(t *testing.T) {
	for what, more := range map[string]int{"to commit": 0, "to add": 4000} {
		e := openSmall(t, vfs.NewCrashable())
		table, err := createNumbers(e, "t")
		must(t, err)
		patience, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		const loads, rows = 8, 8000 // almost a chunk
		add := func(l *Load, from, count int) error {
			rec := numbersBatch("load", from, count)
			defer rec.Release()
			return l.Add(patience, rec)
		}
		all := make([]*Load, loads)
		for i := range all {
			all[i], err = e.Load(ctx, table, LoadOptions{})
			must(t, err)
			must(t, add(all[i], i*rows, rows))
		}
		var others errgroup.Group
		for i, l := range all {
			others.Go(func() error {
				if more > 0 {
					if err := add(l, (loads+i)*rows, more); err != nil {
						return errors.Join(err, l.Abort())
					}
				}
				_, err := l.Commit(patience, AppendOptions{})
				return err
			})
		}
		if err := others.Wait(); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if n := countNumbers(t, e, "t"); n != loads*(rows+more) {
			t.Errorf("%s: %d rows", what, n)
		}
		mustEnd(t, e)
	}
}
