package merge

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Constants evaluates the default expressions of some columns, to one-row arrays:
// engine.Components.Defaults.
type Constants func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)

// merger reads and writes part files.
type merger struct {
	engine    *engine.Engine
	fs        vfs.FS
	constants Constants
	evaluate  Evaluate
	clock     engine.Clock

	mu      sync.Mutex
	settled map[base.TableID]time.Time // guarded by mu; when the last settling of a table began
}

// source reads one part from start to end, its rows brought to the current version of the schema.
type source struct {
	part    *catalog.Part
	now     schema.Table
	written schema.Table
	steps   []step          // from how rows were written to how they are, but for patches
	retyped []int           // columns of written that have another type now
	patches *patch.Set      // or nil
	exempt  *roaring.Bitmap // rows that lack no expression; nil: none
	drops   bool            // tombstones that were there when the part was written
	dropped *roaring.Bitmap // those so far
	retype  *retyping       // what is done with the rows at the end; or nil
	left    int64           // rows not read yet
	pull    func() (arrow.RecordBatch, error, bool)
	stop    func()
}

const (
	// heldRows are those that the batches of all sources have together, as far as none has fewer than
	// fewestRows: reading smaller ones costs more a row. heldBytes bounds them where rows are large.
	heldRows   = 4 * part.RowGroupRows
	fewestRows = 8 << 10
	heldBytes  = 256 << 20
)

// open begins to read a part of the table, one of so many that are read at once. The caller closes the source.
func (m *merger) open(ctx context.Context, t *snapshot.Table, p *catalog.Part, together int) (*source, error) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return nil, base.Errorf(base.Internal, "part %d has unknown schema version %d", p.ID, p.SchemaVersion)
	}
	s := &source{
		part: p, now: t.Schema, written: written, patches: t.Patches[p.ID], left: p.Rows,
		drops: m.tombstonesDue(t, p), dropped: roaring.New(),
	}
	var err error
	if err = s.plan(ctx, m, t, p); err != nil {
		s.closeSteps()
		return nil, err
	}
	// A coroutine: part.Read calls, and who merges many parts must ask. It reads nothing
	// before it is asked first.
	s.pull, s.stop = iter.Pull2(func(yield func(arrow.RecordBatch, error) bool) {
		errStopped := errors.New("stopped")
		stopped := false
		err := part.ReadDictionaries(m.engine.PartFile(p), written, part.BatchSize{Rows: max(int64(heldRows/together), fewestRows), Bytes: int64(heldBytes / together)}, func(rec arrow.RecordBatch) error {
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
	return m.constants(ctx, now, added, 1)
}

// rows are rows of a source as they are now.
type rows struct {
	rec   arrow.RecordBatch
	first uint32   // ordinal of the first row that was read
	live  []uint32 // which of the rows that were read are in rec; nil: all
}

// ordinal returns the ordinal in the source of a row of rec.
func (r rows) ordinal(i int) uint32 {
	if r.live != nil {
		return r.first + r.live[i]
	}
	return r.first + uint32(i)
}

// sourceError is an error that one source of a merge has: others of them do without it.
type sourceError struct {
	part base.SourceID
	err  error
}

func (e *sourceError) Error() string { return e.err.Error() }

func (e *sourceError) Unwrap() error { return e.err }

// next returns the part's next rows, in the current version of the schema, with their newest values and without deleted
// ones, or io.EOF. There may be none left of a batch. The caller releases it.
func (s *source) next() (rows, error) {
	r, err := s.read()
	if err != nil && err != io.EOF {
		err = &sourceError{s.part.ID, err}
	}
	return r, err
}

func (s *source) read() (rows, error) {
	r, err := s.readLive()
	if err != nil || s.retype == nil || r.rec.NumRows() == 0 {
		return r, err
	}
	if err := r.replace(s.retype.apply(r.rec)); err != nil {
		return rows{}, err
	}
	return r, nil
}

// readLive returns the part's next rows as they are now.
func (s *source) readLive() (rows, error) {
	rec, err, ok := s.pull()
	if !ok {
		if s.left != 0 {
			return rows{}, base.Errorf(base.Corrupt, "part %d has %d rows less than the catalog says", s.part.ID, s.left)
		}
		return rows{}, io.EOF
	}
	if err != nil {
		return rows{}, base.Wrap(err, "read part %d", s.part.ID)
	}
	r := rows{rec: rec, first: uint32(s.part.Rows - s.left)}
	if s.left -= rec.NumRows(); s.left < 0 {
		rec.Release()
		return rows{}, base.Errorf(base.Corrupt, "part %d has %d rows more than the catalog says", s.part.ID, -s.left)
	}
	if err := s.hide(&r); err != nil {
		return rows{}, err
	}
	if err := s.bringUp(&r); err != nil {
		return rows{}, err
	}
	var tombstones []uint32
	if s.drops {
		tombstones = batch.TrueRows(r.rec.Column(s.now.ColumnByID(s.now.IsDeleted)))
	}
	live, all := s.patches.Live(r.first, int(r.rec.NumRows()))
	if s.patches != nil {
		if err := r.replace(s.patches.Apply(r.rec, s.now, r.first)); err != nil {
			return rows{}, base.Wrap(err, "part %d", s.part.ID)
		}
	}
	if err := s.blankTombstones(&r); err != nil {
		return rows{}, base.Wrap(err, "part %d", s.part.ID)
	}
	if len(tombstones) > 0 {
		live, all = s.drop(r, tombstones, live, all)
	}
	if all {
		return r, nil
	}
	r.live = live
	return r, base.Wrap(r.replace(batch.Take([]arrow.RecordBatch{r.rec}, live)), "part %d", s.part.ID)
}

// hide puts NULL in the place of values that are deleted or replaced, in columns of another type now: they need not be values of it.
func (s *source) hide(r *rows) error {
	if s.patches == nil || len(s.retyped) == 0 {
		return nil
	}
	columns := slices.Clone(r.rec.Columns())
	for _, at := range s.retyped {
		c := s.now.Columns[s.now.ColumnByID(s.written.Columns[at].ID)]
		gone, err := s.patches.Gone(c, r.first, int(r.rec.NumRows()))
		if err == nil && len(gone) == 0 {
			continue
		}
		if err == nil {
			columns[at], err = batch.Nulled(columns[at], gone)
		}
		if err != nil {
			return r.replace(nil, base.Wrap(err, "part %d: column %q", s.part.ID, c.Name))
		}
		defer columns[at].Release()
	}
	return r.replace(array.NewRecordBatch(r.rec.Schema(), columns, r.rec.NumRows()), nil)
}

// replace puts another batch in the place of the one that it was made of.
func (r *rows) replace(rec arrow.RecordBatch, err error) error {
	r.rec.Release()
	r.rec = rec
	return err
}

func (s *source) close() {
	s.stop()
	s.closeSteps()
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
