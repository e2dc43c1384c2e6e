// Package memtable holds the rows that are in the write-ahead log and not yet in a part:
// per table and generation one memtable, readable while it grows.
package memtable

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Small batches are joined so that a scan of a table that is written row by row sees few
// batches. Batches below joinBelowRows rows have a level, the power of joinFanout that
// their rows reach. When joinFanout batches of one level or below have gathered at the
// tail, they become one batch, most of a higher level: counting in base 16.
//
// The joined batches' memory cannot be reused, since an older view may still read it. So
// a row takes its space once per level it passes and at most once more, as the last of
// those joined: a row that came alone at most JoinFactor times, one that came with 100
// others four times, with 4,096 once. The tail stays below 3 x 16 batches. Fanout 2 would cost 13 copies
// for a tail of 12: 16 saves what is scarce, memory.
const (
	joinFanout     = 16
	joinBelowRows  = 4096
	joinBelowBytes = 256 << 10 // joining few large values saves a scan nothing
)

// JoinFactor bounds the memory of rows that arrive in small batches: Memtable.Bytes is at
// most JoinFactor times the Rows.Bytes that were appended.
const JoinFactor = 5

// Batch is one batch of a view.
type Batch struct {
	FirstOrdinal base.RowOrdinal // of the batch's first row; the others follow
	Record       arrow.RecordBatch
}

// View is what a memtable held at one moment. It is immutable, and valid while a
// reference to the memtable is held.
type View struct {
	Source  base.SourceID // the first half of the rows' addresses
	Schema  schema.Table  // the version of the schema that every batch conforms to
	Batches []Batch       // in ordinal order, without gaps, none empty
	Rows    int64
}

// Memtable holds the rows of one table and one generation, in the order in which they
// were committed. One goroutine appends and publishes; any number take views meanwhile.
//
// It is reference-counted: New gives one reference. When the last is released, its
// memory goes back to the pool and no view of it may be read any more.
type Memtable struct {
	pool   *Pool
	source base.SourceID
	table  schema.Table

	refs      atomic.Int64
	published atomic.Pointer[View]
	bytes     atomic.Int64

	// Of the appending goroutine.
	batches []Batch // published ones are never overwritten: joining copies the slice
	levels  []int   // of the last len(levels) batches: those that may yet be joined
	rows    int64
	blocks  []block
}

// New returns an empty memtable with one reference.
func New(pool *Pool, source base.SourceID, table schema.Table) *Memtable {
	m := &Memtable{pool: pool, source: source, table: table}
	m.refs.Store(1)
	m.Publish()
	return m
}

// Source returns the memtable's id, the first half of its rows' addresses.
func (m *Memtable) Source() base.SourceID { return m.source }

// Schema returns the table as it was when the memtable was made: the version that all its rows have.
func (m *Memtable) Schema() schema.Table { return m.table }

// Bytes returns the memory that the memtable holds, batches that were joined since included.
func (m *Memtable) Bytes() int64 { return m.bytes.Load() }

// View returns the rows published so far, in constant time.
func (m *Memtable) View() View { return *m.published.Load() }

// Append takes the rows over; they become visible with the next Publish. Rows of another
// table or version are an Internal error, and stay the caller's. A failure to join small
// batches for lack of memory is not an error: they stay as they are.
func (m *Memtable) Append(rows *Rows) error {
	if rows.table != m.table.ID || rows.version != m.table.Version {
		return base.Errorf(base.Internal, "memtable %d: rows of table %d version %d for table %d version %d",
			m.source, rows.table, rows.version, m.table.ID, m.table.Version)
	}
	if rows.NumRows() == 0 {
		rows.Release()
		return nil
	}
	n := rows.NumRows()
	m.batches = append(m.batches, Batch{FirstOrdinal: base.RowOrdinal(m.rows), Record: rows.record})
	m.rows += n
	m.own(rows.block)
	if n >= joinBelowRows || rows.Bytes() >= joinBelowBytes {
		m.levels = m.levels[:0] // a large batch ends the tail: ordinals do not change, so nothing joins across it
		return nil
	}
	m.levels = append(m.levels, levelOf(n))
	m.joinTail()
	return nil
}

// Publish makes all appended rows visible to views taken from now on.
func (m *Memtable) Publish() {
	m.published.Store(&View{Source: m.source, Schema: m.table, Batches: m.batches[:len(m.batches):len(m.batches)], Rows: m.rows})
}

func (m *Memtable) own(b block) {
	m.blocks = append(m.blocks, b)
	m.bytes.Add(int64(len(b.mem)))
}

func levelOf(rows int64) int {
	level := 0
	for ; rows >= joinFanout; rows /= joinFanout {
		level++
	}
	return level
}

// joinTail joins the last batches while there are joinFanout of them, none of a higher
// level than the last.
func (m *Memtable) joinTail() {
	for {
		last := len(m.levels) - 1
		k := 0
		for k <= last && m.levels[last-k] <= m.levels[last] {
			k++
		}
		if k < joinFanout || !m.join(k) {
			return
		}
	}
}

// join replaces the last k batches by one of their rows. It reports whether the result
// may be joined further.
func (m *Memtable) join(k int) bool {
	at := len(m.batches) - k
	records := make([]arrow.RecordBatch, k)
	for i, b := range m.batches[at:] {
		records[i] = b.Record
	}
	joined, err := plan(m.table.ID, m.table.Version, records)
	if err != nil {
		m.levels = m.levels[:0] // too long together, they stay apart
		return false
	}
	rows, err := m.pool.Fill(joined)
	if err != nil {
		m.levels = m.levels[:0] // no memory to join in: apart costs readers only time
		return false
	}
	// A new slice: views hold the old one.
	batches := make([]Batch, at, at+2*joinFanout)
	copy(batches, m.batches)
	m.batches = append(batches, Batch{FirstOrdinal: m.batches[at].FirstOrdinal, Record: rows.record})
	m.own(rows.block)
	n := rows.NumRows()
	if n >= joinBelowRows || rows.Bytes() >= joinBelowBytes {
		m.levels = m.levels[:0]
		return false
	}
	m.levels = append(m.levels[:len(m.levels)-k], levelOf(n))
	return true
}

// Retain takes another reference.
func (m *Memtable) Retain() {
	if m.refs.Add(1) <= 1 {
		panic("memtable: retained after its last release")
	}
}

// Release gives a reference back; the last one frees the memory.
func (m *Memtable) Release() {
	switch n := m.refs.Add(-1); {
	case n > 0:
		return
	case n < 0:
		panic("memtable: released more often than retained")
	}
	for _, b := range m.blocks {
		m.pool.release(b)
	}
	m.blocks, m.batches = nil, nil
	m.bytes.Store(0)
	m.published.Store(&View{Source: m.source, Schema: m.table})
}
