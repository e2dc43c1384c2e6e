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

// Constants evaluates the default expressions of columns of a table, to arrays of rows values each.
// It is engine.Components.Defaults.
type Constants func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)

// merger reads and writes part files for merges and mutations.
type merger struct {
	engine    *engine.Engine
	fs        vfs.FS
	constants Constants
	evaluate  Evaluate
	clock     engine.Clock

	mu sync.Mutex
	// deduplicated has the time at which the last deduplication of each table began. Guarded by mu.
	deduplicated map[base.TableID]time.Time
}

// input reads one part from start to end, and converts its rows to the current schema version.
type input struct {
	part    *catalog.Part
	now     schema.Table
	written schema.Table
	steps   []step     // from the written rows to current ones, except for patches
	retyped []int      // indexes in written of the columns whose type has changed
	patches *patch.Set // patches of the part; nil: none
	// Rows to which no expression update applies: patched or deleted ones; nil: none.
	exempt  *roaring.Bitmap
	drops   bool            // drop the tombstones that the part was written with
	dropped *roaring.Bitmap // tombstones that were dropped so far
	retype  *retyping       // conversion that a Retype makes after all others; nil: none
	left    int64           // number of rows that were not read yet
	pull    func() (arrow.RecordBatch, error, bool)
	stop    func()
}

const (
	// heldRows is the number of rows that the batches of all inputs have together, so a batch has
	// fewer rows if there are more inputs. But a batch has at least fewestRows rows, because
	// smaller ones cost more per row. heldBytes bounds the batches if rows are large.
	heldRows   = 4 * part.RowGroupRows
	fewestRows = 8 << 10
	heldBytes  = 256 << 20
)

// open returns an input that reads a part of a table. together is the number of inputs that the
// merge reads at once. The caller closes the input.
func (m *merger) open(ctx context.Context, t *snapshot.Table, p *catalog.Part, together int) (*input, error) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return nil, base.Errorf(base.Internal, "part %d has unknown schema version %d", p.ID, p.SchemaVersion)
	}
	s := &input{
		part: p, now: t.Schema, written: written, patches: t.Patches[p.ID], left: p.Rows,
		drops: m.tombstonesDue(t, p), dropped: roaring.New(),
	}
	var err error
	if err = s.plan(ctx, m, t, p); err != nil {
		s.closeSteps()
		return nil, err
	}
	// part.Read calls a function for each batch, but a merge of many parts must ask for the next
	// batch. So part.Read runs in a coroutine, which reads nothing before the first request.
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

// initial evaluates the values that rows of the schema version written have in columns that the
// version now has in addition.
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
		return nil, base.Errorf(base.Internal, "cannot evaluate the initial value of column %q", added[0].Name)
	}
	return m.constants(ctx, now, added, 1)
}

// rows are consecutive current rows of a part.
type rows struct {
	rec   arrow.RecordBatch
	first uint32   // ordinal of the first row that was read
	live  []uint32 // indexes of the rows of rec among the rows that were read; nil: rec has all
}

// ordinal returns the ordinal in the part of row i of rec.
func (r rows) ordinal(i int) uint32 {
	if r.live != nil {
		return r.first + r.live[i]
	}
	return r.first + uint32(i)
}

// inputError is an error that one part of a merge caused. A merge without this part would not have
// it.
type inputError struct {
	part base.SourceID
	err  error
}

func (e *inputError) Error() string { return e.err.Error() }

func (e *inputError) Unwrap() error { return e.err }

// next returns the part's next rows in the current schema version, with their newest values and
// without deleted rows, or io.EOF. The batch may be empty. The caller releases it.
func (s *input) next() (rows, error) {
	r, err := s.read()
	if err != nil && err != io.EOF {
		err = &inputError{s.part.ID, err}
	}
	return r, err
}

func (s *input) read() (rows, error) {
	r, err := s.readLive()
	if err != nil || s.retype == nil || r.rec.NumRows() == 0 {
		return r, err
	}
	if err := r.replace(s.retype.apply(r.rec)); err != nil {
		return rows{}, err
	}
	return r, nil
}

// readLive is next without the conversion of a Retype.
func (s *input) readLive() (rows, error) {
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

// hide sets values to NULL if they are deleted or have newer ones, in columns whose type has
// changed: such values may not fit the new type.
func (s *input) hide(r *rows) error {
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

// replace releases the batch and puts rec, which was made of it, in its place. If err is not nil,
// it only returns err.
func (r *rows) replace(rec arrow.RecordBatch, err error) error {
	r.rec.Release()
	r.rec = rec
	return err
}

func (s *input) close() {
	s.stop()
	s.closeSteps()
}

// renamed returns those columns of rec that still exist, under their current names. The result
// borrows rec's columns, so it is not released.
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
