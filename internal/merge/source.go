package merge

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Constants evaluates the default expressions of some columns, to one-row arrays:
// engine.Components.Defaults.
type Constants func(ctx context.Context, t schema.Table, columns []schema.Column) (map[base.ColumnID]arrow.Array, error)

// merger reads and writes part files.
type merger struct {
	engine    *engine.Engine
	fs        vfs.FS
	constants Constants
}

// source reads one part from start to end, its rows brought to the current version of the schema.
type source struct {
	part    *catalog.Part
	now     schema.Table
	written schema.Table
	initial map[base.ColumnID]arrow.Array // of columns that were added since
	left    int64                         // rows not returned yet
	pull    func() (arrow.RecordBatch, error, bool)
	stop    func()
}

// open begins to read a part of the table. The caller closes the source.
func (m *merger) open(ctx context.Context, t *snapshot.Table, p *catalog.Part) (*source, error) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return nil, base.Errorf(base.Internal, "part %d has unknown schema version %d", p.ID, p.SchemaVersion)
	}
	s := &source{part: p, now: t.Schema, written: written, left: p.Rows}
	var err error
	if s.initial, err = m.initial(ctx, t.Schema, written); err != nil {
		return nil, err
	}
	// A coroutine: part.Read calls, and who merges many parts must ask. It reads nothing
	// before it is asked first.
	s.pull, s.stop = iter.Pull2(func(yield func(arrow.RecordBatch, error) bool) {
		errStopped := errors.New("stopped")
		want := part.Written{Rows: p.Rows, Bytes: p.Bytes, Checksum: p.Checksum, Stats: p.Stats}
		stopped := false
		err := part.ReadDictionaries(m.fs, m.engine.PartFile(p), written, want, func(rec arrow.RecordBatch) error {
			rec.Retain()
			if !yield(rec, nil) {
				stopped = true
				return errStopped
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	})
	return s, nil
}

// initial evaluates what rows of an older version hold in columns that they lack.
func (m *merger) initial(ctx context.Context, now, written schema.Table) (map[base.ColumnID]arrow.Array, error) {
	var added []schema.Column
	for _, c := range now.Columns {
		if written.ColumnByID(c.ID) < 0 && c.Initial != "" {
			c.Default = c.Initial
			added = append(added, c)
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	if m.constants == nil {
		return nil, base.Errorf(base.Internal, "nobody evaluates the initial value of column %q", added[0].Name)
	}
	return m.constants(ctx, now, added)
}

// next returns the part's next rows, which the caller releases, or io.EOF. Patches of the part, once
// there are any, are laid over the rows here: the first of them has ordinal part.Rows - left.
func (s *source) next() (arrow.RecordBatch, error) {
	rec, err, ok := s.pull()
	if !ok {
		if s.left != 0 {
			return nil, base.Errorf(base.Corrupt, "part %d has %d rows less than the catalog says", s.part.ID, s.left)
		}
		return nil, io.EOF
	}
	if err != nil {
		return nil, base.Wrap(err, "read part %d", s.part.ID)
	}
	if s.left -= rec.NumRows(); s.left < 0 {
		rec.Release()
		return nil, base.Errorf(base.Corrupt, "part %d has %d rows more than the catalog says", s.part.ID, -s.left)
	}
	if s.written.Version == s.now.Version {
		return rec, nil
	}
	defer rec.Release()
	conformed, err := batch.Conform(renamed(rec, s.written, s.now), s.now, batch.ConformOptions{FirstRow: s.part.Rows - s.left - rec.NumRows(), Defaults: s.initial})
	return conformed, base.Wrap(err, "part %d of schema version %d", s.part.ID, s.written.Version)
}

func (s *source) close() {
	s.stop()
	for _, a := range s.initial {
		a.Release()
	}
}

// renamed gives the columns that still exist their present names. It shares rec's columns
// without a reference of its own, so it needs no release.
func renamed(rec arrow.RecordBatch, written, now schema.Table) arrow.RecordBatch {
	var fields []arrow.Field
	var columns []arrow.Array
	for _, c := range now.Columns {
		if i := written.ColumnByID(c.ID); i >= 0 {
			fields = append(fields, arrow.Field{Name: c.Name, Type: rec.Column(i).DataType(), Nullable: true})
			columns = append(columns, rec.Column(i))
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}

// sameLayout reports whether parts of an older version are sorted and partitioned as parts of
// the current one are.
func sameLayout(written, now schema.Table) bool {
	if !slices.Equal(written.SortKey, now.SortKey) || !slices.Equal(written.PartitionBy, now.PartitionBy) {
		return false
	}
	for _, f := range now.SortKey {
		// A HUGEINT is stored, and sorted, as text: a wider type may be another order.
		was, is := written.ColumnByID(f.Column), now.ColumnByID(f.Column)
		if was < 0 || is < 0 || !written.Columns[was].Type.StorageType().Equal(now.Columns[is].Type.StorageType()) {
			return false
		}
	}
	return true
}
