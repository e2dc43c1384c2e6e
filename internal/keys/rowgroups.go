package keys

import (
	"sort"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// A part that is sorted by a key of whole numbers needs no index to find its rows: the footer says which row group
// may hold the key, and its rows are looked up among the numbers as they are stored. To read those of one row group takes less than a
// query does, and the index of a large part twenty times as long.

// rowGroups are the numbers of a part's key, as far as they were read.
type rowGroups struct {
	*part.Numbers
	first []uint32 // row of each group
	read  []atomic.Pointer[groupRows]
}

// groupRows are the numbers of a row group, by column.
type groupRows []part.Integers

// wholeNumbers returns the values of a key as numbers; nil if they are no whole numbers, or not all of a part are in its file as they are now.
func wholeNumbers(t *snapshot.Table, p *catalog.Part, key []base.ColumnID, values []arrow.Array) []int64 {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return nil
	}
	var out []int64
	for i, id := range key {
		at := written.ColumnByID(id)
		one := leading{}.add(values[i])
		if at < 0 || len(one) != 1 || !written.Columns[at].Type.Equal(t.Schema.Columns[t.Schema.ColumnByID(id)].Type) {
			return nil
		}
		out = append(out, one[0])
	}
	return out
}

// groupsHolding returns the row groups of a part that may hold a key, and how much was read for that. ok is false if the part is not to be looked
// through this way: its key has NULLs or other types, or more than so much is to be read.
func (f *Finder) groupsHolding(s *source, t *snapshot.Table, p *catalog.Part, key []base.ColumnID, values []arrow.Array, maxReads int) (ways []way, reads int, ok bool, err error) {
	numbers := wholeNumbers(t, p, key, values)
	if numbers == nil {
		return nil, 0, false, nil
	}
	if s.groups.Load() == nil {
		if reads++; reads > maxReads {
			return nil, 0, false, nil
		}
		if err := f.openGroups(s, t, p, key); err != nil {
			return nil, reads, false, err
		}
	}
	groups := *s.groups.Load()
	if groups == nil {
		return nil, reads, false, nil
	}
	holding := groups.holding(numbers)
	unread := 0
	for _, g := range holding {
		if groups.read[g].Load() == nil {
			unread++
		}
	}
	if reads+unread > maxReads {
		return nil, reads, false, nil
	}
	for _, g := range holding {
		rows, err := f.readGroup(s, groups, g)
		if err != nil {
			return nil, reads, false, err
		}
		ways = append(ways, way{part: p.ID, rows: rows, first: groups.first[g], values: numbers})
	}
	return ways, reads + unread, true, nil
}

// openGroups finds the row groups of a part.
func (f *Finder) openGroups(s *source, t *snapshot.Table, p *catalog.Part, key []base.ColumnID) error {
	numbers, ok, err := f.reader.Numbers(t, p, key)
	if err != nil {
		return err
	}
	var groups *rowGroups
	bytes := int64(0)
	if ok {
		groups = &rowGroups{Numbers: numbers, read: make([]atomic.Pointer[groupRows], len(numbers.Groups))}
		first := uint32(0)
		for _, g := range numbers.Groups {
			groups.first = append(groups.first, first)
			first += uint32(g.Rows)
		}
		bytes = numbers.Bytes()
	}
	if s.groups.CompareAndSwap(nil, &groups) {
		f.keep(s, bytes)
	}
	return nil
}

// holding returns the row groups that may hold a key.
func (g *rowGroups) holding(values []int64) (out []int) {
	for i, group := range g.Groups {
		holds := true
		for c, v := range values {
			holds = holds && group.Bounds[c].Min <= v && v <= group.Bounds[c].Max
		}
		if holds {
			out = append(out, i)
		}
	}
	return out
}

// readGroup returns the numbers of a row group, reading them if they are not kept.
func (f *Finder) readGroup(s *source, groups *rowGroups, group int) (*groupRows, error) {
	if known := groups.read[group].Load(); known != nil {
		return known, nil
	}
	columns, err := f.reader.Group(groups.Numbers, group)
	if err != nil {
		return nil, err
	}
	made := groupRows(columns)
	if groups.read[group].CompareAndSwap(nil, &made) {
		bytes := int64(0)
		for i := range columns {
			bytes += columns[i].Bytes()
		}
		f.keep(s, bytes)
	}
	return &made, nil
}

// find calls f with every row that has a key, until f says to stop.
func (g groupRows) find(values []int64, f func(row uint32) (stop bool)) {
	first := &g[0]
	n, from := first.Len(), 0
	if first.Ascending {
		from = sort.Search(n, func(i int) bool { return first.At(i) >= values[0] })
	}
	for i := from; i < n; i++ {
		if first.At(i) != values[0] {
			if first.Ascending {
				return
			}
			continue
		}
		same := true
		for c := 1; c < len(values) && same; c++ {
			same = g[c].At(i) == values[c]
		}
		if same && f(uint32(i)) {
			return
		}
	}
}
