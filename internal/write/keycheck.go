package write

import (
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// checkKeys returns an error if an inserted row has the key of another row. Otherwise it adds the
// keys of the inserted rows to the change set.
//
// A new row replaces the tombstone of its key (the row that says that the key is deleted). If the
// tombstone has a higher version, the new row is left out. A new row that is itself a deletion is
// left out if the table keeps no tombstones.
func (x *execution) checkKeys(f *planResult, o *changeSet, s *snapshot.Snapshot) error {
	t := f.plan.Table
	if len(t.PrimaryKey) == 0 || len(o.change.Inserted) == 0 {
		return nil
	}
	rec := o.change.Inserted[0]
	columns := keys.Key(t, rec)
	hashes, err := batch.KeyHashes(columns)
	if err != nil {
		return err
	}
	addresses, err := x.Keys.Find(x.Ctx, s.Tables[t.ID], columns, hashes)
	if err != nil {
		return err
	}
	var states []keys.State
	var own incoming.RowVersions
	if t.IsDeleted != 0 {
		if states, err = x.Keys.States(x.Ctx, s.Tables[t.ID], addresses); err != nil {
			return err
		}
		if own, err = incoming.RowVersionsOf(t, rec, t.Columns); err != nil {
			return err
		}
	}
	// left has the inserted rows that are not stored after all, as indexes of o.inserted: rows with
	// a lower version than the tombstone of their key, and deletions if the table keeps no
	// tombstones.
	left := map[uint32]bool{}
	seen := make(map[batch.KeyHash]bool, len(hashes))
	for i, h := range hashes {
		there := addresses[i].Rowset != 0
		if deleted := o.change.Deleted[addresses[i].Rowset]; there && deleted != nil {
			there = !deleted.Contains(uint32(addresses[i].Ordinal))
		}
		if there && states != nil && states[i].Deleted {
			if there = false; own.IsSuperseded(i, states[i]) && o.isNew(i) && f.plan.Actions[f.actions[o.inserted[i]]].Versioned {
				left[uint32(i)] = true
				addRow(o.change.Unmodified, addresses[i])
				continue
			}
			addRow(o.change.Deleted, addresses[i])
		}
		if there || seen[h] {
			return incoming.DuplicateKey(t, columns, i)
		}
		seen[h] = true
		o.change.Keys = append(o.change.Keys, h.High)
		if o.tombstones[o.inserted[i]] && !t.KeepsTombstones() {
			left[uint32(i)] = true
		}
	}
	return o.skip(left)
}
