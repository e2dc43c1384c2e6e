package keys

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ReadPart reads columns of a part as they were written, converted to the given types. It calls
// rows with batches of the columns, in the order of the part's rows.
type ReadPart func(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error

// Reader has the functions by which a Finder reads parts.
type Reader struct {
	// Hold keeps the file of a part until release is called, so that it can be read in the
	// background. ok is false if the table does not have the part any more.
	Hold func(p *catalog.Part) (release func(), ok bool)
	Part ReadPart
	// Numbers returns a reader of columns of whole numbers of a part: see part.OpenNumbers. Group
	// is part.Numbers.Read, which reads a row group. Rows is part.Numbers.Find, which finds a key's
	// rows in a row group.
	Numbers func(t *snapshot.Table, p *catalog.Part, columns []base.ColumnID) (*part.Numbers, bool, error)
	Group   func(n *part.Numbers, group int) ([]part.Integers, error)
	Rows    func(n *part.Numbers, group int, values []int64) ([]uint32, error)
}

// Finder finds rows by key. It caches data about rowsets until Forget. It is safe for concurrent
// use.
type Finder struct {
	reader   Reader
	maxBytes int64

	mu sync.Mutex
	// rowsets has the cached data by rowset id and key. The string describes the key: its columns
	// and their types, since a schema change may change a type. Guarded by mu.
	rowsets map[base.SourceID]map[string]*rowset
	parts   []*rowset // guarded by mu; entries of rowsets that have cached data of parts
	bytes   int64     // guarded by mu; memory of the cached data of parts
	// coarse has the keys that more than maxAlike rows have, and when that was found. Guarded by
	// mu.
	coarse map[coarseKey]time.Time

	builder indexBuilder
}

// rowset is what a Finder knows of the keys of one rowset, for one choice of key columns.
type rowset struct {
	id    base.SourceID
	key   string
	at    int  // index in Finder.parts, or -1 if it is not there; guarded by Finder.mu
	asked bool // of a part: All has lacked its index before; guarded by Finder.mu
	// failed is when building the part's index in the background failed last. Guarded by Finder.mu.
	failed time.Time

	cached atomic.Pointer[cached] // of a part: cached data, never nil; set under Finder.mu

	mu     sync.Mutex // held while the index of a part is built, or that of a memtable is used
	rows   growing    // guarded by mu; the index of a memtable
	states states     // guarded by mu; the states of a memtable's rows
}

// cached is the cached data of one part. To evict it, it is replaced by an empty cached. Goroutines
// that use the old one are not affected.
type cached struct {
	index atomic.Pointer[partIndex] // nil until built
	// groups is nil until the part's footer was read. Then it points to the row groups or, if keys
	// cannot be searched in row groups, to nil.
	groups atomic.Pointer[*rowGroups]
	bytes  int64 // memory of the data; guarded by Finder.mu
}

// partIndex is the immutable index of a part, and the states of its rows.
type partIndex struct {
	*Index
	states states
}

// NewFinder returns a finder that caches at most maxBytes of data about parts. When building in the
// background fails, it calls failed with the error. The caller must call Close.
func NewFinder(maxBytes int64, reader Reader, failed func(error)) *Finder {
	f := &Finder{reader: reader, maxBytes: maxBytes, rowsets: map[base.SourceID]map[string]*rowset{}, coarse: map[coarseKey]time.Time{}}
	f.builder.failed = failed
	f.builder.closing, f.builder.close = context.WithCancel(context.Background())
	return f
}

// Key returns the columns of the primary key of a batch, which has the columns of the table.
func Key(t schema.Table, rec arrow.RecordBatch) []arrow.Array {
	out := make([]arrow.Array, len(t.PrimaryKey))
	for i, id := range t.PrimaryKey {
		out[i] = rec.Column(t.ColumnByID(id))
	}
	return out
}

// Find returns, for each of several primary keys, the address of the row that has it. The address
// has Source 0 if no row has the key. columns has the keys, one array per column of the key, and
// hashes their hashes. The caller holds the snapshot.
func (f *Finder) Find(ctx context.Context, t *snapshot.Table, columns []arrow.Array, hashes []batch.KeyHash) ([]base.RowAddress, error) {
	key := t.Schema.PrimaryKey
	found := make([]base.RowAddress, len(hashes))
	missing := make([]uint32, len(hashes))
	for i := range missing {
		missing[i] = uint32(i)
	}
	for i := len(t.Memtables) - 1; i >= 0 && len(missing) > 0; i-- {
		var err error
		if missing, err = f.inMemtable(t, key, t.Memtables[i], hashes, missing, found); err != nil {
			return nil, err
		}
	}
	if len(missing) == 0 || len(t.Parts) == 0 {
		return found, nil
	}
	ranges, err := rangesOf(columns)
	if err != nil {
		return nil, err
	}
	first := leading{}.add(columns[0])
	for _, p := range t.Parts {
		if len(missing) == 0 {
			break
		}
		if !ranges.meet(t, key, p) {
			continue
		}
		x, err := f.ofPart(ctx, t, p, key)
		if err != nil {
			return nil, err
		}
		missing = locate(t, p.ID, missing, found, first.within(t, key, p), func(i uint32, live func(uint32) bool) { x.Find(hashes[i], live) })
	}
	return found, nil
}

// locate looks up the missing keys, given by index in found, in one rowset. find calls live with
// the ordinals of the rows of key i until live returns true, which it does for a row that is not
// deleted. locate enters the addresses of such rows into found, and returns the keys that are still
// missing. within reports which keys the rowset may have; nil means all.
func locate(t *snapshot.Table, id base.SourceID, missing []uint32, found []base.RowAddress, within func(i uint32) bool, find func(i uint32, live func(uint32) bool)) []uint32 {
	set := t.Patches[id]
	var still []uint32
	for _, i := range missing {
		if within != nil && !within(i) {
			still = append(still, i)
			continue
		}
		find(i, func(ordinal uint32) bool {
			if set != nil && set.Deleted != nil && set.Deleted.Contains(ordinal) {
				return false
			}
			found[i] = base.RowAddress{Source: id, Ordinal: base.RowOrdinal(ordinal)}
			return true
		})
		if found[i].Source == 0 {
			still = append(still, i)
		}
	}
	return still
}

func (f *Finder) inMemtable(t *snapshot.Table, key []base.ColumnID, view memtable.View, hashes []batch.KeyHash, missing []uint32, found []base.RowAddress) ([]uint32, error) {
	s, err := f.ofMemtable(t, key, view)
	if err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return locate(t, view.Source, missing, found, nil, func(i uint32, live func(uint32) bool) { s.find(view, hashes[i], live) }), nil
}

// ofMemtable returns the entry of a memtable, whose index has all rows of the view. The entry's mu
// is locked.
func (f *Finder) ofMemtable(t *snapshot.Table, key []base.ColumnID, view memtable.View) (*rowset, error) {
	s := f.rowset(t, view.Source, key, false)
	s.mu.Lock()
	for i := len(view.Batches) - 1; i >= 0 && s.rows.count() < view.Rows; i-- {
		// Rows up to this count are indexed already. Batches before it may have been joined since,
		// so find the batch that has the first new row.
		if int64(view.Batches[i].FirstOrdinal) > s.rows.count() && i > 0 {
			continue
		}
		for _, b := range view.Batches[i:] {
			if err := s.add(view.Schema, t.Schema, key, b, t.Patches[view.Source]); err != nil {
				s.mu.Unlock()
				return nil, err
			}
		}
		break
	}
	return s, nil
}

// find calls f with the ordinal of each row of a view that has the key, newest first, until f
// returns true. mu must be held.
func (s *rowset) find(view memtable.View, key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	s.rows.find(key, func(ordinal uint32) bool { return int64(ordinal) < view.Rows && f(ordinal) })
}

// add adds those rows of a memtable's batch that are not indexed yet to the index. set has the
// changes of the memtable's rows, or is nil.
func (s *rowset) add(written, now schema.Table, key []base.ColumnID, b memtable.Batch, set *patch.Set) error {
	from := max(0, s.rows.count()-int64(b.FirstOrdinal))
	if from >= b.Record.NumRows() {
		return nil
	}
	rec := b.Record.NewSlice(from, b.Record.NumRows())
	defer rec.Release()
	columns, release, err := converted(written, rec, Columns(now, key), uint32(b.FirstOrdinal)+uint32(from), set)
	defer release()
	if err != nil {
		return err
	}
	hashes, err := batch.KeyHashes(columns[:len(key)])
	if err != nil {
		return err
	}
	if err := s.states.add(now, columns[len(key):]); err != nil {
		return err
	}
	for _, h := range hashes {
		s.rows.add(h)
	}
	return nil
}

// converted returns columns of a batch, converted to their current types. The batch conforms to the
// schema version written, and its first row has ordinal first. set has the changes of the rowset's
// rows, or is nil.
func converted(written schema.Table, rec arrow.RecordBatch, columns []schema.Column, first uint32, set *patch.Set) (out []arrow.Array, release func(), err error) {
	release = func() {
		for _, a := range out {
			a.Release()
		}
	}
	for _, c := range columns {
		a, err := convert(rec.Column(written.ColumnByID(c.ID)), c, first, set)
		if err != nil {
			return out, release, base.Wrap(err, "column %q", c.Name)
		}
		out = append(out, a)
	}
	return out, release, nil
}

// convert returns the values of one column, converted to its current type: see converted. A value
// that the type cannot represent becomes NULL if its row is deleted or has a newer value. This is
// safe: deleted rows are not found by key, and newer values replace the written ones. All other
// values stay, even those of deleted rows: in a deduplicated snapshot the superseded rows are among
// the deleted ones, and they must be found again when the table is deduplicated again.
func convert(values arrow.Array, c schema.Column, first uint32, set *patch.Set) (arrow.Array, error) {
	out, failed := batch.Convert(values, c.Type)
	if failed == nil {
		return out, nil
	}
	gone, err := set.Gone(c, first, values.Len())
	if err != nil {
		return nil, err
	}
	gone = slices.DeleteFunc(gone, func(row uint32) bool {
		one := array.NewSlice(values, int64(row), int64(row)+1)
		defer one.Release()
		fits, err := batch.Convert(one, c.Type)
		if err == nil {
			fits.Release()
		}
		return err == nil
	})
	if len(gone) == 0 {
		return nil, failed
	}
	nulled, err := batch.Nulled(values, gone)
	if err != nil {
		return nil, err
	}
	defer nulled.Release()
	return batch.Convert(nulled, c.Type)
}

// read reads columns of a part in their current types, and calls rows with batches of them, in the
// order of the part's rows.
func (f *Finder) read(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error {
	written, first := t.Versions[p.SchemaVersion], uint32(0)
	asked := slices.Clone(columns)
	for i, c := range columns {
		// The new type may not represent all written values. Such a column is converted below,
		// because the reader of parts does not know which rows are deleted.
		if written.MayExceed(c) {
			asked[i].Type = written.Columns[written.ColumnByID(c.ID)].Type
		}
	}
	return f.reader.Part(ctx, t, p, asked, func(values []arrow.Array) error {
		values = slices.Clone(values)
		for i, c := range columns {
			if !written.MayExceed(c) {
				continue
			}
			a, err := convert(values[i], c, first, t.Patches[p.ID])
			if err != nil {
				return base.Wrap(err, "column %q", c.Name)
			}
			defer a.Release()
			values[i] = a
		}
		first += uint32(values[0].Len())
		return rows(values)
	})
}

// describe returns a text that identifies columns and their types.
func describe(columns []schema.Column) string {
	out := ""
	for _, c := range columns {
		out += strconv.FormatUint(uint64(c.ID), 10) + " " + c.Type.String() + ","
	}
	return out
}

// rowset returns the entry of a rowset for key columns, and adds one if there is none. part says
// whether the rowset is a part.
func (f *Finder) rowset(t *snapshot.Table, id base.SourceID, columns []base.ColumnID, part bool) *rowset {
	key := describe(Columns(t.Schema, columns))

	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.rowsets[id][key]
	if s == nil {
		s = &rowset{id: id, key: key, at: -1}
		if f.rowsets[id] == nil {
			f.rowsets[id] = map[string]*rowset{}
		}
		f.rowsets[id][key] = s
		if part {
			s.cached.Store(new(cached))
		}
	}
	return s
}

// ofPart returns the index of a part for key columns. It builds the index if it is not cached.
func (f *Finder) ofPart(ctx context.Context, t *snapshot.Table, p *catalog.Part, key []base.ColumnID) (*partIndex, error) {
	s := f.rowset(t, p.ID, key, true)
	if x := s.cached.Load().index.Load(); x != nil {
		return x, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.cached.Load().index.Load(); x != nil {
		return x, nil // another goroutine has built it
	}
	hashes := make([]batch.KeyHash, 0, p.Rows)
	var read states
	err := f.read(ctx, t, p, Columns(t.Schema, key), func(columns []arrow.Array) error {
		n := len(key)
		more, err := batch.KeyHashes(columns[:n])
		hashes = append(hashes, more...)
		if err != nil {
			return err
		}
		return read.add(t.Schema, columns[n:])
	})
	if err == nil && int64(len(hashes)) != p.Rows {
		err = base.Errorf(base.Internal, "%d keys of %d rows", len(hashes), p.Rows)
	}
	if err != nil {
		return nil, base.Wrap(err, "keys of part %d", p.ID)
	}
	x := &partIndex{NewIndex(hashes), read}
	f.cacheIndex(s, x)
	return x, nil
}

// cacheIndex caches a new index of a part. If that would exceed the limit, and the cached data of
// other parts is at least as large as the index, it is only cached with a probability of 1/8, and
// then evicts other data. The reason: keys may be in all parts, and lookups visit the parts in the
// same order each time. If the least recently used data were evicted, each new index would evict
// the one that is needed next.
func (f *Finder) cacheIndex(s *rowset, x *partIndex) {
	bytes := x.Bytes() + x.states.bytes()
	f.mu.Lock()
	defer f.mu.Unlock()
	k := s.cached.Load()
	if f.bytes+bytes > f.maxBytes && f.bytes-k.bytes >= bytes && rand.IntN(8) > 0 {
		return
	}
	k.index.Store(x)
	f.chargeLocked(s, k, bytes)
}

// charge counts more memory of a part's cached data: of its footer, or of numbers of its row
// groups.
func (f *Finder) charge(s *rowset, k *cached, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chargeLocked(s, k, bytes)
}

// chargeLocked counts more memory of a part's cached data. If the cached data of all parts takes
// more than the limit, it evicts data of other parts at random. The data of a single part may
// exceed the limit.
func (f *Finder) chargeLocked(s *rowset, k *cached, bytes int64) {
	if f.rowsets[s.id][s.key] != s || s.cached.Load() != k {
		return // evicted in the meantime
	}
	if s.at < 0 {
		s.at = len(f.parts)
		f.parts = append(f.parts, s)
	}
	k.bytes += bytes
	f.bytes += bytes
	for f.bytes > f.maxBytes && len(f.parts) > 1 {
		other := rand.IntN(len(f.parts) - 1)
		if other >= s.at {
			other++
		}
		f.dropLocked(f.parts[other])
	}
}

// dropLocked evicts the cached data of a part. It keeps when the index was requested and when
// building it failed.
func (f *Finder) dropLocked(s *rowset) {
	last := len(f.parts) - 1
	f.parts[s.at], f.parts[last].at = f.parts[last], s.at
	f.parts[last] = nil // the array stays, so the pointer must not keep the rowset
	f.parts, s.at = f.parts[:last], -1
	f.bytes -= s.cached.Swap(new(cached)).bytes
}

// Forget drops all data about a rowset. It is called when no table and no reader uses the rowset
// any more.
func (f *Finder) Forget(id base.SourceID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.rowsets[id] {
		if s.at >= 0 {
			f.dropLocked(s)
		}
	}
	delete(f.rowsets, id)
}

// Kept returns the number of rowsets with data, and the size of the cached data of parts.
func (f *Finder) Kept() (rowsets int, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rowsets), f.bytes
}
