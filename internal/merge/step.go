package merge

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Evaluate applies an expression update (an UPDATE that is stored as SQL) to a batch of a table's
// rows, and returns the new rows. The argument exempt has the ascending numbers of rows that stay
// unchanged. Evaluate is the method overlay.Overlay.Evaluate.
type Evaluate func(t schema.Table, x *patch.Expression, rec arrow.RecordBatch, exempt []uint32) (arrow.RecordBatch, error)

// step converts rows from one schema version of the table to a later one. Then it applies an
// expression update (an UPDATE that is stored as SQL) that was made in the later version.
type step struct {
	from, to schema.Table
	// initial has the values of the columns that only the later version has, by column id.
	initial map[base.ColumnID]arrow.Array
	// expression is the expression update (an UPDATE that is stored as SQL) to apply; nil if there
	// is none.
	expression *patch.Expression
	evaluate   Evaluate
}

// plan sets s.steps, which convert the rows of the part to the current schema version. Some steps
// also apply an expression update (an UPDATE that is stored as SQL). plan also sets s.exempt, the
// rows that these steps leave as they are: rows that have a patch, which already has their new
// values, and deleted rows.
func (s *input) plan(ctx context.Context, m *merger, t *snapshot.Table, p *catalog.Part) error {
	for i, c := range s.written.Columns {
		if at := t.Schema.ColumnByID(c.ID); at >= 0 && !c.Type.StorageType().Equal(t.Schema.Columns[at].Type.StorageType()) {
			s.retyped = append(s.retyped, i)
		}
	}
	at := s.written
	add := func(to schema.Table, x *patch.Expression) error {
		if at.Version == to.Version && x == nil {
			return nil
		}
		if x != nil && m.evaluate == nil {
			return base.Errorf(base.Internal, "cannot evaluate expression %d of table %s", x.Seq, t.Schema.QualifiedName())
		}
		initial, err := m.initial(ctx, to, at)
		s.steps = append(s.steps, step{at, to, initial, x, m.evaluate})
		at = to
		return err
	}
	pending := t.Pending(p)
	for _, x := range pending {
		to, ok := t.Versions[x.Version]
		if !ok {
			return base.Errorf(base.Internal, "expression %d has unknown schema version %d", x.Seq, x.Version)
		}
		if err := add(to, x); err != nil {
			return err
		}
	}
	if len(pending) > 0 && s.patches != nil {
		s.exempt = s.patches.Patched()
		if s.patches.Deleted != nil {
			s.exempt = roaring.Or(s.exempt, s.patches.Deleted)
		}
	}
	return add(t.Schema, nil)
}

// bringUp applies the steps of the input to some rows of the part. It converts them to the current
// schema version, and applies expression updates (UPDATEs that are stored as SQL).
func (s *input) bringUp(r *rows) error {
	if len(s.steps) == 0 {
		return nil
	}
	exempt := within(s.exempt, r.first, r.rec.NumRows())
	for _, step := range s.steps {
		if step.from.Version != step.to.Version {
			// The rows still include deleted and patched ones, which may have NULLs in NOT NULL
			// columns. Later code checks for NULLs in the other rows.
			o := batch.ConformOptions{FirstRow: int64(r.first), Defaults: step.initial, AllowNull: true}
			made, err := batch.Conform(renamed(r.rec, step.from, step.to), step.to, o)
			if err := r.replace(made, err); err != nil {
				return base.Wrap(err, "part %d of schema version %d", s.part.ID, s.written.Version)
			}
		}
		if step.expression != nil {
			made, err := step.evaluate(step.to, step.expression, r.rec, exempt)
			if err := r.replace(made, err); err != nil {
				return base.Wrap(err, "part %d: expression %d of table %s", s.part.ID, step.expression.Seq, s.now.QualifiedName())
			}
		}
	}
	return nil
}

func (s *input) closeSteps() {
	for _, step := range s.steps {
		for _, a := range step.initial {
			a.Release()
		}
	}
}

// within returns which of n consecutive rows are in a set of row numbers. The argument first is the
// number of the first of these n rows. The result has indexes from 0 to n-1. If the set is nil, the
// result is empty.
func within(set *roaring.Bitmap, first uint32, n int64) (out []uint32) {
	if set == nil {
		return nil
	}
	it := set.Iterator()
	it.AdvanceIfNeeded(first)
	for it.HasNext() && int64(it.PeekNext()) < int64(first)+n {
		out = append(out, it.Next()-first)
	}
	return out
}
