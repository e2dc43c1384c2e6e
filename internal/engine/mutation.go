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

// Mutation is a change of one table that rewrites the parts which contain the changed rows, instead
// of adding patches. One edit replaces the old parts by the new ones. Other statements wait for it
// only while Publish runs. The caller closes the Mutation.
type Mutation struct {
	*Rewrite
	// Sets are the patches and deletions with which the parts are to be rewritten, by part id. They
	// include those of the snapshot, and the change itself.
	Sets map[base.RowsetID]*patch.Set

	lock TableLock // the table locks that the caller holds
}

// Mutate begins the change c, which was computed from the snapshot s. The change is made by
// rewriting parts. The caller must hold s until Close.
//
// First, Mutate deletes superseded rows. It takes memory for that from AppendOptions.Reservation.
// If it would have to wait for memory, the error is ErrMemoryBusy, as for Commit. Then Mutate
// flushes memtables, so that all rows are in parts. The caller then writes the new parts, and adds
// to them the rows that the change inserts.
func (e *Engine) Mutate(ctx context.Context, s *snapshot.Snapshot, c Change, o AppendOptions) (*Mutation, error) {
	m := &Mutation{Sets: map[base.RowsetID]*patch.Set{}, lock: o.Lock}
	// Delete superseded rows in an edit of their own, because they may be in parts that the change
	// does not rewrite.
	err := e.deleteSupersededAt(ctx, s, c.Table, o.Reservation)
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

// Close ends the mutation. If Publish was not called, the table stays unchanged.
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
	tc.inserts = len(c.Inserted) > 0
	tc.allColumns = tc.allColumns || tc.inserts
	set := &changeSet{seq: s.Seq, exclusive: o.Lock == ExclusiveLock, tables: []*tableChange{tc}}
	for _, r := range c.ReadDependencies {
		set.reads = append(set.reads, readDependency{r, s.Tables[r.Table].Schema.Version})
	}
	for range maxAttempts {
		if err := e.remapAddresses(tc); err != nil {
			return err
		}
		if len(tc.rows) == 0 {
			return ErrChanged // all rows were deleted meanwhile; a new attempt finds nothing to do
		}
		m.Rewrite, err = e.Rewrite(c.Table, slices.Sorted(maps.Keys(tc.rows)))
		if err != nil && base.KindOf(err) == base.Conflict {
			continue // this part was replaced meanwhile
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
	updated := byRowset(tc.updated)
	for rowset := range tc.rows {
		set := now.Patches[rowset]
		if set == nil {
			set = patch.New(rowset)
		}
		set, err := set.With(s.Seq, tc.deleted[rowset], updated[rowset]...)
		if err != nil {
			return err
		}
		m.Sets[rowset] = set
	}
	var result Result
	m.check = func(edit *catalog.Edit) error {
		result = Result{Counts: c.Counts, Seq: e.seq + 1}
		e.putKey(o, edit, result)
		return e.checkChanges(set, newPendingWrites())
	}
	m.record = func(t *table, edit *catalog.Edit) {
		e.keyStored(o, edit, result)
		t.addWriteSet(writeSet{seq: e.seq, rows: tc.touched, columns: tc.columns, allColumns: tc.allColumns, inserted: tc.inserts, keys: tc.keys})
	}
	return nil
}

// Publish makes the change visible and durable. parts are the new parts, including the rows that
// the change inserts. remap has the new addresses of all other rows. If the result named moved is
// true, one of the old parts was rewritten meanwhile, and nothing is changed: a new Mutation of the
// same change may succeed. ErrChanged and ErrTableLocked are as for Commit. Publish waits for no
// table lock of another statement, because its caller holds a snapshot.
func (m *Mutation) Publish(ctx context.Context, parts []catalog.Part, remap patch.Remap) (moved bool, err error) {
	if m.lock == NoLock {
		release, err := m.engine.tryShareTables(ctx, []base.TableID{m.table})
		if err != nil {
			return false, err
		}
		defer release()
	}
	err = m.Rewrite.Publish(context.Background(), parts, remap)
	return errors.Is(err, errRemapped), err
}
