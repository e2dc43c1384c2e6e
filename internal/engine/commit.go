package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/wal"
)

// runCommitter is the commit pipeline.
//
// The simple version: under one lock, check a request against the schema, write it to the
// log, sync, put the rows where queries find them, answer. It is correct, and a sync per
// request makes it slow: a few hundred requests a second on a good disk, with all other
// cores idle meanwhile.
//
// So the work is divided. Whatever needs only the request happens before, in the caller's
// goroutine, many at a time: conforming the rows to the schema, copying them into mapped memory,
// encoding the log's payload. Whatever decides an order happens here, in one goroutine,
// for all requests that wait at once:
//
//  1. Take the waiting requests, up to Settings.GroupBytes.
//  2. Validate each: if its table's schema moved on since its rows were conformed, it is sent back to its
//     caller, who conforms again; if the table is gone, it is NotFound; if what a change was computed
//     from has changed, it is ErrChanged. Give each a sequence number, and each table's rows a memtable.
//  3. Write all frames, sync once.
//  4. Append the rows to the memtables, in the order of the sequence numbers, then, under mu, publish
//     all of them, and the patches of changes, in one moment. Rows are thus visible only after they are durable, and in
//     commit order; a reader of two tables sees both halves of a request or none.
//  5. Wake the callers. What they do next sees their rows: the answer comes after publication.
//
// While step 3 waits for the disk, the next group gathers; the slower the disk, the larger the
// groups. Groups of asynchronous appends alone skip the sync; a timer does it, at most
// Settings.SyncInterval later.
//
// A request whose rows need another schema than there is brings it (Evolution), and is a group of its own: the schema is an edit
// between the groups, made once the rows are in memory and known to be acceptable.
//
// Everything else that changes what is visible (DDL, flush, merge) is an edit: a function run
// here between two groups. It can therefore read the state it changes without a lock, and
// nothing moves between its validation and its publication. Edits are durable through the
// catalog, appends through the log; both orders agree because one goroutine makes both.
//
// When the disk fails. A failed write is taken back by the log; exactly this group's requests
// get the error, and the next group may succeed (a full disk with space again). A failed
// sync leaves unknown what the disk holds: the requests of this group get Unknown, and the engine stops, which means that all writes
// fail from then on, and that a restart finds out. Those that come later are in no file, so they get Unavailable.
//
// Rejected: a pipeline that writes group n+1 while group n syncs. It hides only the write, a tenth of
// the sync, and then a failed sync leaves two groups in doubt.
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
			if e.budget.waiting() && e.due(true) {
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
					aged = nil // if that failed it is tried again, as late as this
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
			case <-syncDue: // a queue that never empties must not put it off
				syncDue = nil
				e.syncLog()
			default:
			}
			if e.due(e.budget.waiting()) {
				e.freezeOrLog()
			}
		}
	}
}

// due reports whether the active generation is to be frozen. For writers that wait for memory it
// is only if no other is being flushed, whose memory comes sooner: otherwise each of them would
// cut off a small generation, and the flusher would fall behind for good.
func (e *Engine) due(memoryFull bool) bool {
	if e.settings.DisableAutomaticFlush {
		return e.active.tooLong()
	}
	return memoryFull && len(e.generations) == 0 || e.active.charged >= e.settings.FlushBytes || e.active.tooLong() ||
		e.active.frames > 0 && e.now().Sub(e.active.born) >= e.settings.FlushAge
}

// tooLong reports whether a memtable nears the end of its row ordinals.
func (g *generation) tooLong() bool {
	for _, r := range g.residents {
		if r.mem.View().Rows > 1<<31 {
			return true
		}
	}
	return false
}

// freezeOrLog freezes for no caller's sake: a failure shows in the log, and to writers as
// soon as memory runs out.
func (e *Engine) freezeOrLog() {
	if err := e.freeze(); err != nil {
		e.flushFailed(err)
	}
}

// syncLog makes asynchronous appends durable.
func (e *Engine) syncLog() {
	if !e.unsynced || e.failure.Load() != nil {
		return
	}
	e.unsynced = false
	if err := e.wal.Sync(); err != nil {
		e.stop(err)
		return
	}
	e.durable()
}

// finish answers a request.
func (e *Engine) finish(r *request, o outcome) {
	if r.release != nil {
		r.release()
	}
	r.done <- o
}

// placement is where a group's rows of one table go.
type placement struct {
	resident *resident
	fresh    bool // the resident is not part of a version yet
}

// commitGroup writes, publishes and answers a group of appends.
func (e *Engine) commitGroup(group []*request) {
	places, ahead := map[base.TableID]*placement{}, newAhead()
	accepted := make([]*request, 0, len(group))
	frames := make([]wal.Frame, 0, len(group))
	seq := e.seq
	sync := false
	for _, r := range group {
		header, err := e.admit(r, seq+1, places, ahead)
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
		if err := e.place(r, places, seq+base.Seq(i)+1); err != nil {
			// The log has the rows and the memtable has not: only a restart makes them agree.
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

// refuseGroup answers the requests of a group that could not be written. On a full disk it keeps those that free space, if the reserve
// has some for them.
func (e *Engine) refuseGroup(group []*request, err error) (again []*request) {
	keep := base.KindOf(err) == base.StorageFull && slices.ContainsFunc(group, (*request).frees) && e.useReserve()
	for _, r := range group {
		if keep && r.frees() {
			again = append(again, r)
		} else {
			e.finish(r, outcome{err: err})
		}
	}
	return again
}

// releaseFresh gives up memtables that were made for requests of which none was written.
func releaseFresh(places map[base.TableID]*placement) {
	for _, p := range places {
		if p.fresh {
			p.resident.release()
		}
	}
}

// admit checks a request against the present and what requests before it in the group will have done, finds its
// tables' memtables, and returns the header of its frame.
func (e *Engine) admit(r *request, seq base.Seq, places map[base.TableID]*placement, a *ahead) (header []byte, err error) {
	if err := e.check(r, a); err != nil {
		return nil, err
	}
	for _, t := range r.tables {
		if places[t.id] != nil {
			continue
		}
		if there := e.active.residents[t.id]; there != nil {
			places[t.id] = &placement{resident: there}
			continue
		}
		source, err := e.NextSourceID()
		if err != nil {
			return nil, err
		}
		places[t.id] = &placement{newResident(e, source, e.tables[t.id].current.schema, e.active.segment), true}
	}
	header = encodeFrameHeader(r, func(id base.TableID) base.SourceID { return places[id].resident.mem.Source() })
	return header, e.foresee(r, seq, a)
}

// check compares a request with the present and what requests before it in the group will have done.
func (e *Engine) check(r *request, a *ahead) error {
	if err := e.settle(); err != nil {
		return err
	}
	if err := e.space(r); err != nil {
		e.refuse(err)
		return err
	}
	for _, t := range r.tables {
		now := e.tables[t.id]
		if now == nil {
			return base.Errorf(base.NotFound, "table %d was dropped meanwhile", t.id)
		}
		if now.current.schema.Version != t.version || now.held.Load() != nil {
			return ErrStale
		}
	}
	if err := e.checkChanges(r.changes, a); err != nil {
		return err
	}
	return e.checkProgress(r.progress, a.offsets)
}

// writeLog writes a group's frames, and syncs if one of its requests wants that.
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
	e.durable()
	return nil
}

// place appends a request's rows to the memtables, not visible yet. What is taken over is
// no longer the request's to release.
func (e *Engine) place(r *request, places map[base.TableID]*placement, seq base.Seq) error {
	for i := range r.tables {
		t := &r.tables[i]
		p := places[t.id].resident
		for len(t.rows) > 0 {
			if err := p.mem.Append(t.rows[0]); err != nil {
				return err
			}
			t.rows = t.rows[1:]
		}
		p.charge(t.charged, seq)
		r.bytes -= t.charged
		e.active.charged += t.charged
	}
	return nil
}

func (r *resident) charge(bytes int64, seq base.Seq) {
	r.charged += bytes
	if r.minSeq == 0 {
		r.minSeq = seq
	}
	r.maxSeq = seq
}

// publish makes a group visible in one moment. An error is a defect after which memory and log differ.
func (e *Engine) publish(places map[base.TableID]*placement, a *ahead, accepted []*request, before base.Seq) error {
	var old []*version
	var errs []error
	e.mu.Lock()
	for id, p := range places {
		p.resident.mem.Publish()
		if p.fresh {
			t := e.tables[id]
			v := t.current
			residents := append(v.residents[:len(v.residents):len(v.residents)], p.resident)
			old = append(old, t.installLocked(e.newVersionLocked(v.schema, v.parts, residents)))
			e.active.residents[id] = p.resident // with the reference it was made with
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
		if r.claim != nil {
			e.active.keys = append(e.active.keys, e.resolveClaim(r.claim, Result{Counts: r.counts, Seq: seq}))
		}
	}
	e.active.frames += len(accepted)
	e.seq = before + base.Seq(len(accepted))
	oldest := e.live.oldest()
	e.moves.forget(oldest)
	for id, sets := range a.sets {
		e.patchLocked(e.tables[id], sets)
		e.tables[id].forget(oldest)
	}
	for id, all := range a.written {
		e.tables[id].forget(oldest)
		for _, w := range all {
			e.tables[id].note(w)
		}
	}
	e.mu.Unlock()
	for _, v := range old {
		v.release()
	}
	return errors.Join(errs...)
}

// publishChangesLocked keeps what a request changed for those who need it besides readers: the flush of its generation, and
// whoever writes the same rows anew just now. It returns versions to release.
func (e *Engine) publishChangesLocked(r *request, seq base.Seq) (old []*version, err error) {
	if r.changes == nil {
		return nil, nil
	}
	var errs []error
	now := e.now()
	for _, tc := range r.changes.tables {
		c := committed{tc.id, seq, now, tc.gone, tc.updated, tc.expression}
		e.active.changes = append(e.active.changes, c)
		e.active.changeBytes += tc.bytes
		e.active.charged += tc.bytes
		r.bytes -= tc.bytes
		for _, m := range e.tables[tc.id].moving {
			errs = append(errs, m.add(c))
		}
		if tc.settles {
			e.tables[tc.id].settling.raise(r.changes.seq)
		}
		if c.expression != nil {
			c.expression.Seq = seq
			old = append(old, e.addExpressionLocked(e.tables[tc.id], &storedExpression{Expression: c.expression, created: now}))
		}
	}
	return old, errors.Join(errs...)
}
