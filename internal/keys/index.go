// Package keys finds rows by their primary key or sort key. For each rowset (a part or a memtable)
// it has an index from the hash of a key to the rows with that key. The index of a part is built on
// first use and cached in memory. The index of a memtable grows with the memtable. A part needs no
// index in two cases. Either its statistics exclude all wanted keys, or only one key is wanted and
// few row groups of the part may have it.
package keys

import (
	"math/bits"

	"github.com/scoterdb/scoter/internal/batch"
)

// Index is an immutable index of the keys of one part.
//
// Its entries are in buckets of about bucketRows entries. The first bits of an entry's hash select
// the bucket. A lookup reads one element of starts and two cache lines of entries.
type Index struct {
	shift uint8
	// starts[b] is the index in entries of the first entry of bucket b. The last element is
	// len(entries).
	starts  []uint32
	entries []entry
}

type entry struct {
	high    uint64
	low     uint32
	ordinal uint32
}

const (
	entryBytes = 16
	bucketRows = 8
)

// NewIndex returns an index of the rows of a part. hashes[i] is the hash of the key of row i.
func NewIndex(hashes []batch.KeyHash) *Index {
	buckets := max(1, len(hashes)/bucketRows)
	width := bits.Len(uint(buckets))
	x := &Index{shift: uint8(64 - width), starts: make([]uint32, 1<<width+1), entries: make([]entry, len(hashes))}
	for _, h := range hashes {
		x.starts[h.High>>x.shift+1]++
	}
	for i := 1; i < len(x.starts); i++ {
		x.starts[i] += x.starts[i-1]
	}
	next := make([]uint32, len(x.starts)-1)
	copy(next, x.starts)
	for ordinal, h := range hashes {
		b := h.High >> x.shift
		x.entries[next[b]] = entry{h.High, h.Low, uint32(ordinal)}
		next[b]++
	}
	return x
}

// Bytes returns the memory that the index takes, in bytes.
func (x *Index) Bytes() int64 { return int64(len(x.entries))*entryBytes + 4*int64(len(x.starts)) }

// Find calls f with the number of every row that has the key, until f returns true.
func (x *Index) Find(key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	b := key.High >> x.shift
	for _, e := range x.entries[x.starts[b]:x.starts[b+1]] {
		if e.high == key.High && e.low == key.Low && f(e.ordinal) {
			return
		}
	}
}

// growing is the index of a memtable. Rows are added to it in order.
//
// The rows of a key form a linked list from the newest to the oldest. The newest row of each key is
// in an open-addressing hash table: the first bits of a key's hash select the entry of the table at
// which the search for the key begins. The table takes about four bytes per row, which is less than
// a map takes, and a lookup reads only a few cache lines.
type growing struct {
	hashes []batch.KeyHash // hashes[i] is the hash of the key of row i
	// older[i] is 1 plus the number of the next older row with the key of row i, or 0
	// if there is none.
	older []uint32
	shift uint8
	// slots are the entries of the hash table. slots[i] is 1 plus the number of the newest row of a
	// key, or 0 if the entry is free.
	slots []uint32
	used  int // number of entries of slots that are in use
}

func (g *growing) count() int64 { return int64(len(g.hashes)) }

// add adds the next row to the index. The argument key is the hash of the row's key.
func (g *growing) add(key batch.KeyHash) {
	if 2*g.used >= len(g.slots) {
		g.grow()
	}
	at := g.slot(key)
	g.older = append(g.older, g.slots[at])
	if g.slots[at] == 0 {
		g.used++
	}
	g.hashes = append(g.hashes, key)
	g.slots[at] = uint32(len(g.hashes))
}

// slot returns the index in g.slots of the hash table's entry for a key. If the key is new, it
// returns the index of the free entry where the key belongs.
func (g *growing) slot(key batch.KeyHash) uint64 {
	at := key.High >> g.shift
	for g.slots[at] != 0 && g.hashes[g.slots[at]-1] != key {
		at = (at + 1) % uint64(len(g.slots))
	}
	return at
}

func (g *growing) grow() {
	width := max(10, bits.Len(uint(len(g.slots))))
	g.shift = uint8(64 - width)
	old := g.slots
	g.slots = make([]uint32, 1<<width)
	for _, row := range old {
		if row != 0 {
			g.slots[g.slot(g.hashes[row-1])] = row
		}
	}
}

// find calls f with the number of every row that has the key, newest first, until f returns true.
func (g *growing) find(key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	if len(g.slots) == 0 {
		return
	}
	for row := g.slots[g.slot(key)]; row != 0 && !f(row-1); row = g.older[row-1] {
	}
}
