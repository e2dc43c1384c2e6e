package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
)

func TestWritersWaitForMemoryAndThenGiveUp(t *testing.T) {
	disk, clock := newSlowDisk(), newManualClock()
	const limit = 1 << 20
	settings := manual
	settings.MaxWait = 5 * time.Second
	e, err := Open("/db", settings, Components{Memory: memoryFor(limit), FS: disk, Clock: clock, Logger: quiet, PoisonMemory: true})
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	disk.hold()
	// A batch takes about 300 KB, for its rows and its frame. Three batches fit into the memory,
	// and the others must wait.
	const writers, rows = 12, 10_000
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			_, err := appendNumbers(e, "t", fmt.Sprintf("w%d", w), 0, rows, AppendOptions{})
			errs <- err
		}()
	}
	disk.waitUntilHeld()
	waiting := 0
	eventually(func() bool {
		used := e.memory.Rows.Used()
		if used > limit {
			t.Fatalf("%d bytes in use, the limit is %d", used, limit)
		}
		waiting = waiters(e)
		return waiting >= writers-4 && used > limit/2
	})
	// A caller that gives up leaves the queue.
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := e.NewReservation().Reserve(short, limit/2); base.KindOf(err) != base.Canceled {
		t.Fatalf("error %v", err)
	}
	refused := 0
	for refused == 0 {
		clock.advance(5 * time.Second)
		select {
		case err := <-errs:
			wantKind(t, err, base.Unavailable)
			refused++
		default:
		}
	}
	disk.letGo()
	acked := 0
	for range writers - refused {
		clock.advance(5 * time.Second)
		if err := <-errs; err == nil {
			acked++
		} else {
			wantKind(t, err, base.Unavailable)
		}
	}
	found, err := readNumbers(e, "t")
	must(t, err)
	if acked == 0 || len(found) != acked*rows {
		t.Fatalf("%d requests acknowledged, %d rows found", acked, len(found))
	}
	must(t, e.Flush(ctx))
	if used := e.memory.Rows.Used(); used != 0 {
		t.Fatalf("%d bytes in use after the flush", used)
	}
	_, err = appendNumbers(e, "t", "late", 0, rows, AppendOptions{})
	must(t, err)
	_, err = appendNumbers(e, "t", "giant", 0, 100_000, AppendOptions{})
	wantKind(t, err, base.TooLarge)
	mustEnd(t, e)
}

// TestAStatementWaitsForMemoryWithoutItsSnapshot checks that a statement releases its snapshot
// before it waits for memory. A snapshot keeps the memory of flushed rows, so the statement would
// otherwise wait for itself.
func TestAStatementWaitsForMemoryWithoutItsSnapshot(t *testing.T) {
	settings := manual
	settings.DisableAutomaticFlush = false
	const limit = 1 << 20
	e, err := Open("/db", settings, Components{Memory: memoryFor(limit), FS: vfs.NewCrashable(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	table, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 10_000, AppendOptions{})
	must(t, err)
	s, err := e.Snapshot(table.ID)
	must(t, err)
	reservation := e.NewReservation()
	first, err := reservation.TryReserve(1 << 10)
	must(t, err)
	must(t, e.Flush(ctx))
	bytes := limit - e.memory.Rows.Used() + 1
	if _, err := reservation.TryReserve(bytes); !errors.Is(err, ErrMemoryBusy) {
		t.Fatalf("more than there is while a snapshot keeps the rest: %v", err)
	}
	// The statement now releases everything, waits, and runs again.
	first()
	s.Release()
	must(t, reservation.WaitForMore(ctx))
	for range 2 {
		release, err := reservation.TryReserve(bytes / 2)
		must(t, err)
		defer release()
	}
	if _, err := reservation.TryReserve(limit + 1<<20); base.KindOf(err) != base.TooLarge {
		t.Fatalf("more than there ever is: %v", err)
	}
	reservation.Close()
	if used := e.memory.Rows.Used(); used != bytes/2*2 {
		t.Fatalf("%d bytes in use, %d are taken", used, bytes/2*2)
	}
}

func TestAStatementThatNeedsNearlyAllMemoryHasItSoon(t *testing.T) {
	e, err := Open("/db", manual, Components{Memory: memoryFor(256 << 20), FS: vfs.NewCrashable(), Logger: quiet, PoisonMemory: true})
	must(t, err)
	reservation := e.NewReservation()
	defer reservation.Close()
	attempts := 0
	for reservation.unused < e.memory.Rows.Limit()*95/100 {
		if attempts++; attempts > 10 {
			t.Fatalf("%d bytes after %d attempts", reservation.unused, attempts)
		}
		reservation.wanted = reservation.unused + 16<<10 // as if the next rows did not fit
		must(t, reservation.WaitForMore(ctx))
	}
}

func TestAFullDiskIsReportedAndRecoveredFrom(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	_, err := createNumbers(e, "t")
	must(t, err)
	h := &history{acked: map[string]int{}}
	const rows = 200
	writer := strings.Repeat("w", 1000)
	write := func(from int) error {
		_, err := appendNumbers(e, "t", writer, from, rows, AppendOptions{})
		if err == nil {
			for i := range rows {
				h.acked[fmt.Sprintf("%s:%d", writer, from+i)]++
			}
		}
		return err
	}
	must(t, write(0))
	disk.SetCapacity(200 << 10)
	full := 0
	for i := 1; full < 3; i++ {
		if err := write(i * rows); err != nil {
			wantKind(t, err, base.StorageFull)
			full++
		}
	}
	// Neither a flush nor DDL succeeds, and neither damages anything.
	wantKind(t, e.Flush(ctx), base.StorageFull)
	if _, err := createNumbers(e, "other"); err != nil {
		wantKind(t, err, base.StorageFull)
	}
	disk.SetCapacity(-1)
	must(t, write(100_000_000))
	must(t, e.Flush(ctx))
	must(t, write(200_000_000))
	for range 2 {
		found, err := readNumbers(e, "t")
		must(t, err)
		if len(found) != len(h.acked) {
			t.Fatalf("%d rows, want the %d acknowledged", len(found), len(h.acked))
		}
		for row := range h.acked {
			if found[row] != 1 {
				t.Fatalf("row %s is there %d times, %d rows, %d acked\n%s", row, found[row], len(found), len(h.acked), e.DebugString())
			}
		}
		mustEnd(t, e)
		e = mustOpen(t, disk)
	}
	mustEnd(t, e)
}

func TestWritersLearnWhyMemoryDoesNotBecomeFree(t *testing.T) {
	disk, clock := vfs.NewCrashable(), newManualClock()
	failing := vfs.Failing(disk, func(op vfs.Op) error {
		if op.Kind.Writes() && strings.Contains(op.Path, "/parts/") {
			return vfs.ErrNoSpace
		}
		return nil
	})
	e, err := Open("/db", Settings{FlushBytes: 200 << 10}, Components{Memory: memoryFor(1 << 20), FS: failing, Clock: clock, Logger: quiet})
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	acked := 0
	for err = error(nil); err == nil; {
		result := make(chan error, 1)
		go func() {
			_, err := appendNumbers(e, "t", "w", acked*1000, 1000, AppendOptions{})
			result <- err
		}()
		eventually(func() bool {
			select {
			case err = <-result:
				return true
			default:
				if e.Status().FlushFailing != nil {
					clock.advance(e.settings.MaxWait)
				}
				return false
			}
		})
		if err == nil {
			acked++
		}
	}
	wantKind(t, err, base.StorageFull)
	failing.SetRule(vfs.Never)
	// The flusher tries again by itself, and writers continue.
	eventually(func() bool {
		clock.advance(flushRetry)
		return e.Status().Generations == 0 && e.Status().FlushFailing == nil
	})
	_, err = appendNumbers(e, "t", "w", acked*1000, 1000, AppendOptions{})
	must(t, err)
	found, err := readNumbers(e, "t")
	must(t, err)
	if len(found) != (acked+1)*1000 {
		t.Fatalf("%d rows, want %d", len(found), (acked+1)*1000)
	}
	must(t, e.Flush(ctx))
	mustEnd(t, e)
}

// logSyncsFail makes every sync of the log fail.
var logSyncsFail = vfs.Where(func(op vfs.Op) bool { return strings.HasSuffix(op.Path, ".wal") }, vfs.OnKind(vfs.OpSync, nil))

func TestAFailedSyncStopsAllWritesUntilRestart(t *testing.T) {
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	e := mustOpen(t, failing)
	table, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
	must(t, err)
	failing.SetRule(logSyncsFail)
	_, err = appendNumbers(e, "t", "w", 10, 10, AppendOptions{})
	wantKind(t, err, base.Unknown)
	failing.SetRule(vfs.Never)
	for what, write := range map[string]func() error{
		"append":   func() error { _, err := appendNumbers(e, "t", "w", 20, 10, AppendOptions{}); return err },
		"create":   func() error { _, err := createNumbers(e, "other"); return err },
		"truncate": func() error { _, err := truncate(e, table.ID); return err },
		"flush":    func() error { return e.Flush(ctx) },
	} {
		if err := write(); base.KindOf(err) != base.Unavailable || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("%s after a failed sync: %v", what, err)
		}
	}
	found, err := readNumbers(e, "t")
	must(t, err)
	if len(found) != 10 {
		t.Fatalf("%d rows visible, want the 10 acknowledged", len(found))
	}
	if err := e.Close(); err == nil {
		t.Error("closing a broken log reports nothing")
	}
	e = mustOpen(t, disk)
	found, err = readNumbers(e, "t")
	must(t, err)
	if len(found) != 10 && len(found) != 20 {
		t.Fatalf("%d rows, want the 10 acknowledged, and of the other request all or none", len(found))
	}
	mustEnd(t, e)
}

// TestAFlushThatAFailedSyncOvertakesChangesNothing makes the sync of a change fail, while a flush
// writes the memtable that has one of the changed rows. After a restart the change may be found in
// the log, with its original row addresses. So these rowsets must still exist.
func TestAFlushThatAFailedSyncOvertakesChangesNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	failing := vfs.Failing(disk, vfs.Never)
	e := mustOpen(t, failing)
	table, err := createAccounts(e, "t")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 3, 10))
	must(t, e.Flush(ctx))
	must(t, appendAccounts(e, table, 3, 3, 10))
	writing, goOn := make(chan struct{}), make(chan struct{})
	failing.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpCreate && strings.Contains(op.Path, "/parts/") {
			close(writing)
			<-goOn
		}
		return nil
	})
	flushed := make(chan error)
	go func() { flushed <- e.Flush(ctx) }()
	<-writing
	failing.SetRule(logSyncsFail)
	_, err = update(e, table.ID, nil, del(1, 4))
	wantKind(t, err, base.Unknown)
	close(goOn)
	wantKind(t, <-flushed, base.Unavailable)
	failing.SetRule(vfs.Never)
	wantKind(t, e.Flush(ctx), base.Unavailable)
	wantAmounts(t, e, table.ID, map[int64]int64{0: 10, 1: 10, 2: 10, 3: 10, 4: 10, 5: 10})
	if err := e.Close(); err == nil {
		t.Error("closing a broken log reports nothing")
	}
	e = mustOpen(t, disk)
	// This disk kept what its failed sync wrote.
	wantAmounts(t, e, table.ID, map[int64]int64{0: 10, 2: 10, 3: 10, 5: 10})
	mustEnd(t, e)
}

func TestAsynchronousRowsAreSyncedByTheClock(t *testing.T) {
	disk, clock := vfs.NewCrashable(), newManualClock()
	e, err := tryOpen(disk, clock)
	must(t, err)
	_, err = createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{Async: true})
	must(t, err)
	rowsAfterCrash := func() int {
		e := mustOpen(t, disk.CrashClone(rand.New(rand.NewPCG(1, 1)), 0))
		found, err := readNumbers(e, "t")
		must(t, err)
		mustEnd(t, e)
		return len(found)
	}
	if n := rowsAfterCrash(); n != 0 {
		t.Fatalf("%d rows durable before any sync", n)
	}
	clock.waitForTimer(e.settings.SyncInterval)
	clock.advance(e.settings.SyncInterval)
	eventually(func() bool { return rowsAfterCrash() == 10 })
	mustEnd(t, e)
}

func TestRowsBecomePartsByTheirAge(t *testing.T) {
	clock := newManualClock()
	var full atomic.Bool // there is no space for a new log segment
	disk := vfs.Failing(vfs.NewCrashable(), func(op vfs.Op) error {
		if full.Load() && op.Kind.Writes() && strings.Contains(op.Path, "/wal") {
			return vfs.ErrNoSpace
		}
		return nil
	})
	e, err := Open("/db", Settings{}, Components{FS: disk, Clock: clock, Logger: quiet, PoisonMemory: true})
	must(t, err)
	table, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
	must(t, err)
	full.Store(true)
	clock.waitForTimer(e.settings.FlushAge)
	clock.advance(e.settings.FlushAge)
	eventually(func() bool { return e.Status().FlushFailing != nil })
	full.Store(false)
	clock.waitForTimer(e.settings.FlushAge) // it tries again
	clock.advance(e.settings.FlushAge)
	eventually(func() bool {
		s, err := e.Snapshot(table.ID)
		must(t, err)
		defer s.Release()
		return len(s.Tables[table.ID].Parts) == 1 && len(s.Tables[table.ID].Memtables) == 0
	})
	mustEnd(t, e)
}

func TestAClosedEngineRefusesWithoutHanging(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createNumbers(e, "t")
	must(t, err)
	must(t, e.Close())
	must(t, e.Close())
	_, snapshotErr := e.Snapshot(table.ID)
	_, appendErr := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{numbersBatch("w", 0, 1)}}}, AppendOptions{})
	_, namedErr := appendNumbers(e, "t", "w", 0, 1, AppendOptions{})
	_, missingErr := e.LookupView("d", "main", "t")
	_, createErr := createNumbers(e, "u")
	_, lookupErr := e.Lookup("d", "main", "t")
	_, tableErr := e.Table(table.ID)
	for what, err := range map[string]error{"snapshot": snapshotErr, "append": appendErr, "append by name": namedErr, "create": createErr, "flush": e.Flush(ctx),
		"check": e.Check(ctx), "look-up": lookupErr, "look-up of a view": missingErr, "table": tableErr} {
		if err == nil || base.KindOf(err) != base.Unavailable {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}

// TestAFlushWaitsForNoLaterRows checks that a flush does not wait for later rows, and ends with its
// context.
func TestAFlushWaitsForNoLaterRows(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	_, err := createNumbers(e, "t")
	must(t, err)
	for range 3 {
		_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
		must(t, err)
		must(t, e.commit(ctx, e.freeze))
	}
	must(t, e.flushFrozen(ctx, e.generations[1].segment))
	if n := e.Status().Generations; n != 1 {
		t.Errorf("%d generations are left", n)
	}
	must(t, e.flushing.Acquire(ctx, 1))
	_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
	must(t, err)
	waiting, cancel := context.WithCancel(ctx)
	flushed := make(chan error, 1)
	go func() { flushed <- e.Flush(waiting) }()
	eventually(func() bool { return e.Status().Generations == 2 })
	cancel()
	if err := <-flushed; !errors.Is(err, context.Canceled) {
		t.Errorf("flush: %v", err)
	}
	e.flushing.Release(1)
	must(t, e.Flush(ctx))
	if n := e.Status().Generations; n != 0 {
		t.Errorf("%d generations are left", n)
	}
	mustEnd(t, e)
}

// TestAFlushThatCloseOvertakesWritesNothing has a flush wait for another one while the engine is
// closed.
func TestAFlushThatCloseOvertakesWritesNothing(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	_, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
	must(t, err)
	must(t, e.flushing.Acquire(ctx, 1))
	flushed, closed := make(chan error, 1), make(chan error, 1)
	go func() { flushed <- e.Flush(ctx) }()
	eventually(func() bool { return e.Status().Generations == 1 })
	go func() { closed <- e.Close() }()
	<-e.closing
	e.flushing.Release(1)
	if err := <-flushed; !errors.Is(err, errClosed) {
		t.Errorf("flush: %v", err)
	}
	must(t, <-closed)
	if n := filesOfParts(t, disk); n != 0 {
		t.Errorf("%d files of parts", n)
	}
	e = mustOpen(t, disk)
	if n := countNumbers(t, e, "t"); n != 10 {
		t.Errorf("%d rows", n)
	}
	mustEnd(t, e)
}

func TestOneDirectoryIsOpenOnce(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	_, err := tryOpen(disk, newManualClock())
	wantKind(t, err, base.Conflict)
	mustEnd(t, e)
	mustEnd(t, mustOpen(t, disk))
}

func TestDamageIsFoundByCheck(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createNumbers(e, "t")
	must(t, err)
	_, err = appendNumbers(e, "t", "w", 0, 1000, AppendOptions{})
	must(t, err)
	must(t, e.Flush(ctx))
	must(t, e.Check(ctx))
	s, err := e.Snapshot(table.ID)
	must(t, err)
	path := e.partPath(table.ID, s.Tables[table.ID].Parts[0].ID)
	s.Release()
	f, err := disk.OpenReadWrite(path)
	must(t, err)
	_, err = f.WriteAt([]byte{0xff, 0, 0xff}, 100)
	must(t, errors.Join(err, f.Close()))
	wantKind(t, e.Check(ctx), base.Corrupt)
	stray, err := disk.Create(path + "x")
	must(t, errors.Join(err, stray.Close()))
	if err := e.Check(ctx); !strings.Contains(err.Error(), path+"x") {
		t.Fatalf("check: %v", err)
	}
	// An unreadable catalog does not hide other damage.
	for range 2 {
		_, err = appendNumbers(e, "t", "w", 0, 10, AppendOptions{})
		must(t, err)
	}
	f, err = disk.OpenReadWrite(wal.SegmentPath(e.walDir(), e.wal.ID()))
	must(t, err)
	_, err = f.WriteAt([]byte{0xff, 0, 0xff}, 200) // in the first of the two
	must(t, errors.Join(err, f.Close()))
	must(t, e.catalog.Close())
	text := e.Check(ctx).Error()
	for _, found := range []string{path + "x", ".wal", "it is closed"} {
		if strings.Count(text, found) != 1 {
			t.Errorf("check: %q is to be said once: %s", found, text)
		}
	}
	_ = e.Close() // the catalog is closed already
}

// TestTextsThatRepeatAreFlushedWithOthers flushes 3 GB of one repeated text, which takes 40 KB as a
// dictionary. In between there is a row that was appended on its own.
func TestTextsThatRepeatAreFlushedWithOthers(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	must(t, e.CreateDatabase(ctx, "d", true))
	table, err := e.CreateTable(ctx, schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{
		{Name: "id", Type: schema.Of(schema.BigInt)}, {Name: "text", Type: schema.Of(schema.Varchar)}}, SortKey: []schema.SortField{{Column: 1}}}, true)
	must(t, err)
	const rows = 80_000
	add := func(text arrow.Array, id func(i int64) int64) {
		t.Helper()
		ids := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range int64(text.Len()) {
			ids.Append(id(i))
		}
		fields := []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: text.DataType()}}
		rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{ids.NewArray(), text}, int64(text.Len()))
		_, err := e.Append(ctx, []TableRows{{ID: table.ID, Batches: []arrow.RecordBatch{rec}}}, AppendOptions{})
		must(t, err)
	}
	values := array.NewStringBuilder(memory.DefaultAllocator)
	values.Append(strings.Repeat("long", 10_000))
	codes := array.NewUint32Builder(memory.DefaultAllocator)
	codes.AppendValues(make([]uint32, rows), nil)
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	add(array.NewDictionaryArray(dictionary, codes.NewArray(), values.NewArray()), func(i int64) int64 { return rows - i })
	values.Append("alone")
	add(values.NewArray(), func(int64) int64 { return rows / 2 })
	must(t, e.Flush(ctx))
	s, err := e.Snapshot(table.ID)
	must(t, err)
	if parts := s.Tables[table.ID].Parts; len(parts) != 1 || parts[0].Rows != rows+1 || parts[0].Bytes > 10<<20 {
		t.Errorf("parts %v", parts)
	}
	s.Release()
	mustEnd(t, e)
}
