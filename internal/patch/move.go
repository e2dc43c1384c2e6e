package patch

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
)

// Move is a remap: it maps row addresses in rowsets that were rewritten to the rows' new addresses.
// It is immutable.
type Move interface {
	// Find returns the new addresses of rows of an old rowset, given by ascending ordinals. A row
	// that is not in the new rowsets has an address with Source 0.
	Find(source base.SourceID, ordinals []uint32) ([]base.RowAddress, error)
	// Bytes estimates the memory of the Move, including what the first Find allocates.
	Bytes() int64
}

// Sorted is the Move of one rowset whose rows were sorted into several parts. Rows[i] has the old
// ordinals of the rows of Parts[i], in the order of that part.
type Sorted struct {
	Source base.SourceID
	Parts  []base.SourceID
	Rows   [][]uint32

	once sync.Once
	// inverse[o] has the new place of the row with old ordinal o: 1 + the index of its part in the
	// upper half, and the row's number in the lower half. 0 means that the row was left out.
	inverse []uint64
}

// Find implements Move. The first call computes inverse.
func (m *Sorted) Find(source base.SourceID, ordinals []uint32) ([]base.RowAddress, error) {
	if source != m.Source {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move with those of rowset %d", source, m.Source)
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
			found[i] = base.RowAddress{Source: m.Parts[m.inverse[o]>>32-1], Ordinal: base.RowOrdinal(m.inverse[o])}
		}
	}
	return found, nil
}

// Bytes implements Move.
func (m *Sorted) Bytes() (n int64) {
	for _, rows := range m.Rows {
		n += (4 + 8) * int64(len(rows)) // 4 bytes in Rows and 8 in inverse
	}
	return n
}

// Interleaved is the Move of several rowsets into one part, in which the rows of each rowset stay
// in order. It takes at most a bit per row and rowset, and very little memory if the part has the
// rows of one rowset after those of another.
type Interleaved struct {
	To    base.SourceID
	lanes map[base.SourceID]*Lane
	rows  uint32
}

// Lane says where the rows of one rowset are in the new part of an Interleaved.
type Lane struct {
	leftOut *roaring.Bitmap // ordinals of the rows that are not in the new part; nil: all are
	// Rows of the new part that come from this rowset; they are in the rowset's order.
	at    *roaring.Bitmap
	dense []uint64 // the same as at, while rows are added
}

// NewInterleaved returns a Move of rowsets, to which the rows must be added. leftOut has an entry
// for each rowset, with the rows that are not in the new part (nil: all are).
func NewInterleaved(leftOut map[base.SourceID]*roaring.Bitmap) *Interleaved {
	m := &Interleaved{lanes: map[base.SourceID]*Lane{}}
	for source, deleted := range leftOut {
		m.lanes[source] = &Lane{leftOut: deleted}
	}
	return m
}

// Lane returns the lane of an old rowset.
func (m *Interleaved) Lane(source base.SourceID) *Lane { return m.lanes[source] }

// Add records that the next row of the new part is the next row of a lane's rowset.
func (m *Interleaved) Add(l *Lane) {
	word := int(m.rows / 64)
	for len(l.dense) <= word {
		l.dense = append(l.dense, 0)
	}
	l.dense[word] |= 1 << (m.rows % 64)
	m.rows++
}

// LeaveOut records more rows of a rowset that are not in the new part. It must be called before
// Finish.
func (m *Interleaved) LeaveOut(source base.SourceID, rows *roaring.Bitmap) {
	l := m.lanes[source]
	if rows.IsEmpty() {
		return
	}
	if l.leftOut != nil {
		rows = roaring.Or(l.leftOut, rows)
	}
	l.leftOut = rows
}

// Finish must be called after all rows were added. to is the id of the new part.
func (m *Interleaved) Finish(to base.SourceID) {
	m.To = to
	for _, l := range m.lanes {
		l.at = roaring.FromDense(l.dense, true)
		l.at.RunOptimize()
		l.dense = nil
	}
}

// Find implements Move.
func (m *Interleaved) Find(source base.SourceID, ordinals []uint32) ([]base.RowAddress, error) {
	lane := m.lanes[source]
	if lane == nil {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move to part %d", source, m.To)
	}
	find := lane.at.Select
	if uint64(len(ordinals)) > lane.at.GetCardinality()/64 {
		// Select scans the bitmap in each call. For many rows, looking up an array is faster.
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
			return nil, base.Errorf(base.Internal, "row %d of rowset %d is not in part %d: %w", o, source, m.To, err)
		}
		found[i] = base.RowAddress{Source: m.To, Ordinal: base.RowOrdinal(row)}
	}
	return found, nil
}

// Bytes implements Move.
func (m *Interleaved) Bytes() (n int64) {
	for _, l := range m.lanes {
		n += int64(l.at.GetSizeInBytes())
		if l.leftOut != nil {
			n += int64(l.leftOut.GetSizeInBytes())
		}
	}
	return n
}

// Moves is the Move of several rowsets, each with a Move of its own.
type Moves map[base.SourceID]Move

// Find implements Move.
func (m Moves) Find(source base.SourceID, ordinals []uint32) ([]base.RowAddress, error) {
	if m[source] == nil {
		return nil, base.Errorf(base.Internal, "rows of rowset %d did not move", source)
	}
	return m[source].Find(source, ordinals)
}

// Bytes implements Move.
func (m Moves) Bytes() (n int64) {
	for _, move := range m {
		n += move.Bytes()
	}
	return n
}

// MoveRows returns the new addresses of rows of an old rowset, as a bitmap per new rowset. Rows
// that were left out are missing.
func MoveRows(m Move, source base.SourceID, rows *roaring.Bitmap) (map[base.SourceID]*roaring.Bitmap, error) {
	found, err := m.Find(source, rows.ToArray())
	if err != nil {
		return nil, err
	}
	moved := map[base.SourceID]*roaring.Bitmap{}
	for _, a := range found {
		if a.Source == 0 {
			continue
		}
		if moved[a.Source] == nil {
			moved[a.Source] = roaring.New()
		}
		moved[a.Source].Add(uint32(a.Ordinal))
	}
	return moved, nil
}

// MoveLayer converts a layer of an old rowset into layers of the new rowsets: the new values stay
// with their rows.
func MoveLayer(m Move, l Layer) ([]Layer, error) {
	found, err := m.Find(l.Source, l.Ordinals)
	if err != nil {
		return nil, err
	}
	rows := map[base.SourceID][]ref{}
	for i, a := range found {
		if a.Source != 0 {
			rows[a.Source] = append(rows[a.Source], ref{uint32(a.Ordinal), uint32(i)})
		}
	}
	var moved []Layer
	for source, refs := range rows {
		slices.SortFunc(refs, func(a, b ref) int { return int(int64(a.ordinal) - int64(b.ordinal)) })
		next := l
		next.Source = source
		next.Ordinals = make([]uint32, len(refs))
		at := make([]uint32, len(refs))
		for i, r := range refs {
			next.Ordinals[i], at[i] = r.ordinal, r.at
		}
		if next.Values, err = batch.Take([]arrow.RecordBatch{l.Values}, at); err != nil {
			return nil, base.Wrap(err, "move a patch of rowset %d", l.Source)
		}
		moved = append(moved, next)
	}
	return moved, nil
}

// MoveSet adds the changes of an old rowset's set to the sets in into, which belong to the new
// rowsets.
func MoveSet(m Move, s *Set, into map[base.SourceID]*Set) error {
	deleted := map[base.SourceID]*roaring.Bitmap{}
	if s.Deleted != nil {
		var err error
		if deleted, err = MoveRows(m, s.Source, s.Deleted); err != nil {
			return err
		}
	}
	layers, err := s.Layers()
	if err != nil {
		return err
	}
	add := func(source base.SourceID, rows *roaring.Bitmap, layers ...Layer) error {
		set := into[source]
		if set == nil {
			set = New(source)
		}
		set, err := set.With(s.Seq, rows, layers...)
		into[source] = set
		return err
	}
	for source, rows := range deleted {
		if err := add(source, rows); err != nil {
			return err
		}
	}
	for _, l := range layers {
		moved, err := MoveLayer(m, l)
		if err != nil {
			return err
		}
		for _, l := range moved {
			if err := add(l.Source, nil, l); err != nil {
				return err
			}
		}
	}
	return nil
}
