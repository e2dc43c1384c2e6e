package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Evolve makes the schema changes of the given evolutions, without adding rows. It is for requests
// that commit their rows in a later edit. If a table was changed or created since its evolution was
// planned, the error is ErrSchemaChanged.
func (e *Engine) Evolve(ctx context.Context, evolutions []Evolution) error {
	if len(evolutions) == 0 {
		return nil
	}
	return e.commit(ctx, func() error { return e.evolve(evolutions) })
}

// commitEvolving first makes the schema changes that the request r needs (its evolutions), and then
// commits its rows, as commitGroup does for a group. The request is a group of its own.
func (e *Engine) commitEvolving(r *request) {
	err := e.resolveDoubt()
	if err == nil {
		err = e.checkProgress(r.progress, offsets{})
	}
	if err == nil {
		err = e.evolve(r.evolutions)
	}
	if err != nil {
		e.finish(r, outcome{err: err})
		return
	}
	e.commitGroup([]*request{r})
}

// evolve makes the schema changes of the given evolutions, in one edit. It runs in the committer.
func (e *Engine) evolve(evolutions []Evolution) error {
	created := e.now()
	var databases []string
	var schemas []catalog.SchemaName
	evolutions = slices.Clone(evolutions)
	build := func() (*catalog.Edit, error) {
		edit := &catalog.Edit{}
		for i := range evolutions {
			v := &evolutions[i]
			put := catalog.Table{Schema: v.Table, Created: created}
			if v.creates() {
				if err := e.checkFreeLocked(keyOf(v.Table.Database, v.Table.Schema, v.Table.Name), v.Table.Name); err != nil {
					return nil, errors.Join(ErrSchemaChanged, err)
				}
				e.resolveNamesLocked(&v.Table, &databases, &schemas)
				put.Schema = v.Table
			} else {
				t, err := e.tableLocked(v.Table.ID)
				if err != nil {
					return nil, err
				}
				if t.current.schema.Version+1 != v.Table.Version || t.appendHold.Load() != nil {
					return nil, ErrSchemaChanged
				}
				if v.exact != nil {
					if err := v.exact.holds(t); err != nil {
						return nil, err
					}
				}
				put.TruncatedSeq, put.Created = t.truncatedSeq, t.created
				// All rows of a memtable have the same schema version, and a generation has only
				// one memtable per table. So rows of the new version need a new generation.
				if e.active.memtables[t.id] != nil {
					if err := e.freeze(); err != nil {
						return nil, err
					}
				}
			}
			edit.PutTables = append(edit.PutTables, put)
		}
		edit.PutDatabases, edit.PutSchemas = databases, schemas
		return edit, nil
	}
	err := e.changeNow(build, func() (old []*version) {
		for _, name := range databases {
			e.databases[keyOf(name)] = name
		}
		for _, s := range schemas {
			e.schemas[keyOf(s.Database, s.Name)] = s
		}
		for _, v := range evolutions {
			if v.creates() {
				e.addTableLocked(v.Table, created)
				continue
			}
			t := e.tables[v.Table.ID]
			old = append(old, t.installLocked(e.newVersionLocked(v.Table, t.current.parts, t.current.memtables)))
		}
		return old
	})
	if errors.Is(err, ErrSchemaChanged) {
		return ErrSchemaChanged
	}
	return base.Wrap(err, "change the schema for rows")
}

// resolveNamesLocked prepares the database and the schema of a new table t. If they exist, t gets
// their names as they are spelled there. A missing one is added to databases or schemas, so that it
// is created. The caller must hold mu.
func (e *Engine) resolveNamesLocked(t *schema.Table, databases *[]string, schemas *[]catalog.SchemaName) {
	same := func(s catalog.SchemaName) func(catalog.SchemaName) bool {
		return func(o catalog.SchemaName) bool { return keyOf(s.Database, s.Name) == keyOf(o.Database, o.Name) }
	}
	made := func(s catalog.SchemaName) {
		if _, there := e.schemas[keyOf(s.Database, s.Name)]; !there && !slices.ContainsFunc(*schemas, same(s)) {
			*schemas = append(*schemas, s)
		}
	}
	if name, there := e.databases[keyOf(t.Database)]; there {
		t.Database = name
	} else {
		if !slices.ContainsFunc(*databases, func(name string) bool { return keyOf(name) == keyOf(t.Database) }) {
			*databases = append(*databases, t.Database)
		}
		made(catalog.SchemaName{Database: t.Database, Name: DefaultSchema})
	}
	if s, there := e.schemas[keyOf(t.Database, t.Schema)]; there {
		t.Schema = s.Name
	} else {
		made(catalog.SchemaName{Database: t.Database, Name: t.Schema})
	}
}

// DeduplicatedSnapshotAs returns a snapshot without superseded rows, like DeduplicatedSnapshot. In
// it the tables look as if the given evolutions (schema changes) had been made. ids may also name
// tables that an evolution creates. Changes that are computed from this snapshot must be committed
// with the same evolutions (AppendOptions.Evolutions). If a table was changed since its evolution
// was planned, the error is ErrSchemaChanged.
func (e *Engine) DeduplicatedSnapshotAs(ctx context.Context, evolutions []Evolution, ids ...base.TableID) (*snapshot.Snapshot, error) {
	if len(evolutions) == 0 {
		return e.DeduplicatedSnapshot(ctx, ids...)
	}
	s, err := e.deduplicatedExisting(ctx, existingOnly(ids, evolutions))
	if err != nil {
		return nil, err
	}
	tables := maps.Clone(s.Tables)
	for _, v := range evolutions {
		t := &snapshot.Table{}
		if !v.creates() {
			there := tables[v.Table.ID]
			if there == nil {
				continue // the caller did not ask for this table
			}
			if there.Schema.Version+1 != v.Table.Version {
				s.Release()
				return nil, ErrSchemaChanged
			}
			copied := *there
			t = &copied
		}
		// The version number 0 says that data derived from this schema must not be cached, because
		// this schema may never exist.
		t.Schema, t.Version = v.Table, 0
		t.Versions = maps.Clone(t.Versions)
		if t.Versions == nil {
			t.Versions = map[uint32]schema.Table{}
		}
		t.Versions[v.Table.Version] = v.Table
		tables[v.Table.ID] = t
	}
	return snapshot.New(s.Seq, tables, s.Release), nil
}

// deduplicatedExisting returns a snapshot without superseded rows of the given tables, all of which
// exist. It takes an empty list as no tables, while DeduplicatedSnapshot takes it as all tables.
func (e *Engine) deduplicatedExisting(ctx context.Context, ids []base.TableID) (*snapshot.Snapshot, error) {
	if len(ids) > 0 {
		return e.DeduplicatedSnapshot(ctx, ids...)
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.tables == nil {
		return nil, errClosed
	}
	return snapshot.New(e.seq, map[base.TableID]*snapshot.Table{}, e.heldSnapshots.hold(e.seq)), nil
}

// existingOnly returns those of the table ids that no evolution creates, so that their tables exist
// already.
func existingOnly(ids []base.TableID, evolutions []Evolution) []base.TableID {
	if len(evolutions) == 0 {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id base.TableID) bool {
		return slices.ContainsFunc(evolutions, func(v Evolution) bool { return v.creates() && v.Table.ID == id })
	})
}
