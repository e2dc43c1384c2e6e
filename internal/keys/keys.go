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
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ReadPart reads columns of a part as they were written, without patches, converted to the types of
// the given columns. It calls the function rows with batches of the columns, in the order of the
// part's rows.
type ReadPart func(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error

// Reader has the functions by which a Finder reads parts.
type Reader struct {
	// Hold keeps the file of a part from being removed, so that it can be read in the background.
	// That ends when the returned function release is called. If the table does not have the part
	// any more, ok is false.
	Hold func(p *catalog.Part) (release func(), ok bool)
	Part ReadPart
	// Numbers returns a reader of those columns of a part that have whole numbers, see
	// part.OpenNumbers. The function in the field Group reads all numbers of a row group with that
	// reader (part.Numbers.Read). The function in the field Rows finds the rows of a row group that
	// have a key (part.Numbers.Find).
	Numbers func(t *snapshot.Table, p *catalog.Part, columns []base.ColumnID) (*part.Numbers, bool, error)
	Group   func(n *part.Numbers, group int) ([]part.Integers, error)
	Rows    func(n *part.Numbers, group int, values []int64) ([]uint32, error)
}

// Finder finds rows by their keys. It caches data about rowsets until Forget is called. It is safe
// for concurrent use.
type Finder struct {
	reader Reader
	memory *ledger.Account // memory of the cached data of parts; charged while mu is held
	work   *ledger.Account // memory of running calls of Duplicates

	mu sync.Mutex
	// rowsets has the cached data, by rowset id and key. The string describes the key: its columns
	// and their types, since a schema change may change a type. It is guarded by mu.
	rowsets map[base.RowsetID]map[string]*rowset
	parts   []*rowset // entries in the map rowsets that have cached data of parts; guarded by mu
	// coarse has the key columns in which more than maxAlike rows had the same values, and when
	// that was found. It is guarded by mu.
	coarse map[coarseKey]time.Time

	builder indexBuilder
}

// rowset is what a Finder knows about the keys of one rowset (a part or a memtable), for one choice
// of key columns.
type rowset struct {
	id  base.RowsetID
	key string
	// at is the index of this entry in Finder.parts, or -1 if it is not in there; guarded by
	// Finder.mu.
	at int
	// whether an earlier call of All needed the part's index, which did not exist; guarded by
	// Finder.mu
	asked bool
	// failed is when the last attempt to build the part's index in the background failed. It is
	// guarded by Finder.mu.
	failed time.Time

	// cached is the cached data of a part. It is never nil, and is changed while Finder.mu is held.
	cached atomic.Pointer[cached]

	// held while the index of a part is built, or while the index of a memtable is used
	mu     sync.Mutex
	rows   growing // index of a memtable; guarded by mu
	states states  // versions and tombstone marks of the rows of a memtable; guarded by mu
}

// cached is the cached data of one part. To evict the data, the Finder puts an empty struct in its
// place. Goroutines that are using the old struct are not affected.
type cached struct {
	index atomic.Pointer[partIndex] // index of the part; nil until it is built
	// groups is nil until the footer of the part was read. Then it points to the part's row groups
	// or, if keys cannot be searched in these, to a nil pointer.
	groups atomic.Pointer[*rowGroups]
	bytes  int64 // memory of the data in bytes; guarded by Finder.mu
}

// partIndex is the immutable index of a part, with the versions and tombstone marks (states) of its
// rows.
type partIndex struct {
	*Index
	states states
}

// NewFinder returns a finder. The account memory limits the data about parts that it caches,
// and the account work the memory of calls of Duplicates. If building an index in the background
// fails, the function failed is called with the error. The caller must call Close.
func NewFinder(memory, work *ledger.Account, reader Reader, failed func(error)) *Finder {
	f := &Finder{reader: reader, memory: memory, work: work, rowsets: map[base.RowsetID]map[string]*rowset{}, coarse: map[coarseKey]time.Time{}}
	f.builder.failed = failed
	f.builder.closing, f.builder.close = context.WithCancel(context.Background())
	return f
}

// Key returns the columns of rec that are in the primary key of the table t. rec is a batch with
// the columns of the table.
func Key(t schema.Table, rec arrow.RecordBatch) []arrow.Array {
	out := make([]arrow.Array, len(t.PrimaryKey))
	for i, id := range t.PrimaryKey {
		out[i] = rec.Column(t.ColumnByID(id))
	}
	return out
}

// Find looks up several primary keys. It returns for each key the address of the row that has it.
// If no row has the key, the Rowset of the address is 0. The argument columns has the keys, as one
// array for each column of the key. The argument hashes has the hashes of the keys. The caller must
// hold the snapshot to which t belongs.
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

// locate looks up keys in one rowset. The argument missing has the keys to look up, as indexes in
// found. locate stores the addresses of the rows that it finds in found, and returns the keys that
// are still missing.
//
// The function within reports whether the rowset may have a key. If within is nil, the rowset may
// have every key. The function find gets a key i and a function live. It must call live with the
// number of each row of that key until live returns true. live returns true for a row that is not
// deleted.
func locate(t *snapshot.Table, id base.RowsetID, missing []uint32, found []base.RowAddress, within func(i uint32) bool, find func(i uint32, live func(uint32) bool)) []uint32 {
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
			found[i] = base.RowAddress{Rowset: id, Ordinal: base.RowOrdinal(ordinal)}
			return true
		})
		if found[i].Rowset == 0 {
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
	return locate(t, view.Rowset, missing, found, nil, func(i uint32, live func(uint32) bool) { s.find(view, hashes[i], live) }), nil
}

// ofMemtable returns the Finder's entry for a memtable, with an index of its rows. First it adds to
// the index the rows of the view that the index lacks. It returns the entry with mu locked.
func (f *Finder) ofMemtable(t *snapshot.Table, key []base.ColumnID, view memtable.View) (*rowset, error) {
	s := f.rowset(t, view.Rowset, key, false)
	s.mu.Lock()
	for i := len(view.Batches) - 1; i >= 0 && s.rows.count() < view.Rows; i-- {
		// The rows before number s.rows.count() are in the index already. The memtable may have
		// joined small batches into larger ones since they were added. So the loop searches for the
		// batch that contains the first row which is not in the index.
		if int64(view.Batches[i].FirstOrdinal) > s.rows.count() && i > 0 {
			continue
		}
		for _, b := range view.Batches[i:] {
			if err := s.add(view.Schema, t.Schema, key, b, t.Patches[view.Rowset]); err != nil {
				s.mu.Unlock()
				return nil, err
			}
		}
		break
	}
	return s, nil
}

// find calls f with the number of each row of a memtable's view that has the key, newest first,
// until f returns true. The caller holds mu.
func (s *rowset) find(view memtable.View, key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	s.rows.find(key, func(ordinal uint32) bool { return int64(ordinal) < view.Rows && f(ordinal) })
}

// add adds the rows of a memtable's batch to the index, except those that are in it already. The
// argument set has the patches of the memtable, or is nil.
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

// converted returns columns of a batch, converted to their current types. The argument written is
// the schema version of the batch. The argument first is the number of the batch's first row in the
// rowset. The argument set has the patches of the rowset, or is nil.
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

// convert returns the values of one column, converted to its current type (see converted). A value
// that the type cannot represent becomes NULL if its row is deleted or has a newer value. This is
// safe: deleted rows are not found by key, and newer values replace the written ones. All other
// values are retained, even those of deleted rows. The reason is that in a deduplicated snapshot,
// superseded rows (replaced by other rows of their keys) count as deleted. The next deduplication
// of the table must find them again by their keys.
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

// read reads columns of a part in their current types. It calls the function rows with each batch
// of the columns, in the order of the part's rows.
func (f *Finder) read(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error {
	written, first := t.Versions[p.SchemaVersion], uint32(0)
	asked := slices.Clone(columns)
	for i, c := range columns {
		// The column's new type may not be able to represent all written values. Then the column is
		// read in its old type and converted below, because the reader of parts does not know which
		// rows are deleted.
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

// describe returns a text that identifies the given columns and their types.
func describe(columns []schema.Column) string {
	out := ""
	for _, c := range columns {
		out += strconv.FormatUint(uint64(c.ID), 10) + " " + c.Type.String() + ","
	}
	return out
}

// rowset returns the Finder's entry for a rowset and a choice of key columns. If there is none, it
// adds one. The argument part says whether the rowset is a part.
func (f *Finder) rowset(t *snapshot.Table, id base.RowsetID, columns []base.ColumnID, part bool) *rowset {
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

// ofPart returns the index of a part for the given key columns. If the index is not cached, it
// builds it.
func (f *Finder) ofPart(ctx context.Context, t *snapshot.Table, p *catalog.Part, key []base.ColumnID) (*partIndex, error) {
	s := f.rowset(t, p.ID, key, true)
	if x := s.cached.Load().index.Load(); x != nil {
		return x, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.cached.Load().index.Load(); x != nil {
		return x, nil // another goroutine has built the index
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

// cacheIndex caches a new index of a part. But if the limit would be exceeded, and the cached data
// of other parts is at least as large as the index, cacheIndex caches the index only with a
// probability of 1/8. In that case it evicts other data. The reason is that keys may be in all
// parts, and lookups visit the parts in the same order each time. If the least recently used data
// were evicted, each new index would evict the one that is needed next.
func (f *Finder) cacheIndex(s *rowset, x *partIndex) {
	bytes := x.Bytes() + x.states.bytes()
	f.mu.Lock()
	defer f.mu.Unlock()
	k := s.cached.Load()
	if f.memory.Excess()+bytes > 0 && f.memory.Used()-k.bytes >= bytes && rand.IntN(8) > 0 {
		return
	}
	k.index.Store(x)
	f.chargeLocked(s, k, bytes)
}

// charge adds bytes to the recorded size of the cached data of a part. The bytes are those of the
// part's footer, or of the numbers of its row groups.
func (f *Finder) charge(s *rowset, k *cached, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chargeLocked(s, k, bytes)
}

// chargeLocked adds bytes to the recorded size of the cached data of a part. If the cached data of
// all parts exceeds the limit, it evicts data of other parts at random. The data of a single part
// may exceed the limit. The caller holds mu.
func (f *Finder) chargeLocked(s *rowset, k *cached, bytes int64) {
	if f.rowsets[s.id][s.key] != s || s.cached.Load() != k {
		return // the data was evicted meanwhile
	}
	if s.at < 0 {
		s.at = len(f.parts)
		f.parts = append(f.parts, s)
	}
	k.bytes += bytes
	f.memory.Charge(bytes)
	for f.memory.Excess() > 0 && len(f.parts) > 1 {
		other := rand.IntN(len(f.parts) - 1)
		if other >= s.at {
			other++
		}
		f.dropLocked(f.parts[other])
	}
}

// Trim evicts cached data of parts at random until its memory is within the limit. The data of a
// single part may exceed the limit.
func (f *Finder) Trim() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.memory.Excess() > 0 && len(f.parts) > 1 {
		f.dropLocked(f.parts[rand.IntN(len(f.parts))])
	}
}

// dropLocked evicts the cached data of a part. It does not forget whether the index was requested
// before, and when building it failed. The caller holds mu.
func (f *Finder) dropLocked(s *rowset) {
	last := len(f.parts) - 1
	f.parts[s.at], f.parts[last].at = f.parts[last], s.at
	f.parts[last] = nil // the array stays, and its pointer must not keep the rowset in memory
	f.parts, s.at = f.parts[:last], -1
	f.memory.Release(s.cached.Swap(new(cached)).bytes)
}

// Forget drops all data about a rowset. It is called when no table and no reader uses the rowset
// any more.
func (f *Finder) Forget(id base.RowsetID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.rowsets[id] {
		if s.at >= 0 {
			f.dropLocked(s)
		}
	}
	delete(f.rowsets, id)
}

// Cached returns the number of rowsets about which data is cached, and the size in bytes of the
// cached data of parts.
func (f *Finder) Cached() (rowsets int, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rowsets), f.memory.Used()
}
