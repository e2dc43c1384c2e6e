package memtable

import (
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/mapped"
)

// DefaultChunkBytes is the size of a chunk: the piece of memory that a Pool gets from the operating
// system at a time. It is large, so that the cost of one system call per chunk does not matter. It
// is small enough that the unused rest of the last chunk of a generation (a segment of the log and
// its memtables) hardly matters.
const DefaultChunkBytes = 4 << 20

// PoolOptions configure a Pool. The zero value selects the defaults.
type PoolOptions struct {
	ChunkBytes int // size of a chunk in bytes; 0 means DefaultChunkBytes
	// Poison says that memory is overwritten when it is freed. So tests notice a reader of freed
	// memory, because it reads garbage instead of rows.
	Poison bool
}

// Pool allocates memory for rows outside the Go heap (from mapped.Shared). The garbage collector
// neither scans nor moves this memory, and its size is known exactly. C code may hold pointers into
// the memory of a memtable while it holds a reference to the memtable. A Pool is safe for
// concurrent use.
//
// The memory comes in chunks. Each batch gets a block of the current chunk. A chunk is freed when
// the last of its blocks is released. The rows of a generation (a segment of the log and its
// memtables) are freed together, and generations are freed in order. So at most one chunk at each
// end of a generation stays in memory longer than needed.
type Pool struct {
	chunkBytes int
	poison     bool

	blockBytes atomic.Int64 // total size in bytes of the blocks in use

	mu sync.Mutex
	// current is the chunk from which new blocks are taken. The pool holds a reference to it. It is
	// guarded by mu.
	current *chunk
}

type chunk struct {
	mem  []byte
	used int // number of bytes of mem that were handed out as blocks; guarded by Pool.mu
	refs atomic.Int64
}

// block is a piece of the memory of a chunk. It holds a reference to the chunk until the block is
// released.
type block struct {
	mem   []byte
	chunk *chunk
}

// NewPool returns an empty pool. The pool allocates no memory before the first batch.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{chunkBytes: o.ChunkBytes, poison: o.Poison}
	if p.chunkBytes == 0 {
		p.chunkBytes = DefaultChunkBytes
	}
	return p
}

// Bytes returns the total size in bytes of all blocks in use.
func (p *Pool) Bytes() int64 { return p.blockBytes.Load() }

// alloc returns a block of n bytes, aligned to 64 bytes, with arbitrary contents.
func (p *Pool) alloc(n int) (block, error) {
	size := alignUp(max(n, 1), 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > p.chunkBytes/2 {
		// A large block gets a chunk of its own, so that the current chunk stays for small blocks.
		// That chunk must not be much larger than the block, because Pool.Bytes does not count
		// unused bytes of chunks. The size of a chunk is rounded up to one of a few values, so that
		// the memory of a freed chunk can often be reused.
		c, err := p.newChunk(alignUp(size, p.chunkBytes/16))
		if err != nil {
			return block{}, err
		}
		return p.take(c, size), nil
	}
	if p.current == nil || p.current.used+size > len(p.current.mem) {
		c, err := p.newChunk(p.chunkBytes)
		if err != nil {
			return block{}, err
		}
		if old := p.current; old != nil {
			p.unrefLocked(old)
		}
		p.current = c
		p.current.refs.Store(1)
	}
	return p.take(p.current, size), nil
}

func (p *Pool) take(c *chunk, size int) block {
	c.refs.Add(1)
	mem := c.mem[c.used : c.used+size : c.used+size]
	c.used += size
	p.blockBytes.Add(int64(size))
	return block{mem: mem, chunk: c}
}

// release frees a block. The caller must not read its memory afterwards.
func (p *Pool) release(b block) {
	p.blockBytes.Add(-int64(len(b.mem)))
	if p.poison {
		for i := range b.mem {
			b.mem[i] = 0xdb
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unrefLocked(b.chunk)
}

func (p *Pool) unrefLocked(c *chunk) {
	if c.refs.Add(-1) > 0 {
		return
	}
	mapped.Shared.Put(c.mem)
	c.mem = nil
}

func (p *Pool) newChunk(n int) (*chunk, error) {
	mem, err := mapped.Shared.Get(n)
	if err != nil {
		return nil, base.Wrap(err, "memory for rows")
	}
	return &chunk{mem: mem}, nil
}

// Close drops the pool's own reference to the current chunk. Blocks in use stay valid until they
// are released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.unrefLocked(p.current)
		p.current = nil
	}
}

func alignUp(n, to int) int { return (n + to - 1) / to * to }
