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

// Evolve makes the schema changes of evolutions, without rows. It is for requests that commit their
// rows in another edit. If a table was changed or created since its evolution was planned, the
// error is ErrStale.
func (e *Engine) Evolve(ctx context.Context, evolutions []Evolution) error {
	if len(evolutions) == 0 {
		return nil
	}
	return e.commit(ctx, func() error { return e.evolve(evolutions) })
}

// commitEvolving first makes the schema changes of a request's evolutions, and then commits its
// rows like commitGroup. The request is a group of its own.
func (e *Engine) commitEvolving(r *request) {
	err := e.settle()
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

// evolve makes the schema changes of evolutions, in one edit. It runs in the committer.
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
			if v.makes() {
				if err := e.checkFreeLocked(keyOf(v.Table.Database, v.Table.Schema, v.Table.Name), v.Table.Name); err != nil {
					return nil, errors.Join(ErrStale, err)
				}
				e.placeLocked(&v.Table, &databases, &schemas)
				put.Schema = v.Table
			} else {
				t, err := e.tableLocked(v.Table.ID)
				if err != nil {
					return nil, err
				}
				if t.current.schema.Version+1 != v.Table.Version || t.held.Load() != nil {
					return nil, ErrStale
				}
				if v.exact != nil {
					if err := v.exact.holds(t); err != nil {
						return nil, err
					}
				}
				put.TruncatedSeq, put.Created = t.truncatedSeq, t.created
				// All rows of a memtable have one schema version, and a generation has only one
				// memtable per table. So the next rows need another generation.
				if e.active.residents[t.id] != nil {
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
			if v.makes() {
				e.addTableLocked(v.Table, created)
				continue
			}
			t := e.tables[v.Table.ID]
			old = append(old, t.installLocked(e.newVersionLocked(v.Table, t.current.parts, t.current.residents)))
		}
		return old
	})
	if errors.Is(err, ErrStale) {
		return ErrStale
	}
	return base.Wrap(err, "change the schema for rows")
}

// placeLocked prepares a new table's place: if its database and schema exist, it spells their names
// in t as they are spelled there. Otherwise it adds them to databases and schemas, to be created.
func (e *Engine) placeLocked(t *schema.Table, databases *[]string, schemas *[]catalog.SchemaName) {
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

// SettledAs returns a deduplicated snapshot in which the tables look as if the evolutions had been
// made. ids are tables as in Settled, and may name tables that an evolution creates. Changes that
// are computed from this snapshot must be committed with the same evolutions
// (AppendOptions.Evolutions). If a table was changed since its evolution was planned, the error is
// ErrStale.
func (e *Engine) SettledAs(ctx context.Context, evolutions []Evolution, ids ...base.TableID) (*snapshot.Snapshot, error) {
	if len(evolutions) == 0 {
		return e.Settled(ctx, ids...)
	}
	s, err := e.settledThere(ctx, notMade(ids, evolutions))
	if err != nil {
		return nil, err
	}
	tables := maps.Clone(s.Tables)
	for _, v := range evolutions {
		t := &snapshot.Table{}
		if !v.makes() {
			there := tables[v.Table.ID]
			if there == nil {
				continue // the caller did not ask for this table
			}
			if there.Schema.Version+1 != v.Table.Version {
				s.Release()
				return nil, ErrStale
			}
			copied := *there
			t = &copied
		}
		// Version 0 tells caches not to keep what they derive from this schema, which may never
		// exist.
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

// settledThere returns a deduplicated snapshot of the given tables, all of which exist. Unlike
// Settled, it takes an empty list as no tables instead of all tables.
func (e *Engine) settledThere(ctx context.Context, ids []base.TableID) (*snapshot.Snapshot, error) {
	if len(ids) > 0 {
		return e.Settled(ctx, ids...)
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.tables == nil {
		return nil, errClosed
	}
	return snapshot.New(e.seq, map[base.TableID]*snapshot.Table{}, e.live.hold(e.seq)), nil
}

// notMade returns those of the ids whose table exists, because no evolution creates it.
func notMade(ids []base.TableID, evolutions []Evolution) []base.TableID {
	if len(evolutions) == 0 {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id base.TableID) bool {
		return slices.ContainsFunc(evolutions, func(v Evolution) bool { return v.makes() && v.Table.ID == id })
	})
}
