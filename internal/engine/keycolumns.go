package engine

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// readColumns reads columns of a part without DuckDB. It is used if Components.ReadColumns is nil.
// Tests need it, since DuckDB cannot read their file systems.
func (e *Engine) readColumns(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func([]arrow.Array) error) error {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return base.Errorf(base.Internal, "part %d has unknown schema version %d", p.ID, p.SchemaVersion)
	}
	groups, err := part.Groups(e.PartFile(p), written)
	if err != nil {
		return base.Wrap(err, "part %d", p.ID)
	}
	for group := range groups {
		if err := ctx.Err(); err != nil {
			return base.Wrap(err, "read part %d", p.ID)
		}
		values := make([]arrow.Array, len(columns))
		for i, c := range columns {
			read, err := part.ReadChunk(e.PartFile(p), written, group, c.ID)
			if err == nil {
				values[i], err = batch.Convert(read, c.Type)
			}
			if err != nil {
				return base.Wrap(err, "part %d: column %q", p.ID, c.Name)
			}
		}
		if err := rows(values); err != nil {
			return err
		}
	}
	return nil
}

// holdPart prevents the removal of a part's file until the returned function release is called. If
// the part is not in its table any more, ok is false.
func (e *Engine) holdPart(p *catalog.Part) (release func(), ok bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t := e.tables[p.Table]
	if t == nil {
		return nil, false
	}
	i := slices.IndexFunc(t.current.parts, func(other *partFile) bool { return other.ID == p.ID })
	if i < 0 {
		return nil, false
	}
	held := t.current.parts[i]
	held.refs.Add(1) // the part is in a current version, so it has at least one reference already
	return func() { held.release(e) }, true
}

// openNumbers opens a part to read single rows of a few columns that contain numbers (see
// part.OpenNumbers). The caller must hold the snapshot to which the part belongs.
func (e *Engine) openNumbers(t *snapshot.Table, p *catalog.Part, columns []base.ColumnID) (*part.Numbers, bool, error) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return nil, false, base.Errorf(base.Internal, "part %d has unknown schema version %d", p.ID, p.SchemaVersion)
	}
	return part.OpenNumbers(e.PartFile(p), written, columns)
}
