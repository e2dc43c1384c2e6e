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

// Mutation is a change of one table that is made by writing the parts of its rows anew, not by a patch: its one edit
// puts the new parts in the place of the old ones. Nobody waits for it but in Publish. The caller closes it.
type Mutation struct {
	*Rewrite
	// Sets are what is changed of the parts to be written anew: what their snapshot has, and the change over it.
	Sets map[base.SourceID]*patch.Set

	pins Pins // that who makes the change holds
}

// Mutate begins to make a change that was computed from a snapshot, which the caller holds until the end. Rows that are
// in no part yet are flushed first. Of the change's rows, those to be inserted are the caller's business. The memory for what is settled
// before is of AppendOptions.Room, so ErrNoRoom is as that of Commit.
func (e *Engine) Mutate(ctx context.Context, s *snapshot.Snapshot, c Change, o AppendOptions) (*Mutation, error) {
	m := &Mutation{Sets: map[base.SourceID]*patch.Set{}, pins: o.Pins}
	// Deleted by themselves first: they may be in parts that the change leaves as they are.
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

// Close gives the mutation up, or ends it after Publish.
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
			return ErrChanged // they were deleted meanwhile: no part has one to be written anew
		}
		m.Rewrite, err = e.Rewrite(c.Table, slices.Sorted(maps.Keys(tc.rows)))
		if err != nil && base.KindOf(err) == base.Conflict {
			continue // merged just now
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

// Publish makes the change visible and durable: parts are the new ones, with the rows that come by the change, and move says
// where the others went. moved says that somebody else wrote one of the parts anew meanwhile: a new Mutation of the
// same change may succeed. ErrChanged is that of Commit. The context is of the wait for others' pins: what was begun then is done.
func (m *Mutation) Publish(ctx context.Context, parts []catalog.Part, move patch.Move) (moved bool, err error) {
	if m.pins == Unpinned {
		release, err := m.engine.Share(ctx, AppendOptions{}, m.table)
		if err != nil {
			return false, err
		}
		defer release()
	}
	err = m.Rewrite.Publish(context.Background(), parts, move)
	return errors.Is(err, errMoved), err
}
