package engine

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/wal"
	"golang.org/x/sync/errgroup"
)

// How a generation (a segment of the log and its memtables) becomes parts.
//
//  1. freeze ends the generation: it gets no more rows.
//  2. Its memtables are sorted and written as parts, without deleted rows and with the newest
//     values. Its changes of existing parts are encoded as patches. No reader sees these files yet.
//  3. One catalog transaction lists the parts and patches, and the changes that were made to the
//     rows since step 2 began. It also stores the idempotency keys and the offsets of sources, and
//     records the segment as flushed.
//  4. The state in memory follows: new versions of the tables have the parts in place of the
//     memtables. Then the segment is removed.
//
// If a crash happens before step 3, there are files that the catalog does not list. The next Open
// removes them, and replays the segment. After step 3 the segment is ignored, whether its file
// still exists or not. So each row exists exactly once at every moment.
//
// TRUNCATE and DROP may run between steps 2 and 3. Step 3 runs in the committer, as they do. It
// leaves out every memtable that is not in its table's current version any more.

// flushRetry is how long the flusher waits after a failed flush before it tries again. For example,
// a full disk stays full for a while. Meanwhile writers continue. They get the error of the flush
// only when memory runs out.
const flushRetry = time.Second

// Flush writes parts with all rows that were committed before the call. After an error the rows
// stay in the log and in memory.
func (e *Engine) Flush(ctx context.Context) error {
	through := base.SegmentID(0)
	err := e.commit(ctx, func() error {
		if err := e.freeze(); err != nil {
			return err
		}
		if n := len(e.generations); n > 0 {
			through = e.generations[n-1].segment
		}
		return nil
	})
	if err != nil {
		return base.Wrap(err, "flush")
	}
	return base.Wrap(e.flushFrozen(ctx, through), "flush")
}

// runFlusher flushes each generation (a log segment and its memtables) after it was frozen, until
// the engine is closed.
func (e *Engine) runFlusher() {
	defer e.background.Done()
	for {
		select {
		case <-e.frozen:
		case <-e.closing:
			return
		}
		if err := e.flushFrozen(context.Background(), math.MaxUint64); errors.Is(err, errClosed) {
			return
		} else if err != nil {
			e.flushFailed(err)
			if e.writable() != nil {
				return // no flush can succeed before a restart
			}
			select {
			case <-e.clock.After(flushRetry):
				e.wantFlush()
			case <-e.closing:
				return
			}
		}
	}
}

// flushFailed logs the error of a flush, and stores it. Writers get this error if memory runs out
// because flushes fail.
func (e *Engine) flushFailed(err error) {
	e.log.Error("flush failed; rows stay in the log and in memory", "error", err)
	e.flushFailure.Store(&base.Error{Kind: base.KindOf(err), Message: err.Error()})
}

// flushFrozen flushes the frozen generations (log segments and their memtables), oldest first. It
// stops after the generation of the given segment (the argument through).
func (e *Engine) flushFrozen(ctx context.Context, through base.SegmentID) error {
	for {
		if done, err := e.flushOldest(ctx, through); done || err != nil {
			return err
		}
	}
}

// flushOldest flushes the oldest frozen generation. If the segment of that generation is newer than
// the given one (the argument through), or no generation is frozen, flushOldest does nothing, and
// the result done is true. If the engine is being closed, it returns errClosed: the rows need no
// flush then, because the log has them, and Close waits for the lock.
func (e *Engine) flushOldest(ctx context.Context, through base.SegmentID) (done bool, err error) {
	if err := e.lockFlushes(ctx); err != nil {
		return false, err
	}
	defer e.flushing.Release(1)
	e.mu.RLock()
	var g *generation
	if len(e.generations) > 0 {
		g = e.generations[0]
	}
	e.mu.RUnlock()
	if g == nil || g.segment > through {
		return true, nil
	}
	if err := errors.Join(ctx.Err(), e.writable()); err != nil {
		return false, err
	}
	started := time.Now()
	err = e.flushGeneration(ctx, g)
	e.durations.flushed(time.Since(started), err)
	if err != nil {
		return false, base.Wrap(err, "generation %d", g.segment)
	}
	e.flushFailure.Store(nil)
	// The flush freed memory, but maybe not enough for the waiting writers. Wake the committer, so
	// that it checks that.
	if e.memory.Rows.Waiting() && !e.settings.DisableAutomaticFlush {
		e.queue.signal()
	}
	return false, nil
}

// lockFlushes takes the lock flushing, so that no flush runs until the caller releases it. If the
// engine is being closed, it returns errClosed instead.
func (e *Engine) lockFlushes(ctx context.Context) error {
	if err := e.flushing.Acquire(ctx, 1); err != nil {
		return base.Wrap(err, "wait for a flush that runs")
	}
	select {
	case <-e.closing:
		e.flushing.Release(1)
		return errClosed
	default: // the engine is not being closed, and Close gets the lock only after this flush
		return nil
	}
}

// flushed is the flush of one memtable, with the parts that were written from it.
type flushed struct {
	memtable *memtableRef
	now      schema.Table // schema of the table at the time when the flush began
	patches  *patch.Set   // patches of the memtable when the flush began; nil if there were none
	// recorder has the changes that were committed to the memtable's rows since the flush began.
	recorder *changeRecorder
	parts    []*partFile
	// rows[i] has, for each row of parts[i], the number of the row in the memtable. The rows are in
	// the order in which the part has them.
	rows [][]uint32
}

// flushGeneration flushes a generation. It runs steps 2 to 4 of the description at the start of
// flush.go.
func (e *Engine) flushGeneration(ctx context.Context, g *generation) (err error) {
	all := e.beginFlush(g)
	defer e.endFlush(all)
	writers, writeCtx := errgroup.WithContext(ctx)
	writers.SetLimit(flushParallel)
	if e.settings.DisableAutomaticFlush {
		writers.SetLimit(1) // one at a time, so that parts get the same ids in each run of a test
	}
	for _, f := range all {
		writers.Go(func() error { return e.writeParts(writeCtx, f) })
	}
	var changes []partChanges
	writers.Go(func() (err error) {
		changes, err = e.storeChanges(g)
		return err
	})
	if err := writers.Wait(); err != nil {
		return errors.Join(err, e.discard(all), e.discardPatches(changes))
	}
	var left []*flushed
	var leftChanges []partChanges
	// This step is not cancelled when ctx ends, because only its outcome tells whether the written
	// files are in use.
	err = e.commit(context.Background(), func() (err error) {
		left, leftChanges, err = e.publishFlush(g, all, changes)
		return err
	})
	if err != nil {
		return errors.Join(err, e.discard(all), e.discardPatches(changes))
	}
	if err := errors.Join(e.discard(left), e.discardPatches(leftChanges)); err != nil {
		e.log.Error("files of dropped rows stay until the next start", "error", err)
	}
	if err := wal.RemoveBefore(e.fs, e.walDir(), g.segment+1); err != nil {
		e.log.Error("flushed log segment stays until the next flush", "segment", g.segment, "error", err)
	}
	return nil
}

// beginFlush returns the memtables of a generation (one log segment and its memtables), and begins
// to record the changes that are committed to their rows.
func (e *Engine) beginFlush(g *generation) []*flushed {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []*flushed
	for _, id := range g.tables() {
		r := g.memtables[id]
		r.refs.Add(1)
		t, rowset := e.tables[id], r.mem.Rowset()
		f := &flushed{memtable: r, now: t.current.schema, patches: t.patches[rowset]}
		f.recorder = t.beginRecording(rowset)
		if f.valuesWait() {
			f.recorder.changes[rowset] = f.patches.WithoutDeletions()
		}
		all = append(all, f)
	}
	return all
}

func (e *Engine) endFlush(all []*flushed) {
	e.mu.Lock()
	for _, f := range all {
		if t := e.tables[f.memtable.mem.Schema().ID]; t != nil {
			t.endRecording(f.recorder)
		}
	}
	e.mu.Unlock()
	for _, f := range all {
		f.memtable.release()
	}
}

// discard removes the files of parts that a failed flush has written.
func (e *Engine) discard(all []*flushed) error {
	var errs []error
	for _, f := range all {
		for _, p := range f.parts {
			errs = append(errs, e.AbandonPart(p.Table, p.ID))
		}
	}
	return errors.Join(errs...)
}

// publishFlush makes the parts of a flush visible: it runs step 3 and the first half of step 4 of a
// flush (see the start of flush.go), in the committer. Since the flush began, TRUNCATE or DROP may
// have removed rows or parts. The result left has the memtables whose rows were removed. The result
// leftChanges has the changes of removed parts. The new files of both are not in use. After an
// error publishFlush leaves no files that it wrote itself.
func (e *Engine) publishFlush(g *generation, all []*flushed, changes []partChanges) (left []*flushed, leftChanges []partChanges, err error) {
	edit := catalog.Edit{DropKeys: e.expiredStored(), PutKeys: e.remembered(g.keys), FlushedThrough: g.segment}
	edit.PutOffsets = e.liveOffsets(g.offsets)
	edit.Counters.NextSeq = e.seq + 1
	var live []*flushed
	var stored []partChanges
	results := map[*flushed]*carriedChanges{}
	defer func() {
		if err == nil {
			return
		}
		for _, s := range results {
			err = errors.Join(err, e.discardPatches(s.stored))
		}
	}()
	for _, f := range all {
		t := e.tables[f.memtable.mem.Schema().ID]
		if t == nil || !t.current.hasMemtable(f.memtable) {
			left = append(left, f)
			continue
		}
		live = append(live, f)
		for _, p := range f.parts {
			// These rows already have the values of all expression updates (UPDATEs that are stored
			// as SQL), as patches.
			p.Applied = e.seq
			edit.AddParts = append(edit.AddParts, p.Part)
		}
		if results[f], err = e.carryOver(&edit, t, f.recorder, f.remap()); err != nil {
			return nil, nil, err
		}
		t.storeDeduped(&edit)
		stored = append(stored, results[f].stored...)
	}
	for _, c := range changes {
		t := e.tables[c.table]
		if t == nil || !t.current.hasPart(c.part) {
			leftChanges = append(leftChanges, c)
			continue
		}
		if err := e.putChanges(&edit, &c, t.patches[c.part]); err != nil {
			return nil, nil, err
		}
		stored = append(stored, c)
	}
	e.storeExpressions(&edit, g)
	if err := e.syncBefore(); err != nil {
		return nil, nil, err
	}
	if err := e.apply(edit); err != nil {
		return nil, nil, err
	}
	e.recordStoredKeys(&edit)
	e.dedupedStored(&edit)
	for _, f := range live {
		e.garbage.markListed(e, f.parts)
	}
	var old []*version
	e.mu.Lock()
	for _, f := range live {
		t := e.tables[f.memtable.mem.Schema().ID]
		v := t.current
		parts := append(v.parts[:len(v.parts):len(v.parts)], f.parts...)
		residents := slices.DeleteFunc(slices.Clone(v.memtables), func(r *memtableRef) bool { return r == f.memtable })
		old = append(old, t.installLocked(e.newVersionLocked(v.schema, parts, residents)))
		e.showRemapLocked(t, results[f])
	}
	e.changesStored(stored)
	e.markExpressionsStoredLocked(edit.AddExpressions)
	e.generations = e.generations[1:]
	residents := g.memtables
	g.memtables = nil
	e.dropUnneededLocked()
	e.mu.Unlock()
	e.memory.Rows.Release(g.changeBytes)
	for _, r := range residents {
		r.release()
	}
	for _, v := range old {
		v.release()
	}
	e.notifyPartsAdded()
	return left, leftChanges, nil
}

// remap returns the remap of the memtable: for each of its rows, the address of that row in the new
// parts.
func (f *flushed) remap() patch.Remap {
	m := &patch.Sorted{Rowset: f.memtable.mem.Rowset(), Rows: f.rows}
	for _, p := range f.parts {
		m.Parts = append(m.Parts, p.ID)
	}
	return m
}

// writeParts sorts the rows of a memtable and writes them as parts, one for each partition.
func (e *Engine) writeParts(ctx context.Context, f *flushed) error {
	view := f.memtable.mem.View()
	table := view.Schema
	if view.Rows == 0 {
		return nil
	}
	records, err := f.records(view)
	defer func() {
		for _, r := range records {
			r.Release()
		}
	}()
	if err != nil {
		return base.Wrap(err, "table %s", table.QualifiedName())
	}
	order, err := batch.Sort(records, table)
	if err != nil {
		return base.Wrap(err, "sort table %s", table.QualifiedName())
	}
	if f.patches != nil && f.patches.Deleted != nil {
		order = slices.DeleteFunc(order, f.patches.Deleted.Contains)
	}
	if order, err = withoutSuperseded(order, f.now, table, records, f.patches); err != nil {
		return base.Wrap(err, "table %s", table.QualifiedName())
	}
	if len(order) == 0 {
		return nil
	}
	partitions, err := batch.Partition(records, table, order)
	if err != nil {
		return base.Wrap(err, "table %s", table.QualifiedName())
	}
	for _, p := range partitions {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := e.writePart(table, records, p, part.Fast)
		// Record the file even if there was an error, so that discard removes what a failed write
		// has left.
		if file != nil {
			file.MinSeq, file.MaxSeq = f.memtable.minSeq, f.memtable.maxSeq
			f.parts, f.rows = append(f.parts, file), append(f.rows, p.Rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutSuperseded returns the argument order without superseded rows, if the table merges on
// read. Here a row is superseded if the argument records has a newer row of the same key.
// Superseded rows must be removed before the rows are written, because the parts lose the order of
// arrival. The argument order has the numbers of the rows, in sorted order. The argument now is the
// table's present schema. The argument written is the schema of the records.
func withoutSuperseded(order []uint32, now, written schema.Table, records []arrow.RecordBatch, changed *patch.Set) ([]uint32, error) {
	if !now.MergeOnRead {
		return order, nil
	}
	superseded, err := keys.Repeated(now, written, records, changed)
	if err != nil || superseded.IsEmpty() {
		return order, err
	}
	return slices.DeleteFunc(order, superseded.Contains), nil
}

// valuesWait reports whether the new values of the memtable's rows must not be written into the
// parts. That is so if the patches have a newer schema version than the rows. The parts have the
// version of the rows, so they could lack columns for the new values. These values then become
// patches of the parts.
func (f *flushed) valuesWait() bool {
	return f.patches != nil && f.patches.Version() > f.memtable.mem.Schema().Version
}

// records returns the memtable's batches with the newest values of the rows. If valuesWait is true,
// it returns the batches as they were written. The caller releases them.
func (f *flushed) records(view memtable.View) (records []arrow.RecordBatch, err error) {
	for _, b := range view.Batches {
		record := b.Record
		if f.patches == nil || f.valuesWait() {
			record.Retain()
		} else if record, err = f.patches.Apply(record, view.Schema, uint32(b.FirstOrdinal)); err != nil {
			return records, err
		}
		records = append(records, record)
	}
	return records, nil
}

// writePart writes the sorted rows of one partition as a part. The result describes the part,
// except for its sequence numbers. If there is an error and the returned part is not nil, its file
// may exist.
func (e *Engine) writePart(table schema.Table, records []arrow.RecordBatch, p batch.PartitionRows, profile part.Profile) (*partFile, error) {
	id, err := e.NextRowsetID()
	if err != nil {
		return nil, err
	}
	file := &partFile{Part: catalog.Part{ID: id, Table: table.ID}}
	path, err := e.PartPath(table.ID, id)
	if err != nil {
		return nil, err
	}
	written, err := part.Write(e.fs, path, table, taker(records, p.Rows), part.Options{Profile: profile})
	if err != nil {
		return file, base.Wrap(err, "part %d", id)
	}
	file.Part = catalog.Part{
		ID: id, Table: table.ID, SchemaVersion: table.Version, Partition: p.Key.Text,
		Rows: written.Rows, Bytes: written.Bytes, Checksum: written.Checksum, Blocks: written.Blocks, Stats: written.Stats, Created: e.now(),
	}
	return file, nil
}

// longRun is a number of rows. If that many consecutive rows of a batch are next to each other in
// sorted order, taker returns them as a slice of the batch, without a copy. A row group that
// consists of such slices is written as fast as a single batch.
const longRun = 2048

// taker returns a function that returns the given rows of the records, in this order, as batches. A
// batch has at most as many rows as a row group. After the last row the function returns io.EOF.
func taker(records []arrow.RecordBatch, rows []uint32) func() (arrow.RecordBatch, error) {
	return func() (arrow.RecordBatch, error) {
		if len(rows) == 0 {
			return nil, io.EOF
		}
		n := min(len(rows), part.RowGroupRows)
		if run := batch.Run(records, rows[:n]); run >= longRun {
			n = run
		}
		record, n, err := batch.TakeFirst(records, rows, n)
		rows = rows[n:]
		return record, err
	}
}
