package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/wal"
)

// runCommitter is the loop of the committer: it takes requests from the queue and commits them,
// many at a time, until the queue is closed.
//
// The simple design would do the following under one lock: check a request against the schema,
// write it to the log, sync, put the rows where queries find them, and answer. That is correct but
// slow, because each request costs an fsync: a few hundred requests a second on a good disk, while
// all other cores are idle.
//
// So the work is divided. The goroutines of the callers do the work that needs only the request:
// they conform the rows to the schema, copy them into mapped memory, and encode the log record. The
// committer, one goroutine, does the work that must be done in one order. It takes all requests
// that are waiting as one group:
//
//  1. Take the waiting requests, up to Settings.GroupBytes.
//  2. Validate each request. If the schema of its table changed since its rows were conformed, the
//     caller gets ErrSchemaChanged and conforms the rows again. If the table was dropped, the error
//     is NotFound. If the data has changed from which a change was computed, the error is
//     ErrChanged. Give each request a sequence number, and choose the memtable for the rows of each
//     table.
//  3. Write the frames of all requests to the log, and sync once.
//  4. Append the rows to the memtables, in the order of the sequence numbers. Then publish all
//     rows, and the patches of changes, at one moment (while mu is held). So rows become visible
//     only after they are durable, and in commit order. A reader of two tables sees both halves of
//     a request or neither.
//  5. Wake the callers. The answer follows the publication, so the next request of a caller sees
//     its rows.
//
// While step 3 waits for the disk, the next group gathers in the queue. The slower the disk, the
// larger the groups. If all requests of a group are asynchronous, there is no sync in step 3, and a
// timer syncs at most Settings.SyncInterval later.
//
// A request whose rows need another schema has an Evolution (a planned schema change), and is a
// group of its own. One edit changes the schema just before the rows are committed. At that time
// the rows are in memory and known to be acceptable.
//
// Everything else that changes what is visible (DDL, flush, merge) is an edit: a function that runs
// in the committer between two groups. So it can read the state that it changes without a lock, and
// nothing changes between its validation and its publication. Edits are made durable by the
// catalog, appends by the log. Both have one order, because one goroutine makes both.
//
// If a write to the log fails, the log undoes it. Only the requests of that group get the error.
// The next group may succeed, for example when a full disk has space again. If a sync fails, it is
// unknown what the disk has. The requests of the group get the error Unknown, and the engine stops:
// all later writes fail with Unavailable, since they are in no file. After a restart it is known
// what the disk has.
//
// Rejected alternative: a pipeline that writes group n+1 while group n syncs. It saves only the
// time of the write, a tenth of that of the sync. And if a sync fails, two groups are in doubt
// instead of one.
func (e *Engine) runCommitter() {
	defer e.background.Done()
	var syncDue, ageDue, recheckDue <-chan time.Time
	var aged *generation
	for {
		group, closed := e.queue.next(e.settings.GroupBytes)
		switch {
		case len(group) == 0 && closed:
			return
		case closed:
			for _, r := range group {
				e.finish(r, outcome{err: errClosed})
			}
			continue
		case len(group) == 0:
			if e.memory.Rows.Waiting() && e.due(true) {
				e.freezeOrLog()
			}
			if e.unsynced && syncDue == nil {
				syncDue = e.clock.After(e.settings.SyncInterval)
			}
			if e.active.frames > 0 && aged != e.active && !e.settings.DisableAutomaticFlush {
				ageDue, aged = e.clock.After(e.settings.FlushAge), e.active
			}
			if e.refusal.Load() != nil && e.writable() == nil && recheckDue == nil {
				recheckDue = e.clock.After(recheckInterval)
			}
			select {
			case <-e.queue.wake:
			case <-recheckDue:
				recheckDue = nil
				e.recheck()
			case <-syncDue:
				syncDue = nil
				e.syncLog()
			case <-ageDue:
				if ageDue = nil; aged == e.active {
					e.freezeOrLog()
					aged = nil // if that failed, try again after another Settings.FlushAge
				}
			}
		default:
			switch first := group[0]; {
			case first.edit != nil:
				e.finish(first, outcome{err: first.edit()})
			case len(first.evolutions) > 0:
				e.commitEvolving(first)
			default:
				e.commitGroup(group)
			}
			if e.unsynced && syncDue == nil {
				syncDue = e.clock.After(e.settings.SyncInterval)
			}
			select {
			case <-syncDue: // the queue may never be empty, so this is checked here, too
				syncDue = nil
				e.syncLog()
			default:
			}
			if e.due(e.memory.Rows.Waiting()) {
				e.freezeOrLog()
			}
		}
	}
}

// due reports whether to freeze the active generation (the log segment and memtables that get new
// rows) now, so that it is flushed. memoryFull says that writers wait for memory. That alone is a
// reason only if no other generation waits for its flush, because such a flush frees memory sooner.
// Otherwise each waiting writer would freeze a small generation, and flushes would never catch up.
func (e *Engine) due(memoryFull bool) bool {
	if e.settings.DisableAutomaticFlush {
		return e.active.tooLong()
	}
	return memoryFull && len(e.generations) == 0 || e.active.reserved >= e.settings.FlushBytes || e.active.tooLong() ||
		e.active.frames > 0 && e.now().Sub(e.active.born) >= e.settings.FlushAge
}

// tooLong reports whether a memtable of the generation has used half of the row numbers that a
// memtable can have.
func (g *generation) tooLong() bool {
	for _, r := range g.memtables {
		if r.mem.View().Rows > 1<<31 {
			return true
		}
	}
	return false
}

// freezeOrLog freezes the active generation: it ends the log segment, so that its rows can be
// flushed. No caller waits for the result, so freezeOrLog logs an error. Writers get the error
// later, once memory runs out.
func (e *Engine) freezeOrLog() {
	if err := e.freeze(); err != nil {
		e.flushFailed(err)
	}
}

// syncLog syncs the log, so that asynchronous appends become durable.
func (e *Engine) syncLog() {
	if !e.unsynced || e.failure.Load() != nil {
		return
	}
	e.unsynced = false
	if err := e.wal.Sync(); err != nil {
		e.stop(err)
		return
	}
	e.recordDurable()
}

// finish releases what a request still owns, and sends the outcome o to the request's caller.
func (e *Engine) finish(r *request, o outcome) {
	if r.release != nil {
		r.release()
	}
	r.done <- o
}

// target says which memtable gets the rows of one table, for all requests of a group.
type target struct {
	memtable *memtableRef
	// fresh says that the memtable was created for this group. No version of the table has it yet.
	fresh bool
}

// commitGroup validates, writes, publishes and answers a group of appends and changes. These are
// steps 2 to 5 in the description of runCommitter.
func (e *Engine) commitGroup(group []*request) {
	places, ahead := map[base.TableID]*target{}, newPendingWrites()
	accepted := make([]*request, 0, len(group))
	frames := make([]wal.Frame, 0, len(group))
	seq := e.seq
	sync := false
	for _, r := range group {
		header, err := e.accept(r, seq+1, places, ahead)
		if err != nil {
			e.finish(r, outcome{err: err})
			continue
		}
		seq++
		accepted = append(accepted, r)
		frames = append(frames, wal.Frame{Seq: seq, Payload: append([][]byte{header}, r.body...)})
		sync = sync || !r.async
	}
	if err := e.writeLog(frames, sync); err != nil {
		e.refuse(err)
		again := e.refuseGroup(accepted, err)
		releaseFresh(places)
		if len(again) > 0 {
			e.commitGroup(again)
		}
		return
	}
	if len(accepted) == 0 {
		releaseFresh(places)
		return
	}
	if e.refusal.Load() != nil {
		e.recheck()
	}
	if e.active.frames == 0 {
		e.active.born = e.now()
	}
	seq = e.seq
	for i, r := range accepted {
		if err := e.appendToMemtables(r, places, seq+base.Seq(i)+1); err != nil {
			// The log has the rows, but the memtable does not. Only a restart, which reads the log
			// again, can bring the rows into a memtable.
			err := errUnknown(e.stop(err))
			for _, r := range accepted {
				e.finish(r, outcome{err: err})
			}
			return
		}
	}
	if err := e.publish(places, ahead, accepted, seq); err != nil {
		e.stop(err)
	}
	for i, r := range accepted {
		e.finish(r, outcome{seq: seq + base.Seq(i) + 1})
	}
}

// refuseGroup answers requests whose write to the log failed with err. If the disk is full and the
// engine has a reserve file, there is an exception: it removes that file, and does not answer the
// requests that only free space. It returns these, and the caller writes them again.
func (e *Engine) refuseGroup(group []*request, err error) (again []*request) {
	keep := base.KindOf(err) == base.StorageFull && slices.ContainsFunc(group, (*request).freesSpace) && e.releaseReserve()
	for _, r := range group {
		if keep && r.freesSpace() {
			again = append(again, r)
		} else {
			e.finish(r, outcome{err: err})
		}
	}
	return again
}

// releaseFresh releases the memtables that were created for a group of requests which could not be
// written.
func releaseFresh(places map[base.TableID]*target) {
	for _, p := range places {
		if p.fresh {
			p.memtable.release()
		}
	}
}

// accept validates a request (see check), finds or creates the memtables for its rows, and adds it
// to the group's pending writes. seq is the request's sequence number. accept returns the header of
// the request's log frame.
func (e *Engine) accept(r *request, seq base.Seq, places map[base.TableID]*target, a *pendingWrites) (header []byte, err error) {
	if err := e.check(r, a); err != nil {
		return nil, err
	}
	for _, t := range r.tables {
		if places[t.id] != nil {
			continue
		}
		if there := e.active.memtables[t.id]; there != nil {
			places[t.id] = &target{memtable: there}
			continue
		}
		rowset, err := e.NextRowsetID()
		if err != nil {
			return nil, err
		}
		places[t.id] = &target{newMemtableRef(e, rowset, e.tables[t.id].current.schema, e.active.segment), true}
	}
	header = encodeFrameHeader(r, func(id base.TableID) base.RowsetID { return places[id].memtable.mem.Rowset() })
	return header, e.stage(r, seq, a)
}

// check returns an error in two cases: the request cannot be committed in the present state, or it
// conflicts with an earlier request of the same group. The argument a has the pending writes of
// these earlier requests.
func (e *Engine) check(r *request, a *pendingWrites) error {
	if err := e.resolveDoubt(); err != nil {
		return err
	}
	if err := e.checkRequestSpace(r); err != nil {
		e.refuse(err)
		return err
	}
	for _, t := range r.tables {
		now := e.tables[t.id]
		if now == nil {
			return base.Errorf(base.NotFound, "table %d was dropped meanwhile", t.id)
		}
		if now.current.schema.Version != t.version || now.appendHold.Load() != nil {
			return ErrSchemaChanged
		}
	}
	if err := e.checkChanges(r.changes, a); err != nil {
		return err
	}
	return e.checkProgress(r.progress, a.offsets)
}

// writeLog writes the frames of a group to the log, and syncs the log if sync is set.
func (e *Engine) writeLog(frames []wal.Frame, sync bool) error {
	if len(frames) == 0 {
		return nil
	}
	if err := e.wal.Append(frames); err != nil {
		if e.wal.Err() != nil {
			return errUnknown(e.stop(err))
		}
		return base.Wrap(err, "commit")
	}
	if !sync {
		e.unsynced = true
		return nil
	}
	e.unsynced = false
	if err := e.wal.Sync(); err != nil {
		return errUnknown(e.stop(err))
	}
	e.recordDurable()
	return nil
}

// appendToMemtables appends a request's rows to the memtables, which own the rows from then on.
// Readers do not see the rows before publish is called. seq is the request's sequence number.
func (e *Engine) appendToMemtables(r *request, places map[base.TableID]*target, seq base.Seq) error {
	for i := range r.tables {
		t := &r.tables[i]
		p := places[t.id].memtable
		for len(t.rows) > 0 {
			if err := p.mem.Append(t.rows[0]); err != nil {
				return err
			}
			t.rows = t.rows[1:]
		}
		p.addReserved(t.reserved, seq)
		r.bytes -= t.reserved
		e.active.reserved += t.reserved
	}
	return nil
}

func (r *memtableRef) addReserved(bytes int64, seq base.Seq) {
	r.reserved += bytes
	if r.minSeq == 0 {
		r.minSeq = seq
	}
	r.maxSeq = seq
}

// publish makes the rows and changes of a group visible at one moment. The argument accepted has
// the requests of the group. The argument before is the sequence number of the last edit before the
// group. Any error is a defect of Scoter, after which memory and log differ.
func (e *Engine) publish(places map[base.TableID]*target, a *pendingWrites, accepted []*request, before base.Seq) error {
	var old []*version
	var errs []error
	e.mu.Lock()
	for id, p := range places {
		p.memtable.mem.Publish()
		if p.fresh {
			t := e.tables[id]
			v := t.current
			residents := append(v.memtables[:len(v.memtables):len(v.memtables)], p.memtable)
			old = append(old, t.installLocked(e.newVersionLocked(v.schema, v.parts, residents)))
			// The reference that newMemtableRef returned belongs to the generation from now on.
			e.active.memtables[id] = p.memtable
		}
	}
	for i, r := range accepted {
		seq := before + base.Seq(i) + 1
		e.advanceLocked(e.active, r.progress)
		for _, t := range r.tables {
			e.tables[t.id].insertedSeq = seq
		}
		replaced, err := e.publishChangesLocked(r, seq)
		old, errs = append(old, replaced...), append(errs, err)
		if r.idempotency != nil {
			e.active.keys = append(e.active.keys, e.resolveKey(r.idempotency, Result{Counts: r.counts, Seq: seq}))
		}
	}
	e.active.frames += len(accepted)
	e.seq = before + base.Seq(len(accepted))
	oldest := e.heldSnapshots.oldest()
	e.remaps.dropOld(oldest)
	for id, sets := range a.sets {
		e.patchLocked(e.tables[id], sets)
		e.tables[id].dropOldWriteSets(oldest)
	}
	for id, all := range a.writeSets {
		e.tables[id].dropOldWriteSets(oldest)
		for _, w := range all {
			e.tables[id].addWriteSet(w)
		}
	}
	e.mu.Unlock()
	for _, v := range old {
		v.release()
	}
	return errors.Join(errs...)
}

// publishChangesLocked makes the changes of a request visible. It also records them for the flush
// of the generation, and for flushes and merges that are running. The caller releases the returned
// versions. It must hold mu.
func (e *Engine) publishChangesLocked(r *request, seq base.Seq) (old []*version, err error) {
	if r.changes == nil {
		return nil, nil
	}
	var errs []error
	now := e.now()
	for _, tc := range r.changes.tables {
		c := committedChange{tc.id, seq, now, tc.removed, tc.updated, tc.expression}
		e.active.changes = append(e.active.changes, c)
		e.active.changeBytes += tc.bytes
		e.active.reserved += tc.bytes
		r.bytes -= tc.bytes
		for _, m := range e.tables[tc.id].recorders {
			errs = append(errs, m.add(c))
		}
		if tc.allSuperseded {
			e.tables[tc.id].dedup.raiseDeduped(r.changes.seq)
		}
		if c.expression != nil {
			c.expression.Seq = seq
			old = append(old, e.addExpressionLocked(e.tables[tc.id], &storedExpression{Expression: c.expression, created: now}))
		}
	}
	return old, errors.Join(errs...)
}
