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

// How a key of whole numbers is found in a sorted part without an index. The file's footer says
// which row groups may have the key. The key is searched in the stored numbers of these row groups.
// That takes a fraction of the time of a query, whereas building the index of a large part takes a
// hundred times as long as a query. If a row group is searched often, its numbers are cached.

// rowGroups is the data about a part's row groups that is cached for searching keys in them.
type rowGroups struct {
	*part.Numbers
	first []uint32 // first[g] is the number that the first row of row group g has in the part
	read  []atomic.Pointer[groupRows]
	asked []atomic.Int32 // asked[g] is how often row group g was searched in the file
}

// seldom is how often a row group is searched in the file before its numbers are cached. Reading
// all numbers takes about seldom times as long as one search. BenchmarkLookUp in package part
// measured 2 ms for all numbers, and 0.02 to 0.2 ms for one row.
const seldom = 12

// groupRows has the key values of all rows of a row group, which are whole numbers: one list
// (part.Integers) for each column of the key.
type groupRows []part.Integers

// wholeNumbers returns the values of a key as whole numbers. It returns nil if they are not whole
// numbers. It also returns nil if the part was written when the columns of the key had other types
// or did not exist.
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

// candidates are the row groups of one part that may have a key.
type candidates struct {
	*rowGroups
	rowset *rowset
	cached *cached // cached data of the part, including its row groups
	part   base.RowsetID
	values []int64 // values of the key, one for each column
	groups []int
}

// groupsHolding returns the row groups of a part that may have a key, and the number of reads that
// searching them takes. If the footer is not cached, groupsHolding reads it. That counts as one of
// the reads. ok is false if the part cannot be searched this way, for one of these reasons:
//   - The key has a NULL, is not of whole numbers, or had columns of other types when the part was
//     written (see wholeNumbers).
//   - The key cannot be searched in the part's row groups (see Reader.Numbers).
//   - The search needs more than maxReads reads.
func (f *Finder) groupsHolding(s *rowset, t *snapshot.Table, p *catalog.Part, key []base.ColumnID, values []arrow.Array, maxReads int) (c candidates, reads int, ok bool, err error) {
	numbers := wholeNumbers(t, p, key, values)
	if numbers == nil {
		return c, 0, false, nil
	}
	k := s.cached.Load()
	if k.groups.Load() == nil {
		if reads++; reads > maxReads {
			return c, 0, false, nil
		}
		if err := f.openGroups(s, k, t, p, key); err != nil {
			return c, reads, false, err
		}
	}
	groups := *k.groups.Load()
	if groups == nil {
		return c, reads, false, nil
	}
	c = candidates{rowGroups: groups, rowset: s, cached: k, part: p.ID, values: numbers, groups: groups.holding(numbers)}
	unread := 0
	for _, g := range c.groups {
		if groups.read[g].Load() == nil {
			unread++
		}
	}
	if reads+unread > maxReads {
		return c, reads, false, nil
	}
	return c, reads + unread, true, nil
}

// lookInto searches the key in each of the row groups. For each of them it returns a way: how to
// look up the key, or the rows that were found.
func (f *Finder) lookInto(c candidates) (ways []way, err error) {
	for _, g := range c.groups {
		w := way{part: c.part, first: c.first[g], values: c.values}
		if c.read[g].Load() == nil && c.asked[g].Add(1) <= seldom {
			w.found, err = f.reader.Rows(c.Numbers, g, c.values)
		} else {
			w.rows, err = f.readGroup(c, g)
		}
		if err != nil {
			return nil, base.Wrap(err, "keys of part %d", c.part)
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// readGroups reads the numbers (key values) of the row groups in c, and caches them.
func (f *Finder) readGroups(c candidates) error {
	for _, g := range c.groups {
		if _, err := f.readGroup(c, g); err != nil {
			return err
		}
	}
	return nil
}

// openGroups reads from the footer of a part which row groups it has, and caches that.
func (f *Finder) openGroups(s *rowset, k *cached, t *snapshot.Table, p *catalog.Part, key []base.ColumnID) error {
	numbers, ok, err := f.reader.Numbers(t, p, key)
	if err != nil {
		return err
	}
	var groups *rowGroups
	if ok {
		groups = &rowGroups{Numbers: numbers, read: make([]atomic.Pointer[groupRows], len(numbers.Groups)), asked: make([]atomic.Int32, len(numbers.Groups))}
		first := uint32(0)
		for _, g := range numbers.Groups {
			groups.first = append(groups.first, first)
			first += uint32(g.Rows)
		}
	}
	if k.groups.CompareAndSwap(nil, &groups) && ok {
		f.charge(s, k, numbers.Bytes())
	}
	return nil
}

// holding returns the indexes of the row groups that may have the key values, according to their
// statistics.
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

// readGroup returns the numbers (key values) of a row group. If they are not cached, it reads and
// caches them.
func (f *Finder) readGroup(c candidates, group int) (*groupRows, error) {
	if known := c.read[group].Load(); known != nil {
		return known, nil
	}
	columns, err := f.reader.Group(c.Numbers, group)
	if err != nil {
		return nil, err
	}
	made := groupRows(columns)
	if c.read[group].CompareAndSwap(nil, &made) {
		bytes := int64(0)
		for i := range columns {
			bytes += columns[i].Bytes()
		}
		f.charge(c.rowset, c.cached, bytes)
	}
	return &made, nil
}

// find calls f with the number of each row that has the key values, until f returns true. Rows are
// counted from the first row of the row group.
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
