// Package memtable holds the rows that are in the log and in no part yet. There is one memtable per
// table and generation. It can be read while rows are appended.
package memtable

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Small batches are joined, so that a scan of a table that is written row by row sees few batches.
// The level of a batch is 0 below 16 rows, 1 below 256 rows, and 2 below 4,096 rows. A larger batch
// is done: it is not joined any more. At the end of a memtable are the batches that are not done,
// with descending levels. When there are joinFanout batches of one level, they are joined to one
// batch of the next level. When a batch of a higher level is appended, the batches of lower levels
// before it are first joined to one batch of that level, so that levels descend again.
//
// The memory of joined batches cannot be reused, since an older view may still read it. But each
// copy raises a row by at least one level, and a join is skipped if its result would take more
// memory than its batches. So a row takes at most JoinFactor times its space, and at most 45
// batches are not done. With a fanout of 2 instead of 16, a row would be copied 13 times to leave a
// dozen batches. 16 saves memory, which is the scarce resource.
const (
	joinFanout    = 16
	joinBelowRows = joinFanout * joinFanout * joinFanout
	// Larger batches are not joined: joining few large values does not speed up a scan.
	joinBelowBytes = 256 << 10
	levelDone      = 3
)

// JoinFactor bounds the memory that joining takes: Memtable.Bytes is at most JoinFactor times the
// sum of Rows.Bytes of all appended rows.
const JoinFactor = 1 + levelDone

// Batch is one batch of a memtable's rows.
type Batch struct {
	// Ordinal of the first row; the other rows have the ordinals after it.
	FirstOrdinal base.RowOrdinal
	Record       arrow.RecordBatch
}

// View is the content of a memtable at one moment. It is immutable, and valid as long as a
// reference to the memtable is held.
type View struct {
	Source  base.SourceID // the memtable's id: the first half of the rows' addresses
	Schema  schema.Table  // the schema version to which every batch conforms
	Batches []Batch       // in ordinal order, without gaps, none empty
	Rows    int64
	MinSeq  base.Seq // number of the edit that added the first row; set only in snapshots
}

// Memtable has the rows of one table and one generation, in the order in which they were committed.
// Only one goroutine may append and publish. Any number of goroutines may take views at the same
// time.
//
// It is reference-counted, and New returns one reference. When the last reference is released, the
// memory returns to the pool, and no view may be read any more.
type Memtable struct {
	pool   *Pool
	source base.SourceID
	table  schema.Table

	refs      atomic.Int64
	published atomic.Pointer[View]
	bytes     atomic.Int64

	// Only the goroutine that appends uses batches and tail. batches has all batches, published or
	// not. Published elements are never overwritten: joining copies the slice.
	batches []Batch
	tail    []small // describes the last len(tail) of batches, which are not done
	rows    int64
	blocks  []block
}

// small describes a batch that is not done: it may still be joined.
type small struct {
	level int
	bytes int64
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

// Schema returns the version of the table to which all rows conform: the version that was current
// when the memtable was created.
func (m *Memtable) Schema() schema.Table { return m.table }

// Bytes returns the memory of the memtable, including batches whose rows were copied when they were
// joined.
func (m *Memtable) Bytes() int64 { return m.bytes.Load() }

// View returns the rows that are published so far, in constant time.
func (m *Memtable) View() View { return *m.published.Load() }

// Append takes ownership of rows. They become visible with the next Publish. If the rows have
// another table or version, it returns an Internal error, and the caller keeps ownership. If there
// is no memory to join small batches, they stay separate, and Append succeeds.
func (m *Memtable) Append(rows *Rows) error {
	if rows.table != m.table.ID || rows.version != m.table.Version {
		return base.Errorf(base.Internal, "memtable %d: rows of table %d version %d for table %d version %d",
			m.source, rows.table, rows.version, m.table.ID, m.table.Version)
	}
	if rows.NumRows() == 0 {
		rows.Release()
		return nil
	}
	level := levelOf(rows)
	m.lift(level)
	m.batches = append(m.batches, Batch{FirstOrdinal: base.RowOrdinal(m.rows), Record: rows.record})
	m.rows += rows.NumRows()
	m.own(rows.block)
	m.push(small{level, rows.Bytes()})
	return nil
}

// Publish makes all appended rows visible to later views.
func (m *Memtable) Publish() {
	m.published.Store(&View{Source: m.source, Schema: m.table, Batches: m.batches[:len(m.batches):len(m.batches)], Rows: m.rows})
}

func (m *Memtable) own(b block) {
	m.blocks = append(m.blocks, b)
	m.bytes.Add(int64(len(b.mem)))
}

func levelOf(r *Rows) int {
	if r.NumRows() >= joinBelowRows || r.Bytes() >= joinBelowBytes {
		return levelDone
	}
	level := 0
	for n := r.NumRows(); n >= joinFanout; n /= joinFanout {
		level++
	}
	return level
}

// lift joins all batches at the end that are below a level, to one batch of that level.
func (m *Memtable) lift(level int) {
	k := 0
	for k < len(m.tail) && m.tail[len(m.tail)-1-k].level < level {
		k++
	}
	switch k {
	case 0:
	case 1:
		m.tail[len(m.tail)-1].level = level
	default:
		m.join(k, level)
	}
}

// push adds the last batch to the tail. Then it joins batches, as long as there are joinFanout
// batches of one level.
func (m *Memtable) push(last small) {
	if last.level == levelDone {
		// Batches before a batch that is done are never joined, since levels descend.
		m.tail = m.tail[:0]
		return
	}
	m.tail = append(m.tail, last)
	for len(m.tail) >= joinFanout {
		level := m.tail[len(m.tail)-1].level
		if m.tail[len(m.tail)-joinFanout].level != level || !m.join(joinFanout, level+1) {
			return
		}
	}
}

// join replaces the last k batches by one batch of the given level, or by one that is done if it is
// large. If they cannot or should not be joined (see joined), it returns false, and all of them are
// done.
func (m *Memtable) join(k, level int) bool {
	at := len(m.batches) - k
	records := make([]arrow.RecordBatch, k)
	for i, b := range m.batches[at:] {
		records[i] = b.Record
	}
	bytes := int64(0)
	for _, s := range m.tail[len(m.tail)-k:] {
		bytes += s.bytes
	}
	rows := m.joined(records, bytes)
	if rows == nil {
		m.tail = m.tail[:0]
		return false
	}
	// Views read the old slice, so it must not change.
	batches := make([]Batch, at, at+2*joinFanout)
	copy(batches, m.batches)
	m.batches = append(batches, Batch{FirstOrdinal: m.batches[at].FirstOrdinal, Record: rows.record})
	m.own(rows.block)
	if m.tail = m.tail[:len(m.tail)-k]; levelOf(rows) == levelDone {
		level = levelDone
	}
	if level == levelDone {
		m.tail = m.tail[:0]
	} else {
		m.tail = append(m.tail, small{level, rows.Bytes()})
	}
	return true
}

// joined copies several batches into one. It returns nil if they should stay separate, for one of
// these reasons:
//   - The copy would take more memory, because a dictionary is written out as text if another batch
//     has none.
//   - The copy would be larger than limitBytes.
//   - There is no memory.
func (m *Memtable) joined(records []arrow.RecordBatch, limitBytes int64) *Rows {
	p, err := plan(m.table.ID, m.table.Version, records)
	if err != nil || p.Bytes() > limitBytes {
		return nil
	}
	rows, err := m.pool.Fill(p)
	if err != nil {
		return nil
	}
	return rows
}

// Retain adds a reference.
func (m *Memtable) Retain() {
	if m.refs.Add(1) <= 1 {
		panic("memtable: retained after its last release")
	}
}

// Release drops a reference. Dropping the last one frees the memory.
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
