// Package patch holds changes of rows that are not rewritten: new values of some of their columns,
// and deletions. A row is identified by its address: the id of its rowset (a part or a memtable),
// and its number there (ordinal).
//
// A Set has all changes of one rowset. It is immutable. A change makes a new Set, which shares data
// with the old one. The values are in Arrow arrays on Go's heap. Their buffers contain no pointers
// and never change. So they are not reference-counted, and the garbage collector frees a Set.
package patch

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// Layer has new values of some columns for some rows of one rowset. It is immutable.
type Layer struct {
	Rowset   base.RowsetID
	Seq      base.Seq        // number of the newest edit that set one of the values
	Version  uint32          // schema version that gives the types of the values
	Columns  []base.ColumnID // ids of the columns that Values has, ascending
	Ordinals []uint32        // numbers of the rows with new values, ascending, without duplicates
	// Values has the new values: its row i is for the row with the number Ordinals[i]. The values
	// have storage types, and texts are not dictionary-encoded.
	Values arrow.RecordBatch
}

// Check returns an Internal error if the fields of the layer are not as their comments require.
func (l Layer) Check() error {
	switch {
	case l.Rowset == 0 || len(l.Columns) == 0 || len(l.Ordinals) == 0:
		return base.Errorf(base.Internal, "patch of rowset %d with %d columns and %d rows", l.Rowset, len(l.Columns), len(l.Ordinals))
	case l.Values.NumCols() != int64(len(l.Columns)) || l.Values.NumRows() != int64(len(l.Ordinals)):
		return base.Errorf(base.Internal, "patch of rowset %d: %d rows of %d columns for %d rows of %d columns",
			l.Rowset, l.Values.NumRows(), l.Values.NumCols(), len(l.Ordinals), len(l.Columns))
	case !ascending(l.Columns) || !ascending(l.Ordinals):
		return base.Errorf(base.Internal, "patch of rowset %d: its columns or rows do not ascend", l.Rowset)
	}
	return nil
}

func ascending[T ~uint32](s []T) bool {
	for i := 1; i < len(s); i++ {
		if s[i] <= s[i-1] {
			return false
		}
	}
	return true
}

// Set has all changes (new values and deletions) of the rows of one rowset. It is immutable.
type Set struct {
	Rowset base.RowsetID
	Seq    base.Seq // number of the newest edit whose changes the set has
	// ValuesSeq is the number of the newest edit that gave a row of the set a new value. Edits that
	// only deleted rows do not count.
	ValuesSeq base.Seq
	// Deleted are the numbers of the deleted rows; nil if there are none; must not be modified.
	Deleted *roaring.Bitmap

	chains     []chain // new values: a chain (list of runs) for each column, by ascending column id
	bytes      int64
	attachment *attachment

	mu sync.Mutex
	// folded has the cached results of the method Column, by column id; guarded by mu.
	folded map[base.ColumnID]*Column
	// patched is the cached result of the method Patched, nil until it is first requested. It is
	// guarded by mu.
	patched *roaring.Bitmap
}

// New returns a set without changes for the rowset with the id rowset.
func New(rowset base.RowsetID) *Set { return &Set{Rowset: rowset, attachment: &attachment{}} }

// attachment is data that a reader of a rowset, such as a cache, attaches to the rowset's patch
// sets: see Attachment.
type attachment struct {
	once  sync.Once
	value any
}

// Attachment returns data that a reader attaches to the rowset, such as a cache. The first call
// creates the data with make. All sets that changes have derived from each other share it. It is
// freed with the last of these sets.
func (s *Set) Attachment(make func() any) any {
	s.attachment.once.Do(func() { s.attachment.value = make() })
	return s.attachment.value
}

// With returns a set that has the changes of the set s and the given ones: more deleted rows (nil
// means none), and more layers of new values. Each layer must be newer than the set, and newer than
// the layers before it. The caller must not modify the arguments afterwards.
func (s *Set) With(seq base.Seq, deleted *roaring.Bitmap, layers ...Layer) (*Set, error) {
	next := &Set{Rowset: s.Rowset, Seq: max(s.Seq, seq), ValuesSeq: s.ValuesSeq, Deleted: s.Deleted, chains: slices.Clone(s.chains), attachment: s.attachment}
	if deleted != nil && !deleted.IsEmpty() {
		if next.Deleted == nil {
			next.Deleted = deleted
		} else {
			next.Deleted = roaring.Or(next.Deleted, deleted)
		}
	}
	for _, l := range layers {
		next.Seq, next.ValuesSeq = max(next.Seq, l.Seq), max(next.ValuesSeq, l.Seq)
		for i, id := range l.Columns {
			r := newRun(l.Ordinals, l.Values.Column(i), l.Version)
			at, found := slices.BinarySearchFunc(next.chains, id, chain.compare)
			if !found {
				next.chains = slices.Insert(next.chains, at, chain{column: id})
			}
			grown, err := push(next.chains[at].runs, r)
			if err != nil {
				return nil, base.Wrap(err, "fold column %d of rowset %d", id, s.Rowset)
			}
			next.chains[at].runs = grown
		}
	}
	next.bytes = next.measure()
	return next, nil
}

// WithoutDeletions returns a set that has the new values of s, but no deleted rows.
func (s *Set) WithoutDeletions() *Set {
	values := &Set{Rowset: s.Rowset, Seq: s.Seq, ValuesSeq: s.ValuesSeq, chains: s.chains, attachment: s.attachment}
	values.bytes = values.measure()
	return values
}

// Join returns a set that has the changes of s and those of a later set of the same rowset (the
// argument newer).
func (s *Set) Join(newer *Set) (*Set, error) {
	layers, err := newer.Layers()
	if err != nil {
		return nil, err
	}
	return s.With(newer.Seq, newer.Deleted, layers...)
}

// measure computes the memory in bytes of the deleted rows and the new values.
func (s *Set) measure() int64 {
	n := int64(0)
	if s.Deleted != nil {
		n += int64(s.Deleted.GetSizeInBytes())
	}
	for _, c := range s.chains {
		n += c.bytes()
	}
	return n
}

// Bytes returns the memory of the set in bytes, without cached results of Column. If columns share
// row numbers, these count once for each column. A nil set has 0 bytes.
func (s *Set) Bytes() int64 {
	if s == nil {
		return 0
	}
	return s.bytes
}

// MaxColumnBytes is the maximum memory in bytes of the new values of one column of a rowset.
// Readers join these values to one array, whose offsets have 31 bits.
const MaxColumnBytes = 1 << 30

// ColumnBytes looks for the column whose new values take the most memory, and returns the size of
// that memory in bytes. The method Bytes says how it is measured.
func (s *Set) ColumnBytes() int64 {
	most := int64(0)
	for _, c := range s.chains {
		most = max(most, c.bytes())
	}
	return most
}

// Empty reports whether the set has no changes.
func (s *Set) Empty() bool { return s.Deleted == nil && len(s.chains) == 0 }

// PatchedRows returns the number of rows that have a new value in some column. It is 0 for a nil
// set.
func (s *Set) PatchedRows() int64 {
	if s == nil {
		return 0
	}
	return int64(s.Patched().GetCardinality())
}

// DeletedRows returns the number of deleted rows. It is 0 for a nil set.
func (s *Set) DeletedRows() int64 {
	if s == nil || s.Deleted == nil {
		return 0
	}
	return int64(s.Deleted.GetCardinality())
}

// Columns returns the ids of the columns in which some row has a new value, in ascending order.
func (s *Set) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(s.chains))
	for i, c := range s.chains {
		ids[i] = c.column
	}
	return ids
}

// Changes reports whether some row has a new value in the column with the given id.
func (s *Set) Changes(id base.ColumnID) bool {
	_, found := slices.BinarySearchFunc(s.chains, id, chain.compare)
	return found
}

// Patched returns the numbers of the rows that have a new value in some column, including deleted
// rows. The caller must not modify the bitmap.
func (s *Set) Patched() *roaring.Bitmap {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.patched == nil {
		s.patched = roaring.New()
		for _, c := range s.chains {
			for _, r := range c.runs {
				s.patched.AddMany(r.ordinals)
			}
		}
	}
	return s.patched
}

// Version returns the newest schema version under which one of the new values was set, or 0 if the
// set has no new values.
func (s *Set) Version() uint32 {
	v := uint32(0)
	for _, c := range s.chains {
		for _, r := range c.runs {
			v = max(v, r.version)
		}
	}
	return v
}

// Layers returns the new values of the set as a few layers, older ones first. A column is in
// several layers only if its type changed. Deletions are not included: see Deleted.
func (s *Set) Layers() ([]Layer, error) {
	type group struct {
		columns []base.ColumnID
		fields  []arrow.Field
		values  []arrow.Array
		run     run
	}
	var groups []*group
	for _, c := range s.chains {
		runs, err := c.compact()
		if err != nil {
			return nil, base.Wrap(err, "fold column %d of rowset %d", c.column, s.Rowset)
		}
		for _, r := range runs {
			at := -1
			// If the type of a column has changed, the column gets layers of its own, to keep the
			// order of its values.
			if len(runs) == 1 {
				at = slices.IndexFunc(groups, func(g *group) bool {
					return g.run.version == r.version && g.columns[len(g.columns)-1] != c.column && slices.Equal(g.run.ordinals, r.ordinals)
				})
			}
			if at < 0 {
				at = len(groups)
				groups = append(groups, &group{run: r})
			}
			g := groups[at]
			g.columns = append(g.columns, c.column)
			g.fields = append(g.fields, fieldOf(c.column, r.values.DataType()))
			g.values = append(g.values, r.values)
		}
	}
	layers := make([]Layer, len(groups))
	for i, g := range groups {
		layers[i] = Layer{
			Rowset: s.Rowset, Seq: s.ValuesSeq, Version: g.run.version, Columns: g.columns, Ordinals: g.run.ordinals,
			Values: newRecord(g.fields, g.values),
		}
	}
	return layers, nil
}
