package patch

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
)

// Remap gives the new addresses of rows whose rowsets were replaced by others, such as by a merge.
// It is immutable.
type Remap interface {
	// Find returns the new addresses of some rows of an old rowset. The argument rowset is the
	// id of that rowset, and ordinals has the ascending numbers of the rows. If a row is not in the
	// new rowsets, the Rowset of its new address is 0.
	Find(rowset base.RowsetID, ordinals []uint32) ([]base.RowAddress, error)
	// Bytes estimates the memory of the Remap in bytes, including memory that the first Find
	// allocates.
	Bytes() int64
}

// Sorted is a Remap (from old row addresses to new ones) of one rowset whose rows were sorted into
// several parts. Rows[i] has the old numbers of the rows of Parts[i], in the order of that part.
type Sorted struct {
	Rowset base.RowsetID
	Parts  []base.RowsetID
	Rows   [][]uint32

	once sync.Once
	// inverse[o] has the new place of the row with the old number o. The upper half is 1 plus the
	// index of its part, and the lower half is the row's number in that part. 0 means that the row
	// was left out.
	inverse []uint64
}

// Find implements Remap. The first call computes the field inverse.
func (m *Sorted) Find(rowset base.RowsetID, ordinals []uint32) ([]base.RowAddress, error) {
	if rowset != m.Rowset {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move with those of rowset %d", rowset, m.Rowset)
	}
	m.once.Do(func() {
		n := uint32(0)
		for _, rows := range m.Rows {
			for _, o := range rows {
				n = max(n, o+1)
			}
		}
		m.inverse = make([]uint64, n)
		for i, rows := range m.Rows {
			for at, o := range rows {
				m.inverse[o] = uint64(i+1)<<32 | uint64(at)
			}
		}
	})
	found := make([]base.RowAddress, len(ordinals))
	for i, o := range ordinals {
		if int(o) < len(m.inverse) && m.inverse[o] != 0 {
			found[i] = base.RowAddress{Rowset: m.Parts[m.inverse[o]>>32-1], Ordinal: base.RowOrdinal(m.inverse[o])}
		}
	}
	return found, nil
}

// Bytes implements Remap.
func (m *Sorted) Bytes() (n int64) {
	for _, rows := range m.Rows {
		n += (4 + 8) * int64(len(rows)) // 4 bytes for each row in Rows, and 8 in inverse
	}
	return n
}

// Interleaved is a Remap (from old row addresses to new ones) of several rowsets into one part, in
// which the rows of each rowset stay in their order. It takes at most one bit per row and rowset.
// If the part has the rows of one rowset after those of another, it takes very little memory.
type Interleaved struct {
	To    base.RowsetID
	lanes map[base.RowsetID]*Lane
	rows  uint32
}

// Lane says which rows of the new part come from one old rowset. It belongs to an Interleaved, the
// Remap of several rowsets into one part.
type Lane struct {
	// leftOut has the numbers of the rowset's rows that are not in the new part. Nil means that all
	// rows are in it.
	leftOut *roaring.Bitmap
	// at has the numbers, in the new part, of the rows that come from this rowset. The n-th of them
	// is for the n-th row of the rowset that is not left out.
	at    *roaring.Bitmap
	dense []uint64 // the rows in the field at, as one bit for each row; used while rows are added
}

// NewInterleaved returns a Remap (from old row addresses to new ones) of several rowsets into one
// part. The caller must then call Add for each row. The argument leftOut has a bitmap for each
// rowset, with the rows that will not be in the new part. If the bitmap is nil, all rows of the
// rowset will be in the new part.
func NewInterleaved(leftOut map[base.RowsetID]*roaring.Bitmap) *Interleaved {
	m := &Interleaved{lanes: map[base.RowsetID]*Lane{}}
	for rowset, deleted := range leftOut {
		m.lanes[rowset] = &Lane{leftOut: deleted}
	}
	return m
}

// Lane returns the Lane of an old rowset: which rows of the new part come from it.
func (m *Interleaved) Lane(rowset base.RowsetID) *Lane { return m.lanes[rowset] }

// Add records that the next row of the new part is the next row of the rowset to which the lane l
// belongs.
func (m *Interleaved) Add(l *Lane) {
	word := int(m.rows / 64)
	for len(l.dense) <= word {
		l.dense = append(l.dense, 0)
	}
	l.dense[word] |= 1 << (m.rows % 64)
	m.rows++
}

// LeaveOut records that more rows of a rowset are not in the new part. It must be called before
// Finish.
func (m *Interleaved) LeaveOut(rowset base.RowsetID, rows *roaring.Bitmap) {
	l := m.lanes[rowset]
	if rows.IsEmpty() {
		return
	}
	if l.leftOut != nil {
		rows = roaring.Or(l.leftOut, rows)
	}
	l.leftOut = rows
}

// Finish completes the Remap. It must be called after all rows were added. The argument to is the
// id of the new part.
func (m *Interleaved) Finish(to base.RowsetID) {
	m.To = to
	for _, l := range m.lanes {
		l.at = roaring.FromDense(l.dense, true)
		l.at.RunOptimize()
		l.dense = nil
	}
}

// Find implements Remap.
func (m *Interleaved) Find(rowset base.RowsetID, ordinals []uint32) ([]base.RowAddress, error) {
	lane := m.lanes[rowset]
	if lane == nil {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move to part %d", rowset, m.To)
	}
	find := lane.at.Select
	if uint64(len(ordinals)) > lane.at.GetCardinality()/64 {
		// Select scans the bitmap in each call. If there are many rows, looking them up in an array
		// is faster.
		rows := lane.at.ToArray()
		find = func(rank uint32) (uint32, error) {
			if int(rank) >= len(rows) {
				return 0, base.Errorf(base.Internal, "row %d of %d", rank, len(rows))
			}
			return rows[rank], nil
		}
	}
	found := make([]base.RowAddress, len(ordinals))
	for i, o := range ordinals {
		rank := o
		if lane.leftOut != nil {
			if lane.leftOut.Contains(o) {
				continue
			}
			rank -= uint32(lane.leftOut.Rank(o))
		}
		row, err := find(rank)
		if err != nil {
			return nil, base.Errorf(base.Internal, "row %d of rowset %d is not in part %d: %w", o, rowset, m.To, err)
		}
		found[i] = base.RowAddress{Rowset: m.To, Ordinal: base.RowOrdinal(row)}
	}
	return found, nil
}

// Bytes implements Remap.
func (m *Interleaved) Bytes() (n int64) {
	for _, l := range m.lanes {
		n += int64(l.at.GetSizeInBytes())
		if l.leftOut != nil {
			n += int64(l.leftOut.GetSizeInBytes())
		}
	}
	return n
}

// Remaps is the Remap of several rowsets. It has a separate Remap for each of them, by rowset id.
type Remaps map[base.RowsetID]Remap

// Find implements Remap.
func (m Remaps) Find(rowset base.RowsetID, ordinals []uint32) ([]base.RowAddress, error) {
	if m[rowset] == nil {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move", rowset)
	}
	return m[rowset].Find(rowset, ordinals)
}

// Bytes implements Remap.
func (m Remaps) Bytes() (n int64) {
	for _, remap := range m {
		n += remap.Bytes()
	}
	return n
}

// RemapRows returns the new addresses of rows of an old rowset: a bitmap of row numbers for each
// new rowset. Rows that are not in the new rowsets are left out.
func RemapRows(m Remap, rowset base.RowsetID, rows *roaring.Bitmap) (map[base.RowsetID]*roaring.Bitmap, error) {
	found, err := m.Find(rowset, rows.ToArray())
	if err != nil {
		return nil, err
	}
	moved := map[base.RowsetID]*roaring.Bitmap{}
	for _, a := range found {
		if a.Rowset == 0 {
			continue
		}
		if moved[a.Rowset] == nil {
			moved[a.Rowset] = roaring.New()
		}
		moved[a.Rowset].Add(uint32(a.Ordinal))
	}
	return moved, nil
}

// RemapLayer converts a layer (new values for rows of one rowset) of an old rowset into layers of
// the new rowsets. Each row keeps its new values.
func RemapLayer(m Remap, l Layer) ([]Layer, error) {
	found, err := m.Find(l.Rowset, l.Ordinals)
	if err != nil {
		return nil, err
	}
	rows := map[base.RowsetID][]ref{}
	for i, a := range found {
		if a.Rowset != 0 {
			rows[a.Rowset] = append(rows[a.Rowset], ref{uint32(a.Ordinal), uint32(i)})
		}
	}
	var moved []Layer
	for rowset, refs := range rows {
		slices.SortFunc(refs, func(a, b ref) int { return int(int64(a.ordinal) - int64(b.ordinal)) })
		next := l
		next.Rowset = rowset
		next.Ordinals = make([]uint32, len(refs))
		at := make([]uint32, len(refs))
		for i, r := range refs {
			next.Ordinals[i], at[i] = r.ordinal, r.at
		}
		if next.Values, err = batch.Take([]arrow.RecordBatch{l.Values}, at); err != nil {
			return nil, base.Wrap(err, "move a patch of rowset %d", l.Rowset)
		}
		moved = append(moved, next)
	}
	return moved, nil
}

// RemapSet takes the changes of s, the patch set of an old rowset, over to the new rowsets. It adds
// them to the patch sets of the new rowsets in the map into.
func RemapSet(m Remap, s *Set, into map[base.RowsetID]*Set) error {
	deleted := map[base.RowsetID]*roaring.Bitmap{}
	if s.Deleted != nil {
		var err error
		if deleted, err = RemapRows(m, s.Rowset, s.Deleted); err != nil {
			return err
		}
	}
	layers, err := s.Layers()
	if err != nil {
		return err
	}
	add := func(rowset base.RowsetID, rows *roaring.Bitmap, layers ...Layer) error {
		set := into[rowset]
		if set == nil {
			set = New(rowset)
		}
		set, err := set.With(s.Seq, rows, layers...)
		into[rowset] = set
		return err
	}
	for rowset, rows := range deleted {
		if err := add(rowset, rows); err != nil {
			return err
		}
	}
	for _, l := range layers {
		moved, err := RemapLayer(m, l)
		if err != nil {
			return err
		}
		for _, l := range moved {
			if err := add(l.Rowset, nil, l); err != nil {
				return err
			}
		}
	}
	return nil
}
