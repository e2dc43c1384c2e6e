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
// The simple design would do this under one lock: check a request against the schema, write it to
// the log, sync, put the rows where queries find them, answer. That is correct, but one fsync per
// request makes it slow: a few hundred requests a second on a good disk, while all other cores are
// idle.
//
// So the work is divided. Work that needs only the request is done before, in the callers'
// goroutines: conforming the rows to the schema, copying them into mapped memory, encoding the log
// record. Work that must be done in one order is done here, in one goroutine. It takes all requests
// that wait at the moment as one group:
//
//  1. Take the waiting requests, up to Settings.GroupBytes.
//  2. Validate each request. If the schema of its table changed since its rows were conformed, the
//     caller gets ErrStale and conforms the rows again. If the table was dropped, the error is
//     NotFound. If what a change was computed from has changed, the error is ErrChanged. Give each
//     request a sequence number, and choose the memtable of each table's rows.
//  3. Write the frames of all requests to the log, and sync once.
//  4. Append the rows to the memtables, in the order of the sequence numbers. Then publish all
//     rows, and the patches of changes, in one moment (under mu). So rows become visible only after
//     they are durable, and in commit order, and a reader of two tables sees both halves of a
//     request or neither.
//  5. Wake the callers. Since the answer follows the publication, the next request of a caller sees
//     its rows.
//
// While step 3 waits for the disk, the next group gathers in the queue. The slower the disk, the
// larger the groups. If all requests of a group are asynchronous, the sync is skipped, and a timer
// syncs at most Settings.SyncInterval later.
//
// A request whose rows need another schema has an Evolution, and is a group of its own. One edit
// changes the schema just before the rows are committed, when the rows are in memory and known to
// be acceptable.
//
// Everything else that changes what is visible (DDL, flush, merge) is an edit: a function that runs
// here between two groups. So it can read the state that it changes without a lock, and nothing
// changes between its validation and its publication. Edits are made durable by the catalog,
// appends by the log. Both have the same order because one goroutine makes both.
//
// If a write to the log fails, the log undoes it. Only the requests of that group get the error,
// and the next group may succeed, for example when a full disk has space again. If a sync fails, it
// is unknown what the disk has. The requests of the group get Unknown, and the engine stops: all
// writes fail from then on, until a restart finds out. The error of later requests is Unavailable,
// since they are in no file.
//
// Rejected alternative: a pipeline that writes group n+1 while group n syncs. It saves only the
// time of the write, a tenth of that of the sync, and then a failed sync leaves two groups in
// doubt.
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
					aged = nil // if freezing failed, try again after another FlushAge
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
			case <-syncDue: // checked here too, because the queue may never be empty
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

// due reports whether to freeze the active generation now. memoryFull says that writers wait for
// memory. That is a reason only if no other generation waits for its flush, which would free memory
// sooner. Otherwise each waiting writer would freeze a small generation, and flushes would never
// catch up.
func (e *Engine) due(memoryFull bool) bool {
	if e.settings.DisableAutomaticFlush {
		return e.active.tooLong()
	}
	return memoryFull && len(e.generations) == 0 || e.active.charged >= e.settings.FlushBytes || e.active.tooLong() ||
		e.active.frames > 0 && e.now().Sub(e.active.born) >= e.settings.FlushAge
}

// tooLong reports whether a memtable of the generation has used half of the ordinals that a rowset
// can have.
func (g *generation) tooLong() bool {
	for _, r := range g.residents {
		if r.mem.View().Rows > 1<<31 {
			return true
		}
	}
	return false
}

// freezeOrLog freezes the active generation on the engine's own account, so a failure has no
// caller: it is logged. Writers get the error once memory runs out.
func (e *Engine) freezeOrLog() {
	if err := e.freeze(); err != nil {
		e.flushFailed(err)
	}
}

// syncLog syncs the log, which makes asynchronous appends durable.
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

// finish releases what a request still owns, and sends the outcome to its caller.
func (e *Engine) finish(r *request, o outcome) {
	if r.release != nil {
		r.release()
	}
	r.done <- o
}

// placement says which memtable gets the rows of one table in a group of requests.
type placement struct {
	resident *resident
	fresh    bool // the memtable was created for this group: it is in no version yet
}

// commitGroup validates, writes, publishes and answers a group of appends and changes: steps 2 to 5
// of runCommitter.
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
			// The log has the rows but the memtable does not. Only a restart can make them agree.
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

// refuseGroup answers requests whose write failed with err. If the disk is full and there is a
// reserve file, it removes the file, and returns the requests that only free space without an
// answer: the caller writes them again.
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

// releaseFresh releases the memtables that were created for a group. It is called if the group was
// not written.
func releaseFresh(places map[base.TableID]*placement) {
	for _, p := range places {
		if p.fresh {
			p.resident.release()
		}
	}
}

// admit checks a request (see check), finds or creates the memtables for its rows, and adds it to
// the pending writes a. It returns the header of the request's log frame. seq is the request's
// sequence number.
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

// check returns an error if a request cannot be committed in the present state, or conflicts with
// the requests before it in the group, whose pending writes a has.
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

// writeLog writes a group's frames, and syncs the log if sync is set.
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

// place appends a request's rows to the memtables, which own them from then on. Readers do not see
// them yet: see publish. seq is the request's sequence number.
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

// publish makes the rows and changes of a group visible in one moment. Any error is a defect, after
// which memory and log differ. before is the sequence number before the group.
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
			// The reference that newResident returned now belongs to the generation.
			e.active.residents[id] = p.resident
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

// publishChangesLocked makes what a request changed visible. It also records the changes for the
// flush of the generation, and for rewrites that run at the moment. The caller releases the
// returned versions.
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
