package keys

import (
	"maps"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// maxAlike is the maximum number of rows with one key that the method All returns. If more rows
// have the key, a query that scans the table is better.
const maxAlike = 256

// coarseFor is a duration. If the method All finds more than maxAlike rows with a key, it looks up
// no keys of the same columns for that long. Then it tries again, because rows may have been
// deleted. Such an attempt costs as much as a few statements.
const coarseFor = 10 * time.Minute

// coarseKey identifies key columns of a table in which more than maxAlike rows had the same values.
type coarseKey struct {
	table base.TableID
	key   string
}

// All returns the addresses of all rows of a table that have one key. The argument key has the ids
// of the key's columns, and values has an array with one value for each of them. A row with a NULL
// in its key is never found.
//
// ok is false if the caller must find the rows by a query instead, for one of these reasons:
//   - More than maxAlike rows have the key, or had another key of the same columns less than
//     coarseFor ago.
//   - All would have to read more than a few row groups, which takes longer than a query. Then the
//     index is built in the background (see indexBuilder).
//   - Keys of these columns cannot be found by the written values (see suits).
//
// The caller must hold the snapshot to which t belongs.
func (f *Finder) All(t *snapshot.Table, key []base.ColumnID, values []arrow.Array) (found []base.RowAddress, ok bool, err error) {
	if !f.suits(t, key) {
		return nil, false, nil
	}
	hashes, err := batch.KeyHashes(values)
	if err != nil {
		return nil, false, err
	}
	ranges, err := rangesOf(values)
	if err != nil {
		return nil, false, err
	}
	from := func(id base.RowsetID) func(uint32) bool {
		set := t.Patches[id]
		return func(ordinal uint32) bool {
			if set == nil || set.Deleted == nil || !set.Deleted.Contains(ordinal) {
				found = append(found, base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(ordinal)})
			}
			return len(found) > maxAlike
		}
	}
	met := slices.DeleteFunc(slices.Clone(t.Parts), func(p *catalog.Part) bool { return !ranges.meet(t, key, p) })
	ways, ok, err := f.ways(t, met, key, values)
	if err != nil || !ok {
		return nil, false, err
	}
	for i := 0; i < len(ways) && len(found) <= maxAlike; i++ {
		w, live := ways[i], from(ways[i].part)
		in := func(row uint32) bool { return live(w.first + row) }
		switch {
		case w.index != nil:
			w.index.Find(hashes[0], live)
		case w.rows != nil:
			w.rows.find(w.values, in)
		default:
			for _, row := range w.found {
				if in(row) {
					break
				}
			}
		}
	}
	for i := 0; i < len(t.Memtables) && len(found) <= maxAlike; i++ {
		rows, err := f.ofMemtable(t, key, t.Memtables[i])
		if err != nil {
			return nil, false, err
		}
		rows.find(t.Memtables[i], hashes[0], from(t.Memtables[i].Rowset))
		rows.mu.Unlock()
	}
	if len(found) > maxAlike {
		f.mu.Lock()
		defer f.mu.Unlock()
		maps.DeleteFunc(f.coarse, func(_ coarseKey, found time.Time) bool { return time.Since(found) >= coarseFor })
		f.coarse[coarseKey{t.Schema.ID, describe(Columns(t.Schema, key))}] = time.Now()
		return nil, false, nil
	}
	return found, true, nil
}

// suits reports whether the method All can find rows of the table by a key with these columns.
func (f *Finder) suits(t *snapshot.Table, key []base.ColumnID) bool {
	for _, view := range t.Memtables {
		for _, id := range key {
			if view.Schema.ColumnByID(id) < 0 {
				// Rows of the memtable were written before the column existed, so they have its
				// initial value. Only DuckDB can compute that value.
				return false
			}
		}
	}
	for _, set := range t.Patches {
		if slices.ContainsFunc(key, set.Changes) {
			// Before the column was in the key, rows may have got new values of it as patches. Then
			// the values that were written with the rows are out of date.
			return false
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	since, coarse := f.coarse[coarseKey{t.Schema.ID, describe(Columns(t.Schema, key))}]
	return !coarse || time.Since(since) >= coarseFor
}

// maxReads is the maximum number of footers and row groups that All reads. Reading more would take
// longer than a query.
const maxReads = 3

// way says how to look up a key in one part. There are three ways:
//   - index is set: look up the key in the index of the part
//   - rows is set: search the row group's cached key values for the key. The field values has the
//     key as numbers
//   - found is set: the row group was searched in the file, and found is the result
type way struct {
	part   base.RowsetID
	index  *partIndex
	rows   *groupRows
	values []int64
	found  []uint32 // the rows that have the key, by their numbers in the row group
	first  uint32   // the number that the row group's first row has in the part
}

// ways says how to look up a key in each of the given parts. If needed, it searches row groups in
// the files of the parts. If that would take more than maxReads reads, the result ok is false. Then
// the missing indexes and row groups are read in the background.
func (f *Finder) ways(t *snapshot.Table, parts []*catalog.Part, key []base.ColumnID, values []arrow.Array) (ways []way, ok bool, err error) {
	var lacking []lack
	var groups []candidates
	left := maxReads
	for _, p := range parts {
		entry := f.rowset(t, p.ID, key, true)
		if x := entry.cached.Load().index.Load(); x != nil {
			ways = append(ways, way{part: p.ID, index: x})
			continue
		}
		c, reads, ok, err := f.groupsHolding(entry, t, p, key, values, left)
		if err != nil {
			return nil, false, base.Wrap(err, "keys of part %d", p.ID)
		}
		left -= reads
		if ok {
			groups = append(groups, c)
		} else {
			lacking = append(lacking, lack{entry: entry, part: p})
		}
	}
	if len(lacking) > 0 {
		f.want(t, lacking, key, values)
		return nil, false, nil
	}
	for _, c := range groups {
		more, err := f.lookInto(c)
		if err != nil {
			return nil, false, err
		}
		ways = append(ways, more...)
	}
	return ways, true, nil
}
