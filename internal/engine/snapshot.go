package engine

import (
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Snapshot returns the given tables at one moment, or all tables if none is given. The snapshot has
// every edit up to one sequence number, and none after. If a table does not exist, the error is
// NotFound. The caller releases the snapshot. Until then the files of its parts stay, and so does
// the memory of its memtables.
func (e *Engine) Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.snapshotLocked(ids)
}

func (e *Engine) snapshotLocked(ids []base.TableID) (*snapshot.Snapshot, error) {
	if e.tables == nil {
		return nil, errClosed
	}
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(e.tables))
	}
	tables := make(map[base.TableID]*snapshot.Table, len(ids))
	for _, id := range ids {
		t, err := e.tableLocked(id)
		if err != nil {
			return nil, err
		}
		tables[id] = t.view()
	}
	held := make([]*version, 0, len(tables))
	for id := range tables {
		v := e.tables[id].current
		v.refs.Add(1) // a current version has a reference, which is not released while mu is held
		held = append(held, v)
	}
	forget := e.heldSnapshots.hold(e.seq)
	return snapshot.New(e.seq, tables, func() {
		forget()
		for _, v := range held {
			v.release()
		}
	}), nil
}

// storedLocked returns a snapshot of a table's parts, without its memtables. It is for readers that
// take long. It does not hold memory for which writers wait, and does not make the engine retain
// write sets or remaps. The caller holds mu.
func (e *Engine) storedLocked(t *table) *snapshot.Snapshot {
	view, parts := t.view(), t.current.parts
	view.Memtables = nil
	// The parts are in a current version, so they have at least one reference already.
	for _, p := range parts {
		p.refs.Add(1)
	}
	return snapshot.New(e.seq, map[base.TableID]*snapshot.Table{t.id: view}, func() {
		for _, p := range parts {
			p.release(e)
		}
	})
}

// view returns the table in the form that a snapshot has: the current version, the rows of its
// memtables, and its patches. The caller holds mu, so all of them are from the same moment.
func (t *table) view() *snapshot.Table {
	v := t.current
	s := &snapshot.Table{Schema: v.schema, Version: v.number, Parts: v.listed, Versions: t.history, Patches: t.patches, Expressions: t.expressionsLocked()}
	if t.dedup != nil {
		s.DedupedThrough = t.dedup.dedupedThrough
	}
	s.Memtables = make([]memtable.View, 0, len(v.memtables))
	for _, r := range v.memtables {
		if view := r.mem.View(); view.Rows > 0 {
			view.MinSeq = r.minSeq
			s.Memtables = append(s.Memtables, view)
		}
	}
	return s
}
