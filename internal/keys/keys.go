package keys

import (
	"container/list"
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ReadPart reads Columns of a part, in their present types: it calls rows with batches of
// them, in the order of the part's rows.
type ReadPart func(ctx context.Context, t *snapshot.Table, p *catalog.Part, rows func(columns []arrow.Array) error) error

// Finder finds rows of keyed tables. It is safe for concurrent use.
type Finder struct {
	read     ReadPart
	maxBytes int64

	mu        sync.Mutex
	sources   map[sourceKey]*source               // guarded by mu
	memtables map[base.TableID]map[sourceKey]bool // guarded by mu; those in sources
	used      *list.List                          // guarded by mu; of *source that are parts, the last used first
	bytes     int64                               // guarded by mu; of the parts' indexes
}

// sourceKey names an index: another version of the schema may give the key another type.
type sourceKey struct {
	id  base.SourceID
	key string
}

// source is the index of one source.
type source struct {
	key   sourceKey
	place *list.Element // of a part; guarded by Finder.mu
	bytes int64         // guarded by Finder.mu

	mu      sync.Mutex
	part    *Index                   // guarded by mu; of a part, nil until made
	states  states                   // guarded by mu until made; of a part
	rows    map[batch.KeyHash]uint32 // guarded by mu; of a memtable: the newest row of each key
	indexed int64                    // guarded by mu; rows of the memtable so far
}

// NewFinder returns a finder that keeps indexes of parts up to a number of bytes.
func NewFinder(maxBytes int64, read ReadPart) *Finder {
	return &Finder{read: read, maxBytes: maxBytes, sources: map[sourceKey]*source{}, memtables: map[base.TableID]map[sourceKey]bool{}, used: list.New()}
}

// Key returns the columns of a table's primary key among a batch's, which are the table's.
func Key(t schema.Table, rec arrow.RecordBatch) []arrow.Array {
	out := make([]arrow.Array, len(t.PrimaryKey))
	for i, id := range t.PrimaryKey {
		out[i] = rec.Column(t.ColumnByID(id))
	}
	return out
}

// Find returns, for each key, the address of the table's row that has it, with Source 0 if there is
// none. columns are the key's; hashes are theirs. The caller holds the snapshot.
func (f *Finder) Find(ctx context.Context, t *snapshot.Table, columns []arrow.Array, hashes []batch.KeyHash) ([]base.RowAddress, error) {
	f.forgetMemtables(t)
	found := make([]base.RowAddress, len(hashes))
	missing := make([]uint32, len(hashes))
	for i := range missing {
		missing[i] = uint32(i)
	}
	for i := len(t.Memtables) - 1; i >= 0 && len(missing) > 0; i-- {
		var err error
		if missing, err = f.inMemtable(t, t.Memtables[i], hashes, missing, found); err != nil {
			return nil, err
		}
	}
	if len(missing) == 0 || len(t.Parts) == 0 {
		return found, nil
	}
	ranges, err := rangesOf(t.Schema, columns)
	if err != nil {
		return nil, err
	}
	for _, p := range t.Parts {
		if len(missing) == 0 {
			break
		}
		if !ranges.meet(t, p) {
			continue
		}
		x, err := f.ofPart(ctx, t, p)
		if err != nil {
			return nil, err
		}
		missing = locate(t, p.ID, missing, found, func(i uint32, live func(uint32) bool) { x.Find(hashes[i], live) })
	}
	return found, nil
}

// locate enters the rows of one source that are not deleted, and returns the keys that are still missing.
func locate(t *snapshot.Table, id base.SourceID, missing []uint32, found []base.RowAddress, find func(i uint32, live func(uint32) bool)) []uint32 {
	set := t.Patches[id]
	var still []uint32
	for _, i := range missing {
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

func (f *Finder) inMemtable(t *snapshot.Table, view memtable.View, hashes []batch.KeyHash, missing []uint32, found []base.RowAddress) ([]uint32, error) {
	s := f.source(t, view.Source, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[batch.KeyHash]uint32{}
	}
	for i := len(view.Batches) - 1; i >= 0 && s.indexed < view.Rows; i-- {
		// Batches before the first new row were joined or indexed: find where that is.
		if int64(view.Batches[i].FirstOrdinal) > s.indexed && i > 0 {
			continue
		}
		for _, b := range view.Batches[i:] {
			if err := s.add(view.Schema, t.Schema, b); err != nil {
				return nil, err
			}
		}
		break
	}
	return locate(t, view.Source, missing, found, func(i uint32, live func(uint32) bool) {
		if ordinal, ok := s.rows[hashes[i]]; ok && int64(ordinal) < view.Rows {
			live(ordinal)
		}
	}), nil
}

// add indexes the rows of a batch that are not yet.
func (s *source) add(written, now schema.Table, b memtable.Batch) error {
	from := max(0, s.indexed-int64(b.FirstOrdinal))
	if from >= b.Record.NumRows() {
		return nil
	}
	rec := b.Record.NewSlice(from, b.Record.NumRows())
	defer rec.Release()
	columns := make([]arrow.Array, len(now.PrimaryKey))
	for i, id := range now.PrimaryKey {
		column := rec.Column(written.ColumnByID(id))
		converted, err := batch.Convert(column, now.Columns[now.ColumnByID(id)].Type)
		if err != nil {
			return err
		}
		defer converted.Release()
		columns[i] = converted
	}
	hashes, err := batch.KeyHashes(columns)
	if err != nil {
		return err
	}
	for i, h := range hashes {
		s.rows[h] = uint32(int64(b.FirstOrdinal) + from + int64(i))
	}
	s.indexed = int64(b.FirstOrdinal) + b.Record.NumRows()
	return nil
}

// keyTypes tells the types of what indexes of a table hold.
func keyTypes(t schema.Table) string {
	out := ""
	for _, c := range Columns(t) {
		out += c.Type.String() + ","
	}
	return out
}

// source returns the entry of a source, making it if there is none.
func (f *Finder) source(t *snapshot.Table, id base.SourceID, part bool) *source {
	key := sourceKey{id, keyTypes(t.Schema)}

	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sources[key]
	if s == nil {
		s = &source{key: key}
		f.sources[key] = s
		if part {
			s.place = f.used.PushFront(s)
		} else {
			if f.memtables[t.Schema.ID] == nil {
				f.memtables[t.Schema.ID] = map[sourceKey]bool{}
			}
			f.memtables[t.Schema.ID][key] = true
		}
	} else if part {
		f.used.MoveToFront(s.place)
	}
	return s
}

// ofPart returns the index of a part, making it if it is not kept.
func (f *Finder) ofPart(ctx context.Context, t *snapshot.Table, p *catalog.Part) (*Index, error) {
	s, err := f.indexed(ctx, t, p)
	if err != nil {
		return nil, err
	}
	return s.part, nil
}

// indexed is ofPart with all that is kept of the part.
func (f *Finder) indexed(ctx context.Context, t *snapshot.Table, p *catalog.Part) (*source, error) {
	s := f.source(t, p.ID, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.part != nil {
		return s, nil
	}
	hashes := make([]batch.KeyHash, 0, p.Rows)
	err := f.read(ctx, t, p, func(columns []arrow.Array) error {
		n := len(t.Schema.PrimaryKey)
		more, err := batch.KeyHashes(columns[:n])
		hashes = append(hashes, more...)
		if err != nil {
			return err
		}
		return s.states.add(t.Schema, columns[n:])
	})
	if err == nil && int64(len(hashes)) != p.Rows {
		err = base.Errorf(base.Internal, "%d keys of %d rows", len(hashes), p.Rows)
	}
	if err != nil {
		return nil, base.Wrap(err, "keys of part %d", p.ID)
	}
	s.part = NewIndex(hashes)
	f.keep(s, s.part.Bytes()+s.states.bytes())
	return s, nil
}

// keep accounts for a new index, and lets go of those that were not used for longest.
func (f *Finder) keep(s *source, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sources[s.key] != s {
		return // let go of meanwhile
	}
	s.bytes = bytes
	f.bytes += bytes
	for f.bytes > f.maxBytes && f.used.Len() > 1 {
		oldest := f.used.Remove(f.used.Back()).(*source)
		f.bytes -= oldest.bytes
		delete(f.sources, oldest.key)
	}
}

// forgetMemtables lets go of the memtables of a table that were flushed: those older than any that it has.
func (f *Finder) forgetMemtables(t *snapshot.Table) {
	if len(t.Memtables) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.memtables[t.Schema.ID] {
		if key.id < t.Memtables[0].Source {
			delete(f.memtables[t.Schema.ID], key)
			delete(f.sources, key)
		}
	}
}
