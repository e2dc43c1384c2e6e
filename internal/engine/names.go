package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// Databases returns the names of all databases, sorted.
func (e *Engine) Databases() []string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Sorted(maps.Values(e.databases))
}

// Schemas returns all schemas, sorted by database and name.
func (e *Engine) Schemas() []catalog.SchemaName {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.SortedFunc(maps.Values(e.schemas), func(a, b catalog.SchemaName) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Name, b.Name))
	})
}

// HasDatabase reports whether a database exists.
func (e *Engine) HasDatabase(name string) bool { return e.hasName(keyOf(name)) }

// HasSchema reports whether a schema of this name exists in the database.
func (e *Engine) HasSchema(database, name string) bool { return e.hasName(keyOf(database, name)) }

// Tables returns all tables, sorted by database, schema and name.
func (e *Engine) Tables() []schema.Table {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]schema.Table, 0, len(e.tables))
	for _, t := range e.tables {
		all = append(all, t.current.schema)
	}
	slices.SortFunc(all, func(a, b schema.Table) int {
		return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Views returns all views, sorted by database, schema and name.
func (e *Engine) Views() []catalog.View {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.SortedFunc(maps.Values(e.views), func(a, b catalog.View) int {
		return cmp.Or(cmp.Compare(a.Name.Database, b.Name.Database), cmp.Compare(a.Name.Schema, b.Name.Schema), cmp.Compare(a.Name.Name, b.Name.Name))
	})
}

// Table returns the current schema of the table with this id. If the table was dropped, the error
// is NotFound.
func (e *Engine) Table(id base.TableID) (schema.Table, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return schema.Table{}, err
	}
	return t.current.schema, nil
}

// TableVersion returns the schema that the table had in the given version. Readers of parts and
// memtables need it, since these may have been written with older versions.
func (e *Engine) TableVersion(id base.TableID, version uint32) (schema.Table, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return schema.Table{}, err
	}
	s, ok := t.history[version]
	if !ok {
		return schema.Table{}, base.Errorf(base.Internal, "table %s has no version %d of its schema", t.current.schema.QualifiedName(), version)
	}
	return s, nil
}

func (e *Engine) tableLocked(id base.TableID) (*table, error) {
	if e.tables == nil {
		return nil, errClosed
	}
	t := e.tables[id]
	if t == nil {
		return nil, base.Errorf(base.NotFound, "table %d was dropped", id)
	}
	return t, nil
}

// Lookup finds a table by its name. Names are compared as DuckDB compares them, without regard to
// case. If there is no such table, the error is NotFound, and its hint has the most similar
// existing name.
func (e *Engine) Lookup(database, schemaName, name string) (schema.Table, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if id, ok := e.names[keyOf(database, schemaName, name)]; ok {
		return e.tables[id].current.schema, nil
	}
	if v, ok := e.views[keyOf(database, schemaName, name)]; ok {
		return schema.Table{}, base.Errorf(base.NotFound, "%s.%s.%s is a view, not a table", v.Name.Database, v.Name.Schema, v.Name.Name)
	}
	return schema.Table{}, e.missingTableLocked(database, schemaName, name)
}

// LookupView finds a view by its name, as Lookup finds a table.
func (e *Engine) LookupView(database, schemaName, name string) (catalog.View, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if v, ok := e.views[keyOf(database, schemaName, name)]; ok {
		return v, nil
	}
	return catalog.View{}, e.missingTableLocked(database, schemaName, name)
}

func (e *Engine) missingTableLocked(database, schemaName, name string) error {
	if e.tables == nil {
		return errClosed
	}
	if err := e.checkSchemaLocked(database, schemaName); err != nil {
		return err
	}
	var there []string
	for key := range e.names {
		if key.database == schema.Fold(database) && key.schema == schema.Fold(schemaName) {
			there = append(there, e.tables[e.names[key]].current.schema.Name)
		}
	}
	for key, v := range e.views {
		if key.database == schema.Fold(database) && key.schema == schema.Fold(schemaName) {
			there = append(there, v.Name.Name)
		}
	}
	err := base.Errorf(base.NotFound, "table %s.%s.%s does not exist", database, schemaName, name)
	return didYouMean(err, name, there)
}

// checkSchemaLocked returns a NotFound error unless the database and the schema exist. The caller
// must hold mu.
func (e *Engine) checkSchemaLocked(database, schemaName string) error {
	if _, ok := e.databases[keyOf(database)]; !ok {
		return didYouMean(base.Errorf(base.NotFound, "database %q does not exist", database), database, slices.Collect(maps.Values(e.databases)))
	}
	if _, ok := e.schemas[keyOf(database, schemaName)]; !ok {
		var there []string
		for key, s := range e.schemas {
			if key.database == schema.Fold(database) {
				there = append(there, s.Name)
			}
		}
		return didYouMean(base.Errorf(base.NotFound, "schema %q does not exist in database %q", schemaName, database), schemaName, there)
	}
	return nil
}

// didYouMean returns err with a hint that has the most similar existing name. The argument there
// has the existing names. If none of them is similar to name, err gets no hint.
func didYouMean(err *base.Error, name string, there []string) error {
	slices.Sort(there)
	best := base.Nearest(name, there)
	if best == "" {
		return err
	}
	return err.WithHint("did you mean %q?", best)
}
