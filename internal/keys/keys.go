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

// ReadPart reads columns of a part as it was written, in the types that the columns have here: it calls rows with batches of
// them, in the order of the part's rows.
type ReadPart func(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error

// Reader reads parts.
type Reader struct {
	// Hold keeps a part, which is read beside those who hold it, until release is called. ok is false if its table has it no more.
	Hold func(p *catalog.Part) (release func(), ok bool)
	Part ReadPart
	// Numbers, Group and Rows are part.OpenNumbers for columns of a part, part.Numbers.Read, and part.Numbers.Find.
	Numbers func(t *snapshot.Table, p *catalog.Part, columns []base.ColumnID) (*part.Numbers, bool, error)
	Group   func(n *part.Numbers, group int) ([]part.Integers, error)
	Rows    func(n *part.Numbers, group int, values []int64) ([]uint32, error)
}

// Finder finds rows by key. What it keeps of a source goes with Forget. It is safe for concurrent use.
type Finder struct {
	reader   Reader
	maxBytes int64

	mu sync.Mutex
	// sources are the indexes of each source, by the columns of the key with their types, which another version of the schema may
	// change. Guarded by mu.
	sources map[base.SourceID]map[string]*source
	parts   []*source               // guarded by mu; those of parts of which something is kept
	bytes   int64                   // guarded by mu; of what is kept of parts
	coarse  map[coarseKey]time.Time // guarded by mu; keys that many rows share, and when that was found

	beside beside
}

// source is the index of one source.
type source struct {
	id     base.SourceID
	key    string
	at     int       // in Finder.parts, -1 if it is not there; guarded by Finder.mu
	asked  bool      // of a part: All wanted it before; guarded by Finder.mu
	failed time.Time // of a part: when making its index beside statements failed last; guarded by Finder.mu

	kept atomic.Pointer[kept] // of a part, never nil; set under Finder.mu

	mu     sync.Mutex // of a part held by who makes its index
	rows   growing    // guarded by mu; of a memtable
	states states     // guarded by mu; of a memtable's rows
}

// kept is what is kept of a part. To let go of it, another takes its place, with nothing in it: who reads it goes on.
type kept struct {
	index  atomic.Pointer[partIndex]  // nil until made
	groups atomic.Pointer[*rowGroups] // nil until looked at, of nil if there are none
	bytes  int64                      // guarded by Finder.mu
}

// partIndex is the index of a part. It is immutable.
type partIndex struct {
	*Index
	states states
}

// NewFinder returns a finder that keeps what it knows of parts up to a number of bytes. failed is told why an index could not be made of which no
// caller waits. Close it.
func NewFinder(maxBytes int64, reader Reader, failed func(error)) *Finder {
	f := &Finder{reader: reader, maxBytes: maxBytes, sources: map[base.SourceID]map[string]*source{}, coarse: map[coarseKey]time.Time{}}
	f.beside.failed = failed
	f.beside.closing, f.beside.close = context.WithCancel(context.Background())
	return f
}

// Key returns the columns of a table's primary key among a batch's, which are the table's.
func Key(t schema.Table, rec arrow.RecordBatch) []arrow.Array {
	out := make([]arrow.Array, len(t.PrimaryKey))
	for i, id := range t.PrimaryKey {
		out[i] = rec.Column(t.ColumnByID(id))
	}
	return out
}

// Find returns, for each primary key, the address of the table's row that has it, with Source 0 if there is
// none. columns are the key's; hashes are theirs. The caller holds the snapshot.
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

// locate enters the rows of one source that are not deleted, and returns the keys that are still missing. within says which of
// them the source may have; nil: all.
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

// ofMemtable returns the index of a memtable, with all rows of the view in it, and locked.
func (f *Finder) ofMemtable(t *snapshot.Table, key []base.ColumnID, view memtable.View) (*source, error) {
	s := f.source(t, view.Source, key, false)
	s.mu.Lock()
	for i := len(view.Batches) - 1; i >= 0 && s.rows.count() < view.Rows; i-- {
		// Batches before the first new row were joined or indexed: find where that is.
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

// find calls f with every row of a view that has a key, the newest first, until f says to stop. mu is held.
func (s *source) find(view memtable.View, key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	s.rows.find(key, func(ordinal uint32) bool { return int64(ordinal) < view.Rows && f(ordinal) })
}

// add indexes the rows of a batch that are not yet. set is what was changed of the memtable, or nil.
func (s *source) add(written, now schema.Table, key []base.ColumnID, b memtable.Batch, set *patch.Set) error {
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

// converted returns columns of a batch that conforms to a version of the table, in the types that they have now. Its first row has ordinal first in a
// source of which set is what was changed, or nil.
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

// convert returns values of one column in the type that it has now, see converted. Those that are none of that type become NULL if their rows are deleted or
// have newer ones: nobody finds a deleted row by its key, and a new state takes the place of what was written. The others stay what they are: a snapshot of
// Settled has rows among the deleted ones that are found again when their losers are looked for anew.
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

// read reads columns of a part in the types that they have now: it calls rows with batches of them, in the order of the part's rows.
func (f *Finder) read(ctx context.Context, t *snapshot.Table, p *catalog.Part, columns []schema.Column, rows func(columns []arrow.Array) error) error {
	written, first := t.Versions[p.SchemaVersion], uint32(0)
	asked := slices.Clone(columns)
	for i, c := range columns {
		if written.MayExceed(c) { // not cast by who does not know which rows are deleted
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

// describe names columns with their types.
func describe(columns []schema.Column) string {
	out := ""
	for _, c := range columns {
		out += strconv.FormatUint(uint64(c.ID), 10) + " " + c.Type.String() + ","
	}
	return out
}

// source returns the entry of a source, making it if there is none.
func (f *Finder) source(t *snapshot.Table, id base.SourceID, columns []base.ColumnID, part bool) *source {
	key := describe(Columns(t.Schema, columns))

	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sources[id][key]
	if s == nil {
		s = &source{id: id, key: key, at: -1}
		if f.sources[id] == nil {
			f.sources[id] = map[string]*source{}
		}
		f.sources[id][key] = s
		if part {
			s.kept.Store(new(kept))
		}
	}
	return s
}

// ofPart returns what is kept of a part, making it if there is nothing.
func (f *Finder) ofPart(ctx context.Context, t *snapshot.Table, p *catalog.Part, key []base.ColumnID) (*partIndex, error) {
	s := f.source(t, p.ID, key, true)
	if x := s.kept.Load().index.Load(); x != nil {
		return x, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.kept.Load().index.Load(); x != nil {
		return x, nil // somebody else made it meanwhile
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
	f.keepIndex(s, x)
	return x, nil
}

// keepIndex keeps a new index of a part. If there is no room for it, and the others take as much as it would, it is kept one time in eight, in the place of some of
// them: keys may be in all parts, which are asked in one order each time. If each index took the place of the one that was not used for longest, that would be the
// one that is asked next.
func (f *Finder) keepIndex(s *source, x *partIndex) {
	bytes := x.Bytes() + x.states.bytes()
	f.mu.Lock()
	defer f.mu.Unlock()
	k := s.kept.Load()
	if f.bytes+bytes > f.maxBytes && f.bytes-k.bytes >= bytes && rand.IntN(8) > 0 {
		return
	}
	k.index.Store(x)
	f.keepLocked(s, k, bytes)
}

// keep accounts for what more is kept of a part: its footer, and numbers of its row groups.
func (f *Finder) keep(s *source, k *kept, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keepLocked(s, k, bytes)
}

// keepLocked makes room for it: what is kept of some other parts goes. What is kept of one part alone may take more.
func (f *Finder) keepLocked(s *source, k *kept, bytes int64) {
	if f.sources[s.id][s.key] != s || s.kept.Load() != k {
		return // let go of meanwhile
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

// dropLocked lets go of what is kept of a part, and not of what is known of how it was asked for.
func (f *Finder) dropLocked(s *source) {
	last := len(f.parts) - 1
	f.parts[s.at], f.parts[last].at = f.parts[last], s.at
	f.parts[last] = nil // the array stays
	f.parts, s.at = f.parts[:last], -1
	f.bytes -= s.kept.Swap(new(kept)).bytes
}

// Forget lets go of what is kept of a source that no table has any more, nor anybody who looks for its rows.
func (f *Finder) Forget(id base.SourceID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.sources[id] {
		if s.at >= 0 {
			f.dropLocked(s)
		}
	}
	delete(f.sources, id)
}

// Kept returns of how many sources something is known, and how many bytes of those that are parts.
func (f *Finder) Kept() (sources int, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sources), f.bytes
}
