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
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// exporter runs one export. It has a goroutine unless the export is paused or the process is not a
// server.
type exporter struct {
	manager *Manager
	id      base.ExportID
	table   base.TableID
	name    catalog.ExportName
	created time.Time
	status  status

	changing sync.Mutex // held while a statement pauses, resumes or drops the export
	failures failures   // failures of partitions; used only by the goroutine of the export

	// The following fields are guarded by the mutex mu of the manager.
	definition Definition
	stop       func()        // ends the goroutine of the export
	done       chan struct{} // closed when the goroutine has ended; nil while there is none
	// resumed says that the goroutine was told to end, and another one must start when it has
	// ended.
	resumed bool
}

const (
	// shortestLook and longestLook limit the interval at which an export checks for changes. It
	// checks four times during plan.after (the wait before an export), but not more often than
	// every shortestLook, and at least every longestLook. A check of ten thousand parts takes
	// milliseconds.
	shortestLook, longestLook = 20 * time.Millisecond, 5 * time.Second
	// firstWait is the delay before a failed partition is tried again. The delay doubles with each
	// further failure, up to longestWait.
	firstWait, longestWait = 250 * time.Millisecond, 30 * time.Second
	// stateAge is how long an export uses the state of the partitions that it has read. Then it
	// reads the state of all partitions again.
	stateAge = time.Second
)

// start starts the goroutine of the export. The manager's mu must be held.
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

// run exports partitions until ctx ends or the export is dropped.
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
				break // make the plan again, because files with secrets may have changed
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
	x.manager.log.Warn("export failed; it will be retried", "export", x.name.Name, "error", err)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// errGone is returned if the export was dropped, with or without its table.
var errGone = errors.New("the export was dropped")

// state returns the table of the export. It also returns all partitions of the table, with their
// objects and present states.
func (x *exporter) state() (t schema.Table, all []engine.ExportPartition, err error) {
	if all, err = x.manager.store.ExportState(x.id); err == nil {
		t, err = x.manager.store.Table(x.table)
	}
	if err != nil && base.KindOf(err) == base.NotFound {
		err = errGone
	}
	return t, all, err
}

// The method round makes one pass of an export over its table: it exports the partitions that are
// due, and drops old rows from the table. The result pause is the time until the next round.
func (x *exporter) round(ctx context.Context, p plan, planner Planner) (pause time.Duration, err error) {
	t, all, err := x.state()
	if err != nil {
		return 0, err
	}
	due, old := x.sort(t, all, p, time.Now())
	if t.MergeOnRead && len(due)+len(old) > 0 {
		// The table is deduplicated first, for two reasons. Deduplication deletes rows, so if it
		// were done later, it would change the partitions that are exported now. And a row that
		// supersedes another one must not be dropped before the superseded row.
		if err := x.manager.store.DeleteSuperseded(ctx, t.ID); err != nil {
			return 0, err
		}
		if t, all, err = x.state(); err != nil {
			return 0, err
		}
		due, old = x.sort(t, all, p, time.Now())
	}
	x.failures.keep(due, old)
	more, err := x.each(ctx, due, func(part engine.ExportPartition) error { return x.write(ctx, p, planner, t, part) })
	// Old rows are dropped even if exporting failed or did not finish, so that both make progress.
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

// mostInRow is a number of consecutive failures. After that many, the export assumes that the
// storage fails, and not single partitions.
const mostInRow = 64

// each calls the function do for one partition after the other. It stops after stateAge, because
// the state of the partitions is outdated then. The result left is true if it did not reach all
// partitions. A partition that fails is retried later and does not stop the others. But if
// something that all partitions need is unavailable, such as the storage, each stops and returns
// the error.
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

// sort returns the partitions to export (due), and the partitions whose rows may be dropped from
// the table (old).
func (x *exporter) sort(t schema.Table, all []engine.ExportPartition, p plan, now time.Time) (due, old []engine.ExportPartition) {
	differ := differing(t, all, now)
	since := x.status.see(differ, now)
	for _, part := range differ {
		// An object that was lost is written again immediately, without waiting for further
		// changes.
		o := part.Open()
		if lost := o != nil && o.Fingerprint == engine.Lost; lost || now.Sub(since[part.Partition]) >= p.after {
			due = append(due, part)
		}
	}
	for _, part := range all {
		if over, timed := end(t, part.Partition); p.keep > 0 && timed && !over.After(now.Add(-p.keep)) && part.Parts > 0 && part.UpToDate() {
			old = append(old, part)
		}
	}
	return due, old
}

// differing returns the partitions that differ from their objects. A partition counts only if its
// time (such as its day) is over.
func differing(t schema.Table, all []engine.ExportPartition, now time.Time) (some []engine.ExportPartition) {
	for _, part := range all {
		if over, timed := end(t, part.Partition); !part.UpToDate() && (!timed || !over.After(now)) {
			some = append(some, part)
		}
	}
	return some
}

// pathOf returns the path of a partition's object. generation is the number of the object among
// those of the partition, from 1.
func pathOf(partition string, generation int64) string {
	return strings.TrimPrefix(fmt.Sprintf("%s/%d.parquet", partition, generation), "/")
}

// requestOf returns the query whose result is exported, over one partition of the export's table.
func requestOf(t schema.Table, d Definition, partition string) sqlquery.Request {
	s := sqlquery.Request{SQL: d.Query, Database: d.Database, Partition: &sqlquery.PartitionScan{Table: t.ID, Partition: partition}}
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

// write exports a partition: it writes the partition's object again, with the rows that the
// partition has now.
func (x *exporter) write(ctx context.Context, p plan, planner Planner, t schema.Table, part engine.ExportPartition) error {
	if err := owned(ctx, p); err != nil {
		return err
	}
	if was := part.Open(); was != nil && strings.HasPrefix(was.Fingerprint, engine.Unverified) {
		if err := x.adopt(ctx, p.storage, was); err != nil || part.UpToDate() {
			return err
		}
	}
	o := catalog.ExportObject{Export: x.id, Partition: part.Partition, Generation: part.Generation, Fingerprint: part.Fingerprint}
	var rows sqlquery.Rows
	if part.Parts > 0 || p.Query != "" {
		var err error
		if rows, err = planner.Select(ctx, requestOf(t, p.Definition, part.Partition)); err != nil {
			return err
		}
		defer rows.Close()
	}
	// A crash of the machine may undo commits that are not yet on disk. The object must not have
	// the rows of such a commit: the partition could return to a state for which the catalog has
	// another object. So all commits are synced to disk first.
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
	// The query returns no rows, so there must be no object. If the table has no parts in the
	// partition either, the catalog needs no entry for the partition.
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

// adopt checks an object in the catalog of a restored backup against the storage, and records the
// result:
//   - If the storage has the object unchanged, the object belongs to this export from now on.
//   - If the storage does not have the object, adopt records that it is lost.
//   - If the object differs, or the storage has a newer object of the partition, adopt returns an
//     error.
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

// claim prepares writing an object for the first time. It returns an error if the object's path has
// an object already. Otherwise it records in the catalog that the path belongs to the export.
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
	return base.Errorf(base.Conflict, "the storage has an object %s of %d bytes that this database does not know and that may be the only copy of rows: it is not replaced", path, there.bytes).
		WithHint("after the restore of a backup, objects that were written later are unknown: remove the object if its rows are in the table again, or create a new export in another place")
}

// send encodes a result and streams it to an object. If the result has no rows, it writes no
// object.
func (x *exporter) send(ctx context.Context, p plan, t schema.Table, part engine.ExportPartition, rows sqlquery.Rows, o *catalog.ExportObject) error {
	if p.Query != "" {
		var columns []string
		for _, f := range rows.Schema().Fields() {
			columns = append(columns, f.Name)
		}
		if err := checkColumns(columns, batch.PartitionLevels(t)); err != nil {
			return err
		}
	}
	src := &peekable{Rows: rows}
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
		// A panic is turned into an error here too, because the storage client may call this
		// function in a goroutine of its own.
		return x.manager.guarded(func() (err error) {
			written, err = encode.Write(ctx, w, encode.Parquet, src, encode.Options{})
			return err
		})
	})
	if err != nil {
		return err
	}
	if stored.bytes != written.Bytes {
		return base.Errorf(base.Unavailable, "the storage has %d bytes of %s, but %d were sent", stored.bytes, path, written.Bytes)
	}
	o.Rows, o.Bytes, o.ETag = written.Rows, written.Bytes, stored.etag
	return nil
}

// peekable is a result whose first rows can be read in advance.
type peekable struct {
	sqlquery.Rows
	first arrow.RecordBatch // a batch that peek read; nil after Next has returned it
}

// peek reports whether the result has any rows.
func (s *peekable) peek(ctx context.Context) (bool, error) {
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

func (s *peekable) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if rec := s.first; rec != nil {
		s.first = nil
		return rec, nil
	}
	return s.Rows.Next(ctx)
}

func (s *peekable) release() {
	if s.first != nil {
		s.first.Release()
	}
}

// drop drops the rows of a partition from the table. First it verifies that the storages of all
// exports of the table have these rows.
func (x *exporter) drop(ctx context.Context, p plan, o catalog.ExportObject) error {
	if err := x.verify(ctx, p, o); err != nil {
		return err
	}
	for _, other := range x.manager.store.ExportObjects(x.table, o.Partition) {
		// If another export has recorded another fingerprint (state) of the partition, DropExported
		// returns an error. So the object of that export is not checked here.
		if other.Export == x.id || other.Fingerprint != o.Fingerprint {
			continue
		}
		if err := x.manager.verify(ctx, other); err != nil {
			return err
		}
	}
	if err := x.manager.store.DropExported(ctx, o); err != nil {
		return err
	}
	x.status.droppedOne()
	x.manager.log.Info("dropped exported rows", "export", x.name.Name, "partition", o.Partition, "generation", o.Generation, "rows", o.Rows)
	return nil
}

// verify checks that the storage has an object as it was written. If the object was removed or
// replaced, verify returns an error. It also records this in the catalog, so that the object is
// written again.
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
	return base.Errorf(base.Conflict, "%s%s is missing or was changed: it will be written again, and the rows stay until then", p.storage.location(), path)
}

// report returns the status of the export. It returns false if the export does not exist any more.
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
	// The definition was valid when the export was created, so an error is not expected.
	if place, err := d.place(); err == nil {
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
