// Package keys finds rows by primary key: per source an index from a key's hash to the rows that
// have it. An index of a part is made once, when it is first asked for, and kept in memory; one of a memtable
// grows with it. Parts whose statistics exclude all keys that are looked for need none.
package keys

import (
	"math/bits"

	"github.com/scoterdb/scoter/internal/batch"
)

// Index is the keys of one part's rows. It is immutable.
//
// Entries lie in buckets by the first bits of their hash, about bucketRows in each: a
// look-up reads one place of starts and two cache lines of entries.
type Index struct {
	shift   uint8
	starts  []uint32 // of each bucket in entries, and the end of the last
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

// NewIndex returns the index of rows with these keys, the first of which has ordinal 0.
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

// Bytes returns the memory that the index holds.
func (x *Index) Bytes() int64 { return int64(len(x.entries))*entryBytes + 4*int64(len(x.starts)) }

// Find calls f with every row that has a key, until f says to stop.
func (x *Index) Find(key batch.KeyHash, f func(ordinal uint32) (stop bool)) {
	b := key.High >> x.shift
	for _, e := range x.entries[x.starts[b]:x.starts[b+1]] {
		if e.high == key.High && e.low == key.Low && f(e.ordinal) {
			return
		}
	}
}
