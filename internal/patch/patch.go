// Package patch holds what changed of rows that do not move: new values of some of their
// columns, and which of them are deleted. A row is meant by its address, (source, ordinal), the
// source being a part or a memtable.
//
// A Set is everything that is known about one source. It is immutable; a change makes a new Set, which
// shares what it can. Its values lie on Go's heap, in Arrow arrays whose buffers hold no pointers and never
// change, so nobody counts references to them: a Set is readable for as long as somebody has it.
package patch

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// Layer is new values of some columns for some rows of one source. It is immutable.
type Layer struct {
	Source   base.SourceID
	Seq      base.Seq          // of the newest edit in it
	Version  uint32            // the schema version whose column types Values has
	Columns  []base.ColumnID   // of Values' columns, ascending
	Ordinals []uint32          // ascending, unique
	Values   arrow.RecordBatch // storage types, text not as dictionaries; a row per ordinal
}

// Check returns an Internal error if the layer is not what its fields say.
func (l Layer) Check() error {
	switch {
	case l.Source == 0 || len(l.Columns) == 0 || len(l.Ordinals) == 0:
		return base.Errorf(base.Internal, "patch of source %d with %d columns and %d rows", l.Source, len(l.Columns), len(l.Ordinals))
	case l.Values.NumCols() != int64(len(l.Columns)) || l.Values.NumRows() != int64(len(l.Ordinals)):
		return base.Errorf(base.Internal, "patch of source %d: %d rows of %d columns for %d rows of %d columns",
			l.Source, l.Values.NumRows(), l.Values.NumCols(), len(l.Ordinals), len(l.Columns))
	case !ascending(l.Columns) || !ascending(l.Ordinals):
		return base.Errorf(base.Internal, "patch of source %d: its columns or rows do not ascend", l.Source)
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

// Set is everything that is known about one source's rows.
type Set struct {
	Source    base.SourceID
	Seq       base.Seq        // of the newest edit in it
	ValuesSeq base.Seq        // of the newest that gave values
	Deleted   *roaring.Bitmap // read only; nil: none

	chains []chain // by ascending column
	bytes  int64
	beside *beside

	mu      sync.Mutex
	folded  map[base.ColumnID]*Column // guarded by mu
	patched *roaring.Bitmap           // guarded by mu; nil until asked for
}

// New returns the set of a source of which nothing is changed.
func New(source base.SourceID) *Set { return &Set{Source: source, beside: &beside{}} }

// beside is what a reader keeps of a source.
type beside struct {
	once  sync.Once
	value any
}

// Beside returns what make returned when it was first asked for, of this set or of one that it was made of, or that was made of it. It
// is for what a reader keeps of the source, which goes when the last of these sets does.
func (s *Set) Beside(make func() any) any {
	s.beside.once.Do(func() { s.beside.value = make() })
	return s.beside.value
}

// With returns the set with more deletions (nil: none) and layers, each newer than what is there and than those
// before it. What it is given must not change any more.
func (s *Set) With(seq base.Seq, deleted *roaring.Bitmap, layers ...Layer) (*Set, error) {
	next := &Set{Source: s.Source, Seq: max(s.Seq, seq), ValuesSeq: s.ValuesSeq, Deleted: s.Deleted, chains: slices.Clone(s.chains), beside: s.beside}
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
				return nil, base.Wrap(err, "fold column %d of source %d", id, s.Source)
			}
			next.chains[at].runs = grown
		}
	}
	next.bytes = next.measure()
	return next, nil
}

// WithoutDeletions returns the set with its values alone.
func (s *Set) WithoutDeletions() *Set {
	values := &Set{Source: s.Source, Seq: s.Seq, ValuesSeq: s.ValuesSeq, chains: s.chains, beside: s.beside}
	values.bytes = values.measure()
	return values
}

// Join returns the set with what a newer set of the same source holds over it.
func (s *Set) Join(newer *Set) (*Set, error) {
	layers, err := newer.Layers()
	if err != nil {
		return nil, err
	}
	return s.With(newer.Seq, newer.Deleted, layers...)
}

// measure adds up what the runs hold.
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

// Bytes returns the memory that the set holds, without what folding it for readers takes besides. Ordinals that
// columns share count for each. A nil set has none.
func (s *Set) Bytes() int64 {
	if s == nil {
		return 0
	}
	return s.bytes
}

// MaxColumnBytes is how much the new values of a column of one source may take: who reads them joins them to one array, whose offsets have 31 bits.
const MaxColumnBytes = 1 << 30

// ColumnBytes returns what the new values of the column take of which they take most, as Bytes does.
func (s *Set) ColumnBytes() int64 {
	most := int64(0)
	for _, c := range s.chains {
		most = max(most, c.bytes())
	}
	return most
}

// Empty reports whether nothing is changed.
func (s *Set) Empty() bool { return s.Deleted == nil && len(s.chains) == 0 }

// PatchedRows returns how many rows have a new value; none of a nil set.
func (s *Set) PatchedRows() int64 {
	if s == nil {
		return 0
	}
	return int64(s.Patched().GetCardinality())
}

// DeletedRows returns how many rows are deleted; none of a nil set.
func (s *Set) DeletedRows() int64 {
	if s == nil || s.Deleted == nil {
		return 0
	}
	return int64(s.Deleted.GetCardinality())
}

// Columns returns the columns with any new value, ascending.
func (s *Set) Columns() []base.ColumnID {
	ids := make([]base.ColumnID, len(s.chains))
	for i, c := range s.chains {
		ids[i] = c.column
	}
	return ids
}

// Changes reports whether any row has a new value of a column.
func (s *Set) Changes(id base.ColumnID) bool {
	_, found := slices.BinarySearchFunc(s.chains, id, chain.compare)
	return found
}

// Patched returns the rows with any new value, deleted ones among them. It is read only.
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

// Version returns the newest schema version that a value was given under; 0 without values.
func (s *Set) Version() uint32 {
	v := uint32(0)
	for _, c := range s.chains {
		for _, r := range c.runs {
			v = max(v, r.version)
		}
	}
	return v
}

// Layers returns what the set holds as few layers, none of which has a column of another, or a column
// twice but where its type changed; older ones first. Deletions are apart, in Deleted.
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
			return nil, base.Wrap(err, "fold column %d of source %d", c.column, s.Source)
		}
		for _, r := range runs {
			at := -1
			if len(runs) == 1 { // a column in several types stays apart, so that their order is kept
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
			Source: s.Source, Seq: s.ValuesSeq, Version: g.run.version, Columns: g.columns, Ordinals: g.run.ordinals,
			Values: newRecord(g.fields, g.values),
		}
	}
	return layers, nil
}
