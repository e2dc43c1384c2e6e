package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// source is the definition of a source (CREATE SOURCE), and its stored offsets. The engine does not
// read topics. It only stores definitions, and the offsets up to which rows were appended.
type source struct {
	catalog.Source
	offsets offsets
}

func keyOfSource(n catalog.SourceName) nameKey { return keyOf(n.Database, n.Schema, n.Name) }

// showSourceLocked adds a source to the engine's state in memory. If there is a source with the
// same id, it replaces that source's definition and state. The caller must hold mu.
func (e *Engine) showSourceLocked(s catalog.Source) {
	known := &source{Source: s, offsets: offsets{}}
	if old := e.sources[s.ID]; old != nil {
		known.offsets = old.offsets
	}
	e.sources[s.ID] = known
	e.sourceNames[keyOfSource(s.Name)] = s.ID
}

func (e *Engine) forgetSourceLocked(id base.SourceID) {
	delete(e.sourceNames, keyOfSource(e.sources[id].Name))
	delete(e.sources, id)
}

// CreateSource stores a new source and sets its id. If a source of that name exists, CreateSource
// returns that source if ifNotExists is set, and otherwise a Conflict.
func (e *Engine) CreateSource(ctx context.Context, s catalog.Source, ifNotExists bool) (catalog.Source, error) {
	s.Created = e.now()
	build := func() (*catalog.Edit, error) {
		if id, ok := e.sourceNames[keyOfSource(s.Name)]; ok {
			if ifNotExists {
				s = e.sources[id].Source
				return nil, nil
			}
			return nil, base.Errorf(base.Conflict, "source %q already exists", e.sources[id].Name.Name)
		}
		if err := e.checkSchemaLocked(s.Name.Database, s.Name.Schema); err != nil {
			return nil, err
		}
		if err := checkNames(s.Name.Database, s.Name.Schema, s.Name.Name); err != nil {
			return nil, err
		}
		in := e.schemas[keyOf(s.Name.Database, s.Name.Schema)]
		s.Name.Database, s.Name.Schema = in.Database, in.Name
		s.ID = e.nextSource
		e.nextSource++
		return &catalog.Edit{PutSources: []catalog.Source{s}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.showSourceLocked(s)
		return nil
	})
	return s, err
}

// ChangeSource replaces a source by the result of the function change. Only its definition and
// state may change. Its id, name and offsets stay. If the source does not exist, the error is
// NotFound.
func (e *Engine) ChangeSource(ctx context.Context, id base.SourceID, change func(catalog.Source) catalog.Source) (catalog.Source, error) {
	var s catalog.Source
	build := func() (*catalog.Edit, error) {
		now := e.sources[id]
		if now == nil {
			return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
		}
		s = change(now.Source)
		s.ID, s.Name, s.Created = id, now.Name, now.Created
		return &catalog.Edit{PutSources: []catalog.Source{s}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.showSourceLocked(s)
		return nil
	})
	return s, err
}

// DropSource drops a source and its offsets. The tables that it filled stay. If the source does not
// exist, the error is NotFound.
func (e *Engine) DropSource(ctx context.Context, id base.SourceID) error {
	build := func() (*catalog.Edit, error) {
		if e.sources[id] == nil {
			return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
		}
		return &catalog.Edit{DropSources: []base.SourceID{id}}, nil
	}
	return e.change(ctx, build, func() []*version {
		e.forgetSourceLocked(id)
		return nil
	})
}

// Sources returns all sources, oldest first.
func (e *Engine) Sources() []catalog.Source {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]catalog.Source, 0, len(e.sources))
	for _, s := range e.sources {
		all = append(all, s.Source)
	}
	slices.SortFunc(all, func(a, b catalog.Source) int { return int(a.ID) - int(b.ID) })
	return all
}

// LookupSource finds a source by its name. If there is none, the error is NotFound.
func (e *Engine) LookupSource(name catalog.SourceName) (catalog.Source, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	id, ok := e.sourceNames[keyOfSource(name)]
	if !ok {
		return catalog.Source{}, base.Errorf(base.NotFound, "source %q does not exist", name.Name)
	}
	return e.sources[id].Source, nil
}

// Offsets returns the stored offsets of a source, ordered by topic and partition. The rows of all
// records with lower offsets are visible. They are also durable, unless they were appended
// asynchronously. If the source does not exist, the error is NotFound.
func (e *Engine) Offsets(id base.SourceID) ([]catalog.Offset, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	s := e.sources[id]
	if s == nil {
		return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
	}
	return s.offsets.sorted(), nil
}
