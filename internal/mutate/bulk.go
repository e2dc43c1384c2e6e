package mutate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// This file implements INSERTs of more rows than fit into the log (bulk input). A bulkInput writes
// the rows as parts while they arrive, and each key occurs once in these parts. All parts become
// visible in one edit, together with the deletion of the rows that they replace. To find the
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
// that the sender gave. c says what happens if a key exists; it is replaceRow or refuseRow.
func (m *Writer) bulkUpsert(ctx context.Context, t schema.Table, given []schema.Column, c conflictAction, o engine.AppendOptions, rows func(take func(arrow.RecordBatch) error) error) (counts engine.Counts, err error) {
	names := make([]string, len(given))
	for i, c := range given {
		names[i] = schema.Quote(c.Name)
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) SELECT 1", t.QuotedName(), strings.Join(names, ", "))
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		return engine.Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := m.execution(&statement{tools: m.tools, ctx: ctx, req: Request{Database: t.Database}, c: &clauses{statement: statements[0]}, options: o})
	in, err := x.insertion()
	if err != nil {
		return engine.Counts{}, err
	}
	if in.target.table.Version != t.Version {
		return engine.Counts{}, errOtherSchema(t)
	}
	taken := &bulkInput{loads: m.loads, ctx: ctx, table: t, sentColumns: given, policy: c, reservation: m.commits.NewReservation()}
	defer taken.closeInto(&err)
	if err := rows(taken.addLarge); err != nil {
		return engine.Counts{}, err
	}
	return x.insertParts(in, taken, len(given) == len(t.Columns) || c == refuseRow)
}

// insertParts commits the rows of a bulkInput that were written as parts. If the argument whole is
// true, a new row either replaces the existing row of its key or is left out, so the new parts need
// not be joined with the table.
func (x *execution) insertParts(in insertion, rows *bulkInput, whole bool) (engine.Counts, error) {
	if err := rows.writeChunk(); err != nil {
		return engine.Counts{}, err
	}
	staged, err := rows.load.Parts(x.ctx)
	if err != nil {
		return engine.Counts{}, err
	}
	if whole {
		return x.withTableLocked(rows, x.options.BeforeLockWait, func() (engine.Counts, error) { return x.replace(rows, staged, x.options) })
	}
	arrived, err := x.incomingTable(rows, staged)
	if err != nil {
		return engine.Counts{}, err
	}
	return x.withTableLocked(rows, x.options.BeforeLockWait, func() (engine.Counts, error) { return x.mergeParts(in, rows, arrived) })
}

// withTableLocked locks the table. Then it deletes the table's superseded rows (replaced by other
// rows of their keys), flushes it, and calls the function try. If that call returns ErrChanged
// because the table was truncated in the meantime, withTableLocked repeats these steps except the
// locking.
func (m *Writer) withTableLocked(in *bulkInput, beforeWait engine.BeforeLockWait, try func() (engine.Counts, error)) (engine.Counts, error) {
	release, err := m.locks.LockTables(in.ctx, beforeWait, in.table.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer release()
	for range maxAttempts {
		if err := m.loads.DeleteSuperseded(in.ctx, in.table.ID); err != nil {
			return engine.Counts{}, err
		}
		if err := m.loads.Flush(in.ctx); err != nil {
			return engine.Counts{}, err
		}
		counts, err := try()
		if !errors.Is(err, engine.ErrChanged) {
			return counts, err
		}
	}
	return engine.Counts{}, errTooManyConflicts()
}

// checkBulk returns an error if the table of a snapshot has another schema than the rows of the
// bulkInput, or still has rows in memory. t is that table; it is nil if the snapshot does not have
// the table.
func checkBulk(in *bulkInput, t *snapshot.Table) error {
	switch {
	case t == nil || t.Schema.Version != in.table.Version:
		return errOtherSchema(in.table)
	case len(t.Memtables) > 0:
		return base.Errorf(base.Internal, "table %s has rows in memory although it is pinned and flushed", in.table.QualifiedName())
	}
	return nil
}

// replace commits the new parts (staged). In the same edit it deletes the existing rows of the same
// keys.
func (m *Writer) replace(in *bulkInput, staged []*catalog.Part, o engine.AppendOptions) (engine.Counts, error) {
	snap, err := m.snapshots.DeduplicatedSnapshot(in.ctx, in.table.ID)
	if err != nil {
		return engine.Counts{}, err
	}
	defer snap.Release()
	t := snap.Tables[in.table.ID]
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
	_, err = in.load.CommitReplacing(in.ctx, snap, s.deleted, s.counts, o)
	return s.counts, err
}

// incomingTable returns the new parts as a table that a query can read. Each key occurs once in it.
func (m *Writer) incomingTable(in *bulkInput, staged []*catalog.Part) (*sqlquery.Transient, error) {
	t := &snapshot.Table{Schema: in.table, Versions: map[uint32]schema.Table{in.table.Version: in.table}}
	s := m.newPartDedup(in, t, staged)
	if err := s.run(s.resolveKey); err != nil {
		return nil, err
	}
	sets, err := withDeletions(nil, s.deleted)
	return &sqlquery.Transient{Name: incomingTable, Table: &snapshot.Table{Schema: in.table.Bare(), Parts: staged, Versions: t.Versions, Patches: sets}}, err
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

// mergeParts joins the new rows (arrived) with the table, and commits the result. If the statement
// changes keys, it returns an error if a new key is equal to another new key, or to the key of a
// row that the statement does not change.
func (x *execution) mergeParts(in insertion, rows *bulkInput, arrived *sqlquery.Transient) (counts engine.Counts, err error) {
	p, err := x.incomingPlan(in, arrived)
	if err != nil {
		return engine.Counts{}, err
	}
	found, err := x.find(p, nil)
	if err != nil {
		return engine.Counts{}, err
	}
	defer found.Close()
	snap := found.Snapshot()
	t := snap.Tables[rows.table.ID]
	if err := checkBulk(rows, t); err != nil {
		return engine.Counts{}, err
	}
	made := &bulkInput{loads: x.loads, ctx: x.ctx, table: rows.table, sentColumns: rows.sentColumns, reservation: x.commits.NewReservation()}
	defer made.closeInto(&err)
	rekeys := p.changesKey()
	if rekeys {
		made.duplicateError = errDuplicateResult(rows.table)
	}
	if at := rows.table.ColumnByID(rows.table.IsDeleted); at >= 0 && !schema.Contains(made.sentColumns, rows.table.IsDeleted) {
		// The deletion column counts as sent even if the sender did not give it, because DO UPDATE
		// may set it.
		made.sentColumns = append(slices.Clone(made.sentColumns), rows.table.Columns[at])
	}
	deleted := map[base.RowsetID]*roaring.Bitmap{}
	changed := false
	err = sqlquery.Each(x.ctx, found, func(rec arrow.RecordBatch) error {
		f := &planResult{plan: p}
		if err := f.addAddresses(rec); err != nil {
			return err
		}
		changed = changed || len(f.rows) > 0
		values, err := f.conform(rec)
		if err != nil {
			return err
		}
		defer values.Release()
		buries := p.tombstones(values)
		for i, row := range f.rows {
			_, buried := slices.BinarySearch(buries, uint32(i))
			switch {
			case row.Rowset == 0:
				counts.Inserted++
			case buried:
				counts.Deleted++
				// The row is a deletion and not an insertion. It is counted here as an insertion
				// all the same, because partDedup.tombstones subtracts all deletions from that
				// count.
				counts.Inserted++
				addRow(deleted, row)
			default:
				counts.Updated++
				addRow(deleted, row)
			}
		}
		return made.addLarge(values)
	})
	snap.Retain()
	defer snap.Release()
	found.Close() // releases the connection, as the function attempt explains
	if err == nil {
		err = made.writeChunk()
	}
	if err != nil {
		return engine.Counts{}, p.query.withPosition(err)
	}
	parts, err := made.load.Parts(x.ctx)
	if err != nil {
		return engine.Counts{}, err
	}
	if rekeys || rows.table.IsDeleted != 0 {
		// The join did not see tombstones (rows that say that their key is deleted). So a new row
		// may have the same key as a tombstone. The search for such keys ignores the rows that the
		// join replaced.
		visible := *t
		if visible.Patches, err = withDeletions(t.Patches, deleted); err != nil {
			return engine.Counts{}, err
		}
		s := x.newPartDedup(made, &visible, parts)
		s.counts = counts
		if err := s.tombstones(); err != nil {
			return engine.Counts{}, err
		}
		if err := s.run(s.replaceTombstone); err != nil {
			return engine.Counts{}, err
		}
		mergeRows(deleted, s.deleted)
		counts = s.counts
	}
	if !changed {
		return counts, nil
	}
	_, err = made.load.CommitReplacing(x.ctx, snap, deleted, counts, x.options)
	return counts, err
}
