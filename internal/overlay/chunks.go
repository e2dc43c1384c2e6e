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
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// chunks takes values of single rows out of column chunks of parts: a query of DuckDB over the part
// costs some milliseconds to plan, whatever it reads. Of chunks that are asked for often it keeps all values.
type chunks struct {
	file func(p *catalog.Part) *blocks.File
	most int64 // bytes that are kept

	mu    sync.Mutex
	all   map[chunkKey]*chunk // guarded by mu
	used  *lru.List           // guarded by mu; of *chunk, the last used first
	bytes int64               // guarded by mu
}

const (
	// unknownBytes is about what an entry takes whose values are not kept.
	unknownBytes = 256
	// seldom is how often rows are taken out of the file before the whole chunk is read, which takes about so many times as long: 5 ms for prices,
	// most of it for memory that is new, and 0.2 for one of them.
	seldom = 24
)

type chunkKey struct {
	part   base.SourceID
	column base.ColumnID
	group  int
}

type chunk struct {
	key    chunkKey
	place  *lru.Element // guarded by chunks.mu; nil once it was let go of
	bytes  int64        // guarded by chunks.mu
	asked  int          // guarded by chunks.mu; how often
	once   sync.Once
	values arrow.Array
	ends   []uint32 // of the part's row groups: see chunks.groups
	err    error
}

// ofGroups is the group in the key of what is kept of a part's row groups.
const ofGroups = -1

func newChunks(file func(*catalog.Part) *blocks.File, most int64) *chunks {
	return &chunks{file: file, most: most, all: map[chunkKey]*chunk{}, used: lru.New()}
}

// take returns a column's values of some rows of a part, which was written with a version of the table. It is nil for a
// column that is stored in another way now, and for nested ones.
func (x *chunks) take(p *catalog.Part, written schema.Table, c schema.Column, rows []uint32) (arrow.Array, error) {
	i := written.ColumnByID(c.ID)
	if i < 0 || !written.Columns[i].Type.Equal(c.Type) || nested(c.Type) {
		return nil, nil
	}
	ends, err := x.groups(p, written)
	if err != nil {
		return nil, err
	}
	var parts []arrow.Array // of each row group
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

// rows returns the values of some rows of a row group.
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

// groups returns where the row groups of a part end, as numbers of rows.
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

// ask returns a chunk, and whether it is asked for so often that its values are to be kept.
func (x *chunks) ask(key chunkKey) (c *chunk, often bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c = x.all[key]; c == nil {
		c = &chunk{key: key, bytes: unknownBytes}
		c.place = x.used.PushFront(c)
		x.all[key] = c
		x.bytes += c.bytes
		x.trim()
	} else {
		x.used.MoveToFront(c.place)
	}
	c.asked++
	return c, c.asked > seldom
}

// keep accounts for a chunk of which so many bytes were read.
func (x *chunks) keep(c *chunk, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.place == nil {
		return // let go of meanwhile
	}
	if c.err != nil {
		x.forget(c)
		return
	}
	c.bytes, x.bytes = c.bytes+bytes, x.bytes+bytes
	x.trim()
}

// trim lets go of what was not used for longest, down to what may be kept. x.mu is held.
func (x *chunks) trim() {
	for x.bytes > x.most && x.used.Len() > 1 {
		x.forget(x.used.Back().Value.(*chunk))
	}
}

// forget lets go of a chunk. x.mu is held.
func (x *chunks) forget(c *chunk) {
	x.used.Remove(c.place)
	delete(x.all, c.key)
	x.bytes -= c.bytes
	c.place = nil
}
