package write

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// incomingTable returns the new parts as a table that a query can read. Each key occurs once in it.
func (m *Writer) incomingTable(in *incoming.Bulk, staged []*catalog.Part) (*sqlquery.Transient, error) {
	t := &snapshot.Table{Schema: in.Table, Versions: map[uint32]schema.Table{in.Table.Version: in.Table}}
	s := m.newPartDedup(in, t, staged)
	if err := s.run(s.resolveKey); err != nil {
		return nil, err
	}
	sets, err := withDeletions(nil, s.deleted)
	return &sqlquery.Transient{Name: dml.IncomingTable, Table: &snapshot.Table{Schema: in.Table.Bare(), Parts: staged, Versions: t.Versions, Patches: sets}}, err
}

// mergeParts joins the new rows (arrived) with the table, and commits the result. If the statement
// changes keys, it returns an error if a new key is equal to another new key, or to the key of a
// row that the statement does not change.
func (x *execution) mergeParts(in dml.Insertion, rows *incoming.Bulk, arrived *sqlquery.Transient) (counts engine.Counts, err error) {
	p, err := x.IncomingPlan(in, arrived)
	if err != nil {
		return engine.Counts{}, err
	}
	found, err := x.find(p, nil)
	if err != nil {
		return engine.Counts{}, err
	}
	defer found.Close()
	snap := found.Snapshot()
	t := snap.Tables[rows.Table.ID]
	if err := checkBulk(rows, t); err != nil {
		return engine.Counts{}, err
	}
	made := &incoming.Bulk{Loads: x.Loads, Ctx: x.Ctx, Table: rows.Table, SentColumns: rows.SentColumns, Reservation: x.Commits.NewReservation()}
	defer made.CloseInto(&err)
	rekeys := p.ChangesKey()
	if rekeys {
		made.DuplicateError = errDuplicateResult(rows.Table)
	}
	if at := rows.Table.ColumnByID(rows.Table.IsDeleted); at >= 0 && !schema.Contains(made.SentColumns, rows.Table.IsDeleted) {
		// The deletion column counts as sent even if the sender did not give it, because DO UPDATE
		// may set it.
		made.SentColumns = append(slices.Clone(made.SentColumns), rows.Table.Columns[at])
	}
	deleted := map[base.RowsetID]*roaring.Bitmap{}
	changed := false
	err = sqlquery.Each(x.Ctx, found, func(rec arrow.RecordBatch) error {
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
		buries := p.Tombstones(values)
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
		return made.AddLarge(values)
	})
	snap.Retain()
	defer snap.Release()
	found.Close() // releases the connection, as the function attempt explains
	if err == nil {
		err = made.WriteChunk()
	}
	if err != nil {
		return engine.Counts{}, p.Query.WithPosition(err)
	}
	parts, err := made.Load.Parts(x.Ctx)
	if err != nil {
		return engine.Counts{}, err
	}
	if rekeys || rows.Table.IsDeleted != 0 {
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
	_, err = made.Load.CommitReplacing(x.Ctx, snap, deleted, counts, x.Options)
	return counts, err
}
