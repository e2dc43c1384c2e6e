package merge

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// retyping converts rows of a table for a Retype. It converts them from the current schema version
// to the next one, in which one column has another type.
type retyping struct {
	to schema.Table
	at int // index of the column whose type changes; it is the same before and after the change
	// wide is the current schema version with an additional last column, which has the converted
	// values.
	wide     schema.Table
	value    *patch.Expression // SQL that computes the additional column of the field wide
	evaluate Evaluate
}

func newRetyping(from, to schema.Table, column base.ColumnID, alias, value string, evaluate Evaluate) (*retyping, error) {
	at := from.ColumnByID(column)
	if at < 0 || to.ColumnByID(column) != at || len(to.Columns) != len(from.Columns) || evaluate == nil {
		return nil, base.Errorf(base.Internal, "change of the type of column %d of table %s", column, from.QualifiedName())
	}
	wide := from
	wide.Columns = append(slices.Clone(from.Columns), schema.Column{ID: from.NextColumnID, Name: schema.RetypedColumn, Type: to.Columns[at].Type})
	x := &patch.Expression{Version: from.Version, Alias: alias, Set: []patch.Assignment{{Column: from.NextColumnID, Value: value}}}
	return &retyping{to, at, wide, x, evaluate}, x.Check(wide)
}

// apply returns the rows of rec in the next schema version, with the converted values of the
// column. For tombstones (rows which say that their key is deleted) the converted value is NULL or
// arbitrary, because no query shows their values.
func (r *retyping) apply(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	c := r.to.Columns[r.at]
	none := batch.Nulls(c.Type, int(rec.NumRows()))
	defer none.Release()
	fields := append(slices.Clone(rec.Schema().Fields()), r.wide.Columns[len(r.to.Columns)].Arrow())
	wide := array.NewRecordBatch(arrow.NewSchema(fields, nil), append(slices.Clone(rec.Columns()), none), rec.NumRows())
	defer wide.Release()
	var tombstones []uint32
	if r.to.IsDeleted != 0 {
		tombstones = batch.TrueRows(rec.Column(r.to.ColumnByID(r.to.IsDeleted)))
	}
	made, err := r.evaluate(r.wide, r.value, wide, tombstones)
	if err != nil {
		return nil, base.Wrap(err, "table %s: column %q as %s", r.to.QualifiedName(), c.Name, c.Type)
	}
	defer made.Release()
	values := made.Column(len(r.to.Columns))
	if c.NotNull && len(tombstones) > 0 {
		blank, err := batch.Blank(c.Type, len(tombstones))
		if err == nil {
			values, err = batch.Overlay(values, tombstones, blank, 0)
			blank.Release()
		}
		if err != nil {
			return nil, base.Wrap(err, "column %q", c.Name)
		}
		defer values.Release()
	}
	if c.NotNull && values.NullN() > 0 {
		return nil, base.Errorf(base.Invalid, "table %s: column %q is NOT NULL, and a value would become NULL", r.to.QualifiedName(), c.Name)
	}
	columns := slices.Clone(made.Columns()[:len(r.to.Columns)])
	columns[r.at], fields = values, fields[:len(r.to.Columns)]
	fields[r.at] = c.Arrow()
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows()), nil
}

// Retype changes the type of a column. The argument from is the table's schema version before the
// change, and to is the one after it. The argument value is the SQL of the column's new values. It
// may use the columns of the same row, and refer to the table by the name in alias. All parts are
// rewritten in one edit. The change appears in the list of merges. If a value cannot be converted,
// the error is that of the first such value. Other errors are those of engine.Commit.
func (s *Scheduler) Retype(ctx context.Context, from, to schema.Table, column base.ColumnID, alias, value string) error {
	r, err := newRetyping(from, to, column, alias, value, s.merger.evaluate)
	if err != nil {
		return err
	}
	// Delete superseded rows (those that another row of the same key replaces) first, because it
	// may not be possible to convert their values.
	if err := s.merger.engine.DeleteSuperseded(ctx, from.ID); err != nil {
		return err
	}
	for range maxMutations {
		if err = s.retype(ctx, r); base.KindOf(err) != base.Conflict || errors.Is(err, engine.ErrChanged) {
			return err
		}
	}
	return engine.ErrChanged
}

// retype makes one attempt of Retype. If a part was merged meanwhile, the error has the kind
// Conflict, but is not engine.ErrChanged (which says that other statements changed the rows).
func (s *Scheduler) retype(ctx context.Context, r *retyping) (err error) {
	e := s.merger.engine
	work, err := e.Retype(r.to)
	if err != nil {
		return err
	}
	defer work.Close()
	w := &retyped{retyping: r, made: map[base.RowsetID][]catalog.Part{}, move: patch.Remaps{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.abandon(e, slices.Collect(maps.Keys(w.made))))
		}
	}()
	for {
		t, stale, last, err := work.Round(ctx)
		if err != nil {
			return err
		}
		if err := w.abandon(e, stale); err != nil {
			return err
		}
		release, err := s.retypeParts(ctx, t, w)
		defer release()
		if err != nil {
			return err
		}
		if !last {
			continue
		}
		var made []catalog.Part
		for _, parts := range w.made {
			made = append(made, parts...)
		}
		if more, err := work.Publish(context.WithoutCancel(ctx), made, w.move); !more {
			return err
		}
	}
}

// retyped has the new parts that a Retype has written so far.
type retyped struct {
	*retyping
	made map[base.RowsetID][]catalog.Part // the new parts, by the id of the old part
	move patch.Remaps
}

// abandon removes the files of the new parts that were made from the given old parts.
func (w *retyped) abandon(e *engine.Engine, parts []base.RowsetID) (err error) {
	for _, id := range parts {
		for _, p := range w.made[id] {
			err = errors.Join(err, e.AbandonPart(p.Table, p.ID))
		}
		delete(w.made, id)
		delete(w.move, id)
	}
	return err
}

// retypeParts writes new parts for all parts of a table, with the new type of the column. No merge
// starts on the table's parts until the returned function release is called.
func (s *Scheduler) retypeParts(ctx context.Context, t *snapshot.Table, w *retyped) (release func(), err error) {
	if len(t.Parts) == 0 {
		return func() {}, nil
	}
	plan := Plan{Sources: t.Parts}
	for _, p := range t.Parts {
		plan.Rows, plan.Bytes = plan.Rows+p.Rows, plan.Bytes+p.Bytes
	}
	j := job{group{table: t.Schema.ID}, plan}
	release = s.holdBack(j.subjects())
	if err := s.merger.checkSpace(plan); err != nil {
		return release, err
	}
	shown := s.begin(t, j)
	defer func() { s.ended(shown, err) }()
	for _, p := range t.Parts {
		one := Plan{Sources: []*catalog.Part{p}, Rows: p.Rows, Bytes: p.Bytes, retype: w.retyping}
		parts, moved, err := s.merger.writeAll(ctx, t, one, ctx.Err)
		w.made[p.ID] = parts
		if err != nil {
			return release, err
		}
		w.move[p.ID] = moved
	}
	return release, nil
}
