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
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/vfs"
)

// Constants evaluates the default expressions of columns of a table. It returns one array for each
// column, by column id. The argument rows is the number of values in each array. Constants is the
// same function as engine.Components.Defaults.
type Constants func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)

// merger reads and writes part files for merges and mutations.
type merger struct {
	engine    *engine.Engine
	fs        vfs.FS
	constants Constants
	evaluate  Evaluate
	clock     engine.Clock
	work      *ledger.Account // memory of rows that merges have read and not written yet
	share     int64           // how much of it one merge may take for one purpose, in bytes

	mu sync.Mutex
	// deduplicated has the time at which the last deduplication of each table began, by table id.
	// It is guarded by mu.
	deduplicated map[base.TableID]time.Time
}

// input reads the rows of one part from start to end, and converts them to the table's current
// schema version.
type input struct {
	part    *catalog.Part
	now     schema.Table
	written schema.Table
	// conversions of the rows from the written to the current schema version; they do not apply
	// patches
	steps   []step
	retyped []int      // indexes, in the field written, of the columns whose type has changed
	patches *patch.Set // patches of the part; nil if it has none
	// exempt has the numbers of the rows to which no expression update (an UPDATE that is stored as
	// SQL) applies, because the rows are patched or deleted. It is nil if there are no such rows.
	exempt *roaring.Bitmap
	// whether to drop the tombstones (rows which say that their key is deleted) that the part was
	// written with
	drops   bool
	dropped *roaring.Bitmap // numbers of the rows that are tombstones and were dropped so far
	// conversion that a Retype (change of a column's type) makes after all others; nil if there is
	// none
	retype *retyping
	left   int64 // number of rows that were not read yet
	pull   func() (arrow.RecordBatch, error, bool)
	stop   func()
}

const (
	// heldRows is the number of rows that the batches of all inputs of a merge have together. So
	// the batches are smaller if there are more inputs. But a batch has at least fewestRows rows,
	// because smaller batches cost more per row. heldBytes and the merge's share of
	// memory limit the size of the batches in bytes if rows are large.
	heldRows   = 4 * part.RowGroupRows
	fewestRows = 8 << 10
	heldBytes  = 256 << 20
)

// open returns an input that reads the part p of a table. The argument together is the number of
// inputs that the merge reads at the same time. The caller closes the input.
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
	// batch of one part. So part.Read runs in a coroutine, which reads nothing before the first
	// request.
	s.pull, s.stop = iter.Pull2(func(yield func(arrow.RecordBatch, error) bool) {
		errStopped := errors.New("stopped")
		stopped := false
		err := part.ReadDictionaries(m.engine.PartFile(p), written, part.BatchSize{Rows: max(int64(heldRows/together), fewestRows), Bytes: min(heldBytes, m.share) / int64(together)}, func(rec arrow.RecordBatch) error {
			rec.Retain()
			bytes := batch.Bytes(rec)
			m.work.Charge(bytes)
			// The merge asks for the next batch when it has used this one.
			defer m.work.Release(bytes)
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

// initial evaluates the initial values of the columns that were added to the table between two of
// its schema versions: the older one (written) and the newer one (now). Rows that were written with
// the older version get these values.
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

// rows are rows that were read from consecutive places of a part. They have their newest values, in
// the current schema version. Deleted rows may be missing.
type rows struct {
	rec   arrow.RecordBatch
	first uint32 // row number that the first of the read rows has in the part
	// live[i] is the index of row i of rec in the list of all rows that were read. It is nil if rec
	// has all of them.
	live []uint32
}

// ordinal returns the row number that row i of r.rec has in the part.
func (r rows) ordinal(i int) uint32 {
	if r.live != nil {
		return r.first + r.live[i]
	}
	return r.first + uint32(i)
}

// inputError is an error that one part caused in a merge. If the part is left out, the merge does
// not have the error.
type inputError struct {
	part base.RowsetID
	err  error
}

func (e *inputError) Error() string { return e.err.Error() }

func (e *inputError) Unwrap() error { return e.err }

// next returns the next rows of the part, or io.EOF. They are in the current schema version, with
// their newest values, and without deleted rows. The batch may be empty. The caller releases it.
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

// readLive does the same as next, except that it does not make the conversion of a Retype (change
// of a column's type).
func (s *input) readLive() (rows, error) {
	rec, err, ok := s.pull()
	if !ok {
		if s.left != 0 {
			return rows{}, base.Errorf(base.Corrupt, "part %d has %d rows fewer than the catalog says", s.part.ID, s.left)
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

// hide replaces old values by NULL in columns whose type has changed: the written values of deleted
// rows, and written values that were replaced by newer ones. Such values may not fit the new type.
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

// replace releases the batch of r, and stores rec in its place. The arguments are the results of a
// function that made rec from that batch. replace returns err.
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
// shares the columns of rec, so it must not be released.
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
