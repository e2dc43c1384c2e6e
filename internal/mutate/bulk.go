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
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// This file implements INSERTs of more rows than fit into the log (bulk input). An intake writes
// the rows as parts while they arrive, and each key occurs once in these parts. All parts become
// visible in one edit, together with the deletion of the rows that they replace. To find the
// replaced rows, the table is locked and flushed, so that none of its rows is in memory.
//
// If existing rows matter for the result, the new parts are first joined with the table. The result
// of the join is written as another set of parts, and these are committed.

func errOtherSchema(t schema.Table) error {
	return base.Errorf(base.Conflict, "the schema of table %s changed while rows were loaded", t.QualifiedName()).WithHint("run the statement again")
}

// insertMany adds any number of rows to a table with a primary key in one edit, as INSERT does.
// rows is called with the function take, and calls it with batches that conform to the table. given
// are the columns that the sender gave. c is replaceRow or refuseRow.
func (m *Mutator) insertMany(ctx context.Context, t schema.Table, given []schema.Column, c conflict, o engine.AppendOptions, rows func(take func(arrow.RecordBatch) error) error) (counts Counts, err error) {
	names := make([]string, len(given))
	for i, c := range given {
		names[i] = schema.Quote(c.Name)
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) SELECT 1", t.QuotedName(), strings.Join(names, ", "))
	statements, err := sqltoken.Statements(sql)
	if err != nil {
		return Counts{}, base.Errorf(base.Internal, "%s: %w", sql, err)
	}
	x := &execution{Mutator: m, ctx: ctx, req: Request{Database: t.Database}, c: &clauses{statement: statements[0]}, options: o}
	in, err := x.insertion()
	if err != nil {
		return Counts{}, err
	}
	if in.target.table.Version != t.Version {
		return Counts{}, errOtherSchema(t)
	}
	taken := &intake{Mutator: m, ctx: ctx, table: t, sent: given, policy: c, room: m.store.Room()}
	defer taken.closing(&err)
	if err := rows(taken.take); err != nil {
		return Counts{}, err
	}
	return x.insertParts(in, taken, len(given) == len(t.Columns) || c == refuseRow)
}

// insertParts commits the rows that were written as parts. whole says that a new row either
// replaces the existing row of its key or is left out. Then the new parts need not be joined with
// the table.
func (x *execution) insertParts(in insertion, rows *intake, whole bool) (Counts, error) {
	if err := rows.stage(); err != nil {
		return Counts{}, err
	}
	staged, err := rows.staged.Parts(x.ctx)
	if err != nil {
		return Counts{}, err
	}
	if whole {
		return rows.settled(x.options.Waits, func() (Counts, error) { return rows.replace(staged, x.options) })
	}
	arrived, err := rows.arrived(staged)
	if err != nil {
		return Counts{}, err
	}
	return rows.settled(x.options.Waits, func() (Counts, error) { return x.mergeParts(in, rows, arrived) })
}

// settled locks and deduplicates the table, flushes it, and then calls try. If try returns
// ErrChanged because the table was truncated in the meantime, settled deduplicates, flushes and
// calls try again.
func (in *intake) settled(waits engine.Waits, try func() (Counts, error)) (Counts, error) {
	release, err := in.store.Pin(in.ctx, waits, in.table.ID)
	if err != nil {
		return Counts{}, err
	}
	defer release()
	for range maxAttempts {
		if err := in.store.Settle(in.ctx, in.table.ID); err != nil {
			return Counts{}, err
		}
		if err := in.store.Flush(in.ctx); err != nil {
			return Counts{}, err
		}
		counts, err := try()
		if !errors.Is(err, engine.ErrChanged) {
			return counts, err
		}
	}
	return Counts{}, errTooOften()
}

// check returns an error if the table of a snapshot has another schema than the intake's rows, or
// still has rows in memory. t is nil if the snapshot does not have the table.
func (in *intake) check(t *snapshot.Table) error {
	switch {
	case t == nil || t.Schema.Version != in.table.Version:
		return errOtherSchema(in.table)
	case len(t.Memtables) > 0:
		return base.Errorf(base.Internal, "table %s has rows in memory although it is pinned and flushed", in.table.QualifiedName())
	}
	return nil
}

// replace commits the new parts, and deletes the existing rows of the same keys in the same edit.
func (in *intake) replace(staged []*catalog.Part, o engine.AppendOptions) (Counts, error) {
	snap, err := in.store.Settled(in.ctx, in.table.ID)
	if err != nil {
		return Counts{}, err
	}
	defer snap.Release()
	t := snap.Tables[in.table.ID]
	if err := in.check(t); err != nil {
		return Counts{}, err
	}
	s := in.settlement(t, staged)
	if err := s.tombstones(); err != nil {
		return Counts{}, err
	}
	if err := s.run(s.replaceOne); err != nil {
		return Counts{}, err
	}
	_, err = in.staged.CommitOver(in.ctx, snap, s.deleted, s.counts, o)
	return s.counts, err
}

// arrived returns the new parts as a table for a query, in which each key occurs once.
func (in *intake) arrived(staged []*catalog.Part) (*Transient, error) {
	t := &snapshot.Table{Schema: in.table, Versions: map[uint32]schema.Table{in.table.Version: in.table}}
	s := in.settlement(t, staged)
	if err := s.run(s.replaceOne); err != nil {
		return nil, err
	}
	sets, err := without(nil, s.deleted)
	return &Transient{Name: arrivedTable, Table: &snapshot.Table{Schema: in.table.Bare(), Parts: staged, Versions: t.Versions, Patches: sets}}, err
}

// without returns a copy of the patch sets of a table's rowsets in which the rows of deleted are
// deleted too. Both maps are by rowset.
func without(sets map[base.SourceID]*patch.Set, deleted map[base.SourceID]*roaring.Bitmap) (map[base.SourceID]*patch.Set, error) {
	out := maps.Clone(sets)
	if out == nil {
		out = map[base.SourceID]*patch.Set{}
	}
	for source, rows := range deleted {
		set := out[source]
		if set == nil {
			set = patch.New(source)
		}
		var err error
		if out[source], err = set.With(set.Seq, rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mergeParts joins the new rows with the table, and commits the result. If the statement changes
// keys, a new key may be equal to another new key, or to the key of a row that the statement does
// not change. mergeParts finds these cases.
func (x *execution) mergeParts(in insertion, rows *intake, arrived *Transient) (counts Counts, err error) {
	p, err := x.arrivalPlan(in, arrived)
	if err != nil {
		return Counts{}, err
	}
	found, err := x.find(p, nil)
	if err != nil {
		return Counts{}, err
	}
	defer found.Close()
	snap := found.Snapshot()
	t := snap.Tables[rows.table.ID]
	if err := rows.check(t); err != nil {
		return Counts{}, err
	}
	made := &intake{Mutator: x.Mutator, ctx: x.ctx, table: rows.table, sent: rows.sent, room: x.store.Room()}
	defer made.closing(&err)
	rekeys := p.rekeys()
	if rekeys {
		made.twice = errOneKey(rows.table)
	}
	if at := rows.table.ColumnByID(rows.table.IsDeleted); at >= 0 && !contains(made.sent, rows.table.IsDeleted) {
		// DO UPDATE may set this column
		made.sent = append(slices.Clone(made.sent), rows.table.Columns[at])
	}
	deleted := map[base.SourceID]*roaring.Bitmap{}
	changed := false
	err = each(x.ctx, found, func(rec arrow.RecordBatch) error {
		f := &effects{plan: p}
		if err := f.addAddresses(rec); err != nil {
			return err
		}
		changed = changed || len(f.rows) > 0
		values, err := f.conform(rec)
		if err != nil {
			return err
		}
		defer values.Release()
		buries := p.buries(values)
		for i, row := range f.rows {
			_, buried := slices.BinarySearch(buries, uint32(i))
			switch {
			case row.Source == 0:
				counts.Inserted++
			case buried:
				counts.Deleted++
				counts.Inserted++ // settlement.tombstones subtracts it again
				addRow(deleted, row)
			default:
				counts.Updated++
				addRow(deleted, row)
			}
		}
		return made.take(values)
	})
	snap.Retain()
	defer snap.Release()
	found.Close() // releases the connection; for the reason see attempt
	if err == nil {
		err = made.stage()
	}
	if err != nil {
		return Counts{}, p.query.placed(err)
	}
	parts, err := made.staged.Parts(x.ctx)
	if err != nil {
		return Counts{}, err
	}
	if rekeys || rows.table.IsDeleted != 0 {
		// The join did not see tombstones, so a new row may have the key of one. The rows that the
		// join replaced are hidden from the search for such keys.
		visible := *t
		if visible.Patches, err = without(t.Patches, deleted); err != nil {
			return Counts{}, err
		}
		s := made.settlement(&visible, parts)
		s.counts = counts
		if err := s.tombstones(); err != nil {
			return Counts{}, err
		}
		if err := s.run(s.buryOne); err != nil {
			return Counts{}, err
		}
		joinRows(deleted, s.deleted)
		counts = s.counts
	}
	if !changed {
		return counts, nil
	}
	_, err = made.staged.CommitOver(x.ctx, snap, deleted, counts, x.options)
	return counts, err
}
