package keys

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// State has the values of a row's columns RowVersion and IsDeleted. They decide which of several
// rows of a key is current.
type State struct {
	Version uint64 // version as a number, see Versions; 0 if the table has no version column
	Deleted bool
}

// Columns returns the columns from which an index of a key is built. These are the columns of the
// key. If the key is the primary key, the columns RowVersion and IsDeleted follow, if the table has
// them.
func Columns(t schema.Table, key []base.ColumnID) []schema.Column {
	var out []schema.Column
	ids := slices.Clone(key)
	if slices.Equal(key, t.PrimaryKey) {
		ids = append(ids, t.RowVersion, t.IsDeleted)
	}
	for _, id := range ids {
		if id != 0 {
			out = append(out, t.Columns[t.ColumnByID(id)])
		}
	}
	return out
}

// Versions converts the values of a version column to numbers that have the same order. NULL
// becomes 0, which is below all others. The two least BIGINTs become equal, and so do the two
// greatest UBIGINTs.
func Versions(a arrow.Array) ([]uint64, error) {
	out := make([]uint64, a.Len())
	signed := func(v int64) uint64 { return max(uint64(v)^1<<63, 1) }
	unsigned := func(v uint64) uint64 { return min(v, 1<<64-2) + 1 }
	var value func(i int) uint64
	switch a := a.(type) {
	case *array.Int8:
		value = func(i int) uint64 { return signed(int64(a.Value(i))) }
	case *array.Int16:
		value = func(i int) uint64 { return signed(int64(a.Value(i))) }
	case *array.Int32:
		value = func(i int) uint64 { return signed(int64(a.Value(i))) }
	case *array.Int64:
		value = func(i int) uint64 { return signed(a.Value(i)) }
	case *array.Uint8:
		value = func(i int) uint64 { return unsigned(uint64(a.Value(i))) }
	case *array.Uint16:
		value = func(i int) uint64 { return unsigned(uint64(a.Value(i))) }
	case *array.Uint32:
		value = func(i int) uint64 { return unsigned(uint64(a.Value(i))) }
	case *array.Uint64:
		value = func(i int) uint64 { return unsigned(a.Value(i)) }
	case *array.Date32:
		value = func(i int) uint64 { return signed(int64(a.Value(i))) }
	case *array.Timestamp:
		value = func(i int) uint64 { return signed(int64(a.Value(i))) }
	default:
		return nil, base.Errorf(base.Internal, "versions of type %s", a.DataType())
	}
	for i := range out {
		if a.IsValid(i) {
			out[i] = value(i)
		}
	}
	return out, nil
}

// states has the State (version and tombstone mark) of each row of a rowset, as it was written.
type states struct {
	rows uint32
	// versions has the versions of the rows as numbers. It is nil if the table has no version
	// column.
	versions []uint64
	// deleted are the rows whose column IsDeleted is true; nil if the table has no such column.
	deleted *roaring.Bitmap
}

// add appends the states of the next rows. The argument columns has those columns that follow the
// key in the result of the function Columns.
func (s *states) add(t schema.Table, columns []arrow.Array) error {
	if len(columns) == 0 {
		return nil
	}
	if t.IsDeleted != 0 {
		if s.deleted == nil {
			s.deleted = roaring.New()
		}
		deleted := columns[len(columns)-1].(*array.Boolean)
		for i := range deleted.Len() {
			if deleted.IsValid(i) && deleted.Value(i) {
				s.deleted.Add(s.rows + uint32(i))
			}
		}
	}
	if t.RowVersion != 0 {
		versions, err := Versions(columns[0])
		if err != nil {
			return err
		}
		s.versions = append(s.versions, versions...)
	}
	s.rows += uint32(columns[0].Len())
	return nil
}

func (s *states) bytes() int64 {
	n := int64(8 * len(s.versions))
	if s.deleted != nil {
		n += int64(s.deleted.GetSizeInBytes())
	}
	return n
}

func (s *states) of(ordinal uint32) State {
	var out State
	if s.versions != nil {
		out.Version = s.versions[ordinal]
	}
	out.Deleted = s.deleted != nil && s.deleted.Contains(ordinal)
	return out
}

// States returns the current State (version and tombstone mark) of rows that Find has found. It
// includes changes by patches. For an address whose Rowset is 0, the State is zero.
func (f *Finder) States(ctx context.Context, t *snapshot.Table, rows []base.RowAddress) ([]State, error) {
	byRowset := map[base.RowsetID][]int{}
	for i, row := range rows {
		if row.Rowset != 0 {
			byRowset[row.Rowset] = append(byRowset[row.Rowset], i)
		}
	}
	out := make([]State, len(rows))
	for id, of := range byRowset {
		if at := slices.IndexFunc(t.Parts, func(p *catalog.Part) bool { return p.ID == id }); at >= 0 {
			x, err := f.ofPart(ctx, t, t.Parts[at], t.Schema.PrimaryKey)
			if err != nil {
				return nil, err
			}
			for _, i := range of {
				out[i] = x.states.of(uint32(rows[i].Ordinal))
			}
		} else if at := slices.IndexFunc(t.Memtables, func(v memtable.View) bool { return v.Rowset == id }); at >= 0 {
			s, err := f.ofMemtable(t, t.Schema.PrimaryKey, t.Memtables[at])
			if err != nil {
				return nil, err
			}
			for _, i := range of {
				out[i] = s.states.of(uint32(rows[i].Ordinal))
			}
			s.mu.Unlock()
		} else {
			return nil, base.Errorf(base.Internal, "state of a row of rowset %d, which is not in the snapshot", id)
		}
		if set := t.Patches[id]; set != nil {
			if err := patchStates(set, t.Schema, rows, of, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// patchStates updates the states of some rows of one rowset with the newer values in the rowset's
// patches (the argument set). The argument of has the indexes of these rows: for each index i in
// of, out[i] is the state of rows[i].
func patchStates(set *patch.Set, t schema.Table, rows []base.RowAddress, of []int, out []State) error {
	for _, c := range Columns(t, t.PrimaryKey)[len(t.PrimaryKey):] {
		newer, err := set.Column(c)
		if err != nil {
			return err
		}
		if newer == nil {
			continue
		}
		var versions []uint64
		if c.ID == t.RowVersion {
			if versions, err = Versions(newer.Values); err != nil {
				return err
			}
		}
		for _, i := range of {
			at, found := slices.BinarySearch(newer.Ordinals, uint32(rows[i].Ordinal))
			switch {
			case !found:
			case c.ID == t.RowVersion:
				out[i].Version = versions[at]
			default:
				out[i].Deleted = newer.Values.IsValid(at) && newer.Values.(*array.Boolean).Value(at)
			}
		}
	}
	return nil
}
