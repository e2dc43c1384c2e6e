package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/wal"
)

// recover replays the log. Each segment after the flushed ones becomes a frozen generation, with
// the memtables, rowset ids, row ordinals and schema versions that it had before. Rows are not
// conformed again: memtables of older versions are read like parts of older versions. Frames of
// dropped tables, and frames from before a TRUNCATE of their table, are left out.
//
// When all rows are there again, recover removes files that the catalog does not list, and begins a
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
	if err := wal.Settle(e.fs, e.walDir(), result); err != nil {
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
	e.durable()
	e.writeMark()
	return nil
}

// checkSegments returns a Corrupt error if a segment of the log was lost. It compares the existing
// segments with the catalog. A segment is flushed only after the next one exists, the newest
// segment is never removed, and the first segment is created before the catalog has anything. So
// the segment after the flushed ones must exist.
func (e *Engine) checkSegments(state catalog.State) error {
	ids, err := wal.List(e.fs, e.walDir())
	if err != nil {
		return err
	}
	next := state.FlushedThrough + 1
	if len(ids) > 0 && ids[0] <= next && next <= ids[len(ids)-1] {
		return nil // whether later segments are missing is checked against the log's mark
	}
	if len(ids) == 0 && next == 1 && len(state.Databases) == 0 && state.Counters.NextTable == 1 {
		return nil // a new data directory
	}
	return base.Errorf(base.Corrupt, "%s is missing: the catalog has what came before it, and rows that were acknowledged later are lost", wal.SegmentPath(e.walDir(), next)).
		WithHint("put the log back, or restore a backup")
}

// replay adds a run of decoded frames to the generation of their segment, which is not visible yet.
// All rows of the run are added before its changes. That is right because changes name the rows
// that they modify by address.
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
			c := &claim{key: f.key, hash: f.hash, expires: f.expires, done: make(chan struct{}), stored: before != nil && before.stored}
			e.keys[f.key] = c
			g.keys = append(g.keys, e.resolveClaim(c, Result{Counts: f.counts, Seq: f.seq}))
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

// generationOf returns the generation of a segment. It is the newest generation, or is added now.
func (e *Engine) generationOf(segment base.SegmentID) *generation {
	if n := len(e.generations); n > 0 && e.generations[n-1].segment == segment {
		return e.generations[n-1]
	}
	g := newGeneration(segment)
	g.born = e.now()
	e.generations = append(e.generations, g)
	return g
}

// replayRows adds rows to the memtable that had them before the restart, and creates it if
// necessary.
func (e *Engine) replayRows(g *generation, rows *replayedRows) error {
	in := rows.in
	r := g.residents[in.id]
	if r == nil {
		r = newResident(e, in.source, rows.table, g.segment)
		g.residents[in.id] = r
	}
	if r.mem.Source() != in.source || r.mem.Schema().Version != in.version {
		return base.Errorf(base.Corrupt, "rows of source %d version %d among those of source %d version %d",
			in.source, in.version, r.mem.Source(), r.mem.Schema().Version)
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
		r.charge(charged, rows.first)
		g.charged += charged
		e.budget.force(charged)
	}
	r.charge(0, rows.last)
	return nil
}

// showReplayed adds the memtables of a replayed generation to the current versions of their tables.
func (e *Engine) showReplayed(g *generation) {
	for _, id := range g.tables() {
		r, t := g.residents[id], e.tables[id]
		r.mem.Publish()
		v := t.current
		t.installLocked(e.newVersionLocked(v.schema, v.parts, append(slices.Clone(v.residents), r))).release()
	}
}
