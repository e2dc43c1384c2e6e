package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
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
	manager *Manager
	id      base.ExportID
	table   base.TableID
	name    catalog.ExportName
	created time.Time
	status  status

	changing sync.Mutex // held by what pauses, resumes or drops it
	failures failures   // of the goroutine

	// Guarded by the manager's mu.
	definition Definition
	stop       func()        // has the goroutine end
	done       chan struct{} // closed when it did; nil while there is none
	resumed    bool          // it is to be started when the goroutine, which was told to end, did
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
	var ctx context.Context
	ctx, x.stop = context.WithCancel(context.Background())
	d, planner := x.definition, x.manager.planner
	x.done = make(chan struct{})
	go func() {
		x.run(ctx, d, planner)
		x.manager.ended(x)
	}()
}

// run exports until ctx ends or the export is gone.
func (x *exporter) run(ctx context.Context, d Definition, planner Planner) {
	wait := firstWait
	x.failures = failures{}
	for ctx.Err() == nil {
		p, err := newPlan(d)
		for err == nil && ctx.Err() == nil {
			var pause time.Duration
			err = x.manager.guarded(func() (err error) {
				pause, err = x.round(ctx, p, planner)
				return err
			})
			if err == nil {
				wait = firstWait
				sleep(ctx, pause)
			}
			if len(x.failures) > 0 {
				break // files with secrets may have changed
			}
		}
		p.close()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			continue
		case errors.Is(err, errGone):
			x.manager.forget(x)
			return
		}
		if x.status.waits(err) {
			x.warn(err)
		}
		sleep(ctx, wait)
		wait = min(2*wait, longestWait)
	}
}

func (x *exporter) warn(err error) {
	x.manager.log.Warn("export waits; it tries again", "export", x.name.Name, "error", err)
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

// round exports what is due and drops what may go. pause is how long there is nothing more to do then.
func (x *exporter) round(ctx context.Context, p plan, planner Planner) (pause time.Duration, err error) {
	t, all, err := x.state()
	if err != nil {
		return 0, err
	}
	due, old := x.sort(t, all, p, time.Now())
	if t.MergeOnRead && len(due)+len(old) > 0 {
		// What it deletes would be a change of partitions that are exported now. And rows that hide others may not be dropped.
		if err := x.manager.store.Settle(ctx, t.ID); err != nil {
			return 0, err
		}
		if t, all, err = x.state(); err != nil {
			return 0, err
		}
		due, old = x.sort(t, all, p, time.Now())
	}
	x.failures.keep(due, old)
	more, err := x.each(ctx, due, func(part engine.ExportPartition) error { return x.write(ctx, p, planner, t, part) })
	// Neither keeps the other from its turn, by what is left over or by what fails.
	moreOld, oldErr := x.each(ctx, old, func(part engine.ExportPartition) error { return x.drop(ctx, p, *part.Open()) })
	if err := errors.Join(err, oldErr); err != nil {
		return 0, err
	}
	if len(x.failures) == 0 {
		x.status.set(stateRunning)
	}
	if more || moreOld {
		return 0, nil
	}
	return x.failures.pause(min(max(p.after/4, shortestLook), longestLook), time.Now()), nil
}

// mostInRow is after how many failures in a row it is taken for granted that what fails is not the partitions.
const mostInRow = 64

// each does something to partitions, one after the other, as long as what is known of all is not too old; left says that some are left then. One that fails
// waits by itself and keeps no other from it, unless the storage, or what else all need, is away: that is the error.
func (x *exporter) each(ctx context.Context, some []engine.ExportPartition, do func(engine.ExportPartition) error) (left bool, err error) {
	began := time.Now()
	some = x.failures.ready(some, began)
	for inRow := 0; len(some) > 0 && time.Since(began) < stateAge; some = some[1:] {
		partition := some[0].Partition
		err := x.manager.guarded(func() error { return do(some[0]) })
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err == nil {
			inRow = 0
			delete(x.failures, partition)
			continue
		}
		err = base.Wrap(err, "%s", named(partition))
		news := x.failures.add(partition, err, time.Now())
		if inRow++; inRow == mostInRow || base.KindOf(err).Retryable() {
			return false, err
		}
		x.status.waits(err)
		if news {
			x.warn(err)
		}
	}
	return len(some) > 0, nil
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
		// An object that the storage lost is no change, which would wait for others.
		o := part.Open()
		if lost := o != nil && o.Fingerprint == engine.Lost; lost || now.Sub(since[part.Partition]) >= p.after {
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
func (x *exporter) write(ctx context.Context, p plan, planner Planner, t schema.Table, part engine.ExportPartition) error {
	if err := owned(ctx, p); err != nil {
		return err
	}
	if was := part.Open(); was != nil && strings.HasPrefix(was.Fingerprint, engine.Unverified) {
		if err := x.adopt(ctx, p.storage, was); err != nil || part.InStep() {
			return err
		}
	}
	o := catalog.ExportObject{Export: x.id, Partition: part.Partition, Generation: part.Generation, Fingerprint: part.Fingerprint}
	var rows Rows
	if part.Parts > 0 || p.Query != "" {
		s := selectOf(t, p.Definition)
		s.Partition = part.Partition
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
		if err := x.send(ctx, p, t, part, rows, &o); err != nil {
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
	if was := part.Open(); was != nil && (was.Bytes > 0 || was.Fingerprint == engine.Claimed) {
		if err := p.storage.remove(ctx, pathOf(o.Partition, o.Generation)); err != nil {
			return err
		}
	}
	note := x.manager.store.PutExportObject
	if part.Parts == 0 {
		note = x.manager.store.RemoveExportObject
	}
	if err := note(ctx, o); err != nil {
		return err
	}
	x.status.wrote(o)
	return nil
}

// adopt makes sure that the storage has an object as the catalog of a restored backup tells, and none of the partition that is newer. Then it is the export's.
func (x *exporter) adopt(ctx context.Context, to storage, o *catalog.ExportObject) error {
	fingerprint := strings.TrimPrefix(o.Fingerprint, engine.Unverified)
	for _, generation := range []int64{o.Generation, o.Generation + 1} {
		known := object{}
		if generation == o.Generation {
			known = object{o.Bytes, o.ETag}
		}
		path := pathOf(o.Partition, generation)
		there, err := to.stat(ctx, path)
		switch {
		case err != nil && base.KindOf(err) != base.NotFound:
			return err
		case err == nil && (known.bytes == 0 || there != known):
			return errForeign(path, there)
		case err != nil && known.bytes > 0:
			fingerprint = engine.Lost
		}
	}
	if err := x.manager.store.MarkExportObject(ctx, *o, fingerprint); err != nil {
		return err
	}
	o.Fingerprint = fingerprint
	return nil
}

// claim makes sure that nothing is where an object goes that is written for the first time, and notes that it goes there: what is there from then on is the export's.
func (x *exporter) claim(ctx context.Context, to storage, o catalog.ExportObject) error {
	path := pathOf(o.Partition, o.Generation)
	there, err := to.stat(ctx, path)
	switch {
	case err == nil:
		return errForeign(path, there)
	case base.KindOf(err) != base.NotFound:
		return err
	}
	o.Fingerprint = engine.Claimed
	return x.manager.store.PutExportObject(ctx, o)
}

func errForeign(path string, there object) error {
	return base.Errorf(base.Conflict, "the storage has %s, of %d bytes, which this database knows nothing of, and may hold rows that are nowhere else: it is not replaced", path, there.bytes).
		WithHint("a backup that was restored does not know what was written later: remove the object if its rows are in the table again, or let a new export begin elsewhere")
}

// send streams a result to an object, unless it has no rows.
func (x *exporter) send(ctx context.Context, p plan, t schema.Table, part engine.ExportPartition, rows Rows, o *catalog.ExportObject) error {
	if p.Query != "" {
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
	if part.Open() == nil {
		if err := x.claim(ctx, p.storage, *o); err != nil {
			return err
		}
	}
	var written encode.Stats
	path := pathOf(o.Partition, o.Generation)
	stored, err := p.storage.put(ctx, path, part.Bytes, func(w io.Writer) error {
		return x.manager.guarded(func() (err error) { // it may run in a goroutine of the storage's
			written, err = encode.Write(ctx, w, encode.Parquet, src, encode.Options{})
			return err
		})
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

// drop drops the rows of a partition from the table, if the storages of all its exports have them for sure.
func (x *exporter) drop(ctx context.Context, p plan, o catalog.ExportObject) error {
	if err := x.verify(ctx, p, o); err != nil {
		return err
	}
	for _, theirs := range x.manager.store.ExportObjects(x.table, o.Partition) {
		if theirs.Export == x.id || theirs.Fingerprint != o.Fingerprint { // which is refused below
			continue
		}
		if err := x.manager.verify(ctx, theirs); err != nil {
			return err
		}
	}
	if err := x.manager.store.DropExported(ctx, o); err != nil {
		return err
	}
	x.status.droppedOne()
	x.manager.log.Info("rows were dropped, which an export has", "export", x.name.Name, "partition", o.Partition, "generation", o.Generation, "rows", o.Rows)
	return nil
}

// verify makes sure that the storage has an object as it was written. If not, somebody removed or replaced it: it is noted, so that it is written again.
func (x *exporter) verify(ctx context.Context, p plan, o catalog.ExportObject) error {
	if err := owned(ctx, p); err != nil || o.Bytes == 0 {
		return err
	}
	path := pathOf(o.Partition, o.Generation)
	there, err := p.storage.stat(ctx, path)
	switch {
	case err != nil && base.KindOf(err) != base.NotFound:
		return err
	case err == nil && there == object{o.Bytes, o.ETag}:
		return nil
	}
	if err := x.manager.store.MarkExportObject(ctx, o, engine.Lost); err != nil {
		return err
	}
	return base.Errorf(base.Conflict, "%s%s is not there as it was written: it is written again, and the rows stay until it is there", p.storage.location(), path)
}

// report returns what the export is doing; false if it is gone.
func (x *exporter) report() (Status, bool) {
	t, all, err := x.state()
	if err != nil {
		return Status{}, false
	}
	x.manager.mu.Lock()
	d := x.definition
	x.manager.mu.Unlock()
	s := Status{ID: x.id, Name: x.name, Table: t.QualifiedName(), Definition: d.Masked(), Created: x.created}
	var location string
	if place, err := d.place(); err == nil { // it was one when the export was created
		location = place.location()
	}
	for _, p := range all {
		for _, o := range p.Objects {
			s.Objects = append(s.Objects, Object{o, location + pathOf(o.Partition, o.Generation)})
		}
	}
	x.status.fill(&s, differing(t, all, time.Now()))
	return s, true
}
