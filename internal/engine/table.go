package engine

import (
	"context"
	"errors"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// CreateTable creates a table. It sets the ids of the table and of its columns, as schema.New does.
// If a table or view of that name exists, the error is Conflict. With ifNotExists, an existing
// table is returned instead.
func (e *Engine) CreateTable(ctx context.Context, t schema.Table, ifNotExists bool) (schema.Table, error) {
	created := e.now()
	build := func() (*catalog.Edit, error) {
		if err := e.checkSchemaLocked(t.Database, t.Schema); err != nil {
			return nil, err
		}
		in := e.schemas[keyOf(t.Database, t.Schema)]
		t.Database, t.Schema = in.Database, in.Name
		key := keyOf(t.Database, t.Schema, t.Name)
		if id, ok := e.names[key]; ok && ifNotExists {
			t = e.tables[id].current.schema
			return nil, nil
		}
		if err := e.checkFreeLocked(key, t.Name); err != nil {
			return nil, err
		}
		var err error
		if t, err = schema.New(t); err != nil {
			return nil, err
		}
		if t.ID, err = e.newTableID(); err != nil {
			return nil, err
		}
		return &catalog.Edit{PutTables: []catalog.Table{{Schema: t, Created: created}}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.addTableLocked(t, created)
		return nil
	})
	if err != nil {
		return schema.Table{}, base.Wrap(err, "create table")
	}
	return t, nil
}

// newTableID returns an id for a new table that no table in the catalog has ever had. If no edit of
// the catalog follows, the same id may be returned again after a restart.
func (e *Engine) newTableID() (base.TableID, error) {
	for {
		id := e.nextTable.Load()
		if base.TableID(id) == ^base.TableID(0) {
			return 0, base.Errorf(base.Invalid, "all table ids are used up")
		}
		if e.nextTable.CompareAndSwap(id, id+1) {
			return base.TableID(id), nil
		}
	}
}

// addTableLocked adds an empty table to the engine's state in memory. The catalog has the table
// already. The caller must hold mu.
func (e *Engine) addTableLocked(t schema.Table, created time.Time) {
	state := &table{id: t.ID, created: created, history: map[uint32]schema.Table{}, lock: newTableLock()}
	if t.MergeOnRead {
		state.dedup = newDedupState(0)
	}
	state.installLocked(e.newVersionLocked(t, nil, nil))
	e.tables[t.ID] = state
	e.names[keyOf(t.Database, t.Schema, t.Name)] = t.ID
}

// checkFreeLocked returns a Conflict error if a table or view of that name exists. The caller must
// hold mu.
func (e *Engine) checkFreeLocked(key nameKey, name string) error {
	if _, ok := e.names[key]; ok {
		return base.Errorf(base.Conflict, "table %q already exists", name)
	}
	if _, ok := e.views[key]; ok {
		return base.Errorf(base.Conflict, "%q is a view", name)
	}
	return nil
}

// DropTable drops a table with its rows. Snapshots that have the table stay readable.
func (e *Engine) DropTable(ctx context.Context, id base.TableID) error {
	err := e.change(ctx, func() (*catalog.Edit, error) {
		t, err := e.tableLocked(id)
		if err != nil {
			return nil, err
		}
		if err := e.checkNotExported(t, "dropped"); err != nil {
			return nil, err
		}
		return &catalog.Edit{DropTables: []base.TableID{id}}, nil
	}, func() []*version {
		return []*version{e.forgetTableLocked(e.tables[id])}
	})
	return base.Wrap(err, "drop table")
}

// AlterTable replaces a table's schema by the result of the function alter (see the methods of
// schema.Table). It calls alter once with the current schema. That happens in the committer, so
// nothing else changes at the same time. If alter returns a schema of the same version, nothing
// changes. Existing rows keep the schema version with which they were written.
func (e *Engine) AlterTable(ctx context.Context, id base.TableID, alter func(schema.Table) (schema.Table, error)) (schema.Table, error) {
	var next schema.Table
	var t *table
	build := func() (edit *catalog.Edit, err error) {
		if t, err = e.tableLocked(id); err != nil {
			return nil, err
		}
		now := t.current.schema
		if next, err = alter(now); err != nil {
			return nil, err
		}
		if next.Version == now.Version {
			return nil, nil
		}
		if next.ID != id || next.Version != now.Version+1 || next.Database != now.Database || next.Schema != now.Schema {
			return nil, base.Errorf(base.Internal, "table %s version %d becomes table %d version %d", now.QualifiedName(), now.Version, next.ID, next.Version)
		}
		if key := keyOf(next.Database, next.Schema, next.Name); key != keyOf(now.Database, now.Schema, now.Name) {
			if err := e.checkFreeLocked(key, next.Name); err != nil {
				return nil, err
			}
		}
		if !batch.SamePartitions(now, next) {
			if err := e.checkNotExported(t, "partitioned differently"); err != nil {
				return nil, err
			}
		}
		// All rows of a memtable have the same schema version, and a generation has only one
		// memtable per table. So rows of the new version need a new generation.
		if e.active.memtables[id] != nil {
			if err := e.freeze(); err != nil {
				return nil, err
			}
		}
		return &catalog.Edit{PutTables: []catalog.Table{{Schema: next, TruncatedSeq: t.truncatedSeq, Created: t.created}}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		v := t.current
		delete(e.names, keyOf(v.schema.Database, v.schema.Schema, v.schema.Name))
		e.names[keyOf(next.Database, next.Schema, next.Name)] = id
		return []*version{t.installLocked(e.newVersionLocked(next, v.parts, v.memtables))}
	})
	if err != nil {
		return schema.Table{}, base.Wrap(err, "alter table")
	}
	return next, nil
}

// RenameTable gives a table another name in its schema. If a table or view of that name exists, the
// error is Conflict.
func (e *Engine) RenameTable(ctx context.Context, id base.TableID, name string) (schema.Table, error) {
	return e.AlterTable(ctx, id, func(t schema.Table) (schema.Table, error) { return t.Rename(name) })
}

// CountingTime is how long TRUNCATE may look for superseded rows among the rows that it has
// removed. It does so because superseded rows do not count as removed.
const CountingTime = 10 * time.Second

// Truncate removes all rows of a table that are committed when it runs. It returns a snapshot of
// the table before the removal, without superseded rows, for example to count its rows. The caller
// releases the snapshot. If superseded rows cannot be looked up, the rows are removed nevertheless,
// and the snapshot may show several rows of a key.
func (e *Engine) Truncate(ctx context.Context, id base.TableID) (removed *snapshot.Snapshot, err error) {
	states, release, err := e.acquireLookUps(ctx, []base.TableID{id})
	if err != nil {
		return nil, base.Wrap(err, "truncate table")
	}
	defer release()
	var remaps map[base.TableID][]dedupRemap
	err = e.truncate(ctx, id, func() (err error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		removed, remaps, err = e.beginDeduplicatedLocked([]base.TableID{id}, states)
		return err
	})
	if err != nil {
		if removed != nil {
			removed.Release()
		}
		return nil, base.Wrap(errors.Join(err, remapAllSuperseded(states, remaps)), "truncate table")
	}
	removed.Retain()
	// Continue even if ctx has ended: the rows are removed already, whether the caller still waits
	// or not.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), CountingTime)
	defer cancel()
	shown, err := e.finishDeduplicated(late, removed, states, remaps)
	if err != nil {
		e.log.Error("the truncated rows could not be counted", "table", removed.Tables[id].Schema.QualifiedName(), "error", err)
		return removed, nil
	}
	removed.Release()
	return shown, nil
}

// truncate removes the rows of a table in one edit. It calls the function look just before the edit
// changes anything.
func (e *Engine) truncate(ctx context.Context, id base.TableID, look func() error) error {
	var t *table
	var seq base.Seq
	return e.change(ctx, func() (edit *catalog.Edit, err error) {
		if t, err = e.tableLocked(id); err == nil {
			err = look()
		}
		if err != nil {
			return nil, err
		}
		seq = e.seq
		edit = &catalog.Edit{PutTables: []catalog.Table{{Schema: t.current.schema, TruncatedSeq: seq, Created: t.created}}}
		for _, p := range t.current.parts {
			edit.RemoveParts = append(edit.RemoveParts, p.ID)
		}
		t.removeExpressions(edit, nil)
		return edit, nil
	}, func() []*version {
		e.detachLocked(t)
		t.truncatedSeq = seq
		t.addWriteSet(writeSet{seq: e.seq, allColumns: true})
		return []*version{t.installLocked(e.newVersionLocked(t.current.schema, nil, nil))}
	})
}
