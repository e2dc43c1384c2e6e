package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

func TestMergeKeepsRowsAndOrder(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	for i := range 10 {
		must(t, d.flushEvents("events", fmt.Sprintf("w%d", i%3), i*100, 1+i*7))
	}
	before := d.mustRead(t, fsys, table.ID)
	must(t, d.merges.RunUntilIdle(ctx))
	after := d.mustRead(t, fsys, table.ID)
	if before.parts != 10 || after.parts != 1 || !slices.Equal(before.rows, after.rows) {
		t.Fatalf("before %d parts with %d rows, after %d parts with %d rows", before.parts, len(before.rows), after.parts, len(after.rows))
	}
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	p := snap.Tables[table.ID].Parts[0]
	if p.Level != 1 || p.MinSeq == 0 || p.MaxSeq <= p.MinSeq || p.SchemaVersion != table.Version {
		t.Errorf("part %+v", p)
	}
	snap.Release()
	list := d.merges.List()
	if len(list) != 1 || list[0].Parts != 10 || list[0].Rows != int64(len(after.rows)) || list[0].Finished.IsZero() || list[0].Error != "" {
		t.Errorf("merges %+v", list)
	}
	d.mustEnd(t)
}

func TestMergeStaysWithinPartitions(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", true)
	must(t, err)
	for i := range 12 {
		must(t, d.flushEvents("events", fmt.Sprintf("w%d", i%3), i, 5))
	}
	before := d.mustRead(t, fsys, table.ID)
	must(t, d.merges.RunUntilIdle(ctx))
	if after := d.mustRead(t, fsys, table.ID); after.parts != 3 || !slices.Equal(before.rows, after.rows) {
		t.Fatalf("%d parts", after.parts)
	}
	d.mustEnd(t)
}

// A new sort key and partitioning are applied to older parts.
func TestMergeBringsNewLayoutToOldParts(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	for i := range 6 {
		must(t, d.flushEvents("events", fmt.Sprintf("w%d", i%2), i*10, 10))
	}
	must(t, d.merges.RunUntilIdle(ctx)) // one part with both writers
	must(t, d.flushEvents("events", "w0", 1000, 10))
	before := d.mustRead(t, fsys, table.ID)
	_, err = d.engine.AlterTable(ctx, table.ID, func(t schema.Table) (schema.Table, error) {
		return t.SetPartitioning(schema.PartitionField{Column: 1})
	})
	must(t, err)
	_, err = d.engine.AlterTable(ctx, table.ID, func(t schema.Table) (schema.Table, error) {
		return t.SetSortKey(schema.SortField{Column: 1}, schema.SortField{Column: 2, Descending: true})
	})
	must(t, err)
	must(t, d.merges.RunUntilIdle(ctx))
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	defer snap.Release()
	var partitions []string
	var rows int64
	for _, p := range snap.Tables[table.ID].Parts {
		partitions = append(partitions, p.Partition)
		rows += p.Rows
	}
	slices.Sort(partitions)
	if !slices.Equal(partitions, []string{"writer=w0", "writer=w1"}) || rows != int64(len(before.rows)) {
		t.Fatalf("partitions %v with %d rows", partitions, rows)
	}
	for _, p := range snap.Tables[table.ID].Parts {
		if p.SchemaVersion != snap.Tables[table.ID].Schema.Version {
			t.Errorf("part %d is of schema version %d", p.ID, p.SchemaVersion)
		}
	}
	d.mustEnd(t)
}

// If a part is dropped while it is merged, the merge has no effect.
func TestMergeOfDroppedPartsLeavesNothing(t *testing.T) {
	for name, drop := range map[string]func(*database, schema.Table) error{
		"truncate": func(d *database, table schema.Table) error {
			removed, err := d.engine.Truncate(ctx, table.ID)
			if err == nil {
				removed.Release()
			}
			return err
		},
		"drop": func(d *database, table schema.Table) error { return d.engine.DropTable(ctx, table.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			fsys := vfs.NewCrashable()
			d := mustOpen(t, fsys)
			table, err := d.createEvents("events", false)
			must(t, err)
			for i := range 4 {
				must(t, d.flushEvents("events", "w", i*10, 10))
			}
			snap, err := d.engine.Snapshot(table.ID)
			must(t, err)
			view := snap.Tables[table.ID]
			plan := Pick(view.Parts, nil, Policy{Rest: true})[0]
			dropped := false
			rewrite, err := d.merges.merger.begin(table.ID, plan)
			must(t, err)
			replaced, err := d.merges.merger.execute(ctx, rewrite, plan, func() error {
				if dropped {
					return nil
				}
				dropped = true
				return drop(d, table)
			})
			if err != nil || replaced {
				t.Fatalf("replaced %v, error %v", replaced, err)
			}
			rewrite.Close()
			snap.Release()
			must(t, d.engine.CollectGarbage())
			if files, err := fsys.List(fmt.Sprintf("/db/parts/%d", table.ID)); err != nil && base.KindOf(err) != base.NotFound || len(files) > 0 {
				t.Fatalf("files %v, %v", files, err)
			}
			must(t, d.close())
			d = mustOpen(t, fsys)
			d.mustEnd(t)
		})
	}
}

// A full disk is recorded, and logged once. The parts stay, and merges continue when there is space
// again.
func TestMergeOutlivesFullDisk(t *testing.T) {
	var log bytes.Buffer
	fsys := vfs.NewCrashable()
	d, err := tryOpen(fsys, "/db", slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	var ids []base.TableID
	for _, name := range []string{"one", "two"} {
		table, err := d.createEvents(name, false)
		must(t, err)
		ids = append(ids, table.ID)
		for i := range 8 {
			must(t, d.flushEvents(name, "w", i*10, 10))
		}
	}
	before := d.mustRead(t, fsys, ids[0])
	fsys.SetCapacity(64 << 20)
	for range 5 {
		if done, err := d.merges.runRound(ctx, false); done != 0 || base.KindOf(err) != base.StorageFull {
			t.Fatalf("%d merges, error %v", done, err)
		}
		d.clock.advance(maxBackoff)
	}
	if err := d.merges.RunUntilIdle(ctx); base.KindOf(err) != base.StorageFull {
		t.Fatalf("error %v", err)
	}
	if list := d.merges.List(); !strings.Contains(list[0].Error, "free disk space") || list[0].Finished.IsZero() {
		t.Errorf("merges %+v", list)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d errors in the log:\n%s", n, log.String())
	}
	if now := d.mustRead(t, fsys, ids[0]); now.parts != 8 || !slices.Equal(now.rows, before.rows) {
		t.Fatalf("%d parts", now.parts)
	}
	fsys.SetCapacity(-1)
	if done, err := d.merges.runRound(ctx, false); done != 0 || err != nil {
		t.Fatalf("%d merges before their time, error %v", done, err)
	}
	d.clock.advance(maxBackoff)
	if done, err := d.merges.runRound(ctx, false); done != 2 || err != nil {
		t.Fatalf("%d merges, error %v", done, err)
	}
	if n := strings.Count(log.String(), "merges work again"); n != 1 {
		t.Errorf("log:\n%s", log.String())
	}
	if now := d.mustRead(t, fsys, ids[0]); now.parts != 1 || !slices.Equal(now.rows, before.rows) {
		t.Fatalf("%d parts", now.parts)
	}
	d.mustEnd(t)
}

// TestAPartThatCannotBeReadWaitsAlone lets one of eight parts of a partition fail. The others are
// merged in the meantime, and the failure is logged once.
func TestAPartThatCannotBeReadWaitsAlone(t *testing.T) {
	var log bytes.Buffer
	fsys := vfs.NewCrashable()
	failing := vfs.Failing(fsys, vfs.Never)
	d, err := tryOpen(failing, "/db", quiet)
	must(t, err)
	d.merges.Close()
	d.merges = New(d.engine, Settings{DisableAutomatic: true, MaxPartRows: 40}, Components{FS: failing, Clock: d.clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	table, err := d.createEvents("events", false)
	must(t, err)
	for i := range 8 {
		must(t, d.flushEvents("events", "w", i*10, 10))
	}
	before := d.mustRead(t, fsys, table.ID)
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	bad := d.engine.PartFile(snap.Tables[table.ID].Parts[1]).Path()
	snap.Release()
	failing.SetRule(func(op vfs.Op) error {
		if op.Kind == vfs.OpOpen && op.Path == bad {
			return vfs.ErrInjected
		}
		return nil
	})
	round := func(what string, wantDone int, fails bool, wantParts int) {
		t.Helper()
		done, err := d.merges.runRound(ctx, false)
		if done != wantDone || (err != nil) != fails {
			t.Fatalf("%s: %d merges, error %v", what, done, err)
		}
		if n := d.parts(t, table.ID); n != wantParts {
			t.Fatalf("%s: %d parts", what, n)
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
			t.Fatalf("%s: %d errors in the log:\n%s", what, n, log.String())
		}
	}
	again := func() int { return strings.Count(log.String(), "merges work again") }
	round("two plans, one of the bad part", 1, true, 5)
	round("those beside it", 1, false, 4)
	round("nothing is left to merge", 0, false, 4)
	d.clock.advance(d.merges.settings.Interval)
	round("it is tried again", 0, true, 4)
	round("and not at once", 0, false, 4)
	if again() != 0 {
		t.Errorf("log:\n%s", log.String())
	}
	failing.SetRule(vfs.Never)
	d.clock.advance(d.merges.settings.Interval)
	round("it waits longer", 0, false, 4)
	d.clock.advance(d.merges.settings.Interval)
	round("it can be read again", 1, false, 2)
	if again() != 1 {
		t.Errorf("log:\n%s", log.String())
	}
	if now := d.mustRead(t, fsys, table.ID); !slices.Equal(now.rows, before.rows) {
		t.Errorf("%d rows of %d", len(now.rows), len(before.rows))
	}
	d.mustEnd(t)
}

func TestCanceledMergeLeavesNothing(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	for i := range 4 {
		must(t, d.flushEvents("events", "w", i*10, 10))
	}
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	view := snap.Tables[table.ID]
	canceled, cancel := context.WithCancel(ctx)
	calls := 0
	plan := Pick(view.Parts, nil, Policy{Rest: true})[0]
	rewrite, err := d.merges.merger.begin(table.ID, plan)
	must(t, err)
	_, err = d.merges.merger.execute(canceled, rewrite, plan, func() error {
		if calls++; calls == 2 { // after the first row group
			cancel()
		}
		return canceled.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	rewrite.Close()
	snap.Release()
	if now := d.mustRead(t, fsys, table.ID); now.parts != 4 {
		t.Fatalf("%d parts", now.parts)
	}
	d.mustEnd(t) // finds files that are not listed
}

// under opens a directory and runs work with a file system whose operations fail by a rule from
// then on. It returns the error of work.
func under(t *testing.T, disk vfs.FS, rule vfs.Rule, work func(*database) error) error {
	t.Helper()
	failing := vfs.Failing(disk, vfs.Never)
	d, err := tryOpen(failing, "/db", quiet)
	must(t, err)
	failing.SetRule(rule)
	err = work(d)
	_ = d.close() // fails too if the disk fails
	return err
}

// mergeAll merges until nothing is left to merge.
func mergeAll(d *database) error { return d.merges.RunUntilIdle(ctx) }

// withCrashes runs work on copies of a disk that fails after each number of writes. check gets the
// disk after a power failure, and the error of work.
func withCrashes(t *testing.T, template *vfs.Crashable, work func(*database) error, check func(what string, disk vfs.FS, err error)) {
	t.Helper()
	for k := 0; ; k++ {
		disk := template.CrashClone(rand.New(rand.NewPCG(1, 1)), 100)
		writes := 0
		err := under(t, disk, func(op vfs.Op) error {
			if op.Kind.Writes() {
				if writes++; writes > k {
					return vfs.ErrInjected
				}
			}
			return nil
		}, work)
		for _, percent := range []int{0, 50, 100} {
			what := fmt.Sprintf("crash after %d writes, %d%% of what was not synced, %v", k, percent, err)
			check(what, disk.CrashClone(rand.New(rand.NewPCG(uint64(k), 1)), percent), err)
		}
		if writes <= k {
			must(t, err)
			return
		}
	}
}

// withFailures runs work on copies of a disk. Each operation in turn fails once. check gets the
// disk.
func withFailures(t *testing.T, template *vfs.Crashable, work func(*database) error, check func(what string, disk vfs.FS)) {
	t.Helper()
	for i := 0; ; i++ {
		disk := template.CrashClone(rand.New(rand.NewPCG(1, 1)), 100)
		ops := 0
		err := under(t, disk, func(vfs.Op) error {
			if ops++; ops == i+1 {
				return vfs.ErrInjected
			}
			return nil
		}, work)
		check(fmt.Sprintf("operation %d failed with %v", i, err), disk)
		if ops <= i {
			must(t, err)
			return
		}
	}
}

// prepared returns a file system with parts to merge, and their rows.
func prepared(t *testing.T) (*vfs.Crashable, base.TableID, []string) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	for i := range 4 {
		must(t, d.flushEvents("events", fmt.Sprintf("w%d", i%2), i*10, 10))
	}
	must(t, d.deleteFromParts(table.ID, 3))
	must(t, d.engine.Flush(ctx))            // the catalog has these deletions,
	must(t, d.deleteFromParts(table.ID, 5)) // and the log has these
	rows := d.mustRead(t, fsys, table.ID).rows
	if len(rows) != 32 {
		t.Fatalf("%d rows", len(rows))
	}
	must(t, d.close())
	return fsys, table.ID, rows
}

// reopened checks that a directory has the rows, and that merges still work.
func reopened(t *testing.T, what string, fsys vfs.FS, id base.TableID, rows []string) {
	t.Helper()
	d, err := tryOpen(fsys, "/db", quiet)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for range 2 {
		s, err := d.read(fsys, id)
		if err != nil || !slices.Equal(s.rows, rows) {
			t.Fatalf("%s: %d rows in %d parts, want %d; error %v", what, len(s.rows), s.parts, len(rows), err)
		}
		if err := d.merges.RunUntilIdle(ctx); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	d.mustEnd(t)
}

// Each operation on the file system fails once. The error is returned, and the rows are in the old
// parts or in the new one.
func TestMergeWithFailingOperation(t *testing.T) {
	template, id, rows := prepared(t)
	withFailures(t, template, mergeAll, func(what string, disk vfs.FS) { reopened(t, what, disk, id, rows) })
}

// The power fails after each write. The rows are in the old parts or in the new one.
func TestMergeWithCrash(t *testing.T) {
	template, id, rows := prepared(t)
	withCrashes(t, template, mergeAll, func(what string, disk vfs.FS, _ error) { reopened(t, what, disk, id, rows) })
}
