package overlay

import (
	lru "container/list"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// chunks reads values of single rows from column chunks of parts without DuckDB, because DuckDB
// takes some milliseconds to plan a query, even if the query reads very little. If a column chunk
// is requested often, chunks caches all of its values.
type chunks struct {
	file   func(p *catalog.Part) *blocks.File
	memory *ledger.Account // memory of all entries; charged while mu is held

	mu   sync.Mutex
	all  map[chunkKey]*chunk // entry of each column chunk that was requested; guarded by mu
	used *lru.List           // list of *chunk, the most recently used first; guarded by mu
}

const (
	// unknownBytes is the approximate memory of an entry without cached values, in bytes.
	unknownBytes = 256
	// seldom is the number of requests for a column chunk that are answered by reading single rows
	// from the file. At the next request the whole chunk is read and cached. Reading a whole chunk
	// takes about seldom times as long as reading one row: for prices it takes 5 ms, mostly for
	// fresh memory, and one row takes 0.2 ms.
	seldom = 24
)

type chunkKey struct {
	part   base.RowsetID
	column base.ColumnID
	group  int
}

type chunk struct {
	key chunkKey
	// element of this entry in the list chunks.used; nil after eviction; guarded by chunks.mu
	place  *lru.Element
	bytes  int64 // memory of the entry, in bytes; guarded by chunks.mu
	asked  int   // number of requests for the chunk so far; guarded by chunks.mu
	once   sync.Once
	values arrow.Array
	// ends says where the part's row groups end, see chunks.groups. It is used only in an entry
	// with the key ofGroups.
	ends []uint32
	err  error
}

// ofGroups is used in the keys of cache entries in place of the number of a row group. An entry
// with such a key has no values, but says which row groups a part has.
const ofGroups = -1

func newChunks(file func(*catalog.Part) *blocks.File, memory *ledger.Account) *chunks {
	return &chunks{file: file, memory: memory, all: map[chunkKey]*chunk{}, used: lru.New()}
}

// take returns the values of a column for some rows of a part. The argument written is the schema
// version with which the part was written. If the column is nested, or the part does not have the
// column in its current type, take returns nil.
func (x *chunks) take(p *catalog.Part, written schema.Table, c schema.Column, rows []uint32) (arrow.Array, error) {
	i := written.ColumnByID(c.ID)
	if i < 0 || !written.Columns[i].Type.Equal(c.Type) || nested(c.Type) {
		return nil, nil
	}
	ends, err := x.groups(p, written)
	if err != nil {
		return nil, err
	}
	var parts []arrow.Array // values of the rows, one array for each row group
	for len(rows) > 0 {
		group, found := slices.BinarySearch(ends, rows[0])
		if found {
			group++
		}
		if group == len(ends) {
			return nil, base.Errorf(base.Internal, "part %d: row %d", p.ID, rows[0])
		}
		first := uint32(0)
		if group > 0 {
			first = ends[group-1]
		}
		var within []uint32
		for len(rows) > 0 && rows[0] < ends[group] {
			within = append(within, rows[0]-first)
			rows = rows[1:]
		}
		values, err := x.rows(p, written, chunkKey{p.ID, c.ID, group}, within)
		if err != nil {
			return nil, err
		}
		parts = append(parts, values)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return array.Concatenate(parts, memory.DefaultAllocator)
}

// rows returns the values of some rows of one column chunk. Row numbers are counted from the first
// row of the row group.
func (x *chunks) rows(p *catalog.Part, written schema.Table, key chunkKey, rows []uint32) (arrow.Array, error) {
	c, often := x.ask(key)
	if !often {
		if values, err := part.TakeRows(x.file(p), written, key.group, key.column, rows); values != nil || err != nil {
			return values, err
		}
	}
	c.once.Do(func() {
		if c.values, c.err = part.ReadChunk(x.file(p), written, key.group, key.column); c.err == nil {
			x.keep(c, bytesOf(c.values))
		} else {
			x.keep(c, 0)
		}
	})
	if c.err != nil {
		return nil, c.err
	}
	fields := []arrow.Field{{Name: "v", Type: c.values.DataType(), Nullable: true}}
	whole := array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{c.values}, int64(c.values.Len()))
	taken, err := batch.Take([]arrow.RecordBatch{whole}, rows)
	if err != nil {
		return nil, err
	}
	return taken.Column(0), nil
}

// groups returns where the row groups of a part end: for each row group, the number of the part's
// rows up to its end. These numbers are cached.
func (x *chunks) groups(p *catalog.Part, written schema.Table) ([]uint32, error) {
	c, _ := x.ask(chunkKey{part: p.ID, group: ofGroups})
	c.once.Do(func() {
		var rows []int
		rows, c.err = part.Groups(x.file(p), written)
		end := uint32(0)
		for _, n := range rows {
			end += uint32(n)
			c.ends = append(c.ends, end)
		}
		x.keep(c, int64(4*len(c.ends)))
	})
	return c.ends, c.err
}

func nested(t schema.Type) bool {
	_, ok := t.Arrow().(arrow.NestedType)
	return ok
}

// ask counts a request for a column chunk. It returns the entry of the chunk. The result often says
// whether the chunk was requested so many times that all of its values should be cached.
func (x *chunks) ask(key chunkKey) (c *chunk, often bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c = x.all[key]; c == nil {
		c = &chunk{key: key, bytes: unknownBytes}
		c.place = x.used.PushFront(c)
		x.all[key] = c
		x.memory.Charge(c.bytes)
		x.trimLocked()
	} else {
		x.used.MoveToFront(c.place)
	}
	c.asked++
	return c, c.asked > seldom
}

// keep is called after the values of an entry were read. It adds their size in bytes to the memory
// of the entry. If reading failed, it removes the entry.
func (x *chunks) keep(c *chunk, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.place == nil {
		return // it was evicted meanwhile
	}
	if c.err != nil {
		x.forget(c)
		return
	}
	c.bytes += bytes
	x.memory.Charge(bytes)
	x.trimLocked()
}

// trim removes the least recently used entries until the memory is within the limit. It never
// removes the last remaining entry.
func (x *chunks) trim() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.trimLocked()
}

func (x *chunks) trimLocked() {
	for x.memory.Excess() > 0 && x.used.Len() > 1 {
		x.forget(x.used.Back().Value.(*chunk))
	}
}

// forget removes an entry. Goroutines that are using its values are not affected. The caller holds
// x.mu.
func (x *chunks) forget(c *chunk) {
	x.used.Remove(c.place)
	delete(x.all, c.key)
	x.memory.Release(c.bytes)
	c.place = nil
}
