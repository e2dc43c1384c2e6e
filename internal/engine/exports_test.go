package engine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

func createExport(e *Engine, table schema.Table, name string) (catalog.Export, error) {
	return e.CreateExport(ctx, catalog.Export{Name: catalog.ExportName{Database: "d", Schema: "main", Name: name}, Table: table.ID, Definition: []byte("{}")}, true)
}

// partitionOf returns the state of the only partition that an export has.
func partitionOf(t testing.TB, e *Engine, id base.ExportID) ExportPartition {
	t.Helper()
	all, err := e.ExportState(id)
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%d partitions: %+v", len(all), all)
	}
	return all[0]
}

// exported records that the partition was exported in its present state.
func exported(t testing.TB, e *Engine, id base.ExportID) catalog.ExportObject {
	t.Helper()
	p := partitionOf(t, e, id)
	o := catalog.ExportObject{Export: id, Partition: p.Partition, Generation: p.Generation, Fingerprint: p.Fingerprint, Rows: 1, Bytes: 10}
	must(t, e.PutExportObject(ctx, o))
	return o
}

func wantInStep(t testing.TB, e *Engine, id base.ExportID, want bool, after string) {
	t.Helper()
	if p := partitionOf(t, e, id); p.UpToDate() != want {
		t.Fatalf("after %s: in step is %t: %+v", after, !want, p)
	}
}

func TestAnObjectIsInStepUntilRowsOfPartsChange(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "accounts")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	x, err := createExport(e, table, "x")
	must(t, err)
	wantInStep(t, e, x.ID, false, "CREATE EXPORT")
	exported(t, e, x.ID)
	wantInStep(t, e, x.ID, true, "the export")
	must(t, appendAccounts(e, table, 10, 10, 1))
	wantInStep(t, e, x.ID, true, "an append")
	must(t, e.Flush(ctx))
	wantInStep(t, e, x.ID, false, "a flush")
	for what, change := range map[string]func(map[int64]account) map[int64]*int64{"an update": set(7, 3), "the same update": set(7, 3), "a deletion": del(4)} {
		exported(t, e, x.ID)
		_, err = update(e, table.ID, nil, change)
		must(t, err)
		wantInStep(t, e, x.ID, false, what)
		must(t, rewriteFirst(e, table, func() {}))
		wantInStep(t, e, x.ID, false, what+" and a merge")
	}
	exported(t, e, x.ID)
	must(t, rewriteFirst(e, table, func() {}))
	wantInStep(t, e, x.ID, true, "a merge")
	must(t, rewriteFirst(e, table, func() {
		_, err := update(e, table.ID, nil, set(8, 5, 15))
		must(t, err)
	}))
	wantInStep(t, e, x.ID, false, "a merge with an update meanwhile")
	_, err = update(e, table.ID, nil, set(9, 6))
	must(t, err)
	exported(t, e, x.ID)
	must(t, rewriteFirst(e, table, func() {}))
	wantInStep(t, e, x.ID, true, "a merge of patched rows")
	mustEnd(t, e)
	e = mustOpen(t, disk)
	wantInStep(t, e, x.ID, true, "a restart")
	_, err = e.AlterTable(ctx, table.ID, func(now schema.Table) (schema.Table, error) {
		return now.AddColumns(schema.Column{Name: "more", Type: schema.Of(schema.BigInt)})
	})
	must(t, err)
	wantInStep(t, e, x.ID, false, "another column")
	must(t, e.ChangeExport(ctx, x.ID, func(c catalog.Export) catalog.Export {
		c.Paused = true
		return c
	}))
	mustEnd(t, e)
	e = mustOpen(t, disk)
	if all := e.Exports(); len(all) != 1 || !all[0].Paused || all[0].Name.Name != "x" {
		t.Fatalf("after a restart: %+v", all)
	}
	must(t, e.DropExport(ctx, x.ID))
	_, err = e.ExportState(x.ID)
	wantKind(t, err, base.NotFound)
	mustEnd(t, e)
}

// TestAnExportedTableKeepsThePathsOfItsPartitions alters an exported table, and exports tables that
// were altered before.
func TestAnExportedTableKeepsThePathsOfItsPartitions(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	must(t, e.CreateDatabase(ctx, "d", true))
	number := schema.Of(schema.Integer)
	def := schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "n", Type: number}, {Name: "at", Type: schema.Of(schema.Timestamp)}, {Name: "writer", Type: schema.Of(schema.Varchar)}},
		PartitionBy: []schema.PartitionField{{Column: 1}, {Column: 2, Transform: schema.Day}}}
	table, err := e.CreateTable(ctx, def, false)
	must(t, err)
	bring := func() {
		t.Helper()
		_, err := appendNumbers(e, "t", "w", 0, 3, AppendOptions{})
		must(t, err)
	}
	alter := func(change func(schema.Table) (schema.Table, error)) error {
		_, err := e.AlterTable(ctx, table.ID, change)
		return err
	}
	widen := func(to schema.Type) func(schema.Table) (schema.Table, error) {
		return func(t schema.Table) (schema.Table, error) { return t.ChangeType("n", to) }
	}
	bring()
	// Paths contain "day".
	must(t, alter(func(t schema.Table) (schema.Table, error) { return t.RenameColumn("at", "moment") }))
	must(t, alter(widen(schema.Of(schema.BigInt))))
	first, err := createExport(e, table, "x")
	must(t, err)
	for what, change := range map[string]func(schema.Table) (schema.Table, error){
		"another name": func(t schema.Table) (schema.Table, error) { return t.RenameColumn("n", "m") },
		"a column of the name": func(t schema.Table) (schema.Table, error) {
			return t.AddColumns(schema.Column{Name: "day", Type: number})
		},
		"another type":           widen(schema.DecimalOf(22, 2)),
		"no partitions any more": func(t schema.Table) (schema.Table, error) { return t.SetPartitioning() },
	} {
		if err := alter(change); base.KindOf(err) != base.Conflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, alter(widen(schema.DecimalOf(20, 0))))
	must(t, e.DropExport(ctx, first.ID))
	must(t, alter(widen(schema.DecimalOf(22, 2))))
	_, err = createExport(e, table, "x") // rows in memory have other paths
	wantKind(t, err, base.Conflict)
	must(t, e.Flush(ctx))
	_, err = createExport(e, table, "x")
	wantKind(t, err, base.Conflict)
	_, err = e.Truncate(ctx, table.ID)
	must(t, err)
	bring()
	_, err = createExport(e, table, "x")
	must(t, err)
	mustEnd(t, e)
}

// TestReadersOfStoredRowsHoldNoMemory holds a snapshot from PartsSnapshot for long, as an export
// does that sends an object for minutes. Writers must not have to wait for its memory.
func TestReadersOfStoredRowsHoldNoMemory(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "accounts")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	must(t, appendAccounts(e, table, 10, 10, 1))
	s, err := e.PartsSnapshot(ctx, table.ID)
	must(t, err)
	if got := s.Tables[table.ID]; len(got.Memtables) != 0 || got.Rows() != 10 {
		t.Fatalf("%d memtables, %d rows", len(got.Memtables), got.Rows())
	}
	must(t, e.Flush(ctx))
	if used := e.memory.Rows.Used(); used != 0 {
		t.Fatalf("%d bytes in use after the flush", used)
	}
	path := e.partPath(table.ID, s.Tables[table.ID].Parts[0].ID)
	must(t, e.DropTable(ctx, table.ID))
	must(t, e.CollectGarbage())
	if _, err := disk.Stat(path); err != nil {
		t.Fatalf("the part went while it is read: %v", err)
	}
	s.Release()
	must(t, e.CollectGarbage())
	if _, err := disk.Stat(path); err == nil {
		t.Fatal("the part stays when nobody reads it")
	}
	mustEnd(t, e)
}

// TestReadersOfStoredRowsOfATableThatMergesOnReadHoldNoMemory holds a snapshot from PartsSnapshot
// for long, of a table that merges on read, in which rows in memory supersede stored ones. Writers
// must not have to wait for its memory.
func TestReadersOfStoredRowsOfATableThatMergesOnReadHoldNoMemory(t *testing.T) {
	e := mustOpen(t, vfs.NewCrashable())
	table, err := createMergeOnRead(e, "t", false)
	must(t, err)
	must(t, appendMergeOnRead(e, table, []keyedVersion{{1, rowVersion{0, 1}}, {2, rowVersion{0, 1}}, {3, rowVersion{0, 1}}}, AppendOptions{}))
	must(t, e.Flush(ctx))
	must(t, appendMergeOnRead(e, table, []keyedVersion{{3, rowVersion{0, 2}}, {4, rowVersion{0, 2}}}, AppendOptions{}))
	s, err := e.PartsSnapshot(ctx, table.ID)
	must(t, err)
	rows, err := deduplicatedRows(e, s.Tables[table.ID])
	must(t, err)
	if _, hidden := rows[3]; len(rows) != 2 || hidden || len(s.Tables[table.ID].Memtables) != 0 {
		t.Errorf("%v", rows)
	}
	must(t, e.Flush(ctx))
	if used := e.memory.Rows.Used(); used != 0 {
		t.Errorf("%d bytes in use after the flush", used)
	}
	s.Release()
	mustEnd(t, e)
}

func TestRowsAreDroppedOnlyIfAllExportsHaveThemAsTheyAre(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "accounts")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	first, err := createExport(e, table, "first")
	must(t, err)
	second, err := createExport(e, table, "second")
	must(t, err)
	o := exported(t, e, first.ID)
	refused := func(why string) {
		t.Helper()
		err := e.DropExported(ctx, o)
		wantKind(t, err, base.Conflict)
		if !strings.Contains(err.Error(), why) {
			t.Fatalf("%v, want %q in it", err, why)
		}
		if n := len(amounts(t, e, table.ID)); n < 9 {
			t.Fatalf("%d rows are left", n)
		}
	}
	refused(`export "second" of the same table has not exported`)
	exported(t, e, second.ID)
	_, err = update(e, table.ID, nil, del(3))
	must(t, err)
	refused("changed since it was exported")
	o = exported(t, e, first.ID)
	refused(`export "second"`)
	exported(t, e, second.ID)
	must(t, appendAccounts(e, table, 100, 2, 5)) // in memory, so not dropped
	// A statement whose snapshot has the dropped rows is ErrChanged.
	s, err := e.Snapshot(table.ID)
	must(t, err)
	must(t, e.DropExported(ctx, o))
	_, err = updateFrom(e, s, table.ID, nil, AppendOptions{}, set(4, 5))
	if !errors.Is(err, ErrChanged) {
		t.Fatalf("an update of dropped rows: %v", err)
	}
	if n := len(s.Tables[table.ID].Parts); n != 1 {
		t.Fatalf("the old snapshot has %d parts", n)
	}
	s.Release()
	wantAmounts(t, e, table.ID, map[int64]int64{100: 5, 101: 5})
	err = e.PutExportObject(ctx, o)
	wantKind(t, err, base.Conflict)
	wantKind(t, e.DropTable(ctx, table.ID), base.Conflict)
	for range 2 {
		must(t, e.Flush(ctx))
		for _, id := range []base.ExportID{first.ID, second.ID} {
			if p := partitionOf(t, e, id); p.Generation != 2 || p.UpToDate() || len(p.Objects) != 1 || !p.Objects[0].Closed {
				t.Fatalf("the rows that came later: %+v", p)
			}
		}
		mustEnd(t, e)
		e = mustOpen(t, disk)
	}
	o = exported(t, e, first.ID)
	if _, err := truncate(e, table.ID); err != nil {
		t.Fatal(err)
	}
	wantInStep(t, e, first.ID, false, "TRUNCATE")
	must(t, e.RemoveExportObject(ctx, o))
	wantInStep(t, e, first.ID, true, "the removal")
	must(t, e.DropSchema(ctx, "d", "main", true))
	if n := len(e.Exports()); n != 0 {
		t.Fatalf("%d exports are left without their table", n)
	}
	mustEnd(t, e)
}

// TestACrashLeavesRowsInTheTableOrInAClosedObject makes the disk fail at every write, and then
// simulates a crash.
func TestACrashLeavesRowsInTheTableOrInAClosedObject(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.Where(vfs.WritesOnly, vfs.FromIndex(k)))
		done := false
		if e, err := tryOpen(failing, newManualClock()); err == nil {
			err = exportAndDrop(e)
			done = err == nil
			_ = e.Close() // the disk fails
		}
		e := mustOpen(t, disk.CrashClone(random, 50))
		for _, x := range e.Exports() { // created when the rows exist
			rows, closed := len(amounts(t, e, x.Table)), false
			all, err := e.ExportState(x.ID)
			must(t, err)
			for _, p := range all {
				closed = closed || len(p.Objects) == 1 && p.Objects[0].Closed
			}
			if closed != (rows == 0) || !closed && rows != 10 || done && !closed {
				t.Fatalf("failing write %d: %d rows, closed %t", k, rows, closed)
			}
		}
		mustEnd(t, e)
		if done {
			return
		}
	}
}

func exportAndDrop(e *Engine) error {
	table, err := createAccounts(e, "accounts")
	if err != nil {
		return err
	}
	if err := appendAccounts(e, table, 0, 10, 1); err != nil {
		return err
	}
	if err := e.Flush(ctx); err != nil {
		return err
	}
	if _, err := update(e, table.ID, nil, set(7, 3)); err != nil {
		return err
	}
	x, err := createExport(e, table, "x")
	if err != nil {
		return err
	}
	all, err := e.ExportState(x.ID)
	if err != nil {
		return err
	}
	o := catalog.ExportObject{Export: x.ID, Generation: 1, Fingerprint: all[0].Fingerprint, Rows: 10, Bytes: 1}
	if err := e.PutExportObject(ctx, o); err != nil {
		return err
	}
	return e.DropExported(ctx, o)
}

// TestObjectsStayInStepOverARestart exports a part with updated and deleted rows, and opens the
// directory again three times: before the changes are flushed, after they are flushed, and after
// enough flushes that patches are joined.
func TestObjectsStayInStepOverARestart(t *testing.T) {
	for what, flushes := range map[string]int{"not flushed": 0, "flushed": 1, "joined": maxPatches + 2} {
		disk := vfs.NewCrashable()
		e := mustOpen(t, disk)
		table, err := createAccounts(e, "accounts")
		must(t, err)
		must(t, appendAccounts(e, table, 0, 100, 1))
		must(t, e.Flush(ctx))
		x, err := createExport(e, table, "x")
		must(t, err)
		for i := range int64(max(flushes, 1)) {
			_, err = update(e, table.ID, nil, set(i+2, 1))
			must(t, err)
			_, err = update(e, table.ID, nil, del(50+i))
			must(t, err)
			if flushes > 0 {
				must(t, e.Flush(ctx))
			}
		}
		exported(t, e, x.ID)
		must(t, e.Close())
		e = mustOpen(t, disk)
		wantInStep(t, e, x.ID, true, "a restart, "+what)
		mustEnd(t, e)
	}
}

// TestExportsOfARestoredBackupArePausedOnce checks that the exports of a restored backup are
// paused, and their objects are unverified until the storage was asked. Merges do not change that.
func TestExportsOfARestoredBackupArePausedOnce(t *testing.T) {
	disk := vfs.NewCrashable()
	e := mustOpen(t, disk)
	table, err := createAccounts(e, "accounts")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	x, err := createExport(e, table, "x")
	must(t, err)
	exported(t, e, x.ID)
	fork := func() {
		t.Helper()
		must(t, e.ForkExports(ctx, func(definition []byte) ([]byte, error) { return append(definition, '!'), nil }))
	}
	fork() // nothing was restored
	if got := e.Exports()[0]; got.Paused || string(got.Definition) != "{}" {
		t.Fatalf("%+v", got)
	}
	f, err := disk.Create(e.Dir() + "/" + RestoredName)
	must(t, err)
	must(t, f.Close())
	mustEnd(t, e)
	e = mustOpen(t, disk)
	for range 2 {
		fork()
		if got := e.Exports()[0]; !got.Paused || string(got.Definition) != "{}!" {
			t.Fatalf("%+v", got)
		}
		wantInStep(t, e, x.ID, false, "a restore")
		must(t, rewriteFirst(e, table, func() {}))
		mustEnd(t, e)
		e = mustOpen(t, disk)
	}
	p := partitionOf(t, e, x.ID)
	o := *p.Open()
	wantKind(t, e.DropExported(ctx, o), base.Conflict)
	must(t, e.MarkExportObject(ctx, o, strings.TrimPrefix(o.Fingerprint, Unverified)))
	wantInStep(t, e, x.ID, true, "the storage was asked")
	must(t, e.MarkExportObject(ctx, o, Lost)) // the object in the storage differs
	wantInStep(t, e, x.ID, true, "what was known before")
	mustEnd(t, e)
}

// TestAnObjectThatIsLostKeepsItsTime checks the time of export that is recorded for an object. An
// object that is about to be written has none. A lost object has the time at which it was written.
func TestAnObjectThatIsLostKeepsItsTime(t *testing.T) {
	clock := newManualClock()
	e, err := tryOpen(vfs.NewCrashable(), clock)
	must(t, err)
	table, err := createAccounts(e, "accounts")
	must(t, err)
	must(t, appendAccounts(e, table, 0, 10, 1))
	must(t, e.Flush(ctx))
	x, err := createExport(e, table, "x")
	must(t, err)
	p := partitionOf(t, e, x.ID)
	o := catalog.ExportObject{Export: x.ID, Partition: p.Partition, Generation: 1, Fingerprint: Claimed}
	must(t, e.PutExportObject(ctx, o))
	if got := e.ExportObjects(table.ID, p.Partition); len(got) != 1 || !got[0].Exported.IsZero() {
		t.Fatalf("before it is written: %+v", got)
	}
	o.Fingerprint, o.Rows, o.Bytes = p.Fingerprint, 10, 100
	must(t, e.PutExportObject(ctx, o))
	written := clock.Now()
	clock.advance(time.Hour)
	must(t, e.MarkExportObject(ctx, o, Lost))
	if got := e.ExportObjects(table.ID, p.Partition); len(got) != 1 || !got[0].Exported.Equal(written) || got[0].Fingerprint != Lost || got[0].Rows != 10 {
		t.Fatalf("%+v, want it of %s", got, written)
	}
	mustEnd(t, e)
}
