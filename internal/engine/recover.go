package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/wal"
)

// recover replays the log. Each segment that is not flushed becomes a frozen generation (a segment
// with its memtables, which get no more rows). The generation has the same memtables, rowset ids,
// row numbers and schema versions as before the restart. Rows are not converted to newer schema
// versions: memtables of older versions are read like parts of older versions. Frames of dropped
// tables, and frames from before a TRUNCATE of their table, are left out.
//
// When all rows are restored, recover removes files that the catalog does not list, and begins a
// new segment.
func (e *Engine) recover(state catalog.State) error {
	if err := e.checkSegments(state); err != nil {
		return err
	}
	result, err := replayLog(e.fs, e.walDir(), func(segment base.SegmentID, seq base.Seq) bool {
		e.seq = max(e.seq, seq)
		return segment > state.FlushedThrough
	}, e.decodeRun, e.replay)
	if err != nil {
		return err
	}
	if err := wal.PrepareForWriting(e.fs, e.walDir(), result); err != nil {
		return err
	}
	for _, g := range e.generations {
		e.showReplayed(g)
	}
	if err := e.removeOrphans(); err != nil {
		return err
	}
	if err := wal.RemoveBefore(e.fs, e.walDir(), state.FlushedThrough+1); err != nil {
		return err
	}
	after := result.End
	after.Seq = e.seq
	if err := e.openLog(after); err != nil {
		return err
	}
	e.recordDurable()
	e.writeMark()
	return nil
}

// checkSegments returns a Corrupt error if a segment of the log is missing. It compares the
// existing segments with the catalog. A segment is flushed only after the next one exists, and the
// newest segment is never removed. The first segment is created before the catalog has anything. So
// the segment after the last flushed one must exist.
func (e *Engine) checkSegments(state catalog.State) error {
	ids, err := wal.List(e.fs, e.walDir())
	if err != nil {
		return err
	}
	next := state.FlushedThrough + 1
	if len(ids) > 0 && ids[0] <= next && next <= ids[len(ids)-1] {
		// Other missing segments are noticed later: wal.Replay compares the log with its mark, a
		// file that records up to where the log was durable.
		return nil
	}
	if len(ids) == 0 && next == 1 && len(state.Databases) == 0 && state.Counters.NextTable == 1 {
		return nil // this is a new data directory
	}
	return base.Errorf(base.Corrupt, "%s is missing: the catalog has all earlier rows, but rows that were acknowledged later are lost", wal.SegmentPath(e.walDir(), next)).
		WithHint("put the log back, or restore a backup")
}

// replay adds a run of decoded frames (consecutive frames of the log) to the generation of their
// segment, which is not visible yet. It adds all rows of the run before the run's changes. That is
// right because changes identify the rows that they modify by address.
func (e *Engine) replay(run *replayedRun) error {
	g := e.generationOf(run.segment)
	for _, rows := range run.rows {
		if err := e.replayRows(g, rows); err != nil {
			return base.Wrap(err, "segment %d: edits %d to %d", run.segment, rows.first, rows.last)
		}
	}
	for _, f := range run.frames {
		g.frames++
		if f.key != "" {
			before := e.keys[f.key]
			c := &idempotencyRecord{key: f.key, hash: f.hash, expires: f.expires, done: make(chan struct{}), stored: before != nil && before.stored}
			e.keys[f.key] = c
			g.keys = append(g.keys, e.resolveKey(c, Result{Counts: f.counts, Seq: f.seq}))
		}
		err := e.replayProgress(g, f.progress)
		if err == nil {
			err = e.replayChanges(g, f.seq, f.changes)
		}
		if err != nil {
			return base.Wrap(err, "segment %d: edit %d", run.segment, f.seq)
		}
	}
	return nil
}

// generationOf returns the generation of a segment (the segment and its memtables). If there is
// none yet, generationOf adds one as the newest.
func (e *Engine) generationOf(segment base.SegmentID) *generation {
	if n := len(e.generations); n > 0 && e.generations[n-1].segment == segment {
		return e.generations[n-1]
	}
	g := newGeneration(segment)
	g.born = e.now()
	e.generations = append(e.generations, g)
	return g
}

// replayRows adds rows to the same memtable (by id) that had them before the restart. If the
// memtable does not exist yet, it creates it.
func (e *Engine) replayRows(g *generation, rows *replayedRows) error {
	in := rows.in
	r := g.memtables[in.id]
	if r == nil {
		r = newMemtableRef(e, in.memtable, rows.table, g.segment)
		g.memtables[in.id] = r
	}
	if r.mem.Rowset() != in.memtable || r.mem.Schema().Version != in.version {
		return base.Errorf(base.Corrupt, "rows of rowset %d version %d among those of rowset %d version %d",
			in.memtable, in.version, r.mem.Rowset(), r.mem.Schema().Version)
	}
	for _, plan := range rows.plans {
		copied, err := e.pool.Fill(plan)
		if err != nil {
			return err
		}
		if err := r.mem.Append(copied); err != nil {
			copied.Release()
			return err
		}
		charged := plan.ChargeBytes()
		r.addReserved(charged, rows.first)
		g.reserved += charged
		e.memory.Rows.Charge(charged)
	}
	r.addReserved(0, rows.last)
	return nil
}

// showReplayed makes a replayed generation visible: it adds its memtables to the current versions
// of their tables.
func (e *Engine) showReplayed(g *generation) {
	for _, id := range g.tables() {
		r, t := g.memtables[id], e.tables[id]
		r.mem.Publish()
		v := t.current
		t.installLocked(e.newVersionLocked(v.schema, v.parts, append(slices.Clone(v.memtables), r))).release()
	}
}
