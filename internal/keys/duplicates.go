package keys

import (
	"context"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Duplicates finds keys that occur more than once. It uses no indexes, because these would need too
// much memory if many parts are involved. Instead it puts the hashes of all keys into one hash
// table. If there are too many for the table, it makes several passes over the parts, each for a
// range of hashes.

// A pass of Duplicates handles as many rows as fit into half of its account, but at least
// leastPassRows and at most mostPassRows. Each row takes passRowBytes, including the memory for
// sorting.
const (
	passRowBytes  = 48
	leastPassRows = 64 << 10
	mostPassRows  = 8 << 20
)

// keyRow is a row in the hash table of the method Duplicates, with the hash of its key.
type keyRow struct {
	high    uint64
	low     uint32
	part    uint32 // index of the row's part in the list of parts
	ordinal uint32
}

// Duplicates finds primary keys that several rows have, at least one of them in an added part (the
// argument added). For each such key it calls the function each with the addresses of the key's
// rows: first the rows in existing parts (the argument there), then those in added parts, in the
// order of the parts. It ignores deleted rows of existing parts. It does not read parts whose
// statistics show that they share no key with an added part.
func (f *Finder) Duplicates(ctx context.Context, t *snapshot.Table, there, added []*catalog.Part, each func(rows []base.RowAddress) error) error {
	key := t.Schema.PrimaryKey
	var parts []*catalog.Part
	var isAdded []bool // for each element of parts, whether it is one of the added parts
	rows := int64(0)
	for i, p := range slices.Concat(there, added) {
		shares := func(q *catalog.Part) bool { return q != p && shareKeys(t, key, p, q) }
		if slices.ContainsFunc(added, shares) || i >= len(there) && slices.ContainsFunc(there, shares) {
			parts, isAdded = append(parts, p), append(isAdded, i >= len(there))
			rows += p.Rows
		}
	}
	passRows := min(max(f.work.Limit()/2/passRowBytes, leastPassRows), mostPassRows)
	passes := uint64((rows + passRows - 1) / passRows)
	charged := min(rows, passRows) * passRowBytes
	f.work.Charge(charged)
	defer f.work.Release(charged)
	var all []keyRow
	for pass := range passes {
		all = all[:0]
		for i, p := range parts {
			if err := ctx.Err(); err != nil {
				return base.Wrap(err, "find duplicate keys")
			}
			r := keyReader{number: uint32(i), pass: pass, passes: passes, rows: all, wantIndex: passes == 1 && isAdded[i]}
			if err := f.readKeys(ctx, t, p, &r); err != nil {
				return base.Wrap(err, "keys of part %d", p.ID)
			}
			if all = r.rows; r.wantIndex {
				f.remember(t, p, r.hashes)
			}
		}
		err := alike(all, func(group []keyRow) error {
			if !slices.ContainsFunc(group, func(r keyRow) bool { return isAdded[r.part] }) {
				return base.Errorf(base.Internal, "table %s: two rows have the same key", t.Schema.QualifiedName())
			}
			addresses := make([]base.RowAddress, len(group))
			for i, r := range group {
				addresses[i] = base.RowAddress{Rowset: parts[r.part].ID, Ordinal: base.RowOrdinal(r.ordinal)}
			}
			return each(addresses)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// KeyAt returns the primary key of one row of a part. The result has an array with one value for
// each column of the key, on Go's heap.
func (f *Finder) KeyAt(ctx context.Context, t *snapshot.Table, row base.RowAddress) (key []arrow.Array, err error) {
	at := slices.IndexFunc(t.Parts, func(p *catalog.Part) bool { return p.ID == row.Rowset })
	if at < 0 {
		return nil, base.Errorf(base.Internal, "table %s has no part %d", t.Schema.QualifiedName(), row.Rowset)
	}
	columns := Columns(t.Schema, t.Schema.PrimaryKey)[:len(t.Schema.PrimaryKey)]
	first := int64(0)
	err = f.read(ctx, t, t.Parts[at], columns, func(columns []arrow.Array) error {
		rows := int64(columns[0].Len())
		if i := int64(row.Ordinal) - first; key == nil && i >= 0 && i < rows {
			for _, c := range columns {
				// Copy the value, because the memory of the batch is reused.
				value, err := batch.TakeValues(c, []uint32{uint32(i)})
				if err != nil {
					return err
				}
				key = append(key, value)
			}
		}
		first += rows
		return nil
	})
	if err == nil && key == nil {
		err = base.Errorf(base.Internal, "part %d has no row %d", row.Rowset, row.Ordinal)
	}
	return key, err
}

// isOfPass reports whether a hash belongs to the given pass of Duplicates. The argument high is the
// upper half of the hash. Passes are numbered from 0 to passes - 1.
func isOfPass(high, pass, passes uint64) bool { return high>>32*passes>>32 == pass }

// keyReader collects those rows of a part that belong to one pass of Duplicates.
type keyReader struct {
	number       uint32 // index of the part in the list of parts
	pass, passes uint64
	rows         []keyRow
	wantIndex    bool
	// hashes has the hashes of the keys of all rows of the part. It is used only if wantIndex is
	// set.
	hashes []batch.KeyHash
}

// readKeys adds to r.rows the rows of a part that belong to the reader's pass and are not deleted.
func (f *Finder) readKeys(ctx context.Context, t *snapshot.Table, p *catalog.Part, r *keyReader) error {
	set, ordinal := t.Patches[p.ID], uint32(0)
	columns := Columns(t.Schema, t.Schema.PrimaryKey)[:len(t.Schema.PrimaryKey)]
	return f.read(ctx, t, p, columns, func(columns []arrow.Array) error {
		hashes, err := batch.KeyHashes(columns)
		for _, h := range hashes {
			if isOfPass(h.High, r.pass, r.passes) && (set == nil || set.Deleted == nil || !set.Deleted.Contains(ordinal)) {
				r.rows = append(r.rows, keyRow{h.High, h.Low, r.number, ordinal})
			}
			ordinal++
		}
		if r.wantIndex {
			r.hashes = append(r.hashes, hashes...)
		}
		return err
	})
}

// remember makes an index of a part from the hashes that were just read, and caches it. That pays
// because more rows with the same keys often follow soon.
func (f *Finder) remember(t *snapshot.Table, p *catalog.Part, hashes []batch.KeyHash) {
	key := t.Schema.PrimaryKey
	if len(Columns(t.Schema, key)) > len(key) {
		// The table has a version column or tombstones, so its index needs these columns as well as
		// the key. The rows that were just read have only the key.
		return
	}
	s := f.rowset(t, p.ID, key, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cached.Load().index.Load() == nil {
		f.cacheIndex(s, &partIndex{Index: NewIndex(hashes)})
	}
}

// inBuckets returns the rows sorted into buckets of a few rows each, so that rows with equal hashes
// are close together. The result starts has the index of each bucket's first row and, as its last
// element, the total number of rows. The last bits of the hash select the bucket, because the rows
// of a pass share the first bits.
func inBuckets(rows []keyRow) (ordered []keyRow, starts []uint32) {
	width := bits.Len(uint(len(rows) / bucketRows))
	bucket := func(r keyRow) uint64 { return r.high & (1<<width - 1) }
	starts = make([]uint32, 1<<width+1)
	for _, r := range rows {
		starts[bucket(r)+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	ordered = make([]keyRow, len(rows))
	next := slices.Clone(starts)
	for _, r := range rows {
		b := bucket(r)
		ordered[next[b]] = r
		next[b]++
	}
	return ordered, starts
}

// alike calls f once for each hash that at least two of the rows have, with all rows of that hash.
// These rows keep their order.
func alike(rows []keyRow, f func([]keyRow) error) error {
	ordered, starts := inBuckets(rows)
	var group []keyRow
	for b := range starts[1:] {
		some := ordered[starts[b]:starts[b+1]]
		for i, r := range some {
			same := func(other keyRow) bool { return other.high == r.high && other.low == r.low }
			if slices.ContainsFunc(some[:i], same) {
				continue // f was called with this row and an earlier row of the same hash
			}
			group = group[:0]
			for _, other := range some[i+1:] {
				if same(other) {
					group = append(group, other)
				}
			}
			if len(group) == 0 {
				continue
			}
			if err := f(slices.Insert(group, 0, r)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Tombstones calls the function each with the rows of a part that are tombstones: their column
// IsDeleted is true. It reads the values as they were written, without patches.
func (f *Finder) Tombstones(ctx context.Context, t *snapshot.Table, p *catalog.Part, each func(row base.RowAddress)) error {
	if !p.MayHaveTombstones(t.Schema) {
		return nil
	}
	only := t.Schema
	only.RowVersion = 0
	var read states
	column := t.Schema.Columns[t.Schema.ColumnByID(t.Schema.IsDeleted)]
	err := f.reader.Part(ctx, t, p, Columns(only, t.Schema.PrimaryKey)[len(t.Schema.PrimaryKey):], func(columns []arrow.Array) error { return read.add(only, columns) })
	if err != nil {
		return base.Wrap(err, "column %q of part %d", column.Name, p.ID)
	}
	for rows := read.deleted.Iterator(); rows.HasNext(); {
		each(base.RowAddress{Rowset: p.ID, Ordinal: base.RowOrdinal(rows.Next())})
	}
	return nil
}
