package overlay

import (
	lru "container/list"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// chunks keeps the values of column chunks of parts, from which single rows are taken: a query of DuckDB over the part
// costs some milliseconds to plan, whatever it reads.
type chunks struct {
	path func(p *catalog.Part) string

	mu    sync.Mutex
	all   map[chunkKey]*chunk // guarded by mu
	used  *lru.List           // guarded by mu; of *chunk, the last used first
	bytes int64               // guarded by mu
}

// maxChunkBytes bounds what is kept: a column of eight bytes of 16 million rows.
const maxChunkBytes = 128 << 20

type chunkKey struct {
	part   base.SourceID
	column base.ColumnID
	group  int
}

type chunk struct {
	key    chunkKey
	place  *lru.Element // guarded by chunks.mu
	bytes  int64        // guarded by chunks.mu; 0 until it is read
	once   sync.Once
	values arrow.Array
	err    error
}

func newChunks(path func(*catalog.Part) string) *chunks {
	return &chunks{path: path, all: map[chunkKey]*chunk{}, used: lru.New()}
}

// take returns a column's values of some rows of a part, which was written with a version of the table. It is nil for a
// column that is stored in another way now, and for nested ones.
func (x *chunks) take(p *catalog.Part, written schema.Table, c schema.Column, rows []uint32) (arrow.Array, error) {
	i := written.ColumnByID(c.ID)
	if i < 0 || !written.Columns[i].Type.Equal(c.Type) || nested(c.Type) {
		return nil, nil
	}
	var records []arrow.RecordBatch
	at := make([]uint32, len(rows))
	group, before := -1, uint32(0)
	for k, row := range rows {
		if g := int(row / part.RowGroupRows); g != group {
			if group >= 0 {
				before += uint32(records[len(records)-1].NumRows())
			}
			values, err := x.of(p, written, chunkKey{p.ID, c.ID, g})
			if err != nil {
				return nil, err
			}
			fields := []arrow.Field{{Name: c.Name, Type: values.DataType(), Nullable: true}}
			records = append(records, array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{values}, int64(values.Len())))
			group = g
		}
		at[k] = before + row%part.RowGroupRows
	}
	taken, err := batch.Take(records, at)
	if err != nil {
		return nil, err
	}
	return taken.Column(0), nil
}

func nested(t schema.Type) bool {
	_, ok := t.Arrow().(arrow.NestedType)
	return ok
}

// of returns the values of a chunk, which it reads if they are not kept.
func (x *chunks) of(p *catalog.Part, written schema.Table, key chunkKey) (arrow.Array, error) {
	x.mu.Lock()
	c := x.all[key]
	if c == nil {
		c = &chunk{key: key}
		c.place = x.used.PushFront(c)
		x.all[key] = c
	} else {
		x.used.MoveToFront(c.place)
	}
	x.mu.Unlock()
	c.once.Do(func() {
		c.values, c.err = part.ReadChunk(vfs.OS, x.path(p), written, key.group, key.column)
		x.keep(c)
	})
	return c.values, c.err
}

// keep accounts for a chunk that was read, and lets go of those that were not used for longest.
func (x *chunks) keep(c *chunk) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.place == nil {
		return // let go of meanwhile
	}
	if c.err != nil {
		x.used.Remove(c.place)
		delete(x.all, c.key)
		return
	}
	c.bytes = bytesOf(c.values)
	x.bytes += c.bytes
	for x.bytes > maxChunkBytes && x.used.Len() > 1 {
		oldest := x.used.Remove(x.used.Back()).(*chunk)
		delete(x.all, oldest.key)
		x.bytes -= oldest.bytes
		oldest.place = nil
	}
}
