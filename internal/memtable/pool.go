package memtable

import (
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/mapped"
)

// DefaultChunkBytes is the size of one mapping. Large enough that a system call per
// chunk does not show in a profile, small enough that the half-used chunk at a
// generation's end is little.
const DefaultChunkBytes = 4 << 20

// PoolOptions configures a Pool. The zero value means the defaults.
type PoolOptions struct {
	ChunkBytes int  // size of a chunk; DefaultChunkBytes if 0
	Poison     bool // overwrite memory when it becomes free: a late reader then reads rubbish in tests, not rows
}

// Pool hands out memory for rows, outside the Go heap (mapped.Shared): the garbage collector neither
// scans nor moves it, its size is known exactly, and C code may hold pointers into it for
// as long as a reference is held. It is safe for concurrent use.
//
// Memory comes in chunks and is given out in blocks, one per batch, by advancing within
// the current chunk. A chunk lives as long as one of its blocks; since rows of one
// generation are freed together, and generations in order, what a chunk keeps alive
// needlessly is at most one chunk at each end of a generation.
type Pool struct {
	chunkBytes int
	poison     bool

	blockBytes atomic.Int64 // in blocks that are held

	mu      sync.Mutex
	current *chunk // guarded by mu; holds one reference of its own
}

type chunk struct {
	mem  []byte
	used int // guarded by Pool.mu
	refs atomic.Int64
}

// block is memory of one chunk, counted until released.
type block struct {
	mem   []byte
	chunk *chunk
}

// NewPool returns an empty pool. Nothing is mapped before the first batch.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{chunkBytes: o.ChunkBytes, poison: o.Poison}
	if p.chunkBytes == 0 {
		p.chunkBytes = DefaultChunkBytes
	}
	return p
}

// Bytes returns the size of all blocks in use, in bytes: what rows occupy.
func (p *Pool) Bytes() int64 { return p.blockBytes.Load() }

// alloc returns a block of n bytes, 64-byte aligned, with arbitrary contents.
func (p *Pool) alloc(n int) (block, error) {
	size := alignUp(max(n, 1), 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > p.chunkBytes/2 {
		// A chunk of its own: the current one stays for the small. It is hardly larger than the block, which is all that is counted, and
		// of one of few sizes, so that the next block often fits in.
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

// release gives a block back. Nobody may read it afterwards.
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

// Close lets go of the chunk that is not full. Blocks still held stay valid until they are released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.unrefLocked(p.current)
		p.current = nil
	}
}

func alignUp(n, to int) int { return (n + to - 1) / to * to }
