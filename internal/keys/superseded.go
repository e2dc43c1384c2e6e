package keys

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Which rows are superseded. Rows are appended to a table that merges on read without comparing
// them with existing rows of their keys. Of several rows of a key, the one with the highest version
// is current. Among equal versions, the row that arrived last is current. The others are
// superseded. A superseded row stays superseded for good. So a change that deletes the current row,
// moves it to another key, or gives it another version must also delete the superseded rows of its
// key.

// Superseded has the superseded rows (replaced by other rows of their keys) that were found in a
// table. Seq and Rows say which of the table's rows were compared to find them.
type Superseded struct {
	// Seq is the number of an edit. All rows that were in parts after this edit were deduplicated.
	Seq base.Seq
	// Rows says for each memtable how many of its rows, beginning with the first, were
	// deduplicated. The memtables are given by id.
	Rows map[base.RowsetID]int64
	// Of has the superseded rows by rowset id; the bitmaps must not be modified.
	Of map[base.RowsetID]*roaring.Bitmap
}

// Superseded finds the superseded rows of a snapshot: those that other rows of their keys replace.
// The argument before has the superseded rows that were found earlier, and is not modified. Only
// the rows that were added since then are looked up. The argument seq is the sequence number of the
// snapshot, which must not be less than before.Seq. The result shares the bitmaps of rowsets in
// which no more superseded rows were found. The caller must hold the snapshot to which t belongs.
func (f *Finder) Superseded(ctx context.Context, t *snapshot.Table, seq base.Seq, before Superseded) (Superseded, error) {
	c := &deduplicator{Finder: f, ctx: ctx, table: t, superseded: maps.Clone(before.Of), grown: map[base.RowsetID]bool{}}
	if c.superseded == nil {
		c.superseded = map[base.RowsetID]*roaring.Bitmap{}
	}
	after := Superseded{Seq: seq, Rows: make(map[base.RowsetID]int64, len(t.Memtables)), Of: c.superseded}
	for _, v := range t.Memtables {
		after.Rows[v.Rowset] = v.Rows
	}
	for _, a := range c.newRows(before) {
		if err := ctx.Err(); err != nil {
			return before, base.Wrap(err, "look up keys")
		}
		if err := c.deduplicate(a); err != nil {
			return before, err
		}
	}
	return after, nil
}

// deduplicator finds the superseded rows of one table in one snapshot: those that other rows of
// their keys replace.
type deduplicator struct {
	*Finder
	ctx        context.Context
	table      *snapshot.Table
	superseded map[base.RowsetID]*roaring.Bitmap
	// grown has the rowsets whose bitmap was copied for the result, so that it may be modified.
	grown map[base.RowsetID]bool
}

// newRows are rows of one rowset that must be deduplicated. They are all rows of a part, or the
// rows of a memtable from some row on.
type newRows struct {
	seq  base.Seq
	id   base.RowsetID
	part *catalog.Part // the part that has the rows; nil if they are in a memtable
	view memtable.View
	from int64
}

func (a newRows) order(b newRows) int {
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.id, b.id))
}

func ofPart(p *catalog.Part) newRows { return newRows{seq: p.MaxSeq, id: p.ID, part: p} }

func ofView(v memtable.View) newRows { return newRows{seq: v.MinSeq, id: v.Rowset, view: v} }

// newRows returns the rows that were added after the last deduplication, whose result is the
// argument before. The returned slice has one element for each rowset, in the order in which the
// rowsets were written. All rows of a rowset are older than the rows of the next rowset, because a
// load starts a new memtable, and only deduplicated parts are merged.
func (c *deduplicator) newRows(before Superseded) []newRows {
	var all []newRows
	for _, p := range c.table.Parts {
		if p.MaxSeq > before.Seq {
			all = append(all, ofPart(p))
		}
	}
	for _, v := range c.table.Memtables {
		if a := ofView(v); v.Rows > before.Rows[v.Rowset] {
			a.from = before.Rows[v.Rowset]
			all = append(all, a)
		}
	}
	slices.SortFunc(all, newRows.order)
	return all
}

// live returns a function that reports whether a row of a rowset is neither deleted nor superseded.
func (c *deduplicator) live(id base.RowsetID) func(ordinal uint32) bool {
	var deleted *roaring.Bitmap
	if set := c.table.Patches[id]; set != nil {
		deleted = set.Deleted
	}
	superseded := c.superseded[id]
	return func(ordinal uint32) bool {
		return (deleted == nil || !deleted.Contains(ordinal)) && (superseded == nil || !superseded.Contains(ordinal))
	}
}

// supersede marks some rows of a rowset as superseded (replaced by other rows of their keys). It
// sorts the slice rows.
func (c *deduplicator) supersede(id base.RowsetID, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	if !c.grown[id] {
		c.grown[id] = true
		if c.superseded[id] == nil {
			c.superseded[id] = roaring.New()
		} else {
			c.superseded[id] = c.superseded[id].Clone()
		}
	}
	slices.Sort(rows) // until here the rows are in the order of their hashes
	c.superseded[id].AddMany(rows)
}

// deduplicate finds the rows that are superseded because of the given new rows. It compares the new
// rows with each other, and with all older rows of their keys.
func (c *deduplicator) deduplicate(a newRows) error {
	rows, look, err := c.rows(a)
	if err != nil {
		return err
	}
	key := c.table.Schema.PrimaryKey
	if a.part == nil && a.from > 0 {
		earlier := a.view
		earlier.Rows = a.from
		if rows, err = c.compare(a, rows, a.id, nil, func(live func(uint32) bool) (func(batch.KeyHash) (uint32, bool), func(), error) {
			return c.inView(earlier, live)
		}); err != nil {
			return err
		}
	}
	for i := len(c.table.Memtables) - 1; i >= 0 && len(rows) > 0; i-- {
		v := c.table.Memtables[i]
		if v.Rowset == a.id || ofView(v).order(a) > 0 {
			continue
		}
		if rows, err = c.compare(a, rows, v.Rowset, nil, func(live func(uint32) bool) (func(batch.KeyHash) (uint32, bool), func(), error) {
			return c.inView(v, live)
		}); err != nil {
			return err
		}
	}
	for i := len(c.table.Parts) - 1; i >= 0 && len(rows) > 0; i-- {
		p := c.table.Parts[i]
		if p == a.part || ofPart(p).order(a) > 0 || !look.ranges(p) {
			continue
		}
		if rows, err = c.compare(a, rows, p.ID, look.within(p), func(live func(uint32) bool) (func(batch.KeyHash) (uint32, bool), func(), error) {
			x, err := c.ofPart(c.ctx, c.table, p, key)
			return func(key batch.KeyHash) (found uint32, ok bool) {
				x.Find(key, func(ordinal uint32) bool {
					found, ok = ordinal, live(ordinal)
					return ok
				})
				return found, ok
			}, func() {}, err
		}); err != nil {
			return err
		}
	}
	return nil
}

// inView returns a function that finds a row with a given key in a memtable, if the row is neither
// deleted nor superseded. The memtable's index is locked until release is called.
func (c *deduplicator) inView(v memtable.View, live func(uint32) bool) (find func(batch.KeyHash) (uint32, bool), release func(), err error) {
	s, err := c.ofMemtable(c.table, c.table.Schema.PrimaryKey, v)
	if err != nil {
		return nil, nil, err
	}
	return func(key batch.KeyHash) (found uint32, ok bool) {
		s.find(v, key, func(ordinal uint32) bool {
			found, ok = ordinal, live(ordinal)
			return ok
		})
		return found, ok
	}, s.mu.Unlock, nil
}

// compare looks up the keys of new rows in an older rowset. If it finds a row with the same key, it
// marks the superseded one of the two: the new row or the older one. It returns the new rows whose
// key the rowset does not have. The function within reports whether the rowset may have the key of
// a new row. If it is nil, the rowset may have all of the keys. The function open returns the
// function that looks up a key in the rowset.
func (c *deduplicator) compare(a newRows, rows []entry, rowset base.RowsetID, within func(row uint32) bool, open func(live func(uint32) bool) (find func(batch.KeyHash) (uint32, bool), release func(), err error)) ([]entry, error) {
	find, release, err := open(c.live(rowset))
	if err != nil {
		return nil, err
	}
	var added, existing []uint32
	rest := rows[:0]
	for _, r := range rows {
		if within != nil && !within(r.ordinal-uint32(a.from)) {
			rest = append(rest, r)
			continue
		}
		if other, found := find(batch.KeyHash{High: r.high, Low: r.low}); found {
			added, existing = append(added, r.ordinal), append(existing, other)
		} else {
			rest = append(rest, r)
		}
	}
	release()
	if len(added) == 0 {
		return rest, nil
	}
	if c.table.Schema.RowVersion == 0 {
		c.supersede(rowset, existing)
		return rest, nil
	}
	addedStates, err := c.versions(a.id, added)
	if err != nil {
		return nil, err
	}
	existingStates, err := c.versions(rowset, existing)
	if err != nil {
		return nil, err
	}
	var late, replaced []uint32
	for i := range added {
		if addedStates[i].Version < existingStates[i].Version {
			late = append(late, added[i])
		} else {
			replaced = append(replaced, existing[i])
		}
	}
	c.supersede(a.id, late)
	c.supersede(rowset, replaced)
	return rest, nil
}

func (c *deduplicator) versions(id base.RowsetID, rows []uint32) ([]State, error) {
	addresses := make([]base.RowAddress, len(rows))
	for i, row := range rows {
		addresses[i] = base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(row)}
	}
	return c.States(c.ctx, c.table, addresses)
}

// where says in which parts new rows must be looked up. The function ranges reports whether a part
// may have any of their keys. The function within returns, for a part, a function that reports
// whether the part may have the key of one new row. The new rows are counted from 0.
type where struct {
	ranges func(p *catalog.Part) bool
	within func(p *catalog.Part) func(row uint32) bool
}

// rows returns the new rows to look up in older rowsets, one for each key. They are ordered by the
// first bits of the hashes of their keys. Indexes have the same order, so the lookups go through an
// index from start to end.
func (c *deduplicator) rows(a newRows) (rows []entry, look where, err error) {
	t, key := c.table, c.table.Schema.PrimaryKey
	live := c.live(a.id)
	if a.part != nil {
		x, err := c.ofPart(c.ctx, t, a.part, key)
		if err != nil {
			return nil, look, err
		}
		rows = slices.DeleteFunc(slices.Clone(x.entries), func(e entry) bool { return !live(e.ordinal) })
		look.ranges = func(p *catalog.Part) bool { return shareKeys(t, key, a.part, p) }
		look.within = func(*catalog.Part) func(uint32) bool { return nil }
		return rows, look, nil
	}
	s, err := c.ofMemtable(t, key, a.view)
	if err != nil {
		return nil, look, err
	}
	x := NewIndex(s.rows.hashes[a.from:a.view.Rows])
	s.mu.Unlock()
	for i := range x.entries {
		x.entries[i].ordinal += uint32(a.from)
	}
	bounds, first, err := valuesIn(t.Schema, a.view, a.from, t.Patches[a.id])
	if err != nil {
		return nil, look, err
	}
	look.ranges = func(p *catalog.Part) bool { return bounds.meet(t, key, p) }
	look.within = func(p *catalog.Part) func(uint32) bool { return first.within(t, key, p) }
	var versions func([]uint32) ([]State, error)
	if t.Schema.RowVersion != 0 {
		versions = func(ordinals []uint32) ([]State, error) { return c.versions(a.id, ordinals) }
	}
	superseded, err := x.superseded(live, versions)
	if err != nil {
		return nil, look, err
	}
	c.supersede(a.id, superseded)
	live = c.live(a.id)
	rows = slices.DeleteFunc(x.entries, func(e entry) bool { return !live(e.ordinal) })
	return rows, look, nil
}

// valuesIn reads the keys of some rows of a memtable: the row with the number in the argument from,
// and all later rows. The result bounds has the least and greatest values of each column of the
// key. The result first has the values of the key's first column. The argument set has the patches
// of the memtable, or is nil.
func valuesIn(now schema.Table, v memtable.View, from int64, set *patch.Set) (bounds ranges, first leading, err error) {
	bounds, first = make(ranges, len(now.PrimaryKey)), leading{}
	for _, b := range v.Batches {
		if int64(b.FirstOrdinal)+b.Record.NumRows() <= from {
			continue
		}
		skip := max(0, from-int64(b.FirstOrdinal))
		rec := b.Record.NewSlice(skip, b.Record.NumRows())
		columns, release, err := converted(v.Schema, rec, Columns(now, now.PrimaryKey)[:len(now.PrimaryKey)], uint32(b.FirstOrdinal)+uint32(skip), set)
		if err == nil {
			err = bounds.add(columns)
		}
		if err == nil && first != nil {
			first = first.add(columns[0])
		}
		release()
		rec.Release()
		if err != nil {
			return nil, nil, err
		}
	}
	return bounds, first, nil
}

// superseded returns the superseded rows of a part, found by its index. It compares only rows for
// which the function live returns true. Rows with greater numbers are newer. The function versions
// returns the versions of rows, and is nil if the table has no version column.
func (x *Index) superseded(live func(ordinal uint32) bool, versions func(ordinals []uint32) ([]State, error)) (superseded []uint32, err error) {
	var rows []uint32 // rows whose key occurs more than once, one key after the other
	var groups []int  // for each key that occurs more than once, the number of its rows
	for b := range len(x.starts) - 1 {
		bucket := x.entries[x.starts[b]:x.starts[b+1]]
		for i, e := range bucket {
			same := func(other entry) bool { return other.high == e.high && other.low == e.low }
			if i+1 == len(bucket) || !slices.ContainsFunc(bucket[i+1:], same) || slices.ContainsFunc(bucket[:i], same) {
				// no later row has this key, or all rows of the key were added at the first one
				continue
			}
			from := len(rows)
			for _, other := range bucket[i:] {
				if same(other) && live(other.ordinal) {
					rows = append(rows, other.ordinal)
				}
			}
			groups = append(groups, len(rows)-from)
		}
	}
	var states []State
	if versions != nil && len(rows) > 0 {
		if states, err = versions(rows); err != nil {
			return nil, err
		}
	}
	from := 0
	for _, n := range groups {
		current := from
		for i := from + 1; i < from+n; i++ {
			if states != nil && states[i].Version < states[current].Version {
				superseded = append(superseded, rows[i])
				continue
			}
			superseded = append(superseded, rows[current])
			current = i
		}
		from += n
	}
	return superseded, nil
}

// Repeated returns which rows of a rowset are superseded: another row of the same key in the same
// rowset replaces them. The argument records has the batches of the rowset, the oldest row first.
// The argument written is their schema version. The argument set has the patches of the rowset, or
// is nil.
func Repeated(now, written schema.Table, records []arrow.RecordBatch, set *patch.Set) (*roaring.Bitmap, error) {
	var hashes []batch.KeyHash
	var read states
	key, first := now.PrimaryKey, uint32(0)
	for _, rec := range records {
		columns, release, err := converted(written, rec, Columns(now, key), first, set)
		first += uint32(rec.NumRows())
		if err == nil {
			var more []batch.KeyHash
			if more, err = batch.KeyHashes(columns[:len(key)]); err == nil {
				hashes = append(hashes, more...)
				err = read.add(now, columns[len(key):])
			}
		}
		release()
		if err != nil {
			return nil, err
		}
	}
	live := func(uint32) bool { return true }
	if set != nil && set.Deleted != nil {
		live = func(ordinal uint32) bool { return !set.Deleted.Contains(ordinal) }
	}
	var versions func([]uint32) ([]State, error)
	if now.RowVersion != 0 {
		versions = func(ordinals []uint32) ([]State, error) { return read.with(set, now, ordinals) }
	}
	superseded, err := NewIndex(hashes).superseded(live, versions)
	return roaring.BitmapOf(superseded...), err
}

// with returns the states (versions and tombstone marks) of the rows with the given numbers. The
// states include the changes in the patch set, which may be nil.
func (s *states) with(set *patch.Set, now schema.Table, ordinals []uint32) ([]State, error) {
	out, rows, all := make([]State, len(ordinals)), make([]base.RowAddress, len(ordinals)), make([]int, len(ordinals))
	for i, ordinal := range ordinals {
		out[i], rows[i], all[i] = s.of(ordinal), base.RowAddress{Ordinal: base.RowOrdinal(ordinal)}, i
	}
	if set == nil {
		return out, nil
	}
	return out, patchStates(set, now, rows, all, out)
}
