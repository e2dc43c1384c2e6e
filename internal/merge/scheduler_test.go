package merge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/vfs"
)

// With one flush a minute for an hour, there are never many parts, with the real engine. Between
// the flushes the clock moves and the scheduler runs as in the background.
func TestPartsOfAnHourStayFew(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	most := 0
	for i := range 60 {
		must(t, d.flushEvents("events", fmt.Sprintf("w%d", i%5), i*10, 10))
		snap, err := d.engine.Snapshot(table.ID)
		must(t, err)
		most = max(most, len(snap.Tables[table.ID].Parts))
		snap.Release()
		d.clock.advance(time.Minute)
		for {
			done, err := d.merges.runRound(ctx, false)
			must(t, err)
			if done == 0 {
				break
			}
		}
	}
	if most > 16 {
		t.Errorf("%d parts at a time", most)
	}
	// Then nothing is added, and the rest becomes one part.
	for range 3 {
		d.clock.advance(5 * time.Minute)
		if _, err := d.merges.runRound(ctx, false); err != nil {
			t.Fatal(err)
		}
	}
	if s := d.mustRead(t, fsys, table.ID); s.parts != 1 || len(s.rows) != 600 {
		t.Errorf("%d parts with %d rows at rest", s.parts, len(s.rows))
	}
	d.mustEnd(t)
}

// A flush wakes the scheduler; Close ends it.
func TestFlushWakesScheduler(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	waiting := newManualClock()
	s := New(d.engine, Settings{}, Components{FS: fsys, Clock: waiting, Logger: quiet})
	<-waiting.waits // it has checked, and found nothing
	for i := range 8 {
		must(t, d.flushEvents("events", "w", i*10, 10))
	}
	for len(s.List()) == 0 || s.List()[0].Finished.IsZero() {
		<-waiting.waits
	}
	s.Close()
	s.Close()
	if s := d.mustRead(t, fsys, table.ID); s.parts != 1 {
		t.Errorf("%d parts", s.parts)
	}
	if err := s.RunUntilIdle(ctx); err == nil {
		t.Error("merges after Close")
	}
	d.mustEnd(t)
}

// While writers wait for memory, a merge pauses for as long as it worked, and then continues.
func TestMergeRestsUnderPressure(t *testing.T) {
	clock := newManualClock()
	fsys := vfs.NewCrashable()
	e, err := engine.Open("/db", engine.Settings{DisableAutomaticFlush: true, MaxWait: time.Hour},
		engine.Components{Memory: ledger.New(ledger.Limits{Rows: 1 << 20}), FS: fsys, Clock: clock, Logger: quiet})
	must(t, err)
	s := New(e, Settings{DisableAutomatic: true}, Components{FS: fsys, Clock: clock, Logger: quiet})
	yield := s.yielder(ctx)
	must(t, yield()) // nobody waits: returns at once

	release, err := e.NewReservation().Reserve(ctx, 1<<20)
	must(t, err)
	reserved := make(chan error)
	go func() {
		release, err := e.NewReservation().Reserve(ctx, 1)
		if err == nil {
			release()
		}
		reserved <- err
	}()
	<-clock.waits // the writer
	clock.advance(100 * time.Millisecond)
	rested := make(chan error)
	go func() { rested <- yield() }()
	<-clock.waits
	select {
	case err := <-rested:
		t.Fatalf("went on at once, error %v", err)
	default:
	}
	clock.advance(100 * time.Millisecond)
	must(t, <-rested)
	release()
	must(t, <-reserved)
	s.Close()
	must(t, e.Close())
}

// While statements change rows, a merge pauses for as long as it worked. It does not pause when
// they stop.
func TestMergeRestsWhileRowsChange(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createItems()
	must(t, err)
	must(t, d.appendItems(table.ID, []int64{1, 2, 3}, 10))
	yield := d.merges.yielder(ctx)
	must(t, yield()) // nothing changed: returns at once
	value := int64(11)
	must(t, d.changeNow(fsys, table.ID, map[int64]*int64{2: &value}))
	d.clock.advance(100 * time.Millisecond)
	rested := make(chan error)
	go func() { rested <- yield() }()
	<-d.clock.waits
	select {
	case err := <-rested:
		t.Fatalf("went on at once, error %v", err)
	default:
	}
	d.clock.advance(100 * time.Millisecond)
	must(t, <-rested)
	d.clock.advance(100 * time.Millisecond)
	must(t, yield()) // nothing has changed since
	d.mustEnd(t)
}

func TestListRemembersTheLastMerges(t *testing.T) {
	fsys := vfs.NewCrashable()
	d := mustOpen(t, fsys)
	table, err := d.createEvents("events", false)
	must(t, err)
	must(t, d.flushEvents("events", "w", 0, 1))
	snap, err := d.engine.Snapshot(table.ID)
	must(t, err)
	view := snap.Tables[table.ID]
	for range keepFinished + 5 {
		j := job{group{table: table.ID}, Plan{Sources: view.Parts, Rows: 1, Bytes: 1}}
		d.clock.advance(time.Second)
		m := d.merges.begin(view, j)
		if list := d.merges.List(); !list[0].Finished.IsZero() {
			t.Fatal("the running merge is not listed first")
		}
		d.merges.end(ctx, m, j.subjects(), nil)
	}
	snap.Release()
	list := d.merges.List()
	latestFirst := slices.IsSortedFunc(list, func(a, b Merge) int { return b.Started.Compare(a.Started) })
	if len(list) != keepFinished || !latestFirst || list[0].Table != "d.main.events" {
		t.Errorf("%d merges, latest first: %v, the first %+v", len(list), latestFirst, list[0])
	}
	d.mustEnd(t)
}
