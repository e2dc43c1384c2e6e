package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// stream is the definition of a source, and its stored offsets. The engine does not read topics: it
// only stores definitions, and the offsets of appended rows.
type stream struct {
	catalog.Stream
	offsets offsets
}

func keyOfStream(n catalog.StreamName) nameKey { return keyOf(n.Database, n.Schema, n.Name) }

// showStreamLocked adds a source in memory, or replaces the definition and state of the one with
// the same id.
func (e *Engine) showStreamLocked(s catalog.Stream) {
	known := &stream{Stream: s, offsets: offsets{}}
	if old := e.streams[s.ID]; old != nil {
		known.offsets = old.offsets
	}
	e.streams[s.ID] = known
	e.streamNames[keyOfStream(s.Name)] = s.ID
}

func (e *Engine) forgetStreamLocked(id base.StreamID) {
	delete(e.streamNames, keyOfStream(e.streams[id].Name))
	delete(e.streams, id)
}

// CreateStream stores a new source and sets its id. If a source of that name exists, the error is
// Conflict. With ifNotExists the existing source is returned instead.
func (e *Engine) CreateStream(ctx context.Context, s catalog.Stream, ifNotExists bool) (catalog.Stream, error) {
	s.Created = e.now()
	build := func() (*catalog.Edit, error) {
		if id, ok := e.streamNames[keyOfStream(s.Name)]; ok {
			if ifNotExists {
				s = e.streams[id].Stream
				return nil, nil
			}
			return nil, base.Errorf(base.Conflict, "source %q already exists", e.streams[id].Name.Name)
		}
		if err := e.checkSchemaLocked(s.Name.Database, s.Name.Schema); err != nil {
			return nil, err
		}
		if err := checkNames(s.Name.Database, s.Name.Schema, s.Name.Name); err != nil {
			return nil, err
		}
		in := e.schemas[keyOf(s.Name.Database, s.Name.Schema)]
		s.Name.Database, s.Name.Schema = in.Database, in.Name
		s.ID = e.nextStream
		e.nextStream++
		return &catalog.Edit{PutStreams: []catalog.Stream{s}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.showStreamLocked(s)
		return nil
	})
	return s, err
}

// ChangeStream replaces a source by the result of change. Only its definition and state may change;
// id, name and offsets stay. A missing source is NotFound.
func (e *Engine) ChangeStream(ctx context.Context, id base.StreamID, change func(catalog.Stream) catalog.Stream) (catalog.Stream, error) {
	var s catalog.Stream
	build := func() (*catalog.Edit, error) {
		now := e.streams[id]
		if now == nil {
			return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
		}
		s = change(now.Stream)
		s.ID, s.Name, s.Created = id, now.Name, now.Created
		return &catalog.Edit{PutStreams: []catalog.Stream{s}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.showStreamLocked(s)
		return nil
	})
	return s, err
}

// DropStream drops a source and its offsets. The tables that it filled stay. A missing source is
// NotFound.
func (e *Engine) DropStream(ctx context.Context, id base.StreamID) error {
	build := func() (*catalog.Edit, error) {
		if e.streams[id] == nil {
			return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
		}
		return &catalog.Edit{DropStreams: []base.StreamID{id}}, nil
	}
	return e.change(ctx, build, func() []*version {
		e.forgetStreamLocked(id)
		return nil
	})
}

// Streams returns all sources, oldest first.
func (e *Engine) Streams() []catalog.Stream {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]catalog.Stream, 0, len(e.streams))
	for _, s := range e.streams {
		all = append(all, s.Stream)
	}
	slices.SortFunc(all, func(a, b catalog.Stream) int { return int(a.ID) - int(b.ID) })
	return all
}

// LookupStream finds a source by its name. A missing source is NotFound.
func (e *Engine) LookupStream(name catalog.StreamName) (catalog.Stream, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	id, ok := e.streamNames[keyOfStream(name)]
	if !ok {
		return catalog.Stream{}, base.Errorf(base.NotFound, "source %q does not exist", name.Name)
	}
	return e.streams[id].Stream, nil
}

// Offsets returns the stored offsets of a source, ordered by topic and partition. Rows of records
// before them are visible, and durable unless they were appended asynchronously. A missing source
// is NotFound.
func (e *Engine) Offsets(id base.StreamID) ([]catalog.Offset, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	s := e.streams[id]
	if s == nil {
		return nil, base.Errorf(base.NotFound, "source %d does not exist", id)
	}
	return s.offsets.sorted(), nil
}
