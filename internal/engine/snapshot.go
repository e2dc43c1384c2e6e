package engine

import (
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Snapshot returns what the given tables (all, if none is given) hold at one moment: every
// edit up to one sequence number and none after. A table that is gone is NotFound. The
// caller releases the snapshot; until then its parts' files and memtables' memory stay.
func (e *Engine) Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
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
		tables[id] = t.current.view(t.history)
	}
	held := make([]*version, 0, len(tables))
	for id := range tables {
		v := e.tables[id].current
		v.refs.Add(1) // it is current, so it has a reference that cannot go while mu is held
		held = append(held, v)
	}
	return snapshot.New(e.seq, tables, func() {
		for _, v := range held {
			v.release()
		}
	}), nil
}

// view is the version and what its memtables hold at this moment. The caller holds mu,
// under which all memtables publish.
func (v *version) view(history map[uint32]schema.Table) *snapshot.Table {
	t := &snapshot.Table{Schema: v.schema, Version: v.number, Parts: v.listed, Versions: history}
	t.Memtables = make([]memtable.View, 0, len(v.residents))
	for _, r := range v.residents {
		if view := r.mem.View(); view.Rows > 0 {
			t.Memtables = append(t.Memtables, view)
		}
	}
	return t
}
