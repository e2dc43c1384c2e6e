package engine

import (
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Snapshot returns the given tables, or all tables if none is given, at one moment: with every edit
// up to one sequence number and none after. If a table does not exist, the error is NotFound. The
// caller releases the snapshot. Until then the files of its parts stay, and the memory of its
// memtables.
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
	forget := e.live.hold(e.seq)
	return snapshot.New(e.seq, tables, func() {
		forget()
		for _, v := range held {
			v.release()
		}
	}), nil
}

// storedLocked returns a snapshot of a table's parts, without its memtables. It is for readers that
// take long: it holds no memory for which writers wait, and makes the engine retain neither write
// sets nor remaps. The caller holds mu.
func (e *Engine) storedLocked(t *table) *snapshot.Snapshot {
	view, parts := t.view(), t.current.parts
	view.Memtables = nil
	// The parts are in a current version, so they have at least one reference.
	for _, p := range parts {
		p.refs.Add(1)
	}
	return snapshot.New(e.seq, map[base.TableID]*snapshot.Table{t.id: view}, func() {
		for _, p := range parts {
			p.release(e)
		}
	})
}

// view returns the table as a snapshot has it: the current version, the rows of its memtables, and
// its patches. The caller holds mu, under which all of these are published.
func (t *table) view() *snapshot.Table {
	v := t.current
	s := &snapshot.Table{Schema: v.schema, Version: v.number, Parts: v.listed, Versions: t.history, Patches: t.patches, Expressions: t.expressionsLocked()}
	if t.settling != nil {
		s.Settled = t.settling.upTo
	}
	s.Memtables = make([]memtable.View, 0, len(v.residents))
	for _, r := range v.residents {
		if view := r.mem.View(); view.Rows > 0 {
			view.MinSeq = r.minSeq
			s.Memtables = append(s.Memtables, view)
		}
	}
	return s
}
