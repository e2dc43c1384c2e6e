package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Mutation is a change of one table that rewrites the parts of its rows instead of adding patches.
// One edit replaces the old parts by the new ones. Only while Publish runs, other statements wait
// for it. The caller closes the Mutation.
type Mutation struct {
	*Rewrite
	// Sets are the patches with which the parts are to be rewritten, by part id: those of the
	// snapshot, and the change itself.
	Sets map[base.SourceID]*patch.Set

	pins Pins // table locks that the caller holds
}

// Mutate begins a change that was computed from snapshot s. The caller holds s until Close. Mutate
// flushes the rows of memtables, so that all rows are in parts. The caller itself puts the inserted
// rows of the change into the new parts.
//
// Before that, Mutate deletes superseded rows, and takes memory for that from AppendOptions.Room.
// If it would have to wait for memory, the error is ErrNoRoom, as for Commit.
func (e *Engine) Mutate(ctx context.Context, s *snapshot.Snapshot, c Change, o AppendOptions) (*Mutation, error) {
	m := &Mutation{Sets: map[base.SourceID]*patch.Set{}, pins: o.Pins}
	// Superseded rows are deleted in an edit of their own, because they may be in parts that the
	// change does not rewrite.
	err := e.settleAt(ctx, s, c.Table, o.Room)
	if err == nil {
		err = e.Flush(ctx)
	}
	if err == nil {
		err = e.beginMutation(m, s, c, o)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Close ends the mutation. If Publish was not called, nothing is changed.
func (m *Mutation) Close() {
	if m.Rewrite != nil {
		m.Rewrite.Close()
	}
}

func (e *Engine) beginMutation(m *Mutation, s *snapshot.Snapshot, c Change, o AppendOptions) error {
	t := s.Tables[c.Table]
	tc, err := tableChangeOf(&c, t)
	if err != nil {
		return err
	}
	tc.brings = len(c.Inserted) > 0
	tc.all = tc.all || tc.brings
	set := &changeSet{seq: s.Seq, pinned: o.Pins == Pinned, tables: []*tableChange{tc}}
	for _, r := range c.Reads {
		set.reads = append(set.reads, read{r, s.Tables[r.Table].Schema.Version})
	}
	for range maxAttempts {
		if err := e.readdress(tc); err != nil {
			return err
		}
		if len(tc.rows) == 0 {
			return ErrChanged // all rows were deleted meanwhile: a new attempt finds nothing to do
		}
		m.Rewrite, err = e.Rewrite(c.Table, slices.Sorted(maps.Keys(tc.rows)))
		if err != nil && base.KindOf(err) == base.Conflict {
			continue // this part was replaced just now
		}
		if err != nil {
			return err
		}
		break
	}
	if m.Rewrite == nil {
		return ErrChanged
	}
	now := m.Table()
	if now.Schema.Version != tc.version {
		return ErrChanged
	}
	updated := bySource(tc.updated)
	for source := range tc.rows {
		set := now.Patches[source]
		if set == nil {
			set = patch.New(source)
		}
		set, err := set.With(s.Seq, tc.deleted[source], updated[source]...)
		if err != nil {
			return err
		}
		m.Sets[source] = set
	}
	var result Result
	m.check = func(edit *catalog.Edit) error {
		result = Result{Counts: c.Counts, Seq: e.seq + 1}
		e.putKey(o, edit, result)
		return e.checkChanges(set, newAhead())
	}
	m.note = func(t *table, edit *catalog.Edit) {
		e.keyPut(o, edit, result)
		t.note(written{seq: e.seq, rows: tc.touched, columns: tc.columns, all: tc.all, brought: tc.brings, keys: tc.keys})
	}
	return nil
}

// Publish makes the change visible and durable. parts are the new parts, with the rows that the
// change inserts. move is the remap of all other rows. If moved is true, one of the old parts was
// rewritten meanwhile and nothing is changed: a new Mutation of the same change may succeed.
// ErrChanged is as for Commit. The end of ctx only ends the wait for table locks of other
// statements; after that Publish completes.
func (m *Mutation) Publish(ctx context.Context, parts []catalog.Part, move patch.Move) (moved bool, err error) {
	if m.pins == Unpinned {
		release, err := m.engine.Share(ctx, nil, m.table)
		if err != nil {
			return false, err
		}
		defer release()
	}
	err = m.Rewrite.Publish(context.Background(), parts, move)
	return errors.Is(err, errMoved), err
}
