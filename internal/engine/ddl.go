package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// DefaultSchema is the name of the schema that every database has from the beginning, as in DuckDB.
const DefaultSchema = "main"

// change runs one edit in the committer. The function build validates the edit against the present
// state, and returns what to write to the catalog, or nil if there is nothing to do. After the
// catalog has stored the edit, the function publish is called with mu held. It changes the state in
// memory and returns the old versions of tables. change releases these versions.
func (e *Engine) change(ctx context.Context, build func() (*catalog.Edit, error), publish func() []*version) error {
	return e.commit(ctx, func() error { return e.changeNow(build, publish) })
}

// changeNow does the same as change, for a caller that already runs in the committer.
func (e *Engine) changeNow(build func() (*catalog.Edit, error), publish func() []*version) error {
	if err := e.writable(); err != nil {
		return err
	}
	edit, err := build()
	if err != nil || edit == nil {
		return err
	}
	if !edit.FreesSpace() {
		if err := e.checkSpace(); err != nil {
			return err
		}
	}
	edit.Counters.NextTable, edit.Counters.NextSource, edit.Counters.NextExport = base.TableID(e.nextTable.Load()), e.nextSource, e.nextExport
	edit.Counters.NextSeq = e.seq + 2
	if err := e.apply(*edit); err != nil {
		return err
	}
	e.mu.Lock()
	e.seq++
	old := publish()
	e.mu.Unlock()
	for _, v := range old {
		v.release()
	}
	return nil
}

// checkNames returns an error if one of the names is not allowed for a database, schema or table.
func checkNames(database, schemaName, name string) error {
	return schema.Table{Database: database, Schema: schemaName, Name: name, NextColumnID: 2,
		Columns: []schema.Column{{ID: 1, Name: "c", Type: schema.Of(schema.Boolean)}}}.Validate()
}

// CreateDatabase creates a database with the schema "main". If the database exists already, the
// error is Conflict, or nil with ifNotExists.
func (e *Engine) CreateDatabase(ctx context.Context, name string, ifNotExists bool) error {
	build := func() (*catalog.Edit, error) {
		if there, ok := e.databases[keyOf(name)]; ok {
			if ifNotExists {
				return nil, nil
			}
			return nil, base.Errorf(base.Conflict, "database %q already exists", there)
		}
		if err := checkNames(name, DefaultSchema, "t"); err != nil {
			return nil, err
		}
		return &catalog.Edit{PutDatabases: []string{name}, PutSchemas: []catalog.SchemaName{{Database: name, Name: DefaultSchema}}}, nil
	}
	if ifNotExists && e.hasName(keyOf(name)) {
		return nil
	}
	return e.change(ctx, build, func() []*version {
		e.databases[keyOf(name)] = name
		e.schemas[keyOf(name, DefaultSchema)] = catalog.SchemaName{Database: name, Name: DefaultSchema}
		return nil
	})
}

// CreateSchema creates a schema in an existing database. If the schema exists already, the error is
// Conflict, or nil with ifNotExists.
func (e *Engine) CreateSchema(ctx context.Context, database, name string, ifNotExists bool) error {
	put := catalog.SchemaName{Name: name}
	build := func() (*catalog.Edit, error) {
		var ok bool
		if put.Database, ok = e.databases[keyOf(database)]; !ok {
			return nil, base.Errorf(base.NotFound, "database %q does not exist", database)
		}
		if _, ok := e.schemas[keyOf(database, name)]; ok {
			if ifNotExists {
				return nil, nil
			}
			return nil, base.Errorf(base.Conflict, "schema %q already exists in database %q", name, database)
		}
		if err := checkNames(put.Database, name, "t"); err != nil {
			return nil, err
		}
		return &catalog.Edit{PutSchemas: []catalog.SchemaName{put}}, nil
	}
	if ifNotExists && e.hasName(keyOf(database, name)) {
		return nil
	}
	return e.change(ctx, build, func() []*version {
		e.schemas[keyOf(database, name)] = put
		return nil
	})
}

// hasName reports whether the database or schema with this name exists.
func (e *Engine) hasName(key nameKey) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if key.schema == "" {
		_, ok := e.databases[key]
		return ok
	}
	_, ok := e.schemas[key]
	return ok
}

// DropDatabase drops a database. If the database is not empty and cascade is false, the error is
// Conflict. If it does not exist, the error is NotFound.
func (e *Engine) DropDatabase(ctx context.Context, name string, cascade bool) error {
	return e.dropNamespace(ctx, keyOf(name), cascade, func() error {
		if _, ok := e.databases[keyOf(name)]; !ok {
			return base.Errorf(base.NotFound, "database %q does not exist", name)
		}
		return nil
	})
}

// DropSchema drops a schema. If the schema is not empty and cascade is false, the error is
// Conflict. If it does not exist, the error is NotFound.
func (e *Engine) DropSchema(ctx context.Context, database, name string, cascade bool) error {
	return e.dropNamespace(ctx, keyOf(database, name), cascade, func() error { return e.checkSchemaLocked(database, name) })
}

// dropNamespace drops the schema or database named by what, and everything in it. The function
// exists returns an error if the schema or database does not exist.
func (e *Engine) dropNamespace(ctx context.Context, what nameKey, cascade bool, exists func() error) error {
	within := func(key nameKey) bool {
		return key.database == what.database && (what.schema == "" || key.schema == what.schema)
	}
	var edit catalog.Edit
	build := func() (*catalog.Edit, error) {
		if err := exists(); err != nil {
			return nil, err
		}
		edit = catalog.Edit{}
		for key, id := range e.names {
			if within(key) {
				edit.DropTables = append(edit.DropTables, id)
			}
		}
		for key, v := range e.views {
			if within(key) {
				edit.DropViews = append(edit.DropViews, v.Name)
			}
		}
		for key, id := range e.sourceNames {
			if within(key) {
				edit.DropSources = append(edit.DropSources, id)
			}
		}
		for id, x := range e.exports {
			if within(keyOfExport(x.Name)) || slices.Contains(edit.DropTables, x.Table) {
				edit.DropExports = append(edit.DropExports, id)
			}
		}
		if n := len(edit.DropTables) + len(edit.DropViews) + len(edit.DropSources) + len(edit.DropExports); n > 0 && !cascade {
			return nil, base.Errorf(base.Conflict, "%d tables, views, sources and exports would be dropped too", n).WithHint("add CASCADE to drop them too")
		}
		slices.Sort(edit.DropTables)
		slices.Sort(edit.DropSources)
		slices.Sort(edit.DropExports)
		for key, s := range e.schemas {
			if within(key) {
				edit.DropSchemas = append(edit.DropSchemas, s)
			}
		}
		if what.schema == "" {
			edit.DropDatabases = []string{e.databases[what]}
		}
		return &edit, nil
	}
	return e.change(ctx, build, func() []*version {
		maps.DeleteFunc(e.views, func(key nameKey, _ catalog.View) bool { return within(key) })
		maps.DeleteFunc(e.schemas, func(key nameKey, _ catalog.SchemaName) bool { return within(key) })
		if what.schema == "" {
			delete(e.databases, what)
		}
		for _, id := range edit.DropSources {
			e.forgetSourceLocked(id)
		}
		for _, id := range edit.DropExports {
			delete(e.exports, id)
		}
		var old []*version
		for _, id := range edit.DropTables {
			old = append(old, e.forgetTableLocked(e.tables[id]))
		}
		return old
	})
}

// forgetTableLocked removes a dropped table from the engine's state in memory. The caller must hold
// mu. It releases the returned last version of the table.
func (e *Engine) forgetTableLocked(t *table) *version {
	s := t.current.schema
	delete(e.names, keyOf(s.Database, s.Schema, s.Name))
	delete(e.tables, t.id)
	e.detachLocked(t)
	return t.current
}

// detachLocked is called when a table is dropped or truncated. It makes the table's parts and
// memtables garbage: they are removed when their last reader ends. A flush leaves out such
// memtables, because no current version has them. The caller must hold mu.
func (e *Engine) detachLocked(t *table) {
	e.unpatchLocked(t)
	for _, p := range t.current.parts {
		e.retire(t, p)
	}
	for _, g := range append(e.generations[:len(e.generations):len(e.generations)], e.active) {
		if r := g.memtables[t.id]; r != nil {
			delete(g.memtables, t.id)
			// This drops the reference of the generation; the table's version still has one.
			r.release()
		}
	}
}

// PutView creates a view. If a view of that name exists, PutView replaces it if the argument
// replace is true, and otherwise returns a Conflict. If a table has that name, the error is always
// Conflict.
func (e *Engine) PutView(ctx context.Context, v catalog.View, replace bool) error {
	key := keyOf(v.Name.Database, v.Name.Schema, v.Name.Name)
	v.Created = e.now()
	build := func() (*catalog.Edit, error) {
		if err := e.checkSchemaLocked(v.Name.Database, v.Name.Schema); err != nil {
			return nil, err
		}
		if err := checkNames(v.Name.Database, v.Name.Schema, v.Name.Name); err != nil {
			return nil, err
		}
		in := e.schemas[keyOf(v.Name.Database, v.Name.Schema)]
		v.Name.Database, v.Name.Schema = in.Database, in.Name
		if _, ok := e.names[key]; ok {
			return nil, base.Errorf(base.Conflict, "%q is a table", v.Name.Name)
		}
		edit := catalog.Edit{PutViews: []catalog.View{v}}
		if old, ok := e.views[key]; ok {
			if !replace {
				return nil, base.Errorf(base.Conflict, "view %q already exists", v.Name.Name)
			}
			edit.DropViews = []catalog.ViewName{old.Name}
		}
		return &edit, nil
	}
	return e.change(ctx, build, func() []*version {
		e.views[key] = v
		return nil
	})
}

// RetypeView stores the present names and types of the columns of a view. If the view was dropped
// or redefined meanwhile, it does nothing.
func (e *Engine) RetypeView(ctx context.Context, v catalog.View) error {
	key := keyOf(v.Name.Database, v.Name.Schema, v.Name.Name)
	same := false
	build := func() (*catalog.Edit, error) {
		now, there := e.views[key]
		if same = there && now.SQL == v.SQL; !same {
			return nil, nil
		}
		v.Name, v.Created = now.Name, now.Created
		return &catalog.Edit{DropViews: []catalog.ViewName{now.Name}, PutViews: []catalog.View{v}}, nil
	}
	return e.change(ctx, build, func() []*version {
		if same {
			e.views[key] = v
		}
		return nil
	})
}

// DropView drops a view. If the view does not exist, the error is NotFound, or nil with ifExists.
func (e *Engine) DropView(ctx context.Context, name catalog.ViewName, ifExists bool) error {
	key := keyOf(name.Database, name.Schema, name.Name)
	build := func() (*catalog.Edit, error) {
		v, ok := e.views[key]
		switch {
		case ok:
			return &catalog.Edit{DropViews: []catalog.ViewName{v.Name}}, nil
		case ifExists:
			return nil, nil
		default:
			return nil, e.missingTableLocked(name.Database, name.Schema, name.Name)
		}
	}
	return e.change(ctx, build, func() []*version {
		delete(e.views, key)
		return nil
	})
}
