package write

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqltoken"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/tx"
)

// This file implements INSERTs of more rows than fit into the log (bulk input). A incoming.Bulk
// writes the rows as parts while they arrive, and each key occurs once in these parts. All parts
// become visible in one edit, together with the deletion of the rows that they replace. To find the
// replaced rows, the table is locked and flushed, so that none of its rows is in memory.
//
// If existing rows matter for the result, the new parts are first joined with the table. The result
// of the join is written as another set of parts, and these are committed.

func errOtherSchema(t schema.Table) error {
	return base.Errorf(base.Conflict, "the schema of table %s changed while rows were loaded", t.QualifiedName()).WithHint("run the statement again")
}

// bulkUpsert adds any number of rows to a table with a primary key in one edit, as INSERT does. It
// gets the rows by a single call of the function rows. That function must call its argument take
// with each batch, and the batches must conform to the table. The argument given lists the columns
// that the sender gave. c says what happens if a key exists; it is incoming.ReplaceRow or
// incoming.RefuseRow.
func (m *Writer) bulkUpsert(ctx context.Context, t schema.Table, given []schema.Column, c incoming.Policy, o engine.AppendOptions, rows func(take func(arrow.RecordBatch) error) error) (counts engine.Counts, err error) {
	names := make([]string, len(given))
	for i, c := range given {
		names[i] = schema.Quote(c.Name)
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) SELECT 1", t.QuotedName(), strings.Join(names, ", "))
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		return engine.Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := m.execution(&statement.Statement{Tools: m.Tools, Ctx: ctx, Request: statement.Request{Database: t.Database}, Reader: &clause.Reader{Statement: statements[0]}, Options: o})
	in, err := x.Insertion()
	if err != nil {
		return engine.Counts{}, err
	}
	if in.Target.Table.Version != t.Version {
		return engine.Counts{}, errOtherSchema(t)
	}
	taken := &incoming.Bulk{Loads: m.Loads, Ctx: ctx, Table: t, SentColumns: given, Policy: c, Reservation: m.Commits.NewReservation()}
	defer taken.CloseInto(&err)
	if err := rows(taken.AddLarge); err != nil {
		return engine.Counts{}, err
	}
	return x.insertParts(in, taken, len(given) == len(t.Columns) || c == incoming.RefuseRow)
}

// insertParts commits the rows of a incoming.Bulk that were written as parts. If the argument whole
// is true, a new row either replaces the existing row of its key or is left out, so the new parts
// need not be joined with the table.
func (x *execution) insertParts(in dml.Insertion, rows *incoming.Bulk, whole bool) (engine.Counts, error) {
	if err := rows.WriteChunk(); err != nil {
		return engine.Counts{}, err
	}
	staged, err := rows.Load.Parts(x.Ctx)
	if err != nil {
		return engine.Counts{}, err
	}
	if whole {
		return x.withTableLocked(rows, x.Options.BeforeLockWait, func() (engine.Counts, error) { return x.replace(rows, staged, x.Options) })
	}
	arrived, err := x.incomingTable(rows, staged)
	if err != nil {
		return engine.Counts{}, err
	}
	return x.withTableLocked(rows, x.Options.BeforeLockWait, func() (engine.Counts, error) { return x.mergeParts(in, rows, arrived) })
}

// withTableLocked locks the table. Then it deletes the table's superseded rows (replaced by other
// rows of their keys), flushes it, and calls the function try. If that call returns ErrChanged
// because the table was truncated in the meantime, withTableLocked repeats these steps except the
// locking.
func (m *Writer) withTableLocked(in *incoming.Bulk, beforeWait engine.BeforeLockWait, try func() (engine.Counts, error)) (engine.Counts, error) {
	release, err := m.Locks.LockTables(in.Ctx, beforeWait, in.Table.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer release()
	for range tx.MaxAttempts {
		if err := m.Loads.DeleteSuperseded(in.Ctx, in.Table.ID); err != nil {
			return engine.Counts{}, err
		}
		if err := m.Loads.Flush(in.Ctx); err != nil {
			return engine.Counts{}, err
		}
		counts, err := try()
		if !errors.Is(err, engine.ErrChanged) {
			return counts, err
		}
	}
	return engine.Counts{}, tx.ErrTooManyConflicts()
}

// checkBulk returns an error if the table of a snapshot has another schema than the rows of the
// incoming.Bulk, or still has rows in memory. t is that table; it is nil if the snapshot does not
// have the table.
func checkBulk(in *incoming.Bulk, t *snapshot.Table) error {
	switch {
	case t == nil || t.Schema.Version != in.Table.Version:
		return errOtherSchema(in.Table)
	case len(t.Memtables) > 0:
		return base.Errorf(base.Internal, "table %s has rows in memory although it is pinned and flushed", in.Table.QualifiedName())
	}
	return nil
}

// replace commits the new parts (staged). In the same edit it deletes the existing rows of the same
// keys.
func (m *Writer) replace(in *incoming.Bulk, staged []*catalog.Part, o engine.AppendOptions) (engine.Counts, error) {
	snap, err := m.Snapshots.DeduplicatedSnapshot(in.Ctx, in.Table.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer snap.Release()
	t := snap.Tables[in.Table.ID]
	if err := checkBulk(in, t); err != nil {
		return engine.Counts{}, err
	}
	s := m.newPartDedup(in, t, staged)
	if err := s.tombstones(); err != nil {
		return engine.Counts{}, err
	}
	if err := s.run(s.resolveKey); err != nil {
		return engine.Counts{}, err
	}
	_, err = in.Load.CommitReplacing(in.Ctx, snap, s.deleted, s.counts, o)
	return s.counts, err
}

// withDeletions returns a copy of the argument sets (the deletions and patches of a table's
// rowsets) in which the rows of the argument deleted are deleted too. The keys of both maps are ids
// of rowsets.
func withDeletions(sets map[base.RowsetID]*patch.Set, deleted map[base.RowsetID]*roaring.Bitmap) (map[base.RowsetID]*patch.Set, error) {
	out := maps.Clone(sets)
	if out == nil {
		out = map[base.RowsetID]*patch.Set{}
	}
	for rowset, rows := range deleted {
		set := out[rowset]
		if set == nil {
			set = patch.New(rowset)
		}
		var err error
		if out[rowset], err = set.With(set.Seq, rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}
