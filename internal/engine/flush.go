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

// How a generation becomes parts.
//
//  1. freeze ends the generation: it gets no more rows.
//  2. Its memtables are sorted and written as parts, without deleted rows and with the newest
//     values. Its changes of existing parts are encoded as patches. Nobody reads these files yet.
//  3. One catalog transaction lists the parts and patches, and the changes that were made to the
//     rows since step 2 began. It also stores the idempotency keys and the offsets of sources, and
//     records the segment as flushed.
//  4. Memory follows: new versions have the parts in place of the memtables. Then the segment is
//     removed.
//
// If a crash comes before step 3, there are files that the catalog does not list. Open removes
// them, and replays the segment. After step 3 the segment does not count any more, whether its file
// still exists or not. So each row exists exactly once at every moment.
//
// TRUNCATE and DROP may run between steps 2 and 3. Step 3 runs in the committer, as they do, and
// leaves out every memtable that is not in its table's current version any more.

// flushRetry is how long the flusher waits after a failure before it tries again. A full disk stays
// full for a while. Meanwhile writers get the error when memory runs out.
const flushRetry = time.Second

// Flush writes all rows that were committed before the call as parts. After an error the rows stay
// in the log and in memory.
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

// runFlusher flushes generations when they are frozen, until the engine is closed.
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
				return // no flush can succeed until a restart
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

// flushFailed logs the error of a flush, and stores it: writers get it if memory runs out because
// flushes fail.
func (e *Engine) flushFailed(err error) {
	e.log.Error("flush failed; rows stay in the log and in memory", "error", err)
	e.flushFailure.Store(&base.Error{Kind: base.KindOf(err), Message: err.Error()})
}

// flushFrozen flushes the frozen generations, oldest first, up to that of a segment.
func (e *Engine) flushFrozen(ctx context.Context, through base.SegmentID) error {
	for {
		if done, err := e.flushOldest(ctx, through); done || err != nil {
			return err
		}
	}
}

// flushOldest flushes the oldest frozen generation. If no generation up to the segment through is
// frozen, it does nothing and done is true. If the engine is being closed, it returns errClosed:
// the log has the rows, and Close waits for the lock.
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
	e.effort.flushed(time.Since(started), err)
	if err != nil {
		return false, base.Wrap(err, "generation %d", g.segment)
	}
	e.flushFailure.Store(nil)
	// The memory that the flush freed may not be enough for the waiting writers.
	if e.budget.waiting() && !e.settings.DisableAutomaticFlush {
		e.queue.signal()
	}
	return false, nil
}

// lockFlushes takes the lock flushing. If the engine is being closed, it returns errClosed instead.
func (e *Engine) lockFlushes(ctx context.Context) error {
	if err := e.flushing.Acquire(ctx, 1); err != nil {
		return base.Wrap(err, "wait for a flush that runs")
	}
	select {
	case <-e.closing:
		e.flushing.Release(1)
		return errClosed
	default: // Close can only get the lock after this flush
		return nil
	}
}

// flushed is one memtable in a flush, and the parts that the flush wrote from it.
type flushed struct {
	resident *resident
	now      schema.Table // schema when the flush began
	patches  *patch.Set   // patches when the flush began; nil: none
	moving   *moving      // changes that were committed since the flush began
	parts    []*partFile
	// rows[i] has the memtable's ordinals of the rows of parts[i], in the order of that part.
	rows [][]uint32
}

// flushGeneration flushes a generation: steps 2 to 4 at the start of this file.
func (e *Engine) flushGeneration(ctx context.Context, g *generation) (err error) {
	all := e.beginFlush(g)
	defer e.endFlush(all)
	writers, writeCtx := errgroup.WithContext(ctx)
	writers.SetLimit(flushParallel)
	if e.settings.DisableAutomaticFlush {
		writers.SetLimit(1) // one at a time, so that tests get the same ids each time
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
	// ctx does not apply: only the outcome tells whether the files are in use.
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

// beginFlush returns the memtables of a generation, and begins to record changes of their rows.
func (e *Engine) beginFlush(g *generation) []*flushed {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []*flushed
	for _, id := range g.tables() {
		r := g.residents[id]
		r.refs.Add(1)
		t, source := e.tables[id], r.mem.Source()
		f := &flushed{resident: r, now: t.current.schema, patches: t.patches[source]}
		f.moving = t.beginMove(source)
		if f.valuesWait() {
			f.moving.changes[source] = f.patches.WithoutDeletions()
		}
		all = append(all, f)
	}
	return all
}

func (e *Engine) endFlush(all []*flushed) {
	e.mu.Lock()
	for _, f := range all {
		if t := e.tables[f.resident.mem.Schema().ID]; t != nil {
			t.endMove(f.moving)
		}
	}
	e.mu.Unlock()
	for _, f := range all {
		f.resident.release()
	}
}

// discard removes the files of parts that were written for a flush that failed.
func (e *Engine) discard(all []*flushed) error {
	var errs []error
	for _, f := range all {
		for _, p := range f.parts {
			errs = append(errs, e.AbandonPart(p.Table, p.ID))
		}
	}
	return errors.Join(errs...)
}

// publishFlush runs step 3 and the first half of step 4 of a flush, in the committer. It returns
// the memtables whose rows were dropped meanwhile, and the changes of parts that were removed
// meanwhile: their files are not in use. After an error it leaves no files that it wrote itself.
func (e *Engine) publishFlush(g *generation, all []*flushed, changes []partChanges) (left []*flushed, leftChanges []partChanges, err error) {
	edit := catalog.Edit{DropKeys: e.storedExpired(), PutKeys: e.known(g.keys), FlushedThrough: g.segment}
	edit.PutOffsets = e.liveOffsets(g.offsets)
	edit.Counters.NextSeq = e.seq + 1
	var live []*flushed
	var stored []partChanges
	results := map[*flushed]*settled{}
	defer func() {
		if err == nil {
			return
		}
		for _, s := range results {
			err = errors.Join(err, e.discardPatches(s.stored))
		}
	}()
	for _, f := range all {
		t := e.tables[f.resident.mem.Schema().ID]
		if t == nil || !t.current.holds(f.resident) {
			left = append(left, f)
			continue
		}
		live = append(live, f)
		for _, p := range f.parts {
			p.Applied = e.seq // patches have the effect of all expression updates on these rows
			edit.AddParts = append(edit.AddParts, p.Part)
		}
		if results[f], err = e.settleMove(&edit, t, f.moving, f.move()); err != nil {
			return nil, nil, err
		}
		t.storeSettled(&edit)
		stored = append(stored, results[f].stored...)
	}
	for _, c := range changes {
		t := e.tables[c.table]
		if t == nil || !t.current.lists(c.part) {
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
	e.keysStored(&edit)
	e.settledStored(&edit)
	for _, f := range live {
		e.garbage.taken(e, f.parts)
	}
	var old []*version
	e.mu.Lock()
	for _, f := range live {
		t := e.tables[f.resident.mem.Schema().ID]
		v := t.current
		parts := append(v.parts[:len(v.parts):len(v.parts)], f.parts...)
		residents := slices.DeleteFunc(slices.Clone(v.residents), func(r *resident) bool { return r == f.resident })
		old = append(old, t.installLocked(e.newVersionLocked(v.schema, parts, residents)))
		e.showMoveLocked(t, results[f])
	}
	e.changesStored(stored)
	e.expressionsStoredLocked(edit.AddExpressions)
	e.generations = e.generations[1:]
	residents := g.residents
	g.residents = nil
	e.forgetLocked()
	e.mu.Unlock()
	e.budget.release(g.changeBytes)
	for _, r := range residents {
		r.release()
	}
	for _, v := range old {
		v.release()
	}
	e.notifyPartsAdded()
	return left, leftChanges, nil
}

// move returns the remap from the memtable's rows to those of the new parts.
func (f *flushed) move() patch.Move {
	m := &patch.Sorted{Source: f.resident.mem.Source(), Rows: f.rows}
	for _, p := range f.parts {
		m.Parts = append(m.Parts, p.ID)
	}
	return m
}

// writeParts sorts the rows of a memtable and writes them as parts, one per partition.
func (e *Engine) writeParts(ctx context.Context, f *flushed) error {
	view := f.resident.mem.View()
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
	if order, err = withoutLosers(order, f.now, table, records, f.patches); err != nil {
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
		// The file is recorded even after an error, so that discard removes what a failed write
		// left.
		if file != nil {
			file.MinSeq, file.MaxSeq = f.resident.minSeq, f.resident.maxSeq
			f.parts, f.rows = append(f.parts, file), append(f.rows, p.Rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutLosers returns order without the rows that another row of the same records supersedes, in
// a table that merges on read. It must happen here, because the parts lose the order of arrival.
// order has the rows in sorted order. now is the table's present schema, and written that of the
// records.
func withoutLosers(order []uint32, now, written schema.Table, records []arrow.RecordBatch, changed *patch.Set) ([]uint32, error) {
	if !now.MergeOnRead {
		return order, nil
	}
	losers, err := keys.Repeated(now, written, records, changed)
	if err != nil || losers.IsEmpty() {
		return order, err
	}
	return slices.DeleteFunc(order, losers.Contains), nil
}

// valuesWait reports whether the memtable's patches have a newer schema version than its rows. Then
// the parts, which have the rows' version, could lack columns for the new values. So the values are
// not written into the parts, but become patches of them.
func (f *flushed) valuesWait() bool {
	return f.patches != nil && f.patches.Version() > f.resident.mem.Schema().Version
}

// records returns the memtable's batches with the newest values, or as they were written if
// valuesWait. The caller releases them.
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
// except for its sequence numbers. If there is an error, a file may exist unless the part is nil.
func (e *Engine) writePart(table schema.Table, records []arrow.RecordBatch, p batch.PartitionRows, profile part.Profile) (*partFile, error) {
	id, err := e.NextSourceID()
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

// longRun is the number of consecutive rows of one batch from which taker returns them as a slice,
// without a copy. A row group that consists of slices of this length is written as fast as one of a
// single batch.
const longRun = 2048

// taker returns a function that returns the given rows of the records, in this order, in batches of
// at most a row group. After the last row it returns io.EOF.
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
