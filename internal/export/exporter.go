package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// exporter is one export of a manager, with its goroutine unless it is paused.
type exporter struct {
	manager    *Manager
	id         base.ExportID
	table      base.TableID
	name       catalog.ExportName
	created    time.Time
	definition Definition
	status     status

	stop func() // guarded by the manager's mu; ends the goroutine, and waits for it; nil while there is none
}

const (
	// An export looks for what is due four times while a change waits, within these bounds: a look at ten thousand parts takes milliseconds.
	shortestLook, longestLook = 20 * time.Millisecond, 5 * time.Second
	// The pauses of one that fails double.
	firstWait, longestWait = 250 * time.Millisecond, 30 * time.Second
	// stateAge is how long partitions are exported one after the other before the state of all is looked at anew.
	stateAge = time.Second
)

// start begins to export. The caller holds the manager's mu.
func (x *exporter) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	planner := x.manager.planner
	go func() {
		defer close(done)
		x.run(ctx, planner)
	}()
	x.stop = func() {
		cancel()
		<-done
	}
}

// run exports until ctx ends or the export is gone.
func (x *exporter) run(ctx context.Context, planner Planner) {
	wait := firstWait
	for ctx.Err() == nil {
		p, err := newPlan(x.definition)
		for err == nil && ctx.Err() == nil {
			var more bool
			if more, err = x.round(ctx, p, planner); err != nil {
				break
			}
			wait = firstWait
			x.status.set(stateRunning)
			if !more {
				sleep(ctx, min(max(p.after/4, shortestLook), longestLook))
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errGone):
			x.manager.forget(x)
			return
		}
		if x.status.waits(err) {
			x.manager.log.Warn("export waits; it tries again", "export", x.name.Name, "error", err)
		}
		sleep(ctx, wait)
		wait = min(2*wait, longestWait)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// errGone says that the export, and maybe its table, was dropped.
var errGone = errors.New("the export is gone")

// state returns the export's table and what it has and is to have of each partition.
func (x *exporter) state() (t schema.Table, all []engine.ExportPartition, err error) {
	if all, err = x.manager.store.ExportState(x.id); err == nil {
		t, err = x.manager.store.Table(x.table)
	}
	if err != nil && base.KindOf(err) == base.NotFound {
		err = errGone
	}
	return t, all, err
}

// round exports what is due and drops what may go. more says that there is more to do now.
func (x *exporter) round(ctx context.Context, p plan, planner Planner) (more bool, err error) {
	t, all, err := x.state()
	if err != nil {
		return false, err
	}
	due, old := x.sort(t, all, p, time.Now())
	if t.MergeOnRead && len(due)+len(old) > 0 {
		// What it deletes would be a change of partitions that are exported now. And rows that hide others may not be dropped.
		if err := x.manager.store.Settle(ctx, t.ID); err != nil {
			return false, err
		}
		if t, all, err = x.state(); err != nil {
			return false, err
		}
		due, old = x.sort(t, all, p, time.Now())
	}
	for began := time.Now(); len(due) > 0 && time.Since(began) < stateAge; due = due[1:] {
		if err := x.write(ctx, p.storage, planner, t, due[0]); err != nil {
			return false, base.Wrap(err, "%s", named(due[0].Partition))
		}
	}
	if len(due) > 0 {
		return true, nil
	}
	for _, part := range old {
		if err := x.drop(ctx, p.storage, *part.Open()); err != nil {
			return false, base.Wrap(err, "%s", named(part.Partition))
		}
	}
	return false, nil
}

func named(partition string) string {
	if partition == "" {
		return "the table"
	}
	return fmt.Sprintf("partition %q", partition)
}

// sort returns the partitions that are to be exported, and those whose rows may go.
func (x *exporter) sort(t schema.Table, all []engine.ExportPartition, p plan, now time.Time) (due, old []engine.ExportPartition) {
	differ := differing(t, all, now)
	since := x.status.see(differ, now)
	for _, part := range differ {
		if now.Sub(since[part.Partition]) >= p.after {
			due = append(due, part)
		}
	}
	for _, part := range all {
		if over, timed := end(t, part.Partition); p.keep > 0 && timed && !over.After(now.Add(-p.keep)) && part.Parts > 0 && part.InStep() {
			old = append(old, part)
		}
	}
	return due, old
}

// differing returns the partitions whose time is over and whose objects are not what they hold.
func differing(t schema.Table, all []engine.ExportPartition, now time.Time) (some []engine.ExportPartition) {
	for _, part := range all {
		if over, timed := end(t, part.Partition); !part.InStep() && (!timed || !over.After(now)) {
			some = append(some, part)
		}
	}
	return some
}

// pathOf returns where an object is.
func pathOf(partition string, generation int64) string {
	return strings.TrimPrefix(fmt.Sprintf("%s/%d.parquet", partition, generation), "/")
}

// selectOf returns an export's query.
func selectOf(t schema.Table, d Definition) Select {
	s := Select{SQL: d.Query, Database: d.Database, Table: t.ID}
	if s.SQL != "" {
		return s
	}
	s.SQL = "SELECT * FROM " + schema.Quote(t.Database) + "." + schema.Quote(t.Schema) + "." + schema.Quote(t.Name)
	var order []string
	for _, f := range t.SortKey {
		direction, nulls := " ASC", " NULLS LAST"
		if f.Descending {
			direction = " DESC"
		}
		if f.NullsFirst {
			nulls = " NULLS FIRST"
		}
		order = append(order, schema.Quote(t.Columns[t.ColumnByID(f.Column)].Name)+direction+nulls)
	}
	if len(order) > 0 {
		s.SQL += " ORDER BY " + strings.Join(order, ", ")
	}
	return s
}

// write makes a partition's object hold what the partition holds.
func (x *exporter) write(ctx context.Context, to storage, planner Planner, t schema.Table, p engine.ExportPartition) error {
	o := catalog.ExportObject{Export: x.id, Partition: p.Partition, Generation: p.Generation, Fingerprint: p.Fingerprint}
	path := pathOf(o.Partition, o.Generation)
	var rows Rows
	if p.Parts > 0 || x.definition.Query != "" {
		s := selectOf(t, x.definition)
		s.Partition = p.Partition
		var err error
		if rows, err = planner.Select(ctx, s); err != nil {
			return err
		}
		defer rows.Close()
	}
	// The object may not have what a crash of the machine takes from the table: that could make it what it was when another object was known for it.
	if err := x.manager.store.Sync(ctx); err != nil {
		return err
	}
	if rows != nil {
		if err := x.send(ctx, to, path, t, rows, &o); err != nil {
			return err
		}
	}
	if o.Rows > 0 {
		if err := x.manager.store.PutExportObject(ctx, o); err != nil {
			return err
		}
		x.status.wrote(o)
		return nil
	}
	// There is nothing to hold. Without a row of the table, nothing needs to be known of that.
	if was := p.Open(); was != nil && was.Bytes > 0 {
		if err := to.remove(ctx, path); err != nil {
			return err
		}
	}
	note := x.manager.store.PutExportObject
	if p.Parts == 0 {
		note = x.manager.store.RemoveExportObject
	}
	if err := note(ctx, o); err != nil {
		return err
	}
	x.status.wrote(o)
	return nil
}

// send streams a result to an object, unless it has no rows.
func (x *exporter) send(ctx context.Context, to storage, path string, t schema.Table, rows Rows, o *catalog.ExportObject) error {
	if x.definition.Query != "" {
		var columns []string
		for _, f := range rows.Schema().Fields() {
			columns = append(columns, f.Name)
		}
		if err := checkColumns(columns, batch.PartitionLevels(t)); err != nil {
			return err
		}
	}
	src := &source{Rows: rows}
	if some, err := src.peek(ctx); err != nil || !some {
		return err
	}
	defer src.release()
	var written encode.Stats
	stored, err := to.put(ctx, path, func(w io.Writer) (err error) {
		written, err = encode.Write(ctx, w, encode.Parquet, src, encode.Options{})
		return err
	})
	if err != nil {
		return err
	}
	if stored.bytes != written.Bytes {
		return base.Errorf(base.Unavailable, "the storage has %d bytes of %s, of which %d were sent", stored.bytes, path, written.Bytes)
	}
	o.Rows, o.Bytes, o.ETag = written.Rows, written.Bytes, stored.etag
	return nil
}

// source is a result whose first batch was looked at.
type source struct {
	Rows
	first arrow.RecordBatch // with rows; nil once it was given away
}

// peek reports whether there is any row.
func (s *source) peek(ctx context.Context) (bool, error) {
	for {
		rec, err := s.Rows.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case rec.NumRows() > 0:
			s.first = rec
			return true, nil
		}
		rec.Release()
	}
}

func (s *source) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if rec := s.first; rec != nil {
		s.first = nil
		return rec, nil
	}
	return s.Rows.Next(ctx)
}

func (s *source) release() {
	if s.first != nil {
		s.first.Release()
	}
}

// drop drops the rows of a partition from the table, if the storage has them for sure.
func (x *exporter) drop(ctx context.Context, from storage, o catalog.ExportObject) error {
	if o.Bytes > 0 {
		path := pathOf(o.Partition, o.Generation)
		there, err := from.stat(ctx, path)
		switch {
		case err != nil && base.KindOf(err) != base.NotFound:
			return err
		case err != nil || there.bytes != o.Bytes || there.etag != o.ETag:
			// Somebody removed or replaced it. It is written again, and then looked at again.
			o.Fingerprint = "lost"
			if err := x.manager.store.PutExportObject(ctx, o); err != nil {
				return err
			}
			return base.Errorf(base.Unavailable, "the storage does not have %s as it was written: it is written again, and the rows stay until it is there", path)
		}
	}
	if err := x.manager.store.DropExported(ctx, o); err != nil {
		return err
	}
	x.status.droppedOne()
	x.manager.log.Info("rows were dropped, which an export has", "export", x.name.Name, "partition", o.Partition, "generation", o.Generation, "rows", o.Rows)
	return nil
}

// report returns what the export is doing; false if it is gone.
func (x *exporter) report() (Status, bool) {
	t, all, err := x.state()
	if err != nil {
		return Status{}, false
	}
	s := Status{ID: x.id, Name: x.name, Table: t.QualifiedName(), Definition: x.definition.Masked(), Created: x.created}
	location := x.definition.location()
	for _, p := range all {
		for _, o := range p.Objects {
			s.Objects = append(s.Objects, Object{o, location + pathOf(o.Partition, o.Generation)})
		}
	}
	x.status.fill(&s, differing(t, all, time.Now()))
	return s, true
}
