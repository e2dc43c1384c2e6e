package memtable

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// DefaultChunkBytes is the size of one mapping. Large enough that a system call per
// chunk does not show in a profile, small enough that the half-used chunk at a
// generation's end is little.
const DefaultChunkBytes = 4 << 20

// DefaultKeepFree is how long unused memory waits for rows. What a steady load needs between two flushes is then faulted in
// once: on a virtual machine that costs more than copying rows into it.
const DefaultKeepFree = 30 * time.Second

// PoolOptions configures a Pool. The zero value means the defaults.
type PoolOptions struct {
	ChunkBytes int           // size of a chunk; DefaultChunkBytes if 0
	KeepFree   time.Duration // how long unused memory is kept; DefaultKeepFree if 0, not at all if negative
	Poison     bool          // overwrite memory when it becomes free: a late reader then reads rubbish in tests, not rows
}

// Pool hands out memory for rows, outside the Go heap: the garbage collector neither
// scans nor moves it, its size is known exactly, and C code may hold pointers into it for
// as long as a reference is held. It is safe for concurrent use.
//
// Memory is mapped in chunks and given out in blocks, one per batch, by advancing within
// the current chunk. A chunk lives as long as one of its blocks; since rows of one
// generation are freed together, and generations in order, what a chunk keeps alive
// needlessly is at most one chunk at each end of a generation.
type Pool struct {
	chunkBytes int
	keepFree   time.Duration
	poison     bool

	blockBytes atomic.Int64 // in blocks that are held
	mapped     atomic.Int64 // in chunks, free ones included

	mu      sync.Mutex
	current *chunk       // guarded by mu; holds one reference of its own
	free    []freeMemory // guarded by mu; the longest unused first
	trimmer *time.Timer  // guarded by mu; runs while there is free memory
}

// freeMemory is a mapping that no chunk uses.
type freeMemory struct {
	mem   []byte
	since time.Time
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
	p := &Pool{chunkBytes: o.ChunkBytes, keepFree: o.KeepFree, poison: o.Poison}
	if p.chunkBytes == 0 {
		p.chunkBytes = DefaultChunkBytes
	}
	if p.keepFree == 0 {
		p.keepFree = DefaultKeepFree
	}
	return p
}

// Bytes returns the size of all blocks in use, in bytes: what rows occupy.
func (p *Pool) Bytes() int64 { return p.blockBytes.Load() }

// MappedBytes returns what the pool holds of the system's memory, unused chunks included.
func (p *Pool) MappedBytes() int64 { return p.mapped.Load() }

// alloc returns a block of n bytes, 64-byte aligned, with arbitrary contents.
func (p *Pool) alloc(n int) (block, error) {
	size := alignUp(max(n, 1), 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > p.chunkBytes/2 {
		// A chunk of its own: the current one stays for the small.
		mem, err := p.mapLocked(alignUp(size, p.chunkBytes))
		if err != nil {
			return block{}, err
		}
		return p.take(&chunk{mem: mem}, size), nil
	}
	if p.current == nil || p.current.used+size > len(p.current.mem) {
		mem, err := p.mapLocked(p.chunkBytes)
		if err != nil {
			return block{}, err
		}
		if old := p.current; old != nil {
			p.unrefLocked(old)
		}
		p.current = &chunk{mem: mem}
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
	if p.keepFree > 0 {
		p.free = append(p.free, freeMemory{c.mem, time.Now()})
		if p.trimmer == nil {
			p.trimmer = time.AfterFunc(p.keepFree, p.trim)
		}
	} else {
		p.unmap(c.mem)
	}
	c.mem = nil
}

// trim unmaps what was not used for long.
func (p *Pool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trimmer = nil
	now := time.Now()
	for len(p.free) > 0 && now.Sub(p.free[0].since) >= p.keepFree {
		p.unmapOldestLocked()
	}
	if len(p.free) > 0 {
		p.trimmer = time.AfterFunc(p.free[0].since.Add(p.keepFree).Sub(now), p.trim)
	}
}

func (p *Pool) unmapOldestLocked() {
	p.unmap(p.free[0].mem)
	p.free = slices.Delete(p.free, 0, 1)
}

// mapLocked returns n bytes or up to twice as many: the least unused mapping that fits, of these the last used, or a new one. A
// new one takes the place of unused ones, so that the pool never holds much more than what was in use at one time.
func (p *Pool) mapLocked(n int) ([]byte, error) {
	fit := -1
	for i, f := range p.free {
		if n <= len(f.mem) && len(f.mem) <= 2*n && (fit < 0 || len(f.mem) <= len(p.free[fit].mem)) {
			fit = i
		}
	}
	if fit >= 0 {
		mem := p.free[fit].mem
		p.free = slices.Delete(p.free, fit, fit+1)
		return mem, nil
	}
	for excess := n; excess > 0 && len(p.free) > 0; {
		excess -= len(p.free[0].mem)
		p.unmapOldestLocked()
	}
	mem, err := mapMemory(n)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "map %d bytes for rows: %w", n, err)
	}
	p.mapped.Add(int64(n))
	return mem, nil
}

func (p *Pool) unmap(mem []byte) {
	n := len(mem)
	if err := unmapMemory(mem); err != nil {
		panic("memtable: unmap a chunk: " + err.Error()) // only a wrong address fails: an invariant is broken
	}
	p.mapped.Add(-int64(n))
}

// Close unmaps the unused chunks. Blocks still held stay valid until they are released.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		p.unrefLocked(p.current)
		p.current = nil
	}
	for len(p.free) > 0 {
		p.unmapOldestLocked()
	}
	if p.trimmer != nil {
		p.trimmer.Stop()
	}
	p.keepFree = -1
}

func alignUp(n, to int) int { return (n + to - 1) / to * to }
